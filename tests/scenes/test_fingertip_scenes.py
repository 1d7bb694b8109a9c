# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes with scripted fingertips: each keeps its promises in both contact modes, and fails where it should."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.runner import run
from softcontact.scene import load
from softcontact.scene.fingertips import FingertipOptions, pinch_limit


def ran(name, steps=None, **options):
    return run(load(name, options), steps=steps, record=False, replay=False, progress=False)


def failed(result):
    return {check["name"] for check in result.checks if not check["passed"]}


# Points count where they can touch in the step, those of a patch wherever the undeformed bodies overlap.
@pytest.mark.parametrize(
    ("contact", "grasp", "contacts"),
    [("aggregate", 1, 19), ("aggregate", 2, 18), ("point", 1, 15), ("point", 2, 17)],
)
def test_edge_cube(contact, grasp, contacts):
    result = ran("edge-cube", grasp=grasp, contact=contact)
    assert result.exit_code == 0, failed(result)
    gripped = result.history.time > 1.4
    assert result.history.series["contacts"][gripped].mean() == pytest.approx(contacts, abs=2.0)
    assert result.summary["converged_fraction"] > 0.97


def test_uniform_pressure_leaves_the_cube_on_the_table():
    assert "lifted cube" in failed(ran("edge-cube", pressure="uniform", patch="mean"))


def test_the_cube_needs_friction():
    assert "lifted cube" in failed(ran("edge-cube", friction=0.3))


def slipping_grip(result, start):
    """Mean force of the fingers when the bar has turned by 2 degrees since a time [N]."""
    history = result.history
    turns = Rotation.from_quat(history.poses["bar"][:, 3:])
    after = history.time > start
    angle = (turns * turns[int(np.argmax(after))].inv()).magnitude()
    row = int(np.argmax(after & (angle > np.radians(2.0))))
    assert row > 0
    return np.mean([np.abs(history.probes[f"{finger}_force"][row]) for finger in ("thumb", "index")])


# The points of a pad crowd where the tissue's few nodes stand out: their lever is a sixth shorter.
@pytest.mark.parametrize(("contact", "within"), [("aggregate", 0.12), ("point", 0.25)])
def test_long_bar(contact, within):
    result = ran("long-bar", contact=contact)
    assert result.exit_code == 0, failed(result)
    predicted = pinch_limit(9.81 * 0.04 * 0.05, FingertipOptions())
    assert slipping_grip(result, 4.7) == pytest.approx(predicted, rel=within)


def test_without_torsion_the_bar_turns_in_a_strong_grip():
    assert "level in the lift" in failed(ran("long-bar", steps=380, friction_law="coulomb"))


def test_a_grip_below_the_limit_does_not_lift_the_bar_level():
    assert "level in the lift" in failed(ran("long-bar", steps=380, grip=2.2))


@pytest.mark.parametrize("contact", ["aggregate", "point"])
def test_pencil(contact):
    result = ran("pencil", contact=contact)
    assert result.exit_code == 0, failed(result)
    spinning = (result.history.time > 1.9) & (result.history.time < 3.9)
    assert result.history.series["contacts"][spinning].mean() == pytest.approx(40.0, abs=5.0)


def test_the_pencil_runs_away_without_torsion():
    assert "half a turn across the fingers" in failed(ran("pencil", friction_law="coulomb"))
