# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a hand without a device, that is a mouse or a keyboard, can bring a tool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

FloatArray = NDArray[np.float64]

_LINES_MEET_WITHIN = 1e-3  # m, of the point that all axes of a tool on a pivot go through
_SLOPE = float(np.tan(np.deg2rad(35.0)))  # of the cone about a pivot
_NEAREST = 0.5  # to the pivot, of the way that the tool starts with
_TURNS_FROM = 1e-3  # rad
AROUND = 0.05  # m, that the hand can leave the tissue's box by


@dataclass(frozen=True)
class Steering:
    """The poses that a steered device takes.

    Attributes:
        start: position (3,) [m] at the start.
        orientation: unit quaternion (x, y, z, w) at the start.
        low, high: corners of the box that the device stays in (3,) [m].
        pivot: point that the tool's axis, its z, goes through (3,) [m], such as the cervix for a hysteroscope; the
            device stays in front of it, in a cone of 35 degrees. None: the tool keeps its orientation.
    """

    start: FloatArray
    orientation: FloatArray
    low: FloatArray
    high: FloatArray
    pivot: FloatArray | None = None

    @classmethod
    def around(
        cls,
        box: tuple[FloatArray, FloatArray],
        start: ArrayLike,
        orientation: ArrayLike,
        pivot: FloatArray | None,
    ) -> Steering:
        """Within 5 cm of the tissue, and as far as the tool's start; on a pivot it works inside the tissue's box.

        Args:
            box: corners of the tissue's box (3,) [m].
            start: of the tool (3,) [m].
            orientation: of the tool, unit quaternion (x, y, z, w).
            pivot: see the class.
        """
        place = np.array(start, dtype=float)
        margin = AROUND if pivot is None else 0.0
        low, high = np.minimum(box[0], place) - margin, np.maximum(box[1], place) + margin
        return cls(place, np.array(orientation, dtype=float), low, high, pivot)

    def pose(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Position (3,) [m] and quaternion of the allowed pose nearest to the wanted position.

        Raises:
            ValueError: not three finite numbers.
        """
        place = np.asarray(position)
        if place.shape != (3,) or place.dtype.kind not in "fiu" or not np.isfinite(place).all():
            raise ValueError(f"position: {position}; give three finite numbers [m]")
        place = np.clip(place.astype(float), self.low, self.high)
        if self.pivot is None:
            return place, self.orientation
        axis = Rotation.from_quat(self.orientation).apply([0.0, 0.0, 1.0])
        reach = float((self.start - self.pivot) @ axis)
        if reach < 0.0:
            axis, reach = -axis, -reach
        way = place - self.pivot
        ahead = max(float(way @ axis), _NEAREST * reach)
        across = way - (way @ axis) * axis
        widest = _SLOPE * ahead
        across *= min(1.0, widest / max(float(np.linalg.norm(across)), 1e-12))
        way = ahead * axis + across
        turn, _ = Rotation.align_vectors((way / np.linalg.norm(way))[None], axis[None])
        return self.pivot + way, (turn * Rotation.from_quat(self.orientation)).as_quat()


def pivot_of(positions: ArrayLike, orientations: ArrayLike) -> FloatArray | None:
    """The point that the z axes of all poses go through, if there is one.

    Least squares: Σ (I − z zᵀ) c = Σ (I − z zᵀ) p.

    Args:
        positions: (k, 3) [m].
        orientations: (k, 4) quaternions (x, y, z, w); none: nothing turns.
    Returns:
        (3,) [m]; None where the axes do not turn or do not meet within 1 mm.
    """
    turns = np.asarray(orientations, dtype=float).reshape(-1, 4)
    if not len(turns):
        return None
    places = np.asarray(positions, dtype=float)
    axes = Rotation.from_quat(turns).apply([0.0, 0.0, 1.0])
    if np.arccos(np.clip(axes @ axes[0], -1.0, 1.0)).max() < _TURNS_FROM:
        return None
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    centre = np.linalg.lstsq(across.sum(axis=0), np.einsum("kij,kj->i", across, places), rcond=None)[0]
    off = np.linalg.norm(np.einsum("kij,kj->ki", across, places - centre), axis=1)
    return centre if off.max() < _LINES_MEET_WITHIN else None
