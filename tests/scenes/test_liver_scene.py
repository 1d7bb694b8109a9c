# SPDX-License-Identifier: LGPL-2.1-or-later
"""A probe presses a liver made in code, or an organ from a file."""

import numpy as np
import pytest

from softcontact import mesh
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.runner import run
from softcontact.scene import SceneError, SceneWarning
from softcontact.scene.library import load

QUICK = {"resolution": 10, "time_step": 0.02, "speed": 0.06, "drag": 0.01}


def write_obj(path, surface, factor=1.0):
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in factor * surface.vertices]
    lines += ["f {} {} {}".format(*(t + 1)) for t in surface.triangles]
    path.write_text("\n".join(lines) + "\n")
    return path


def organ_surface():
    ball = mesh.sphere(0.05, 8)
    return mesh.SurfaceMesh(ball.vertices * (1.4, 1.0, 0.6), ball.triangles, "organ")


def test_every_check_holds_on_the_liver_made_in_code():
    result = run(load("liver", QUICK), record=False, replay=False, progress=False)
    assert result.exit_code == 0, (result.message, result.checks)
    force = result.history.devices["probe"]["force"]
    assert 0.3 < force[:, 2].max() < 5.0


def test_an_organ_from_a_file_is_filled_placed_and_pressed(tmp_path):
    path = write_obj(tmp_path / "organ.obj", organ_surface(), 1000.0)
    scene = load("liver", {**QUICK, "mesh": str(path), "unit": "mm"})
    nodes = np.array(scene.bodies[0].shape.nodes)
    np.testing.assert_allclose(np.ptp(nodes, axis=0), (0.14, 0.1, 0.06), rtol=0.05)
    assert nodes[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    engine = EmbeddedEngine(scene)
    while engine.time < 0.45:
        engine.step()
    assert engine.device_load("probe")["force"][2] > 0.1


def test_tetrahedra_from_a_file_are_taken_as_they_are(tmp_path):
    ball = mesh.tetrahedral_ball(0.05, 4)
    ball.save(tmp_path / "organ.vtu")
    given = {"mesh": str(tmp_path / "organ.vtu")}
    assert len(load("liver", given).bodies[0].shape.tetrahedra) == len(ball.tetrahedra)
    for name, value in {"resolution": 10, "wrap": "always", "gap": 0.01}.items():
        with pytest.raises(SceneError, match=f"^{name}: no effect on .*organ.vtu, .*; leave it out"):
            load("liver", {**given, name: value})


def test_a_surface_with_holes_is_wrapped_and_the_run_says_so(tmp_path):
    surface = organ_surface()
    holed = write_obj(
        tmp_path / "holed.obj", mesh.SurfaceMesh(surface.vertices, surface.triangles[5:], "holed")
    )
    with pytest.warns(SceneWarning, match=r"holed.obj: 7 open edges; a new surface was laid around it"):
        scene = load("liver", {**QUICK, "mesh": str(holed)})
    (note,) = scene.notes
    assert "bridges gaps up to 14 mm" in note and "hollows inside are filled" in note
    result = run(scene, steps=2, out=tmp_path / "run", replay=False, progress=False)
    assert result.summary["notes"] == [note]
    assert note in (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    whole = mesh.fill_surface(surface, 0.014)
    nodes, tetrahedra = (np.array(x) for x in (scene.bodies[0].shape.nodes, scene.bodies[0].shape.tetrahedra))
    assert mesh.TetrahedralMesh(nodes, tetrahedra).volume == pytest.approx(whole.volume, rel=0.03)
    clean = load("liver", {**QUICK, "mesh": str(write_obj(tmp_path / "whole.obj", surface))})
    assert clean.notes == ()


def test_unusable_meshes_are_refused_in_one_line(tmp_path):
    surface = organ_surface()
    good = write_obj(tmp_path / "good.obj", surface)
    opened = mesh.SurfaceMesh(surface.vertices, surface.triangles[5:], "open")
    holed = write_obj(tmp_path / "holed.obj", opened)
    half = surface.vertices[surface.triangles].mean(axis=1)[:, 2] < 0.0
    halved = write_obj(
        tmp_path / "halved.obj", mesh.SurfaceMesh(surface.vertices, surface.triangles[half], "half")
    )
    (tmp_path / "text.obj").write_text("hello\n")
    for options, text in (
        ({"mesh": str(tmp_path / "none.obj")}, "mesh: none.obj: no such file"),
        (
            {"mesh": str(holed), "wrap": "never"},
            r"mesh: holed.obj: the surface is not closed: \d+ open edges.*give wrap=needed",
        ),
        ({"mesh": str(halved)}, "mesh: halved.obj: it encloses nothing thicker .* give a wider gap"),
        ({"mesh": str(good), "unit": "mm"}, r"mesh: good.obj: .*did you mean .*unit='m'"),
        ({"mesh": str(tmp_path / "text.obj")}, "mesh: text.obj"),
        ({"mesh": str(good), "unit": "km"}, "unit"),
        ({"resolution": 3}, "resolution"),
    ):
        with pytest.raises(SceneError, match=text) as caught:
            load("liver", options)
        assert "\n" not in str(caught.value)
