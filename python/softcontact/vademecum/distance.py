# SPDX-License-Identifier: LGPL-2.1-or-later
"""The signed distance to the boundary of every deformed state, on one grid: d(x, y, z, s).

Trilinear interpolation is exact only where the distance is linear: near edges and on the medial axis it misses up to a
third of a cell's diagonal, near smooth boundary little; `boundary_distance` has the exact answer.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.memory import available_memory
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.separated import SeparatedSolution

__all__ = ["Between", "DistanceField", "GridDistance", "as_cloud", "tabulate_distance"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Between = Literal["refuse", "nearest", "blend"]

_ADDRESSED = 2**46  # bytes; where the system does not tell what is free
_SAME_SIZE = 1e-9  # sizes of the load that differ by less are one


class GridDistance(ABC):
    """Distances at the points of a grid that holds every deformed state; trilinear between them.

    Source: González et al. 2015, Sec. 3.1; more than one size of the load beyond it.
    """

    origin: FloatArray
    spacing: FloatArray
    sizes: FloatArray
    bound: float = 0.0  #: by how much a tabulated distance may be off [m], round-off apart

    @property
    @abstractmethod
    def grid(self) -> tuple[int, int, int]:
        """Grid points along x, y and z."""

    @property
    @abstractmethod
    def case_count(self) -> int:
        """Number of load cases."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""

    @property
    @abstractmethod
    def core(self) -> _core.DistanceField:
        """The same in the core, for as long as this object lives."""

    def nearest_size(self, size: float) -> float:
        """The tabulated size that is nearest to one [-]."""
        return float(self.sizes[np.abs(self.sizes - size).argmin()])

    def state(self, case: int, size: float, between: Between = "refuse") -> _core.DistanceState:
        """Which tables of the core's field are those of a case and a size.

        Args:
            between: what to do at a size that is not tabulated: refuse it; take the nearest one; or blend the two
                around it, which holds while the boundary moves by less than a cell from one to the other, and is the
                nearest one beyond the tabulated ones.
        Raises:
            ValueError: a size that is not finite, or refused.
        """
        if not np.isfinite(size):
            raise ValueError(f"scale: {size}, expected a finite share of the largest force")
        near = int(np.abs(self.sizes - size).argmin())
        if between == "blend":
            upper = int(np.searchsorted(self.sizes, size))
            if 0 < upper < len(self.sizes):
                low, high = self.sizes[upper - 1 : upper + 1]
                first = (upper - 1) * self.case_count + case
                return _core.DistanceState(first, first + self.case_count, float((size - low) / (high - low)))
        elif between == "refuse" and not abs(self.sizes[near] - size) <= _SAME_SIZE:
            known = ", ".join(f"{s:g}" for s in self.sizes)
            raise ValueError(
                f"scale: {size:g} is not tabulated, only {known}; tabulate it too, or ask for the exact distance"
            )
        return _core.DistanceState(near * self.case_count + case)

    def distance(
        self, points: ArrayLike, case: int, size: float = 1.0, between: Between = "refuse"
    ) -> FloatArray:
        """Signed distances (k,) [m] of points (k, 3) [m], negative inside.

        Beyond the grid: the distance to the grid and that at its nearest point, added; never less than the true one
        but for the interpolation's error. A point that is not finite has NaN.

        Raises:
            ValueError: points of another shape; or a size that `state` refuses.
        """
        return self.core.distance(as_cloud(points), self.state(case, size, between))

    def gradient(
        self, points: ArrayLike, case: int, size: float = 1.0, between: Between = "refuse"
    ) -> FloatArray:
        """Gradients (k, 3) [-] of `distance`; on the border of two cells that of the upper one.

        Raises:
            ValueError: see `distance`.
        """
        return self.core.gradient(as_cloud(points), self.state(case, size, between))

    def contacts(
        self, points: ArrayLike, case: int, size: float = 1.0, between: Between = "refuse"
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Points that are inside the deformed solid.

        Args:
            points: the pointshell of the other body (k, 3) [m].
        Returns:
            Their numbers (c,), depths (c,) [m] > 0, and unit normals (c, 3) out of the solid: the gradient of the
            distance, or zero where it has none.
        Raises:
            ValueError: see `distance`.
        """
        return self.core.contacts(as_cloud(points), self.state(case, size, between))


@dataclass(frozen=True)
class DistanceField(GridDistance):
    """A distance of each state and grid point.

    Attributes:
        origin: lowest corner (3,) [m].
        spacing: of the grid points (3,) [m].
        sizes: shares of the largest force that are tabulated (t,), growing.
        values: distances (t, cases, nx, ny, nz) [m], negative inside, float32.
    """

    origin: FloatArray
    spacing: FloatArray
    sizes: FloatArray
    values: NDArray[np.float32]

    @property
    def grid(self) -> tuple[int, int, int]:
        """Grid points along x, y and z."""
        nx, ny, nz = self.values.shape[2:]
        return nx, ny, nz

    @property
    def case_count(self) -> int:
        """Number of load cases."""
        return self.values.shape[1]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""
        return self.values.nbytes

    @cached_property
    def core(self) -> _core.DistanceField:
        """The same in the core, for as long as this object lives."""
        tables = np.ascontiguousarray(self.values, dtype=np.float32)
        return _core.DistanceField(tables.reshape(-1, *tables.shape[2:]), self.origin, self.spacing)


def tabulate_distance(
    cases: LoadCases,
    solution: SeparatedSolution,
    *,
    counts: tuple[int, int, int],
    sizes: ArrayLike = (1.0,),
    margin: float | None = None,
    threads: int | None = None,
    copies: int = 1,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> DistanceField:
    """Compute the distances to the boundary of every deformed state.

    Args:
        counts: grid points along x, y and z, six or more each.
        sizes: shares of the largest force to tabulate, in [0, 1], growing.
        margin: of the grid about the box of all states [m]; None means two cells.
        threads: that share the states; None means one a processor. The result does not depend on it.
        copies: room in memory for so many must be there before any work; to write one takes three.
        tell: called with the number of states done and in all.
    Raises:
        ValueError: a value out of range, or more distances than there is memory for.
    """
    sizes = np.asarray(sizes, dtype=float)
    if not (sizes.ndim == 1 and len(sizes) and (sizes >= 0.0).all() and (sizes <= 1.0).all()):
        raise ValueError(f"sizes: {sizes}, expected shares of the largest force in [0, 1]")
    if not (np.diff(sizes) > 0.0).all():
        raise ValueError(f"sizes: {sizes}, expected them growing")
    if len(counts) != 3 or not all(n >= 6 and n % 1 == 0 for n in counts):
        raise ValueError(f"counts: {counts}, expected three numbers of grid points, 6 or more each")
    if margin is not None and not 0.0 <= margin < np.inf:
        raise ValueError(f"margin: {margin}, expected a length >= 0 [m]")
    _check_room(counts, len(sizes) * cases.count, copies)
    threads = len(os.sched_getaffinity(0)) if threads is None else threads
    if threads < 1:
        raise ValueError(f"threads: {threads}, expected 1 or more")
    nodes, triangles = cases.solid.mesh.boundary_surface
    states = [(t, case) for t in range(len(sizes)) for case in range(cases.count)]
    rest = cases.solid.mesh.nodes[nodes]

    def placed(some: list[tuple[int, int]]) -> FloatArray:
        return np.array([rest + solution.displacement(case, float(sizes[t]))[nodes] for t, case in some])

    low, high = rest.min(axis=0), rest.max(axis=0)
    for state in states:
        moved = placed([state])[0]
        low, high = np.minimum(low, moved.min(axis=0)), np.maximum(high, moved.max(axis=0))
    cells = np.array(counts) - 1
    spacing = (high - low) / (cells - 4) if margin is None else (high - low + 2.0 * margin) / cells
    origin = low - (2.0 * spacing if margin is None else margin)
    values = np.empty((len(states), *counts), dtype=np.float32)
    surface = _core.Surface(rest, triangles)
    together = 4 * threads
    for first in range(0, len(states), together):
        some = states[first : first + together]
        values[first : first + len(some)] = _core.tabulate_distances(
            surface, placed(some), origin, spacing, list(counts), threads
        )
        tell(first + len(some), len(states))
    return DistanceField(origin, spacing, sizes, values.reshape(len(sizes), cases.count, *counts))


def _check_room(counts: tuple[int, int, int], states: int, copies: int) -> None:
    """See that so many distances fit into memory: the system grants them, and kills who fills them in.

    Raises:
        ValueError: they do not.
    """
    size, room = 4 * states * math.prod(map(int, counts)), available_memory()
    if room is None:
        room = _ADDRESSED
    if copies * size > room:
        written = f", and {copies} times as much where they are written" if copies > 1 else ""
        raise ValueError(
            f"counts: {tuple(counts)} for {states} states take {size / 1e9:.3g} GB{written}; {room / 1e9:.3g} GB of "
            "memory are free, so take fewer points or sizes"
        )


def as_cloud(points: ArrayLike) -> FloatArray:
    """Points (k, 3) [m].

    Raises:
        ValueError: another shape.
    """
    out = np.asarray(points, dtype=float)
    if out.ndim != 2 or out.shape[1] != 3:
        raise ValueError(f"points: shape {out.shape}, expected (k, 3) [m]")
    return out
