# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two hands lift a dumbbell level, in both contact models. The lift is shorter and the hold too than in the scene."""

import numpy as np
import pytest

from softcontact.runner import run
from softcontact.scene import SceneError
from softcontact.scene.grasping import LiftTiming, lift_time
from softcontact.scene.library import find, load, load_module


@pytest.fixture(scope="module")
def dumbbell():
    """The scene's module, whose grasp is planned once."""
    module = load_module(find("dumbbell"))
    inside, plans = module.build.__globals__, []

    def planned(*arguments, plan=inside["plan_grasp"], **options):
        plans[:] = plans or [plan(*arguments, **options)]
        return plans[0]

    short = LiftTiming(approach=0.35, arrive=0.5, close=0.8, lift=0.5, hold=0.7, lift_height=0.05)
    inside.update(TIMING=short, plan_grasp=planned)
    return module


@pytest.fixture(scope="module")
def scene(dumbbell):
    return dumbbell.scene({})


def owners(result, hand):
    """Phalanges of a hand that hold the dumbbell at the end."""
    pairs = [(patch["body"], patch["other"]) for patch in result.summary["patches"]]
    return {a.split(".")[1] for a, b in pairs if b == "object" and a.startswith(f"{hand}.")}


def test_hands_are_mirror_images_about_the_middle(scene):
    right, left = (np.array(motion.values) for motion in scene.motions)
    assert left[:, :20] == pytest.approx(right[:, :20])
    assert left[:, 20:23] == pytest.approx(right[:, 20:23] * [1.0, -1.0, 1.0])
    assert right[-1, 21] < -0.05
    assert [scene.grasp.body, scene.grasps[0].body] == ["right", "left"]
    assert len([body for body in scene.bodies if body.kind == "hand"]) == 2  # 30 soft phalanges


def test_it_is_lifted_with_the_acceleration_that_is_asked_for(dumbbell, scene):
    fast = dumbbell.scene({"acceleration": 4.0})
    assert scene.duration - fast.duration == pytest.approx(0.5 - lift_time(4.0, 0.05))
    assert fast.grasp.force > scene.grasp.force


def test_dumbbell_is_lifted_level_by_both_hands_in_both_models(scene):
    ends = []
    for model in ("aggregate", "point"):
        result = run(scene.with_changes({"contact.model": model}), record=False, replay=False)
        assert result.exit_code == 0, (model, result.message, result.checks)
        assert {check["name"] for check in result.checks} >= {"level object", "held object by left"}
        for hand in ("right", "left"):
            touching = owners(result, hand)
            assert len(touching) >= 5
            assert {"thumb_distal", "index_distal", "ring_distal"} <= touching
        held = result.history.time > result.history.time[-1] - 0.5
        # The paper counts 93; as points the two hands press deeper and have more.
        contacts = result.history.series["contacts"][held].mean()
        assert 79 < contacts < (115 if model == "aggregate" else 190)
        ends.append(result.history.poses["object"][-1])
    assert ends[0][:3] == pytest.approx(ends[1][:3], abs=2e-3)


def test_one_hand_alone_does_not_pass(scene):
    data = scene.to_dict()
    data["grasps"] = []
    result = run(type(scene).from_dict(data), record=False, replay=False)
    assert result.exit_code != 0


def test_options_are_checked():
    with pytest.raises(SceneError, match="dumbbell: option: offset"):
        load("dumbbell", {"offset": "0.5"})
