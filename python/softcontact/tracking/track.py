# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recorded motion of one hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .smoothing import one_euro, savitzky_golay
from .values import TrackError, check_values, interpolate

__all__ = ["SMOOTHINGS", "Track"]

FloatArray = NDArray[np.float64]

SMOOTHINGS = ("none", "one-euro", "savgol")


@dataclass(frozen=True)
class Track:
    """Rows of the 26 values of a hand over time.

    Attributes:
        times: strictly rising [s], shape (n,).
        values: shape (n, 26): 20 joint angles [rad], palm position [m], palm rotation vector [rad].
        side: "right" or "left": which hand was tracked.
        note: where it comes from, in a sentence.
    """

    times: FloatArray
    values: FloatArray
    side: str = "right"
    note: str = ""

    def __post_init__(self) -> None:
        times, values = np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)
        if times.ndim != 1 or not len(times) or values.shape[:1] != times.shape:
            raise TrackError(f"track: {values.shape} values for {times.shape} times; give one row a time")
        wrong = np.flatnonzero(~(np.diff(times) > 0.0) | ~np.isfinite(times[1:]))
        if len(wrong) or not np.isfinite(times[0]):
            row = int(wrong[0]) + 1 if len(wrong) else 0
            raise TrackError(
                f"time: row {row}, {times[row]:g} s, is not later than the row before; sort the rows"
            )
        check_values(values, "track")
        if self.side not in ("right", "left"):
            raise TrackError(f"side: {self.side!r} is no hand; give right or left")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    @property
    def duration(self) -> float:
        """Time from the first to the last row [s]."""
        return float(self.times[-1] - self.times[0])

    def at(self, times: ArrayLike, method: str = "cubic") -> FloatArray:
        """Values (n, 26) at some times [s]; see values.interpolate."""
        return interpolate(self.times, self.values, times, method)

    def from_zero(self) -> Track:
        """The same with the first row at time zero."""
        return self if self.times[0] == 0.0 else replace(self, times=self.times - self.times[0])

    def resampled(self, rate: float) -> Track:
        """Evenly spaced rows, `rate` a second [Hz], from the first time on."""
        if not (np.isfinite(rate) and rate > 0.0):
            raise TrackError(f"rate: {rate} Hz; give a positive rate")
        count = int(np.floor(self.duration * rate + 1e-9)) + 1
        times = self.times[0] + np.arange(count) / rate
        return replace(self, times=times, values=self.at(times))

    def smoothed(self, method: str) -> Track:
        """The same track smoothed.

        Args:
            method: "one-euro" (from the past only, as a stream can be), "savgol" (Savitzky-Golay over 0.11 s of
                evenly resampled rows, no delay), or "none".
        Raises:
            TrackError: unknown method, or too few rows a second for it.
        """
        if method == "none":
            return self
        if method == "one-euro":
            return replace(self, values=one_euro(self.times, self.values))
        if method != "savgol":
            raise TrackError(f"smoothing: {method!r} is unknown; give one of {', '.join(SMOOTHINGS)}")
        if len(self.times) < 2:
            return self
        even = self.resampled(1.0 / float(np.median(np.diff(self.times))))
        return replace(even, values=savitzky_golay(even.times, even.values))

    def fastest(self) -> dict[str, float]:
        """Largest rates from row to row: joints [rad/s], position [m/s], rotation [rad/s]."""
        if len(self.times) < 2:
            return {"joints": 0.0, "position": 0.0, "rotation": 0.0}
        from scipy.spatial.transform import Rotation

        steps = np.diff(self.times)
        turns = Rotation.from_rotvec(self.values[:, 23:])
        angle = (turns[1:] * turns[:-1].inv()).magnitude()
        moved = np.diff(self.values, axis=0)
        return {
            "joints": float((np.abs(moved[:, :20]).max(axis=1) / steps).max()),
            "position": float((np.linalg.norm(moved[:, 20:23], axis=1) / steps).max()),
            "rotation": float((angle / steps).max()),
        }

    @classmethod
    def load(cls, path: str | Path, calibration: str | Path | None = None) -> Track:
        """The track in a .csv, .h5/.hdf5 or .jsonl file; see tracking.files."""
        from .files import read_track

        return read_track(path, calibration)

    def save(self, path: str | Path) -> Path:
        """Write all 26 values as .csv or .h5/.hdf5, by the suffix; reading gives the same bits."""
        from .files import write_track

        return write_track(self, path)
