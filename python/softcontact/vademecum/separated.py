# SPDX-License-Identifier: LGPL-2.1-or-later
"""A separated solution: modes, their amplitudes over the load cases and the load's size, and dents."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum import chebyshev
from softcontact.vademecum.build_state import BuildState
from softcontact.vademecum.compression import compress
from softcontact.vademecum.offline import OfflineBuild, principal_axes

__all__ = ["SeparatedSolution", "separate"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class SeparatedSolution:
    """u(x, s, t) = Σ_k X_k(x) Y_k(s, t) + dent_s(x, t), all of t as t Σ_j c_j T_j(2 t − 1).

    Attributes:
        modes: X_k at the nodes (m, n, 3) [-], orthonormal over all components, the most important first.
        amplitudes: c_j of Y_k (cases, j, m) [m].
        dent_starts: case s has the entries dent_starts[s] … dent_starts[s + 1] (cases + 1,).
        dent_nodes: node of each entry (d,).
        dents: c_j of each entry's displacement (d, j, 3) [m].
        spectrum: singular values of the amplitudes of all modes met (≥ m,), of the dropped ones too [m].
    """

    modes: FloatArray
    amplitudes: FloatArray
    dent_starts: IntArray
    dent_nodes: IntArray
    dents: FloatArray
    spectrum: FloatArray

    @property
    def count(self) -> int:
        """Number of modes m."""
        return len(self.modes)

    @property
    def terms(self) -> int:
        """Terms j of the series in the load's size."""
        return self.amplitudes.shape[1]

    def displacement(self, case: int, size: float) -> FloatArray:
        """Displacements (n, 3) [m] of all nodes. Sizes above 1 continue along the tangent at 1, below 0 at 0."""
        series = extended_basis(size, self.terms)
        field = np.tensordot(series @ self.amplitudes[case], self.modes, 1)
        own = slice(self.dent_starts[case], self.dent_starts[case + 1])
        field[self.dent_nodes[own]] += np.tensordot(series, self.dents[own], ([0], [1]))
        return field

    def truncated(self, modes: int) -> SeparatedSolution:
        """The same with the best fewer modes; around each loaded node the dents take what they miss.

        Raises:
            ValueError: more modes than there are, or none.
        """
        if not 1 <= modes <= self.count:
            raise ValueError(f"modes: {modes}, expected 1 to {self.count}")
        ends = self.dent_starts
        inside = [
            self.modes[:, self.dent_nodes[start:end]].reshape(self.count, -1).T
            for start, end in itertools.pairwise(ends)
        ]
        turn, amplitudes = compress(self.amplitudes, inside, _sampling(self.terms), modes)
        dents = self.dents.copy()
        for case, own in enumerate(inside):
            dropped = (self.amplitudes[case] - amplitudes[case] @ turn.T) @ own.T
            dents[ends[case] : ends[case + 1]] += np.moveaxis(dropped.reshape(self.terms, -1, 3), 0, 1)
        kept = np.tensordot(turn.T, self.modes, 1)
        return SeparatedSolution(kept, amplitudes, ends, self.dent_nodes, dents, self.spectrum)

    @cached_property
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""
        arrays = (self.modes, self.amplitudes, self.dent_starts, self.dent_nodes, self.dents)
        return sum(a.nbytes for a in arrays)


def _sampling(terms: int) -> FloatArray:
    """From coefficients of the series to its values, weighted with 1/√t so that small loads are not lost (i, j)."""
    sizes = chebyshev.sample_sizes(terms)
    return chebyshev.basis(sizes, terms) / np.sqrt(sizes)[:, None]


def extended_basis(size: float, terms: int) -> FloatArray:
    """chebyshev.basis (terms,) of one size, continued along its tangents outside [0, 1]."""
    inside = min(max(size, 0.0), 1.0)
    values = chebyshev.basis(inside, terms)
    if size != inside:
        values = values + (size - inside) * chebyshev.slope(inside, terms)
    return values


def separate(build: OfflineBuild, state: BuildState) -> SeparatedSolution:
    """The separated form of a finished build, with all its modes."""
    axes, spectrum = principal_axes(state.levels, build.sizes, 0.0)
    signs = np.sign((state.modes @ axes)[np.abs(state.modes @ axes).argmax(axis=0), np.arange(axes.shape[1])])
    axes = axes * signs
    solid, space = build.cases.solid, build.problem.space
    series = chebyshev.coefficients(np.array([level.amplitudes @ axes for level in state.levels]))
    dents = np.array([level.dents[space.case, space.slot] for level in state.levels])
    starts = 3 * np.array([0, *np.cumsum([len(c) // 3 for c in space.components])])
    return SeparatedSolution(
        modes=np.ascontiguousarray(solid.expand((state.modes @ axes).T)),
        amplitudes=np.ascontiguousarray(np.moveaxis(series, 0, 1)),
        dent_starts=starts // 3,
        dent_nodes=solid.free[space.component[::3]] // 3,
        dents=np.ascontiguousarray(
            np.moveaxis(chebyshev.coefficients(dents).reshape(len(dents), -1, 3), 0, 1)
        ),
        spectrum=spectrum,
    )
