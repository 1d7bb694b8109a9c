# SPDX-License-Identifier: LGPL-2.1-or-later
"""Forces of any direction from families of a few directions, by superposition."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["family_sizes"]

FloatArray = NDArray[np.float64]

_OPPOSITE = 1e-9  # directions that sum to less are opposite


def family_sizes(directions: FloatArray, force: ArrayLike, magnitude: float) -> list[tuple[int, float]]:
    """Families and sizes of their loads that make up a force.

    Families of opposite directions share an axis and take its forces by their sign; a family without an opposite takes
    negative sizes too, which are answered along the tangent at rest.

    Args:
        directions: unit vectors (families, 3).
        force: (3,) [N].
        magnitude: largest force of a family [N].
    Raises:
        ValueError: a force that is not finite, or one that the directions do not span.
    """
    force = np.asarray(force, dtype=float)
    if force.shape != (3,) or not np.isfinite(force).all():
        raise ValueError(f"force: {force}, expected three finite numbers [N]")
    axes: list[list[int]] = []
    for family, direction in enumerate(directions):
        other = next(
            (axis for axis in axes if np.linalg.norm(directions[axis[0]] + direction) < _OPPOSITE), None
        )
        if other is None:
            axes.append([family])
        else:
            other.append(family)
    columns = directions[[axis[0] for axis in axes]].T
    along = np.linalg.lstsq(columns, force / magnitude, rcond=None)[0]
    missed = np.linalg.norm(columns @ along - force / magnitude)
    if missed > 1e-9 * max(1.0, float(np.linalg.norm(force)) / magnitude):
        raise ValueError(
            f"force: {force} N is not along the {len(directions)} directions that were built; build more"
        )
    sizes = []
    for axis, size in zip(axes, along.tolist(), strict=True):
        if size < 0.0 and len(axis) > 1:
            sizes.append((axis[1], -size))
        elif size != 0.0:
            sizes.append((axis[0], size))
    return sizes
