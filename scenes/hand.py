# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deformable hand grasps an object on a table, lifts it and holds it."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from softcontact.hand import FINGERS, LINKS, GraspObject, HandModel, HandTissue, plan_grasp
from softcontact.mesh import MeshError, SurfaceMesh, load_mesh
from softcontact.mesh.bunny import bunny
from softcontact.scene import (
    Box,
    Bunny,
    ContactSettings,
    Cylinder,
    Drift,
    Finger,
    Finite,
    Grasp,
    Hand,
    HandMotion,
    Held,
    KinematicBody,
    Lifted,
    Mesh,
    PenetrationLimit,
    RigidBody,
    Scene,
    SceneOptions,
    Slip,
    Sphere,
)

APPROACH, ARRIVE, CLOSE, SETTLE, LIFT, HOLD = 0.6, 0.7, 1.1, 0.2, 1.0, 2.0
LIFT_HEIGHT = 0.10
UP = np.array([0.0, 0.0, 1.0])

NAMED = ("ball", "cube", "cylinder", "bunny")
FingerName = Literal["thumb", "index", "middle", "ring", "little"]


class Options(SceneOptions):
    object: str = "ball"
    """What is grasped: ball, cube, cylinder, bunny, or a mesh file (STL, OBJ, PLY, VTK, …)."""
    object_scale: Annotated[float, Field(gt=0)] = 1.0
    """Factor on the object's size."""
    unit: Literal["m", "cm", "mm", "in"] = "m"
    """Length unit of a mesh file."""
    mass: Annotated[float, Field(gt=0, le=20)] | None = None
    """Mass of the object [kg]; by default from density."""
    density: Annotated[float, Field(gt=0, le=30000)] = 700.0
    """Density of the object [kg/m³]."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and object [-]."""
    contact: Literal["aggregate", "point"] = "aggregate"
    """One constraint a phalanx (aggregate), or one a contact point."""
    friction_law: Literal["contensou", "contensou-decoupled", "coulomb"] = "contensou"
    """Friction law of the aggregates."""
    pressure: Literal["nonuniform", "uniform"] = "nonuniform"
    """Pressure over a phalanx."""
    grasp: Literal["power", "precision"] = "power"
    """Fingers wrapped around the object, or fingertips."""
    fingers: tuple[FingerName, ...] = FINGERS
    """Fingers that close."""
    force: Annotated[float, Field(gt=0, le=50)] | None = None
    """Normal force at which a finger stops closing [N], the thumb at about the sum of the others'; by default 1.2 N,
    2 N for a pinch of two fingers, or what the object's weight needs."""
    young: Annotated[float, Field(gt=0)] = 1.0e5
    """Young's modulus of the finger pads [Pa]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.005
    """Time step [s]."""

    @model_validator(mode="after")
    def _readable(self) -> "Options":
        if self.object not in NAMED:
            try:
                self.mesh()
            except MeshError as error:
                raise ValueError(f"object: {error}") from error
        return self

    def mesh(self) -> SurfaceMesh:
        """The mesh file, checked and scaled, its bounding box around the origin."""
        mesh = load_mesh(self.object, unit=self.unit, scale=self.object_scale)
        return SurfaceMesh(mesh.vertices - 0.5 * (mesh.bounds[0] + mesh.bounds[1]), mesh.triangles)


def shape_of(options: Options):
    """The scene's shape; for the planner, the object on the table; the body's origin over its foot [m]; volume [m³]."""
    s = options.object_scale
    match options.object:
        case "ball":
            r = 0.0375 * s
            return Sphere(radius=r, frequency=8), GraspObject.ball(r), r, 4.0 / 3.0 * np.pi * r**3
        case "cube":
            half = np.full(3, 0.03 * s)
            shape = Box(size=(0.06 * s,) * 3, divisions=(1, 1, 1))
            return shape, GraspObject("box", half, half * UP), half[2], 8.0 * half.prod()
        case "cylinder":
            half = np.array([0.03, 0.03, 0.05]) * s
            shape = Cylinder(radius=half[0], height=2.0 * half[2], segments=40, layers=8, rings=2)
            return shape, GraspObject("cylinder", half, half * UP), half[2], 2.0 * np.pi * half.prod()
        case "bunny":
            mesh = bunny(0.08 * s, coarse=True)
            shape = Bunny(height=0.08 * s, coarse=True)
        case _:
            mesh = options.mesh()
            shape = Mesh(vertices=mesh.vertices.tolist(), triangles=mesh.triangles.tolist())
    height = -mesh.bounds[0][2]
    return shape, GraspObject.of_mesh(mesh.vertices + height * UP, mesh.triangles), height, mesh.volume


def grip_force(options: Options, volume: float, opposed: int) -> float:
    """Force of each finger that opposes the thumb [N]: half as much again as friction needs, at least 1.2.

    One finger alone presses with 2 N at least: a light pinch rolls off what is round.
    """
    if options.force is not None:
        return options.force
    weight = 9.81 * (options.mass or options.density * volume)
    least = 2.0 if opposed == 1 else 1.2
    return min(50.0, max(least, 1.5 * weight / (2.0 * max(options.friction, 0.05) * opposed)))


def scene(**options) -> Scene:
    o = Options(**options)
    shape, target, height, volume = shape_of(o)
    tissue = HandTissue(young=o.young, friction=o.friction)
    plan = plan_grasp(HandModel.build(tissue=tissue), target, o.grasp, o.fingers)
    motion = plan.motion(
        approach_time=APPROACH,
        closing_time=CLOSE + SETTLE,
        lift_time=LIFT,
        lift_height=LIFT_HEIGHT,
        hold_time=HOLD,
    )
    lifted = APPROACH + CLOSE + SETTLE + LIFT
    end = lifted + HOLD
    settled = lifted + 0.5
    return Scene(
        name="hand",
        description=f"A deformable hand grasps a {o.object}, lifts it 10 cm and holds it 2 s.",
        duration=end,
        time_step=o.time_step,
        contact=ContactSettings(
            model=o.contact, friction_law=o.friction_law, pressure=o.pressure, friction=o.friction
        ),
        bodies=[
            KinematicBody(
                name="table", shape=Box(size=(0.5, 0.4, 0.02)), position=(0.0, 0.0, -0.01), friction=0.5
            ),
            RigidBody(
                name="object",
                shape=shape,
                mass=o.mass,
                density=None if o.mass else o.density,
                position=(0.0, 0.0, height + 5e-4),
                friction=o.friction,
            ),
            Hand(name="hand", tissue=tissue, friction=o.friction, self_contact=True),
        ],
        motions=[HandMotion(body="hand", times=motion.times.tolist(), values=motion.values.tolist())],
        grasp=Grasp(
            body="hand",
            start=APPROACH,
            end=APPROACH + CLOSE,
            force=grip_force(o, volume, len(plan.fingers) - 1),
            fingers=[
                Finger(**finger | {"links": [LINKS[link] for link in finger["links"]]})
                for finger in plan.closing(ARRIVE)
            ],
        ),
        checks=[
            Lifted(body="object", height=0.9 * LIFT_HEIGHT),
            Held(body="object", by="hand", start=lifted, drop=0.005),
            Drift(body="object", start=settled, limit=5e-4),
            Slip(body="object", other="hand", start=settled, limit=5e-4),
            PenetrationLimit(limit=2e-3),
            Finite(),
        ],
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
