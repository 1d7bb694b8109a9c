# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems of many points with Coulomb friction, and solvers that are judged by one residual."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.friction import _array

FloatArray = NDArray[np.float64]
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
    "solve",
    "write_fclib",
]

# Rows up to which H A⁻¹ Hᵀ is formed unless told otherwise.
_formed_rows = 3000


class ContactProblem:
    """Find r with u = W r + q and, at each contact, 0 <= r_n ⟂ u_n >= 0 and Coulomb friction |r_t| <= mu r_n.

    Args:
        W: Delassus operator, shape (3n, 3n): dense, scipy.sparse, or a scipy LinearOperator (anything with
            `shape` and `matvec`), which is applied and never formed. Need be neither symmetric nor of full
            rank. [m/(N s)], or m/N where q is a displacement.
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
        self._system = None
        if scipy.sparse.issparse(W):
            self.W: Any = _finite_rows("W", W, (size, size))
            self._system = _core.ContactSystem.from_rows(
                self.W.indptr, self.W.indices, self.W.data, self.q, self.mu
            )
        elif hasattr(W, "matvec"):
            if tuple(W.shape) != (size, size):
                raise ValueError(f"W: shape {tuple(W.shape)}, expected {(size, size)}")
            self.W = W
            if not np.isfinite(W.matvec(np.ones(size))).all():
                raise ValueError("W: its product with ones has a number that is not finite")
        else:
            self.W = _array("W", W, (size, size)).copy()
            self._system = _core.ContactSystem.from_dense(self.W, self.q, self.mu)

    @classmethod
    def from_factors(
        cls, H: Any, A: Any, q: ArrayLike, mu: ArrayLike, *, form: bool | None = None
    ) -> ContactProblem:
        """The problem with W = H A⁻¹ Hᵀ.

        Args:
            H: contact rows, body velocities to u, shape (3n, m), dense or sparse.
            A: system matrix, shape (m, m), dense or sparse, of full rank; need not be symmetric.
            q: free velocity, shape (3n,).
            mu: friction coefficients, shape (n,).
            form: compute W (True), or keep the factors and apply them (False); None: form up to 3000 rows.

        Raises:
            ValueError: wrong shape, a number that is not finite, A is singular.
        """
        rows = 3 * np.asarray(mu).size
        H = scipy.sparse.csr_matrix(H)
        H = _finite_rows("H", H, (rows, H.shape[1]))
        solver = _factorise("A", A, H.shape[1])
        transposed = H.T.tocsc()
        if form is None:
            form = rows <= _formed_rows
        if not form:
            operator = scipy.sparse.linalg.LinearOperator(
                (rows, rows), matvec=lambda r: H @ solver.solve(transposed @ np.ravel(r)), dtype=float
            )
            return cls(operator, q, mu)
        product = H @ solver.solve(transposed.toarray()) if rows else np.zeros((0, 0))
        return cls(product, q, mu)

    @property
    def contacts(self) -> int:
        """Number of contacts n."""
        return self.mu.size

    def velocity(self, force: ArrayLike) -> FloatArray:
        """u = W r + q."""
        return self.W @ _array("force", force, (self.q.size,)) + self.q


class GlobalContactProblem:
    """The same contacts with the body velocities kept: M v = H r + f (+ G λ), u = Hᵀ v + w, Gᵀ v + b = 0.

    Args:
        M: (m, m), dense or sparse, need not be symmetric. [kg] where f is an impulse.
        H: (m, 3n), dense or sparse: FCLIB's orientation, the transpose of the contact rows.
        f: (m,) free impulse [N s].
        w: (3n,) prescribed part of u [m/s].
        mu: (n,) friction coefficients.
        G, b: equality constraints, (m, k) and (k,); none by default.

    Raises:
        ValueError: wrong shape, a number that is not finite, mu < 0, M (with G) singular.
    """

    def __init__(
        self,
        M: Any,
        H: Any,
        f: ArrayLike,
        w: ArrayLike,
        mu: ArrayLike,
        G: Any = None,
        b: ArrayLike | None = None,
    ) -> None:
        self.f = _array("f", f, (None,)).copy()
        size = self.f.size
        self.w = _array("w", w, (3 * np.asarray(mu).size,)).copy()
        self.M = _finite_rows("M", scipy.sparse.csr_matrix(M), (size, size))
        self.H = _finite_rows("H", scipy.sparse.csr_matrix(H), (size, self.w.size))
        self.G = self.b = None
        system, load, rows = self.M, self.f, self.H.T
        if G is not None:
            self.G = scipy.sparse.csr_matrix(G)
            self.G = _finite_rows("G", self.G, (size, self.G.shape[1]))
            self.b = _array("b", b if b is not None else np.zeros(self.G.shape[1]), (self.G.shape[1],)).copy()
            system = scipy.sparse.block_array([[self.M, -self.G], [self.G.T, None]])
            load = np.concatenate([self.f, -self.b])
            rows = scipy.sparse.hstack([rows, scipy.sparse.csr_matrix((self.w.size, self.b.size))])
        self._load, self._rows = load, scipy.sparse.csr_matrix(rows)
        self._solver = _factorise("M", system, load.size)
        q = self._rows @ self._solver.solve(load) + self.w
        #: The problem in the contacts alone, W = Hᵀ M⁻¹ H.
        self.local = ContactProblem.from_factors(self._rows, system, q, mu)

    @property
    def mu(self) -> FloatArray:
        """Friction coefficients, shape (n,)."""
        return self.local.mu

    def body_velocity(self, force: ArrayLike) -> FloatArray:
        """v with M v = H r + f (and the constraints), shape (m,)."""
        r = _array("force", force, (self.w.size,))
        return self._solver.solve(self._rows.T @ r + self._load)[: self.f.size]


@dataclass(frozen=True)
class ContactSolution:
    """What a solver found; not a solution unless `converged`."""

    force: FloatArray  #: (3n,) in (n, t, s); the best that was met where converged is False
    velocity: FloatArray  #: W force + q
    iterations: int  #: sweeps and Newton steps
    residual: float  #: natural map, see residual()
    converged: bool
    wall_time_s: float  #: of the solver itself, the problem being set up
    #: per sweep or step: residual, or what else `stop` looks at
    history: list[float] = field(repr=False)
    inner_iterations: int = 0  #: projections, block solves or line-search trials, all contacts together
    uzawa_error: float = 0.0  #: largest |r(k+1) - r(k)| / rho of a contact in the last sweep
    #: why it ended: "converged", "max_iterations", "time_budget", "not_finite"
    reason: str = "converged"
    method: str = ""  #: that got there: what "auto" chose


def residual(problem: ContactProblem, force: ArrayLike) -> float:
    """‖r - P_K(r - û)‖ / max(‖q‖, ‖r‖, ‖u‖) with û = u + mu |u_t| n: zero just at solutions.

    Raises:
        ValueError: wrong shape or a number that is not finite.
    """
    r = _array("force", force, (problem.q.size,))
    return _core.natural_map_residual(problem.q, problem.mu, r, problem.velocity(r))


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
            "newton": nonsmooth Newton, globalised; "projection": products with W alone, projections and
            Newton–Krylov steps; "local_uzawa": an inner prediction–projection loop per contact;
            "global_uzawa": one such step per contact and sweep.
        tolerance: of what `stop` names.
        max_iterations: sweeps and Newton steps.
        time_budget: seconds after which the best force met is returned with converged False; None: no limit.
            With one, results depend on the clock.
        guess: force to start from, shape (3n,); zero by default.
        stop: "residual", the natural map of residual(); of sweeping methods also the paper's tests:
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
        ValueError: unknown name, wrong shape, or a number out of range.

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
    start = np.zeros(size) if guess is None else _array("guess", guess, (size,))
    if system is None:
        fields = _core.solve_contact_operator(problem.W.matvec, problem.q, problem.mu, start, options)
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
    if stop != "residual" and method in ("newton", "projection"):
        raise ValueError(f'stop: {stop!r}, "{method}" has no sweeps to judge; expected "residual"')
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


def _finite_rows(name: str, matrix: Any, shape: tuple[int, int]) -> scipy.sparse.csr_matrix:
    """A copy by compressed rows, checked."""
    if tuple(matrix.shape) != shape:
        raise ValueError(f"{name}: shape {tuple(matrix.shape)}, expected {shape}")
    rows = scipy.sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        raise ValueError(f"{name}: {rows.data[~np.isfinite(rows.data)][0]} is not a finite number")
    return rows


def _factorise(name: str, matrix: Any, size: int) -> Any:
    """LU of a sparse matrix: an object with solve()."""
    from scipy.sparse.linalg import splu

    columns = _finite_rows(name, scipy.sparse.csr_matrix(matrix), (size, size)).tocsc()
    try:
        return splu(columns)
    except RuntimeError as error:
        raise ValueError(f"{name}: singular, it has no inverse to make W from") from error
