# SPDX-License-Identifier: LGPL-2.1-or-later
"""Haptic tools in a SOFA graph: a rigid body on SoftContact's virtual coupling, and the device that pulls it."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.bodies import RigidInGraph
from softcontact.engines.sofa.components import add
from softcontact.engines.tools import ScriptedDevice
from softcontact.scene.motions import Keyframes
from softcontact.scene.tools import Tool


class ToolInGraph(RigidInGraph):
    """A rigid tool; SoftContact's VirtualCouplingForceField holds it to its device.

    Attributes:
        coupling: the force field; its Data `device` is the pose of the device.
    """

    def __init__(
        self,
        root: Any,
        body: Tool,
        mesh: Any,
        properties: tuple[float, FloatArray, FloatArray],
        gravity: FloatArray,
    ) -> None:
        super().__init__(root, body, mesh, properties, gravity)
        given = body.coupling
        handle = np.concatenate([np.array(given.handle_position) - self.com, given.handle_orientation])
        turn = Rotation.from_quat(body.orientation)
        self._start = np.concatenate(
            [
                turn.apply(given.handle_position) + body.position,
                (turn * Rotation.from_quat(given.handle_orientation)).as_quat(),
            ]
        )
        self.coupling = add(
            self.node,
            "VirtualCouplingForceField",
            name="coupling",
            device=self._start.tolist(),
            handle=handle.tolist(),
            stiffness=given.stiffness,
            damping=-1.0 if given.damping is None else given.damping,
            angularStiffness=given.angular_stiffness,
            angularDamping=-1.0 if given.angular_damping is None else given.angular_damping,
            maxForce=given.max_force or 0.0,
            maxTorque=given.max_torque or 0.0,
        )

    def device_load(self) -> dict[str, FloatArray]:
        """What the device feels, and the tool's twist; see engines.base.HoldsTools."""
        load = np.array(self.coupling.deviceForce.value, dtype=float)
        motion = np.array(self.frame.velocity.value[0], dtype=float)
        return {"force": load[:3], "torque": load[3:], "motion": motion}

    def energies(self) -> tuple[float, float, float]:
        """Kinetic energy, elastic energy of the coupling, potential energy [J]."""
        kinetic, _, potential = super().energies()
        given, pose = self.body.coupling, self.pose()
        device = np.array(self.coupling.device.value, dtype=float)
        turn = Rotation.from_quat(pose[3:])
        stretch = device[:3] - pose[:3] - turn.apply(given.handle_position)
        handle = turn * Rotation.from_quat(given.handle_orientation)
        twist = (Rotation.from_quat(device[3:]) * handle.inv()).as_rotvec()
        elastic = 0.5 * given.stiffness * stretch @ stretch + 0.5 * given.angular_stiffness * twist @ twist
        return kinetic, float(elastic), potential


class GraphDevice(ScriptedDevice):
    """A device that passes through keyframes in simulated time and pulls a tool of the graph.

    Args:
        tool: what it pulls.
        motion: poses of the device.
    """

    def __init__(self, tool: ToolInGraph, motion: Keyframes) -> None:
        super().__init__(None, 0, motion, tool.body.orientation)
        self._coupling = tool.coupling

    def begin(self, time: float, step: float) -> None:
        """Put the device where it is at the end of the step, moving as it does then."""
        state = self.state(time + step)
        self._coupling.device.value = state[:7].tolist()
        self._coupling.deviceVelocity.value = state[7:].tolist()
