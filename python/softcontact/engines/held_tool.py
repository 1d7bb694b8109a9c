# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tool of an engine's world as the loops of softcontact.haptics take it."""

from typing import Any

import numpy as np

from softcontact.engines.embedded_bodies import mass_properties
from softcontact.haptics import Tool, VirtualCoupling, VisualTool
from softcontact.scene import tools


class HeldTool(VisualTool):
    """A softcontact.haptics.VisualTool of a tool that the world holds already.

    Args:
        world: the World.
        body: number of the tool in it.
        tool: mass and inertia; coupling: to the device, as the world has them.
        fast_step: of the thread that will use the models [s].
        capacity: contacts a model has room for; those that press hardest come first.
    """

    def __init__(
        self,
        world: Any,
        body: int,
        tool: Tool,
        coupling: VirtualCoupling,
        *,
        fast_step: float = 1e-3,
        capacity: int = 32,
    ) -> None:
        self._adopt(world, body, fast_step, capacity)
        self.tool, self.coupling = tool, coupling


def parts_of(body: tools.Tool, mesh: Any) -> tuple[Tool, VirtualCoupling]:
    """Mass and coupling of a scene's tool.

    Raises:
        ValueError: see mass_properties; or a gain that no coupling can have.
    """
    mass, com, inertia = mass_properties(body, mesh)
    given = body.coupling
    usual = VirtualCoupling.dragging(
        mass, float(np.linalg.eigvalsh(inertia)[0]), given.stiffness, given.angular_stiffness
    )
    coupling = VirtualCoupling(
        given.stiffness,
        usual.damping if given.damping is None else given.damping,
        given.angular_stiffness,
        usual.angular_damping if given.angular_damping is None else given.angular_damping,
        np.inf if given.max_force is None else given.max_force,
        np.inf if given.max_torque is None else given.max_torque,
        given.handle_position,
        given.handle_orientation,
    )
    return Tool(mass, inertia, com), coupling
