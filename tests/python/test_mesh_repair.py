# SPDX-License-Identifier: LGPL-2.1-or-later
"""Legal but ugly meshes are repaired without changing their shape, and the report counts what was done."""

from __future__ import annotations

import numpy as np
import pytest
from mesh_files import CUBE_POINTS, cube_triangles, text_stl, write

from softcontact.mesh import MeshError, box, bunny, load_mesh, sphere, surface_from_arrays
from softcontact.mesh.intersect import _side_pierces, self_intersections, winding_numbers

P, T = CUBE_POINTS, cube_triangles()


def assert_cube_with(mesh, **counts) -> None:
    """The cube came out, and the report has these counts and no other change."""
    assert mesh.is_closed and len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    np.testing.assert_allclose(mesh.volume, 0.05**3, rtol=1e-5)
    report = mesh.report.as_dict()
    for key in (
        "vertices_merged",
        "vertices_unreferenced",
        "triangles_duplicate",
        "triangles_degenerate",
        "edges_turned",
        "triangles_flipped",
        "components_turned",
    ):
        assert report[key] == counts.get(key, 0), (key, report)


def test_clean_cube_is_left_alone():
    mesh = surface_from_arrays(P, T)
    assert_cube_with(mesh)
    assert not mesh.report.changed and mesh.report.lines() == []
    np.testing.assert_array_equal(mesh.vertices, P)
    np.testing.assert_array_equal(mesh.triangles, T)


@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_soup_with_rounded_vertices_is_merged(tmp_path, offset):
    """Text STL far from the origin: every vertex six times, apart by less than the merge tolerance."""
    rng = np.random.default_rng(0)
    soup = P[T].reshape(-1, 3) + offset + 1e-8 * rng.uniform(-1, 1, (36, 3))
    assert_cube_with(surface_from_arrays(soup, np.arange(36).reshape(-1, 3)), vertices_merged=28)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_repair_is_scale_free(scale):
    soup = scale * P[T].reshape(-1, 3)
    mesh = surface_from_arrays(soup, np.arange(36).reshape(-1, 3))
    assert mesh.is_closed and mesh.report.vertices_merged == 28
    np.testing.assert_allclose(mesh.volume, (0.05 * scale) ** 3, rtol=1e-12)


@pytest.mark.parametrize("flipped", [[0], [3, 7], [0, 1, 2, 3, 4]])
def test_opposite_windings_are_flipped(flipped):
    triangles = T.copy()
    triangles[flipped] = triangles[flipped][:, ::-1]
    assert_cube_with(surface_from_arrays(P, triangles), triangles_flipped=len(flipped))


def test_mostly_flipped_cube_counts_the_net_change():
    triangles = T[:, ::-1].copy()
    triangles[5] = T[5]
    assert_cube_with(surface_from_arrays(P, triangles), triangles_flipped=11)


def test_inside_out_cube_is_turned_as_a_whole():
    assert_cube_with(surface_from_arrays(P, T[:, ::-1]), components_turned=1)


def test_one_flipped_component():
    both = np.vstack([P, P + np.array([0.1, 0, 0])])
    mesh = surface_from_arrays(both, np.vstack([T, T[:, ::-1] + 8]))
    assert mesh.is_closed and mesh.report.components == 2 and mesh.report.components_turned == 1
    np.testing.assert_allclose(mesh.volume, 2 * 0.05**3)
    assert "2 separate components" in mesh.report.findings()


def test_duplicates_and_unreferenced_vertices():
    stray = np.vstack([P, [[9, 9, 9], [8, 8, 8], [0.05, 0.05, 0.05]]])
    twice = np.vstack([T, T[2], T[4][::-1]])
    assert_cube_with(surface_from_arrays(stray, twice), triangles_duplicate=2, vertices_unreferenced=3)


def test_whole_body_twice_in_a_file_is_kept_once():
    mesh = surface_from_arrays(np.vstack([P, P]), np.vstack([T, T + 8]))
    assert_cube_with(mesh, vertices_merged=8, triangles_duplicate=12)


def test_collapsed_triangles_are_dropped():
    lines = [[0, 0, 1], [2, 2, 2], [3, 1, 3]]
    assert_cube_with(surface_from_arrays(P, np.vstack([T, lines])), triangles_degenerate=3)


def test_zero_area_triangle_in_an_edge_is_closed_by_turning():
    """Edge 0-1 is cut at its middle on one side only; a triangle without area fills the slit."""
    middle = 0.5 * (P[0] + P[1])
    side = next(t for t in T.tolist() if {0, 1} <= set(t))
    k = next(k for k in range(3) if {side[k], side[(k + 1) % 3]} == {0, 1})
    a, b, c = side[k], side[(k + 1) % 3], side[(k + 2) % 3]
    others = [t for t in T.tolist() if t != side]
    cut = [[a, 8, c], [8, b, c], [a, b, 8]]
    mesh = surface_from_arrays(np.vstack([P, middle]), np.array(others + cut))
    assert mesh.is_closed and len(mesh.triangles) == 14 and len(mesh.vertices) == 9
    assert mesh.report.triangles_degenerate == 1 and mesh.report.edges_turned == 1
    assert mesh.triangle_areas.min() > 1e-4
    np.testing.assert_allclose(mesh.volume, 0.05**3)


def test_needles_are_counted_and_kept():
    needle = P.copy()
    mesh = surface_from_arrays(needle * [1, 1, 1e-4], T)
    assert mesh.report.needles == 8 and len(mesh.triangles) == 12
    assert mesh.report.lines() == ["8 needle triangles (height below 1/1000 of the longest side)"]


@pytest.mark.parametrize("inner_outward", [True, False])
def test_closed_shell_inside_a_body_is_a_cavity(inner_outward):
    inner = 0.5 * (P - 0.025) + 0.025
    mesh = surface_from_arrays(
        np.vstack([P, inner]), np.vstack([T, (T if inner_outward else T[:, ::-1]) + 8])
    )
    assert mesh.report.cavities == 1
    np.testing.assert_allclose(mesh.volume, 0.05**3 * (1 - 1 / 8))
    assert mesh.report.components_turned == int(inner_outward)


def test_body_inside_a_cavity_faces_outwards():
    shells = [s * (P - 0.025) for s in (1.0, 0.6, 0.3)]
    mesh = surface_from_arrays(np.vstack(shells), np.vstack([T, T + 8, T + 16]))
    np.testing.assert_allclose(mesh.volume, 0.05**3 * (1 - 0.6**3 + 0.3**3))


@pytest.mark.parametrize(
    "shift", [(0.05, 0.05, 0.0), (0.05, 0.0, 0.0), (0.05, 0.0125, 0.0125), (0.05, 0.05, 0.05)]
)
def test_touching_bodies_stay_separate(shift):
    """Along an edge, face to face, face to part of a face, corner to corner: touching is not crossing."""
    mesh = surface_from_arrays(np.vstack([P, P + shift]), np.vstack([T, T + 8]))
    assert mesh.report.components == 2
    np.testing.assert_allclose(mesh.volume, 2 * 0.05**3)


def test_stl_of_two_bodies_that_share_an_edge_is_refused(tmp_path):
    """Without indices the file does not say which of the four triangles belong together."""
    both = np.vstack([P, P + np.array([0.05, 0.05, 0.0])])
    with pytest.raises(MeshError, match="1 non-manifold edges"):
        load_mesh(write(tmp_path / "a.stl", text_stl(both, np.vstack([T, T + 8]))), size_range=None)


def test_intersections_of_two_triangles():
    flat = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    cases = {
        True: [
            [[0.2, 0.2, -1], [0.2, 0.2, 1], [5, 5, 1]],
            [[0.2, 0.2, 0.1], [0.3, 0.2, 0.1], [0.2, 0.3, -0.1]],
        ],
        False: [
            [[0.2, 0.2, 0], [0.2, 0.2, 1], [5, 5, 1]],  # rests on it with a corner
            [[0.2, 0.2, 1e-3], [0.3, 0.2, 1e-3], [0.2, 0.3, 1e-3]],  # just above it
            [[0.8, 0.8, -1], [0.8, 0.8, 1], [5, 5, 1]],  # inside its box, beside it
        ],
    }
    for crosses, others in cases.items():
        for other in others:
            for roll in range(3):
                points = np.vstack([flat, np.roll(other, roll, axis=0)])
                for order in ([[0, 1, 2], [3, 4, 5]], [[3, 4, 5], [0, 1, 2]], [[2, 1, 0], [5, 4, 3]]):
                    assert (len(self_intersections(points, np.array(order))) == 1) is crosses, other


def test_triangles_with_a_common_vertex_can_cross():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.3, -1], [0.5, 0.3, 1]])
    assert len(self_intersections(points, np.array([[0, 1, 2], [0, 3, 4]]))) == 1
    assert len(self_intersections(points * [1, 1, 0], np.array([[0, 1, 2], [0, 3, 4]]))) == 0
    points[3:, 1] = -0.3
    assert len(self_intersections(points, np.array([[0, 1, 2], [0, 3, 4]]))) == 0


def test_intersections_agree_with_ipctk():
    """An independent library, on spheres with vertices shaken from not at all crossing to crossing a lot."""
    ipctk = pytest.importorskip("ipctk")
    ball = sphere(0.03, 3)
    mesh = ipctk.CollisionMesh(ball.vertices, ipctk.edges(ball.triangles), ball.triangles)
    rng = np.random.default_rng(0)
    expected = []
    for size in np.linspace(1e-3, 8e-3, 40):
        points = ball.vertices + size * rng.normal(size=ball.vertices.shape)
        expected.append(ipctk.has_intersections(mesh, np.asfortranarray(points)))
        assert (len(self_intersections(points, ball.triangles)) > 0) == expected[-1]
    assert 5 < sum(expected) < 35


def test_fold_is_a_self_intersection():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.5, 0]], dtype=float)
    assert len(self_intersections(points, np.array([[0, 1, 2], [1, 0, 3]]))) == 1
    points[3] = [0.2, -0.5, 0]
    assert len(self_intersections(points, np.array([[0, 1, 2], [1, 0, 3]]))) == 0


def test_intersections_agree_with_testing_every_pair():
    """The sweep over boxes misses no pair: two bodies in random positions against all pairs one by one."""
    rng = np.random.default_rng(3)
    a, b = sphere(0.03, 2), box((0.05, 0.03, 0.02), 2)
    found = 0
    for _ in range(5):
        points = np.vstack([a.vertices, b.vertices + rng.uniform(-0.04, 0.04, 3)])
        triangles = np.vstack([a.triangles, b.triangles + len(a.vertices)])
        swept = {tuple(p) for p in self_intersections(points, triangles).tolist()}
        alone = set()
        for i in range(len(a.triangles)):
            pairs = np.array([[i, j] for j in range(len(a.triangles), len(triangles))])
            local = points[triangles[pairs]]
            hit = _side_pierces(local[:, 0], local[:, 1]) | _side_pierces(local[:, 1], local[:, 0])
            alone |= {tuple(p) for p in pairs[hit].tolist()}
        assert swept == alone
        found += len(alone)
    assert found > 50


def test_winding_number_tells_inside_from_outside():
    rabbit = bunny(0.08, coarse=True)
    corners = rabbit.vertices[rabbit.triangles]
    centroid, normal = corners.mean(axis=1), rabbit.triangle_normals
    np.testing.assert_allclose(winding_numbers(centroid[::50] - 1e-5 * normal[::50], corners), 1.0, atol=1e-9)
    np.testing.assert_allclose(winding_numbers(centroid[::50] + 1e-5 * normal[::50], corners), 0.0, atol=1e-9)
