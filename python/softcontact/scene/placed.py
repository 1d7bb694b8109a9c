# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every body of a scene has."""

from typing import Annotated, Literal

from pydantic import Field

from softcontact.scene.fields import ORIGIN, UPRIGHT, Name, NonNegative, Part, Position, Quaternion

Color = tuple[
    Annotated[float, Field(ge=0, le=1)],
    Annotated[float, Field(ge=0, le=1)],
    Annotated[float, Field(ge=0, le=1)],
]
Role = Literal["object", "table", "tool", "phalanx", "palm", "skin", "organ", "avatar", "obstacle"]


class Placed(Part):
    """What every body has: a name, a place, a friction coefficient, a look."""

    name: Name
    """Name that motions, probes and checks use."""
    position: Position = ORIGIN
    """Origin of the body at the start [m]."""
    orientation: Quaternion = UPRIGHT
    """Orientation at the start, quaternion (x, y, z, w)."""
    friction: NonNegative | None = None
    """Friction coefficient μ [-]; by default contact.friction."""
    role: Role = "object"
    """What the replay shows it as."""
    color: Color | None = None
    """Red, green, blue from 0 to 1 in the replay; by default that of the role."""
