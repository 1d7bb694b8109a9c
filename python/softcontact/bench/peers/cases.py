# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rigid cases, the same numbers for every tool: a block that slides and stops or rests on a slope, and a pinch."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softcontact.bench.peers.record import Column, Row, Table

FloatArray = NDArray[np.float64]

GRAVITY = 9.81  # [m/s²]

# The block: kg; m; friction; m/s; rad from x, away from the axes, where a pyramid of friction is no cone; s.
BLOCK_MASS, BLOCK_SIZE, BLOCK_FRICTION = 1.0, (0.1, 0.1, 0.01), 0.5
SPEED, HEADING, BLOCK_STEP = 2.0, math.pi / 8, 1e-3
STEEP, FLAT = 1.1, 0.9  # tangent of the slope over the friction

# The pinch: kg; m; friction; N; servo of a pad [N/m, N s/m], its mass [kg]; s.
CUBE_MASS, CUBE_SIDE, PINCH_FRICTION, GRIP = 0.045, 0.03, 0.7, 2.0
SERVO_STIFFNESS, SERVO_DAMPING, PAD_MASS, PAD_SIZE = 500.0, 10.0, 0.05, (0.02, 0.02, 0.01)
GRIP_RISE, SETTLED, HOLD, QUICK_HOLD = 0.1, 2.0, 10.0, 2.0
PAD_GAP = 5e-4  # [m] between pad and cube before they close


class Simulation(Protocol):
    """A scene that a tool has made, its free body at rest and in contact, or about to be."""

    def advance(self, steps: int) -> None:
        """Go on by so many steps, in the tool's own compiled loop."""

    def place(self) -> FloatArray:
        """Centre of the free body (3,) [m]."""

    def orientation(self) -> FloatArray:
        """Of the free body, quaternion (4,), in any order that does not change."""

    def velocity(self) -> FloatArray:
        """Of the free body's centre (3,) [m/s]."""

    def push(self, velocity: FloatArray) -> None:
        """Give the free body a velocity (3,) [m/s]."""


@dataclass(frozen=True)
class Setting:
    """One way to run a tool.

    Attributes:
        tool: its name.
        name: what is set.
        step: time step [s].
        block: makes the block on its floor, from gravity (3,) [m/s²].
        pinch: makes the pinch.
    """

    tool: str
    name: str
    step: float
    block: Callable[[FloatArray], Simulation] | None = None
    pinch: Callable[[], Simulation] | None = None


def slide_table() -> Table:
    """The block's table, without rows."""
    short = 0.5 * BLOCK_STEP * SPEED / stopping_distance()
    return Table(
        "block",
        f"Sliding block: {BLOCK_MASS:g} kg, μ {BLOCK_FRICTION:g}, {SPEED:g} m/s at {math.degrees(HEADING):g}° to its "
        f"sides; then slopes of {STEEP:g} and {FLAT:g} times the friction",
        f"geometry, mass, friction, gravity, start at rest on the floor, time step {1e3 * BLOCK_STEP:g} ms. Closed "
        "forms: v²/(2 μ g), g (sin θ − μ cos θ), rest. An implicit Euler step stops h v/2 short "
        f"({100 * short:.2f} %): distances that are off by less count as even. On the steep slope the acceleration is "
        f"off by {1.0 / (STEEP - 1.0):.0f} times the error of the friction.",
        "contact. SoftContact: Signorini and Coulomb without regularisation. MuJoCo: soft constraints (solref, solimp "
        "at their defaults), regularised friction. Drake: hydroelastic or point contact of finite stiffness.",
        (
            Column("step_s", "step µs", 1e6, 0.0),
            Column("distance_error", "stopping distance off %", 100.0, 1.01 * short),
            Column("heading_error_rad", "off course °", 180.0 / math.pi, 1e-4),
            Column("acceleration_error", "acceleration on the steep slope off %", 100.0, 1e-6),
            Column("creep_m_s", "creep on the flat slope µm/s", 1e6, 1e-9),
        ),
    )


def pinch_table(hold: float) -> Table:
    """The pinch's table, without rows."""
    return Table(
        "pinch",
        f"Pinch: a cube of {1e3 * CUBE_MASS:g} g held for {hold:g} s between two pads pressed with {GRIP:g} N, "
        f"μ {PINCH_FRICTION:g}",
        f"cube {1e3 * CUBE_SIDE:g} mm, pads {' × '.join(f'{1e3 * s:g}' for s in PAD_SIZE)} mm on slides with servos of "
        f"{SERVO_STIFFNESS:g} N/m and {SERVO_DAMPING:g} N s/m, weights of the arms compensated; creep is measured from "
        f"{SETTLED:g} s on.",
        "the pads. SoftContact: rigid pads, and deformable ones of 100 kPa (75 nodes each), which stand "
        "beside the others' rigid ones; Signorini, Coulomb and on patches Contensou without regularisation. MuJoCo: "
        "rigid pads, soft constraints. Drake: hydroelastic pads of 1 MPa. Time steps as told.",
        (
            Column("step_s", "step µs", 1e6, 0.0),
            Column("second_s", "processor a simulated second ms", 1e3, 0.0),
            Column("creep_m_s", "creep µm/s", 1e6, 1e-9),
            Column("turning_rad_s", "turning µrad/s", 1e6, 1e-9),
            Column("sagged_m", "sagged before mm", 1e3),
        ),
    )


def stopping_distance() -> float:
    """v²/(2 μ g) [m]."""
    return SPEED**2 / (2.0 * BLOCK_FRICTION * GRAVITY)


def slope_gravity(factor: float) -> FloatArray:
    """Gravity (3,) on a floor tilted along HEADING by an angle whose tangent is `factor` times the friction."""
    angle = math.atan(BLOCK_FRICTION * factor)
    along = GRAVITY * math.sin(angle)
    return np.array([along * math.cos(HEADING), along * math.sin(HEADING), -GRAVITY * math.cos(angle)])


def slide(setting: Setting, chunks: int = 20) -> Row:
    """The block with one setting: stops, goes down the steep slope, rests on the flat one."""
    assert setting.block is not None
    h = setting.step
    flat = setting.block(np.array([0.0, 0.0, -GRAVITY]))
    flat.advance(round(0.5 / h))
    start = flat.place()
    flat.push(SPEED * np.array([math.cos(HEADING), math.sin(HEADING), 0.0]))
    times = _timed(flat, round(0.8 / h), chunks)
    way = (flat.place() - start)[:2]
    steep = setting.block(slope_gravity(STEEP))
    steep.advance(round(0.1 / h))
    before = steep.velocity()
    steep.advance(round(0.3 / h))
    angle = math.atan(BLOCK_FRICTION * STEEP)
    expected = GRAVITY * (math.sin(angle) - BLOCK_FRICTION * math.cos(angle))
    gained = float(np.linalg.norm(steep.velocity() - before)) / (round(0.3 / h) * h)
    rests = setting.block(slope_gravity(FLAT))
    rests.advance(round(0.5 / h))
    place = rests.place()
    rests.advance(round(2.0 / h))
    return Row(
        setting.tool,
        setting.name,
        {
            "step_s": statistics.median(times),
            "distance_error": float(np.linalg.norm(way)) / stopping_distance() - 1.0,
            "heading_error_rad": math.atan2(way[1], way[0]) - HEADING,
            "acceleration_error": gained / expected - 1.0,
            "creep_m_s": float(np.linalg.norm(rests.place() - place)) / 2.0,
        },
    )


def pinch(setting: Setting, hold: float, chunks: int = 20) -> Row:
    """The pinch with one setting."""
    assert setting.pinch is not None
    simulation = setting.pinch()
    simulation.advance(round(SETTLED / setting.step))
    place, orientation = simulation.place(), simulation.orientation()
    times = _timed(simulation, round(hold / setting.step), chunks)
    after = simulation.place()
    cosine = min(1.0, abs(float(orientation @ simulation.orientation())))
    step = statistics.median(times)
    held = bool(abs(after[2]) < 0.25 * CUBE_SIDE)
    return Row(
        setting.tool,
        setting.name,
        {
            "step_s": step,
            "second_s": step / setting.step,
            "creep_m_s": float(np.linalg.norm(after - place)) / hold,
            "turning_rad_s": 2.0 * math.sqrt(max(0.0, 2.0 - 2.0 * cosine)) / hold,
            "sagged_m": -float(place[2]),
        },
        "" if held else "dropped",
    )


def _timed(simulation: Simulation, steps: int, chunks: int) -> list[float]:
    """Processor time of a step [s] in each of some chunks."""
    times = []
    for number in range(chunks):
        count = steps * (number + 1) // chunks - steps * number // chunks
        began = time.thread_time()
        simulation.advance(count)
        times.append((time.thread_time() - began) / count)
    return times
