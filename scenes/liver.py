# SPDX-License-Identifier: LGPL-2.1-or-later
"""A round-tipped probe on a haptic device presses a liver from above and is drawn over it.

After Otaduy & Gross 2007 (Fig. 2). The liver is made in code; `mesh=FILE` takes an organ of your own: tetrahedra, or
a surface, which is filled. Around a surface that is open, crosses itself or is a pile of parts a new one is laid, and
the run says so and how far off it lies; `wrap=never` refuses it instead. The organ lies as in the file, in a bed
that holds what of its surface faces down.
"""

from typing import Annotated, Literal

from pydantic import Field

from softcontact.scene import (
    Finite,
    Keyframes,
    PenetrationLimit,
    Region,
    Scene,
    Solved,
    Tool,
)
from softcontact.scene.conditions import unless
from softcontact.scene.library import SceneOptions
from softcontact.scene.probing import (
    DOWNWARD,
    RESOLUTION,
    ProbePath,
    Wrap,
    force_probes,
    highest,
    organ,
    organ_tissue,
    pressed_then_free,
    scope_shape,
    summit,
    underside,
)
from softcontact.scene.settings import ContactSettings

ABOVE = 0.004  # m


class Options(SceneOptions):
    conditions = (unless("unit", "wrap", "gap", mesh=None), unless("gap", wrap="never"))

    mesh: str | None = None
    """File with your own organ, instead of the liver made in code: a surface or tetrahedra."""
    unit: Literal["m", "cm", "mm", "in"] = "m"
    """Length unit of the numbers in that file."""
    resolution: Annotated[int, Field(ge=8, le=40)] = RESOLUTION
    """Cells of the tetrahedra's lattice along the organ's largest side."""
    wrap: Wrap = "needed"
    """Lay a new surface around that of the file: where it is open or crosses itself (needed), never, or always."""
    gap: Annotated[float, Field(gt=0, le=0.1)] | None = None
    """Widest opening that the new surface bridges [m]; by default a cell."""
    young: Annotated[float, Field(ge=500, le=1e6)] = 5.0e3
    """Young's modulus of the organ [Pa]."""
    friction: Annotated[float, Field(ge=0, le=2)] = 0.2
    """Friction coefficient between tool and organ [-]; a wet surface by default."""
    stiffness: Annotated[float, Field(ge=10, le=1e4)] = 500.0
    """Stiffness of the virtual coupling [N/m]."""
    depth: Annotated[float, Field(gt=0, le=0.04)] = 0.01
    """How far the device goes down below first touch [m]."""
    radius: Annotated[float, Field(ge=0.002, le=0.014)] = 0.009
    """Radius of the probe [m]."""
    drag: Annotated[float, Field(ge=-0.05, le=0.05)] = 0.03
    """Way sideways, along x [m]."""
    speed: Annotated[float, Field(ge=1e-3, le=0.5)] = 0.03
    """Speed of the device [m/s]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.01
    """Time step, the period of the visual thread [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    body, notes = organ(o.mesh, o.unit, o.resolution, o.wrap, o.gap)
    low, high = body.bounds
    x, y = (-0.2 * high[0] - 0.5 * o.drag, 0.0) if o.mesh is None else highest(body)
    height = float(high[2])
    length = min(0.12, max(9.0 * o.radius, 1.2 * float((high - low).max())))
    path = ProbePath((x, y, summit(body, x, y, 1.5 * o.radius) + ABOVE), o.speed)
    path.wait(0.1)
    path.move(z=-ABOVE - o.depth)
    path.wait(0.4)
    pressed = path.time
    if o.drag != 0.0:
        path.move(x=o.drag)
    path.wait(0.2)
    path.move(z=height - path.positions[-1][2] + 2.0 * ABOVE, pace=2.0)
    lifted = path.time
    path.wait(0.3)
    return Scene(
        name="liver",
        description="A probe presses a liver and is drawn over it.",
        notes=notes,
        duration=path.time,
        time_step=o.time_step,
        gravity=(0.0, 0.0, 0.0),  # the organ's rest shape is the one that it has where it lies
        contact=ContactSettings(model="point", friction=o.friction, alarm_distance=2e-3, contact_offset=5e-4),
        bodies=[
            organ_tissue(
                "organ",
                body,
                o.young,
                **(
                    {"fixed_region": Region(low=(*low[:2], -1.0), high=(*high[:2], 0.22 * height))}
                    if o.mesh is None
                    else {"fixed_nodes": underside(body)}
                ),
            ),
            Tool(
                name="probe",
                shape=scope_shape(o.radius, length),
                mass=0.03,
                position=path.start,
                orientation=DOWNWARD,
                coupling={"stiffness": o.stiffness, "angular_stiffness": 5.0},
            ),
        ],
        motions=[Keyframes(body="probe", times=path.times, positions=path.positions)],
        probes=force_probes("probe"),
        checks=[
            *pressed_then_free(pressed, lifted + 0.2, 0.02),
            PenetrationLimit(limit=2e-3),
            Solved(),
            Finite(),
        ],
    )
