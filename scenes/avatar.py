# SPDX-License-Identifier: LGPL-2.1-or-later
"""A robot or a human holds a box over a table; a person leads it to another place by a haptic device.

After Keith et al. 2008, Sec. 4 (Fig. 3). The avatar is position controlled; its arms and its trunk give way to the
force on the box, which is taken to its wrists. Over the new place it lets go: the person bears the box, feels its
weight, and puts it down. The device is a simulated one, in a hand with a will of its own.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.scene import (
    AvatarBody,
    Box,
    Camera,
    ContactSettings,
    DeviceForceProbe,
    DistanceProbe,
    HeldDevice,
    KinematicBody,
    ProbeLimit,
    RecordSettings,
    Scene,
    SceneOptions,
    SolverSettings,
    Tool,
)
from softcontact.scene.standing import standing_checks, standing_probes

SIZE = (0.12, 0.20, 0.12)  # m, of the box
OFFSET = 5e-4  # m
# Height of the table's top, and where the avatar holds the box: x, and height over the table of its lower side [m].
PLACES = {"robot": (0.70, 0.40, 0.10), "human": (0.86, 0.42, 0.10)}
WOOD = (0.55, 0.42, 0.30)
GRAVITY = 9.81
NEAR = 0.05  # m, to where it is led


class Options(SceneOptions):
    who: Literal["robot", "human"] = "robot"
    """Who holds the box."""
    feet: Literal["point", "aggregate"] | None = None
    """One contact a point of the soles (robot 32, human 108), or one patch a foot; by default points for the robot and
    patches for the human, whose many points make the steps long while something is gripped."""
    mass: Annotated[float, Field(ge=0.05, le=0.3)] = 0.2
    """Mass of the box [kg]; a small device bears 3.3 N."""
    way: Annotated[float, Field(ge=-0.25, le=0.25)] = 0.2
    """How far it is led, to the avatar's left (> 0) or right [m]."""
    speed: Annotated[float, Field(ge=0.01, le=0.1)] = 0.05
    """How fast it is led [m/s]."""
    hurry: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    """How much less the person waits between leading, taking over and putting down [-]."""
    stiffness: Annotated[float, Field(ge=100, le=2000)] = 600.0
    """k_p of the virtual coupling [N/m]; its damping is √(2 m k_p)."""


def scene(**options) -> Scene:
    o = Options(**options)
    feet = o.feet or ("point" if o.who == "robot" else "aggregate")
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
    return Scene(
        name="avatar",
        description="An avatar is led by the box that it holds, and lets go of it over another place.",
        duration=end + 0.5,
        time_step=1e-3,
        contact=ContactSettings(
            model=feet, friction_law="contensou", alarm_distance=2e-3, contact_offset=OFFSET, friction=0.8
        ),
        solver=SolverSettings(tolerance=1e-6),
        bodies=[
            KinematicBody(
                name="ground", shape=Box(size=(3.0, 3.0, 0.1)), position=(0.0, 0.0, -0.05), friction=0.8
            ),
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
                friction=0.8,
            ),
            AvatarBody(name=o.who, who=o.who, feet=feet, holds="box", release=release, friction=0.8),
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
            *standing_probes(o.who),
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
            *standing_checks(o.who),
        ],
        record=RecordSettings(
            cameras=[
                Camera(
                    name="from the side",
                    body="ground",
                    position=(1.4, -1.9, 1.35),
                    direction=(-0.62, 1.0, -0.22),
                    up=(0.0, 0.0, 1.0),
                    field_of_view=50.0,
                )
            ]
        ),
    )
