# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rigid tool that a virtual coupling holds to a haptic device."""

from typing import Annotated, Literal

from pydantic import model_validator

from softcontact.scene.fields import (
    ORIGIN,
    UPRIGHT,
    Length,
    Matrix3,
    NonNegative,
    Part,
    Position,
    Positive,
    Quaternion,
    Vector,
)
from softcontact.scene.placed import Placed, Role
from softcontact.scene.shapes import Surface


class ToolCoupling(Part):
    """Spring and damper, linear and angular, between the device and the tool's handle."""

    stiffness: Positive = 500.0
    """Stiffness k [N/m]."""
    damping: NonNegative | None = None
    """Damping b [N s/m]; by default √(2 m k), that of dragging a mass m."""
    angular_stiffness: Positive = 0.5
    """Angular stiffness k_r [N m/rad]."""
    angular_damping: NonNegative | None = None
    """Angular damping b_r [N m s/rad]; by default √(2 I k_r) with the tool's least moment of inertia I."""
    max_force: Positive | None = None
    """Greatest force [N]; none by default."""
    max_torque: Positive | None = None
    """Greatest couple [N m]; none by default."""
    handle_position: Position = ORIGIN
    """Place of the device in the tool's axes [m]."""
    handle_orientation: Quaternion = UPRIGHT
    """The device's axes in the tool's, quaternion (x, y, z, w)."""


class Tool(Placed):
    """A rigid tool on a virtual coupling; its keyframes move the device, which feels what the coupling gives back.

    Without a motion the device stays where the tool starts. Source: Otaduy & Gross 2007, Sec. 4.1.
    """

    kind: Literal["tool"] = "tool"
    shape: Surface
    """Surface in tool axes, closed unless mass, com and inertia are given."""
    mass: Positive | None = None
    """Mass [kg]; give this or density."""
    density: Positive | None = None
    """Density [kg/m³]; 1000 when neither mass nor density is given."""
    com: Annotated[Vector | None, Length()] = None
    """Centre of mass in tool axes [m]; by default from the shape."""
    inertia: Matrix3 | None = None
    """Inertia about the centre of mass, tool axes [kg m²]; by default from the shape."""
    coupling: ToolCoupling = ToolCoupling()
    """What holds the tool to the device."""
    role: Role = "tool"
    """What the replay shows it as."""

    @model_validator(mode="after")
    def _one_mass(self) -> "Tool":
        if self.mass is not None and self.density is not None:
            raise ValueError("mass and density are both given; give one of them")
        return self
