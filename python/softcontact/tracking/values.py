# SPDX-License-Identifier: LGPL-2.1-or-later
"""The 26 values of a tracked hand: names, limits, and how poses are averaged, moved and held back.

A row of 26 values: the 20 joint angles [rad] finger by finger as in hand.anatomy.JOINTS, the palm's position
[m], the palm's rotation vector [rad]. A row of 27 coordinates, as World.set_joint_motion takes it: palm
position [m], palm quaternion (x, y, z, w), the 20 angles [rad].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

from softcontact.hand.anatomy import FINGERS, JOINTS, joint_limits
from softcontact.hand.kinematics import quaternion_from_rotation_vector
from softcontact.messages import one_line

__all__ = [
    "COLUMNS",
    "FORMAT",
    "JOINT_COLUMNS",
    "RateLimiter",
    "RateLimits",
    "TrackError",
    "check_times",
    "check_values",
    "clip_to_limits",
    "coordinates",
    "interpolate",
    "values_of",
]

FloatArray = NDArray[np.float64]

JOINT_COLUMNS = tuple(f"{finger}_{joint}" for finger in FINGERS for joint in JOINTS)
COLUMNS = (*JOINT_COLUMNS, "palm_x", "palm_y", "palm_z", "palm_rx", "palm_ry", "palm_rz")
"""Names of the 26 values; angles and rotation vector in rad, position in m."""

FORMAT = "softcontact-track-1"
"""Name of the layout of recordings and packets."""

FARTHEST = 100.0
"""A palm farther from the origin than this [m] is no measurement."""


LONGEST_GAP, LONGEST = 60.0, 3600.0
"""Recordings with a longer pause between two rows, or longer ones, are refused [s]."""


class TrackError(ValueError):
    """A track, a file of one or a stream that cannot be used. The message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def check_values(values: FloatArray, what: str = "values") -> None:
    """Refuse rows that no tracker measured.

    Raises:
        TrackError: not (n, 26), not finite, angles beyond a turn, or a palm farther than 100 m.
    """
    if values.ndim != 2 or values.shape[1] != 26:
        raise TrackError(f"{what}: shape {values.shape}; give (n, 26): 20 angles, position, rotation vector")
    for wrong, why in (
        (~np.isfinite(values), "is not finite; leave such rows out"),
        (np.abs(values[:, :20]) > 2.0 * np.pi, "is no joint angle in rad; state the unit (deg or raw)"),
        (np.abs(values[:, 20:23]) > FARTHEST, "is no palm position in m; state the unit (mm)"),
        (np.abs(values[:, 23:]) > 8.0 * np.pi, "is no rotation vector in rad; state the unit (deg)"),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            offset = column if wrong.shape[1] in (20, 26) else column + (20 if "position" in why else 23)
            value = values[row, offset]
            raise TrackError(f"{what}: row {row}, {COLUMNS[offset]}: {value:g} {why}")


def check_times(times: FloatArray, what: str = "time") -> None:
    """Refuse times that no recording of a hand has, such as one wrong row or milliseconds taken for seconds.

    Args:
        times: of the rows, rising [s].
        what: name of the field.
    Raises:
        TrackError: rows a usual interval over 1 s or under 0.1 ms apart, a pause over 60 s, or over an hour in all.
    """
    steps = np.diff(times)
    if not len(steps):
        return
    usual, row = float(np.median(steps)), int(np.argmax(steps)) + 1
    if not 1e-4 <= usual <= 1.0:
        raise TrackError(
            f"{what}: rows are {usual:g} s apart, not 0.0001 to 1 s; state the unit (time_unit: ms), or resample"
        )
    if steps[row - 1] > LONGEST_GAP:
        raise TrackError(
            f"{what}: row {row}, {times[row]:g} s, is {steps[row - 1]:g} s after the row before, more than "
            f"{LONGEST_GAP:g} s; mend the time or cut the recording there"
        )
    if times[-1] - times[0] > LONGEST:
        raise TrackError(
            f"{what}: lasts {times[-1] - times[0]:g} s, more than {LONGEST:g} s; cut the recording"
        )


def clip_to_limits(values: FloatArray) -> FloatArray:
    """The same rows (..., 26) with every joint angle inside the hand's limits."""
    lower, upper = joint_limits()
    clipped = np.array(values, dtype=float)
    clipped[..., :20] = np.clip(clipped[..., :20], lower, upper)
    return clipped


def coordinates(values: ArrayLike, before: FloatArray | None = None) -> FloatArray:
    """Coordinates (n, 27) of rows of values (n, 26).

    Args:
        values: 20 angles [rad], palm position [m], rotation vector [rad].
        before: the coordinates (27,) that the first row follows, or None.
    Returns:
        Palm position, quaternion (x, y, z, w), angles; consecutive quaternions lie on the same hemisphere.
    """
    values = np.atleast_2d(np.asarray(values, dtype=float))
    quaternions = quaternion_from_rotation_vector(values[:, 23:26])
    if len(values) and before is not None and quaternions[0] @ before[3:7] < 0.0:
        quaternions[0] *= -1.0
    if len(values) > 1:
        signs = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
        quaternions[1:] *= np.cumprod(signs)[:, None]
    return np.concatenate([values[:, 20:23], quaternions, values[:, :20]], axis=1)


def values_of(rows: ArrayLike) -> FloatArray:
    """Values (n, 26) of coordinates (n, 27); rotation vectors no longer than π."""
    rows = np.atleast_2d(np.asarray(rows, dtype=float))
    turned = Rotation.from_quat(rows[:, 3:7]).as_rotvec()
    return np.concatenate([rows[:, 7:], rows[:, :3], turned], axis=1)


def interpolate(times: FloatArray, values: FloatArray, at: ArrayLike, method: str = "cubic") -> FloatArray:
    """Values (n, 26) at some times; before the first and after the last sample, theirs.

    Args:
        times: of the samples (k,), rising [s].
        values: samples (k, 26).
        at: wanted times (n,) [s]. A time that is a sample's own gives that sample bit for bit.
        method: "linear" (slerp for the palm) or "cubic" (monotone pieces, no overshoot).
    """
    at = np.atleast_1d(np.asarray(at, dtype=float))
    inside = np.clip(at, times[0], times[-1])
    nearest = np.clip(np.searchsorted(times, inside - 1e-9), 0, len(times) - 1)
    own = np.abs(times[nearest] - inside) <= 1e-9
    result = values[nearest].astype(float)
    if own.all():
        return result
    rows = coordinates(values)
    if method == "cubic":
        found = PchipInterpolator(times, rows)(inside[~own])
    elif method == "linear":
        found = _linear(times, rows, inside[~own])
    else:
        raise TrackError(f"interpolation: {method!r} is unknown; give 'linear' or 'cubic'")
    result[~own] = values_of(found)
    return result


def _linear(times: FloatArray, rows: FloatArray, at: FloatArray) -> FloatArray:
    k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    s = ((at - times[k]) / (times[k + 1] - times[k]))[:, None]
    result = (1.0 - s) * rows[k] + s * rows[k + 1]
    first, second = rows[k, 3:7], rows[k + 1, 3:7]
    half = np.arccos(np.clip((first * second).sum(axis=1), -1.0, 1.0))[:, None]
    # sin(w half)/sin(half) by sinc: the same formula for equal orientations
    below = np.sinc(half / np.pi)
    a = (1.0 - s) * np.sinc((1.0 - s) * half / np.pi) / below
    b = s * np.sinc(s * half / np.pi) / below
    result[:, 3:7] = a * first + b * second
    return result


@dataclass(frozen=True)
class RateLimits:
    """Fastest motion that targets may make.

    Attributes:
        joints: of a joint angle [rad/s]; the default is faster than fingers move.
        position: of the palm [m/s].
        rotation: of the palm [rad/s].
        rejoin: share of these at which the hand goes back to the tracked pose after an interruption [-].
    """

    joints: float = 20.0
    position: float = 4.0
    rotation: float = 20.0
    rejoin: float = 0.15

    def __post_init__(self) -> None:
        for name in ("joints", "position", "rotation", "rejoin"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0) or (name == "rejoin" and value > 1.0):
                raise TrackError(f"{name}: {value} is no rate limit; give a positive one")


class RateLimiter:
    """Holds the change from step to step within limits, so that no gap or wrong sample makes the hand jump.

    Args:
        limits: the fastest motion.
    """

    def __init__(self, limits: RateLimits | None = None) -> None:
        self.limits = limits or RateLimits()
        self.values: FloatArray | None = None
        self.limited = 0
        """Steps on which a change was cut."""
        self._rejoining = False

    def step(self, wanted: FloatArray, duration: float, *, interrupted: bool = False) -> FloatArray:
        """The row (26,) to go to within `duration` [s]; the first one is taken as it is.

        Args:
            wanted: row of values.
            duration: of the step [s].
            interrupted: whether the source has no new data; the way back to it afterwards is slow.
        """
        if self.values is None:
            self.values = np.array(wanted)
            return self.values
        self._rejoining |= interrupted
        share = self.limits.rejoin if self._rejoining else 1.0
        result, cut = self._towards(self.values, wanted, share * duration)
        if cut:
            self.limited += 1
        elif not interrupted:
            self._rejoining = False  # caught up
        self.values = result
        return result

    def _towards(self, old: FloatArray, new: FloatArray, scale: float) -> tuple[FloatArray, bool]:
        """Not farther than the limits times `scale` [s] allow. What is within them stays bit for bit."""
        result, cut = np.array(new), False
        most = self.limits.joints * scale
        change = new[:20] - old[:20]
        over = np.abs(change) > most * (1.0 + 1e-9)
        if over.any():
            result[:20][over] = (old[:20] + np.clip(change, -most, most))[over]
            cut = True
        way = new[20:23] - old[20:23]
        most, length = self.limits.position * scale, float(np.linalg.norm(way))
        if length > most * (1.0 + 1e-9):
            result[20:23] = old[20:23] + way * (most / length)
            cut = True
        most = self.limits.rotation * scale
        if np.linalg.norm(new[23:] - old[23:]) > 1e-12:
            start = Rotation.from_rotvec(old[23:])
            turn = (Rotation.from_rotvec(new[23:]) * start.inv()).as_rotvec()
            angle = float(np.linalg.norm(turn))
            if angle > most * (1.0 + 1e-9):
                result[23:] = (Rotation.from_rotvec(turn * (most / angle)) * start).as_rotvec()
                cut = True
        return result, cut
