# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scope enters a uterine cavity through the cervix, pushes a polyp aside, bends it and drags it along.

After Otaduy & Gross 2007 (Fig. 2: large deformation of a polyp). The device swings the scope about a pivot in the
cervix. The replay shows the cavity cut open, and the view through the scope as a second camera.
"""

from typing import Annotated

from pydantic import Field

from softcontact.mesh import anatomy
from softcontact.scene import (
    Camera,
    Cut,
    DeviceForceProbe,
    Finite,
    Keyframes,
    NotSelfCrossing,
    PenetrationLimit,
    PointProbe,
    ProbeLimit,
    RecordSettings,
    Scene,
    Solved,
    Tool,
)
from softcontact.scene.library import SceneOptions
from softcontact.scene.probing import PivotPath, nearest_surface_vertex, organ_tissue, scope_shape
from softcontact.scene.settings import ContactSettings

RADIUS, LENGTH = 0.002, 0.11
START = (0.0, 0.0, 0.026)  # the tip, in the cavity's mouth
CUT = -0.0055  # m along y: the replay shows what lies behind, the polyps among it
HEAD = anatomy.POLYPS[0][1]


class Options(SceneOptions):
    young: Annotated[float, Field(ge=500, le=1e5)] = 2.0e4
    """Young's modulus of wall and polyps [Pa]."""
    friction: Annotated[float, Field(ge=0, le=2)] = 0.2
    """Friction coefficient between scope and tissue [-]."""
    stiffness: Annotated[float, Field(ge=10, le=1e4)] = 400.0
    """Stiffness of the virtual coupling [N/m]."""
    push: Annotated[float, Field(gt=0, le=0.012)] = 0.009
    """How far the tip pushes the polyp aside [m]."""
    speed: Annotated[float, Field(ge=1e-3, le=0.2)] = 0.02
    """Speed of the tip [m/s]."""
    cell: Annotated[float, Field(ge=0.002, le=0.004)] = 0.0035
    """Cells of the tetrahedra's lattice [m]."""
    time_step: Annotated[float, Field(gt=0, le=0.05)] = 0.01
    """Time step, the period of the visual thread [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    body = anatomy.uterus(o.cell)
    beside = HEAD[0] - anatomy.POLYPS[0][3] - RADIUS - 0.002
    path = PivotPath(START, anatomy.PIVOT, o.speed)
    path.wait(0.1)
    path.to((beside, HEAD[1], HEAD[2] + 0.001))
    touching = path.time
    path.to((beside + 0.002 + o.push, HEAD[1], HEAD[2] + 0.001))
    path.wait(0.2)
    pushed = path.time
    path.to((beside + 0.002 + o.push, HEAD[1] + 0.003, HEAD[2] + 0.003))
    path.wait(0.1)
    path.to((beside, HEAD[1], HEAD[2] - 0.002))
    path.to(START)
    path.wait(0.4)
    return Scene(
        name="hysteroscopy",
        description="A scope in a uterine cavity pushes, bends and drags a polyp.",
        duration=path.time,
        time_step=o.time_step,
        gravity=(0.0, 0.0, 0.0),  # a cavity distended by fluid, in which the polyps float
        contact=ContactSettings(
            model="point", friction=o.friction, alarm_distance=8e-4, contact_offset=2e-4, max_penetration=4e-3
        ),
        record=RecordSettings(
            frames_per_second=25.0,
            cameras=[
                Camera(name="scope", body="scope", position=(0.0, 0.0, 3e-4), direction=(0.0, 0.0, 1.0))
            ],
            cuts=[Cut(body="uterus", point=(0.0, CUT, 0.0), normal=(0.0, -1.0, 0.0))],
        ),
        bodies=[
            organ_tissue("uterus", body, o.young, fixed_nodes=anatomy.uterus_outside(body)),
            Tool(
                name="scope",
                shape=scope_shape(RADIUS, LENGTH),
                mass=0.05,
                position=path.start,
                orientation=path.orientations[0],
                coupling={"stiffness": o.stiffness, "angular_stiffness": 5.0},
            ),
        ],
        motions=[
            Keyframes(
                body="scope", times=path.times, positions=path.positions, orientations=path.orientations
            )
        ],
        probes=[
            DeviceForceProbe(name="force", body="scope"),
            PointProbe(name="polyp", body="uterus", vertex=nearest_surface_vertex(body, HEAD)),
        ],
        checks=[
            ProbeLimit(
                name="bent", probe="polyp", start=touching, end=pushed, reduce="max", minimum=0.4 * o.push
            ),
            ProbeLimit(name="back again", probe="polyp", maximum=1e-3),
            ProbeLimit(name="felt", probe="force", start=touching, end=pushed, reduce="max", minimum=0.01),
            PenetrationLimit(limit=1e-3),
            # where the polyp is bent most, its tip goes into the wall, which tissue of one body does not feel
            NotSelfCrossing(most=40),
            Solved(),
            Finite(),
        ],
    )
