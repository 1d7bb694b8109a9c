# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tool that is pressed on tissue and held still feels one force, whatever the time step."""

import numpy as np
import pytest

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.haptics import RigidState
from softcontact.scene.library import load

STEPS = (0.01, 0.02, 0.04, 0.1)


def held(step, start):
    """Force on the device in the last 0.5 s of one that holds scene `block`'s tool pressed at `start` (n, 3) [N]."""
    scene = load("block", {"time_step": step, "start": start, "drag": 0.0})
    tool = EmbeddedEngine(scene).held_tool("tool")
    path = scene.motions[0]
    times, places = np.array(path.times), np.array(path.positions)
    pressed = times[int(np.argmin(places[:, 2]))]
    forces = []
    for k in range(round((pressed + 1.0) / step)):
        now = min((k + 1) * step, pressed)
        place = np.array([np.interp(now, times, column) for column in places.T])
        tool.set_device(RigidState(place, list(scene.body("tool").orientation)))
        assert tool.world.step()
        forces.append(tool.device_load[:3])
    return np.array(forces)[-round(0.5 / step) :]


# Over a row of the block's vertices, between rows, and at a sixth of the way.
@pytest.mark.parametrize("start", [-0.025, -0.021, 0.0])
def test_the_force_is_calm_and_does_not_depend_on_the_time_step(start):
    """Contact that is looked for where free motions lead depends on the step, and flickers."""
    runs = [held(step, start) for step in STEPS]
    for run in runs:
        assert np.ptp(run, axis=0).max() < 2e-3
    normal = np.array([run[-1, 2] for run in runs])
    assert normal.min() > 5.0
    assert np.ptp(normal) < 2e-3 * normal.mean()
