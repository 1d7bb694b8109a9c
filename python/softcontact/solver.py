# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems of many points with Coulomb friction, and solvers that are judged by one residual."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from softcontact import _core
from softcontact._contact_problem import ContactProblem, GlobalContactProblem
from softcontact._problem_data import FloatArray, real_array

Method = Literal[
    "auto",
    "block_gauss_seidel",
    "nncg",
    "anderson",
    "newton",
    "projection",
    "local_uzawa",
    "global_uzawa",
]
Stop = Literal["residual", "uzawa_error", "eps1", "eps3"]
Velocity = Literal["fresh", "stored", "jacobi"]

__all__ = [
    "ContactProblem",
    "ContactSolution",
    "GlobalContactProblem",
    "Method",
    "read_fclib",
    "residual",
    "scaled_residual",
    "solve",
    "write_fclib",
]

# What a method takes beside what all take, and what it means to leave it alone.
_EXTRA: dict[str, tuple[str, ...]] = {
    "auto": ("stop",),
    "block_gauss_seidel": ("stop",),
    "nncg": ("stop",),
    "anderson": ("stop",),
    "local_uzawa": ("stop", "rho", "eps2", "inner_start"),
    "global_uzawa": ("stop", "rho", "velocity"),
    "newton": (),
    "projection": (),
}
_LEFT_ALONE = {"stop": "residual", "rho": None, "velocity": "fresh", "eps2": None, "inner_start": "warm"}


@dataclass(frozen=True)
class ContactSolution:
    """What a solver found; not a solution unless `converged`."""

    force: FloatArray  #: (3n,) in (n, t, s); the best that was met where converged is False
    velocity: FloatArray  #: W force + q
    iterations: int  #: sweeps and Newton steps
    residual: float  #: natural map at force, see residual()
    converged: bool
    wall_time_s: float  #: of the solver itself, the problem being set up
    #: per sweep or step what `stop` looks at: for "residual" the larger of residual and scaled_residual
    history: list[float] = field(repr=False)
    inner_iterations: int = 0  #: projections, block solves or line-search trials, all contacts together
    uzawa_error: float = 0.0  #: largest |r(k+1) - r(k)| / rho of a contact in the last sweep
    #: why it ended: "converged", "max_iterations", "time_budget", "not_finite"
    reason: str = "converged"
    method: str = ""  #: that got there: what "auto" chose
    scaled_residual: float = math.nan  #: the same in no unit, see scaled_residual(); nan: not measured


def residual(problem: ContactProblem, force: ArrayLike) -> float:
    """‖r - P_K(r - û)‖ / max(‖q‖, ‖r‖, ‖u‖) with û = u + mu |u_t| n: zero just at solutions.

    Raises:
        ValueError: wrong shape or a number that is not finite.
    """
    r = real_array("force", force, (problem.q.size,))
    return _core.natural_map_residual(problem.q, problem.mu, r, problem.velocity(r))


def scaled_residual(problem: ContactProblem, force: ArrayLike) -> float:
    """‖c Φ(r)‖ / ‖|W| |r| + |q|‖: by how much the contacts violate their laws, in no unit.

    c Φ_n = c r_n - max(0, y_n) and c Φ_t = c r_t - P(y_t), with y = c r - u and P onto the disc of radius
    mu max(0, y_n); c is a third of the trace of a contact's block of W [m/(N s)], the largest of them where a
    block has none. Of an operator c, and |W| with it, is an estimate of its norm. Both parts of the ratio are
    velocities: W and q changed by this share make `force` a solution. residual() adds newtons to metres a
    second and is small for any force where these differ by orders of magnitude, or mu is large.

    Raises:
        ValueError: wrong shape or a number that is not finite.

    Source: Alart and Curnier 1991 (Φ); Rigal and Gaches 1967 (backward error).
    """
    r = real_array("force", force, (problem.q.size,))
    u = problem.velocity(r)
    if problem._system is None:
        return _core.operator_scaled_residual(problem._product, problem.q, problem.mu, r, u)
    return problem._system.scaled_residual(r, u)


def solve(
    problem: ContactProblem | GlobalContactProblem,
    *,
    method: Method = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 10000,
    time_budget: float | None = None,
    guess: ArrayLike | None = None,
    stop: Stop = "residual",
    rho: float | Literal["block"] | None = None,
    velocity: Velocity = "fresh",
    eps2: float | None = None,
    inner_start: Literal["warm", "zero"] = "warm",
) -> ContactSolution:
    """Solve a contact problem.

    Args:
        problem: the problem; a global one is solved in its contacts, see GlobalContactProblem.body_velocity.
        method: "auto": exact for one contact, else "anderson", and "newton" where that stagnates;
            "projection" where W is an operator. "block_gauss_seidel": exact 3x3 block solves; "nncg" and
            "anderson": the same with nonsmooth conjugate gradients or Anderson mixing between sweeps;
            "newton": sweeps, and nonsmooth Newton along proximal points; "projection": products with W
            alone, projections and Newton–Krylov steps; "local_uzawa": an inner prediction–projection loop per contact;
            "global_uzawa": one such step per contact and sweep.
        tolerance: of what `stop` names.
        max_iterations: sweeps and Newton steps.
        time_budget: seconds after which the best force met is returned with converged False; None: no limit.
            With one, results depend on the clock.
        guess: force to start from, shape (3n,); zero by default.
        stop: "residual", both residual() and scaled_residual(); of sweeping methods also the paper's tests:
            "uzawa_error", |r(k+1) - r(k)| / rho of every contact; "eps1", |r(k+1) - r(k)| [N]; "eps3",
            |r(k+1) - r(k)| / |r(k+1)|.
        rho: Uzawa step; None: min over the problem of 1/W_ii, which can exceed the stable step where contacts
            are strongly coupled; "block": a safe step for each block on its own.
        velocity: that a global Uzawa step sees: "fresh", of the forces as they are; "stored", kept from the
            contact's last step as printed in the paper; "jacobi", of the forces before the sweep.
        eps2: local Uzawa's ε₂, |Δr| / rho of a contact; None: a tenth of what the outer loop asks for.
        inner_start: where local Uzawa's inner loop starts: "warm", at the contact's force; "zero", as in the
            paper.

    Returns:
        The solution, or the best force met where converged is False; `reason` says why.

    Raises:
        ValueError: unknown name, wrong shape, a number out of range, or an option that the method has no use
            for: rho is for both Uzawa methods, velocity for global_uzawa, eps2 and inner_start for local_uzawa.

    Ctrl-C ends a solve within a fraction of a second.

    Source: Talbi, Joli, Feng and Kheddar, Sec. 3.3 (Uzawa); Silcowitz, Niebe and Erleben 2010 (NNCG); Walker
        and Ni 2011 (Anderson mixing); Alart and Curnier 1991 (Newton).
    """
    if isinstance(problem, GlobalContactProblem):
        problem = problem.local
    options = _options(method, stop, tolerance, max_iterations, time_budget, rho, velocity, eps2, inner_start)
    system = problem._system
    if system is None and (method not in ("auto", "projection") or stop != "residual"):
        raise ValueError(
            f'method: {method!r} with stop {stop!r} needs the entries of W, which is an operator here; use "auto" '
            'and "residual"'
        )
    if method.endswith("uzawa") and problem.contacts and not system.largest_diagonal() > 0.0:
        raise ValueError(f"W: largest diagonal entry {system.largest_diagonal()}, Uzawa needs a positive one")
    size = problem.q.size
    start = np.zeros(size) if guess is None else real_array("guess", guess, (size,))
    if system is None:
        fields = _core.solve_contact_operator(problem._product, problem.q, problem.mu, start, options)
    else:
        fields = system.solve(start, options)
    return ContactSolution(**fields)


def read_fclib(path: str | Path) -> ContactProblem | GlobalContactProblem:
    """Read a friction problem from an FCLIB HDF5 file, local or global, in any of its three storages.

    Equality constraints of a local problem (V, R, s) are eliminated; those of a global one (G, b) are kept.

    Raises:
        ValueError: not an FCLIB problem in three dimensions, an unknown storage, or numbers that make none.

    Source: FCLIB (Acary et al.): fclib_local W r + q (+ V λ) = u, Vᵀ r + R λ + s = 0; fclib_global as in
        GlobalContactProblem.
    """
    from softcontact import _fclib

    kind, parts = _fclib.read(Path(path))
    try:
        return ContactProblem(**parts) if kind == "local" else GlobalContactProblem(**parts)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_fclib(
    path: str | Path,
    problem: ContactProblem | GlobalContactProblem,
    solution: ContactSolution | None = None,
    *,
    storage: Literal["csr", "csc", "triplet"] = "csr",
    info: dict[str, str] | None = None,
) -> None:
    """Write a problem, and a solution if given, as an FCLIB file.

    Args:
        path: file to write.
        problem: the problem.
        solution: its solution, or the best force known.
        storage: of the matrices.
        info: what FCLIB keeps about a problem, as text: "title", "description", "math_info".

    Raises:
        ValueError: unknown storage, or W is an operator whose entries are not known.
    """
    from softcontact import _fclib

    if storage not in _fclib.STORAGES:
        raise ValueError(f"storage: {storage!r}, expected one of {', '.join(_fclib.STORAGES)}")
    found = {} if solution is None else {"r": solution.force, "u": solution.velocity}
    if isinstance(problem, GlobalContactProblem):
        matrices = {"M": problem.M, "H": problem.H}
        vectors = {"f": problem.f, "w": problem.w, "mu": problem.mu}
        if problem.G is not None:
            matrices["G"], vectors["b"] = problem.G, problem.b
        if solution is not None:
            found["v"] = problem.body_velocity(solution.force)
        _fclib.write(Path(path), "global", matrices, vectors, found, storage, info)
    elif problem._system is None:
        raise ValueError("problem: its W is an operator; write the global problem, or form W")
    else:
        _fclib.write(
            Path(path), "local", {"W": problem.W}, {"q": problem.q, "mu": problem.mu}, found, storage, info
        )


@lru_cache(maxsize=64)
def _options(
    method: Method,
    stop: Stop,
    tolerance: float,
    max_iterations: int,
    time_budget: float | None,
    rho: float | Literal["block"] | None,
    velocity: Velocity,
    eps2: float | None,
    inner_start: Literal["warm", "zero"],
) -> Any:
    """The core's options, checked; kept, because small problems take less time than this."""
    for name, value, known in (
        ("method", method, Method),
        ("stop", stop, Stop),
        ("velocity", velocity, Velocity),
        ("inner_start", inner_start, Literal["warm", "zero"]),
    ):
        if value not in get_args(known):
            raise ValueError(f"{name}: {value!r}, expected one of {', '.join(get_args(known))}")
    for name, number in (("tolerance", tolerance), ("time_budget", time_budget), ("eps2", eps2)):
        if (number is not None or name == "tolerance") and not 0.0 < number < math.inf:
            raise ValueError(f"{name}: {number}, expected a finite number > 0")
    if not 1 <= max_iterations < 2**31:
        raise ValueError(f"max_iterations: {max_iterations}, expected a number from 1 to 2147483647")
    if rho is not None and rho != "block" and not (isinstance(rho, (int, float)) and 0.0 < rho < math.inf):
        raise ValueError(f'rho: {rho!r}, expected a finite number > 0, "block" or None')
    given = {"stop": stop, "rho": rho, "velocity": velocity, "eps2": eps2, "inner_start": inner_start}
    for name, value in given.items():
        if value != _LEFT_ALONE[name] and name not in _EXTRA[method]:
            takes = ("tolerance", "max_iterations", "time_budget", "guess", *_EXTRA[method])
            raise ValueError(
                f"{name}: {value!r}, method {method!r} has no use for it; it takes {', '.join(takes)}"
            )
    return _core.ContactSolverOptions(
        method,
        stop,
        float(tolerance),
        int(max_iterations),
        time_budget or 0.0,
        float(rho) if isinstance(rho, (int, float)) else 0.0,
        rho == "block",
        velocity,
        eps2 or 0.0,
        inner_start == "zero",
    )
