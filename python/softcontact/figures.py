# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of a series: spread, and jumps of a force."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def spread(values: ArrayLike, percentiles: dict[str, float]) -> dict[str, float]:
    """mean, the named percentiles and max of some figures; zeros without any.

    Args:
        values: the figures (n,).
        percentiles: per cent by name, such as {"p99": 99}.
    """
    values = np.asarray(values, dtype=float)
    if not values.size:
        return dict.fromkeys(("mean", *percentiles, "max"), 0.0)
    found = np.percentile(values, list(percentiles.values()))
    middle = dict(zip(percentiles, map(float, found), strict=True))
    return {"mean": float(values.mean()), **middle, "max": float(values.max())}


def force_jump(force: FloatArray) -> float:
    """Largest change of a force (k, 3) between two ticks over its mean size."""
    mean = float(np.linalg.norm(force, axis=1).mean()) if len(force) else 0.0
    if len(force) < 2 or not mean > 0.0:
        return 0.0
    return float(np.linalg.norm(np.diff(force, axis=0), axis=1).max()) / mean
