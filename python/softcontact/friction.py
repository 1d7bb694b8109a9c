# SPDX-License-Identifier: LGPL-2.1-or-later
"""Friction laws on one contact: the Coulomb cone, and Coulomb–Contensou friction of a patch.

A patch has contact points i with shares a_i of the normal force at offsets r_i = (t, s) from the point where
moments are taken. It slides with v and spins with ω about its normal, so that point i moves with
u_i = v + ω n × r_i. Its potential Φ(v, ω) = μ N Σ a_i |u_i| is the support function of the limit surface

    B = { (Σ f_i, Σ (r_i × f_i) · n) : |f_i| <= μ N a_i },

and the law is maximum dissipation: load in B, -(load · (v, ω)) = Φ(v, ω).
Sources: Contensou 1963; Leine and Glocker 2003; Talvas, Marchal, Duriez and Otaduy 2015, Sec. 3.4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core

FloatArray = NDArray[np.float64]

__all__ = [
    "ContensouSolution",
    "contensou_limit",
    "contensou_potential",
    "in_limit_surface",
    "points_slip_gauge",
    "project_to_cone",
    "solve_contensou",
]


class ContensouSolution(NamedTuple):
    """Load (F_t, F_s, τ) [N, N, N m], velocity (v_t, v_s, ω) and state, "stick" or "slip", of a patch."""

    load: FloatArray
    velocity: FloatArray
    state: str


def _array(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> FloatArray:
    array = np.array(value, dtype=np.float64, order="C", copy=None)
    if array.ndim != len(shape) or any(
        want is not None and want != have for want, have in zip(shape, array.shape, strict=True)
    ):
        wanted = "(" + ", ".join("n" if size is None else str(size) for size in shape) + ")"
        raise ValueError(f"{name}: shape {array.shape}, expected {wanted}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: {array[~np.isfinite(array)][0]} is not a finite number")
    return array


def _at_least_zero(name: str, value: float) -> float:
    number = float(value)
    if not (number >= 0.0 and math.isfinite(number)):
        raise ValueError(f"{name}: {number}, expected a finite number >= 0")
    return number


def _patch(
    shares: ArrayLike, offsets: ArrayLike, mu: float, normal_force: float
) -> tuple[FloatArray, FloatArray, float]:
    a = _array("shares", shares, (None,))
    r = _array("offsets", offsets, (None, 2))
    if a.size == 0:
        raise ValueError("shares: empty, expected at least one contact point")
    if r.shape[0] != a.size:
        raise ValueError(f"offsets: {r.shape[0]} points, expected {a.size} as in shares")
    if not (a >= 0.0).all() or not a.sum() > 0.0:
        raise ValueError(f"shares: {a.min()} is the least, expected shares >= 0 with a positive sum")
    return a, r, _at_least_zero("mu", mu) * _at_least_zero("normal_force", normal_force)


def project_to_cone(force: ArrayLike, mu: ArrayLike) -> FloatArray:
    """Project contact forces onto their Coulomb cones |r_t| <= mu r_n.

    Args:
        force: (n, t, s) per contact [N], shape (n_contacts, 3).
        mu: friction coefficient [-], scalar or shape (n_contacts,), >= 0.

    Returns:
        Nearest admissible forces [N], shape (n_contacts, 3); zero rows where the contact pulls.

    Raises:
        ValueError: wrong shape, a number that is not finite, or mu < 0.

    Source: Talbi et al., Sec. 3.2 (projection onto K_mu).
    """
    r = _array("force", force, (None, 3))
    friction = np.asarray(mu, dtype=np.float64)
    if friction.ndim == 0:
        friction = np.full(r.shape[0], float(friction))
    friction = _array("mu", friction, (r.shape[0],))
    if (friction < 0.0).any():
        raise ValueError(f"mu: {friction.min()}, expected coefficients >= 0")
    return _core.project_all_to_cone(r, friction)


def contensou_potential(
    v: ArrayLike,
    omega: float,
    *,
    shares: ArrayLike,
    offsets: ArrayLike,
    mu: float,
    normal_force: float,
) -> float:
    """Velocity potential Φ(v, ω) = μ N Σ a_i |v + ω n × r_i| [W].

    Args:
        v: sliding velocity (t, s) [m/s], shape (2,).
        omega: spin about the normal [rad/s].
        shares: a_i >= 0 [-], shape (k,); usually they sum to one.
        offsets: r_i in (t, s) [m], shape (k, 2).
        mu: friction coefficient [-] >= 0.
        normal_force: total normal force N [N] >= 0.

    Raises:
        ValueError: wrong shape, a number that is not finite or out of range.
    """
    a, r, bound = _patch(shares, offsets, mu, normal_force)
    velocity = np.append(_array("v", v, (2,)), _array("omega", omega, ()))
    return _core.contensou_potential(velocity, a, r, bound)


def contensou_limit(
    direction: ArrayLike, *, shares: ArrayLike, offsets: ArrayLike, mu: float, normal_force: float
) -> tuple[float, float, float]:
    """Support point of the limit surface: the load of B with the largest load · direction.

    It is ∇Φ(direction). Friction on a patch that moves along `direction` is its opposite.

    Args:
        direction: (v_t, v_s, ω) [m/s, m/s, rad/s], shape (3,); only its direction matters. Zero gives zero.
        shares, offsets, mu, normal_force: as in contensou_potential.

    Returns:
        (force_t, force_s, torque) [N, N, N m]. Where a contact point does not move, the limit surface has
        a flat piece, and that point is taken to carry nothing.

    Raises:
        ValueError: wrong shape, a number that is not finite or out of range.
    """
    a, r, bound = _patch(shares, offsets, mu, normal_force)
    load = _core.contensou_limit(_array("direction", direction, (3,)), a, r, bound)
    return float(load[0]), float(load[1]), float(load[2])


def in_limit_surface(
    load: ArrayLike, *, shares: ArrayLike, offsets: ArrayLike, mu: float, normal_force: float
) -> float:
    """Gauge of a load: the least g >= 0 with load in g B; <= 1 inside the limit surface, 1 on it.

    Args:
        load: (F_t, F_s, τ) [N, N, N m], shape (3,).
        shares, offsets, mu, normal_force: as in contensou_potential.

    Returns:
        The gauge [-], to about 1e-9; infinity where no scaling will do (no bound, or a torque on one point).

    Raises:
        ValueError: wrong shape, a number that is not finite or out of range.
    """
    a, r, bound = _patch(shares, offsets, mu, normal_force)
    return _core.contensou_gauge(_array("load", load, (3,)), a, r, bound)


def points_slip_gauge(
    points: ArrayLike, normals: ArrayLike, forces: ArrayLike, *, mu: ArrayLike | float
) -> float:
    """How near Coulomb contact points between two bodies are to slip as a whole.

    The least g >= 0 such that friction within g times each point's own disc, g mu_i N_i, has the resultant and the
    moment that friction has. Points may differ in their normals. A point that slides by itself does not make it 1; the
    common motion of the bodies that all of them allow does.

    Args:
        points: contact points [m], shape (k, 3).
        normals: unit normals, shape (k, 3).
        forces: contact forces [N], shape (k, 3); the part along a point's normal, N_i, bounds its friction, the rest.
        mu: friction coefficient [-] >= 0, one or one each.

    Returns:
        The gauge [-]: 0 without friction, 1 where the points slip together; infinity for friction without normal force.

    Raises:
        ValueError: wrong shape, a number that is not finite, a negative mu or normal force.
    """
    p = _array("points", points, (None, 3))
    n = _array("normals", normals, (len(p), 3))
    force = _array("forces", forces, (len(p), 3))
    coefficient = np.broadcast_to(np.asarray(mu, dtype=np.float64), (len(p),))
    if not (np.isfinite(coefficient) & (coefficient >= 0.0)).all():
        raise ValueError(f"mu: {coefficient.min()} is the least, expected finite numbers >= 0")
    normal_forces = np.einsum("ij,ij->i", force, n)
    if not (normal_forces >= 0.0).all():
        raise ValueError(f"forces: {normal_forces.min()} N along a normal, expected >= 0")
    friction = force - normal_forces[:, None] * n
    return float(_core.points_slip_gauge(p, n, friction, coefficient * normal_forces))


def solve_contensou(
    compliance: ArrayLike,
    free_velocity: ArrayLike,
    *,
    shares: ArrayLike,
    offsets: ArrayLike,
    mu: float,
    normal_force: float,
) -> ContensouSolution:
    """Friction of one patch at a fixed normal force, as a set-valued law.

    velocity = W load + d with load in B and -(load · velocity) = Φ(velocity): the minimum over x of
    ½ (x - d)ᵀ W⁻¹ (x - d) + Φ(x).

    Args:
        compliance: W of the rows (t, s, ω) [m/(N s), ...], shape (3, 3), symmetric positive semidefinite.
        free_velocity: d = (v_t, v_s, ω) without friction [m/s, m/s, rad/s], shape (3,).
        shares, offsets, mu, normal_force: as in contensou_potential.

    Returns:
        load, velocity, state; the velocity is exactly zero in "stick" (a single point may spin freely there).

    Raises:
        ValueError: wrong shape, a number that is not finite or out of range, W not symmetric positive
            semidefinite.
        RuntimeError: the iteration did not converge.
    """
    a, r, bound = _patch(shares, offsets, mu, normal_force)
    W = _array("compliance", compliance, (3, 3))
    d = _array("free_velocity", free_velocity, (3,))
    scale = np.sqrt(np.outer(np.abs(np.diag(W)), np.abs(np.diag(W))))
    if not (np.abs(W - W.T) <= 1e-9 * (scale + np.abs(W).max() * 1e-9)).all():
        raise ValueError(f"compliance: not symmetric, {W.tolist()}")
    unit = np.where(np.diag(scale) > 0.0, np.sqrt(np.diag(scale)), 1.0)
    least = np.linalg.eigvalsh(W / np.outer(unit, unit))[0]
    if not least >= -1e-9:
        raise ValueError(f"compliance: not positive semidefinite, least scaled eigenvalue {least:.3g}")
    load, velocity, state, converged, iterations = _core.solve_contensou(0.5 * (W + W.T), d, a, r, bound)
    if not converged:
        raise RuntimeError(f"solve_contensou: not converged after {iterations} Newton steps")
    return ContensouSolution(load, velocity, state)
