# SPDX-License-Identifier: LGPL-2.1-or-later
"""The best few modes for many load cases, each of which has its dent beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["compress"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ROUNDS = 30
_SMALLEST = 1e-9  # what a mode must do outside a dent, of its square, to have an amplitude of its own there


def compress(
    amplitudes: FloatArray, inside: list[FloatArray], weights: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Find `count` modes that miss least outside the dents, where nothing else can mend what they miss.

    Principal axes count what a mode does at the nodes of a case's dent, where the dent does it as well. Instead, what
    is there is filled in from the present modes, the principal axes are found of that, and so on: each round lowers
    Σ_s,t |u − Σ_k X_k Y_k|² over the nodes outside dent s.

    Args:
        amplitudes: of orthonormal modes (cases, j, m): coefficients of a series in the load's size.
        inside: of each case, the modes at the components of its dent (d, m).
        weights: from coefficients to weighted samples (i, j).
        count: k <= m.
    Returns:
        Turn of the modes (m, k), the most important first, and amplitudes (cases, j, k).
    """
    turn = np.eye(amplitudes.shape[2])[:, :count]
    if count == amplitudes.shape[2]:
        return turn, amplitudes
    within = [case @ modes.T for case, modes in zip(amplitudes, inside, strict=True)]
    found = np.empty((*amplitudes.shape[:2], count))
    for round_ in range(_ROUNDS + 1):
        filled = amplitudes.copy()
        for case, modes in enumerate(inside):
            seen = modes @ turn
            found[case] = _fit(amplitudes[case] @ turn - within[case] @ seen, seen)
            filled[case] -= (within[case] - found[case] @ seen.T) @ modes
        if round_ == _ROUNDS:
            break
        samples = np.einsum("ij,sjm->sim", weights, filled, optimize=True).reshape(-1, filled.shape[2])
        axes = np.linalg.eigh(samples.T @ samples)[1][:, ::-1]
        turn = np.ascontiguousarray(axes[:, :count])
    return turn, found


def _fit(right: FloatArray, seen: FloatArray) -> FloatArray:
    """Rows y with y (1 − QᵀQ) = right, for Q (d, k): amplitudes that fit best outside a dent."""
    rows, columns = seen.shape
    if columns <= rows:
        return np.linalg.solve((1.0 + _SMALLEST) * np.eye(columns) - seen.T @ seen, right.T).T
    inner = (1.0 + _SMALLEST) * np.eye(rows) - seen @ seen.T
    return right + np.linalg.solve(inner, seen @ right.T).T @ seen
