# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems of many points with Coulomb friction, and solvers that are judged by one residual."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.friction import _array

FloatArray = NDArray[np.float64]
Method = Literal["block_gauss_seidel", "local_uzawa", "global_uzawa", "nncg", "anderson"]

__all__ = ["ContactProblem", "ContactSolution", "Method", "read_fclib", "residual", "solve", "write_fclib"]


class ContactProblem:
    """Find r with u = W r + q and, at each contact, 0 <= r_n ⟂ u_n >= 0 and Coulomb friction |r_t| <= mu r_n.

    Args:
        W: Delassus operator, shape (3n, 3n), dense or scipy.sparse; need not be symmetric.
            [m/(N s)], or m/N where q is a displacement.
        q: free velocity (n, t, s) per contact [m/s], shape (3n,).
        mu: friction coefficients [-], shape (n,), >= 0.

    Raises:
        ValueError: wrong shape, a number that is not finite, mu < 0.
    """

    def __init__(self, W: Any, q: ArrayLike, mu: ArrayLike) -> None:
        # Copies: what was checked here stays what is solved.
        self.mu = _array("mu", mu, (None,)).copy()
        if (self.mu < 0.0).any():
            raise ValueError(f"mu: {self.mu.min()}, expected coefficients >= 0")
        size = 3 * self.mu.size
        self.q = _array("q", q, (size,)).copy()
        self.W = _array("W", W.toarray() if hasattr(W, "toarray") else W, (size, size)).copy()

    @property
    def contacts(self) -> int:
        """Number of contacts n."""
        return self.mu.size

    def velocity(self, force: ArrayLike) -> FloatArray:
        """u = W r + q."""
        return self.W @ _array("force", force, (self.q.size,)) + self.q


@dataclass(frozen=True)
class ContactSolution:
    """What a solver found; not a solution unless `converged`."""

    force: FloatArray  #: (3n,) in (n, t, s)
    velocity: FloatArray  #: W force + q
    iterations: int  #: sweeps
    residual: float  #: natural map, see residual()
    converged: bool
    wall_time_s: float
    history: list[float] = field(
        repr=False
    )  #: per sweep: residual, or the Uzawa error where that was asked for
    inner_iterations: int = 0  #: projections or block solves, all contacts together
    uzawa_error: float = 0.0  #: |r(k+1) - r(k)| / rho of the last sweep


def residual(problem: ContactProblem, force: ArrayLike) -> float:
    """‖r - P_K(r - û)‖ / max(‖q‖, ‖r‖, ‖u‖) with û = u + mu |u_t| n: zero just at solutions.

    Raises:
        ValueError: wrong shape or a number that is not finite.
    """
    r = _array("force", force, (problem.q.size,))
    return _core.natural_map_residual(problem.W, problem.q, problem.mu, r)


def solve(
    problem: ContactProblem,
    *,
    method: Method = "block_gauss_seidel",
    tolerance: float = 1e-8,
    max_iterations: int = 10000,
    guess: ArrayLike | None = None,
    stop: Literal["residual", "uzawa_error"] = "residual",
    rho: float | Literal["block"] | None = None,
    inner_tolerance: float | None = None,
) -> ContactSolution:
    """Solve a contact problem.

    Args:
        problem: the problem.
        method: "block_gauss_seidel", exact 3x3 block solves; "nncg" and "anderson", the same with nonsmooth
            conjugate gradients or Anderson mixing between sweeps, for slow problems; "local_uzawa", an inner
            prediction–projection loop per contact; "global_uzawa", one such step per contact and sweep.
        tolerance: of what `stop` names.
        max_iterations: sweeps.
        guess: force to start from, shape (3n,); zero by default.
        stop: "residual", the natural map of residual(); "uzawa_error", |r(k+1) - r(k)| / rho of the paper.
        rho: Uzawa step; None: min over the problem of 1/W_ii, which can exceed the stable step where contacts
            are strongly coupled; "block": a safe step for each block on its own.
        inner_tolerance: local Uzawa, |Δr| / rho of a contact; None: a tenth of what the outer loop asks for.

    Returns:
        The solution, or the best force met where converged is False.

    Raises:
        ValueError: unknown method, wrong shape, or a number out of range.

    Source: Talbi, Joli, Feng and Kheddar, Sec. 3.3 (Uzawa); Silcowitz, Niebe and Erleben 2010 (NNCG); Walker
        and Ni 2011 (Anderson mixing).
    """
    if method not in get_args(Method):
        raise ValueError(f"method: {method!r}, expected one of {', '.join(get_args(Method))}")
    if stop not in ("residual", "uzawa_error"):
        raise ValueError(f'stop: {stop!r}, expected "residual" or "uzawa_error"')
    if not (tolerance > 0.0 and math.isfinite(tolerance)):
        raise ValueError(f"tolerance: {tolerance}, expected a finite number > 0")
    if not max_iterations >= 1:
        raise ValueError(f"max_iterations: {max_iterations}, expected at least 1")
    if rho is not None and rho != "block" and not (isinstance(rho, (int, float)) and 0.0 < rho < math.inf):
        raise ValueError(f'rho: {rho!r}, expected a finite number > 0, "block" or None')
    if inner_tolerance is not None and not 0.0 < inner_tolerance < math.inf:
        raise ValueError(f"inner_tolerance: {inner_tolerance}, expected a finite number > 0 or None")
    if method.endswith("uzawa") and problem.contacts and not np.diag(problem.W).max() > 0.0:
        raise ValueError(f"W: largest diagonal entry {np.diag(problem.W).max()}, Uzawa needs a positive one")
    size = problem.q.size
    start = np.zeros(size) if guess is None else _array("guess", guess, (size,))
    began = time.perf_counter()
    fields = _core.solve_contact_problem(
        problem.W,
        problem.q,
        problem.mu,
        start,
        method,
        stop == "uzawa_error",
        float(tolerance),
        int(max_iterations),
        float(rho) if isinstance(rho, (int, float)) else 0.0,
        rho == "block",
        inner_tolerance or 0.0,
    )
    return ContactSolution(**fields, wall_time_s=time.perf_counter() - began)


def read_fclib(path: str | Path) -> ContactProblem:
    """Read a local friction problem from an FCLIB HDF5 file.

    Args:
        path: file with /fclib_local: W in triplet (nz >= 0), CSC (-1) or CSR (-2) storage, vectors q and mu.

    Raises:
        ValueError: not an FCLIB local problem in three dimensions, or an unknown storage.

    Source: FCLIB (Acary et al.), fclib_local layout.
    """
    from softcontact._fclib import read

    return ContactProblem(*read(Path(path)))


def write_fclib(path: str | Path, problem: ContactProblem, solution: ContactSolution | None = None) -> None:
    """Write a problem, and a solution if given, as an FCLIB local problem (CSR storage)."""
    from softcontact._fclib import write

    write(
        Path(path),
        problem.W,
        problem.q,
        problem.mu,
        None if solution is None else (solution.force, solution.velocity),
    )
