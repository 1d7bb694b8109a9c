# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the hand of a simulated device intends."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class HandScript:
    """Poses at times; straight and slerped in between, at rest before and after.

    Attributes:
        times: (k,) [s], rising.
        positions: (k, 3) [m].
        orientations: (k, 4) unit quaternions (x, y, z, w); none: never turned.
    """

    times: FloatArray
    positions: FloatArray
    orientations: FloatArray = field(default_factory=lambda: np.empty((0, 4)))

    def __post_init__(self) -> None:
        times = np.array(self.times, dtype=float).ravel()
        positions = np.array(self.positions, dtype=float).reshape(-1, 3)
        turns = np.array(self.orientations, dtype=float).reshape(-1, 4)
        if len(turns) == 0:
            turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
        for name, value in (("times", times), ("positions", positions), ("orientations", turns)):
            object.__setattr__(self, name, value)

    @property
    def duration(self) -> float:
        """Time of the last pose [s]."""
        return float(self.times[-1])


def press(
    depth: float = 5e-3,
    height: float = 5e-3,
    speed: float = 0.05,
    hold: float = 1.0,
    at: ArrayLike = (0.0, 0.0, 0.0),
) -> HandScript:
    """Down along −z from `height` above `at` to `depth` below it, hold, and up again.

    Args:
        depth, height: [m].
        speed: [m/s], > 0.
        hold: [s], > 0.
        at: (3,) [m].
    Raises:
        ValueError: speed or hold not positive.
    """
    _positive(speed=speed, hold=hold)
    way = (depth + height) / speed
    times = np.cumsum([0.0, max(way, 1e-3), hold, max(way, 1e-3)])
    return HandScript(times, _along([height, -depth, -depth, height], at, axis=2))


def drag(
    depth: float = 3e-3, way: float = 0.03, speed: float = 0.03, at: ArrayLike = (0.0, 0.0, 0.0)
) -> HandScript:
    """Press `depth` into `at` along −z, then go sideways along x by `way` and back [m, m/s].

    Raises:
        ValueError: speed or way not positive.
    """
    _positive(speed=speed, way=way)
    down, across = max(2.0 * depth / speed, 1e-3), way / speed
    times = np.cumsum([0.0, down, 0.2, across, across])
    positions = _along([depth, -depth, -depth, -depth, -depth], at, axis=2)
    positions[:, 0] += [0.0, 0.0, 0.0, way, 0.0]
    return HandScript(times, positions)


def tap(depth: float = 3e-3, height: float = 5e-3, rate: float = 2.0, count: int = 5) -> HandScript:
    """Up and down `count` times at `rate` a second, straight between [m, Hz].

    Raises:
        ValueError: rate or count not positive.
    """
    _positive(rate=rate, count=count)
    z = np.where(np.arange(2 * count + 1) % 2 == 0, height, -depth)
    return HandScript(np.arange(2 * count + 1) / (2.0 * rate), _along(z, (0.0, 0.0, 0.0), axis=2))


def sine(
    amplitude: float = 2e-3, rate: float = 1.0, mean: float = 0.0, duration: float = 5.0, samples: int = 200
) -> HandScript:
    """Up and down along z: mean + amplitude sin(2π rate t), `samples` straight pieces a period [m, Hz, s].

    Raises:
        ValueError: rate or duration not positive.
    """
    _positive(rate=rate, duration=duration, samples=samples)
    times = np.linspace(0.0, duration, max(2, int(np.ceil(samples * rate * duration)) + 1))
    return HandScript(times, _along(mean + amplitude * np.sin(2.0 * np.pi * rate * times), (0, 0, 0), axis=2))


def _along(values: ArrayLike, at: ArrayLike, axis: int) -> FloatArray:
    values = np.asarray(values, dtype=float)
    positions = np.tile(np.asarray(at, dtype=float), (len(values), 1))
    positions[:, axis] += values
    return positions


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name}: {value}; give a positive number")
