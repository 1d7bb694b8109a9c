# SPDX-License-Identifier: LGPL-2.1-or-later
"""New modes from what the present ones leave: the spatial half of the alternating directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from softcontact.parallel import Workers
from softcontact.vademecum.reduced import Coordinates, ReducedProblem
from softcontact.vademecum.solid import factorised

__all__ = ["Enrichment", "enrich"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_GROUPS = 8  # of like cases that share an averaged tangent
_AVERAGED = 8  # tangents in an average


@dataclass(frozen=True)
class Enrichment:
    """What a search for modes found.

    Attributes:
        modes: free components (f, p), the most wanted first; not orthonormal.
        residual: norm of the residual forces against that of the loads [-].
        energy_error: estimated energy norm of what is missing against that of the displacement [-].
        missing_volume: estimated, of each case (c,) [m³].
    """

    modes: FloatArray
    residual: float
    energy_error: float
    missing_volume: FloatArray


def enrich(
    problem: ReducedProblem,
    modes: FloatArray,
    size: float,
    numbers: IntArray,
    at: Coordinates,
    workers: Workers,
    *,
    limit: int,
    tolerance: float,
) -> Enrichment:
    """Find the modes that would lower the energy of all cases most.

    About the present fields u_s the energy functional of all cases is Σ_s ½ w·K_s w − r_s·w with the tangents K_s
    and residuals r_s. A rank-one correction w_s = x y_s that minimises it satisfies
        (Σ_s y_s² K_s) x = Σ_s y_s r_s        and        y_s = x·r_s / x·K_s x.
    Good starts for y are the leading eigenvectors of the matrix r_s·z_t of residuals and preconditioned residuals
    z_t = K_t⁻¹ r_t, with tangents averaged over groups of like cases; x is Σ_s y_s z_s then, which is the same where
    the tangents are. Its amplitudes are not those y: the amplitudes of all modes are found anew, exactly, by
    softcontact.vademecum.reduced.

    Args:
        modes: present ones, free components (f, m).
        size: share of the largest load [-].
        numbers: the cases (c,).
        at: their displacements.
        limit: number of modes at most.
        tolerance: share of the energy norm that a mode must promise [-].
    Source: González et al. 2015, Sec. 2.1 and 2.2, for alternating directions; Nouy 2010 (their reference 53) for
    several modes at once with all amplitudes updated.
    """
    residual = np.empty((len(numbers), problem.solid.size))
    corrections = np.empty_like(residual)
    groups = problem.cases.alike(numbers, -(-len(numbers) // _GROUPS))
    items = [(size, numbers[group], at[group]) for group in groups]
    volume = np.empty(len(numbers))
    work = load = 0.0
    for group, found in zip(groups, workers.map(_correct_group, (problem, modes), items), strict=True):
        residual[group], corrections[group], volume[group] = found[:3]
        work, load = work + found[3], load + found[4]
    coupling = residual @ corrections.T
    coupling = 0.5 * (coupling + coupling.T)
    missing = float(np.trace(coupling))
    work = abs(work) or missing
    first = max(0, len(numbers) - limit)
    more = np.zeros((problem.solid.size, 0))
    if limit:
        gains, amplitudes = la.eigh(coupling, subset_by_index=(first, len(numbers) - 1))
        wanted = amplitudes[:, gains > tolerance**2 * work][:, ::-1]
        more = corrections.T @ wanted
        more /= np.linalg.norm(more, axis=0)
    return Enrichment(
        more,
        float(np.linalg.norm(residual) / np.sqrt(load)),
        float(np.sqrt(max(missing, 0.0) / work)),
        volume,
    )


def _correct_group(
    problem: ReducedProblem, modes: FloatArray, item: tuple[float, IntArray, Coordinates]
) -> tuple[FloatArray, FloatArray, FloatArray, float, float]:
    """Residuals and corrections (c, f) of some cases, volumes of the latter; work of their loads, and their squares."""
    size, numbers, at = item
    solid = problem.solid
    fields = problem.fields(modes, numbers, at)
    loads = size * problem.cases.forces(numbers)
    residual = loads - solid.force(fields)
    averaged = np.linspace(0, len(numbers) - 1, min(_AVERAGED, len(numbers))).round().astype(int)
    tangent = solid.tangent(fields[averaged[0]])
    for case in averaged[1:]:
        tangent.data += solid.tangent(fields[case]).data
    tangent.data /= len(averaged)
    corrections = factorised(tangent).solve(residual.T).T
    volume = [
        np.sum(solid.mesh.volume_gradient(u) * w)
        for u, w in zip(solid.expand(fields), solid.expand(corrections), strict=True)
    ]
    return residual, corrections, np.array(volume), float(np.sum(loads * fields)), float(np.sum(loads**2))
