# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene bunny, on the quick vademecum of a coarse bunny."""

import json

import numpy as np
import pytest

from softcontact import _core
from softcontact.cli.app import main
from softcontact.engines import make_engine
from softcontact.scene import SceneError, load
from softcontact.vademecum import Vademecum
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.stock import beam_file, bunny_file


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """The quick bunny, built once for this file."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTCONTACT_CACHE", str(folder))
        bunny_file(quick=True)
        yield folder


def engine_at(time, **options):
    scene = load("bunny", {"quality": "quick", "time_step": 0.1, **options})
    engine = make_engine(scene)
    while engine.time < time - 1e-9:
        engine.step()
    return scene, engine


def test_the_scene_stops_apart_touching_and_deep_inside(tmp_path, capsys):
    options = ["--set", "quality=quick", "--set", "time_step=0.1"]
    assert main(["run", "bunny", *options, "--out", str(tmp_path / "out"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    checks = {check["name"]: check for check in summary["checks"]}
    assert all(check["passed"] for check in checks.values())
    assert {"apart", "some 36 points touch", "some 427 points touch"} < set(checks)
    assert 420 <= summary["contacts"]["max"] <= 435
    assert (tmp_path / "out" / "replay.html").stat().st_size > 1e4


@pytest.mark.parametrize("answer", ["contact", "load"])
def test_each_point_inside_is_pushed_out_by_its_depth(answer):
    """Depths and forces against the test's own, at the deformed boundary, within what the vademecum answers."""
    scene, engine = engine_at(1.9, answer=answer, stiffness=1e7)
    red, blue, pair = engine._bodies["red"], engine._bodies["blue"], engine._pair
    assert engine.statistics()["converged"]
    nodes, triangles = red.vademecum.mesh.boundary
    surface = _core.Surface(engine.vertices("red"), np.searchsorted(nodes, triangles).astype(np.int32))
    points = pair.shell.points(blue.positions())
    assert len(points) == pytest.approx(3733, rel=0.02)
    distance, _, normals, _ = surface.signed_distance(points)
    inside = np.flatnonzero(distance < 0.0)
    assert 31 <= len(inside) <= 41
    (patch,) = engine.patches()
    expected = -scene.vademecum.stiffness * distance[inside, None] * normals[inside]
    np.testing.assert_allclose(patch["force"], expected.sum(axis=0), rtol=1e-6, atol=1.0)
    assert patch["force"][1] > 1e4  # away from the red bunny
    for body in (red, blue):
        assert body.reactions.any() == (answer == "contact")
        assert np.abs(body.reactions).max() < 0.5


def test_the_ears_bend_as_their_vademecum_says():
    scene, engine = engine_at(0.8)
    node = scene.motions[0].nodes[0]
    vademecum = Vademecum.load(scene.bodies[0].file)
    assert vademecum.mesh.nodes[node, 2] == vademecum.mesh.nodes[vademecum.cases.nodes, 2].max()
    assert not engine.patches()
    for body in (engine._bodies["red"], engine._bodies["blue"]):
        np.testing.assert_allclose(body.displacement, vademecum.displacement(node, 1.0), atol=1e-12)
        assert body.displacement[node, 2] < -1e-6


def test_other_numbers_of_points_are_found():
    scene = load("bunny", {"quality": "quick", "few": 20, "many": 250, "load": 0.0})
    vademecum = Vademecum.load(scene.bodies[0].file)
    rest, (nodes, triangles) = vademecum.mesh.nodes, vademecum.mesh.boundary
    surface = _core.Surface(rest[nodes], np.searchsorted(nodes, triangles).astype(np.int32))
    points = Pointshell.over(rest, triangles, scene.vademecum.spacing).points(rest)
    places = scene.motions[2].positions
    inside = [int((surface.signed_distance(points - place)[0] < 0.0).sum()) for place in places]
    assert inside[:2] == [0, 0] and inside[2:4] == [pytest.approx(20, abs=1)] * 2
    assert inside[4:] == [pytest.approx(250, abs=2)] * 2
    assert [check.name for check in scene.checks][3:5] == ["some 20 points touch", "some 250 points touch"]


def test_another_body_s_vademecum_is_refused():
    with pytest.raises(SceneError, match="file: a body that is larger than the bunny"):
        load("bunny", {"file": str(beam_file(quick=True))})


@pytest.mark.parametrize(
    ("options", "word"), [({"file": __file__}, "file: .*no vademecum"), ({"many": 3000}, "many")]
)
def test_wrong_options_are_refused(options, word):
    with pytest.raises(SceneError, match=word):
        load("bunny", options)
