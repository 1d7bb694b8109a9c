# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems, in the contacts alone or with the bodies' velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from softcontact import _core
from softcontact._problem_data import FloatArray, kept_array, kept_rows, product, real_array, view_of

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

    What is given is copied, but for an operator, and stays as it is: the arrays are read-only.

    Raises:
        ValueError: wrong shape, complex, a number that is not finite, broken sparse indices, mu < 0.
    """

    def __init__(self, W: Any, q: ArrayLike, mu: ArrayLike) -> None:
        self._mu = kept_array("mu", mu, (None,))
        if (self._mu < 0.0).any():
            raise ValueError(f"mu: {self._mu.min()}, expected coefficients >= 0")
        size = 3 * self._mu.size
        self._q = kept_array("q", q, (size,))
        self._system = None
        if scipy.sparse.issparse(W):
            self._W: Any = kept_rows("W", W, (size, size))
            rows = (self._W.indptr, self._W.indices, self._W.data)
            self._system = _core.ContactSystem.from_rows(*rows, self._q, self._mu)
        elif hasattr(W, "matvec"):
            if tuple(W.shape) != (size, size):
                raise ValueError(f"W: shape {tuple(W.shape)}, expected {(size, size)}")
            self._W = W
            if not np.isfinite(self._product(np.ones(size))).all():
                raise ValueError("W: its product with ones has a number that is not finite")
        else:
            self._W = kept_array("W", W, (size, size))
            self._system = _core.ContactSystem.from_dense(self._W, self._q, self._mu)

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
        H = kept_rows("H", H, (rows, None))
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
    def W(self) -> Any:
        """The operator: read-only entries, by compressed rows where it was sparse; or what was given."""
        return view_of(self._W) if scipy.sparse.issparse(self._W) else self._W

    @property
    def q(self) -> FloatArray:
        """Free velocity, shape (3n,), read-only."""
        return self._q

    @property
    def mu(self) -> FloatArray:
        """Friction coefficients, shape (n,), read-only."""
        return self._mu

    @property
    def contacts(self) -> int:
        """Number of contacts n."""
        return self._mu.size

    def velocity(self, force: ArrayLike) -> FloatArray:
        """u = W r + q.

        Raises:
            ValueError: wrong shape or a number that is not finite.
        """
        r = real_array("force", force, (self._q.size,))
        return (self._W @ r if self._system is not None else self._product(r)) + self._q

    def _product(self, force: FloatArray) -> FloatArray:
        """W r of an operator."""
        return product("W", self._W, force)


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
        ValueError: wrong shape, complex, a number that is not finite, mu < 0, M (with G) singular.
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
        self.f = kept_array("f", f, (None,))
        size = self.f.size
        self.w = kept_array("w", w, (3 * np.asarray(mu).size,))
        self._M = kept_rows("M", M, (size, size))
        self._H = kept_rows("H", H, (size, self.w.size))
        self._G = self.b = None
        system, load, rows = self._M, self.f, self._H.T
        if G is not None:
            self._G = kept_rows("G", G, (size, None))
            multipliers = self._G.shape[1]
            self.b = kept_array("b", np.zeros(multipliers) if b is None else b, (multipliers,))
            system = scipy.sparse.block_array([[self._M, -self._G], [self._G.T, None]])
            load = np.concatenate([self.f, -self.b])
            rows = scipy.sparse.hstack([rows, scipy.sparse.csr_matrix((self.w.size, self.b.size))])
        self._load, self._rows = load, scipy.sparse.csr_matrix(rows)
        self._solver = _factorise("M", system, load.size)
        q = self._rows @ self._solver.solve(load) + self.w
        #: The problem in the contacts alone, W = Hᵀ M⁻¹ H.
        self.local = ContactProblem.from_factors(self._rows, system, q, mu)

    @property
    def M(self) -> scipy.sparse.csr_matrix:
        """(m, m), read-only entries."""
        return view_of(self._M)

    @property
    def H(self) -> scipy.sparse.csr_matrix:
        """(m, 3n), read-only entries."""
        return view_of(self._H)

    @property
    def G(self) -> scipy.sparse.csr_matrix | None:
        """(m, k), read-only entries; None without equality constraints."""
        return None if self._G is None else view_of(self._G)

    @property
    def mu(self) -> FloatArray:
        """Friction coefficients, shape (n,)."""
        return self.local.mu

    def body_velocity(self, force: ArrayLike) -> FloatArray:
        """v with M v = H r + f (and the constraints), shape (m,)."""
        r = real_array("force", force, (self.w.size,))
        return self._solver.solve(self._rows.T @ r + self._load)[: self.f.size]


def _factorise(name: str, matrix: Any, size: int) -> Any:
    """LU of a sparse matrix: an object with solve()."""
    from scipy.sparse.linalg import splu

    columns = kept_rows(name, matrix, (size, size)).tocsc()
    try:
        return splu(columns)
    except RuntimeError as error:
        raise ValueError(f"{name}: singular, it has no inverse to make W from") from error
