# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hyper-reduced cubature: few quadrature points with positive weights that integrate forces on the modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from softcontact.vademecum.online import OnlineField
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["Cubature", "choose_cubature"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MOST_CANDIDATES = 4000  # points among which is chosen, for the memory of the least squares


@dataclass(frozen=True)
class Cubature:
    """Some of the quadrature points of a mesh, weighted to stand for all.

    Attributes:
        points: number of each among all, cell by cell (q,).
        weights: (q,) [m³], > 0.
        residual: what they miss of the forces that they were chosen on, in the energy norm [-].
    """

    points: IntArray
    weights: FloatArray
    residual: float


def choose_cubature(
    vademecum: Vademecum,
    *,
    modes: int | None = None,
    tolerance: float = 0.01,
    states: int = 60,
    seed: int = 0,
) -> Cubature:
    """Choose points on states that the vademecum itself predicts, under one to three loads; nothing is solved.

    Non-negative least squares on the reduced forces of all states, in the norm of the inverse stiffness at rest, points
    coming one by one until the tolerance is met.

    Args:
        modes: how many to integrate for; None means all.
        tolerance: of the forces in the energy norm [-], in (0, 1).
        states: how many to choose on.
        seed: of their loads.
    Raises:
        ValueError: a number out of range.
    Source: Farhat, Avery, Chapman, Cortial 2014 (energy-conserving sampling and weighting), at points, not elements.
    """
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance: {tolerance}, expected a share in (0, 1)")
    if states < 1:
        raise ValueError(f"states: {states}, expected one or more")
    solution = vademecum.solution if modes is None else vademecum.truncated(modes)
    solid, cases = vademecum.cases.solid, vademecum.cases
    random = np.random.default_rng(seed)
    slopes = mode_gradients(vademecum, solution.modes)
    weights = solid.mesh.weights.ravel()
    candidates = np.sort(random.permutation(len(weights))[:_MOST_CANDIDATES])
    free = solid.restrict(solution.modes)
    rest = free @ (solid.tangent(np.zeros(solid.size)) @ free.T)
    factor = la.cholesky(0.5 * (rest + rest.T), lower=True)
    field = OnlineField(vademecum, modes=modes)
    triangle, right = np.zeros((0, len(candidates))), np.zeros(0)
    for state in range(states):
        loads = 1 + state % 3
        chosen = random.choice(cases.count, min(loads, cases.count), replace=False)
        sizes = random.dirichlet(np.ones(len(chosen))) * random.uniform(0.2, 1.0)
        field.native.predict(chosen.tolist(), sizes.tolist())
        stress = _first_piola(vademecum, slopes @ field.native.amplitudes)
        parts = np.einsum("q,qkm,qk->mq", weights, slopes, stress)
        parts = la.solve_triangular(factor, parts, lower=True)
        whole = parts.sum(axis=1)
        length = np.linalg.norm(whole)
        # rows of all states, kept as the triangle of their QR factorisation
        rows = np.column_stack([parts[:, candidates], whole]) / length
        stacked = np.vstack([np.column_stack([triangle, right]), rows])
        if len(stacked) > 2 * len(candidates) + 2 or state == states - 1:
            stacked = np.linalg.qr(stacked, mode="r")
        triangle, right = stacked[:, :-1], stacked[:, -1]
    shares, residual = _nonnegative(triangle, right, tolerance)
    chosen = np.flatnonzero(shares > 0.0)
    points = candidates[chosen]
    return Cubature(points, weights[points] * shares[chosen], residual)


def mode_gradients(vademecum: Vademecum, modes: FloatArray) -> FloatArray:
    """∂X_k,i/∂X_J [1/m] at all quadrature points (q, 9, m), row 3 i + J."""
    mesh = vademecum.mesh
    out = np.einsum("cqaj,mcai->cqijm", mesh.gradients, modes[:, mesh.cells], optimize=True)
    return np.ascontiguousarray(out.reshape(-1, 9, len(modes)))


def _first_piola(vademecum: Vademecum, gradients: FloatArray) -> FloatArray:
    """First Piola-Kirchhoff stress [Pa] (q, 9) of displacement gradients (q, 9)."""
    deformation = gradients.reshape(-1, 3, 3) + np.eye(3)
    strain = 0.5 * (np.swapaxes(deformation, 1, 2) @ deformation - np.eye(3))
    return (deformation @ vademecum.cases.solid.stress(strain)).reshape(-1, 9)


def _nonnegative(matrix: FloatArray, right: FloatArray, tolerance: float) -> tuple[FloatArray, float]:
    """x >= 0 with |matrix x − right| <= tolerance |right|, few of them positive (Lawson and Hanson's method)."""
    size = matrix.shape[1]
    x, inside = np.zeros(size), np.zeros(size, dtype=bool)
    scale = np.linalg.norm(right)
    while True:
        rest = right - matrix @ x
        residual = float(np.linalg.norm(rest) / scale)
        gain = np.where(inside, -np.inf, matrix.T @ rest)
        best = int(gain.argmax())
        if residual <= tolerance or not gain[best] > 0.0:
            return x, residual
        inside[best] = True
        while True:
            chosen = np.flatnonzero(inside)
            wanted = np.linalg.lstsq(matrix[:, chosen], right, rcond=None)[0]
            if (wanted > 0.0).all():
                x[chosen] = wanted
                break
            below = wanted <= 0.0
            now = x[chosen]
            share = (now[below] / (now[below] - wanted[below])).min()
            x[chosen] = np.maximum(0.0, now + share * (wanted - now))
            inside[chosen[below & (x[chosen] <= 1e-14)]] = False
            x[~inside] = 0.0
