# SPDX-License-Identifier: LGPL-2.1-or-later
"""The distance field of a vademecum: against closed forms and exact queries, outside its grid, in its file."""

import numpy as np
import pytest
from small_vademecum import NODES, mesh, small

from softcontact import _core
from softcontact.vademecum import Vademecum

HALF = np.array([0.12, 0.02, 0.02])  # of the beam at rest
CENTRE = np.array([0.12, 0.0, 0.0])


@pytest.fixture(scope="module")
def made():
    return small().with_distance((42, 18, 40), sizes=(0.0, 1.0))


def box_distance(points):
    """Signed distance of the beam at rest."""
    beyond = np.abs(points - CENTRE) - HALF
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def grid_points(field):
    axes = [
        o + h * np.arange(n)
        for o, h, n in zip(field.origin, field.spacing, field.values.shape[2:], strict=True)
    ]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def deformed(made, case, scale=1.0):
    return _core.Surface(made.mesh.nodes + made.solution.displacement(case, scale), made.mesh.boundary[1])


def random_points(field, count, seed):
    high = field.origin + field.spacing * (np.array(field.values.shape[2:]) - 1)
    return np.random.default_rng(seed).uniform(field.origin, high, (count, 3))


def test_without_load_it_is_the_distance_to_the_box(made):
    points = grid_points(made.distance_field)
    for node in (NODES[0], NODES[-1]):
        np.testing.assert_allclose(
            made.distance(points, node, 0.0, method="trilinear"), box_distance(points), atol=1e-8
        )


def test_between_grid_points_it_is_near_the_exact_distance(made):
    field = made.distance_field
    diagonal = np.linalg.norm(field.spacing)
    for position, node in enumerate(NODES):
        points = random_points(field, 5000, position)
        exact = deformed(made, position).signed_distance(points)[0]
        found = made.distance(points, node, method="trilinear")
        wrong = np.abs(found - exact)
        assert wrong.max() < 0.5 * diagonal
        assert np.quantile(wrong, 0.98) < 0.15 * diagonal
        clear = np.abs(exact) > 0.25 * diagonal
        assert clear.sum() > 4000
        np.testing.assert_array_equal(np.sign(found[clear]), np.sign(exact[clear]))


def test_every_deformed_state_lies_inside_the_grid(made):
    field = made.distance_field
    high = field.origin + field.spacing * (np.array(field.values.shape[2:]) - 1)
    for case in range(made.cases.count):
        moved = made.mesh.nodes + made.solution.displacement(case, 1.0)
        assert (moved > field.origin + 1.9 * field.spacing).all()
        assert (moved < high - 1.9 * field.spacing).all()


def test_points_outside_the_grid_and_no_points_have_defined_answers(made):
    field = made.distance_field
    far = CENTRE + np.array([[1.0, 0.0, 0.0], [0.0, -2.0, 0.3], [-0.5, 0.4, 0.6]])
    exact = deformed(made, 0).signed_distance(far)[0]
    found = made.distance(far, NODES[0], method="trilinear")
    assert (found >= exact - 0.2 * np.linalg.norm(field.spacing)).all() and (found < 1.5 * exact).all()
    wrong = np.array([[np.nan, 0.0, 0.0], [0.1, np.inf, 0.0], [0.1, 0.0, 0.0]])
    for method in ("exact", "trilinear"):
        assert np.isnan(made.distance(wrong, NODES[0], method=method)).tolist() == [True, True, False]
        assert made.contacts(wrong, NODES[0], method=method)[0].tolist() == [2]
        assert made.distance(np.empty((0, 3)), NODES[0], method=method).shape == (0,)
    # across the border it does not jump
    edge = field.origin + np.array([0.0, 3.3, 4.1]) * field.spacing
    near = edge + np.array([[-1e-9, 0.0, 0.0], [1e-9, 0.0, 0.0]])
    assert abs(np.diff(made.distance(near, NODES[0], method="trilinear"))[0]) < 1e-8


def test_contacts_are_the_points_inside_with_their_depths_and_normals(made):
    node, case = NODES[-1], len(NODES) - 1
    shell = random_points(made.distance_field, 4000, 9)
    indices, depths, normals = made.contacts(shell, node, method="trilinear")
    distances = made.distance(shell, node, method="trilinear")
    np.testing.assert_array_equal(indices, np.flatnonzero(distances < 0.0))
    np.testing.assert_array_equal(depths, -distances[indices])
    assert len(indices) > 100
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    _, _, exact, _ = deformed(made, case).signed_distance(shell[indices])
    assert np.median(np.sum(normals * exact, axis=1)) > 0.99
    # the gradient: a small step along the normal lessens the depth by its length
    step = 1e-7
    ahead = made.distance(shell[indices] + step * normals, node, method="trilinear")
    slopes = (ahead + depths) / step
    assert np.quantile(np.abs(slopes - 1.0), 0.5) < 0.05


def test_the_file_keeps_it_and_what_is_not_there_is_refused(made, tmp_path):
    path = tmp_path / "small.h5"
    made.save(path)
    read = Vademecum.load(path, mesh())
    points = random_points(made.distance_field, 50, 4)
    for method in ("exact", "trilinear"):
        np.testing.assert_array_equal(
            read.distance(points, 27, 1.0, 1, method=method), made.distance(points, 27, 1.0, 1, method=method)
        )
    assert read.distance_field.values.dtype == np.float32
    with pytest.raises(ValueError, match=r"scale: 0\.5 is not tabulated, only 0, 1"):
        made.distance(points, 27, 0.5, method="trilinear")
    for scale in (np.nan, np.inf):
        for method in ("exact", "trilinear", "nearest", "blend"):
            with pytest.raises(ValueError, match=r"expected (a )?finite"):
                made.distance(points, 27, scale, method=method)
    with pytest.raises(ValueError, match="no distance field"):
        small().distance(points, 27, method="trilinear")
    with pytest.raises(
        ValueError, match="method: 'linear', expected one of exact, trilinear, nearest, blend"
    ):
        made.distance(points, 27, method="linear")
    with pytest.raises(ValueError, match="clamped"):
        made.distance(points, 0)
    with pytest.raises(ValueError, match=r"points: shape \(3,\)"):
        made.distance(points[0], 27)
    for wrong, said in (
        ({"counts": (42, 18, 5)}, "counts"),
        ({"counts": (8, 8, 8), "sizes": (0.5, 0.5)}, "growing"),
        ({"counts": (8, 8, 8), "sizes": (0.5, 1.5)}, "shares"),
        ({"counts": (8, 8, 8), "margin": -1.0}, "margin"),
        ({"counts": (8, 8, 8), "threads": 0}, "threads"),
    ):
        with pytest.raises(ValueError, match=said):
            small().with_distance(**wrong)


def test_the_tables_do_not_depend_on_the_number_of_threads(made):
    told = []
    more = small().with_distance(
        (42, 18, 40), sizes=(0.0, 1.0), threads=3, tell=lambda done, total: told.append((done, total))
    )
    np.testing.assert_array_equal(more.distance_field.values, made.distance_field.values)
    assert told == [(12, 24), (24, 24)]


def test_between_tabulated_sizes_the_nearest_or_both_are_taken(made):
    points = random_points(made.distance_field, 3000, 8)
    none, full = (made.distance(points, 27, size, method="trilinear") for size in (0.0, 1.0))
    np.testing.assert_array_equal(made.distance(points, 27, 0.3, method="nearest"), none)
    np.testing.assert_array_equal(made.distance(points, 27, 0.7, method="nearest"), full)
    mixed = made.distance(points, 27, 0.3, method="blend")
    np.testing.assert_allclose(mixed, 0.7 * none + 0.3 * full, atol=1e-12)
    indices, depths, _ = made.contacts(points, 27, 0.3, method="blend")
    np.testing.assert_array_equal(indices, np.flatnonzero(mixed < 0.0))
    np.testing.assert_array_equal(depths, -mixed[indices])
    for size, known in ((0.0, none), (1.0, full), (-0.2, none), (1.2, full)):
        np.testing.assert_allclose(made.distance(points, 27, size, method="blend"), known, atol=1e-12)
