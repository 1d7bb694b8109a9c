# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cylindrical tool on a haptic device presses a soft block from above and is dragged sideways.

The benchmark of Otaduy & Gross 2007 (Sec. 6): a block of 2560 tetrahedra, fixed at its bottom, a tool of 160
triangles, up to 25 contacts. The device follows a script in simulated time; what it feels is in the history.
"""

from typing import Annotated

from pydantic import Field

from softcontact.mesh.anatomy import BLOCK_CELLS
from softcontact.scene import (
    ContactCount,
    Finite,
    Keyframes,
    Material,
    PenetrationLimit,
    PositionProbe,
    Region,
    Scene,
    Solved,
    TetrahedralBody,
    TetrahedralBox,
    Tool,
)
from softcontact.scene.library import SceneOptions
from softcontact.scene.probing import ProbePath, force_probes, lying_cylinder, pressed_then_free
from softcontact.scene.settings import ContactSettings

SIZE = (0.16, 0.08, 0.04)
RADIUS, LENGTH = 0.008, 0.05
ABOVE, DRAG, START = 0.004, 0.05, -0.025  # m


class Options(SceneOptions):
    young: Annotated[float, Field(ge=1e3, le=1e7)] = 2.0e4
    """Young's modulus of the block [Pa]; the default is that of liver or fat."""
    poisson: Annotated[float, Field(ge=0, le=0.49)] = 0.45
    """Poisson's ratio of the block [-]."""
    friction: Annotated[float, Field(ge=0, le=2)] = 0.3
    """Friction coefficient between tool and block [-]."""
    stiffness: Annotated[float, Field(ge=10, le=1e5)] = 1000.0
    """Stiffness of the virtual coupling [N/m]."""
    depth: Annotated[float, Field(gt=0, le=0.02)] = 0.01
    """How far the device goes down below first touch [m]; the tool goes less, by the coupling's stretch."""
    speed: Annotated[float, Field(ge=1e-3, le=0.5)] = 0.03
    """Speed of the device [m/s]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.01
    """Time step, the period of the visual thread [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    touch = SIZE[2] + RADIUS
    path = ProbePath((START, 0.0, touch + ABOVE), o.speed)
    path.wait(0.1)
    path.move(z=-ABOVE)
    pressing = path.time
    path.move(z=-o.depth)
    path.wait(0.5)
    pressed = path.time
    path.move(x=DRAG)
    dragged = path.time
    path.wait(0.2)
    path.move(z=o.depth + ABOVE)
    lifted = path.time
    path.wait(0.1)
    shape, orientation = lying_cylinder(RADIUS, LENGTH)
    return Scene(
        name="block",
        description="A cylindrical tool presses a soft block and is dragged sideways over it.",
        duration=path.time,
        time_step=o.time_step,
        gravity=(0.0, 0.0, 0.0),  # the block's rest shape is the one that it has on the table
        contact=ContactSettings(
            model="point", friction=o.friction, alarm_distance=1.5e-3, contact_offset=4e-4
        ),
        bodies=[
            TetrahedralBody(
                name="block",
                shape=TetrahedralBox(size=SIZE, divisions=BLOCK_CELLS, pattern=5),
                material=Material(young=o.young, poisson=o.poisson, density=1000.0),
                position=(0.0, 0.0, 0.5 * SIZE[2]),
                fixed_region=Region(low=(-1.0, -1.0, -1.0), high=(1.0, 1.0, -0.5 * SIZE[2] + 1e-6)),
                role="organ",
            ),
            Tool(
                name="tool",
                shape=shape,
                mass=0.05,
                position=path.start,
                orientation=orientation,
                coupling={"stiffness": o.stiffness, "angular_stiffness": 2.0},
            ),
        ],
        motions=[Keyframes(body="tool", times=path.times, positions=path.positions)],
        probes=[
            *force_probes("tool"),
            PositionProbe(name="tool height", body="tool", axis="z"),
        ],
        checks=[
            ContactCount(start=pressing, maximum=25),
            ContactCount(name="touched", start=pressed - 0.1, end=dragged, minimum=3),
            *pressed_then_free(pressed, lifted + 0.05, 0.05),
            PenetrationLimit(limit=1e-3),
            Solved(),
            Finite(),
        ],
    )
