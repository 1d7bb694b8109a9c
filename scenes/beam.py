# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cantilever bends down onto a rigid block under a load that then wanders along it, answered by its vademecum.

González et al. 2015 (Sec. 4.1): 40 × 40 × 400 mm, 3 × 3 × 21 nodes, St Venant-Kirchhoff, up to 10⁶ N at any node of the
boundary. The vademecum is built on first use, which takes minutes, and kept.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.scene import (
    Box,
    ContactCount,
    ContactSettings,
    Finite,
    ForceProbe,
    KinematicBody,
    LoadMotion,
    PenetrationLimit,
    PointProbe,
    ProbeLimit,
    Scene,
    Solved,
    VademecumBody,
    VademecumSettings,
)
from softcontact.scene.answered import VademecumOptions
from softcontact.scene.conditions import only
from softcontact.vademecum import Vademecum
from softcontact.vademecum.stock import beam_file

BLOCK = (0.04, 0.08, 0.06)
PRESS, HOLD, WANDER, LIFT = 1.0, 0.2, 2.0, 0.8  # [s]


class Options(VademecumOptions):
    conditions = (only("load", "friction", answer="contact"),)

    answer: Literal["contact", "load"] = "contact"
    """The beam gives way to the block; or answers to its load alone, found in the tabulated distance, as the paper."""
    load: Annotated[float, Field(gt=0, le=1)] = 0.6
    """Size of the load, as a share of 10⁶ N; 1 with answer=load, where distances are tabulated."""
    friction: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Friction coefficient between beam and block [-]; 0 with answer=load."""
    stiffness: Annotated[float, Field(ge=1e5, le=1e9)] = 1e7
    """Force of a point of the block's pointshell per depth [N/m]."""
    height: Annotated[float, Field(ge=-0.4, le=-0.02)] | None = None
    """Height of the block's top from the unloaded beam's axis [m]; by default where the beam's underside comes to under
    half the load, or with answer=load 5 mm above where it comes to."""
    place: Annotated[float, Field(ge=0.1, le=0.45)] = 0.28
    """Where the block's middle lies along the beam [m]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.02
    """Time step [s]."""


def upper_edge(vademecum: Vademecum, least: float) -> list[int]:
    """Loaded nodes along the middle of the beam's upper face, from its end to `least` [m]."""
    rest = vademecum.mesh.nodes[vademecum.cases.nodes]
    top = np.isclose(rest[:, 2], rest[:, 2].max()) & (rest[:, 0] >= least)
    aside = np.abs(rest[:, 1])
    line = np.flatnonzero(top & np.isclose(aside, aside[top].min()) & (rest[:, 1] <= 1e-9))
    return vademecum.cases.nodes[line[np.argsort(-rest[line, 0])]].tolist()


def underside(vademecum: Vademecum, node: int, size: float, along: float) -> float:
    """Height of the beam's underside at a place along it [m], under a load."""
    rest = vademecum.mesh.nodes
    low = np.flatnonzero(np.isclose(rest[:, 2], rest[:, 2].min()))
    moved = rest[low] + vademecum.displacement(node, size)[low]
    order = np.argsort(moved[:, 0])
    return float(np.interp(along, moved[order, 0], moved[order, 2]))


def scene(**options) -> Scene:
    o = Options(**options)
    alone = o.answer == "load"
    file, vademecum = o.vademecum(lambda quick: beam_file(quick=quick, grid=alone, tell=print))
    size = 1.0 if alone else o.load
    way = upper_edge(vademecum, 0.2)
    if o.height is not None:
        height = o.height
    elif alone:
        height = underside(vademecum, way[0], size, o.place) + 0.005
    else:
        height = underside(vademecum, way[0], 0.5 * size, o.place)
    there = PRESS + HOLD + np.linspace(0.0, WANDER, 2 * len(way) - 1)
    end = PRESS + HOLD + WANDER + LIFT
    ends = size if alone else 0.0  # only that size is tabulated
    motion = LoadMotion(
        body="beam",
        times=[0.0, PRESS, *there, end],
        nodes=[way[0], way[0], *way, *way[-2::-1], way[0]],
        sizes=[ends, *[size] * (len(there) + 1), ends],
    )
    tip = int(np.searchsorted(vademecum.mesh.boundary[0], way[0]))
    pressed = [
        ContactCount(name="touches when pressed", start=PRESS, end=PRESS + HOLD, minimum=3),
        ProbeLimit(name="block carries", probe="force on block", reduce="max", minimum=1e3),
        PenetrationLimit(limit=0.02 if alone else 0.005),
    ]
    apart = [ProbeLimit(name="free again", probe="force on block", reduce="final", maximum=1e-3)]
    return Scene(
        name="beam",
        description="A cantilever bends down onto a rigid block under a load that wanders along it.",
        duration=end,
        time_step=o.time_step,
        contact=ContactSettings(friction=o.friction),
        vademecum=VademecumSettings(
            stiffness=o.stiffness,
            spacing=0.005,
            yielding=not alone,
            detection="grid" if alone else "boundary",
        ),
        bodies=[
            VademecumBody(name="beam", file=file, role="object", color=(0.78, 0.33, 0.25)),
            KinematicBody(
                name="block",
                shape=Box(size=BLOCK),
                position=(o.place, 0.0, height - 0.5 * BLOCK[2]),
                role="tool",
                color=(0.25, 0.47, 0.72),
            ),
        ],
        motions=[motion],
        probes=[
            PointProbe(name="end of the beam", body="beam", vertex=tip, axis="norm"),
            ForceProbe(name="force on block", body="block", other="beam"),
        ],
        checks=[Finite(), Solved(), *pressed, *([] if alone else apart)],
    )
