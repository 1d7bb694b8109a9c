# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tetrahedra of boxes lean to no side: the same mesh in the mirror, the same forces on both hands."""

import itertools

import numpy as np
import pytest

from softcontact.engines import make_engine
from softcontact.mesh import tetrahedral_box
from softcontact.scene import (
    Box,
    ContactSettings,
    Keyframes,
    KinematicBody,
    Material,
    Scene,
    TetrahedralBody,
    TetrahedralBox,
)

SIZE = (0.1, 0.06, 0.04)


def shape_of(nodes, simplices):
    """Simplices by the places of their corners [nm], free of numbering."""
    places = np.round(np.asarray(nodes) * 1e9).astype(np.int64)
    return {frozenset(map(tuple, corners)) for corners in places[simplices]}


def is_image(mesh, signs):
    surface, _ = mesh.surface()
    return all(
        shape_of(nodes * np.array(signs), simplices) == shape_of(nodes, simplices)
        for nodes, simplices in ((mesh.nodes, mesh.tetrahedra), (surface.vertices, surface.triangles))
    )


@pytest.mark.parametrize("divisions", [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 3, 2), (3, 2, 4), (5, 1, 1)])
def test_default_box_is_its_mirror_image_in_even_axes_and_turns_into_itself(divisions):
    mesh = tetrahedral_box(SIZE, divisions)
    assert mesh.volume == pytest.approx(np.prod(SIZE), rel=1e-12)
    for axis in range(3):
        signs = np.where(np.arange(3) == axis, -1, 1)
        assert is_image(mesh, signs) == (divisions[axis] % 2 == 0)
        others = [divisions[k] % 2 for k in range(3) if k != axis]
        assert is_image(mesh, -signs) == (others[0] == others[1])


@pytest.mark.parametrize("divisions", [(1, 1, 1), (2, 3, 1), (3, 2, 4)])
def test_centred_box_is_its_mirror_image_for_any_numbers(divisions):
    mesh = tetrahedral_box(SIZE, divisions, 24)
    assert len(mesh.tetrahedra) == 24 * np.prod(divisions)
    assert mesh.volume == pytest.approx(np.prod(SIZE), rel=1e-12)
    faces = np.concatenate([mesh.tetrahedra[:, c] for c in itertools.combinations(range(4), 3)])
    assert np.unique(np.sort(faces, axis=1), axis=0, return_counts=True)[1].max() == 2
    assert all(is_image(mesh, signs) for signs in ((-1, 1, 1), (1, -1, 1), (1, 1, -1)))


@pytest.mark.parametrize("divisions", [3, 4])
def test_plates_that_hold_a_soft_cube_share_its_weight(divisions):
    side, squeeze = 0.04, 0.001
    cube = TetrahedralBody(
        name="cube",
        shape=TetrahedralBox(size=(side,) * 3, divisions=(divisions,) * 3),
        material=Material(young=3e4, poisson=0.4),
        friction=0.8,
    )
    bodies, motions = [cube], []
    for name, sign in (("left", -1), ("right", 1)):
        out = sign * (0.5 * side + 0.0101 + 5e-4)
        bodies.append(
            KinematicBody(name=name, shape=Box(size=(0.02, 0.1, 0.1)), position=(out, 0, 0), friction=0.8)
        )
        motions.append(
            Keyframes(
                body=name, times=(0, 0.1), positions=((out, 0, 0), (out - sign * (squeeze + 1e-4), 0, 0))
            )
        )
    scene = Scene(
        name="held",
        duration=1.0,
        bodies=bodies,
        motions=motions,
        gravity=(0, 0, -9.81),
        contact=ContactSettings(model="point"),
    )
    engine = make_engine(scene)
    for _ in range(200):
        engine.step()
    half = 0.5 * side**3 * 1000 * 9.81
    for name in ("left", "right"):
        load = np.sum(engine.vertex_loads(name)["forces"], axis=0)
        assert abs(load[0]) > 1.0
        assert load[2] == pytest.approx(-half, rel=0.02)
        assert abs(load[1]) < 0.02 * half
