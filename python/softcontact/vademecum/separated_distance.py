# SPDX-License-Identifier: LGPL-2.1-or-later
"""Distances in separated form: d(x, s) = Σ_k F_k(x) G_k(s) in each block of the grid, in bytes, with a proven bound.

One sum over the whole grid would need nearly as many terms as there are states: the boundary sweeps through the grid,
and what moves is not separable. In a block of a few points it passes seldom, and few terms do. Both factors are
rounded to 8 bits; each term is fitted to what the rounded terms before it leave, so that rounding adds terms, not
error, and the largest value left over is the bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.vademecum.distance import DistanceField, GridDistance
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.separated import SeparatedSolution

__all__ = ["SeparatedDistanceField", "check_bound", "separate_distance"]

FloatArray = NDArray[np.float64]

_STEPS = 8  # of the power iteration: a term need not be the best one
_LARGEST = 127  # of a signed byte
_CHECKED_STATES, _CHECKED_POINTS = 3, 200


@dataclass(frozen=True)
class SeparatedDistanceField(GridDistance):
    """A distance field in separated form: sums up what is asked for, nothing is expanded.

    Attributes:
        origin, spacing, sizes: as of DistanceField.
        counts: grid points along x, y and z (3,).
        cases: number of load cases.
        block: grid points along an edge of a block; fewer at the grid's far sides.
        starts: block b has the terms starts[b] … starts[b + 1] (blocks + 1,), z fastest.
        places: F_k at the points of each block, point by point, term by term, int8.
        states: G_k (t × cases, terms), int8.
        scales: of each term (terms,) [m].
        bound: no distance at a grid point is further from the tabulated one [m], nor is one between them.
    """

    origin: FloatArray
    spacing: FloatArray
    sizes: FloatArray
    counts: NDArray[np.int64]
    cases: int
    block: int
    starts: NDArray[np.uint32]
    places: NDArray[np.int8]
    states: NDArray[np.int8]
    scales: NDArray[np.float32]
    bound: float

    @property
    def grid(self) -> tuple[int, int, int]:
        """Grid points along x, y and z."""
        nx, ny, nz = (int(n) for n in self.counts)
        return nx, ny, nz

    @property
    def case_count(self) -> int:
        """Number of load cases."""
        return int(self.cases)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""
        return sum(a.nbytes for a in (self.starts, self.places, self.states, self.scales))

    @cached_property
    def core(self) -> _core.DistanceField:
        """The same in the core, for as long as this object lives."""
        return _core.DistanceField(
            self.origin,
            self.spacing,
            list(self.grid),
            int(self.block),
            self.starts,
            self.places,
            self.states,
            self.scales,
            float(self.bound),
        )


def separate_distance(
    field: DistanceField,
    *,
    tolerance: float = 0.05,
    block: int = 6,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> SeparatedDistanceField:
    """Compress a distance field.

    Args:
        tolerance: largest error at a grid point, as a share of a cell's diagonal, in (0, 1).
        block: grid points along an edge of a block, 2 or more.
        tell: called with the number of blocks done and in all.
    Raises:
        ValueError: a value out of range, or a tolerance beyond what 8 bits resolve.
    """
    if not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance: {tolerance}, expected a share of a cell's diagonal in (0, 1)")
    if block != int(block) or block < 2:
        raise ValueError(f"block: {block}, expected a whole number of grid points >= 2")
    limit = tolerance * float(np.linalg.norm(field.spacing))
    values = field.values.reshape(-1, *field.grid)
    corners = list(itertools.product(*(range(0, n, block) for n in field.grid)))
    starts, bound = [0], 0.0
    places, states, scales = [], [], []
    for done, (i, j, k) in enumerate(corners):
        part = values[:, i : i + block, j : j + block, k : k + block]
        found = _separate(part.reshape(len(values), -1).astype(float), limit)
        places.append(found.places.ravel())
        states.append(found.states)
        scales.append(found.scales)
        starts.append(starts[-1] + len(found.scales))
        bound = max(bound, found.bound)
        tell(done + 1, len(corners))
    return SeparatedDistanceField(
        field.origin,
        field.spacing,
        field.sizes,
        np.array(field.grid, dtype=np.int64),
        field.case_count,
        block,
        np.array(starts, dtype=np.uint32),
        np.concatenate(places),
        np.ascontiguousarray(np.concatenate(states, axis=1)),
        np.concatenate(scales),
        bound,
    )


def check_bound(field: SeparatedDistanceField, cases: LoadCases, solution: SeparatedSolution) -> None:
    """Compare with exact distances at some grid points of some states.

    Raises:
        ValueError: one is further off than the field's bound says.
    """
    nodes, triangles = cases.solid.mesh.boundary_surface
    rest = cases.solid.mesh.nodes[nodes]
    rng = np.random.default_rng(0)
    states = rng.choice(len(field.states), min(_CHECKED_STATES, len(field.states)), replace=False)
    for state in states:
        level, case = divmod(int(state), field.case_count)
        size = float(field.sizes[level])
        points = field.origin + field.spacing * rng.integers(0, field.grid, (_CHECKED_POINTS, 3))
        placed = _core.Surface(rest + solution.displacement(case, size)[nodes], triangles)
        error = np.abs(field.distance(points, case, size) - placed.signed_distance(points)[0]).max()
        if not error <= field.bound + 1e-6 * np.linalg.norm(field.spacing):  # float32, and places on the grid
            raise ValueError(f"distances miss by {error:.2g} m, more than their bound of {field.bound:.2g} m")


@dataclass(frozen=True)
class _Block:
    places: NDArray[np.int8]  # (points, terms)
    states: NDArray[np.int8]  # (states, terms)
    scales: NDArray[np.float32]  # (terms,)
    bound: float


def _separate(values: FloatArray, limit: float) -> _Block:
    """Terms of one block's values (states, points), until none is further off than the limit."""
    left, total = values.copy(), np.zeros(values.shape)
    places: list[FloatArray] = []
    states: list[FloatArray] = []
    scales: list[np.float32] = []
    bound = float(np.abs(left).max())
    while bound > limit or not scales:
        place = left[np.einsum("sp,sp->s", left, left).argmax()]
        for _ in range(_STEPS):
            state = left @ place
            place = state @ left
            place /= np.linalg.norm(place) or 1.0
        f = _rounded(place)
        g = _rounded(left @ f)
        weight = float(f @ f) * float(g @ g)
        scale = np.float32((g @ left @ f) / weight if weight else 0.0)
        term = float(scale) * np.outer(g, f)
        left -= term
        total += np.abs(term)
        places.append(f)
        states.append(g)
        scales.append(scale)
        # what the core sums up in single precision may be off by this much more
        round_off = (len(scales) + 2) * 2.0**-24 * float(total.max())
        after = float(np.abs(left).max()) + round_off
        if len(scales) > 4 * min(values.shape) + 16:
            raise ValueError(
                f"tolerance: {limit:.2g} m is finer than 8 bits resolve here; {after:.2g} m was reached"
            )
        bound = after
    return _Block(
        np.array(places, dtype=np.int8).T.copy(),
        np.array(states, dtype=np.int8).T.copy(),
        np.array(scales, dtype=np.float32),
        bound,
    )


def _rounded(vector: FloatArray) -> FloatArray:
    largest = np.abs(vector).max()
    return np.round(vector * (_LARGEST / largest)) if largest > 0.0 else vector
