# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two couplings in a row: what the linear contact model is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softcontact import _core
from softcontact.haptics.coupling import IDENTITY, RigidState, VirtualCoupling
from softcontact.haptics.laws import register
from softcontact.haptics.tool import Tool, VisualTool
from softcontact.haptics.tool_law import ToolLaw, plain_coupling, plain_tool


@register
@dataclass(frozen=True)
class DoubleCouplingLaw:
    """The haptic tool hangs on the device and, by a second coupling, on the visual tool.

    The fast thread knows of contact what the visual tool's last place and motion tell; the visual tool hangs on the
    haptic one by the second coupling, which has to be the one it has in its world.

    Attributes:
        tool: mass and inertia.
        coupling: to the device.
        second: to the visual tool; None: like the first.
        step: of the fast thread [s]; the session's rate has to be its inverse.
        force: at the centre of mass besides the couplings (3,) [N].

    Source: Otaduy and Gross 2007, Sec. 6, Fig. 3: the setup with an additional virtual coupling.
    """

    kind: ClassVar[str] = "double_coupling"
    tool: Tool
    coupling: VirtualCoupling
    second: VirtualCoupling | None = None
    step: float = 1e-3
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name, made in (("tool", Tool), ("coupling", VirtualCoupling), ("second", VirtualCoupling)):
            if isinstance(getattr(self, name), dict):  # as options() tells them, from a file
                object.__setattr__(self, name, made(**getattr(self, name)))
        if self.second is None:
            object.__setattr__(self, "second", self.coupling)

    @cached_property
    def _held_at_centre(self) -> bool:
        """The handle is the tool's frame and its centre of mass, so that nothing has to be turned: every step counts,
        and rotations of scipy take longer than small worlds."""
        assert self.second is not None
        same = np.array_equal(self.second.handle_orientation, IDENTITY)
        return same and not np.any(self.second.handle_position) and not np.any(self.tool.centre)

    def build(self) -> Any:
        """The core's law.

        Raises:
            ValueError: a mass, inertia or step that is not positive.
        """
        assert self.second is not None
        law = _core.DoubleCouplingLaw(
            *self.tool.arguments(), self.coupling.native, self.second.native, self.step
        )
        law.set_force(np.asarray(self.force, dtype=np.float64))
        return law

    def options(self) -> dict[str, Any]:
        """Plain values that make an equal law."""
        assert self.second is not None
        return {
            "tool": plain_tool(self.tool),
            "coupling": plain_coupling(self.coupling),
            "second": plain_coupling(self.second),
            "step": float(self.step),
            "force": [float(x) for x in self.force],
        }

    @staticmethod
    def data(visual: RigidState) -> NDArray[np.float64]:
        """What a session publishes: where the visual tool is and how it moves, (13,)."""
        return visual.row()

    def pull(self, tool: VisualTool, read: dict[str, Any]) -> None:
        """Before a visual step: the tool in the world hangs on the haptic tool, as the session last told of it.

        Args:
            tool: in the world.
            read: HapticSession.readout().
        """
        assert self.second is not None
        told = ToolLaw.told(read["law"])
        position, orientation, linear = told["position"], told["orientation"], told["linear"]
        if not self._held_at_centre:
            turn = Rotation.from_quat(orientation)
            handle = turn.apply(np.asarray(self.second.handle_position, dtype=float))
            arm = handle - turn.apply(np.asarray(self.tool.centre, dtype=float))
            position = position + handle
            orientation = (turn * Rotation.from_quat(self.second.handle_orientation)).as_quat()
            linear = linear + np.cross(told["angular"], arm)
        tool.set_device(RigidState(position, orientation, linear, told["angular"]))

    def publication(self, tool: VisualTool) -> NDArray[np.float64]:
        """After a visual step: what the session publishes."""
        return self.data(tool.state)
