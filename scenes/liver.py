# SPDX-License-Identifier: LGPL-2.1-or-later
"""A round-tipped probe on a haptic device presses a liver from above and is drawn over it.

After Otaduy & Gross 2007 (Fig. 2). The liver is made in code; `mesh=FILE` takes an organ of your own: a closed
surface, which is filled, or tetrahedra. It lies on the table as in the file, held at its underside.
"""

from typing import Annotated, Literal

from pydantic import Field

from softcontact.scene import (
    DeviceForceProbe,
    Finite,
    Keyframes,
    Material,
    PenetrationLimit,
    ProbeLimit,
    Region,
    Scene,
    Solved,
    TetrahedralBody,
    Tool,
)
from softcontact.scene.library import SceneOptions
from softcontact.scene.probing import DOWNWARD, FREE_FORCE, ProbePath, organ, scope_shape, summit, written
from softcontact.scene.settings import ContactSettings

RADIUS, ABOVE = 0.009, 0.004  # m


class Options(SceneOptions):
    mesh: str | None = None
    """File with your own organ, instead of the liver made in code: a closed surface or tetrahedra."""
    unit: Literal["m", "cm", "mm", "in"] = "m"
    """Length unit of the numbers in that file."""
    resolution: Annotated[int, Field(ge=8, le=40)] = 14
    """Cells of the tetrahedra's lattice along the organ's largest side."""
    young: Annotated[float, Field(ge=500, le=1e6)] = 5.0e3
    """Young's modulus of the organ [Pa]."""
    friction: Annotated[float, Field(ge=0, le=2)] = 0.2
    """Friction coefficient between tool and organ [-]; a wet surface by default."""
    stiffness: Annotated[float, Field(ge=10, le=1e4)] = 500.0
    """Stiffness of the virtual coupling [N/m]."""
    depth: Annotated[float, Field(gt=0, le=0.04)] = 0.01
    """How far the device goes down below first touch [m]."""
    drag: Annotated[float, Field(ge=-0.05, le=0.05)] = 0.03
    """Way sideways, along x [m]."""
    speed: Annotated[float, Field(ge=1e-3, le=0.5)] = 0.03
    """Speed of the device [m/s]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.01
    """Time step, the period of the visual thread [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    body = organ(o.mesh, o.unit, o.resolution)
    low, high = body.bounds
    x, y = -0.2 * high[0] - 0.5 * o.drag, 0.0
    height = float(high[2])
    path = ProbePath((x, y, summit(body, x, y, 1.5 * RADIUS) + ABOVE), o.speed)
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
        duration=path.time,
        time_step=o.time_step,
        gravity=(0.0, 0.0, 0.0),  # the organ's rest shape is the one that it has where it lies
        contact=ContactSettings(model="point", friction=o.friction, alarm_distance=2e-3, contact_offset=5e-4),
        bodies=[
            TetrahedralBody(
                name="organ",
                shape=written(body),
                material=Material(young=o.young, poisson=0.4, density=1050.0, stiffening=8.0),
                fixed_region=Region(low=(*low[:2], -1.0), high=(*high[:2], 0.22 * height)),
                role="organ",
            ),
            Tool(
                name="probe",
                shape=scope_shape(RADIUS, 0.12),
                mass=0.03,
                position=path.start,
                orientation=DOWNWARD,
                coupling={"stiffness": o.stiffness, "angular_stiffness": 5.0},
            ),
        ],
        motions=[Keyframes(body="probe", times=path.times, positions=path.positions)],
        probes=[
            DeviceForceProbe(name="force up", body="probe", axis="z"),
            DeviceForceProbe(name="force along", body="probe", axis="x"),
        ],
        checks=[
            ProbeLimit(
                name="pressed", probe="force up", start=pressed - 0.1, end=pressed, reduce="min", minimum=0.02
            ),
            ProbeLimit(
                name="free again", probe="force up", start=lifted + 0.2, reduce="largest", maximum=FREE_FORCE
            ),
            PenetrationLimit(limit=2e-3),
            Solved(),
            Finite(),
        ],
    )
