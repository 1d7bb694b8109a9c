# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes as functions of points, negative inside, and smooth unions and differences of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def ellipsoid(points: np.ndarray, centre: Sequence[float], radii: Sequence[float]) -> np.ndarray:
    """Nearly the distance to an ellipsoid along the axes, exact in sign (n,) [m].

    Args:
        points: (n, 3) [m].
        centre, radii: (3,) [m].
    """
    local = points - np.asarray(centre)
    radii = np.asarray(radii)
    first = np.linalg.norm(local / radii, axis=1)
    slope = np.linalg.norm(local / radii**2, axis=1)
    # At the centre the slope vanishes: minus the least radius is the distance there.
    return np.where(slope > 1e-9, first * (first - 1.0) / np.maximum(slope, 1e-9), -radii.min())


def rounded_cone(
    points: np.ndarray, start: Sequence[float], end: Sequence[float], radius: float, end_radius: float
) -> np.ndarray:
    """A capsule whose radius changes evenly from start to end; nearly the distance (n,) [m]."""
    start, axis = np.asarray(start), np.asarray(end) - np.asarray(start)
    share = np.clip((points - start) @ axis / (axis @ axis), 0.0, 1.0)
    return np.linalg.norm(points - start - share[:, None] * axis, axis=1) - (
        radius + share * (end_radius - radius)
    )


def union(first: np.ndarray, second: np.ndarray, blend: float) -> np.ndarray:
    """Both shapes, their seam rounded over `blend` [m] > 0.

    Source: Quílez, Smooth minimum (quadratic polynomial form).
    """
    overlap = np.maximum(blend - np.abs(first - second), 0.0) / blend
    return np.minimum(first, second) - 0.25 * blend * overlap**2


def difference(first: np.ndarray, second: np.ndarray, blend: float) -> np.ndarray:
    """The first shape without the second, the edge rounded over `blend` [m] > 0."""
    return -union(-first, second, blend)
