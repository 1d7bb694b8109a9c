# SPDX-License-Identifier: LGPL-2.1-or-later
"""Laws of rigid bodies, the same small scenes on both sides: free rotation, rolling, tipping, sliding, stacks,
restitution and overlaps in a heap. Every figure is an error against a closed form or a conserved quantity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from softcontact.bench.peers import zoo_sides
from softcontact.bench.peers.cases import GRAVITY
from softcontact.bench.peers.record import FAULTS, Column, Row, Table, told
from softcontact.bench.peers.zoo_sides import Player, Setup, Solid

OPTIONS = {
    "default (pyramidal, Euler)": ("", ""),
    "elliptic, implicit": ('cone="elliptic" integrator="implicit"', ""),
    "elliptic, RK4, impratio 10, hard": (
        'cone="elliptic" integrator="RK4" impratio="10"',
        'solref="0.01 1" solimp="0.99 0.999 0.001"',
    ),
}
BALL, BOX = 0.05, 0.1  # radius, side [m]


def free_rotation(play: Player, quick: bool) -> float:
    """|E/E₀ − 1| and |ΔL|/L, the larger, of a box that turns freely about no axis of its own at 30 rad/s."""
    size = (0.1, 0.06, 0.03)
    solid = Solid(size, (0.0, 0.0, 0.0), spin=(20.0, 20.0, 10.0))
    motion = play(Setup((solid,), 2.0 if quick else 10.0, (0.0, 0.0, 0.0), floor=False))
    spin, turning = motion.spin[:, 0], motion.spin[:, 0] * solid.inertia
    energy = 0.5 * (spin * turning).sum(axis=1)
    momentum = np.einsum("nij,nj->ni", motion.rotation[:, 0], turning)
    lost = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    return float(max(np.abs(energy / energy[0] - 1.0).max(), lost))


def rolling_down(play: Player, quick: bool) -> float:
    """Acceleration of a ball on a slope of 10° over 5/7 g sin θ, less one."""
    angle = math.radians(10.0)
    gravity = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
    motion = play(Setup((Solid(BALL, (0.0, 0.0, BALL)),), 1.0, gravity))
    late = motion.time > 0.3
    slope = np.polyfit(motion.time[late], motion.velocity[late, 0, 0], 1)[0]
    return float(slope / (5.0 / 7.0 * GRAVITY * math.sin(angle)) - 1.0)


def rolling_on(play: Player, quick: bool) -> float:
    """Speed that a ball which rolls on the level loses in 3 s, over what it had."""
    ball = Solid(BALL, (0.0, 0.0, BALL), velocity=(0.5, 0.0, 0.0), spin=(0.0, 0.5 / BALL, 0.0))
    motion = play(Setup((ball,), 1.0 if quick else 3.0))
    return float(motion.velocity[-1, 0, 0] / 0.5 - 1.0)


def tipping(play: Player, quick: bool) -> float:
    """Angle at which a box three times as high as wide tips, off from atan(1/3) [rad], to a quarter of a degree."""
    right = math.atan(1.0 / 3.0)
    offsets = np.radians([-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0])
    tipped = []
    for offset in offsets:
        angle = right + offset
        gravity = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
        motion = play(
            Setup((Solid((BOX / 2, BOX / 2, 1.5 * BOX), (0.0, 0.0, 0.75 * BOX)),), 2.0, gravity, 1.0)
        )
        tipped.append(motion.rotation[-1, 0, 2, 2] < 0.8)
    wrong = [abs(o) for o, t in zip(offsets, tipped, strict=True) if t != (o > 0)]
    return float(max(wrong, default=0.0))


def sliding(play: Player, quick: bool) -> float:
    """Way that a box goes on the floor, over v²/2μg, less one."""
    mu, speed = 0.3, 1.0
    box = Solid((BOX, BOX, 0.4 * BOX), (0.0, 0.0, 0.2 * BOX))
    settled = play(Setup((box,), 0.2, friction=mu)).position[-1, 0]
    heading = np.array([math.cos(0.4), math.sin(0.4), 0.0])
    thrown = Solid(box.sides, tuple(settled), velocity=tuple(speed * heading))
    motion = play(Setup((thrown,), 0.7, friction=mu))
    way = (motion.position[-1, 0] - motion.position[0, 0]) @ heading
    return float(way / (speed**2 / (2.0 * mu * GRAVITY)) - 1.0)


def _stack(masses: Sequence[float]) -> tuple[Solid, ...]:
    return tuple(
        Solid((BOX, BOX, BOX), (0.0, 0.0, (0.5 + i) * BOX + 2e-4 * (i + 1)), mass)
        for i, mass in enumerate(masses)
    )


def _unrest(motion: Any) -> float:
    """Mean speed of the body that moves most in the last half [m/s]."""
    half = len(motion.time) // 2
    way = np.linalg.norm(motion.position[-1] - motion.position[half], axis=1)
    return float(way.max() / (motion.time[-1] - motion.time[half]))


def stack(play: Player, quick: bool) -> float:
    """Creep of a stack of ten boxes [m/s]."""
    return _unrest(play(Setup(_stack([1.0] * 10), 2.0 if quick else 10.0)))


def heavy_on_light(play: Player, quick: bool) -> float:
    """How deep a box of a thousand times its mass sinks into the one below, over its side."""
    motion = play(Setup(_stack([1.0, 1e3]), 2.0))
    low, high = motion.position[-1, :, 2]
    if abs(motion.position[-1, :, :2]).max() > 0.5 * BOX:
        return 1.0  # it fell off
    return float(max(0.0, 1.0 - (high - low) / BOX, 0.5 - low / BOX))


def restitution(play: Player, quick: bool) -> float:
    """Height that a ball dropped from 1 m with e = 0.8 rises to, over 0.64 m, less one."""
    motion = play(Setup((Solid(BALL, (0.0, 0.0, 1.0 + BALL)),), 1.15, restitution=0.8))
    height = motion.position[:, 0, 2] - BALL
    landed = int(np.argmax(height < 0.05))
    return float(height[landed + np.argmax(height[landed:] > 0.06) :].max() / 0.64 - 1.0)


def heap(play: Player, quick: bool) -> float:
    """Largest overlap at the end in a heap of thirty balls in a bin, over the diameter of the smaller one."""
    rng = np.random.default_rng(5)
    balls = []
    for i in range(12 if quick else 30):
        r = float(rng.choice([0.03, 0.05]))
        place = (*(0.08 * rng.uniform(-1, 1, 2)), 0.08 + 0.1 * i)
        balls.append(Solid(r, tuple(map(float, place)), 1000.0 * 4.19 * r**3))
    motion = play(Setup(tuple(balls), 3.0, walls=0.15))
    radii, x = np.array([b.sides for b in balls], dtype=float), motion.position[-1]
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) + 10.0 * np.eye(len(x))
    smaller = 2.0 * np.minimum(radii[:, None], radii[None])
    inside = [
        ((radii[:, None] + radii[None] - apart) / smaller).max(),
        ((radii - x[:, 2]) / (2 * radii)).max(),
    ]
    inside.append(((np.abs(x[:, :2]).max(axis=1) + radii - 0.15) / (2 * radii)).max())
    return float(max(0.0, *inside))


LAWS: dict[str, tuple[Callable[[Player, bool], float], str, float, float]] = {
    "free_rotation": (free_rotation, "free rotation at 30 rad/s, energy or momentum off %", 100.0, 1e-6),
    "rolling_down": (rolling_down, "5/7 g sin θ off %", 100.0, 1e-4),
    "rolling_on": (rolling_on, "rolling on, speed lost %", 100.0, 1e-4),
    "tipping_rad": (tipping, "tips off by °", 180.0 / math.pi, 1e-3),
    "sliding": (sliding, "v²/2μg off %", 100.0, 0.012),
    "stack_m_s": (stack, "ten boxes creep µm/s", 1e6, 1e-7),
    "heavy_on_light": (heavy_on_light, "1:1000, sunk in %", 100.0, 1e-4),
    "restitution": (restitution, "e = 0.8 height off %", 100.0, 0.01),
    "heap_overlap": (heap, "heap of balls, overlap %", 100.0, 1e-4),
}


def table() -> Table:
    """The zoo's table, without rows."""
    return Table(
        "zoo",
        "The zoo: laws of rigid bodies, each an error against its closed form",
        "geometry, masses, friction, gravity, starts. A box of 10 × 6 × 3 cm turns for 10 s; balls of 5 cm roll; "
        "a box three times as high as wide on slopes; ten boxes for 10 s; thirty balls in a bin for 3 s.",
        "contact. SoftContact: Signorini, Coulomb, Newton's restitution. MuJoCo: soft constraints; spring and damper "
        "for e = 0.8 by solref. Overlaps below 0.01 % and creep below 0.1 µm/s count as none.",
        tuple(Column(key, title, factor, floor) for key, (_, title, factor, floor) in LAWS.items()),
    )


def compare(with_mujoco: bool, quick: bool, say: Callable[[str], None] = lambda text: None) -> Table:
    """Every law on every side."""
    made = table()
    options = dict(list(OPTIONS.items())[:2]) if quick else OPTIONS
    for tool, setting, play in zoo_sides.players(with_mujoco, options):
        say(f"zoo, {tool}: {setting}")
        figures: dict[str, float | None] = {}
        for key, (law, _, _, _) in LAWS.items():
            try:
                figures[key] = law(play, quick)
            except FAULTS as error:
                figures[key] = math.inf
                made.stopped[f"{tool}, {setting}, {key}"] = told(error)
        made.rows.append(Row(tool, setting, figures))
    return made
