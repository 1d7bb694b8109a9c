# SPDX-License-Identifier: LGPL-2.1-or-later
"""The haptic tool as the force law of a session: what a device feels through a coupling, a tool and tissue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.haptics.contact_model import LinearContactModel
from softcontact.haptics.coupling import RigidState, VirtualCoupling
from softcontact.haptics.laws import register
from softcontact.haptics.tool import HapticTool, Tool, VisualTool

_GAINS = ("stiffness", "damping", "angular_stiffness", "angular_damping", "max_force", "max_torque")


def plain_tool(tool: Tool) -> dict[str, Any]:
    """Plain values that make an equal tool."""
    return {
        "mass": float(tool.mass),
        "inertia": np.asarray(tool.inertia, dtype=float).tolist(),
        "centre": np.asarray(tool.centre, dtype=float).tolist(),
    }


def plain_coupling(coupling: VirtualCoupling) -> dict[str, Any]:
    """Plain values that make an equal coupling."""
    return {
        **{name: float(getattr(coupling, name)) for name in _GAINS},
        "handle_position": np.asarray(coupling.handle_position, dtype=float).tolist(),
        "handle_orientation": np.asarray(coupling.handle_orientation, dtype=float).tolist(),
    }


def device_state(read: dict[str, Any]) -> RigidState:
    """Of the device, from HapticSession.readout()."""
    return RigidState(
        read["position"], read["orientation"], read["linear_velocity"], read["angular_velocity"]
    )


@register
@dataclass(frozen=True)
class ToolLaw:
    """A tool on a coupling; each publication is the linear contact model of a slow step.

    Attributes:
        tool: mass and inertia.
        coupling: between device and tool.
        step: of the fast thread [s]; the session's rate has to be its inverse.
        force: at the centre of mass besides the coupling (3,) [N], such as its weight.
        capacity: most contacts of a model.
        blend: time over which a new model takes the place of the last one [s], for low visual rates; see HapticTool.
    """

    kind: ClassVar[str] = "tool"
    tool: Tool
    coupling: VirtualCoupling
    step: float = 1e-3
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    capacity: int = 32
    blend: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.tool, dict):  # as options() tells them, from a file
            object.__setattr__(self, "tool", Tool(**self.tool))
        if isinstance(self.coupling, dict):
            object.__setattr__(self, "coupling", VirtualCoupling(**self.coupling))

    def build(self) -> Any:
        """The core's law.

        Raises:
            ValueError: see Tool, HapticTool.
        """
        tool = HapticTool(self.tool, self.coupling, self.step, blend=self.blend, capacity=self.capacity)
        tool.set_force(self.force)
        return _core.ToolLaw(tool.native, self.capacity)

    def options(self) -> dict[str, Any]:
        """Plain values that make an equal law."""
        return {
            "tool": plain_tool(self.tool),
            "coupling": plain_coupling(self.coupling),
            "step": float(self.step),
            "force": [float(x) for x in self.force],
            "capacity": int(self.capacity),
            "blend": float(self.blend),
        }

    def pull(self, tool: VisualTool, read: dict[str, Any]) -> None:
        """Before a visual step: the tool in the world hangs on the device, where the session last read it.

        Args:
            tool: in the world.
            read: HapticSession.readout().
        """
        tool.set_device(device_state(read))

    def publication(self, tool: VisualTool) -> NDArray[np.float64]:
        """After a visual step: what the session publishes.

        Raises:
            ValueError: see VisualTool.model.
        """
        return tool.packed_model()

    @staticmethod
    def data(model: LinearContactModel) -> NDArray[np.float64]:
        """What a session publishes for a model: all of it as a row of numbers."""
        return _core.pack_contact_model(model.native)

    @staticmethod
    def told(law: NDArray[np.float64]) -> dict[str, Any]:
        """What the law tells after a tick, the entry `law` of HapticSession.readout(), by name: position,
        orientation (x, y, z, w), linear, angular (twist of the centre of mass), contact (6,) on the tool, touching."""
        return {
            "position": law[:3],
            "orientation": law[3:7],
            "linear": law[7:10],
            "angular": law[10:13],
            "contact": law[13:19],
            "touching": int(law[19]),
        }
