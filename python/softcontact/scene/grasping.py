# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which hands grasp an object on a table, lift it and hold it: options, timing, parts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field
from scipy.spatial.transform import Rotation

from softcontact.hand import (
    FINGERS,
    LINKS,
    GraspObject,
    GraspPlan,
    HandModel,
    HandParameters,
    HandTissue,
    plan_grasp,
)
from softcontact.scene import bodies, measures, motions, settings, shapes
from softcontact.scene.conditions import only
from softcontact.scene.fields import grasping
from softcontact.scene.library import SceneOptions
from softcontact.scene.model import Scene

__all__ = [
    "BallOptions",
    "FingerName",
    "GraspOptions",
    "Jitter",
    "LiftOptions",
    "LiftTiming",
    "Target",
    "ball_target",
    "closing",
    "contact_settings",
    "grip_force",
    "hand_motion",
    "held_checks",
    "lift_ball",
    "lift_scene",
    "lift_time",
    "table",
]

FingerName = Literal["thumb", "index", "middle", "ring", "little"]
GRAVITY = 9.81


class GraspOptions(SceneOptions):
    """Options of a scene in which hands grasp something."""

    conditions = (only("friction_law", "patch", "pressure", contact="aggregate"),)

    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and object [-]."""
    contact: Literal["aggregate", "point"] = "aggregate"
    """One constraint a phalanx (aggregate), or one a contact point."""
    friction_law: Literal["contensou", "contensou-decoupled", "coulomb"] = "contensou"
    """Friction law of the aggregates."""
    patch: Literal["moments", "mean"] = "moments"
    """The normal force of an aggregate: bears the moments of its pressure, or acts as the one row of the paper."""
    pressure: Literal["nonuniform", "uniform"] = "nonuniform"
    """Pressure over a phalanx."""
    fingers: Annotated[tuple[FingerName, ...], AfterValidator(grasping)] = FINGERS
    """Fingers that close."""
    force: Annotated[float, Field(gt=0, le=50)] | None = None
    """Normal force at which a finger stops closing [N], the thumb at about the sum of the others'; by default 1.2 N,
    2 N for a pinch of two or three fingers, or what the object's weight needs."""
    young: Annotated[float, Field(gt=0)] = 1.0e5
    """Young's modulus of the finger pads [Pa]."""
    acceleration: Annotated[float, Field(gt=0, le=100)] | None = None
    """Greatest acceleration of the lift [m/s²], the default force following; by default that of a lift in 1 s, 0.6."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.005
    """Time step [s]."""

    def tissue(self) -> HandTissue:
        """Tissue of the hand."""
        return HandTissue(young=self.young, friction=self.friction)


class LiftOptions(GraspOptions):
    """Options of a scene in which one hand grasps an object and lifts it."""

    conditions = (only("density", mass=None),)

    mass: Annotated[float, Field(ge=1e-6, le=20)] | None = None
    """Mass of the object [kg]; by default from density."""
    density: Annotated[float, Field(gt=0, le=30000)] = 700.0
    """Density of the object [kg/m³]."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Seed of how far object and hand are from where they are planned to be: the object up to 4 mm and 6° aside, the
    hand up to 2 mm and 3°; by default not at all."""

    def mass_of(self, volume: float) -> float:
        """Mass of an object of some volume [m³]; in [kg]."""
        return self.mass or self.density * volume


class BallOptions(LiftOptions):
    """Options of a scene in which a hand grasps a ball."""

    radius: Annotated[float, Field(ge=0.02, le=0.06)] = 0.0375
    """Radius of the ball [m]."""
    resolution: Annotated[float, Field(ge=0.5, le=4)] = 0.62
    """Fineness of the hand's contact surfaces; 1 is 2.5 to 3.5 mm between palmar vertices, 2 halves that."""


@dataclass(frozen=True)
class LiftTiming:
    """How long each part of a lift takes [s], and how far it goes [m].

    Attributes:
        approach: until the open hand is around the object.
        arrive: of closing, until rigid fingers would touch.
        close: while the fingers close.
        settle: after that, until the lift.
        lift: while the hand rises.
        hold: after that.
        lift_height: rise of the hand [m].
    """

    approach: float = 0.6
    arrive: float = 0.7
    close: float = 1.1
    settle: float = 0.2
    lift: float = 1.0
    hold: float = 2.0
    lift_height: float = 0.10

    @property
    def lifted(self) -> float:
        """End of the lift [s]."""
        return self.approach + self.close + self.settle + self.lift

    def accelerated(self, acceleration: float | None) -> "LiftTiming":
        """The same with a lift of some greatest acceleration [m/s²], where one is given."""
        if acceleration is None:
            return self
        return replace(self, lift=lift_time(acceleration, self.lift_height))

    @property
    def end(self) -> float:
        """End of the scene [s]."""
        return self.lifted + self.hold


@dataclass(frozen=True)
class Target:
    """What is grasped.

    Attributes:
        shape: of the body; a solid makes a soft one.
        grasped: for the planner, the object as it lies on the table.
        height: of the body's origin over its foot [m].
        volume: [m³].
        young: of a soft body's material [Pa].
    """

    shape: Any
    grasped: GraspObject
    height: float
    volume: float
    young: float | None = None


@dataclass(frozen=True)
class Jitter:
    """How far an object and a hand are from where they are planned to be.

    Attributes:
        object_shift: (x, y) [m].
        object_turn: about the vertical [rad].
        hand_shift: (x, y, z) [m].
        hand_turn: rotation vector [rad].
    """

    object_shift: Sequence[float] = (0.0, 0.0)
    object_turn: float = 0.0
    hand_shift: Sequence[float] = (0.0, 0.0, 0.0)
    hand_turn: Sequence[float] = (0.0, 0.0, 0.0)

    @classmethod
    def drawn(cls, seed: int | None) -> "Jitter":
        """Evenly drawn from some seed; none without."""
        if seed is None:
            return cls()
        draw = np.random.default_rng(seed).uniform
        return cls(draw(-0.004, 0.004, 2), draw(-0.1, 0.1), draw(-0.002, 0.002, 3), draw(-0.052, 0.052, 3))

    def moved(self, plan: GraspPlan) -> GraspPlan:
        """The plan carried out by a hand that is a little aside."""
        turn = Rotation.from_rotvec(self.hand_turn) * Rotation.from_rotvec(plan.palm_rotation_vector)
        return replace(
            plan,
            palm_position=plan.palm_position + np.asarray(self.hand_shift),
            palm_rotation_vector=turn.as_rotvec(),
        )


def lift_time(acceleration: float | None, height: float) -> float:
    """Time of a minimum-jerk rise whose greatest acceleration is given [s]; 1 s without.

    Source: x = L (10 s³ - 15 s⁴ + 6 s⁵) has its greatest acceleration, (10/√3) L/T², at s = (3 - √3)/6.
    """
    if acceleration is None:
        return 1.0
    return float(np.sqrt(10.0 / np.sqrt(3.0) * height / acceleration))


def ball_target(radius: float, frequency: int = 8) -> Target:
    """A ball of some radius [m]; see shapes.Sphere for `frequency`."""
    shape = shapes.Sphere(radius=radius, frequency=frequency)
    return Target(shape, GraspObject.ball(radius), radius, 4.0 / 3.0 * np.pi * radius**3)


def grip_force(options: GraspOptions, mass: float, opposed: int) -> float:
    """Force of each finger that opposes the thumb [N]: half as much again as friction needs, at least 1.2.

    One finger or two press with 2 N at least: a light pinch rolls off what is round.

    Args:
        options: what the user chose.
        mass: of the object [kg].
        opposed: fingers that oppose thumbs.
    """
    if options.force is not None:
        return options.force
    weight = (GRAVITY + (options.acceleration or 0.0)) * mass
    least = 2.0 if opposed <= 2 else 1.2
    return min(50.0, max(least, 1.5 * weight / (2.0 * max(options.friction, 0.05) * opposed)))


def hand_motion(plan: GraspPlan, body: str, timing: LiftTiming) -> motions.HandMotion:
    """Motion of a hand that comes, waits while its fingers close, lifts and holds."""
    motion = plan.motion(
        approach_time=timing.approach,
        closing_time=timing.close + timing.settle,
        lift_time=timing.lift,
        lift_height=timing.lift_height,
        hold_time=timing.hold,
    )
    return motions.HandMotion(body=body, times=motion.times.tolist(), values=motion.values.tolist())


def closing(plan: GraspPlan, body: str, timing: LiftTiming, force: float) -> motions.Grasp:
    """Closing of a hand's fingers until each that opposes the thumb presses with `force` [N]."""
    return motions.Grasp(
        body=body,
        start=timing.approach,
        end=timing.approach + timing.close,
        force=force,
        fingers=[
            motions.Finger(**finger | {"links": [LINKS[link] for link in finger["links"]]})
            for finger in plan.closing(timing.arrive)
        ],
    )


def contact_settings(options: GraspOptions) -> settings.ContactSettings:
    """Contact settings that the options ask for."""
    return settings.ContactSettings(
        model=options.contact,
        friction_law=options.friction_law,
        patch=options.patch,
        pressure=options.pressure,
        friction=options.friction,
    )


def table(size: Sequence[float] = (0.5, 0.4, 0.02)) -> bodies.KinematicBody:
    """A table whose top lies at z = 0."""
    return bodies.KinematicBody(
        name="table", shape=shapes.Box(size=size), position=(0.0, 0.0, -0.5 * size[2]), friction=0.5
    )


def held_checks(timing: LiftTiming, by: str = "hand", drift: float = 5e-4, settle: float = 0.0) -> list[Any]:
    """Lifted, held, at rest and not sliding from 0.5 s after the lift, nothing deep inside, all finite.

    Args:
        timing: of the lift.
        by: the hand that counts.
        drift: how far the object may move in the world and in the palm while it is held [m].
        settle: how long after the lift the palm may still swing back on its springs [s].
    """
    settled = timing.lifted + 0.5
    return [
        measures.Lifted(body="object", height=0.9 * timing.lift_height),
        measures.Held(body="object", by=by, start=timing.lifted + settle, drop=0.005),
        measures.Drift(body="object", start=settled, limit=drift),
        measures.Slip(body="object", other=by, start=settled, limit=drift),
        measures.PenetrationLimit(limit=2e-3),
        measures.Finite(),
    ]


def soft_pair_checks(target: Target) -> list[measures.Check]:
    """What is allowed where finger and object both yield: their patch keeps its mean apart, not each point."""
    return [] if target.young is None else [measures.OverlapLimit(patches=0.02)]


def lift_scene(
    name: str,
    description: str,
    options: LiftOptions,
    target: Target,
    kind: str,
    timing: LiftTiming,
    sizes: HandParameters | None = None,
) -> Scene:
    """One hand grasps one object from above or from the side, lifts it and holds it.

    Args:
        name, description: of the scene.
        options: what the user chose.
        target: the object.
        kind: "power" or "precision".
        timing: of the parts.
        sizes: of the hand.
    """
    sizes, tissue, jitter = sizes or HandParameters(), options.tissue(), Jitter.drawn(options.seed)
    timing = timing.accelerated(options.acceleration)
    plan = _planned(sizes, target.grasped, kind, options.fingers)
    force = grip_force(options, options.mass_of(target.volume), len(plan.fingers) - 1)
    if options.seed is not None:
        plan = jitter.moved(plan)
    return Scene(
        name=name,
        description=description,
        duration=timing.end,
        time_step=options.time_step,
        contact=contact_settings(options),
        bodies=[
            table(),
            _object(options, target, jitter),
            bodies.Hand(
                name="hand", sizes=sizes, tissue=tissue, friction=options.friction, self_contact=True
            ),
        ],
        motions=[hand_motion(plan, "hand", timing)],
        grasp=closing(plan, "hand", timing, force),
        checks=[
            *soft_pair_checks(target),
            *held_checks(timing, settle=0.0 if options.acceleration is None else 0.3),
        ],
    )


_last_plan: dict[tuple[Any, ...], GraspPlan] = {}


def _planned(sizes: HandParameters, grasped: GraspObject, kind: str, fingers: tuple[str, ...]) -> GraspPlan:
    """The grasp; of a simple shape the last one is kept, for lifts in a row that differ in other things."""
    key = (sizes.model_dump_json(), grasped.shape, *grasped.half_extents, *grasped.centre, kind, fingers)
    if grasped.grid is not None or key not in _last_plan:
        _last_plan.clear()
        _last_plan[key] = plan_grasp(HandModel.build(sizes), grasped, kind, fingers)
    return _last_plan[key]


def _object(
    options: LiftOptions, target: Target, jitter: Jitter
) -> bodies.RigidBody | bodies.TetrahedralBody:
    placed = {
        "name": "object",
        "shape": target.shape,
        "position": (*jitter.object_shift, target.height + 5e-4),
        "orientation": (0.0, 0.0, np.sin(0.5 * jitter.object_turn), np.cos(0.5 * jitter.object_turn)),
        "friction": options.friction,
    }
    if target.young is None:
        density = None if options.mass else options.density
        return bodies.RigidBody(mass=options.mass, density=density, **placed)
    density = options.mass / target.volume if options.mass else options.density
    return bodies.TetrahedralBody(
        material=bodies.Material(young=target.young, poisson=0.4, density=density, rayleigh_mass=1.0),
        **placed,
    )


def lift_ball(name: str, description: str, kind: str, options: BallOptions) -> Scene:
    """The lift of a rigid ball by a hand of some resolution; see lift_scene."""
    sizes = HandParameters(resolution=options.resolution)
    return lift_scene(name, description, options, ball_target(options.radius), kind, LiftTiming(), sizes)
