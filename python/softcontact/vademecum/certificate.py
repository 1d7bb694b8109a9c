# SPDX-License-Identifier: LGPL-2.1-or-later
"""The certificate of a vademecum: errors against full-order equilibria of the same mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.vademecum.full_order import FullOrderSolver
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.separated import SeparatedSolution
from softcontact.vademecum.volume import truncated

__all__ = ["Certificate", "certify"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Certificate:
    """Errors of a separated solution at chosen cases and sizes.

    Attributes:
        modes: mode counts judged (a,), the full one last.
        cases: load cases compared (c,).
        sizes: sizes of the load compared (t,) [-].
        largest: largest nodal displacement of the full-order solutions [m].
        overall: norm of all errors at a size against that of the displacements (a, t) [-].
        nodal: largest nodal error against `largest` (a, c, t) [-].
        energy: error against the displacement in the energy norm of the full-order tangent (a, c, t) [-].
        volume: difference of the deformed volume against the volume at rest (a, c, t) [-].
        volume_change: change of the volume of the full-order solution (c, t) [-].
    """

    modes: IntArray
    cases: IntArray
    sizes: FloatArray
    largest: float
    overall: FloatArray
    nodal: FloatArray
    energy: FloatArray
    volume: FloatArray
    volume_change: FloatArray

    @property
    def error(self) -> float:
        """Largest nodal error of the solution with all modes [m]."""
        return float(self.nodal[-1].max()) * self.largest

    def rows(self) -> list[dict[str, float]]:
        """Figures for each mode count.

        The change of volume at the largest size: the largest error against the largest change of all cases
        (volume_full), and the 0.9 quantile of the errors against each case's own change (volume_full_p90).
        """
        return [
            {
                "modes": int(count),
                "overall_full": float(self.overall[k, -1]),
                "overall_worst": float(self.overall[k].max()),
                "nodal_max": float(self.nodal[k].max()),
                "nodal_p99": float(np.quantile(self.nodal[k], 0.99)),
                "energy_mean": float(self.energy[k].mean()),
                "energy_max": float(self.energy[k].max()),
                "volume_max": float(np.abs(self.volume[k]).max()),
                "volume_full": float(
                    np.abs(self.volume[k, :, -1]).max() / np.abs(self.volume_change[:, -1]).max()
                ),
                "volume_full_p90": float(
                    np.quantile(np.abs(self.volume[k, :, -1] / self.volume_change[:, -1]), 0.9)
                ),
            }
            for k, count in enumerate(self.modes)
        ]


def certify(
    cases: LoadCases,
    solution: SeparatedSolution,
    *,
    sizes: ArrayLike = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    chosen: ArrayLike | None = None,
    modes: ArrayLike | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Certificate:
    """Compare with full finite element solutions.

    None of them was used to build the solution, so that every one is held out.

    Args:
        sizes: shares of the largest force in (0, 1], growing.
        chosen: load cases; None means all.
        modes: mode counts to judge besides the full one; None means 25 where there are more.
        tell: called with the number of cases done and in all.
    Raises:
        ValueError: a size, case or mode count out of range.
        EquilibriumError: the full-order solver finds no equilibrium.
    """
    sizes = np.asarray(sizes, dtype=float)
    if not (sizes.ndim == 1 and len(sizes) and (sizes > 0.0).all() and (sizes <= 1.0).all()):
        raise ValueError(f"sizes: {sizes}, expected shares of the largest force in (0, 1]")
    if not (np.diff(sizes) > 0.0).all():
        raise ValueError(f"sizes: {sizes}, expected them growing")
    numbers = np.arange(cases.count) if chosen is None else np.unique(np.asarray(chosen))
    if not len(numbers) or numbers[0] < 0 or numbers[-1] >= cases.count:
        raise ValueError(f"chosen: expected load cases in 0 … {cases.count - 1}")
    wanted = ([25] if solution.count > 25 else []) if modes is None else list(np.asarray(modes).ravel())
    if not all(0 < count < 2**31 and count % 1 == 0 for count in wanted):
        raise ValueError(f"modes: {wanted}, expected whole numbers in 1 … {solution.count}")
    counts = np.unique([*wanted, solution.count]).astype(np.int64)
    solid, mesh = cases.solid, cases.solid.mesh
    candidates = [truncated(solution, solid, int(count)) for count in counts]
    shape = (len(counts), len(numbers), len(sizes))
    squares, nodal, energy, volume = (np.zeros(shape) for _ in range(4))
    norms, change = np.zeros(shape[1:]), np.zeros(shape[1:])
    largest = 0.0
    solver = FullOrderSolver(solid)
    for c, case in enumerate(numbers):
        path = solver.path(cases.forces([case])[0], sizes)
        for t, values in enumerate(path.values):
            exact, tangent = solid.expand(values), solid.tangent(values)
            volumes = mesh.volume(exact)
            norms[c, t], change[c, t] = np.sum(exact**2), volumes / mesh.volume() - 1.0
            largest = max(largest, float(np.linalg.norm(exact, axis=1).max()))
            work = values @ (tangent @ values)
            for k, candidate in enumerate(candidates):
                found = candidate.displacement(int(case), float(sizes[t]))
                wrong = found - exact
                free = solid.restrict(wrong)
                squares[k, c, t] = np.sum(wrong**2)
                nodal[k, c, t] = np.linalg.norm(wrong, axis=1).max()
                energy[k, c, t] = np.sqrt(abs(free @ (tangent @ free)) / abs(work))
                volume[k, c, t] = (mesh.volume(found) - volumes) / mesh.volume()
        tell(c + 1, len(numbers))
    overall = np.sqrt(squares.sum(axis=1) / norms.sum(axis=0))
    return Certificate(counts, numbers, sizes, largest, overall, nodal / largest, energy, volume, change)
