# SPDX-License-Identifier: LGPL-2.1-or-later
"""Equilibria of all load cases on modes and dents: the parametric half of the alternating directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.solid import Solid

__all__ = ["BuildError", "Coordinates", "DentSpace", "solve_reduced"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CASES = 256  # worked on at once: their factors are kept
_ITERATIONS = 80
_TOLERANCE = 1e-6  # of the energy norm of a step against that of the displacement
_STALE = 0.1  # a step that shrinks less than this in energy asks for a new tangent


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

    def add(self, values: FloatArray, dents: FloatArray) -> FloatArray:
        """Add dents (c, width) to fields of free components (c, f), in place."""
        values[self.case, self.component] += dents[self.case, self.slot]
        return values


@dataclass
class Coordinates:
    """Displacements of all cases on shared modes and own dents.

    Attributes:
        amplitudes: of the modes (c, m).
        dents: own components (c, width) [m], zero beyond a case's own number.
    """

    amplitudes: FloatArray
    dents: FloatArray

    def copy(self) -> Coordinates:
        """A copy that shares nothing."""
        return Coordinates(self.amplitudes.copy(), self.dents.copy())

    def fields(self, modes: FloatArray, space: DentSpace) -> FloatArray:
        """Free components of the displacements (c, f) [m]; modes (f, m)."""
        return space.add(self.amplitudes @ modes.T, self.dents)


def solve_reduced(
    solid: Solid, cases: LoadCases, space: DentSpace, modes: FloatArray, size: float, start: Coordinates
) -> Coordinates:
    """Minimise each case's energy over the amplitudes of the modes and over its dent.

    Newton's method with tangents that are kept while they serve; steps that do not help are halved.

    Args:
        modes: orthonormal, free components (f, m).
        size: share of the largest load [-].
        start: where to begin; not changed.
    Raises:
        BuildError: a case finds no equilibrium.
    """
    out = start.copy()
    fields = out.fields(modes, space)
    for first in range(0, cases.count, _CASES):
        numbers = np.arange(first, min(first + _CASES, cases.count))
        block = _Block(solid, size * cases.forces[numbers], modes, [space.components[c] for c in numbers])
        left = block.minimise(fields, out, numbers)
        if len(left):
            raise BuildError(
                f"{cases.label(left[0])}: no equilibrium at {size:.3f} of the largest force; "
                "use a smaller force, or more sizes"
            )
    return out


class _Block:
    """Newton's method on some cases at once."""

    def __init__(
        self, solid: Solid, loads: FloatArray, modes: FloatArray, components: list[IntArray]
    ) -> None:
        self.solid, self.loads, self.modes, self.components = solid, loads, modes, components
        self.factors: list[tuple[FloatArray, bool] | None] = [None] * len(loads)

    def minimise(self, fields: FloatArray, out: Coordinates, numbers: IntArray) -> IntArray:
        """Change fields and coordinates of the cases `numbers`; returns those that found no equilibrium."""
        count = self.modes.shape[1]
        left = np.arange(len(numbers))
        merit = np.full(len(numbers), np.inf)
        scale = np.zeros(len(numbers))
        steps: list[FloatArray] = [np.zeros(0)] * len(numbers)
        for _ in range(_ITERATIONS):
            residual = self.loads[left] - self.solid.force(fields[numbers[left]])
            reduced = residual @ self.modes
            unfinished = []
            for row, i in enumerate(left):
                own, case = self.components[i], numbers[i]
                force = np.concatenate([reduced[row], residual[row, own]])
                if not np.isfinite(force).all():
                    return numbers[[i]]
                step, energy = self._step(i, force, fields[case])
                if len(steps[i]) and not energy < merit[i]:
                    steps[i] *= 0.5  # back half the way
                    change = -steps[i]
                else:
                    if energy > _STALE * merit[i]:
                        self.factors[i] = None
                        step, energy = self._step(i, force, fields[case])
                    scale[i] = max(scale[i], energy, abs(self.loads[i] @ fields[case]))
                    merit[i], steps[i] = energy, step
                    if energy <= _TOLERANCE**2 * scale[i]:
                        continue
                    change = step
                unfinished.append(i)
                out.amplitudes[case] += change[:count]
                out.dents[case, : len(own)] += change[count:]
                fields[case] += self.modes @ change[:count]
                fields[case, own] += change[count:]
            left = np.array(unfinished, dtype=np.int64)
            if not len(left):
                break
        return numbers[left]

    def _step(self, i: int, force: FloatArray, field: FloatArray) -> tuple[FloatArray, float]:
        """Newton's step of a case and the energy it promises (twice)."""
        if self.factors[i] is None:
            self.factors[i] = _factor(self._tangent(field, self.components[i]))
        step = la.cho_solve(self.factors[i], force, check_finite=False)
        return step, float(step @ force)

    def _tangent(self, field: FloatArray, own: IntArray) -> FloatArray:
        tangent = self.solid.tangent(field)
        product = tangent @ self.modes
        corner = tangent[:, own][own].toarray()
        return np.block([[self.modes.T @ product, product[own].T], [product[own], corner]])


def _factor(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """Cholesky factor; of the matrix with its negative curvatures turned round where it has such."""
    matrix = 0.5 * (matrix + matrix.T)
    try:
        return la.cho_factor(matrix, check_finite=False)
    except la.LinAlgError:
        curvature, axes = la.eigh(matrix, check_finite=False)
        curvature = np.maximum(np.abs(curvature), 1e-6 * np.abs(curvature).max())
        return la.cho_factor((axes * curvature) @ axes.T, check_finite=False)
