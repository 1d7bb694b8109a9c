# SPDX-License-Identifier: LGPL-2.1-or-later
"""A bar pressed into the palm: held by its pads, and left behind by a hand without a palm."""

from softcontact.runner import run
from softcontact.scene.library import load

PADS = {"hand.palm_thenar", "hand.palm_hypothenar", "hand.palm_distal"}


def carried(**options):
    """Result of the scene, and the bodies that press on the bar at its end."""
    result = run(load("palm-grasp", options), record=False, progress=False)
    bar = [p for p in result.patches if "object" in (p["body"], p["other"]) and p["normal_force"] > 0.1]
    return result, {p["body"] if p["other"] == "object" else p["other"] for p in bar}


def test_soft_palm_holds_the_bar_with_several_patches():
    result, touching = carried()
    assert result.passed, result.summary["checks"]
    assert len(touching & PADS) >= 2  # an aggregate of its own each
    assert len(touching) >= 5


def test_hand_without_a_palm_leaves_the_bar_behind():
    result, touching = carried(palm="off")
    failed = {check["name"] for check in result.summary["checks"] if not check["passed"]}
    assert any(name.startswith("lifted") for name in failed)
    assert not touching & PADS
