# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene hand grasps, lifts and holds what it is given. Most lifts and holds are shortened here."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from softcontact.cli import main
from softcontact.mesh import sphere
from softcontact.runner import run
from softcontact.scene import SceneError
from softcontact.scene.library import load

SCENE = Path(__file__).parents[2] / "scenes" / "hand.py"


@pytest.fixture(scope="module")
def hand():
    """The scene's module with less waiting."""
    spec = importlib.util.spec_from_file_location("hand_scene", SCENE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.APPROACH, module.LIFT, module.HOLD, module.LIFT_HEIGHT = 0.3, 0.5, 0.7, 0.05
    return module


def held_by(result):
    """Phalanges that hold the object at the end, with their normal forces [N]."""
    return {
        patch["body"].split(".")[1]: sum(f * f for f in patch["force_n"]) ** 0.5
        for patch in result.summary["patches"]
        if patch["other"] == "object" and patch["body"].startswith("hand.")
    }


def passed(result):
    assert result.exit_code == 0, (result.message, result.summary["checks"])
    return result


def test_power_grasp_wraps_a_ball(hand):
    result = passed(run(hand.scene(), record=False))
    touching = held_by(result)
    assert len(touching) >= 7
    assert {name.split("_")[0] for name in touching} >= {"thumb", "index", "middle", "ring", "little"}
    assert {name.split("_")[1] for name in touching} >= {"middle", "distal"}
    assert result.summary["converged_fraction"] > 0.99
    drift = next(check["value"] for check in result.summary["checks"] if check["name"].startswith("drift"))
    assert drift < 1e-7


def test_precision_grasp_holds_a_ball_by_five_fingertips(hand):
    touching = held_by(passed(run(hand.scene(grasp="precision"), record=False)))
    assert sorted(touching) == sorted(f"{finger}_distal" for finger in hand.FINGERS)
    others = [force for name, force in touching.items() if name != "thumb_distal"]
    assert max(others) < 2.5 * min(others)
    assert touching["thumb_distal"] > max(others)


@pytest.mark.parametrize("options", [{"object": "cube", "grasp": "precision"}, {"object": "bunny"}])
def test_other_objects_are_held(hand, options):
    passed(run(hand.scene(**options), record=False))


def test_steps_that_extrapolation_does_not_solve_are_solved_without(hand):
    """A cube between closing fingers: rigid contacts that contradict each other, which sent Anderson mixing in circles
    2.7e-4 m/s off for all the sweeps there were."""
    result = run(hand.scene(object="cube"), record=False, replay=False, progress=False, steps=250)
    assert result.summary["accepted_fraction"] == 1.0 and result.summary["residual_max"] < 1e-6
    # Sweeps and Newton steps of all turns in which contacts and the hand's flight are found.
    assert result.history.series["iterations"].max() < 0.5 * result.scene.solver.max_iterations


def test_cylinder_is_wrapped_from_the_side(hand):
    scene = hand.scene(object="cylinder")
    last = scene.motions[0].values[-1]
    assert last[23] == pytest.approx(1.57, abs=0.3)  # thumb up
    assert scene.motions[0].values[0][21] < scene.motions[0].values[1][21] - 0.05  # it comes along y


def test_force_grows_with_weight_over_friction(hand):
    options = [
        hand.Options(),
        hand.Options(mass=2.0),
        hand.Options(mass=2.0, friction=0.4),
        hand.Options(force=3),
    ]
    forces = [hand.grip_force(o, o.mass_of(2e-4), 4) for o in options]
    assert forces == pytest.approx([1.2, 1.5 * 2 * 9.81 / (2 * 0.8 * 4), 1.5 * 2 * 9.81 / (2 * 0.4 * 4), 3.0])


def test_mesh_file_stands_on_the_table(hand, tmp_path):
    path = tmp_path / "egg.obj"
    mesh = sphere(30.0, 4)
    rows = [f"v {x} {y} {1.3 * z + 7}" for x, y, z in mesh.vertices]
    path.write_text("\n".join(rows + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.triangles]))
    shape, target, height, volume = hand.shape_of(hand.Options(object=str(path), unit="mm"))
    assert height == pytest.approx(0.039, abs=2e-4)
    assert target.centre == pytest.approx([0.0, 0.0, height], abs=2e-4)
    assert volume == pytest.approx(1.3 * mesh.volume * 1e-9)
    assert len(shape.triangles) == len(mesh.triangles)
    assert hand.called(str(path)) == "egg.obj" and hand.called("ball") == "a ball"
    with pytest.raises(SceneError, match=r"object: egg\.obj: largest side 78 m"):
        load("hand", {"object": str(path)})


def test_the_one_command_of_the_readme(tmp_path, monkeypatch, capsys):
    """`softcontact run hand` as it is: lifted 10 cm, held 2 s, every output in place."""
    monkeypatch.chdir(tmp_path)
    assert main(["run", "hand"]) == 0
    out = tmp_path / "out" / "hand-1"
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    checks = {check["name"]: check for check in summary["checks"]}
    assert all(check["passed"] for check in checks.values()) and len(checks) == 8
    assert checks["solved"]["value"] == 1.0
    assert checks["lifted object"]["limit"] == pytest.approx(0.09)
    assert checks["drift object"]["value"] < 1e-6, "a held object does not creep"
    assert summary["converged_fraction"] > 0.99
    assert {"scene.json", "history.h5", "replay.html", "report.md"} <= {path.name for path in out.iterdir()}


def test_two_fingers_pinch_45_grams_without_creep(hand):
    """A 60 mm ball between thumb and index, friction 0.7: held, and at rest to less than 1 µm/s."""
    options = {
        "grasp": "precision",
        "fingers": ("thumb", "index"),
        "object_scale": 0.8,
        "mass": 0.045,
        "friction": 0.7,
    }
    result = passed(run(hand.scene(**options), record=False))
    assert set(held_by(result)) == {"thumb_distal", "index_distal"}
    height = result.history.height("object")
    window = result.history.time > result.history.time[-1] - 0.2
    assert np.ptp(height[window]) < 0.2e-6
