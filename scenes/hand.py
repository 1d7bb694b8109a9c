# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deformable hand grasps an object on a table, lifts it and holds it."""

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from softcontact.hand import FINGERS, GraspObject
from softcontact.mesh import MeshError, SurfaceMesh, load_mesh
from softcontact.mesh.bunny import bunny
from softcontact.mesh.formats import SUFFIXES
from softcontact.messages import closest, files_beside
from softcontact.scene import Box, Bunny, Cylinder, Mesh, Scene, TetrahedralBox
from softcontact.scene.conditions import only
from softcontact.scene.following import follow
from softcontact.scene.grasping import LiftOptions, LiftTiming, Target, ball_target, grip_force, lift_scene

APPROACH, ARRIVE, CLOSE, SETTLE, LIFT, HOLD = 0.6, 0.7, 1.1, 0.2, 1.0, 2.0
LIFT_HEIGHT = 0.10
UP = np.array([0.0, 0.0, 1.0])

NAMED = ("ball", "cube", "cylinder", "bunny", "soft-cube")

__all__ = ["FINGERS", "NAMED", "Options", "grip_force", "scene", "shape_of"]


class Options(LiftOptions):
    conditions = (
        only("object_young", object="soft-cube"),
        only("grasp", "fingers", "force", "acceleration", track=None),
    )

    object: str = "ball"
    """What is grasped: ball, cube, cylinder, bunny, soft-cube (4 cm), or a mesh file (STL, OBJ, PLY, VTK, …)."""
    object_scale: Annotated[float, Field(gt=0)] = 1.0
    """Factor on the object's size."""
    unit: Literal["m", "cm", "mm", "in"] = "m"
    """Length unit of a mesh file."""
    grasp: Literal["power", "precision"] = "power"
    """Fingers wrapped around the object, or fingertips."""
    object_young: Annotated[float, Field(ge=2e3, le=1e7)] = 5.0e4
    """Young's modulus of a soft object [Pa]."""
    track: str | None = None
    """What drives the hand in place of the planned grasp: a recording (grasp, which carries the ball, or a file) or
    a live stream, udp://HOST:PORT."""

    @model_validator(mode="after")
    def _readable(self) -> "Options":
        if self.object in NAMED:
            if self.unit != "m":
                raise ValueError(
                    f"unit: '{self.unit}' is for a mesh file, object is '{self.object}'; leave unit out, or use "
                    "object_scale"
                )
        elif not Path(self.object).exists():
            meant = closest(self.object, [*NAMED, *files_beside(self.object, SUFFIXES)])
            hint = f"did you mean '{meant}'?" if meant else f"give one of {', '.join(NAMED)}, or a mesh file"
            raise ValueError(f"object: no object and no file '{self.object}' in {Path.cwd()}; {hint}")
        else:
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
            target = ball_target(0.0375 * s)
            return target.shape, target.grasped, target.height, target.volume
        case "cube":
            half = np.full(3, 0.03 * s)
            shape = Box(size=(0.06 * s,) * 3, divisions=(1, 1, 1))
            return shape, GraspObject("box", half, half * UP), half[2], 8.0 * half.prod()
        case "soft-cube":
            half = np.full(3, 0.02 * s)
            shape = TetrahedralBox(size=(0.04 * s,) * 3, divisions=(4, 4, 4))
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


def called(given: str) -> str:
    """The object in a sentence."""
    return f"a {given}" if given in NAMED else Path(given).name


def scene(**options) -> Scene:
    o = Options(**options)
    made = lift_scene(
        "hand",
        f"A deformable hand grasps {called(o.object)}, lifts it 10 cm and holds it 2 s.",
        o,
        Target(*shape_of(o), o.object_young if o.object == "soft-cube" else None),
        o.grasp,
        LiftTiming(APPROACH, ARRIVE, CLOSE, SETTLE, LIFT, HOLD, LIFT_HEIGHT),
    )
    return made if o.track is None else follow(made, o.track)


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
