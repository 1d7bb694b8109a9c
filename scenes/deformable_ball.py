# SPDX-License-Identifier: LGPL-2.1-or-later
"""A soft ball squeezed, lifted and carried by a soft hand that follows a glove (Talvas et al. 2015, Fig. 6c).

The glove knows nothing of forces: its fingers close beyond the ball's surface, and what the hand presses with is
what ball, skin and joint springs make of that.
"""

from typing import Annotated, Literal

from pydantic import Field

from softcontact.hand import HandParameters
from softcontact.scene import (
    Finite,
    Hand,
    Held,
    Lifted,
    Material,
    OverlapLimit,
    PenetrationLimit,
    PositionProbe,
    ProbeLimit,
    Scene,
    Slip,
    TetrahedralBall,
    TetrahedralBody,
    TrackMotion,
)
from softcontact.scene.grasping import table
from softcontact.scene.library import SceneOptions
from softcontact.scene.settings import ContactSettings
from softcontact.tracking.simulate import BALL_RADIUS

LIFTED, CARRIED, END = 3.0, 4.0, 6.5  # times in the recording [s]
LIFT_HEIGHT, CARRY_WAY = 0.10, 0.08


class Options(SceneOptions):
    track: str = "grasp"
    """What drives the hand: the recording that comes with the package (grasp), or a .csv, .h5 or .jsonl file of a
    hand that lifts a ball by 10 cm and carries it 8 cm along y in the same time."""
    smoothing: Literal["none", "one-euro", "savgol"] = "none"
    """Filter over the recording."""
    density: Annotated[float, Field(ge=20, le=5000)] = 300.0
    """Density of the ball [kg/m³]; foam rubber by default."""
    ball_young: Annotated[float, Field(ge=2e3, le=1e7)] = 3.0e4
    """Young's modulus of the ball [Pa]."""
    young: Annotated[float, Field(gt=0)] = 1.0e5
    """Young's modulus of the finger pads [Pa]."""
    divisions: Annotated[int, Field(ge=3, le=12)] = 4
    """Shells of the ball, n; it has 20 n³ tetrahedra."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and ball [-]."""
    contact: Literal["aggregate", "point"] = "aggregate"
    """One constraint a phalanx (aggregate), or one a contact point."""
    resolution: Annotated[float, Field(ge=0.5, le=4)] = 0.62
    """Fineness of the hand's contact surfaces; 1 is 2.5 to 3.5 mm between palmar vertices, 2 halves that."""
    time_step: Annotated[float, Field(gt=0, le=0.02)] = 0.005
    """Time step [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    return Scene(
        name="deformable-ball",
        description="A soft hand that follows a glove squeezes a soft ball, carries it aside and puts it down.",
        duration=END,
        time_step=o.time_step,
        contact=ContactSettings(model=o.contact, friction=o.friction),
        bodies=[
            table(),
            TetrahedralBody(
                name="object",
                shape=TetrahedralBall(radius=BALL_RADIUS, divisions=o.divisions),
                material=Material(young=o.ball_young, poisson=0.4, density=o.density, rayleigh_mass=1.0),
                position=(0.0, 0.0, BALL_RADIUS + 5e-4),
                friction=o.friction,
            ),
            Hand(
                name="hand",
                sizes=HandParameters(resolution=o.resolution),
                tissue={"young": o.young, "friction": o.friction},
                friction=o.friction,
                self_contact=True,
            ),
        ],
        motions=[TrackMotion(body="hand", source=o.track, smoothing=o.smoothing)],
        probes=[PositionProbe(name="carried", body="object", axis="y")],
        checks=[
            OverlapLimit(limit=0.02, patches=0.05),  # two coarse soft surfaces that close on each other
            Lifted(body="object", height=0.9 * LIFT_HEIGHT, at=LIFTED),
            Held(body="object", by="hand", start=LIFTED, end=CARRIED, drop=0.005),
            Slip(body="object", other="hand", start=LIFTED, end=CARRIED, limit=2e-3),
            ProbeLimit(
                name="carried object",
                probe="carried",
                start=CARRIED - 0.01,
                end=CARRIED,
                minimum=0.9 * CARRY_WAY,
                maximum=1.1 * CARRY_WAY,
            ),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
