# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a device stays at rest on a virtual wall."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class WallVerdict:
    """What a sampled wall does to a mass with a damper.

    Attributes:
        spectral_radius: of the map from tick to tick.
        stable: spectral_radius < 1; in a hand or alone, an oscillation dies out.
        passive: the wall never gives more energy than it took, whatever holds the device: b > K T / 2 + B.
    """

    spectral_radius: float
    stable: bool
    passive: bool


def judge_wall(
    mass: float, damping: float, stiffness: float, wall_damping: float = 0.0, period: float = 1e-3
) -> WallVerdict:
    """Judge F = −(K x + B Δx/T), held for a period, on m ẍ + b ẋ = F.

    Between the ticks the device moves exactly; Δx/T is the difference of two readings, as from encoders.

    Args:
        mass: m of the device [kg], > 0.
        damping: b of the device [N s/m], >= 0.
        stiffness: K of the wall [N/m], >= 0.
        wall_damping: B of the wall [N s/m], >= 0.
        period: T of a tick [s], > 0.
    Raises:
        ValueError: an argument out of range.
    Source: Colgate & Brown, Factors affecting the Z-width of a haptic display (1994), for the passive limit.
    """
    for name, value, least in (
        ("mass", mass, False),
        ("damping", damping, True),
        ("stiffness", stiffness, True),
        ("wall_damping", wall_damping, True),
        ("period", period, False),
    ):
        if not (np.isfinite(value) and (value > 0.0 or (least and value == 0.0))):
            raise ValueError(f"{name}: {value}; give a finite number {'>= 0' if least else '> 0'}")
    rate = damping / mass * period
    kept = np.exp(-rate)
    share = -np.expm1(-rate) / rate if rate > 0.0 else 1.0  # (1 − e^−r) / r
    rest = (1.0 - share) / rate if rate > 1e-8 else 0.5 - rate / 6.0  # (1 − share) / r
    step = np.array([[1.0, period * share], [0.0, kept]])
    push = np.array([period**2 * rest, period * share]) / mass
    # State: position, velocity, position one tick before.
    force = np.array([-stiffness - wall_damping / period, 0.0, wall_damping / period])
    system = np.zeros((3, 3))
    system[:2, :2] = step
    system[:2] += np.outer(push, force)
    system[2, 0] = 1.0
    radius = float(np.abs(np.linalg.eigvals(system)).max())
    return WallVerdict(radius, radius < 1.0, damping > stiffness * period / 2.0 + wall_damping)
