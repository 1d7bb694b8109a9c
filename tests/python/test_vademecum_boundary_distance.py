# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exact distances of a vademecum: against brute force, at any load, and with points sorted out by the tables."""

import numpy as np
import pytest
from small_vademecum import NODES, small

from softcontact.bench.vademecum_distance import brute_force
from softcontact.vademecum import BoundaryDistance


@pytest.fixture(scope="module")
def made():
    return small().with_distance((30, 12, 28), sizes=(0.5, 1.0))


def corners(made, moved):
    return (made.mesh.nodes + moved)[made.mesh.boundary[1]]


def cloud(made, count, seed):
    """Half of it anywhere in the grid, half near the solid."""
    field, rng = made.distance_field, np.random.default_rng(seed)
    high = field.origin + field.spacing * (np.array(field.values.shape[2:]) - 1)
    moved = made.mesh.nodes + made.solution.displacement(0, 1.0)
    near = rng.uniform(moved.min(axis=0) - 0.02, moved.max(axis=0) + 0.02, (count // 2, 3))
    return np.concatenate([rng.uniform(field.origin, high, (count - count // 2, 3)), near])


def test_distances_are_those_of_brute_force_and_every_sign_is_right(made):
    diagonal = np.linalg.norm(made.distance_field.spacing)
    for k, (node, scale, family) in enumerate(((10, 1.0, 0), (27, 1.0, 0), (27, 0.37, 1), (18, 0.0, 0))):
        points = cloud(made, 25000, k)
        case = made.case(node, family)
        expected = brute_force(points, corners(made, made.solution.displacement(case, scale)))
        found = made.distance(points, node, scale, family)
        clear = np.abs(expected) > 1e-12
        assert clear.mean() > 0.999
        np.testing.assert_array_equal(np.sign(found[clear]), np.sign(expected[clear]))
        assert (expected < 0.0).sum() > 100
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * diagonal)


@pytest.mark.parametrize("scale", [0.5, 1.0, 0.93, 0.2, 1.05])
def test_the_tables_sort_out_no_point_that_is_inside(made, scale):
    for node in (NODES[0], NODES[-1]):
        shell = cloud(made, 8000, int(100 * scale))
        indices, depths, normals = made.contacts(shell, node, scale)
        distances = made.distance(shell, node, scale)
        np.testing.assert_array_equal(indices, np.flatnonzero(distances < 0.0))
        np.testing.assert_array_equal(depths, -distances[indices])
        assert len(indices) > 30
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
        out = made.distance(shell[indices] + depths[:, None] * normals, node, scale)
        np.testing.assert_allclose(out, 0.0, atol=1e-12)
        np.testing.assert_array_equal(small().contacts(shell, node, scale)[0], indices)


def test_several_loads_and_none_have_their_boundary(made):
    exact = BoundaryDistance(made, capacity=2)
    points = cloud(made, 2000, 5)
    np.testing.assert_allclose(exact.distance(points), brute_force(points, corners(made, 0.0)), atol=1e-12)
    exact.load([10, 27], [0.4, 0.3], 1)
    moved = made.solution.displacement(made.case(10, 1), 0.4) + made.solution.displacement(
        made.case(27, 1), 0.3
    )
    expected = brute_force(points, corners(made, moved))
    np.testing.assert_allclose(exact.distance(points), expected, atol=1e-12)
    np.testing.assert_array_equal(exact.contacts(points)[0], np.flatnonzero(expected < 0.0))
    with pytest.raises(ValueError, match="room for 2"):
        exact.load([10, 13, 27])
    np.testing.assert_allclose(exact.distance(points), expected, atol=1e-12)  # those before stay


def test_the_gradient_is_the_way_out(made):
    exact = BoundaryDistance(made, capacity=1)
    exact.load([27], 0.8)
    points = cloud(made, 2000, 6)
    distances, gradients = exact.distance(points), exact.gradient(points)
    np.testing.assert_allclose(exact.distance(points - distances[:, None] * gradients), 0.0, atol=1e-12)
    # on the boundary itself it is the pseudonormal
    triangles = corners(made, made.solution.displacement(made.case(27), 0.8))
    middle = triangles.mean(axis=1)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(exact.distance(middle)), 0.0, atol=1e-15)
    np.testing.assert_allclose(exact.gradient(middle), normals, atol=1e-9)
    for k in range(3):  # nodes of the boundary
        assert np.abs(exact.distance(triangles[:, k])).max() < 1e-15
        np.testing.assert_allclose(np.linalg.norm(exact.gradient(triangles[:, k]), axis=1), 1.0, atol=1e-12)
