# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a glove's sensors to the 20 joint angles: calibration, and couplings for 5 and 14 sensors.

20 sensors are the joint angles themselves, in the order of `values.JOINT_COLUMNS`.

14 sensors are those of a glove with two flexions a finger and the spread between neighbours, in the order
thumb near, thumb far, thumb-index spread, index near, index far, index-middle spread, …, little near, little
far. Near is the flexion of the finger's base joint (of the thumb: its middle joint), far that of its middle
joint (of the thumb: its distal joint). Couplings:

* a finger's distal flexion is 2/3 of its middle flexion (Rijpkema and Girard 1991);
* the middle finger keeps its abduction; the spreads add up from it: index = +s(index-middle),
  ring = −s(middle-ring), little = −s(middle-ring) − s(ring-little); thumb = s(thumb-index);
* the thumb's base flexion is half its middle flexion.

5 sensors are one flexion a finger, that of its middle joint. Couplings, besides the first above:

* a finger's base flexion is 0.875 of its middle flexion: both end together in a fist (hand.POSTURES);
* the thumb's base flexion is half, its distal flexion 1.2 times its middle flexion;
* abductions are those of the posture "power": 0.55 rad for the thumb.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.hand.anatomy import joint_limits
from softcontact.hand.motion import posture

from .values import TrackError

__all__ = ["SENSOR_COUNTS", "Calibration", "expand", "sensor_columns", "sensors_of"]

FloatArray = NDArray[np.float64]

SENSOR_COUNTS = (5, 14, 20)
_FINGERS = ("thumb", "index", "middle", "ring", "little")
_DISTAL, _BASE, _THUMB_BASE, _THUMB_DISTAL = 2.0 / 3.0, 0.875, 0.5, 1.2
_NEAR, _FAR, _SPREAD = np.arange(0, 14, 3), np.arange(1, 14, 3), np.arange(2, 14, 3)


def sensor_columns(count: int) -> tuple[str, ...]:
    """Names of 5, 14 or 20 sensors, as files carry them."""
    if count == 20:
        from .values import JOINT_COLUMNS

        return JOINT_COLUMNS
    if count == 5:
        return tuple(f"{finger}_flexion" for finger in _FINGERS)
    names: list[str] = []
    for finger, following in zip(_FINGERS, (*_FINGERS[1:], None), strict=True):
        names += [f"{finger}_near", f"{finger}_far"] + ([f"{finger}_{following}_spread"] if following else [])
    return tuple(names)


def expand(sensors: ArrayLike) -> FloatArray:
    """The 20 joint angles (n, 20) [rad] of 5, 14 or 20 calibrated sensors (n, k) [rad].

    What couplings add stays within the joint limits; 20 angles come back as they are.

    Raises:
        TrackError: another number of sensors.
    """
    sensors = np.atleast_2d(np.asarray(sensors, dtype=float))
    count = sensors.shape[1]
    if count == 20:
        return sensors
    angles = np.zeros((len(sensors), 5, 4))
    if count == 14:
        near, far, spread = sensors[:, _NEAR], sensors[:, _FAR], sensors[:, _SPREAD]
        angles[:, 1:, 1], angles[:, 1:, 2] = near[:, 1:], far[:, 1:]
        angles[:, 1:, 3] = _DISTAL * far[:, 1:]
        angles[:, 0, 0], angles[:, 1, 0] = spread[:, 0], spread[:, 1]
        angles[:, 3, 0], angles[:, 4, 0] = -spread[:, 2], -spread[:, 2] - spread[:, 3]
        angles[:, 0, 1], angles[:, 0, 2], angles[:, 0, 3] = _THUMB_BASE * near[:, 0], near[:, 0], far[:, 0]
    elif count == 5:
        angles[:, :, 0] = posture("power").reshape(5, 4)[:, 0]
        angles[:, :, 2] = sensors
        angles[:, 1:, 1], angles[:, 1:, 3] = _BASE * sensors[:, 1:], _DISTAL * sensors[:, 1:]
        angles[:, 0, 1], angles[:, 0, 3] = _THUMB_BASE * sensors[:, 0], _THUMB_DISTAL * sensors[:, 0]
    else:
        raise TrackError(f"joints: {count} sensors; give 5, 14 or 20")
    lower, upper = joint_limits()
    return np.clip(angles.reshape(-1, 20), lower, upper)


def sensors_of(angles: ArrayLike, count: int) -> FloatArray:
    """What 5, 14 or 20 ideal sensors (n, count) [rad] measure of joint angles (n, 20) [rad]."""
    angles = np.atleast_2d(np.asarray(angles, dtype=float))
    fingers = angles.reshape(-1, 5, 4)
    if count == 20:
        return angles
    if count == 5:
        return fingers[:, :, 2].copy()
    if count != 14:
        raise TrackError(f"joints: {count} sensors; give 5, 14 or 20")
    result = np.empty((len(angles), 14))
    result[:, _NEAR], result[:, _FAR] = fingers[:, :, 1], fingers[:, :, 2]
    result[:, 0], result[:, 1] = fingers[:, 0, 2], fingers[:, 0, 3]
    abduction = fingers[:, :, 0]
    result[:, 2], result[:, 5] = abduction[:, 0], abduction[:, 1] - abduction[:, 2]
    result[:, 8], result[:, 11] = abduction[:, 2] - abduction[:, 3], abduction[:, 3] - abduction[:, 4]
    return result


def sensor_limits(count: int) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest angle (count,) [rad] that the joints of the hand let 5, 14 or 20 sensors measure."""
    lower, upper = joint_limits()
    low, high = sensors_of(lower, count)[0], sensors_of(upper, count)[0]
    if count == 14:  # the spread of two fingers is widest with one at each limit
        low[_SPREAD[1:]] = lower[4:13:4] - upper[8::4]
        high[_SPREAD[1:]] = upper[4:13:4] - lower[8::4]
    return low, high


def default_range(count: int) -> tuple[FloatArray, FloatArray]:
    """Angles (count,) [rad] that a glove's sensors are usually calibrated at: hand flat and open, and fist.

    Flexions run from 0 to the joint's upper limit, abductions over the joint's range, spreads from 0 to the
    upper limit of the abduction.
    """
    lower, upper = joint_limits()
    low, high = np.zeros(20), upper
    if count == 20:
        low[::4] = lower[::4]
        return low, high
    top = sensors_of(upper, count)[0]
    if count == 14:
        top[_SPREAD] = upper[4]
        top[2] = upper[0]
    return np.zeros(count), top


@dataclass(frozen=True)
class Calibration:
    """Straight line from each sensor's raw value to an angle.

    Attributes:
        minimum: raw values (k,) at `low`; may exceed `maximum` where a sensor falls as the joint bends.
        maximum: raw values (k,) at `high`.
        low: angles (k,) [rad].
        high: angles (k,) [rad], above `low`.
    Raises:
        TrackError: not finite, a range of nothing, or angles by more than `BEYOND` out of the joint limits.
    """

    BEYOND: ClassVar[float] = np.pi / 4
    """Angle by which a person's joint, or its sensor's placing, may differ from the limits of the hand [rad]."""
    OUTSIDE: ClassVar[float] = 2.0
    """Calibrated ranges by which a raw value may lie outside of its own."""

    minimum: FloatArray
    maximum: FloatArray
    low: FloatArray
    high: FloatArray

    def __post_init__(self) -> None:
        size = np.shape(self.minimum)
        for name in ("minimum", "maximum", "low", "high"):
            values = np.asarray(getattr(self, name), dtype=float)
            if values.shape != size or values.ndim != 1 or len(values) not in SENSOR_COUNTS:
                raise TrackError(
                    f"calibration.{name}: shape {values.shape}; give 5, 14 or 20 numbers, as many as minimum"
                )
            wrong = np.flatnonzero(~(np.abs(values) < 1e12))
            if len(wrong):
                raise TrackError(
                    f"calibration.{name}: sensor {wrong[0]}, {values[wrong[0]]:g}: not finite; give what it measured"
                )
            object.__setattr__(self, name, values)
        same = np.flatnonzero(self.minimum == self.maximum)
        if len(same):
            raise TrackError(
                f"calibration: sensor {same[0]} has minimum = maximum = {self.minimum[same[0]]:g}; "
                "measure it again with the hand open and closed"
            )
        self._check_angles()

    def _check_angles(self) -> None:
        names = sensor_columns(len(self.low))
        wrong = np.flatnonzero(~(self.low < self.high))
        if len(wrong):
            k = wrong[0]
            raise TrackError(
                f"calibration.low: sensor {k} ({names[k]}), {self.low[k]:g} rad, is not below high, {self.high[k]:g}; "
                "for a sensor that falls as the joint bends exchange minimum and maximum instead"
            )
        lower, upper = sensor_limits(len(self.low))
        for name in ("low", "high"):
            angles = getattr(self, name)
            wrong = np.flatnonzero((angles < lower - self.BEYOND) | (angles > upper + self.BEYOND))
            if len(wrong):
                k = wrong[0]
                raise TrackError(
                    f"calibration.{name}: sensor {k} ({names[k]}), {angles[k]:g} rad: its joint moves from "
                    f"{lower[k]:.2g} to {upper[k]:.2g}; give angles at most {self.BEYOND:.2g} beyond, or state "
                    "angle_unit (deg)"
                )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], count: int) -> Calibration:
        """From the table of a file: minimum, maximum, and if given low, high and their angle_unit (rad, deg).

        Args:
            data: the table.
            count: number of sensors.
        Raises:
            TrackError: a field is missing, unknown or of the wrong length.
        """
        if not isinstance(data, Mapping):
            raise TrackError("calibration: not a table; give minimum and maximum")
        unknown = set(data) - {"minimum", "maximum", "low", "high", "angle_unit"}
        if unknown:
            raise TrackError(
                f"calibration: unknown field {sorted(map(str, unknown))[0]!r}; give minimum, maximum"
            )
        low, high = default_range(count)
        factor = angle_factor(str(data.get("angle_unit", "rad")), "calibration.angle_unit")
        given = {}
        for name, fallback in (("minimum", None), ("maximum", None), ("low", low), ("high", high)):
            value = data.get(name)
            if value is None and fallback is None:
                raise TrackError(f"calibration.{name}: missing; give {count} numbers")
            try:
                array = np.asarray(fallback if value is None else value)
                if array.dtype.kind not in "iuf":
                    raise ValueError
                array = array.astype(float)
            except (TypeError, ValueError):
                raise TrackError(f"calibration.{name}: not numbers; give {count}") from None
            if array.shape != (count,):
                raise TrackError(
                    f"calibration.{name}: {array.size} values for {count} sensors; give one each"
                )
            given[name] = array if value is None or name in ("minimum", "maximum") else factor * array
        return cls(**given)

    @classmethod
    def measured(cls, raw: ArrayLike) -> Calibration:
        """From raw rows (n, k) of a session in which every sensor went through its whole range."""
        raw = np.atleast_2d(np.asarray(raw, dtype=float))
        return cls(raw.min(axis=0), raw.max(axis=0), *default_range(raw.shape[1]))

    def angles(self, raw: ArrayLike) -> FloatArray:
        """Angles (n, k) [rad] of raw values (n, k); beyond the calibrated range the line goes on.

        Raises:
            TrackError: a value lies so far beyond that the calibration is not this sensor's; see OUTSIDE.
        """
        raw = np.asarray(raw, dtype=float)
        share = (raw - self.minimum) / (self.maximum - self.minimum)
        wrong = np.argwhere((share < -self.OUTSIDE) | (share > 1.0 + self.OUTSIDE))
        if len(wrong):
            row, k = wrong[0]
            raise TrackError(
                f"joints: row {row}, sensor {k} ({sensor_columns(len(self.low))[k]}): raw value {raw[row, k]:g} is far "
                f"outside the calibrated {self.minimum[k]:g} to {self.maximum[k]:g}; measure the calibration again"
            )
        return self.low + share * (self.high - self.low)

    def raw(self, angles: ArrayLike) -> FloatArray:
        """Raw values (n, k) that the sensors give at angles (n, k) [rad]."""
        share = (np.asarray(angles, dtype=float) - self.low) / (self.high - self.low)
        return self.minimum + share * (self.maximum - self.minimum)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, as `from_dict` reads them."""
        return {name: getattr(self, name).tolist() for name in ("minimum", "maximum", "low", "high")}


def angle_factor(unit: str, where: str) -> float:
    """Radians in one `unit`.

    Raises:
        TrackError: neither rad nor deg.
    """
    if unit not in ("rad", "deg"):
        raise TrackError(f"{where}: {unit!r} is no angle unit; give rad or deg")
    return 1.0 if unit == "rad" else np.pi / 180.0
