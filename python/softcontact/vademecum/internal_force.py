# SPDX-License-Identifier: LGPL-2.1-or-later
"""Internal forces of many St Venant-Kirchhoff fields at once, arranged so that arrays stay in the cache."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["InternalForce"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_VALUES = 8192  # a component worked on at once: some twenty such rows fit into the second-level cache
_BYTES = 1 << 26  # of displacement gradients and stresses held at once
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class InternalForce:
    """f(u) of fields of free components: gradients by one sparse matrix, stresses, and its transpose.

    Args:
        mesh: tetrahedra or hexahedra.
        moving: nodes that are not clamped, sorted (k,).
        lame, shear: λ and μ [Pa].
    """

    def __init__(self, mesh: SolidMesh, moving: IntArray, lame: float, shear: float) -> None:
        cells, points, corners, _ = mesh.gradients.shape
        self._points = cells * points
        number = np.full(len(mesh.nodes), -1)
        number[moving] = np.arange(len(moving))
        columns = np.broadcast_to(number[mesh.cells][:, None, :], (cells, points, corners)).reshape(-1)
        rows = np.repeat(np.arange(self._points), corners)
        kept = columns >= 0
        slopes = mesh.gradients.reshape(-1, 3)
        shape = (self._points, len(moving))
        parts = [sp.csr_matrix((slopes[kept, k], (rows[kept], columns[kept])), shape) for k in range(3)]
        self._gradient = sp.vstack(parts, format="csr")  # ∂/∂X_J at point q in row J × points + q
        self._divergence = self._gradient.T.tocsr()
        self._lame = lame * mesh.weights.reshape(-1)
        self._double_shear = 2.0 * shear * mesh.weights.reshape(-1)

    def __call__(self, values: FloatArray) -> FloatArray:
        """Nodal forces (s, f) [N] of free components (s, f) [m]."""
        out = np.empty(values.shape)
        step = max(1, _BYTES // (8 * 9 * self._points))
        for start in range(0, len(values), step):
            some = values[start : start + step]
            fields = np.ascontiguousarray(some.reshape(len(some), -1, 3).transpose(2, 1, 0))  # (3, k, s)
            tensor = np.empty((3, 3, self._points, len(some)))
            for i in range(3):
                tensor[i] = (self._gradient @ fields[i]).reshape(3, self._points, -1)
            self._stress(tensor)
            for i in range(3):
                fields[i] = self._divergence @ tensor[i].reshape(3 * self._points, -1)
            out[start : start + step] = fields.transpose(2, 1, 0).reshape(len(some), -1)
        return out

    def _stress(self, tensor: FloatArray) -> None:
        """Weighted first Piola-Kirchhoff stresses in the place of displacement gradients (3, 3, points, s)."""
        count = tensor.shape[-1]
        flat = tensor.reshape(3, 3, -1)
        step = max(1, _VALUES // count)
        for start in range(0, self._points, step):
            at = slice(start, min(start + step, self._points))
            weigh = [np.repeat(w[at], count) for w in (self._lame, self._double_shear)]
            _piola(flat[:, :, at.start * count : at.stop * count], *weigh)


def _piola(gradient: FloatArray, lame: FloatArray, double_shear: FloatArray) -> None:
    """P = F S in the place of H (3, 3, k), with S = λ tr(E) 1 + 2 μ E, E = (H + Hᵀ + Hᵀ H) / 2, F = 1 + H."""
    stress = np.empty((6, gradient.shape[-1]))
    work = np.empty(gradient.shape[-1])
    for row, (j, k) in zip(stress, _PAIRS, strict=True):
        np.add(gradient[j, k], gradient[k, j], out=row)
        for i in range(3):
            row += np.multiply(gradient[i, j], gradient[i, k], out=work)
        row *= 0.5
    trace = stress[0] + stress[1]
    trace += stress[2]
    trace *= lame
    stress *= double_shear
    stress[:3] += trace
    index = {pair: k for k, pair in enumerate(_PAIRS)}
    symmetric = [[stress[index[min(j, k), max(j, k)]] for k in range(3)] for j in range(3)]
    row = np.empty((3, gradient.shape[-1]))
    for i in range(3):
        for j in range(3):
            np.multiply(gradient[i, 0], symmetric[0][j], out=row[j])
            for k in (1, 2):
                row[j] += np.multiply(gradient[i, k], symmetric[k][j], out=work)
            row[j] += symmetric[i][j]
        gradient[i] = row
