# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loads that a vademecum answers: one force at any free boundary node, in one of several directions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum.solid import Solid

__all__ = ["LoadCases", "PointLoad"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class PointLoad:
    """A force at one boundary node.

    Args:
        magnitude: largest size of the force [N], > 0; sizes from nothing to this are a parameter.
        directions: one a family; each is scaled to length one.
        nodes: the nodes that may be loaded; None means every boundary node that is not clamped.
    Raises:
        ValueError: a magnitude that is not positive, or a direction without length.
    """

    magnitude: float
    directions: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, -1.0),)
    nodes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.magnitude < np.inf:
            raise ValueError(f"magnitude: {self.magnitude} N, expected a finite force > 0")
        directions = np.array(self.directions, dtype=float)
        if directions.ndim != 2 or directions.shape[1] != 3 or not len(directions):
            raise ValueError(f"directions: shape {directions.shape}, expected (families, 3)")
        if not (np.linalg.norm(directions, axis=1) > 0.0).all() or not np.isfinite(directions).all():
            raise ValueError(f"directions: {self.directions}, expected finite vectors with a length")

    def cases(self, solid: Solid) -> LoadCases:
        """Every pair of direction and node on a solid.

        Raises:
            ValueError: a node that is clamped or not on the boundary.
        """
        boundary = solid.mesh.boundary[0]
        free = np.setdiff1d(boundary, solid.clamped)
        nodes = free if self.nodes is None else np.unique(np.array(self.nodes, dtype=np.int64))
        wrong = np.setdiff1d(nodes, free)
        if len(wrong):
            why = "clamped" if wrong[0] in solid.clamped else "not on the boundary"
            raise ValueError(f"nodes: node {wrong[0]} is {why}; load free boundary nodes")
        if not len(nodes):
            raise ValueError("nodes: none can be loaded; leave a boundary node free")
        directions = np.array(self.directions, dtype=float)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        return LoadCases(solid, nodes, directions, self.magnitude)


@dataclass(frozen=True)
class LoadCases:
    """All loads of a vademecum: case = family × number of nodes + position of the node.

    Attributes:
        nodes: loaded nodes (p,), sorted.
        directions: unit vectors (families, 3).
        magnitude: largest force [N].
    """

    solid: Solid
    nodes: IntArray
    directions: FloatArray
    magnitude: float

    @property
    def count(self) -> int:
        """Number of cases c."""
        return len(self.nodes) * len(self.directions)

    @property
    def nodes_of_cases(self) -> IntArray:
        """Loaded node of each case (c,)."""
        return np.tile(self.nodes, len(self.directions))

    def forces(self, numbers: IntArray | None = None) -> FloatArray:
        """Largest nodal forces, free components (k, f) [N], of chosen cases (k,); None means all."""
        numbers = np.arange(self.count) if numbers is None else np.asarray(numbers)
        families, places = np.divmod(numbers, len(self.nodes))
        number = np.full(3 * len(self.solid.mesh.nodes), -1)
        number[self.solid.free] = np.arange(self.solid.size)
        columns = number[3 * self.nodes[places][:, None] + np.arange(3)]
        forces = np.zeros((len(numbers), self.solid.size))
        forces[np.arange(len(numbers))[:, None], columns] = self.magnitude * self.directions[families]
        return forces

    def alike(self, numbers: IntArray, most: int) -> list[IntArray]:
        """Groups of cases that are loaded along one direction at near places, of at most so many cases.

        Args:
            numbers: cases (k,).
        Returns:
            Places in `numbers`, each in one group.
        """
        families, places = np.divmod(numbers, len(self.nodes))
        where = self.solid.mesh.nodes[self.nodes[places]]
        waiting = [np.flatnonzero(families == family) for family in range(len(self.directions))]
        out = []
        while waiting:
            group = waiting.pop(0)
            if len(group) <= most:
                out += [group] if len(group) else []
                continue
            axis = int(np.ptp(where[group], axis=0).argmax())
            order = group[np.argsort(where[group, axis], kind="stable")]
            waiting[:0] = [order[: len(order) // 2], order[len(order) // 2 :]]
        return out

    @cached_property
    def patches(self) -> list[IntArray]:
        """Free nodes of the cells around each loaded node: where its dent is kept apart from the modes."""
        cells = self.solid.mesh.cells
        order = np.argsort(cells.ravel(), kind="stable")
        ends = np.searchsorted(cells.ravel()[order], np.arange(len(self.solid.mesh.nodes) + 1))
        around = (order[ends[n] : ends[n + 1]] // cells.shape[1] for n in self.nodes)
        return [np.setdiff1d(cells[touching], self.solid.clamped) for touching in around]

    def label(self, case: int) -> str:
        """Words for a case."""
        family, position = divmod(case, len(self.nodes))
        x, y, z = self.directions[family]
        return f"a load at node {self.nodes[position]} along ({x:g}, {y:g}, {z:g})"
