# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exact distances to a deformed bunny: those of brute force, by the same bits whatever was asked before."""

import numpy as np
import pytest

from softcontact import _core
from softcontact.bench import vademecum_online
from softcontact.bench.vademecum_distance import brute_force
from softcontact.mesh import tetrahedral_bunny
from softcontact.vademecum import SolidMesh


@pytest.fixture(scope="module")
def bunny():
    body = tetrahedral_bunny()
    return SolidMesh(body.nodes, body.tetrahedra)


def bent(nodes, rng, amount):
    """Nodes after some smooth waves of a size [m]."""
    waves, ways = rng.normal(0.0, 40.0, (4, 3)), rng.normal(0.0, 0.5 * amount, (4, 3))
    return nodes + np.sin(nodes @ waves.T + rng.uniform(0.0, 6.0, 4)) @ ways


def test_distances_to_a_bunny_are_those_of_brute_force_after_any_history(bunny):
    nodes, triangles = bunny.boundary_surface
    rest = bunny.nodes[nodes]
    rng = np.random.default_rng(0)
    worn = _core.BoundaryDistance(rest, triangles)
    worn.remember(300)
    middle = rng.uniform(rest.min(axis=0), rest.max(axis=0), (150, 3))
    beside = rest[rng.integers(len(rest), size=150)] + rng.normal(0.0, 1e-3, (150, 3))
    points = np.concatenate([middle, beside])
    for amount in (0.0, 1e-4, 1e-3, 3e-3):  # none folds through itself
        for _ in range(20):  # some history, near and far
            worn.set(bent(rest, rng, 10.0 ** rng.uniform(-6.0, -2.0)))
            worn.contacts(points + rng.normal(0.0, 10.0 ** rng.uniform(-6.0, -2.0), 3))
        now = bent(rest, rng, amount)
        worn.set(now)
        fresh = _core.BoundaryDistance(rest, triangles)
        fresh.set(now)
        expected = brute_force(points, now[triangles])
        for _ in range(2):
            found = worn.contacts(points)
            for a, b in zip(found, fresh.contacts(points), strict=True):
                np.testing.assert_array_equal(a, b)
            numbers, depths, _normals = found
            np.testing.assert_array_equal(numbers, np.flatnonzero(expected < 0.0))
            np.testing.assert_allclose(depths, -expected[numbers], rtol=0.0, atol=1e-14)
        distances, gradients = worn.distance(points)
        np.testing.assert_allclose(distances, expected, rtol=0.0, atol=1e-14)
        for a, b in zip(fresh.distance(points[::-1]), (distances[::-1], gradients[::-1]), strict=True):
            np.testing.assert_array_equal(a, b)
        assert len(numbers) > 80


def test_a_field_moves_the_boundary_as_its_displacements_do(bunny):
    field = vademecum_online.smooth_field(bunny, largest=2e-3)
    loaded = _core.LoadedField(field, 1)
    boundary = _core.BoundaryDistance(bunny.nodes, bunny.boundary[1], loaded)
    given = _core.BoundaryDistance(bunny.nodes, bunny.boundary[1])
    rng = np.random.default_rng(1)
    points = bunny.nodes[rng.integers(len(bunny.nodes), size=400)] + rng.normal(0.0, 1e-3, (400, 3))
    moved = np.zeros_like(bunny.nodes)
    for case in range(4):
        loaded.clear()
        loaded.add(case, 0.7)
        boundary.follow()
        loaded.displacements(moved, len(moved))
        given.set(bunny.nodes + moved)
        np.testing.assert_allclose(
            boundary.distance(points)[0], given.distance(points)[0], rtol=0.0, atol=1e-15
        )
        np.testing.assert_array_equal(boundary.contacts(points)[0], given.contacts(points)[0])
    assert np.linalg.norm(moved, axis=1).max() > 3e-4
    assert not boundary.set(bunny.nodes) and not boundary.follow(_core.DistanceState(0))


def test_ticks_are_timed_with_their_contacts(bunny):
    nodes = bunny.boundary[0]
    shell = bunny.nodes[nodes] + np.array([0.03, 0.0, 0.0])
    field = vademecum_online.smooth_field(bunny)
    loaded = _core.LoadedField(field, 1)
    boundary = _core.BoundaryDistance(bunny.nodes, bunny.boundary[1], loaded)
    offsets = np.zeros((3, 3))
    offsets[2, 0] = 0.2
    own, wall, contacts = _core.time_contacts(boundary, loaded, shell, offsets, [0, -1, -1], [1.0, 0.0, 0.0])
    assert (own > 0.0).all() and (wall >= own * 0.5).all()
    assert contacts[0] == contacts[1] == len(boundary.contacts(shell)[0]) > 100 and contacts[2] == 0
    with pytest.raises(ValueError, match="one for each of the offsets"):
        _core.time_contacts(boundary, loaded, shell, offsets, [0], [1.0])
