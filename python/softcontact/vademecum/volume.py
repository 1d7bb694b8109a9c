# SPDX-License-Identifier: LGPL-2.1-or-later
"""Few modes that keep the volume: the last of them inflates the solid by what the others miss.

Modes that the displacement hardly shows carry much of a bent solid's change of volume. Dropping them is no matter for
the displacement, but neither is putting back their volume: some micrometres all over the boundary.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum import chebyshev
from softcontact.vademecum.separated import SeparatedSolution
from softcontact.vademecum.solid import Solid

__all__ = ["truncated", "volumes"]

FloatArray = NDArray[np.float64]


def volumes(solution: SeparatedSolution, solid: Solid) -> FloatArray:
    """Volumes [m³] of every case at the sizes that the series is found from (cases, terms)."""
    return np.array(
        [
            [
                solid.mesh.volume(solution.displacement(case, size))
                for size in chebyshev.sample_sizes(solution.terms)
            ]
            for case in range(len(solution.amplitudes))
        ]
    )


def truncated(
    solution: SeparatedSolution, solid: Solid, modes: int, wanted: FloatArray | None = None
) -> SeparatedSolution:
    """The best `modes` - 1 modes, and one that brings the volume of every case to what is wanted.

    Args:
        modes: how many in all. One has no room for the volume; all there are have it already if `wanted` is None.
        wanted: volumes (cases, terms) [m³] at the sizes of `volumes`; None means the volumes of `solution`.
    Raises:
        ValueError: more modes than there are, or none.
    """
    if modes < 2 or (modes >= solution.count and wanted is None):
        return solution.truncated(modes)
    if wanted is None:
        wanted = volumes(solution, solid)
    few = solution.truncated(min(modes, solution.count + 1) - 1)
    inflation = solid.expand(solid.restrict(solid.mesh.volume_gradient()))
    for _ in range(2):  # twice is enough for orthogonality to round-off
        inflation = inflation - np.tensordot(np.tensordot(few.modes, inflation, 2), few.modes, 1)
    inflation /= np.linalg.norm(inflation)
    needed = np.zeros(wanted.shape)
    for case, row in enumerate(wanted):
        for i, size in enumerate(chebyshev.sample_sizes(few.terms)):
            field = few.displacement(case, size)
            for _ in range(3):  # of Newton's method on a cubic with a root near nothing
                now = field + needed[case, i] * inflation
                slope = np.sum(solid.mesh.volume_gradient(now) * inflation)
                needed[case, i] += (row[i] - solid.mesh.volume(now)) / slope
    series = chebyshev.coefficients(np.ascontiguousarray(needed.T)).T  # (cases, terms)
    return dataclasses.replace(
        few,
        modes=np.concatenate([few.modes, inflation[None]]),
        amplitudes=np.concatenate([few.amplitudes, series[..., None]], axis=2),
    )
