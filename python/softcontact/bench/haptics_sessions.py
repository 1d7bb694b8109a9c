# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions in simulated time along a given path of the device, for `softcontact bench haptics`: with the linear contact
model, and with two couplings in a row.

The visual loop goes in step with the fast thread; what a frame finds comes to the fast thread one visual period later,
as from a slow thread that needs all of its period. So the result does not depend on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softcontact._core import ToolDynamics
from softcontact.bench import haptics_scenario as scenario
from softcontact.bench.haptics_scenario import FAST, FloatArray, Rig
from softcontact.haptics import HandScript, HapticSession, RigidState

METHODS = ("linear model", "double coupling")


@dataclass(frozen=True)
class Rendered:
    """What a device felt.

    Attributes:
        force: on the device, a tick (n, 3) [N].
        frames: force on the device that each frame of the visual loop finds by itself (m, 3) [N].
        frame_ticks: at the end of whose step (m,), in ticks.
    """

    force: FloatArray
    frames: FloatArray
    frame_ticks: FloatArray


def device_rows(way: HandScript, seconds: float, made: Rig) -> FloatArray:
    """Rows (n, 13) of the device at each tick of a session along `way`; see haptics_scenario.states."""
    with HapticSession(
        scenario.device(way), scenario.law(made), scenario.SETTINGS, clock="simulated", record=seconds
    ) as session:
        session.tick(round(seconds / FAST))
        return scenario.states(session.recording().columns)


def render(method: str, rate: float, way: HandScript, seconds: float, **options: Any) -> Rendered:
    """A session along `way`.

    Args:
        method: one of METHODS.
        rate: of the visual loop [Hz].
        way: places of the device.
        seconds: of the session.
        options: of the scene.
    Raises:
        RuntimeError: the world stopped.
        ValueError: another method.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r}; give one of {', '.join(METHODS)}")
    made = scenario.rig(1.0 / rate, **options)
    run = _linear if method == METHODS[0] else _double
    return run(made, way, round(seconds / FAST), round(1.0 / (rate * FAST)))


def _linear(made: Rig, way: HandScript, ticks: int, every: int) -> Rendered:
    """The fast thread solves its tool against the contact model of a frame."""
    law, period = scenario.law(made), every * FAST
    frames, late = [], None
    with HapticSession(
        scenario.device(way),
        law,
        scenario.SETTINGS,
        clock="simulated",
        record=ticks * FAST,
        publications=ticks // every + 1,
    ) as session:
        session.tick()
        for tick in range(1, ticks):
            if tick % every == 0:
                if late is not None:
                    session.publish(late, period)
                scenario.follow(made, session.readout())
                frames.append(made.visual.device_load[:3])
                late = law.data(made.visual.model())
            session.tick()
        force = session.recording().wrenches[:, :3]
    return Rendered(force, np.array(frames), every * np.arange(2.0, len(frames) + 2.0))


def _double(made: Rig, way: HandScript, ticks: int, every: int) -> Rendered:
    """The haptic tool is pulled by the device and by a second, equal coupling to where the visual tool was last; that
    one follows the haptic tool. No contact is solved at the fast rate. Source: Otaduy and Gross 2007, Sec. 6.
    """
    rows = device_rows(way, ticks * FAST, made)
    tool = ToolDynamics(*made.tool.arguments())
    tool.reset(rows[0])
    force, frames = np.zeros((ticks, 3)), []
    late = here = None
    for tick, row in enumerate(rows):
        if tick and tick % every == 0:
            here = late
            state = _state(tool)
            made.visual.set_device(state)
            if not made.visual.world.step():
                raise RuntimeError(f"the world stopped: {made.visual.world.status()['message']}")
            frames.append(made.visual.device_load[:3])
            late = made.visual.state
        pull = np.zeros(6)
        if here is not None:
            pull = made.coupling.evaluate(here, _state(tool), _centre(tool, made)).tool
        tool.step(made.coupling.native, row, pull, np.zeros(6), FAST)
        device = RigidState(row[:3], row[3:7], row[7:10], row[10:])
        force[tick] = made.coupling.evaluate(device, _state(tool), _centre(tool, made)).device[:3]
    return Rendered(force, np.array(frames), every * np.arange(2.0, len(frames) + 2.0))


def _state(tool: ToolDynamics) -> RigidState:
    position, orientation = tool.pose
    return RigidState(position, orientation, tool.motion[:3], tool.motion[3:])


def _centre(tool: ToolDynamics, made: Rig) -> FloatArray:
    x, y, z, w = tool.pose[1]
    axis, local = np.array([x, y, z]), np.asarray(made.tool.centre)
    return tool.pose[0] + local + 2.0 * np.cross(axis, np.cross(axis, local) + w * local)
