# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs scenes and keeps positions and velocities of every body, as the judge needs them."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import judge
import numpy as np
from scipy.spatial.transform import Rotation

import softcontact
from softcontact import runner
from softcontact.scene import Scene
from softcontact.scene.surfaces import tetrahedral_mesh


@dataclass
class Track:
    """One body in time: of its centre of mass, in world axes.

    Attributes:
        poses: of the body axes (n, 7) [m, quaternion x y z w].
        centre: (n, 3) [m].
        velocity: of the centre (n, 3) [m/s].
        spin: angular velocity (n, 3) [rad/s]; zero for soft bodies.
        nodes, node_velocities: of soft bodies (n, k, 3) [m, m/s].
    """

    poses: np.ndarray
    centre: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    nodes: np.ndarray | None = None
    node_velocities: np.ndarray | None = None

    @property
    def rotation(self) -> Rotation:
        """Orientations."""
        return Rotation.from_quat(self.poses[:, 3:])

    def axis(self, direction) -> np.ndarray:
        """A direction of the body in the world (n, 3)."""
        return self.rotation.apply(direction)

    def tilt(self, direction=(0, 0, 1)) -> np.ndarray:
        """Angle that a direction of the body has turned by since the start (n,) [rad]."""
        axes = self.axis(direction)
        return np.arctan2(np.linalg.norm(np.cross(axes, axes[0]), axis=1), axes @ axes[0])


@dataclass
class Run:
    """A run and what the judge saw of it.

    Attributes:
        scene: what was run.
        time: (n,) [s], from the start.
        tracks: by body, those that move or are moved.
        result: softcontact's own.
    """

    scene: Scene
    time: np.ndarray
    tracks: dict[str, Track]
    result: Any = field(repr=False, default=None)

    def __getitem__(self, body: str) -> Track:
        return self.tracks[body]

    @property
    def exit_code(self) -> int:
        return self.result.exit_code

    @property
    def message(self) -> str:
        """Why the run ended early, or which of its own checks failed."""
        failed = [f"{c['name']} {c['value']:.3g}" for c in self.result.checks if not c["passed"]]
        return self.result.message or ", ".join(failed)

    @property
    def still(self) -> set[str]:
        """Bodies that move by prescription alone."""
        return {body.name for body in self.scene.bodies if body.kind == "kinematic"}

    @cached_property
    def _moments(self) -> dict[str, Any]:
        return {body.name: judge.moments(body) for body in self.scene.bodies if body.kind == "rigid"}

    @cached_property
    def _tissues(self) -> dict[str, judge.Tissue]:
        return {body.name: judge.Tissue.of(body) for body in self.scene.bodies if body.kind == "tetrahedral"}

    def placed(self, at: int = -1) -> list[judge.Placed]:
        """All solids at one of the recorded moments."""
        return [
            judge.place(body, track.poses[at], None if track.nodes is None else track.nodes[at])
            for body in self.scene.bodies
            if (track := self.tracks.get(body.name)) is not None
        ]

    def overlap(self, at: int = -1) -> tuple[float, float, str]:
        """Largest overlap at a moment; see judge.deepest."""
        return judge.deepest(self.placed(at), self.still)

    def worst_overlap(self, count: int = 10) -> tuple[float, float, str]:
        """Largest overlap at some moments, evenly spread, the last among them."""
        moments = np.unique(np.linspace(0, len(self.time) - 1, count).astype(int))
        return max(self.overlap(at) for at in moments)

    def kinetic(self) -> np.ndarray:
        """Kinetic energy of all bodies (n,) [J]."""
        total = np.zeros(len(self.time))
        for name, (mass, _, inertia) in self._moments.items():
            track = self.tracks[name]
            spin = track.rotation.inv().apply(track.spin)
            total += 0.5 * mass * (track.velocity**2).sum(axis=1)
            total += 0.5 * np.einsum("ni,ij,nj->n", spin, inertia, spin)
        for name, tissue in self._tissues.items():
            total += [tissue.kinetic(v) for v in self.tracks[name].node_velocities]
        return total

    def potential(self) -> np.ndarray:
        """Potential and elastic energy of all bodies (n,) [J]."""
        total, g = np.zeros(len(self.time)), np.array(self.scene.gravity)
        for name, (mass, _, _) in self._moments.items():
            total -= mass * self.tracks[name].centre @ g
        for name, tissue in self._tissues.items():
            total -= tissue.masses.sum() * self.tracks[name].centre @ g
            total += [tissue.elastic(x) for x in self.tracks[name].nodes]
        return total

    def energy(self) -> np.ndarray:
        """Total energy of all bodies (n,) [J]."""
        return self.kinetic() + self.potential()

    def gain(self) -> float:
        """Largest excess of the total energy over that of the start, over the largest fall of it or m g size [-]."""
        energy = self.energy()
        return float((energy.max() - energy[0]) / self._turned_over(energy))

    def rise(self) -> float:
        """Largest excess of the total energy over what it had come down to before, over the same [-]."""
        energy = self.energy()
        return float((energy - np.minimum.accumulate(energy)).max() / self._turned_over(energy))

    def _turned_over(self, energy: np.ndarray) -> float:
        g = float(np.linalg.norm(self.scene.gravity))
        scale = energy[0] - energy.min()
        for body in self.placed(0):
            if body.name in self._moments:
                scale = max(scale, self._moments[body.name][0] * g * body.size)
        return float(max(scale, 1e-300))

    def momentum(self) -> np.ndarray:
        """Linear and angular momentum of all bodies about the origin (n, 6) [kg m/s, kg m²/s]."""
        total = np.zeros((len(self.time), 6))
        for name, (mass, _, inertia) in self._moments.items():
            track = self.tracks[name]
            total[:, :3] += mass * track.velocity
            turning = track.rotation.inv().apply(track.spin) @ inertia
            total[:, 3:] += mass * np.cross(track.centre, track.velocity) + track.rotation.apply(turning)
        for name, tissue in self._tissues.items():
            x, v = self.tracks[name].nodes, self.tracks[name].node_velocities
            total[:, :3] += np.einsum("k,nkx->nx", tissue.masses, v)
            total[:, 3:] += tissue.turning(x, v)
        return total


class TooSlow(Exception):
    """A run used up its processor time."""


def run(scene: Scene, every: int = 1, limit: float = 30.0) -> Run:
    """Run a scene and keep every n-th step, the last one and the start.

    Args:
        scene: what to run.
        every: steps from one kept moment to the next.
        limit: processor time that it may take [s].
    Raises:
        SceneError: the scene is refused.
        TooSlow: the limit is reached.
    """
    with _watched(scene, every, limit) as seen:
        result = softcontact.run(scene, record=False, replay=False, progress=False)
    watch = seen[0]
    watch.keep(force=True)
    return watch.finish(result)


@contextmanager
def _watched(scene: Scene, every: int, limit: float):
    """Have the engine of the next run looked at after its steps."""
    make, seen, end = runner.make_engine, [], time.process_time() + limit

    def watched(*arguments: Any) -> Any:
        engine = make(*arguments)
        watch = _Watch(scene, engine, every)
        seen.append(watch)
        step = engine.step

        def step_and_keep() -> None:
            if time.process_time() > end:
                raise TooSlow(f"{limit:g} s of processor time are used up at {engine.time:g} s")
            step()
            watch.count += 1
            if watch.count % every == 0:
                watch.keep()

        engine.step = step_and_keep
        return engine

    runner.make_engine = watched
    try:
        yield seen
    finally:
        runner.make_engine = make


class _Watch:
    def __init__(self, scene: Scene, engine: Any, every: int) -> None:
        self.scene, self.engine, self.count = scene, engine, 0
        self.times: list[float] = []
        self.raw: dict[str, list[tuple]] = {
            body.name: [] for body in scene.bodies if body.kind in ("rigid", "kinematic", "tetrahedral")
        }
        self.centres = {b.name: judge.moments(b)[1] for b in scene.bodies if b.kind == "rigid"}
        self.masses = {b.name: judge.Tissue.of(b).masses for b in scene.bodies if b.kind == "tetrahedral"}
        self.slots = self._slots()
        self.keep()

    def _slots(self) -> dict[str, tuple[int, int]]:
        """Where each soft body's positions and velocities begin in the engine's state, and the number of nodes."""
        if not self.masses:
            return {}
        at, slots = 0, {}
        for body in self.scene.bodies:
            if body.kind == "rigid":
                at += 13
            elif body.kind == "tetrahedral":
                count = len(tetrahedral_mesh(body.shape).nodes)
                slots[body.name] = at, count
                at += 6 * count
            elif body.kind != "kinematic":
                raise ValueError(
                    f"{body.name!r} is {body.kind}, which the zoo does not read beside soft bodies"
                )
        length = len(self.engine.state())
        if at != length:
            raise ValueError(f"the engine's state has {length} numbers, expected {at}")
        return slots

    def keep(self, force: bool = False) -> None:
        if force and self.times and self.times[-1] == self.engine.time:
            return
        self.times.append(self.engine.time)
        state = self.engine.state() if self.slots else None
        for body in self.scene.bodies:
            if body.kind == "tetrahedral":
                at, n = self.slots[body.name]
                x = state[at : at + 3 * n].reshape(-1, 3)
                self.raw[body.name].append((x, state[at + 3 * n : at + 6 * n].reshape(-1, 3)))
            elif body.kind == "rigid":
                twist = np.array(self.engine.world.joint_velocities(self.engine.number(body.name)))
                self.raw[body.name].append((self.engine.pose(body.name), twist))
            elif body.kind == "kinematic":
                self.raw[body.name].append((self.engine.pose(body.name), np.zeros(6)))

    def finish(self, result: Any) -> Run:
        tracks = {}
        for name, rows in self.raw.items():
            first, second = (np.array(column) for column in zip(*rows, strict=True))
            if name in self.masses:
                share = self.masses[name] / self.masses[name].sum()
                centre, velocity = (np.einsum("k,nkx->nx", share, part) for part in (first, second))
                poses = np.hstack([centre, np.tile([0, 0, 0, 1.0], (len(rows), 1))])
                tracks[name] = Track(poses, centre, velocity, np.zeros_like(centre), first, second)
                continue
            rotation = Rotation.from_quat(first[:, 3:])
            arm = rotation.apply(self.centres.get(name, np.zeros(3)))
            spin = rotation.apply(second[:, 3:])
            velocity = rotation.apply(second[:, :3]) + np.cross(spin, arm)
            tracks[name] = Track(first, first[:, :3] + arm, velocity, spin)
        return Run(self.scene, np.array(self.times), tracks, result)
