# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the load's size that vanish without load: t times a Chebyshev series on [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

__all__ = ["basis", "coefficients", "sample_sizes", "slope"]

FloatArray = NDArray[np.float64]


def sample_sizes(count: int) -> FloatArray:
    """Sizes (count,) in (0, 1] at which a series of `count` terms is found, the last 1."""
    roots = 0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
    return roots / roots[-1]


def basis(sizes: ArrayLike, count: int) -> FloatArray:
    """t T_j(2 t − 1), shape (…, count), of sizes t (…)."""
    sizes = np.asarray(sizes, dtype=float)
    series = chebyshev.chebvander(2.0 * sizes - 1.0, count - 1)  # at least two axes
    return sizes[..., None] * series.reshape(*sizes.shape, count)


def slope(size: float, count: int) -> FloatArray:
    """d/dt of the basis (count,) at one size."""
    series = chebyshev.chebvander(2.0 * size - 1.0, count - 1).ravel()
    slopes = [
        2.0 * float(chebyshev.chebval(2.0 * size - 1.0, chebyshev.chebder(unit))) for unit in np.eye(count)
    ]
    return series + size * np.array(slopes)


def coefficients(samples: FloatArray) -> FloatArray:
    """Coefficients (count, …) of the series through samples (count, …) at sample_sizes(count)."""
    count = len(samples)
    flat = np.linalg.solve(basis(sample_sizes(count), count), samples.reshape(count, -1))
    return flat.reshape(samples.shape)
