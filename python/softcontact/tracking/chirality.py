# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether landmarks show the hand that they are said to show, or its mirror image.

The mirror image of a right hand is a left hand. A palm is nearly flat, so the image's palm fits the hand's as
well as its own, with back and front exchanged; but its fingers then bend backwards, which no hand can: the
middle and distal joints of the long fingers go back by 6° and 9° at most. The mean of these eight flexions,
told with the sign that the stated side gives them, so tells the two apart as soon as the fingers bend; straight
fingers tell nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import TrackError

__all__ = ["BACKWARDS", "MirroredError", "SideWatch", "TrackWarning", "mean_flexion"]

FloatArray = NDArray[np.float64]

BACKWARDS = np.deg2rad(20.0)
"""Mean flexion backwards that no hand has, with room for a camera's noise; as much forwards proves the side."""

_LONG = np.array([5, 9, 13, 17])[:, None] + np.arange(4)


class MirroredError(TrackError):
    """A frame of landmarks whose fingers bend backwards, or a straight one among many of those."""


class TrackWarning(UserWarning):
    """A stream that can hardly be what it is said to be, or that nobody takes."""


def mean_flexion(points: FloatArray, side: str) -> float:
    """Mean flexion [rad] of the middle and distal joints of the four long fingers, forwards positive.

    Args:
        points: the 21 landmarks (21, 3), bones of positive length.
        side: "right" or "left": whose hand they are said to show.
    """
    forwards = points[[5, 9, 13, 17]].mean(axis=0) - points[0]
    across = points[5] - points[17]  # from the little finger to the index finger
    across = across * (forwards @ forwards) - forwards * (across @ forwards)
    across /= max(float(np.linalg.norm(across)), 1e-300) * (1.0 if side == "right" else -1.0)
    bones = np.diff(points[_LONG], axis=1)
    before, after = bones[:, :-1], bones[:, 1:]
    sine = np.cross(before, after) @ across
    return float(np.arctan2(sine, (before * after).sum(axis=2)).mean())


class SideWatch:
    """Looks at frame after frame of landmarks and tells those of the other hand.

    A frame that bends backwards is refused alone. After `MANY` more of them than of frames that bend forwards,
    the whole stream counts as mirrored, and straight frames are refused as well, until as many have come that
    bend forwards.

    Args:
        side: "right" or "left": whose hand the landmarks are said to show.
    """

    MANY = 10

    def __init__(self, side: str) -> None:
        self.side = side
        self.mirrored = self.proper = 0
        """Frames that bent backwards, and forwards, by more than BACKWARDS."""
        self._balance, self.whole = 0, False
        """whole: whether the stream counts as mirrored now."""

    def look(self, points: FloatArray) -> None:
        """Take in a frame (21, 3).

        Raises:
            MirroredError: it is the other hand's.
        """
        flexion = mean_flexion(points, self.side)
        if abs(flexion) > BACKWARDS:
            forwards = flexion > 0.0
            self.proper += forwards
            self.mirrored += not forwards
            self._balance = min(max(self._balance + (1 if forwards else -1), -self.MANY), self.MANY)
            if abs(self._balance) == self.MANY:
                self.whole = self._balance < 0
        if flexion < -BACKWARDS:
            raise MirroredError(
                f"landmarks: the fingers bend {np.rad2deg(-flexion):.0f}° backwards for a {self.side} hand; "
                + self._remedy
            )
        if self.whole and flexion <= BACKWARDS:
            raise MirroredError(f"landmarks: straight fingers in a mirrored stream; {self._remedy}")

    def verdict(self) -> str:
        """One line where more frames were mirrored than not, else nothing."""
        if self.mirrored <= self.proper:
            return ""
        return (
            f"landmarks: in {self.mirrored} of {self.mirrored + self.proper} frames with bent fingers these bend "
            f"backwards for a {self.side} hand; {self._remedy}"
        )

    @property
    def _remedy(self) -> str:
        other = "left" if self.side == "right" else "right"
        return f"state side {other}, or turn the sign of one axis where the image is mirrored"
