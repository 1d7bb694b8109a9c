# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simple rigid scenes on both sides: as one of ours, and as MuJoCo takes it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.bench.peers.cases import GRAVITY, FloatArray
from softcontact.bench.peers.record import OURS
from softcontact.engines import make_engine
from softcontact.scene import Box, KinematicBody, PairRestitution, RigidBody, Scene, Sphere

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Solid:
    """A homogeneous box or ball.

    Attributes:
        sides: edge lengths (3,) of a box, or the radius of a ball [m].
        position: of its centre (3,) [m].
        mass: [kg].
        velocity, spin: of the centre [m/s], of the body in world axes [rad/s].
        orientation: quaternion x y z w.
    """

    sides: tuple[float, float, float] | float
    position: tuple[float, float, float]
    mass: float = 1.0
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = UPRIGHT

    @property
    def inertia(self) -> FloatArray:
        """Principal moments (3,) [kg m²]."""
        if isinstance(self.sides, float):
            return np.full(3, 0.4 * self.mass * self.sides**2)
        squares = np.array(self.sides) ** 2
        return self.mass / 12.0 * (squares.sum() - squares)


@dataclass(frozen=True)
class Setup:
    """A scene of the zoo.

    Attributes:
        solids: what moves.
        duration: [s].
        gravity: (3,) [m/s²].
        friction: of all.
        floor: whether there is one below z = 0.
        walls: half the width of a square bin, or None.
        restitution: of solids and floor [-].
    """

    solids: tuple[Solid, ...]
    duration: float
    gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY)
    friction: float = 0.5
    floor: bool = True
    walls: float | None = None
    restitution: float = 0.0


@dataclass(frozen=True)
class Motion:
    """What became of a setup: n moments, m solids.

    Attributes:
        time: (n,) [s].
        position: (n, m, 3) [m].
        rotation: (n, m, 3, 3).
        velocity: of the centres (n, m, 3) [m/s].
        spin: in body axes (n, m, 3) [rad/s].
    """

    time: FloatArray
    position: FloatArray
    rotation: FloatArray
    velocity: FloatArray
    spin: FloatArray


Player = Callable[[Setup], Motion]


SECONDS = 60.0  # of processor time that a setup may take


def ours(h: float, aggregate: bool) -> Player:
    """Play a setup in the embedded engine, on points or patches; RuntimeError where it takes too long."""

    def play(setup: Setup) -> Motion:
        engine: Any = make_engine(_scene(setup, h, aggregate))
        numbers = [engine.number(f"b{i}") for i in range(len(setup.solids))]
        rows, end = [], time.process_time() + SECONDS
        for k in range(round(setup.duration / h) + 1):
            if k:
                engine.step()
                if not engine.status()["ok"]:
                    raise RuntimeError(engine.status()["message"])
                if time.process_time() > end:
                    raise RuntimeError(f"{SECONDS:g} s of processor time are used up at {h * k:g} s")
            poses = [engine.world.body_pose(n) for n in numbers]
            twists = np.array([engine.world.joint_velocities(n) for n in numbers])
            rows.append((np.array([p for p, _ in poses]), np.array([q for _, q in poses]), twists))
        position, quaternion, twist = (np.array(column) for column in zip(*rows, strict=True))
        rotation = _matrices(quaternion)
        velocity = np.einsum("nmij,nmj->nmi", rotation, twist[..., :3])
        return Motion(h * np.arange(len(rows)), position, rotation, velocity, twist[..., 3:])

    return play


def _scene(setup: Setup, h: float, aggregate: bool) -> Scene:
    bodies: list[Any] = []
    if setup.floor:
        slab = Box(size=(40.0, 40.0, 0.5))
        bodies.append(
            KinematicBody(name="floor", shape=slab, position=(0, 0, -0.25), friction=setup.friction)
        )
    for i, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1)) if setup.walls else ()):
        away = setup.walls + 0.25
        size = (0.5, 3.0, 6.0) if x else (3.0, 0.5, 6.0)
        place = (away * x, away * y, 3.0)
        bodies.append(
            KinematicBody(name=f"wall{i}", shape=Box(size=size), position=place, friction=setup.friction)
        )
    for i, solid in enumerate(setup.solids):
        ball = isinstance(solid.sides, float)
        shape = Sphere(radius=solid.sides) if ball else Box(size=solid.sides)
        bodies.append(
            RigidBody(
                name=f"b{i}",
                shape=shape,
                mass=solid.mass,
                com=(0, 0, 0),
                inertia=np.diag(solid.inertia).tolist(),
                position=solid.position,
                orientation=solid.orientation,
                velocity=solid.velocity,
                angular_velocity=solid.spin,
                friction=setup.friction,
                aggregate=aggregate,
            )
        )
    bounce = [
        PairRestitution(a="floor", b=f"b{i}", restitution=setup.restitution)
        for i in range(len(setup.solids) if setup.restitution else 0)
    ]
    return Scene(
        name="zoo",
        duration=setup.duration,
        time_step=h,
        gravity=setup.gravity,
        bodies=bodies,
        pair_restitution=bounce,
    )


def mujoco(h: float, option: tuple[str, str]) -> Player:
    """Play a setup in MuJoCo with attributes of <option> and of its geoms."""

    def play(setup: Setup) -> Motion:
        import mujoco as mj

        model = mj.MjModel.from_xml_string(_document(setup, h, option))
        data = mj.MjData(model)
        count = len(setup.solids)
        for i, solid in enumerate(setup.solids):
            turn = Rotation.from_quat(solid.orientation)
            data.qvel[6 * i : 6 * i + 3] = solid.velocity
            data.qvel[6 * i + 3 : 6 * i + 6] = turn.inv().apply(solid.spin)
        rows = [(data.qpos.reshape(count, 7).copy(), data.qvel.reshape(count, 6).copy())]
        for _ in range(round(setup.duration / h)):
            mj.mj_step(model, data)
            rows.append((data.qpos.reshape(count, 7).copy(), data.qvel.reshape(count, 6).copy()))
        if not np.isfinite(data.qpos).all() or data.warning.number.any():
            raise RuntimeError("the simulation diverged or warned")
        q, v = (np.array(column) for column in zip(*rows, strict=True))
        rotation = _matrices(q[..., [4, 5, 6, 3]])
        return Motion(h * np.arange(len(rows)), q[..., :3], rotation, v[..., :3], v[..., 3:])

    return play


def _document(setup: Setup, h: float, option: tuple[str, str]) -> str:
    geom = option[1]
    if setup.restitution:
        # XML reference, solref: two negative numbers are −stiffness, −damping; what a linear spring-damper returns.
        damping = -math.log(setup.restitution) / math.hypot(math.pi, math.log(setup.restitution))
        stiffness = (0.3 / h) ** 2
        geom = f'solref="{-stiffness} {-2.0 * damping * math.sqrt(stiffness)}" solimp="0.99 0.99 0.01"'
    parts = []
    if setup.floor:
        parts.append('<geom type="plane" size="20 20 0.1"/>')
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)) if setup.walls else ():
        away = setup.walls + 0.25
        size = "0.25 1.5 3" if x else "1.5 0.25 3"
        parts.append(f'<geom type="box" size="{size}" pos="{away * x} {away * y} 3"/>')
    for solid in setup.solids:
        x, y, z, w = solid.orientation
        place = " ".join(map(repr, map(float, solid.position)))
        shape = (
            f'type="sphere" size="{solid.sides}"'
            if isinstance(solid.sides, float)
            else f'type="box" size="{" ".join(str(0.5 * s) for s in solid.sides)}"'
        )
        parts.append(
            f'<body pos="{place}" quat="{w} {x} {y} {z}"><freejoint/><geom {shape} mass="{solid.mass}"/></body>'
        )
    g = " ".join(repr(float(x)) for x in setup.gravity)
    return f"""<mujoco><option timestep="{h}" gravity="{g}" {option[0]}/>
      <default><geom friction="{setup.friction} 0 0" {geom}/></default>
      <worldbody>{"".join(parts)}</worldbody></mujoco>"""


def _matrices(quaternions: FloatArray) -> FloatArray:
    n, m, _ = quaternions.shape
    return Rotation.from_quat(quaternions.reshape(-1, 4)).as_matrix().reshape(n, m, 3, 3)


def players(
    mujoco_present: bool, mujoco_options: dict[str, tuple[str, str]]
) -> list[tuple[str, str, Player]]:
    """(tool, setting, player) of all sides."""
    found: list[tuple[str, str, Player]] = []
    for h in (2e-3, 5e-3):
        for aggregate in (False, True):
            name = f"{'patches' if aggregate else 'points'}, h {1e3 * h:g} ms"
            found.append((OURS, name, ours(h, aggregate)))
    for name, option in mujoco_options.items() if mujoco_present else ():
        for h in (2e-3, 5e-3):
            found.append(("MuJoCo", f"{name}, h {1e3 * h:g} ms", mujoco(h, option)))
    return found
