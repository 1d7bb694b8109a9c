# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scenes beam and beams: bodies that vademecums answer, in contact, through the front door."""

import json

import numpy as np
import pytest

from softcontact import _core, run
from softcontact.cli.app import main
from softcontact.engines import make_engine
from softcontact.scene import LoadMotion, Scene, SceneError, load
from softcontact.vademecum import FullOrderSolver, Vademecum
from softcontact.vademecum.stock import beam_file


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """The quick beam, built once for this file."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTCONTACT_CACHE", str(folder))
        beam_file(quick=True)
        yield folder


def quick(name, **options):
    return load(name, {"quality": "quick", **options})


def bare(scene):
    return run(scene, record=False, replay=False, progress=False)


@pytest.mark.parametrize("name", ["beam", "beams"])
def test_the_scene_runs_and_passes(name, tmp_path, capsys):
    options = ["--set", "quality=quick", "--set", "time_step=0.1"]
    assert main(["run", name, *options, "--out", str(tmp_path / name), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["converged_fraction"] == 1.0 and summary["contacts"]["max"] >= 3
    assert all(check["passed"] for check in summary["checks"]) and len(summary["checks"]) >= 6
    again = bare(tmp_path / name / "scene.json")
    assert again.summary["state_hash"] == summary["state_hash"]
    assert (tmp_path / name / "replay.html").stat().st_size > 1e4


def test_built_once_and_kept(cache):
    (kept,) = cache.glob("*.h5")
    before = kept.stat().st_mtime_ns
    assert beam_file(quick=True) == kept and kept.stat().st_mtime_ns == before
    kept.write_bytes(kept.read_bytes()[:-100])  # a file that is not whole is built anew
    assert Vademecum.load(beam_file(quick=True)).solution.count == 12


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_the_contact_force_bends_the_beam_back(friction):
    """Forces, depths and displacements agree: each recomputed from the others, by other means than the engine's."""
    scene = quick("beam", friction=friction, time_step=0.05)
    engine = make_engine(scene)
    while engine.time < 1.0 - 1e-9:
        engine.step()
    assert engine.statistics()["converged"] and engine.statistics()["contacts"] > 2
    (patch,) = engine.patches()
    vademecum = Vademecum.load(scene.bodies[0].file)
    nodes, triangles = vademecum.mesh.boundary
    surface = _core.Surface(engine.vertices("beam"), np.searchsorted(nodes, triangles).astype(np.int32))
    pair = engine._pair
    distance, _, normals, _ = surface.signed_distance(pair.points())
    inside = np.flatnonzero(distance < 0.0)
    np.testing.assert_array_equal(inside, pair.forces.numbers)
    pressing = -scene.vademecum.stiffness * distance[inside, None] * normals[inside]
    tangential = patch["point_forces"] - pressing
    size = np.linalg.norm(patch["force"])
    across = np.linalg.norm(tangential, axis=1)
    assert (across <= friction * np.linalg.norm(pressing, axis=1) + 1e-6 * size).all()
    assert (across.max() > 1e-3 * size / len(across)) == (friction > 0.0)
    # the loads on the beam are the test's own sum of the patch's forces at nodes
    body = engine._bodies["beam"]
    nodal = np.zeros_like(vademecum.mesh.nodes)
    for triangle, shares, force in zip(
        pair.forces.triangles, pair.forces.shares, patch["point_forces"], strict=True
    ):
        np.add.at(nodal, vademecum.mesh.boundary[1][triangle], -shares[:, None] * force)
    upward = nodal[vademecum.cases.nodes] @ vademecum.cases.directions[0] / vademecum.cases.magnitude
    np.testing.assert_allclose(body.reactions[:, 0], upward, atol=1e-7)
    full = FullOrderSolver(vademecum.cases.solid)
    nodal[vademecum.cases.nodes[body.loads[0][0]], 2] -= body.loads[0][1] * vademecum.cases.magnitude
    nodal[:, :2] = 0.0  # the vademecum knows vertical loads alone
    exact = vademecum.cases.solid.expand(full.solve(vademecum.cases.solid.restrict(nodal)))
    error = np.linalg.norm(body.displacement - exact, axis=1).max()
    assert error < 0.1 * np.linalg.norm(exact, axis=1).max()


def test_beams_press_each_other_with_opposite_forces():
    scene = quick("beams", gap=0.01, upper=0.2, lower=0.2, time_step=0.05)
    engine = make_engine(scene)
    while engine.time < 1.0 - 1e-9:
        engine.step()
    upper, lower = engine._bodies["upper"], engine._bodies["lower"]
    (patch,) = engine.patches()
    assert patch["force"][2] < -1e3
    magnitude = upper.vademecum.cases.magnitude
    # clamped nodes take none here, so that all of the force arrives: upwards on the one, downwards on the other
    assert -upper.reactions.sum() * magnitude == pytest.approx(-patch["force"][2], rel=1e-6)
    assert lower.reactions.sum() * magnitude == pytest.approx(patch["force"][2], rel=1e-6)
    free = quick("beams", gap=0.2, upper=0.2, lower=0.2, time_step=0.1)
    apart = make_engine(free)
    while apart.time < 1.0 - 1e-9:
        apart.step()
    assert not apart.patches()
    tip = engine.surfaces[0].triangles.max()
    assert engine.vertices("upper")[tip, 2] > apart.vertices("upper")[tip, 2] + 1e-4


def test_the_paper_s_way_takes_distances_from_the_grid():
    scene = quick("beam", answer="load", time_step=0.1)
    result = bare(scene)
    assert result.exit_code == 0, result.summary["checks"]
    vademecum = Vademecum.load(scene.bodies[0].file)
    assert vademecum.distance_field.grid == (42, 26, 61)
    engine = make_engine(scene)
    for _ in range(10):
        engine.step()
    pair = engine._pair
    case, size = engine._bodies["beam"].loads[0]
    node = int(vademecum.cases.nodes[case])
    numbers, depths, normals = vademecum.contacts(
        pair.shell.points(engine._bodies["block"].positions()), node, size, method="trilinear"
    )
    np.testing.assert_array_equal(pair.forces.numbers, numbers)
    np.testing.assert_allclose(pair.forces.forces, scene.vademecum.stiffness * depths[:, None] * normals)
    assert len(numbers) > 3 and not engine._bodies["beam"].reactions.any()


def test_a_load_passes_over_from_node_to_node():
    scene = quick("beam")
    motion = scene.motions[0]
    engine = make_engine(scene)
    vademecum = Vademecum.load(scene.bodies[0].file)
    at = 0.25 * motion.times[2] + 0.75 * motion.times[3]
    engine._advance(at)
    (first, size), (second, rest) = engine._bodies["beam"].loads
    assert (first, second) == (vademecum.case(motion.nodes[2]), vademecum.case(motion.nodes[3]))
    assert (size, rest) == (pytest.approx(0.25 * 0.6), pytest.approx(0.75 * 0.6))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"answer": "load", "friction": 0.2}, "friction: 0.2 has no effect with answer=load"),
        ({"file": __file__}, "no vademecum"),
        ({"file": "/none/such.h5"}, "no such file"),
    ],
)
def test_wrong_options_are_refused(options, word):
    with pytest.raises(SceneError, match=word):
        load("beam", options)


def test_beams_that_would_part_are_refused():
    with pytest.raises(SceneError, match=r"slide: 0\.15 m leaves less"):
        quick("beams", slide=0.15)


def change(scene, **changes):
    return Scene.from_dict({**scene.to_dict(), **changes})


def test_wrong_scenes_are_refused():
    scene = quick("beam")
    data = scene.to_dict()
    ball = {"kind": "rigid", "name": "ball", "shape": {"kind": "sphere", "radius": 0.01}}
    with pytest.raises(SceneError, match=r"bodies.ball: rigid; beside a vademecum's body"):
        make_engine(change(scene, bodies=[data["bodies"][0], ball], motions=[], probes=[], checks=[]))
    with pytest.raises(SceneError, match="holds one body or two"):
        third = {**data["bodies"][1], "name": "third"}
        make_engine(change(scene, bodies=[*data["bodies"], third]))
    clamped = {**data["motions"][0], "nodes": [0] * len(data["motions"][0]["nodes"])}
    with pytest.raises(SceneError, match="node: 0 is clamped"):
        make_engine(change(scene, motions=[clamped]))
    with pytest.raises(SceneError, match="detection: grid is for bodies that do not give way"):
        make_engine(change(scene, vademecum={"detection": "grid"}))
    with pytest.raises(SceneError, match="'load' moves a body of kind vademecum"):
        change(scene, motions=[{**data["motions"][0], "body": "block"}])
    with pytest.raises(ValueError, match="sizes has 1 entries, times 2"):
        LoadMotion(body="beam", times=[0, 1], nodes=[1, 2], sizes=[1.0])
    with pytest.raises(SceneError, match="no file"):
        change(scene, bodies=[{**data["bodies"][0], "file": "none.h5"}, data["bodies"][1]])
