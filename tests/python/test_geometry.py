# SPDX-License-Identifier: LGPL-2.1-or-later
"""Closest points, signed distances, surfaces, mass properties and box pairs against independent answers."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact import _core

TINY = 1e-12
BOX_VERTICES = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
BOX_QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX_TRIANGLES = np.array([t for a, b, c, d in BOX_QUADS for t in ((a, b, c), (a, c, d))])


def ring(n, m, center, profile):
    """Closed surface of revolution about z: n steps around, m points of a closed profile (radius, z)."""
    turn = 2 * np.pi * np.arange(n) / n
    radius, z = profile(2 * np.pi * np.arange(m) / m)
    x = np.outer(np.cos(turn), center + radius)
    y = np.outer(np.sin(turn), center + radius)
    vertices = np.stack([x, y, np.broadcast_to(z, x.shape)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    a, b, c, d = ((i + u) % n * m + (j + v) % m for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return vertices, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def torus(n=40, m=20, major=0.05, minor=0.02):
    return ring(n, m, major, lambda w: (minor * np.cos(w), minor * np.sin(w)))


def sphere(n, radius=1.0):
    """Latitudes and longitudes, poles included."""
    theta = np.pi * np.arange(1, n) / n
    phi = np.pi * np.arange(2 * n) / n
    rings = np.stack(
        [
            np.outer(np.sin(theta), np.cos(phi)),
            np.outer(np.sin(theta), np.sin(phi)),
            np.outer(np.cos(theta), phi**0),
        ],
        axis=-1,
    ).reshape(-1, 3)
    vertices = radius * np.vstack([[0, 0, 1], [0, 0, -1], rings])
    triangles = []
    for j in range(2 * n):
        k = (j + 1) % (2 * n)
        bottom = 2 + (n - 2) * 2 * n
        triangles += [(0, 2 + j, 2 + k), (1, bottom + k, bottom + j)]
        for i in range(n - 2):
            a, b = 2 + i * 2 * n, 2 + (i + 1) * 2 * n
            triangles += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
    return vertices, np.array(triangles)


def distance_to_segment(query, a, b):
    length2 = np.dot(b - a, b - a)
    t = np.clip(np.dot(query - a, b - a) / length2, 0, 1) if length2 > 0 else 0.0
    return np.linalg.norm(query - a - t * (b - a))


# ---- kernels


@pytest.mark.parametrize("z", [0, -TINY, 1, 10])
def test_point_triangle_across_every_boundary_of_its_regions(z):
    """Right triangle (0, 0), (1, 0), (0, 1): the nearest point in closed form, region by region."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    grid = [-10, -TINY, 0, TINY, 0.25, 0.75, 1 - TINY, 1, 1 + TINY, 10]
    for x, y in itertools.product(grid, grid):
        if x + y <= 1:
            nearest = np.clip([x, y], 0, 1)
        else:
            t = np.clip((1 + y - x) / 2, 0, 1)
            nearest = np.array([1 - t, t])
        expected = np.hypot(np.hypot(*(np.array([x, y]) - nearest)), z)
        for order in ([0, 1, 2], [1, 2, 0], [2, 1, 0]):
            distance, point, weights, _, _ = _core.closest_point_on_triangle([x, y, z], *corners[order])
            assert distance == pytest.approx(expected, rel=1e-14, abs=1e-15)
            assert np.abs(point[:2] - nearest).max() < 1e-14
            assert np.abs(weights @ corners[order] - point).max() < 1e-15
            assert weights.min() >= 0
            assert weights.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("query", "feature", "index"),
    [
        ((0.2, 0.2, 1), "face", 0),
        ((0.5, -1, 1), "edge", 0),
        ((1, 1, 0), "edge", 1),
        ((-1, 0.5, -1), "edge", 2),
        ((-1, -1, 0), "vertex", 0),
        ((3, 0, 1), "vertex", 1),
        ((0, 3, 0), "vertex", 2),
    ],
)
def test_point_triangle_names_the_feature(query, feature, index):
    assert _core.closest_point_on_triangle(query, [0, 0, 0], [1, 0, 0], [0, 1, 0])[3:] == (feature, index)


def test_point_triangle_against_ipctk():
    ipctk = pytest.importorskip("ipctk")
    rng = np.random.default_rng(1)
    for _ in range(2000):
        query, a, b, c = rng.normal(size=(4, 3)) * 10.0 ** rng.integers(-3, 2)
        squared = ipctk.point_triangle_distance(query, a, b, c)
        distance = _core.closest_point_on_triangle(query, a, b, c)[0]
        assert distance == pytest.approx(np.sqrt(squared), rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("flatness", [0.0, 1e-300, 1e-18, 1e-13, 1e-9, 1e-5])
def test_needles_and_flat_triangles_reduce_to_their_edges(flatness):
    rng = np.random.default_rng(2)
    shapes = [([0, 0, 0], [1, 0, 0], [0.3, flatness, 0]), ([0, 0, 0], [1, 0, 0], [1, flatness, 0])]
    shapes += [([0, 0, 0], [flatness, 0, 0], [0, flatness, 0])]
    for shape in shapes:
        corners = Rotation.random(rng=rng).apply(np.array(shape, float)) + 1  # collinear but for round-off
        for query in rng.normal(size=(50, 3)):
            distance, point, weights, _, _ = _core.closest_point_on_triangle(query, *corners)
            edges = min(distance_to_segment(query, corners[k], corners[(k + 1) % 3]) for k in range(3))
            assert distance <= edges + 1e-15
            assert distance >= edges - 2 * flatness - 1e-15
            np.testing.assert_allclose(weights @ corners, point, atol=1e-15)


def brute_force_segments(a0, a1, b0, b1):
    """The four ends, and the minimiser of the lines' distance where it lies inside both."""
    best = min(distance_to_segment(p, b0, b1) for p in (a0, a1))
    best = min(best, *(distance_to_segment(p, a0, a1) for p in (b0, b1)))
    basis = np.column_stack([a1 - a0, b0 - b1])
    if np.linalg.matrix_rank(basis) == 2:
        s, t = np.linalg.lstsq(basis, b0 - a0, rcond=None)[0]
        if 0 < s < 1 and 0 < t < 1:
            best = min(best, np.linalg.norm(a0 + s * (a1 - a0) - b0 - t * (b1 - b0)))
    return best


@pytest.mark.parametrize("lift", [0, TINY, 1, 10])
@pytest.mark.parametrize("tilt", [0, TINY, 1e-8, 1e-4, 0.5, 1])
def test_segments_from_parallel_to_crossing(lift, tilt):
    a0, a1 = np.array([0, 0, 0.0]), np.array([1, 0, 0.0])
    for shift, length in itertools.product(
        (-10, -1, -0.5, -TINY, 0, TINY, 0.5, 1, 1 + TINY, 10), (0, 0.5, 1, 3)
    ):
        b0 = np.array([shift, -tilt / 2, lift])
        b1 = b0 + np.array([length, tilt, 0])
        distance, s, t, first, second = _core.closest_points_of_segments(a0, a1, b0, b1)
        assert distance == pytest.approx(brute_force_segments(a0, a1, b0, b1), abs=1e-14)
        assert 0 <= s <= 1
        assert 0 <= t <= 1
        np.testing.assert_allclose(first, a0 + s * (a1 - a0), atol=1e-15)
        np.testing.assert_allclose(second, b0 + t * (b1 - b0), atol=1e-15)
        assert np.linalg.norm(first - second) == pytest.approx(distance, abs=1e-15)


def test_segments_against_ipctk():
    ipctk = pytest.importorskip("ipctk")
    rng = np.random.default_rng(3)
    for _ in range(2000):
        ends = rng.normal(size=(4, 3)) * 10.0 ** rng.integers(-3, 2)
        squared = ipctk.edge_edge_distance(*ends)
        assert _core.closest_points_of_segments(*ends)[0] == pytest.approx(
            np.sqrt(squared), rel=1e-7, abs=1e-14
        )


# ---- signed distance


def test_signed_distance_of_a_box_is_its_closed_form():
    surface = _core.Surface(BOX_VERTICES, BOX_TRIANGLES)
    assert surface.is_closed
    grid = [-2, -TINY, 0, TINY, 0.3, 0.5, 1 - TINY, 1, 1 + TINY, 3]
    queries = np.array(list(itertools.product(grid, repeat=3)))
    distance, nearest, normal, triangle = surface.signed_distance(queries)
    beyond = np.maximum(-queries, queries - 1)
    expected = np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)
    np.testing.assert_allclose(distance, expected, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(queries - nearest, distance[:, None] * normal, atol=3e-12)
    assert triangle.min() >= 0
    touching = np.abs(expected) < 1e-13
    outward = np.sign(queries - 0.5) * (np.abs(queries - 0.5) > 0.4)  # of the feature the query is on
    assert np.all(np.einsum("ij,ij->i", normal, outward)[touching] > 0)


def test_signed_distance_of_a_sphere_mesh_lies_within_its_sagitta():
    vertices, triangles = sphere(24, 2.0)
    surface = _core.Surface(vertices, triangles)
    queries = np.random.default_rng(4).uniform(-3, 3, (500, 3))
    exact = np.linalg.norm(queries, axis=1) - 2.0
    error = surface.signed_distance(queries)[0] - exact
    sagitta = 2.0 * (1 - np.cos(np.pi / 24 / np.sqrt(2)) ** 2) * 1.5
    assert error.min() > -1e-12
    assert 0 < error.max() < sagitta


@pytest.mark.parametrize("mesh", [torus(), torus(7, 5), sphere(6), (BOX_VERTICES, BOX_TRIANGLES)])
def test_signed_distance_against_libigl(mesh):
    igl = pytest.importorskip("igl")
    vertices, triangles = mesh
    size = np.ptp(vertices, axis=0).max()
    rng = np.random.default_rng(5)
    queries = np.vstack([rng.uniform(-size, size, (1500, 3)), vertices * 1.001, vertices * 0.999])
    expected = igl.signed_distance(queries, vertices, triangles.astype(np.int64))[0]
    distance, nearest, _, _ = _core.Surface(vertices, triangles).signed_distance(queries)
    np.testing.assert_allclose(distance, expected, atol=1e-13 * size)
    np.testing.assert_allclose(np.linalg.norm(queries - nearest, axis=1), np.abs(expected), atol=1e-13 * size)


def test_tree_search_is_the_brute_force_search():
    vertices, triangles = torus(24, 12)
    surface = _core.Surface(vertices, triangles)
    queries = np.random.default_rng(6).uniform(-0.08, 0.08, (60, 3))
    distance, nearest, _, found = surface.signed_distance(queries)
    for i, query in enumerate(queries):
        all_distances = np.array([_core.closest_point_on_triangle(query, *vertices[t])[0] for t in triangles])
        assert abs(distance[i]) == all_distances.min()
        assert all_distances[found[i]] == all_distances.min()
        assert np.linalg.norm(query - nearest[i]) == pytest.approx(all_distances.min(), abs=1e-16)
    limit = np.median(np.abs(distance))
    cut, _, normals, cut_triangle = surface.signed_distance(queries, max_distance=limit)
    np.testing.assert_array_equal(cut_triangle >= 0, np.abs(distance) <= limit)
    np.testing.assert_array_equal(cut[cut_triangle >= 0], distance[cut_triangle >= 0])
    assert np.all(np.isnan(cut[cut_triangle < 0]))
    assert np.all(np.isnan(normals[cut_triangle < 0]))


def test_the_lowest_of_equally_near_triangles_wins():
    rng = np.random.default_rng(12)
    center = [[0.5, 0.5, 0.5]]  # exactly as far from all 12
    for _ in range(5):
        surface = _core.Surface(BOX_VERTICES, BOX_TRIANGLES[rng.permutation(12)])
        distance, _, _, triangle = surface.signed_distance(center)
        assert (distance[0], triangle[0]) == (-0.5, 0)


def test_pose_moves_the_distance_field_along():
    vertices, triangles = torus()
    surface = _core.Surface(vertices, triangles)
    queries = np.random.default_rng(7).uniform(-0.08, 0.08, (200, 3))
    still = surface.signed_distance(queries)
    turn, shift = Rotation.from_rotvec([0.3, -1.0, 2.0]), np.array([0.1, 5.0, -2.0])
    surface.set_pose(shift, turn.as_quat())
    moved = surface.signed_distance(turn.apply(queries) + shift)
    np.testing.assert_allclose(moved[0], still[0], atol=1e-14)
    np.testing.assert_allclose(moved[1], turn.apply(still[1]) + shift, atol=1e-14)
    np.testing.assert_allclose(moved[2], turn.apply(still[2]), atol=1e-9)
    world = turn.apply(vertices) + shift
    np.testing.assert_allclose(surface.world_vertices(), world, atol=1e-15)
    lower, upper = surface.world_box()
    assert np.all(lower <= world.min(axis=0) + 1e-12)
    assert np.all(upper >= world.max(axis=0) - 1e-12)


# ---- surfaces


def test_refit_after_a_deformation_is_a_rebuild():
    vertices, triangles = torus()
    deformed = vertices @ np.array([[1, 0.4, 0], [0, 0.7, 0.2], [0, 0, 1.5]]) + 0.01 * np.sin(
        80 * vertices[:, ::-1]
    )
    refitted, rebuilt = _core.Surface(vertices, triangles), _core.Surface(deformed, triangles)
    refitted.update(deformed)
    queries = np.random.default_rng(8).uniform(-0.1, 0.1, (300, 3))
    for one, other in zip(refitted.signed_distance(queries), rebuilt.signed_distance(queries), strict=True):
        np.testing.assert_array_equal(one, other)
    for name in ("face_normals", "vertex_normals", "edge_normals", "vertex_areas", "sharp_edges"):
        np.testing.assert_array_equal(getattr(refitted, name), getattr(rebuilt, name))
    assert not np.array_equal(refitted.vertex_areas, _core.Surface(vertices, triangles).vertex_areas)


def test_normals_and_areas_of_a_box():
    surface = _core.Surface(BOX_VERTICES, BOX_TRIANGLES)
    np.testing.assert_allclose(surface.vertex_normals, (2 * BOX_VERTICES - 1) / np.sqrt(3), atol=1e-15)
    assert surface.vertex_areas.sum() == pytest.approx(6)
    assert surface.edge_count == 18
    ends = BOX_VERTICES[surface.edges]
    is_box_edge = np.isclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 1)
    np.testing.assert_array_equal(surface.sharp_edges, np.flatnonzero(is_box_edge))  # not the 6 diagonals
    middle = ends.mean(axis=1) - 0.5
    outward = middle / np.linalg.norm(middle, axis=1)[:, None]
    np.testing.assert_allclose(surface.edge_normals, outward, atol=1e-15)


def test_concave_edges_are_not_sharp():
    folded = np.array([[0, 0, 0], [0, 1, 0], [1, 0.5, 0], [-0.1, 0.5, 1.0]])
    triangles = np.array([[0, 2, 1], [0, 1, 3]])
    ridge, valley = (_core.Surface(folded, t) for t in (triangles[:, ::-1], triangles))
    edge = np.flatnonzero(np.all(ridge.edges == [0, 1], axis=1))[0]
    assert (edge in ridge.sharp_edges, edge in valley.sharp_edges) == (True, False)
    assert not ridge.is_closed


def test_triangles_of_no_area_leave_everything_finite():
    vertices, triangles = sphere(5)
    # A cap and a needle: a new vertex in the middle of an edge, and one on top of a corner.
    a, b, c = triangles[0]
    vertices = np.vstack([vertices, (vertices[a] + vertices[b]) / 2, vertices[c], [5, 5, 5]])
    n = len(vertices) - 3
    triangles = np.vstack([triangles, [[a, n, b], [c, n + 1, a]]])
    surface = _core.Surface(vertices, triangles)
    for name in ("face_normals", "vertex_normals", "edge_normals", "vertex_areas"):
        assert np.all(np.isfinite(getattr(surface, name))), name
    assert np.all(surface.vertex_normals[n + 2] == 0)  # no triangle touches that vertex
    queries = np.vstack([vertices[:-1], np.random.default_rng(9).uniform(-2, 2, (200, 3))])
    for values in surface.signed_distance(queries):
        assert np.all(np.isfinite(values))
    squashed = _core.Surface(*sphere(5))
    squashed.update(np.zeros((len(vertices) - 3, 3)))
    distance, _, normal, _ = squashed.signed_distance([[1.0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(distance, [1, 0])
    np.testing.assert_array_equal(normal[0], [1, 0, 0])
    assert np.all(np.isfinite(normal))


# ---- mass properties and broad phase


def test_mass_properties_of_a_turned_box():
    size, turn, shift = np.array([0.2, 0.5, 0.3]), Rotation.from_rotvec([1.0, 0.5, -2.0]), [10.0, -3.0, 0.5]
    # A vertex more in the first face puts the mean of the vertices off the centre of mass.
    fan = [(a, b, 8) for a, b in itertools.pairwise([*BOX_QUADS[0], BOX_QUADS[0][0]])]
    corners = np.vstack([BOX_VERTICES, BOX_VERTICES[list(BOX_QUADS[0])].mean(axis=0)])
    vertices = turn.apply((corners - 0.5) * size) + shift
    volume, com, inertia = _core.mass_properties(vertices, np.vstack([BOX_TRIANGLES[2:], fan]))
    squares = size**2
    principal = size.prod() / 12 * np.diag(squares.sum() - squares)
    assert volume == pytest.approx(size.prod(), rel=1e-12)
    np.testing.assert_allclose(com, shift, rtol=1e-13)
    np.testing.assert_allclose(inertia, turn.as_matrix() @ principal @ turn.as_matrix().T, atol=1e-14)


def test_mass_properties_of_spheres_converge_at_second_order():
    errors = []
    for n in (16, 32):
        volume, com, inertia = _core.mass_properties(*sphere(n, 2.0))
        np.testing.assert_allclose(com, 0, atol=1e-13)
        exact = 4 / 3 * np.pi * 8
        errors.append([1 - volume / exact, *(1 - np.diag(inertia) / (0.4 * exact * 4))])
    np.testing.assert_allclose(np.divide(*errors), 4, rtol=0.02)
    assert np.all(np.array(errors[1]) < 0.02)


def test_box_pairs_are_all_pairs_that_overlap():
    rng = np.random.default_rng(10)
    for count in (1, 2, 40):
        lower = rng.uniform(0, 1, (count, 3))
        upper = lower + rng.uniform(0, 0.4, (count, 3))
        excluded = [(7, 3), (2, 5)] if count > 7 else []
        for margin in (0.0, 0.1):
            expected = [
                (i, j)
                for i, j in itertools.combinations(range(count), 2)
                if np.all(lower[i] - margin <= upper[j])
                and np.all(lower[j] - margin <= upper[i])
                and (j, i) not in excluded
                and (i, j) not in excluded
            ]
            assert _core.find_box_pairs(lower, upper, margin, excluded) == expected
    touching = _core.find_box_pairs([[0, 0, 0], [1, 0, 0]], [[1, 1, 1], [2, 1, 1]])
    assert touching == [(0, 1)]


# ---- refusals


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        (BOX_VERTICES[:, :2], BOX_TRIANGLES, r"vertices: shape \(8, 2\)"),
        (np.where(BOX_VERTICES > 2, 0, np.nan), BOX_TRIANGLES, "vertices: holds NaN"),
        (BOX_VERTICES, np.zeros((0, 3), int), "triangles: none"),
        (BOX_VERTICES, [[0, 1, 8]], "names vertex 8"),
        (BOX_VERTICES, [[0, -1, 2]], "names vertex -1"),
        (BOX_VERTICES, [[0, 1, 2], [3, 4, 3]], "triangle 1 names a vertex twice"),
        (BOX_VERTICES, [[0.0, 1.0, 2.0]], "float64, must be integers"),
        (BOX_VERTICES, [[0, 1, 2, 3]], r"triangles: shape \(1, 4\)"),
    ],
)
def test_bad_meshes_are_refused_by_name(vertices, triangles, message):
    with pytest.raises(ValueError, match=message):
        _core.Surface(vertices, np.array(triangles))


def test_other_bad_arguments_are_refused():
    surface = _core.Surface(BOX_VERTICES, BOX_TRIANGLES)
    with pytest.raises(ValueError, match="7 given, but the surface has 8"):
        surface.update(BOX_VERTICES[:7])
    with pytest.raises(ValueError, match="orientation"):
        surface.set_pose([0, 0, 0], [0, 0, 0, 0])
    with pytest.raises(ValueError, match="max_distance"):
        surface.signed_distance(BOX_VERTICES, max_distance=float("nan"))
    with pytest.raises(ValueError, match="not closed"):
        _core.mass_properties(BOX_VERTICES, BOX_TRIANGLES[1:])
    with pytest.raises(ValueError, match="volume -1"):
        _core.mass_properties(BOX_VERTICES, BOX_TRIANGLES[:, ::-1])
