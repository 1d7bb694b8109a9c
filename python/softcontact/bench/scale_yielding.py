# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `bench scale` measures beside rigid bodies: figures on 112 points, soft hands that grasp, soft cubes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softcontact import _core
from softcontact.avatar import WORLD_OPTIONS, StandingAvatar, human
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.mesh import primitives
from softcontact.scene.bodies import KinematicBody, Material, TetrahedralBody
from softcontact.scene.library import load
from softcontact.scene.model import Scene
from softcontact.scene.shapes import Box, TetrahedralBox

APART = 1.0  # between figures and hands [m]
CUBE, CELLS, YOUNG = 0.05, 3, 5e4  # [m], along an edge, [Pa]
FRICTION = 0.5
PALM_Y = 21  # column of a hand's motion
FIGURE_STEP, CUBE_STEP = 1e-3, 2e-3  # [s]


def figures(count: int) -> Any:
    """Humans that hold their posture on soles of 56 points each, side by side on a floor."""
    world = _core.World(FIGURE_STEP, (0.0, 0.0, -9.81), WORLD_OPTIONS)
    ground = primitives.table((2.0, 2.0 + APART * count), 0.1)
    middle = np.array([0.0, 0.5 * APART * (count - 1), 0.0])
    pose = middle, np.array([0.0, 0.0, 0.0, 1.0])
    world.add_kinematic_body("ground", ground.vertices, ground.triangles, *pose, 0.8)
    for i in range(count):
        avatar = replace(human(), name=f"human{i}")
        posture = avatar.standing()
        posture[1] += APART * i
        StandingAvatar(world, avatar, posture=posture)
    return world


def hands(count: int) -> EmbeddedEngine:
    """Soft hands beside each other, each of which grasps and lifts its own ball."""
    one = load("hand")
    bodies: list[Any] = []
    motions: list[Any] = []
    grasps: list[Any] = []
    for i in range(count):
        own = {body.name: f"{body.name}{i}" for body in one.bodies}
        for body in one.bodies:
            x, y, z = body.position
            bodies.append(body.model_copy(update={"name": own[body.name], "position": (x, y + APART * i, z)}))
        for motion in one.motions:
            values = np.array(motion.values)
            values[:, PALM_Y] += APART * i
            motions.append(motion.model_copy(update={"body": own[motion.body], "values": values.tolist()}))
        grasps += [grasp.model_copy(update={"body": own[grasp.body]}) for _, grasp in one.closings()]
    scene = one.model_copy(
        update={"bodies": bodies, "motions": motions, "grasp": None, "grasps": grasps, "checks": []}
    )
    return EmbeddedEngine(scene)


def cubes(count: int) -> EmbeddedEngine:
    """Soft cubes in towers of four, each of which bears the next on one patch."""
    material = Material(young=YOUNG, poisson=0.4, rayleigh_stiffness=0.005)
    shape = TetrahedralBox(size=(CUBE,) * 3, divisions=(CELLS,) * 3)
    bodies: list[Any] = [
        KinematicBody(name="table", shape=Box(size=(10, 10, 0.2)), position=(0, 0, -0.1), friction=FRICTION)
    ]
    for i in range(count):
        tower, level = divmod(i, 4)
        bodies.append(
            TetrahedralBody(
                name=f"cube{i}",
                shape=shape,
                material=material,
                position=(2.0 * CUBE * tower, 0.0, (0.5 + level) * CUBE + 1e-3 * (level + 1)),
                friction=FRICTION,
                aggregate=True,
            )
        )
    return EmbeddedEngine(Scene(name="cubes", duration=1.0, time_step=CUBE_STEP, bodies=bodies))


class Yielding(NamedTuple):
    """What is built, and how long it is run."""

    named: str
    build: Callable[[int], Any]
    most: int
    full_steps: int
    quick_steps: int

    def steps(self, quick: bool) -> int:
        return self.quick_steps if quick else self.full_steps


LAYOUTS = {
    "figures": Yielding("figures on 112 points", figures, 32, 400, 60),
    "hands": Yielding("soft hands", hands, 16, 500, 60),
    "cubes": Yielding("soft cubes in towers", cubes, 32, 300, 60),
}
