# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tetrahedra cut from a lattice along a level set."""

import numpy as np
import pytest

from softcontact import mesh
from softcontact.mesh import implicit_shapes as shapes
from softcontact.mesh.check import check_surface

RADIUS = 0.03


def ball(points):
    return np.linalg.norm(points, axis=1) - RADIUS


def filled_ball(cell):
    return mesh.fill_level_set(ball, (-0.04,) * 3, (0.04,) * 3, cell, "ball")


def test_boundary_lies_on_the_zero_and_is_closed():
    body = filled_ball(0.008)
    surface, _ = body.surface()
    np.testing.assert_allclose(ball(surface.vertices), 0.0, atol=1e-9)
    found = check_surface(surface.vertices, surface.triangles, "ball")
    assert found["components"] == 1 and found["open_edges"] == 0
    assert surface.volume == pytest.approx(body.volume, rel=1e-12)
    assert body.quality.min() > 0.3


def test_volume_error_falls_with_the_square_of_the_cell():
    true = 4.0 / 3.0 * np.pi * RADIUS**3
    coarse, fine = (1.0 - filled_ball(cell).volume / true for cell in (0.012, 0.006))
    assert 0.0 < fine < coarse
    assert 3.0 < coarse / fine < 5.5


def test_two_runs_are_equal_bit_by_bit():
    first, second = mesh.liver(cell=0.02), mesh.liver(cell=0.02)
    assert first.nodes.tobytes() == second.nodes.tobytes()
    assert first.tetrahedra.tobytes() == second.tetrahedra.tobytes()


def test_crumbs_at_a_thin_tip_are_dropped_and_true_pieces_refused():
    def with_crumb(points):
        return np.minimum(ball(points), np.linalg.norm(points - (0.0, 0.0, 0.037), axis=1) - 0.003)

    surface, _ = mesh.fill_level_set(with_crumb, (-0.045,) * 3, (0.045,) * 3, 0.004).surface()
    assert surface.vertices[:, 2].max() < RADIUS + 1e-6

    def two(points):
        return np.minimum(ball(points), np.linalg.norm(points - (0.08, 0.0, 0.0), axis=1) - RADIUS)

    with pytest.raises(mesh.MeshError, match=r"falls into 2 pieces.*50 % of the volume"):
        mesh.fill_level_set(two, (-0.04,) * 3, (0.12, 0.04, 0.04), 0.008)


def test_a_shell_thinner_than_the_cells_is_refused():
    def shell(points):
        return np.abs(ball(points)) - 4e-4

    with pytest.raises(mesh.MeshError, match=r"(thinner than they are|falls into|touches itself)"):
        mesh.fill_level_set(shell, (-0.04,) * 3, (0.04,) * 3, 0.008)
    # With a node just inside, but all of its edges cut near it.
    with pytest.raises(mesh.MeshError, match="nothing is left of it in 8 mm cells"):
        mesh.fill_level_set(lambda p: ball(20.0 * p), (-0.04,) * 3, (0.04,) * 3, 0.008)


@pytest.mark.parametrize(
    ("half", "cell", "text"),
    [
        (0.03, 0.008, "reaches the border"),
        (0.5, 0.2, "no lattice node .* lies inside"),
        (0.04, -0.01, "cell must be"),
        (0.04, float("nan"), "cell must be"),
        (0.04, 1e-4, "make it larger"),
    ],
)
def test_what_cannot_be_filled_is_refused(half, cell, text):
    # The ball lies off the lattice's nodes, so that large cells miss it.
    def off(points):
        return ball(points - 0.25 * cell) if cell > 0.1 else ball(points)

    with pytest.raises(ValueError, match=text):
        mesh.fill_level_set(off, (-half,) * 3, (half,) * 3, cell)


def test_filled_surface_keeps_the_volume_and_refuses_a_hole():
    surface = mesh.cylinder(0.02, 0.06, 24, 4, 2)
    body = mesh.fill_surface(surface, 0.004)
    assert body.volume == pytest.approx(surface.volume, rel=0.02)
    np.testing.assert_allclose(body.bounds, surface.bounds, atol=1.5e-3)
    holed = mesh.SurfaceMesh(surface.vertices, surface.triangles[1:], "holed")
    with pytest.raises(mesh.MeshError, match="not closed"):
        mesh.fill_surface(holed, 0.004)


def test_ellipsoid_with_equal_radii_is_a_sphere():
    points = np.array([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.05, 0.0], [0.02, 0.02, 0.02]])
    np.testing.assert_allclose(shapes.ellipsoid(points, (0.0,) * 3, (RADIUS,) * 3), ball(points), atol=1e-12)


def test_union_and_difference_blend_only_near_the_seam():
    a, b = np.array([-1.0, -0.2, 0.3]), np.array([0.5, -0.2, 0.1])
    np.testing.assert_allclose(shapes.union(a, b, 0.4), [-1.0, -0.3, 0.075])
    np.testing.assert_allclose(shapes.difference(a, -a, 0.4), -shapes.union(-a, -a, 0.4))
