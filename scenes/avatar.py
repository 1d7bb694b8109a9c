# SPDX-License-Identifier: LGPL-2.1-or-later
"""A robot or a human holds a box over a table; a person leads it to another place by a haptic device.

After Keith et al. 2008, Sec. 4 (Fig. 3). The avatar is position controlled; its arms and its trunk give way to the
force on the box, which is taken to its wrists. Over the new place it lets go: the person bears the box, feels its
weight, and puts it down. The device is a simulated one, in a hand with a will of its own.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.scene import (
    Box,
    DeviceForceProbe,
    DistanceProbe,
    HeldDevice,
    KinematicBody,
    ProbeLimit,
    Scene,
    Tool,
)
from softcontact.scene.standing import FRICTION, OFFSET, AvatarOptions, standing_scene

SIZE = (0.12, 0.20, 0.12)  # m, of the box
# Height of the table's top, and where the avatar holds the box: x, and height over the table of its lower side [m].
PLACES = {"robot": (0.70, 0.40, 0.10), "human": (0.86, 0.42, 0.10)}
WOOD = (0.55, 0.42, 0.30)
GRAVITY = 9.81
NEAR = 0.05  # m, to where it is led


class Options(AvatarOptions):
    mass: Annotated[float, Field(ge=0.05, le=0.3)] = 0.2
    """Mass of the box [kg]; a small device bears 3.3 N."""
    way: Annotated[float, Field(ge=-0.25, le=0.25)] = 0.2
    """How far it is led, to the avatar's left (> 0) or right [m]."""
    speed: Annotated[float, Field(ge=0.01, le=0.1)] = 0.05
    """How fast it is led [m/s]."""
    hurry: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    """How much less the person waits between leading, taking over and putting down [-]."""


def scene(**options) -> Scene:
    o = Options(**options)
    top, ahead, above = PLACES[o.who]
    start = np.array([ahead, 0.0, top + above + 0.5 * SIZE[2]])
    over = start + np.array([0.0, o.way, 0.0])
    down = np.array([ahead, o.way, top + 0.5 * SIZE[2] + OFFSET])
    begin = 0.5 / o.hurry  # s
    led = begin + abs(o.way) / o.speed
    release, lowered = led + 1.0 / o.hurry, led + 3.0 / o.hurry
    end = lowered + 1.5 / o.hurry
    weight = o.mass * GRAVITY
    felt = {"reduce": "mean", "start": lowered - 0.4 / o.hurry, "end": lowered}
    return standing_scene(
        o.avatar(holds="box", release=release),
        name="avatar",
        description="An avatar is led by the box that it holds, and lets go of it over another place.",
        duration=end + 0.5,
        bodies=[
            KinematicBody(
                name="table",
                shape=Box(size=(0.40, 1.2, 0.03)),
                position=(ahead + 0.08, 0.0, top - 0.015),
                color=WOOD,
                friction=0.5,
            ),
            KinematicBody(
                name="table leg",
                shape=Box(size=(0.03, 1.0, top - 0.03)),
                position=(ahead + 0.22, 0.0, 0.5 * (top - 0.03)),
                color=WOOD,
            ),
            Tool(
                name="box",
                shape=Box(size=SIZE),
                mass=o.mass,
                position=tuple(start),
                coupling={"stiffness": o.stiffness, "angular_stiffness": 2.0},
                role="object",
                friction=FRICTION,
            ),
        ],
        motions=[
            HeldDevice(
                body="box",
                times=(0.0, begin, led, lowered, end, end + 0.5),
                positions=(start, start, over, over, down, down),
            )
        ],
        probes=[
            DistanceProbe(name="box to where it was led", body="box", point=tuple(over)),
            DistanceProbe(name="box to its new place", body="box", point=tuple(down)),
            DeviceForceProbe(name="force up", body="box", axis="z"),
            DeviceForceProbe(name="force to the left", body="box", axis="y"),
        ],
        checks=[
            ProbeLimit(
                name="led to where the person wants it",
                probe="box to where it was led",
                start=release - 0.1,
                end=release,
                reduce="max",
                maximum=NEAR,
            ),
            ProbeLimit(name="put down there", probe="box to its new place", maximum=NEAR),
            ProbeLimit(
                name="its weight is felt",
                probe="force up",
                minimum=-1.02 * weight,
                maximum=-0.98 * weight,
                **felt,
            ),
        ],
        view={"position": (1.4, -1.9, 1.35), "direction": (-0.62, 1.0, -0.22), "field_of_view": 50.0},
    )
