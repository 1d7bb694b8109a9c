# SPDX-License-Identifier: LGPL-2.1-or-later
"""A body that a vademecum deforms, placed in the world, under loads of its own and those of contact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from softcontact.vademecum import chebyshev
from softcontact.vademecum.online import OnlineField
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["LoadedBody", "Placement"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_OPPOSITE = 1e-9


class Placement:
    """A rigid body's place in the world.

    Args:
        vertices: its surface in body axes (n, 3) [m].
    """

    def __init__(self, vertices: ArrayLike) -> None:
        self.vertices = np.array(vertices, dtype=float)
        self.move((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    def move(self, position: ArrayLike, orientation: ArrayLike) -> None:
        """Place it: origin [m] and quaternion (x, y, z, w)."""
        self.position = np.array(position, dtype=float)
        self.orientation = np.array(orientation, dtype=float)
        self._matrix = Rotation.from_quat(self.orientation).as_matrix()

    def turn(self, vectors: FloatArray) -> FloatArray:
        """Body to world axes (…, 3)."""
        return vectors @ self._matrix.T

    def turn_back(self, vectors: FloatArray) -> FloatArray:
        """World to body axes (…, 3)."""
        return vectors @ self._matrix

    def to_world(self, points: FloatArray) -> FloatArray:
        """Points (…, 3) [m]."""
        return self.turn(points) + self.position

    def to_body(self, points: FloatArray) -> FloatArray:
        """Points (…, 3) [m]."""
        return self.turn_back(points - self.position)

    def positions(self) -> FloatArray:
        """Its surface in the world (n, 3) [m]."""
        return self.to_world(self.vertices)


class LoadedBody:
    """A vademecum's body in the world.

    Families whose directions are opposite make one axis; a load along an axis is answered by the family of its sign
    where there is one, else with a negative size of the other, which goes on along the tangent.

    Args:
        vademecum: deforms it; its axes are the body's.
        modes: how many to use; None means all.
    Attributes:
        loads: its own, as (case, size, share): size as a share of the largest force, share with which it counts.
        reactions: sizes of the loads that contact puts on it (positions, axes) [-].
    """

    def __init__(self, vademecum: Vademecum, *, modes: int | None = None) -> None:
        cases, mesh = vademecum.cases, vademecum.mesh
        self.vademecum = vademecum
        self._solution = vademecum.solution if modes is None else vademecum.solution.truncated(modes)
        self.placement = Placement(mesh.nodes)
        self.triangles = mesh.boundary[1].astype(np.int64)
        self.displacement = np.zeros_like(mesh.nodes)
        self.loads: list[tuple[int, float, float]] = []
        self._axes, self.inverse = _axes(cases.directions, cases.magnitude)
        self.reactions = np.zeros((len(cases.nodes), len(self._axes)))
        self.field = OnlineField(vademecum, capacity=self.reactions.size + 16, modes=modes)
        self.position_of_node = self._positions_of_nodes()

    def apply(self) -> None:
        """Take the loads and reactions as they are now."""
        native = self.field.native
        native.clear()
        for case, size, share in self.loads:
            native.add(case, size, share)
        for position, axis in np.argwhere(self.reactions != 0.0).tolist():
            case, sign = self._case(position, axis, self.reactions[position, axis])
            native.add(case, sign * self.reactions[position, axis])
        self.field.displacements(self.displacement)

    def positions(self) -> FloatArray:
        """All nodes in the world (n, 3) [m], as of the last `apply`."""
        return self.placement.to_world(self.placement.vertices + self.displacement)

    def slopes(self, loads: Sequence[tuple[int, int]], nodes: IntArray) -> FloatArray:
        """How nodes move with each of some reactions (loads, nodes, 3) [m], in body axes.

        Args:
            loads: (position, axis) each.
            nodes: node numbers (k,).
        """
        solution = self._solution
        unique, back = np.unique(nodes, return_inverse=True)
        moves = np.zeros((len(loads), len(unique), 3))
        shapes = np.ascontiguousarray(solution.modes[:, unique])
        place = np.full(len(self.displacement), -1)
        place[unique] = np.arange(len(unique))
        for i, (position, axis) in enumerate(loads):
            case, sign = self._case(position, axis, self.reactions[position, axis])
            inside = float(np.clip(sign * self.reactions[position, axis], 0.0, 1.0))
            series = sign * chebyshev.slope(inside, solution.terms)
            moves[i] = np.tensordot(series @ solution.amplitudes[case], shapes, 1)
            own = slice(solution.dent_starts[case], solution.dent_starts[case + 1])
            at = place[solution.dent_nodes[own]]
            moves[i, at[at >= 0]] += np.tensordot(series, solution.dents[own][at >= 0], ([0], [1]))
        return moves[:, back]

    def energy(self) -> float:
        """Strain energy [J]."""
        solid = self.vademecum.cases.solid
        return float(solid.energy(solid.restrict(self.displacement)[None])[0])

    def _case(self, position: int, axis: int, size: float) -> tuple[int, float]:
        """Case and sign with which a size along an axis is answered."""
        plus, minus = self._axes[axis]
        count = len(self.vademecum.cases.nodes)
        if size < 0.0 and minus is not None:
            return minus * count + position, -1.0
        return plus * count + position, 1.0

    def _positions_of_nodes(self) -> IntArray:
        """Position among the loaded nodes of the one that takes a force on each node; -1 for clamped ones."""
        cases = self.vademecum.cases
        rest = self.vademecum.mesh.nodes
        apart = np.linalg.norm(rest[:, None] - rest[None, cases.nodes], axis=2)
        position = apart.argmin(axis=1)
        position[cases.solid.clamped] = -1
        return position


def _axes(directions: FloatArray, magnitude: float) -> tuple[list[tuple[int, int | None]], FloatArray]:
    """Families along and against each axis, and the sizes (axes, 3) [1/N] that make up a force."""
    axes: list[tuple[int, int | None]] = []
    for family, direction in enumerate(directions):
        against = [i for i, (plus, _) in enumerate(axes) if directions[plus] @ direction < -1.0 + _OPPOSITE]
        if against:
            axes[against[0]] = (axes[against[0]][0], family)
        else:
            axes.append((family, None))
    along = np.array([directions[plus] for plus, _ in axes])
    return axes, np.linalg.pinv(along.T) / magnitude
