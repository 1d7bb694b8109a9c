# SPDX-License-Identifier: LGPL-2.1-or-later
"""Equilibria of all load cases on modes and dents: the parametric half of the alternating directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from softcontact.parallel import Workers
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.solid import Solid

__all__ = ["BuildError", "Coordinates", "DentSpace", "ReducedProblem", "solve_reduced"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CASES = 64  # worked on at once; they lend tangents to each other
_LENT = 24  # tangents kept for that
_ITERATIONS = 80
_TOLERANCE = 1e-6  # of the energy norm of a step against that of the displacement
_STALE = 0.4  # a step that shrinks less than this in energy asks for a new tangent


class BuildError(RuntimeError):
    """The vademecum cannot be built; the message names the load case and the size."""


class DentSpace:
    """Components that each load case has for itself: those of the nodes around its loaded node.

    Attributes:
        width: largest number of such components.
        case, slot, component: which case has which component (free numbering) at which place, three flat arrays.
        components: of each case, in the order of its slots.
    """

    def __init__(self, cases: LoadCases) -> None:
        number = np.full(3 * len(cases.solid.mesh.nodes), -1)
        number[cases.solid.free] = np.arange(cases.solid.size)
        own = [number[(3 * patch[:, None] + np.arange(3)).ravel()] for patch in cases.patches]
        self.components: list[IntArray] = own * len(cases.directions)
        self.width = max(map(len, own))
        self.case = np.repeat(np.arange(cases.count), [len(c) for c in self.components])
        self.slot = np.concatenate([np.arange(len(c)) for c in self.components])
        self.component = np.concatenate(self.components)


@dataclass
class Coordinates:
    """Displacements of some cases on shared modes and own dents.

    Attributes:
        amplitudes: of the modes (c, m).
        dents: own components (c, width) [m], zero beyond a case's own number.
    """

    amplitudes: FloatArray
    dents: FloatArray

    def __getitem__(self, rows: IntArray) -> Coordinates:
        """Those of some of the cases."""
        return Coordinates(self.amplitudes[rows], self.dents[rows])

    def __setitem__(self, rows: IntArray, other: Coordinates) -> None:
        self.amplitudes[rows], self.dents[rows] = other.amplitudes, other.dents

    def copy(self) -> Coordinates:
        """A copy that shares nothing."""
        return Coordinates(self.amplitudes.copy(), self.dents.copy())


@dataclass(frozen=True)
class ReducedProblem:
    """What stays the same while modes come and sizes grow."""

    cases: LoadCases
    space: DentSpace

    @property
    def solid(self) -> Solid:
        """The solid that is loaded."""
        return self.cases.solid

    def fields(self, modes: FloatArray, numbers: IntArray, at: Coordinates) -> FloatArray:
        """Free components of the displacements (c, f) [m] of the cases `numbers` (c,); modes (f, m)."""
        out = at.amplitudes @ modes.T
        for row, case in enumerate(numbers):
            own = self.space.components[case]
            out[row, own] += at.dents[row, : len(own)]
        return out


def solve_reduced(
    problem: ReducedProblem,
    modes: FloatArray,
    size: float,
    numbers: IntArray,
    start: Coordinates,
    workers: Workers,
) -> Coordinates:
    """Minimise each case's energy over the amplitudes of the modes and over its dent.

    Newton's method with tangents that are kept, and lent to like cases, while they serve; steps that do not help
    are halved.

    Args:
        modes: orthonormal, free components (f, m).
        size: share of the largest load [-].
        numbers: the cases (c,).
        start: where to begin; not changed.
    Raises:
        BuildError: a case finds no equilibrium.
    """
    groups = problem.cases.alike(numbers, _CASES)
    items = [(size, numbers[group], start[group]) for group in groups]
    out = start.copy()
    for group, (found, left) in zip(groups, workers.map(_solve_group, (problem, modes), items), strict=True):
        if len(left):
            raise BuildError(
                f"{problem.cases.label(left[0])}: no equilibrium at {size:.3f} of the largest force; "
                "use a smaller force, or more sizes"
            )
        out[group] = found
    return out


def _solve_group(
    problem: ReducedProblem, modes: FloatArray, item: tuple[float, IntArray, Coordinates]
) -> tuple[Coordinates, IntArray]:
    size, numbers, start = item
    out = start.copy()
    fields = problem.fields(modes, numbers, out)
    components = [problem.space.components[case] for case in numbers]
    block = _Block(problem.solid, size * problem.cases.forces(numbers), modes, components)
    left = block.minimise(fields, out)
    return out, numbers[left]


@dataclass(frozen=True)
class _Tangent:
    field: FloatArray  # where it was taken
    full: sp.csc_matrix
    reduced: FloatArray  # on the modes


class _Block:
    """Newton's method on some cases at once."""

    def __init__(
        self, solid: Solid, loads: FloatArray, modes: FloatArray, components: list[IntArray]
    ) -> None:
        self.solid, self.loads, self.modes, self.components = solid, loads, modes, components
        self.factors: list[tuple[FloatArray, bool] | None] = [None] * len(loads)
        self.borrowed = np.zeros(len(loads), dtype=bool)
        self.lent: list[_Tangent] = []

    def minimise(self, fields: FloatArray, out: Coordinates) -> IntArray:
        """Change fields and coordinates of all cases; returns those that found no equilibrium."""
        count = self.modes.shape[1]
        left = np.arange(len(fields))
        merit = np.full(len(fields), np.inf)
        scale = np.zeros(len(fields))
        steps: list[FloatArray] = [np.zeros(0)] * len(fields)
        for _ in range(_ITERATIONS):
            residual = self.loads[left] - self.solid.force(fields[left])
            reduced = residual @ self.modes
            unfinished, changes = [], []
            for row, i in enumerate(left):
                own = self.components[i]
                force = np.concatenate([reduced[row], residual[row, own]])
                if not np.isfinite(force).all():
                    return np.array([i])
                step, energy = self._step(i, force, fields[i])
                if len(steps[i]) and not energy < merit[i]:
                    if self.borrowed[i]:  # back all the way, to a tangent of its own
                        change, steps[i], merit[i] = -steps[i], np.zeros(0), np.inf
                        before = fields[i] + self.modes @ change[:count]
                        before[own] += change[count:]
                        self.factors[i] = self._factor(i, self._taken(before))
                        self.borrowed[i] = False
                    else:
                        steps[i] = 0.5 * steps[i]  # back half the way
                        change = -steps[i]
                else:
                    if energy > _STALE * merit[i]:
                        self.factors[i] = self._factor(i, self._taken(fields[i]))
                        self.borrowed[i] = False
                        step, energy = self._step(i, force, fields[i])
                    scale[i] = max(scale[i], energy, abs(self.loads[i] @ fields[i]))
                    merit[i], steps[i] = energy, step
                    if energy <= _TOLERANCE**2 * scale[i]:
                        continue
                    change = step
                unfinished.append(i)
                changes.append(change[:count])
                out.dents[i, : len(own)] += change[count:]
                fields[i, own] += change[count:]
            left = np.array(unfinished, dtype=np.int64)
            if not len(left):
                break
            out.amplitudes[left] += np.array(changes)
            fields[left] += np.array(changes) @ self.modes.T
        return left

    def _step(self, i: int, force: FloatArray, field: FloatArray) -> tuple[FloatArray, float]:
        """Newton's step of a case and the energy it promises (twice)."""
        if self.factors[i] is None:
            near = min(self.lent, key=lambda other: float(np.linalg.norm(other.field - field)), default=None)
            self.borrowed[i] = near is not None
            self.factors[i] = self._factor(i, near or self._taken(field))
        step = la.cho_solve(self.factors[i], force, check_finite=False)
        return step, float(step @ force)

    def _taken(self, field: FloatArray) -> _Tangent:
        """The tangent of a field, kept to be lent."""
        full = self.solid.tangent(field)
        taken = _Tangent(field.copy(), full, self.modes.T @ (full @ self.modes))
        self.lent = [*self.lent[1 - _LENT :], taken]
        return taken

    def _factor(self, i: int, tangent: _Tangent) -> tuple[FloatArray, bool]:
        own = self.components[i]
        columns = tangent.full[:, own]
        side = columns.T @ self.modes
        return _cholesky(np.block([[tangent.reduced, side.T], [side, columns[own].toarray()]]))


def _cholesky(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """Cholesky factor; of the matrix with its negative curvatures turned round where it has such."""
    matrix = 0.5 * (matrix + matrix.T)
    try:
        return la.cho_factor(matrix, check_finite=False)
    except la.LinAlgError:
        curvature, axes = la.eigh(matrix, check_finite=False)
        curvature = np.maximum(np.abs(curvature), 1e-6 * np.abs(curvature).max())
        return la.cho_factor((axes * curvature) @ axes.T, check_finite=False)
