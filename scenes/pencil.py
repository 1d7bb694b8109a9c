# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three fingertips pick up a pencil, spin it and put it down again (Talvas et al. 2015, Sec. 5.1, Fig. 7).

Thumb and index pinch the pencil in its middle, the middle finger lies on it 50 mm away. Lifted, the middle finger
walks around the pinch and takes the pencil along; it turns about the axis across thumb and index, whose pads slip in
torsion and do not let go. The middle finger leaves, the pencil stays where it is, and the other two put it down with
its ends exchanged.

A light grip between stiffly led fingers is what holds: 4 N on the 9 mm thick pencil push its sides out of line and
squeeze it out. Coarse pads (`resolution` below 0.8) or point contacts on fine ones carry a light load on one or two
vertices, which resist no spin; then the pencil runs ahead of the middle finger, or turns about one of them.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.mesh.primitives import cylinder
from softcontact.scene import (
    Box,
    Drift,
    Finite,
    ForceProbe,
    Held,
    KinematicBody,
    Lifted,
    Mesh,
    PairOff,
    PenetrationLimit,
    PositionProbe,
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
    start_path,
    table,
)

LENGTH, RADIUS, SIDES, REST = 0.17, 0.005, 8, 0.03
FACE = RADIUS * np.cos(np.pi / SIDES)  # from the axis to a face of the pencil
ARM, LIFT = 0.05, 0.09
CLOSE, CLOSED, UP, SPIN, SPUN, GONE, DOWN, OPEN, END = 0.2, 0.7, 1.7, 1.9, 3.9, 4.8, 6.0, 6.6, 7.2


class Options(FingertipOptions):
    mass: Annotated[float, Field(ge=1e-6, le=0.1)] = 0.008
    """Mass of the pencil [kg]."""
    grip: Annotated[float, Field(gt=0, le=10)] = 1.5
    """Force that thumb and index are led to press a flat face with [N]; the narrow pencil gets 0.9 N of 1.5 N."""
    resolution: Annotated[float, Field(ge=0.5, le=4)] = 0.85
    """Fineness of the pads' contact surfaces; 1 is 2.5 to 3.5 mm between vertices, 2 halves that."""
    coupling: Annotated[float, Field(ge=50, le=1e5)] = 5000.0
    """Stiffness of the springs that pull the fingertips along [N/m]."""
    turn: Annotated[float, Field(gt=0, le=4)] = 3.25
    """How far the middle finger walks around the pinch [rad]; the pads give way by some degrees."""


def sharpened() -> Mesh:
    """A pencil along z, its last tenth a cone."""
    mesh = cylinder(RADIUS, LENGTH, segments=SIDES, layers=10, rings=1)
    vertices = mesh.vertices.copy()
    vertices[vertices[:, 2] > 0.499 * LENGTH, :2] *= 0.2
    return Mesh(vertices=vertices, triangles=mesh.triangles)


def scene(**options) -> Scene:
    o = Options(**options)
    pinch = np.array([0.0, 0.0, REST + OFFSET + FACE])
    lift = np.array([0.0, 0.0, LIFT])
    paths = {}
    for finger, side in PINCH:
        outward = np.array(side)
        face = (FACE + OFFSET) * outward + pinch
        path = paths[finger] = start_path(face + 0.008 * outward, outward, (0.0, 0.0, -1.0))
        path.move(CLOSE, CLOSED, to=face - depth_for(o.grip, o) * outward)
        path.move(CLOSED + 0.1, UP, by=lift)
        path.move(GONE + 0.1, DOWN, by=-lift)
        path.move(DOWN + 0.2, OPEN, to=face + 0.008 * outward)
    above = pinch + np.array([0.0, ARM, FACE + OFFSET])
    path = paths["middle"] = start_path(
        above + np.array([0.0, 0.0, 0.012]), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)
    )
    path.move(CLOSE, CLOSED, to=above - [0.0, 0.0, 1e-4])
    path.move(CLOSED + 0.1, UP, by=lift)
    path.move(SPIN, SPUN, turn=(-o.turn, 0.0, 0.0), about=pinch + lift)
    path.move(SPUN + 0.1, SPUN + 0.4, by=0.008 * np.array([0.0, np.sin(o.turn), np.cos(o.turn)]))
    path.move(SPUN + 0.4, GONE, by=(0.06, 0.0, 0.0))
    tips, motions = fingertips(paths, o)
    rests = [
        KinematicBody(
            name=name, shape=Box(size=(0.03, 0.008, REST)), position=(0.0, y, 0.5 * REST), friction=0.5
        )
        for name, y in (("left rest", -0.045), ("right rest", 0.045))
    ]
    # Its axis from z to y, and faces, not corners, along x and z: a quarter turn about x after one about z.
    half, quarter = 0.5 * np.pi / SIDES, np.sqrt(0.5)
    orientation = quarter * np.array([-np.cos(half), np.sin(half), np.sin(half), np.cos(half)])
    return Scene(
        name="pencil",
        description="Three fingertips pick up a pencil, spin it by half a turn and put it down again.",
        duration=END,
        time_step=o.time_step,
        contact=o.settings(),
        bodies=[
            table(),
            *rests,
            RigidBody(
                name="pencil",
                shape=sharpened(),
                mass=o.mass,
                position=pinch,
                orientation=orientation,
                friction=o.friction,
            ),
            *tips,
        ],
        motions=motions,
        pairs_off=[PairOff(a="left rest", b="table"), PairOff(a="right rest", b="table")],
        probes=[
            PositionProbe(name="height", body="pencil", axis="up"),
            *(ForceProbe(name=f"{finger}_force", body="pencil", other=finger) for finger in paths),
        ],
        checks=[
            Lifted(body="pencil", height=0.9 * LIFT, at=SPIN),
            Turned(
                name="half a turn across the fingers",
                body="pencil",
                axis=(-1, 0, 0),
                start=SPIN,
                end=GONE + 0.1,
                minimum=np.pi,
                maximum=np.pi + 0.2,
            ),
            Held(body="pencil", by="thumb", start=UP, end=GONE + 0.1, drop=0.002),
            Drift(name="not dropped while spun", body="pencil", start=UP, end=GONE + 0.1, limit=0.005),
            ProbeLimit(
                name="middle finger spins it",
                probe="middle_force",
                reduce="mean",
                start=SPIN + 0.2,
                end=SPUN - 0.2,
                minimum=0.01,
            ),
            ProbeLimit(name="put down", probe="height", maximum=pinch[2] + 1e-3, minimum=pinch[2] - 1e-3),
            *(
                ProbeLimit(name=f"{finger} has let go", probe=f"{finger}_force", maximum=0.0)
                for finger in paths
            ),
            Drift(name="lies still", body="pencil", start=END - 0.3, limit=5e-4),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )
