# SPDX-License-Identifier: LGPL-2.1-or-later
"""A person touches the hand that a robot or a human holds out: takes it, shakes it, leads it aside and lets it go.

After Keith et al. 2008, Sec. 2.1 and 3: interaction by communication. By touch=push the person pushes the palm with a
fingertip on the device instead, and feels the contact.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.scene import (
    DeviceForceProbe,
    DistanceProbe,
    HeldDevice,
    ProbeLimit,
    Scene,
    Sphere,
    Tool,
    Yielding,
)
from softcontact.scene.conditions import only
from softcontact.scene.standing import AvatarOptions, standing_scene

# Where the palm of the right hand is held out [m], and the link that is taken, with its palm in its axes.
OFFERED = {"robot": (0.42, -0.15, 0.85), "human": (0.42, -0.15, 1.05)}
HANDS = {
    "robot": ("right_gripper", (0.0, 0.02, -0.04)),
    "human": ("right_hand", (0.0, 0.012, -0.103)),
}
FINGER = 0.012  # m, radius
RETURN = 0.01  # of k_p: the hand comes back
NEAR, BACK = 0.04, 0.02  # m
LEAST = 0.3  # N, that the person feels


class Options(AvatarOptions):
    conditions = (only("law", touch="push"), only("shakes", "swing", "rate", touch="shake"))

    touch: Literal["shake", "push"] = "shake"
    """The hand is taken and shaken, or pushed by a fingertip."""
    law: Literal["couplings", "contact"] | None = None
    """How a fingertip feels the palm: through two couplings in a row, or through the linear contact model, which wants
    feet and hands on points; by default that for the robot, unless it is on patches, and couplings for the human, whose
    many points are slow."""
    shakes: Annotated[int, Field(ge=1, le=10)] = 3
    """How often it is shaken."""
    swing: Annotated[float, Field(ge=0.005, le=0.06)] = 0.03
    """How far up and down [m]."""
    rate: Annotated[float, Field(ge=0.2, le=2.0)] = 0.8
    """Shakes a second [Hz]."""
    aside: Annotated[float, Field(ge=0.05, le=0.10)] = 0.08
    """How far it is then led, or pushed [m]."""


def shaken(o: Options) -> tuple[list[float], list[tuple[float, float, float]], float, float]:
    """Times [s] and ways [m] of a hand that shakes another and leads it aside; when it has led it, and lets go."""
    times, ways = [0.0, 0.5], [(0.0, 0.0, 0.0)] * 2
    for k in range(1, 16 * o.shakes + 1):
        times.append(0.5 + k / (16 * o.rate))
        ways.append((0.0, 0.0, o.swing * float(np.sin(2.0 * np.pi * k / 16))))
    led = times[-1] + 1.5
    times += [led, led + 0.7]
    ways += [(0.0, o.aside, 0.0)] * 2
    return times, ways, led + 0.7, led + 0.7


def pushed(o: Options) -> tuple[list[float], list[tuple[float, float, float]], float, float]:
    """The same of a fingertip that comes to the palm, pushes it aside, to the right, and leaves it."""
    ways = np.array([0.0, 0.0, 0.01, 0.01 + o.aside, 0.01 + o.aside, -0.02])
    times = np.cumsum([0.0, 0.3, 0.5, o.aside / 0.05, 1.0, 0.7])
    return times.tolist(), [(0.0, -float(way), 0.0) for way in ways], float(times[4]), float(times[5])


def scene(**options) -> Scene:
    o = Options(**options)
    palm = np.array(OFFERED[o.who])
    link, point = HANDS[o.who]
    shaking = o.touch == "shake"
    times, ways, led, free = shaken(o) if shaking else pushed(o)
    end = free + 2.0
    points = o.who == "robot" and "aggregate" not in (o.feet, o.hands)
    law = "couplings" if shaking else o.law or ("contact" if points else "couplings")
    contact = {"feet": o.feet or "point", "hands": o.hands or "point"} if law == "contact" else {}
    avatar = o.avatar(offers=tuple(palm), yielding=Yielding(stiffness_share=RETURN), **contact)
    bodies = []
    felt = o.who
    if shaking:
        motion = HeldDevice(
            body=o.who, link=link, point=point, times=times, positions=ways, end=free, stiffness=o.stiffness
        )
    else:
        felt, start = "finger", palm + np.array([0.0, 0.01 + FINGER, 0.0])
        bodies.append(
            Tool(
                name="finger",
                shape=Sphere(radius=FINGER, frequency=4),
                mass=0.003,
                position=tuple(start),
                coupling={"stiffness": o.stiffness, "angular_stiffness": 0.5},
                friction=0.5,
            )
        )
        motion = HeldDevice(body="finger", times=times, positions=start + np.array(ways), law=law)
    goal = palm + ways[-1] if shaking else palm - (0.0, o.aside, 0.0)
    led_window = {"start": led - 0.1, "end": led, "reduce": "max"}
    return standing_scene(
        avatar,
        name="handshake",
        description="A person touches the hand that an avatar holds out.",
        duration=end,
        bodies=bodies,
        motions=[motion],
        probes=[
            DistanceProbe(name="hand moved", body=o.who, link=link),
            DistanceProbe(name="hand moved aside", body=o.who, link=link, axis="y"),
            DistanceProbe(name="other hand moved", body=o.who, link=link.replace("right", "left")),
            DeviceForceProbe(name="force felt", body=felt),
        ],
        checks=[
            ProbeLimit(
                name="led to where the person wants it",
                probe="hand moved aside",
                minimum=goal[1] - palm[1] - NEAR,
                maximum=goal[1] - palm[1] + NEAR,
                **led_window,
            ),
            ProbeLimit(name="gives way", probe="hand moved", minimum=0.01, reduce="max"),
            ProbeLimit(name="the hand is felt", probe="force felt", start=0.5, reduce="max", minimum=LEAST),
            ProbeLimit(
                name="nothing is felt after", probe="force felt", start=end - 0.5, reduce="max", maximum=0.05
            ),
            ProbeLimit(name="the hand returns", probe="hand moved", maximum=BACK),
        ],
        view={"position": (1.5, -1.5, 1.45), "direction": (-0.8, 1.0, -0.25), "field_of_view": 50.0},
    )
