# SPDX-License-Identifier: LGPL-2.1-or-later
"""Thumb and index hold a bar at one end, turn it on purpose, and lose it (Talvas et al. 2015, Sec. 5.1, Fig. 9).

The bar's weight turns it about the axis across the fingers; only torsional friction of the two pads holds against
that. They can hold 3π/16 μ N a each, by Hertz's pressure on a circle of radius a(N), which asks for a certain grip.
The fingers lift the bar with `grip`, turn it up and back without slipping, loosen to `above` times the predicted
grip, at which it stays level, and then to `below` times, at which it turns until it hangs. With
`friction_law=coulomb` it turns as soon as it is lifted, however strong the grip.

The springs that pull the fingertips along must be stiffer across than the grip over half the bar's thickness, 0.8 kN/m
here, or the two forces push the fingers past each other.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.scene import (
    Box,
    Finite,
    ForceProbe,
    Held,
    Level,
    NotTurned,
    PairOff,
    PenetrationLimit,
    ProbeLimit,
    RigidBody,
    Scene,
    Turned,
)
from softcontact.scene.fingertips import (
    OFFSET,
    PINCH,
    FingertipOptions,
    depth_for,
    fingertips,
    pinch_limit,
    start_path,
    table,
)

SIZE = (0.02, 0.12, 0.024)
LIFT, TURN = 0.12, np.radians(40.0)
CLOSE, CLOSED, LIFTED, UP, BACK, ABOVE, LOOSEN, BELOW, END = 0.2, 0.7, 1.7, 2.6, 3.6, 4.3, 4.7, 6.2, 7.2


class Options(FingertipOptions):
    mass: Annotated[float, Field(ge=1e-6, le=1)] = 0.04
    """Mass of the bar [kg]."""
    lever: Annotated[float, Field(ge=0.02, le=0.05)] = 0.05
    """Distance from the fingers to the bar's centre [m]."""
    friction: Annotated[float, Field(gt=0, le=10)] = 0.8
    """Friction coefficient between skin and bar [-]."""
    grip: Annotated[float, Field(gt=0, le=20)] = 8.0
    """Force that each finger lifts and turns the bar with [N]."""
    above: Annotated[float, Field(gt=1, le=3)] = 1.5
    """Grip at which the bar has to stay level, over the predicted one [-]."""
    below: Annotated[float, Field(gt=0, lt=1)] = 0.75
    """Grip at which it has to turn, over the predicted one [-]."""


def scene(**options) -> Scene:
    o = Options(**options)
    needed = pinch_limit(9.81 * o.mass * o.lever, o)
    middle = np.array([0.0, 0.0, OFFSET + 0.5 * SIZE[2]])
    paths = {}
    for finger, side in PINCH:
        outward = np.array(side)
        face = (0.5 * SIZE[0] + OFFSET) * outward
        path = paths[finger] = start_path(face + 0.006 * outward + middle, outward, (0.0, 1.0, 0.0))
        path.move(CLOSE, CLOSED, to=face - depth_for(o.grip, o) * outward + middle)
        path.move(CLOSED + 0.1, LIFTED, by=(0.0, 0.0, LIFT))
        path.move(LIFTED + 0.2, UP, turn=(TURN, 0.0, 0.0))
        path.move(UP + 0.2, BACK, turn=(-TURN, 0.0, 0.0))
        for start, end, share in ((BACK + 0.1, ABOVE, o.above), (LOOSEN, BELOW, o.below)):
            loosened = face - depth_for(share * needed, o) * outward + middle + [0.0, 0.0, LIFT]
            path.move(start, end, to=loosened)
    tips, motions = fingertips(paths, o)
    return Scene(
        name="long-bar",
        description="Thumb and index hold a bar at one end, turn it on purpose, and loosen until it turns by itself.",
        duration=END,
        time_step=o.time_step,
        contact=o.settings(),
        bodies=[
            table(),
            RigidBody(
                name="bar",
                shape=Box(size=SIZE, divisions=(1, 6, 2)),
                mass=o.mass,
                position=(0.0, o.lever, middle[2]),
                friction=o.friction,
            ),
            *tips,
        ],
        motions=motions,
        pairs_off=[PairOff(a="thumb", b="index")],
        probes=[ForceProbe(name=f"{finger}_force", body=finger, axis="x") for finger in ("thumb", "index")],
        checks=[
            Level(
                name="level in the lift",
                body="bar",
                direction=(0, 1, 0),
                end=LIFTED + 0.2,
                limit=np.radians(5.0),
            ),
            Turned(
                name="turned up on purpose",
                body="bar",
                axis=(1, 0, 0),
                start=LIFTED + 0.2,
                end=UP + 0.2,
                minimum=0.9 * TURN,
            ),
            NotTurned(
                name="no slip in the turn",
                body="bar",
                other="thumb",
                start=LIFTED + 0.2,
                end=BACK,
                limit=np.radians(3.0),
            ),
            Level(
                name="level above the predicted grip",
                body="bar",
                direction=(0, 1, 0),
                start=BACK,
                end=LOOSEN,
                limit=np.radians(8.0),
            ),
            Turned(
                name="turns below the predicted grip",
                body="bar",
                axis=(-1, 0, 0),
                start=LOOSEN,
                minimum=np.radians(45.0),
            ),
            Held(body="bar", by="thumb", start=LIFTED, end=LOOSEN, drop=0.02),
            ProbeLimit(
                name="grip of the thumb",
                probe="thumb_force",
                reduce="mean",
                start=LIFTED,
                end=UP,
                minimum=-1.1 * o.grip,
                maximum=-0.9 * o.grip,
            ),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )
