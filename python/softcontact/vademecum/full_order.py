# SPDX-License-Identifier: LGPL-2.1-or-later
"""Full finite element equilibria of a St Venant-Kirchhoff solid: what a vademecum is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse.linalg as sla
from numpy.typing import ArrayLike, NDArray

from softcontact.vademecum.solid import Solid, factorised

__all__ = ["EquilibriumError", "FullOrderSolver", "LoadPath"]

FloatArray = NDArray[np.float64]


class EquilibriumError(RuntimeError):
    """No equilibrium was found; the message says to which share of the load the solid could be followed."""


@dataclass(frozen=True)
class LoadPath:
    """Equilibria along a growing load.

    Attributes:
        values: free components of the displacement (k, f) [m], one row a size.
        iterations: Newton steps taken in all.
    """

    values: FloatArray
    iterations: int


class FullOrderSolver:
    """Newton's method on all nodes, the load in increments that are halved where it fails.

    Args:
        solid: what is loaded.
        tolerance: of the residual relative to the load [-].
        max_iterations: Newton steps an increment may take.
        smallest_increment: share of the load below which the search ends [-].
    """

    def __init__(
        self,
        solid: Solid,
        *,
        tolerance: float = 1e-10,
        max_iterations: int = 20,
        smallest_increment: float = 1e-4,
    ) -> None:
        self.solid = solid
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.smallest_increment = smallest_increment
        self._factors: sla.SuperLU | None = None

    def solve(self, load: ArrayLike) -> FloatArray:
        """Equilibrium (f,) [m] under a nodal load (f,) [N].

        Raises:
            EquilibriumError: none was found.
        """
        return self.path(load, [1.0]).values[0]

    def path(self, load: ArrayLike, sizes: ArrayLike) -> LoadPath:
        """Equilibria under size × load, for sizes > 0 in growing order.

        Raises:
            EquilibriumError: the path could not be followed.
        """
        load = np.asarray(load, dtype=float)
        values, reached, total = np.zeros(self.solid.size), 0.0, 0
        previous: tuple[float, FloatArray] | None = None
        rows = []
        increment = 0.25
        for size in np.asarray(sizes, dtype=float):
            while reached < size:
                target = min(size, reached + increment)
                guess = values
                if previous is not None:  # along the secant
                    before, old = previous
                    guess = values + (target - reached) / (reached - before) * (values - old)
                found, steps = self._newton(target * load, guess)
                total += steps
                if found is None:
                    increment = 0.5 * min(increment, target - reached)
                    if increment < self.smallest_increment:
                        raise EquilibriumError(
                            f"no equilibrium beyond {reached:.4f} of the load; use a smaller load"
                        )
                    continue
                previous, values, reached = (reached, values), found, target
                increment = min(0.25, 2.0 * increment) if steps <= 5 else increment
            rows.append(values)
        return LoadPath(np.array(rows), total)

    def _newton(self, load: FloatArray, values: FloatArray) -> tuple[FloatArray | None, int]:
        """Newton steps, the first without a test of its length; None where they do not converge."""
        found = self._by_last_factors(load, values)
        if found is not None:
            return found, 1
        scale = np.linalg.norm(load)
        residual = load - self.solid.force(values[None])[0]
        for step in range(self.max_iterations):
            if not np.isfinite(residual).all():
                return None, step
            if np.linalg.norm(residual) <= self.tolerance * scale:
                return values, step
            try:
                self._factors = factorised(self.solid.tangent(values))
            except RuntimeError:  # singular
                return None, step
            values = values + self._factors.solve(residual)
            residual = load - self.solid.force(values[None])[0]
        return None, self.max_iterations

    def _by_last_factors(self, load: FloatArray, values: FloatArray) -> FloatArray | None:
        """The same with the last tangent as long as each step halves the residual: mild cases need no other."""
        last = np.inf
        while self._factors is not None:
            residual = load - self.solid.force(values[None])[0]
            size = float(np.linalg.norm(residual))
            if size <= self.tolerance * np.linalg.norm(load):
                return values
            if not size < 0.5 * last:
                break
            last = size
            values = values + self._factors.solve(residual)
        return None
