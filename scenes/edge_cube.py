# SPDX-License-Identifier: LGPL-2.1-or-later
"""Thumb and index lift a steel cube by two opposite edges (Talvas et al. 2015, Sec. 5.1, Fig. 8).

The fingertips follow a given motion, so what they press with is a result: 2.7 N in grasp 1 and 3 N in grasp 2,
where the weight needs 1.2 N. With `pressure=uniform` and the paper's patch (`patch=mean`) the edges sink into the
pads, the same motion raises less than that, and the cube stays on the table.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.scene import (
    Box,
    Finite,
    Held,
    Lifted,
    NotTurned,
    PairOff,
    PenetrationLimit,
    RigidBody,
    Scene,
    Slip,
)
from softcontact.scene.conditions import only
from softcontact.scene.fingertips import OFFSET, PINCH, FingertipOptions, fingertips, start_path, table

SIZE, LIFT = 0.03, 0.04
CLOSE, CLOSED, LIFTED, END = 0.2, 0.6, 1.4, 2.4
ALONG = (0.0, 1.0, 0.0)  # the fingers lie across the edges
DEPTHS = {1: 1.8e-3, 2: 2.2e-3}


class Options(FingertipOptions):
    conditions = (only("grasp", depth=None),)

    grasp: Annotated[int, Field(ge=1, le=2)] = 1
    """The lighter grasp with about 19 contacts, or the firmer one with about 23."""
    depth: Annotated[float, Field(gt=0, le=0.01)] | None = None
    """How far the fingertips are told to go beyond the edges [m]; by default 1.8 mm in grasp 1, 2.2 mm in grasp 2."""
    mass: Annotated[float, Field(ge=1e-6, le=2)] = 0.2
    """Mass of the cube [kg]."""


def scene(**options) -> Scene:
    o = Options(**options)
    depth = DEPTHS[o.grasp] if o.depth is None else o.depth
    edge = SIZE * np.sqrt(0.5)
    middle = np.array([0.0, 0.0, OFFSET + 0.5 * SIZE])
    paths = {}
    for finger, side in PINCH:
        outward = np.array(side)
        path = paths[finger] = start_path((edge + 0.006) * outward + middle, outward, ALONG)
        path.move(CLOSE, CLOSED, to=(edge - depth) * outward + middle)
        path.move(CLOSED + 0.1, LIFTED, by=(0.0, 0.0, LIFT))
    tips, motions = fingertips(paths, o)
    return Scene(
        name="edge-cube",
        description="Thumb and index lift a steel cube by two opposite edges.",
        duration=END,
        time_step=o.time_step,
        contact=o.settings(),
        bodies=[
            table(),
            RigidBody(
                name="cube",
                shape=Box(size=(SIZE,) * 3),
                mass=o.mass,
                position=(0.0, 0.0, 0.5 * SIZE + OFFSET),
                orientation=(0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8)),
                friction=o.friction,
            ),
            *tips,
        ],
        motions=motions,
        pairs_off=[PairOff(a="thumb", b="index")],
        checks=[
            Lifted(body="cube", height=0.9 * LIFT),
            Held(body="cube", by="index", start=LIFTED, drop=1e-3),
            Slip(body="cube", other="thumb", start=LIFTED, limit=5e-4),
            NotTurned(body="cube", limit=np.radians(5.0)),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )
