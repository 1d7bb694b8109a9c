# SPDX-License-Identifier: LGPL-2.1-or-later
"""New modes from what the present ones leave: the spatial half of the alternating directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse.linalg as sla
from numpy.typing import NDArray

from softcontact.vademecum.solid import Solid

__all__ = ["Enrichment", "enrich"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_GROUPS = 6  # of load cases that share an averaged tangent
_TOGETHER = 8  # averaged tangents held at once


@dataclass(frozen=True)
class Enrichment:
    """What a search for modes found.

    Attributes:
        modes: free components (f, p), the most wanted first; not orthonormal.
        residual: norm of the residual forces against that of the loads [-].
        energy_error: estimated energy norm of what is missing against that of the displacement [-].
    """

    modes: FloatArray
    residual: float
    energy_error: float


def enrich(
    solid: Solid, fields: FloatArray, loads: FloatArray, order: IntArray, *, limit: int, tolerance: float
) -> Enrichment:
    """Find the modes that would lower the energy of all cases most.

    About the present fields u_s the energy functional of all cases is Σ_s ½ w·K_s w − r_s·w with the tangents K_s
    and residuals r_s. A rank-one correction w_s = x y_s that minimises it satisfies
        (Σ_s y_s² K_s) x = Σ_s y_s r_s        and        y_s = x·r_s / x·K_s x.
    Good starts for y are the leading eigenvectors of the matrix r_s·z_t of residuals and preconditioned residuals,
    with tangents averaged over groups of similar cases; then one spatial problem a mode is solved. Its amplitudes
    are not: those of all modes are found anew, exactly, by softcontact.vademecum.reduced.

    Args:
        fields: free components of the displacements (c, f) [m].
        loads: free components of the forces (c, f) [N].
        order: cases sorted by likeness.
        limit: number of modes at most.
        tolerance: share of the energy norm that a mode must promise [-].
    Source: González et al. 2015, Sec. 2.1 and 2.2, for alternating directions; Nouy 2010 (their reference 53) for
    several modes at once with all amplitudes updated.
    """
    residual = loads - solid.force(fields)
    groups = np.zeros((min(_GROUPS, len(fields)), len(fields)))
    for group, members in zip(groups, np.array_split(order, len(groups)), strict=True):
        group[members] = 1.0 / len(members)
    corrections = np.empty_like(residual)
    for group, tangent in zip(groups, _tangents(solid, fields, groups), strict=True):
        members = np.flatnonzero(group)
        corrections[members] = tangent.solve(residual[members].T).T
    coupling = residual @ corrections.T
    work = abs(float(np.sum(loads * fields))) or float(np.trace(coupling))
    gains, amplitudes = la.eigh(0.5 * (coupling + coupling.T))
    gains, amplitudes = gains[::-1], amplitudes[:, ::-1]
    wanted = int(np.count_nonzero(gains > tolerance**2 * work))
    weights = np.ascontiguousarray(amplitudes[:, : min(wanted, limit)].T)
    modes = np.empty((solid.size, len(weights)))
    for first in range(0, len(weights), _TOGETHER):
        some = weights[first : first + _TOGETHER]
        for k, tangent in enumerate(_tangents(solid, fields, some**2)):
            mode = tangent.solve(residual.T @ some[k])
            modes[:, first + k] = mode / np.linalg.norm(mode)
    return Enrichment(
        modes,
        float(np.linalg.norm(residual) / np.linalg.norm(loads)),
        float(np.sqrt(max(np.trace(coupling), 0.0) / work)),
    )


def _tangents(solid: Solid, fields: FloatArray, weights: FloatArray) -> list[sla.SuperLU]:
    """Factorised tangents averaged over the cases, one for each row of weights (k, c)."""
    moduli = np.zeros((len(weights), *solid.mesh.weights.shape, 9, 9))
    for part in solid.batches(len(fields)):
        _, stress, deformation = solid.state(fields[part])
        moduli += np.tensordot(weights[:, part], solid.moduli(deformation, stress), 1)
    return [sla.splu(solid.assemble_tangent(m), permc_spec="MMD_AT_PLUS_A") for m in moduli]
