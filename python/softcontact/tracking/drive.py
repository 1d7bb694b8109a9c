# SPDX-License-Identifier: LGPL-2.1-or-later
"""From samples of a tracked hand to the targets of each time step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .track import Track
from .values import RateLimiter, RateLimits, clip_to_limits, coordinates

__all__ = ["Driver", "Placement", "step_time", "track_targets"]

FloatArray = NDArray[np.float64]

_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


@dataclass
class Placement:
    """From the tracker's axes to the world.

    Attributes:
        position: origin of the tracker's axes in the world (3,) [m].
        orientation: the tracker's axes in the world, quaternion (x, y, z, w).
        start: palm position (3,) [m] and quaternion that the first sample is put at, or None; later samples move and
            turn from there as tracked.
    """

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    orientation: FloatArray = field(default_factory=lambda: _UPRIGHT.copy())
    start: tuple[FloatArray, FloatArray] | None = None
    _first: tuple[FloatArray, Rotation] | None = None

    def __call__(self, values: FloatArray) -> FloatArray:
        """The row (26,) with the palm in the world; nothing is changed, bit for bit, where nothing is to do."""
        result = np.array(values)
        if self.position.any() or not np.array_equal(self.orientation, _UPRIGHT):
            axes = Rotation.from_quat(self.orientation)
            result[20:23] = self.position + axes.apply(result[20:23])
            result[23:] = (axes * Rotation.from_rotvec(result[23:])).as_rotvec()
        if self.start is not None:
            if self._first is None:
                self._first = result[20:23].copy(), Rotation.from_rotvec(result[23:]).inv()
            place, back = self._first
            result[20:23] += self.start[0] - place
            turned = Rotation.from_rotvec(result[23:]) * back * Rotation.from_quat(self.start[1])
            result[23:] = turned.as_rotvec()
        return result


class Driver:
    """Puts samples into the world, inside joint and rate limits, and remembers what it gave.

    Args:
        placement: where the tracked palm goes.
        limits: fastest motion.
        time_step: of the simulation [s].
    """

    def __init__(self, placement: Placement, limits: RateLimits, time_step: float) -> None:
        self.placement, self.limiter, self.time_step = placement, RateLimiter(limits), time_step
        self.times: list[float] = []
        self.rows: list[FloatArray] = []
        self._before: FloatArray | None = None

    def step(self, values: FloatArray, *, interrupted: bool = False) -> FloatArray:
        """Coordinates (27,) for the next time step, the first ones for time zero.

        Args:
            values: sample (26,) of the source.
            interrupted: whether the source has no new data.
        """
        wanted = clip_to_limits(self.placement(values))
        row = self.limiter.step(wanted, self.time_step, interrupted=interrupted)
        self.times.append(step_time(len(self.times), self.time_step))
        self.rows.append(row)
        self._before = coordinates(row, self._before)[0]
        return self._before


def step_time(number: int, time_step: float) -> float:
    """Time at which the World asks for the target of step `number`, to the last bit; 0 is the start [s]."""
    return number * time_step


def track_targets(
    track: Track,
    placement: Placement,
    limits: RateLimits,
    time_step: float,
    start: float = 0.0,
    steps: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Times (n,) [s] of the steps that a track lasts and the targets (n, 27) of the hand's springs.

    Args:
        track: the recording; its first row is time zero.
        placement: from the tracker's axes to the world.
        limits: fastest motion of the targets.
        time_step: of the simulation [s].
        start: time in the recording at which the run starts [s].
        steps: most steps that are wanted; None gives all that the recording lasts.
    Raises:
        TrackError: the recording is over before `start`.
    """
    if start > track.duration:
        from .values import TrackError

        raise TrackError(
            f"start: {start:g} s is after the recording's end, {track.duration:g} s; start earlier"
        )
    count = int(np.ceil((track.duration - start) / time_step - 1e-9)) + 1
    if steps is not None:
        count = min(count, steps + 1)
    times = np.array([step_time(k, time_step) for k in range(count)])
    driver = Driver(placement, limits, time_step)
    targets = [driver.step(row) for row in track.at(track.times[0] + start + times)]
    return times, np.array(targets)
