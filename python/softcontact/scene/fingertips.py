# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which scripted fingertips handle an object: options and parts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from softcontact.hand import (
    FingertipCoupling,
    FingertipPath,
    HandParameters,
    HandTissue,
    fingertip_orientation,
)
from softcontact.scene.bodies import Fingertip, KinematicBody
from softcontact.scene.conditions import only
from softcontact.scene.library import SceneOptions
from softcontact.scene.motions import Keyframes
from softcontact.scene.settings import ContactSettings
from softcontact.scene.shapes import Box

__all__ = [
    "OFFSET",
    "PINCH",
    "FingertipOptions",
    "depth_for",
    "fingertip",
    "fingertips",
    "pinch_limit",
    "start_path",
    "table",
]

OFFSET = 5e-4  # contact offset [m]: things stand this far above each other
PINCH = (("thumb", (-1.0, 0.0, 0.0)), ("index", (1.0, 0.0, 0.0)))  # fingers, and where each comes from
PAD_RADIUS = 9e-3  # of the thumb's and the index's pad at their summit, half their breadth [m]
PAD_STIFFNESS = 4.2  # of a pad on a flat face, over Young's modulus and the pad's radius [-]


class FingertipOptions(SceneOptions):
    """Options of a scene with scripted fingertips."""

    conditions = (only("friction_law", "patch", "pressure", contact="aggregate"),)

    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and object [-]."""
    contact: Literal["aggregate", "point"] = "aggregate"
    """One constraint a fingertip (aggregate), or one a contact point."""
    friction_law: Literal["contensou", "contensou-decoupled", "coulomb"] = "contensou"
    """Friction law of the aggregates; coulomb leaves torsion out."""
    patch: Literal["moments", "mean"] = "moments"
    """The normal force of an aggregate: bears the moments of its pressure, or acts as the one row of the paper."""
    pressure: Literal["nonuniform", "uniform"] = "nonuniform"
    """Pressure over a fingertip."""
    young: Annotated[float, Field(gt=0)] = 1.0e5
    """Young's modulus of the finger pads [Pa]."""
    coupling: Annotated[float, Field(ge=50, le=1e5)] = 2000.0
    """Stiffness of the springs that pull the fingertips along [N/m]."""
    resolution: Annotated[float, Field(ge=0.5, le=4)] = 1.0
    """Fineness of the pads' contact surfaces; 1 is 2.5 to 3.5 mm between vertices, 2 halves that."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.005
    """Time step [s]."""

    def settings(self) -> ContactSettings:
        """Contact settings of the scene."""
        return ContactSettings(
            model=self.contact,
            friction_law=self.friction_law,
            patch=self.patch,
            pressure=self.pressure,
            contact_offset=OFFSET,
            alarm_distance=2e-3,
            friction=self.friction,
        )


def start_path(position: Sequence[float], nail: Sequence[float], along: Sequence[float]) -> FingertipPath:
    """The path of a fingertip that starts with its pad at `position` [m], its nail and its tip looking there."""
    return FingertipPath(position, fingertip_orientation(nail, along))


def fingertip(finger: Any, path: FingertipPath, options: FingertipOptions) -> tuple[Fingertip, Keyframes]:
    """A fingertip named after its finger, and its motion."""
    body = Fingertip(
        name=finger,
        finger=finger,
        position=path.positions[0],
        orientation=path.orientations[0],
        sizes=HandParameters(resolution=options.resolution),
        tissue=HandTissue(young=options.young, friction=options.friction),
        coupling=FingertipCoupling(translation=options.coupling),
        friction=options.friction,
    )
    return body, Keyframes(body=finger, **path.keyframes())


def fingertips(
    paths: Mapping[Any, FingertipPath], options: FingertipOptions
) -> tuple[list[Fingertip], list[Keyframes]]:
    """The fingertips that go along paths, by finger, and their motions."""
    pairs = [fingertip(finger, path, options) for finger, path in paths.items()]
    return [tip for tip, _ in pairs], [motion for _, motion in pairs]


def depth_for(force: float, options: FingertipOptions) -> float:
    """How far beyond a flat face a fingertip is told to go so that it presses with about this force [N]; in [m].

    The springs and the pad in series; the pad's stiffness is a fit for 2 to 9 N.
    """
    return force * (1.0 / options.coupling + 1.0 / (PAD_STIFFNESS * options.young * PAD_RADIUS))


def pinch_limit(moment: float, options: FingertipOptions) -> float:
    """Force of each of two opposed fingertips that just holds a moment about the axis across them [N].

    A pad holds 3π/16 μ N a by Hertz's pressure on a circle of radius a = (3 N R / 4 E*)^(1/3).

    Args:
        moment: [N·m].
        options: friction and Young's modulus count.
    Raises:
        ValueError: no friction, which holds nothing.

    Source: Johnson, Contact Mechanics, Secs. 4.2 and 7.4: Hertz's circle, and its greatest twisting moment.
    """
    if not options.friction > 0.0:
        raise ValueError(f"friction: {options.friction:g} holds no moment; give a positive one")
    modulus = options.young / (1.0 - HandTissue().poisson ** 2)
    lever = 3.0 * np.pi / 16.0 * np.cbrt(0.75 * PAD_RADIUS / modulus)  # of 1 N [m]
    return float((0.5 * moment / (options.friction * lever)) ** 0.75)


def table(size: tuple[float, float] = (0.3, 0.3), friction: float = 0.5) -> KinematicBody:
    """A table whose top lies at z = 0."""
    thick = 0.01
    position = np.array([0.0, 0.0, -0.5 * thick])
    return KinematicBody(name="table", shape=Box(size=(*size, thick)), position=position, friction=friction)
