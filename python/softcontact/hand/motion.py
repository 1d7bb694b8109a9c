# SPDX-License-Identifier: LGPL-2.1-or-later
"""Motions of the whole hand: named postures, keyframes of 26 values, and the closing of fingers.

The 26 values of a keyframe: the 20 joint angles [rad] finger by finger as in anatomy.JOINTS, the palm's
position [m], the palm's rotation vector [rad].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator

from .anatomy import FINGERS
from .kinematics import quaternion_from_rotation_vector

__all__ = ["POSTURES", "HandMotion", "closing_fingers", "keyframe", "posture"]

FloatArray = NDArray[np.float64]

# (abduction, base, middle, distal) of the thumb, index, middle, ring and little finger [rad].
POSTURES: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "open": ((0.0, -0.25, 0.0, 0.0), *((s, -0.05, 0.05, 0.05) for s in (0.12, 0.02, -0.06, -0.12))),
    "rest": ((0.15, 0.05, 0.20, 0.25), *((0.0, 0.30 + 0.06 * k, 0.45, 0.25) for k in range(4))),
    "precision": ((0.60, -0.25, 0.10, 0.20), *((s, 0.45, 0.35, 0.20) for s in (0.03, 0.0, -0.03, -0.06))),
    "power": ((0.55, -0.40, 0.0, 0.10), *((s, 0.15, 0.30, 0.15) for s in (0.10, 0.02, -0.06, -0.12))),
    "fist": ((0.30, 0.60, 0.60, 0.70), *((0.0, 1.40, 1.60, 1.00),) * 4),
    "point": ((0.20, 0.50, 0.50, 0.50), (0.0, 0.05, 0.05, 0.05), *((0.0, 1.35, 1.55, 0.90),) * 3),
}

# Closing speed of base, middle and distal flexion over the finger's rate: about the coupling of a closing
# hand.
_RATE_SHARES = (1.0, 0.8, 0.5)


def posture(name: str) -> FloatArray:
    """The 20 angles of a named posture [rad]: open, rest, precision, power, fist, point."""
    if name not in POSTURES:
        raise ValueError(f"name: {name!r} is not a posture; give one of {', '.join(POSTURES)}")
    return np.array(POSTURES[name], dtype=float).ravel()


def keyframe(angles: ArrayLike, position: ArrayLike, rotation_vector: ArrayLike) -> FloatArray:
    """One row of 26 values from the 20 angles [rad], the palm's position [m] and rotation vector [rad]."""
    row = np.concatenate([np.asarray(v, dtype=float).ravel() for v in (angles, position, rotation_vector)])
    if row.shape != (26,):
        raise ValueError(f"angles, position, rotation_vector: give 20, 3 and 3 values, not {row.size} in all")
    return row


@dataclass(frozen=True)
class HandMotion:
    """Keyframes of a hand.

    Attributes:
        times: strictly rising [s], shape (k,).
        values: shape (k, 26): 20 angles [rad], palm position [m], palm rotation vector [rad].
        interpolation: "minimum_jerk" comes to rest at each keyframe; "cubic" passes through without
            overshoot.
    """

    times: FloatArray
    values: FloatArray
    interpolation: str = "minimum_jerk"

    def __post_init__(self) -> None:
        times, values = np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)
        if (
            times.ndim != 1
            or len(times) < 1
            or not np.isfinite(times).all()
            or not (np.diff(times) > 0).all()
        ):
            raise ValueError("times: give at least one finite time, each later than the one before")
        if values.shape != (len(times), 26):
            raise ValueError(f"values: shape {values.shape} for {len(times)} times; give ({len(times)}, 26)")
        if not np.isfinite(values).all():
            raise ValueError("values: not finite in row " + str(int(np.argwhere(~np.isfinite(values))[0, 0])))
        if self.interpolation not in ("minimum_jerk", "cubic"):
            raise ValueError(
                f"interpolation: {self.interpolation!r} is unknown; give 'minimum_jerk' or 'cubic'"
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    def joint_targets(self, times: ArrayLike) -> FloatArray:
        """Targets q for World.set_joint_motion at `times` [s]; before the first and after the last keyframe,
        theirs.

        Returns:
            Shape (n, 27): palm position [m], palm quaternion (x, y, z, w), 20 angles [rad]. Consecutive
            quaternions lie on the same hemisphere.
        """
        t = np.clip(np.asarray(times, dtype=float), self.times[0], self.times[-1])
        linear = np.concatenate([self.values[:, 20:23], self.values[:, :20]], axis=1)
        quaternions = quaternion_from_rotation_vector(self.values[:, 23:26])
        for k in range(1, len(quaternions)):
            if quaternions[k] @ quaternions[k - 1] < 0.0:
                quaternions[k] *= -1.0
        if len(self.times) == 1:
            moved, turned = np.tile(linear, (len(t), 1)), np.tile(quaternions, (len(t), 1))
        elif self.interpolation == "cubic":
            moved = PchipInterpolator(self.times, linear)(t)
            turned = PchipInterpolator(self.times, quaternions)(t)
        else:
            k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
            s = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
            s = (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))[:, None]
            moved = (1.0 - s) * linear[k] + s * linear[k + 1]
            half = np.arccos(np.clip((quaternions[k] * quaternions[k + 1]).sum(axis=1), -1.0, 1.0))[:, None]
            # sin(w half)/sin(half) by sinc: the same formula for equal orientations
            first = (1.0 - s) * np.sinc((1.0 - s) * half / np.pi) / np.sinc(half / np.pi)
            second = s * np.sinc(s * half / np.pi) / np.sinc(half / np.pi)
            turned = first * quaternions[k] + second * quaternions[k + 1]
        turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return np.concatenate([moved[:, :3], turned, moved[:, 3:]], axis=1)

    def resampled(self, step: float) -> tuple[FloatArray, FloatArray]:
        """Times (n,) no more than `step` [s] apart, first to last, and their joint targets (n, 27)."""
        if not step > 0.0:
            raise ValueError(f"step: {step} s is not positive")
        span = self.times[-1] - self.times[0]
        times = self.times[0] + np.linspace(0.0, span, max(1, int(np.ceil(span / step - 1e-9))) + 1)
        times = np.unique(times)
        return times, self.joint_targets(times)


def closing_fingers(
    fingers: Sequence[str] = FINGERS, rate: float = 1.0, shares: Sequence[float] = ()
) -> list[dict[str, Any]]:
    """Fingers as World.add_grasp takes them: each flexion's coordinate, its rate [rad/s] and the link that
    it moves.

    Args:
        fingers: names of those that close.
        rate: of the base joints [rad/s]; the middle and distal joints close at 0.8 and 0.5 of it.
        shares: of the wanted force, one a finger; by default 1, and for the thumb, which opposes the others, half
            of what they press with together.
    """
    if not (np.isfinite(rate) and rate > 0.0):
        raise ValueError(f"rate: {rate} rad/s is not a closing rate; give a positive one")
    if len(shares) not in (0, len(fingers)) or not all(np.isfinite(s) and s > 0.0 for s in shares):
        raise ValueError(
            f"shares: {tuple(shares)}; give one positive share for each of {len(fingers)} fingers"
        )
    result = []
    for number, name in enumerate(fingers):
        if name not in FINGERS:
            raise ValueError(f"fingers: {name!r} is not a finger; give some of {', '.join(FINGERS)}")
        i = FINGERS.index(name)
        default = max(1.0, 0.5 * (len(fingers) - 1)) if name == "thumb" else 1.0
        result.append(
            {
                "name": name,
                "dofs": [6 + 4 * i + k for k in (1, 2, 3)],
                "rates": [rate * share for share in _RATE_SHARES],
                "links": [1 + 3 * i + k for k in range(3)],
                "share": float(shares[number]) if len(shares) else default,
            }
        )
    return result
