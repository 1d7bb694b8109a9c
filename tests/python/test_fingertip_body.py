# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fingertip as a body: its frame, its path, its springs; and the checks of orientation."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.engines.sofa.support import check_support
from softcontact.hand import FingertipModel, FingertipPath, HandModel, HandParameters, fingertip_orientation
from softcontact.runner import run
from softcontact.scene import Scene, SceneError


def test_the_tip_is_the_hands_own_phalanx():
    parameters = HandParameters(side="left")
    tip = FingertipModel.build("index", parameters)
    phalanx = HandModel.build(parameters).phalanges[5]
    assert tip.phalanx.vertices[:, 2].min() == 0.0
    shift = phalanx.nodes[0] - tip.phalanx.nodes[0]
    assert np.allclose(tip.phalanx.nodes + shift, phalanx.nodes, atol=1e-15)
    assert np.array_equal(tip.phalanx.triangles, phalanx.triangles)


def test_orientation_looks_where_it_is_told():
    turn = Rotation.from_quat(fingertip_orientation((2.0, 0.0, 0.0), (1.0, 0.0, -3.0)))
    assert np.allclose(turn.apply(np.eye(3)), [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="span no plane"):
        fingertip_orientation((0.0, 0.0, 1.0), (0.0, 0.0, 2.0))


def test_path_rests_at_each_end_and_turns_about_a_point():
    path = FingertipPath((0.03, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), spacing=0.01)
    path.move(0.5, 1.5, turn=(0.0, 0.0, np.pi), about=(0.0, 0.0, 0.0))
    times, places = np.array(path.times), np.array(path.positions)
    assert np.allclose(places[-1], [-0.03, 0.0, 0.0]) and np.allclose(path.orientations[-1][2], 1.0)
    assert np.allclose(np.linalg.norm(places, axis=1), 0.03)
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
    assert speed[1] < 0.01 * speed.max() and speed[-1] < 0.01 * speed.max()
    with pytest.raises(ValueError, match="rising times"):
        path.move(1.0, 2.0)


def scene(checks, **tip):
    return Scene.from_dict(
        {
            "name": "press",
            "duration": 1.0,
            "gravity": [0, 0, 0],
            "bodies": [
                {"kind": "fingertip", "name": "tip", "position": [0, 0, 0.002], **tip},
                {
                    "kind": "kinematic",
                    "name": "plate",
                    "shape": {"kind": "box", "size": [0.1, 0.1, 0.01]},
                    "position": [0, 0, -0.005],
                },
                {
                    "kind": "rigid",
                    "name": "top",
                    "shape": {"kind": "box", "size": [0.01, 0.01, 0.01]},
                    "position": [0.2, 0, 0],
                    "angular_velocity": [0, 0, 4.0],
                },
            ],
            "motions": [
                {
                    "kind": "keyframes",
                    "body": "tip",
                    "times": [0, 0.4],
                    "positions": [[0, 0, 0.002], [0, 0, -0.002]],
                }
            ],
            "probes": [{"kind": "contact_force", "name": "force", "body": "tip", "axis": "z"}],
            "checks": checks,
        }
    )


def test_the_springs_give_the_force():
    result = run(scene([]), record=False, replay=False, progress=False)
    lag = result.history.poses["tip"][-1, 2] + 0.002
    assert result.history.probes["force"][-1] == pytest.approx(2000.0 * lag, rel=1e-3)
    assert lag > 5e-4


def test_checks_of_orientation():
    checks = [
        {"kind": "turned", "body": "top", "minimum": 3.9, "maximum": 4.1},
        {"kind": "turned", "body": "top", "axis": [0, 0, -1], "minimum": 0.0, "name": "wrong way"},
        {"kind": "turned", "body": "top", "minimum": 1.0, "maximum": 3.0, "name": "too far"},
        {"kind": "not_turned", "body": "top", "limit": 1.0, "end": 0.2},
        {"kind": "not_turned", "body": "top", "limit": 1.0, "end": 0.5, "name": "turns"},
        {"kind": "not_turned", "body": "tip", "other": "top", "limit": 1.0, "end": 0.5, "name": "turns back"},
        {"kind": "level", "body": "top", "limit": 1e-6},
        {"kind": "level", "body": "top", "direction": [0, 1, 1], "limit": 0.1, "name": "slanted"},
    ]
    up = scene(checks).to_dict() | {"gravity": [0, 0, -1e-9]}
    result = run(Scene.from_dict(up), record=False, replay=False, progress=False)
    values = {check["name"]: (check["value"], check["passed"]) for check in result.checks}
    assert values["turned top"][0] == pytest.approx(4.0, rel=1e-6)  # more than half a turn
    assert values["wrong way"][0] == pytest.approx(-4.0, rel=1e-6)
    assert values["turns"][0] == pytest.approx(2.0, rel=0.02)
    assert values["slanted"][0] == pytest.approx(np.pi / 4, rel=1e-6)
    assert {name for name, (_, passed) in values.items() if not passed} == {
        "wrong way",
        "too far",
        "turns",
        "turns back",
        "slanted",
    }


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"kind": "turned", "body": "soft", "minimum": 1.0}, "has no orientation"),
        ({"kind": "turned", "body": "tip", "minimum": 2.0, "maximum": 1.0}, "greater than minimum"),
        ({"kind": "turned", "body": "tip", "axis": [0, 0, 0], "minimum": 2.0}, "no direction"),
        ({"kind": "level", "body": "tip", "direction": [0, 0, 0], "limit": 1.0}, "no direction"),
    ],
)
def test_checks_that_make_no_sense(check, words):
    soft = {
        "kind": "tetrahedral",
        "name": "soft",
        "shape": {"kind": "tetrahedral-box", "size": [0.1, 0.1, 0.1]},
        "material": {"young": 1e5},
    }
    tip = {"kind": "fingertip", "name": "tip"}
    with pytest.raises(SceneError, match=words) as caught:
        Scene.from_dict({"name": "s", "duration": 1, "bodies": [tip, soft], "checks": [check]})
    assert "\n" not in str(caught.value)


def test_what_sofa_takes_of_a_fingertip():
    check_support(scene([]))
    with pytest.raises(SceneError, match=r"tissue\.stiffening"):
        check_support(scene([], tissue={"stiffening": 2.0}))


def test_contact_problems_of_fingertips_need_point_contacts(tmp_path):
    with pytest.raises(SceneError, match="'tip'"):
        run(scene([]), out=tmp_path, progress=False, replay=False, dump_problems=10)
