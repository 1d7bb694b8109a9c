# SPDX-License-Identifier: LGPL-2.1-or-later
"""Four fingers press an upright bar into the palm and lift it, with the palm as a contact region or without."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.hand import HandTissue, keyframe, posture
from softcontact.scene import (
    Box,
    ContactSettings,
    Cylinder,
    Drift,
    Finite,
    Grasp,
    Hand,
    HandMotion,
    Held,
    KinematicBody,
    Lifted,
    PenetrationLimit,
    RigidBody,
    Scene,
    SceneOptions,
)

CLOSE, SETTLE, LIFT, HOLD = 1.0, 0.2, 0.8, 0.7
LIFT_HEIGHT, START = 0.05, 0.06
# The bar's axis in the palm's frame at the start [m], and the palm's skin there.
BAR_X, SKIN = 0.086, -0.0175
UP = np.array([0.0, 0.0, 1.0])
TURN = (0.5 * np.pi, 0.0, 0.0)  # the palm's y axis, which points to the thumb's side, upright


class Options(SceneOptions):
    palm: Literal["rigid", "soft", "off"] = "soft"
    """The palm: soft pads, a rigid surface, or none, as in the paper."""
    mass: Annotated[float, Field(ge=1e-6, le=20)] = 0.5
    """Mass of the bar [kg]."""
    radius: Annotated[float, Field(ge=0.010, le=0.025)] = 0.018
    """Radius of the bar [m]."""
    force: Annotated[float, Field(gt=0, le=50)] = 5.0
    """Normal force at which a finger stops closing [N]."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and bar [-]."""
    stiffening: Annotated[float, Field(ge=0, le=1000)] = 8.0
    """How the tissue stiffens with strain (see HandTissue.stiffening); 0 is linear."""
    time_step: Annotated[float, Field(gt=0, le=0.02)] = 0.005
    """Time step [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    length = 0.09
    angles = np.array(posture("open")).reshape(5, 4)
    angles[0] = (0.0, -0.40, 0.0, 0.0)
    angles[1:] = [(s, 0.25, 0.30, 0.15) for s in (0.05, 0.0, -0.05, -0.10)]
    place = np.array([0.0, 0.0, START])
    bar = place + np.array([BAR_X, -SKIN + o.radius + 1e-3, -0.5 * length + 0.030])
    lifted = CLOSE + SETTLE + LIFT
    times = [0.0, CLOSE + SETTLE, lifted, lifted + HOLD]
    heights = [0.0, 0.0, LIFT_HEIGHT, LIFT_HEIGHT]
    values = [keyframe(angles, place + h * UP, TURN).tolist() for h in heights]
    floor = bar[2] - 0.5 * length
    return Scene(
        name="palm-grasp",
        description="Four fingers press a bar into the palm and lift it by 5 cm.",
        duration=times[-1],
        time_step=o.time_step,
        contact=ContactSettings(friction=o.friction),
        bodies=[
            KinematicBody(
                name="table",
                shape=Box(size=(0.3, 0.3, 0.01)),
                position=(BAR_X, 0.05, floor - 0.0055),
                friction=0.3,
            ),
            RigidBody(
                name="object",
                shape=Cylinder(radius=o.radius, height=length, segments=32, layers=12, rings=2),
                mass=o.mass,
                position=tuple(bar),
                friction=o.friction,
            ),
            Hand(
                name="hand",
                tissue=HandTissue(friction=o.friction, stiffening=o.stiffening),
                palm=o.palm,
                self_contact=True,
                angles=angles.ravel().tolist(),
                position=tuple(place),
                orientation=(np.sin(0.25 * np.pi), 0.0, 0.0, np.cos(0.25 * np.pi)),
            ),
        ],
        motions=[HandMotion(body="hand", times=times, values=values)],
        grasp=Grasp(
            body="hand",
            start=0.0,
            end=CLOSE,
            force=o.force,
            hand_fingers=("index", "middle", "ring", "little"),
        ),
        checks=[
            Lifted(body="object", height=0.9 * LIFT_HEIGHT),
            Held(body="object", by="hand", start=lifted, drop=0.005),
            Drift(body="object", start=lifted + 0.2, limit=1e-3),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene(palm="rigid", stiffening=0.0))
