# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our side of the rigid cases."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from softcontact import _core
from softcontact.bench.peers import cases
from softcontact.bench.peers.cases import FloatArray, Setting
from softcontact.bench.peers.record import OURS
from softcontact.mesh.primitives import box
from softcontact.mesh.tetrahedral_primitives import tetrahedral_box

PAD_YOUNG, PAD_CELLS = 1e5, (4, 4, 2)  # [Pa]
SURFACE_CELLS = (8, 8, 4)
ALARM = 2e-3  # [m]


class _World:
    def __init__(self, world: Any, body: int) -> None:
        self.world, self.body = world, body

    def advance(self, steps: int) -> None:
        if not self.world.step(steps):
            raise RuntimeError(f"the world stopped: {self.world.status()}")

    def place(self) -> FloatArray:
        return np.array(self.world.body_pose(self.body)[0])

    def orientation(self) -> FloatArray:
        return np.array(self.world.body_pose(self.body)[1])

    def velocity(self) -> FloatArray:
        return np.array(self.world.joint_velocities(self.body)[:3])

    def push(self, velocity: FloatArray) -> None:
        self.world.set_velocity(self.body, np.concatenate([velocity, np.zeros(3)]))


def settings() -> list[Setting]:
    """Points and patches; for the pinch rigid pads, and soft ones at the time step of our scenes."""
    found = [
        Setting(OURS, f"rigid, {_called(model)}, h 1 ms", 1e-3, block=partial(_block, model))
        for model in ("point", "aggregate")
    ]
    for model, soft, step in (
        ("point", False, 2e-3),
        ("aggregate", False, 2e-3),
        ("point", True, 5e-3),
        ("aggregate", True, 2e-3),
        ("aggregate", True, 5e-3),
    ):
        name = f"{'soft' if soft else 'rigid'} pads, {_called(model)}, h {1e3 * step:g} ms"
        found.append(Setting(OURS, name, step, pinch=partial(_pinch, model, soft, step)))
    return found


def _called(model: str) -> str:
    return "patches" if model == "aggregate" else "points"


def _centred(size: tuple[float, float, float], cells: tuple[int, int, int] = (1, 1, 1)) -> Any:
    shape = box(size, cells)
    middle = 0.5 * (shape.vertices.max(axis=0) + shape.vertices.min(axis=0))
    return type(shape)(shape.vertices - middle, shape.triangles)


def _add_box(
    world: Any,
    name: str,
    size: tuple[float, float, float],
    mass: float,
    height: float,
    friction: float,
    aggregate: bool = False,
) -> int:
    a, b, c = size
    shape = _centred(size)
    inertia = mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    place = np.array([0.0, 0.0, height])
    return world.add_rigid_body(
        name,
        shape.vertices,
        shape.triangles,
        mass,
        np.zeros(3),
        inertia,
        position=place,
        friction=friction,
        aggregate=aggregate,
    )


def _block(model: str, gravity: FloatArray) -> _World:
    world = _core.World(
        cases.BLOCK_STEP, gravity, {"contact": model, "contact_offset": 0.0, "alarm_distance": ALARM}
    )
    slab = _centred((4.0, 4.0, 0.1))
    low = slab.vertices - np.array([0.0, 0.0, 0.05])
    world.add_kinematic_body("floor", low, slab.triangles, friction=cases.BLOCK_FRICTION)
    size = cases.BLOCK_SIZE
    mass, friction, patch = cases.BLOCK_MASS, cases.BLOCK_FRICTION, model == "aggregate"
    return _World(world, _add_box(world, "block", size, mass, 0.5 * size[2], friction, patch))


def _pinch(model: str, soft: bool, step: float) -> _World:
    options = {"contact": model, "contact_offset": cases.PAD_GAP, "alarm_distance": ALARM}
    world = _core.World(step, np.array([0.0, 0.0, -cases.GRAVITY]), options)
    reach = 0.5 * (cases.CUBE_SIDE + cases.PAD_SIZE[2]) + cases.PAD_GAP
    root = np.sqrt(0.5)
    for name, side in (("right", 1.0), ("left", -1.0)):
        link = {
            "name": name,
            "joint": "prismatic",
            "axis": [0.0, 0.0, 1.0],
            "position": [side * reach, 0.0, 0.0],
            "orientation": [0.0, side * root, 0.0, root],  # the link's −z looks at the cube
            "mass": cases.PAD_MASS,
            "inertia": cases.PAD_MASS * 1e-4 * np.eye(3),
            "stiffness": [cases.SERVO_STIFFNESS],
            "damping": [cases.SERVO_DAMPING],
        }
        arm = world.add_articulated_body(f"{name} arm", [link], gravity_compensated=True)
        pressed = -cases.GRIP / cases.SERVO_STIFFNESS
        world.set_joint_motion(arm, [0.0, cases.GRIP_RISE], np.array([[0.0], [pressed]]))
        if soft:
            _add_soft_pad(world, arm, f"{name} pad")
        else:
            pad = _centred(cases.PAD_SIZE)
            world.add_link_surface(
                arm, 0, f"{name} pad", pad.vertices, pad.triangles, cases.PINCH_FRICTION, model == "aggregate"
            )
    side = (cases.CUBE_SIDE,) * 3
    return _World(world, _add_box(world, "cube", side, cases.CUBE_MASS, 0.0, cases.PINCH_FRICTION))


def _add_soft_pad(world: Any, arm: int, name: str) -> None:
    mesh = tetrahedral_box(cases.PAD_SIZE, PAD_CELLS)
    nodes = mesh.nodes - 0.5 * (mesh.nodes.max(axis=0) + mesh.nodes.min(axis=0))
    surface = _centred(cases.PAD_SIZE, SURFACE_CELLS)
    held, weights = type(mesh)(nodes, mesh.tetrahedra).embed(surface.vertices)
    world.add_phalanx(
        arm,
        0,
        name,
        nodes,
        mesh.tetrahedra,
        np.array([PAD_YOUNG]),
        np.array([0.4]),
        np.array([1000.0]),
        rayleigh_mass=1.0,
        rayleigh_stiffness=2e-3,
        bound_nodes=np.flatnonzero(nodes[:, 2] >= nodes[:, 2].max() - 1e-9).tolist(),
        bound_stiffness=1e5,
        surface_nodes=held.astype(np.int32),
        surface_weights=weights,
        surface_triangles=surface.triangles,
        friction=cases.PINCH_FRICTION,
    )
