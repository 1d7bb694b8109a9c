# SPDX-License-Identifier: LGPL-2.1-or-later
"""Haptic tools of a scene in the core's World, their devices moved by the scene's keyframes in simulated time."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from softcontact.engines.base import FloatArray
from softcontact.scene.motions import Keyframes
from softcontact.scene.tools import Tool


def add_tool(world: Any, body: Tool, mesh: Any, friction: float) -> int:
    """Add a tool with its surface mesh and its coupling; returns its number.

    Raises:
        ValueError: see mass_properties; or the World refuses it.
    """
    from softcontact.engines.held_tool import parts_of

    tool, coupling = parts_of(body, mesh)
    return world.add_tool(
        body.name,
        mesh.vertices,
        mesh.triangles,
        *tool.arguments(),
        coupling.native,
        np.array(body.position),
        np.array(body.orientation),
        friction,
    )


class ScriptedDevice:
    """A device that passes through keyframes in simulated time, whatever force it feels.

    Args:
        world: the World.
        number: of the tool that the device holds.
        motion: poses of the device; before and after them it stands still.
        orientation: quaternion (x, y, z, w) where the motion has none.
    """

    def __init__(self, world: Any, number: int, motion: Keyframes, orientation: tuple[float, ...]) -> None:
        self._world, self._number = world, number
        self._times = np.array(motion.times)
        self._positions = np.array(motion.positions)
        turns = Rotation.from_quat(np.array(motion.orientations or [orientation] * len(self._times)))
        self._first, self._last = turns[0], turns[-1]
        self._turns = Slerp(self._times, turns) if len(self._times) > 1 else None
        self._rates = np.zeros((max(0, len(self._times) - 1), 6))
        if len(self._times) > 1:
            steps = np.diff(self._times)[:, None]
            self._rates[:, :3] = np.diff(self._positions, axis=0) / steps
            self._rates[:, 3:] = (turns[1:] * turns[:-1].inv()).as_rotvec() / steps

    def prepare(self) -> None:
        """Before a step: put the device where it is at the end of it, moving as it does then."""
        self._world.set_device(self._number, self.state(self._world.time + self._world.time_step))

    def state(self, time: float) -> FloatArray:
        """Position, quaternion and twist (13,) of the device [m, m/s, rad/s]."""
        position = [np.interp(time, self._times, column) for column in self._positions.T]
        moving = self._times[0] <= time < self._times[-1]
        turn = self._first if time < self._times[0] else self._last
        rate = np.zeros(6)
        if moving and self._turns is not None:
            turn = self._turns(time)
            rate = self._rates[np.searchsorted(self._times, time, side="right") - 1]
        return np.concatenate([position, turn.as_quat(), rate])


def device_load(world: Any, number: int) -> dict[str, FloatArray]:
    """What a tool's device feels and where the tool is, after the last step.

    Returns:
        force (3,) [N] and torque (3,) about the device [N m], of the coupling on the device; motion (6,), twist of
        the tool's centre of mass [m/s, rad/s].
    """
    state = world.tool_state(number)
    return {
        "force": np.array(state["device"][:3]),
        "torque": np.array(state["device"][3:]),
        "motion": np.array(state["motion"]),
    }
