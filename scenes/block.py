# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cylindrical tool on a haptic device presses a soft block from above and is dragged sideways.

The benchmark of Otaduy & Gross 2007 (Sec. 6): a block of 2560 tetrahedra, fixed at its bottom, a tool of 160
triangles; the paper counts up to 25 contacts, the full set of edges and vertices here has up to 52. The device follows
a script in simulated time; what it feels is in the history.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.mesh import tetrahedral_box
from softcontact.mesh.anatomy import BLOCK_CELLS
from softcontact.scene import (
    ContactCount,
    Finite,
    Inclusion,
    Keyframes,
    Material,
    PenetrationLimit,
    PositionProbe,
    Region,
    Scene,
    Solved,
    TetrahedralBody,
    TetrahedralBox,
    TetrahedralMesh,
    Tool,
)
from softcontact.scene.conditions import unless
from softcontact.scene.library import SceneOptions
from softcontact.scene.probing import ProbePath, force_probes, lying_cylinder, pressed_then_free
from softcontact.scene.settings import ContactSettings

SIZE = (0.16, 0.08, 0.04)
GRADED_CELLS = (32, 12, 8)
RADIUS, LENGTH = 0.008, 0.05
ABOVE, DRAG, START = 0.004, 0.05, -0.025  # m


class Options(SceneOptions):
    conditions = (unless("inclusion_x", "inclusion_depth", "inclusion_radius", inclusion=1.0),)

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
    inclusion: Annotated[float, Field(ge=0.01, le=100)] = 1.0
    """Stiffness of a ball inside the block as a multiple of the block's; 1 leaves it out."""
    inclusion_x: Annotated[float, Field(ge=-0.08, le=0.08)] = 0.0
    """Where along the block the ball lies [m]; the tool comes down at -0.025 and is drawn to 0.025."""
    inclusion_depth: Annotated[float, Field(gt=0, lt=0.04)] = 0.018
    """How deep its centre lies below the top [m]."""
    inclusion_radius: Annotated[float, Field(ge=0.005, le=0.02)] = 0.012
    """Radius of the ball [m]."""
    lattice: Literal["even", "graded"] = "even"
    """Cells of the block: 16 × 8 × 4 alike, 2560 tetrahedra, or 32 × 12 × 8, finer below the tool, 15360."""
    start: Annotated[float, Field(ge=-0.05, le=0.05)] = START
    """Where along the block the tool comes down [m]."""
    drag: Annotated[float, Field(ge=0, le=0.1)] = DRAG
    """Way sideways, along x [m]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.01
    """Time step, the period of the visual thread [s]."""


def block_shape(lattice: str) -> TetrahedralBox | TetrahedralMesh:
    """The block's cells, alike, or graded: along x 2.5 mm where the tool passes, along z 2.4 mm at the top."""
    if lattice == "even":
        return TetrahedralBox(size=SIZE, divisions=BLOCK_CELLS, pattern=5)
    made = tetrahedral_box(SIZE, GRADED_CELLS, 5)
    even = [np.linspace(-0.5, 0.5, count + 1) * side for count, side in zip(GRADED_CELLS, SIZE, strict=True)]
    outer = 0.025 + np.cumsum(_rising(0.5 * SIZE[0] - 0.025, 6))
    along = np.concatenate([-outer[::-1], np.linspace(-0.025, 0.025, 21), outer])
    down = 0.5 * SIZE[2] - np.concatenate([[0.0], np.cumsum(_rising(SIZE[2], GRADED_CELLS[2]))])
    nodes = np.array(made.nodes)
    nodes[:, 0] = np.interp(nodes[:, 0], even[0], along)
    nodes[:, 2] = np.interp(nodes[:, 2], even[2], down[::-1])
    return TetrahedralMesh(nodes=nodes, tetrahedra=made.tetrahedra)


def _rising(length: float, count: int) -> np.ndarray:
    """Lengths of cells that fill a length, each a fifth longer than the one before [m]."""
    cells = 1.2 ** np.arange(count)
    return cells * (length / cells.sum())


def scene(**options) -> Scene:
    o = Options(**options)
    touch = SIZE[2] + RADIUS
    path = ProbePath((o.start, 0.0, touch + ABOVE), o.speed)
    path.wait(0.1)
    path.move(z=-ABOVE)
    pressing = path.time
    path.move(z=-o.depth)
    path.wait(0.5)
    pressed = path.time
    if o.drag > 0.0:
        path.move(x=o.drag)
    dragged = path.time
    path.wait(0.2)
    path.move(z=o.depth + ABOVE)
    lifted = path.time
    path.wait(0.1)
    ball = Inclusion(
        centre=(o.inclusion_x, 0.0, 0.5 * SIZE[2] - o.inclusion_depth),
        radius=o.inclusion_radius,
        ratio=o.inclusion,
    )
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
                shape=block_shape(o.lattice),
                material=Material(young=o.young, poisson=o.poisson, density=1000.0),
                inclusions=() if o.inclusion == 1.0 else (ball,),
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
            ContactCount(start=pressing, maximum=60 if o.lattice == "even" else 250),
            ContactCount(name="touched", start=pressed - 0.1, end=dragged, minimum=3),
            *pressed_then_free(pressed, lifted + 0.05, 0.05),
            PenetrationLimit(limit=1e-3),
            Solved(),
            Finite(),
        ],
    )
