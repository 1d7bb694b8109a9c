# SPDX-License-Identifier: LGPL-2.1-or-later
"""A new surface around one that is open, crosses itself, or is a pile of triangles."""

from __future__ import annotations

import numpy as np
import pytest
from mesh_files import write
from typer.testing import CliRunner

from softcontact import mesh
from softcontact.cli.mesh import app
from softcontact.mesh import MeshError, SurfaceMesh, wrap_surface
from softcontact.mesh.check import check_surface
from softcontact.mesh.topology import edge_table

RADIUS, CELL = 0.03, 0.006
BALL = mesh.sphere(RADIUS, 12)


def distance_to_ball(body):
    surface, _ = body.surface()
    check_surface(surface.vertices, surface.triangles, "wrapped")
    return np.linalg.norm(surface.vertices, axis=1) - RADIUS


def hole(angle):
    """The ball without a cap of an angle [rad] around its pole."""
    centre = BALL.vertices[BALL.triangles].mean(axis=1)
    cap = centre[:, 2] > np.cos(angle) * np.linalg.norm(centre, axis=1)
    return SurfaceMesh(BALL.vertices, BALL.triangles[~cap], "holed")


def test_a_closed_ball_keeps_its_place():
    body, report = wrap_surface(BALL, CELL)
    assert np.abs(distance_to_ball(body)).max() < 0.1 * CELL
    assert (report.parts, report.open_edges, report.nonmanifold_edges, report.crossings) == (1, 0, 0, 0)
    assert report.distance_max < 0.1 * CELL and report.uncovered == 0.0
    assert report.text().startswith("no defect; a new surface")


def test_a_hole_narrower_than_the_gap_is_bridged_and_a_wider_one_refused():
    wide = 2.0 * RADIUS * np.sin(0.3)
    holed = hole(0.3)
    body, report = wrap_surface(holed, CELL, gap=1.2 * wide)
    distance = distance_to_ball(body)
    edges = edge_table(holed.triangles)
    rim = holed.vertices[np.unique(edges.vertices[edges.open_edges])]
    ball = 0.6 * wide  # as far as a ball of half the gap dips into the hole, but no farther
    dip = RADIUS - (rim[:, 2].mean() + np.sqrt(ball**2 - np.hypot(*rim.T[:2]).mean() ** 2) - ball)
    assert -1.1 * dip < distance.min() < -0.6 * dip
    assert distance.max() < 0.1 * CELL
    assert report.open_edges > 15 and f"{report.open_edges} open edges" in report.text()
    assert report.distance_max > 0.005  # the lid's middle from the rim
    with pytest.raises(MeshError, match=r"it encloses nothing thicker than 6 mm .* up to 9\.75 mm"):
        wrap_surface(holed, CELL, gap=0.55 * wide)


def test_winding_and_doubled_triangles_do_not_matter():
    generator = np.random.default_rng(3)
    triangles = np.concatenate([BALL.triangles, BALL.triangles[::5]])
    turned = generator.random(len(triangles)) < 0.5
    triangles[turned] = triangles[turned][:, ::-1]
    soup = SurfaceMesh(BALL.vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    body, report = wrap_surface(soup, CELL)
    assert np.abs(distance_to_ball(body)).max() < 0.1 * CELL
    assert report.parts == len(triangles)


def test_crossing_parts_become_one_body_without_inner_walls():
    shift = np.array([0.024, 0.005, 0.003])
    second = BALL.vertices + shift
    pile = SurfaceMesh(
        np.concatenate([BALL.vertices, second]),
        np.concatenate([BALL.triangles, BALL.triangles + len(BALL.vertices)]),
    )
    body, report = wrap_surface(pile, CELL)
    half = 0.5 * np.linalg.norm(shift)
    lens = 2.0 * np.pi * (2.0 / 3.0 * RADIUS**3 - RADIUS**2 * half + half**3 / 3.0)
    true = 2.0 * 4.0 / 3.0 * np.pi * RADIUS**3 - lens
    assert body.volume == pytest.approx(true, rel=0.03)
    assert report.parts == 2 and report.crossings > 20
    assert 0.15 < report.uncovered < 0.5  # the walls inside


def test_sheets_that_hang_off_a_body_are_left_out():
    sheet = np.array([[0.0, 0.0, 0.0], [0.07, 0.0, 0.0], [0.0, 0.0, 0.07]])
    flap = SurfaceMesh(
        np.concatenate([BALL.vertices, sheet]),
        np.concatenate([BALL.triangles, [len(BALL.vertices) + np.arange(3)]]),
    )
    body, report = wrap_surface(flap, CELL)
    assert distance_to_ball(body).max() < 0.5 * CELL
    assert report.uncovered > 0.1


def test_two_runs_are_equal_and_bad_sizes_refused():
    first, second = (wrap_surface(hole(0.1), CELL)[0] for _ in range(2))
    assert first.nodes.tobytes() == second.nodes.tobytes()
    for cell, gap, text in ((0.0, None, "cell"), (CELL, np.nan, "gap"), (CELL, 1e-6, "more than 30000000")):
        with pytest.raises(ValueError, match=text):
            wrap_surface(BALL, cell, gap)


def test_command_writes_surface_or_tetrahedra_and_says_what_was_done(tmp_path):
    surface = hole(0.2)
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in 1000.0 * surface.vertices]
    lines += ["f {} {} {}".format(*(t + 1)) for t in surface.triangles]
    source = write(tmp_path / "a.obj", "\n".join(lines) + "\n")
    words = ["wrap", str(source), "--unit", "mm", "--gap", "0.014", "--cell", "0.006"]
    result = CliRunner().invoke(app, [*words, str(tmp_path / "o.stl")], env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    assert "open edges" in result.output and "gaps up to 14 mm" in result.output
    assert mesh.load_mesh(tmp_path / "o.stl").is_closed
    assert CliRunner().invoke(app, [*words, str(tmp_path / "o.vtu")]).exit_code == 0
    assert mesh.load_tetrahedra(tmp_path / "o.vtu").volume == pytest.approx(1.1e-4, rel=0.05)
    assert "written as .vtu, .vtk" in CliRunner().invoke(app, [*words, str(tmp_path / "o.xyz")]).stderr
