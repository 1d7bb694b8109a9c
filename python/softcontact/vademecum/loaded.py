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
_SMALL = 1e-7  # sizes that are answered along the tangent at none


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

    Families whose directions are opposite make one axis. Of several loads t_j each is answered for the size τ_j at
    which it alone would deflect the body as all of them together do, and counts by the share of it that is there:

        u = Σ_j t_j/τ_j u_j(τ_j),    τ_j = g_j · Σ_i t_i g_i / g_j · g_j,    g amplitudes per size of small loads

    This is exact for one load and for small ones; plain superposition forgets how far the others have bent the body.

    Args:
        vademecum: deforms it; its axes are the body's.
        modes: how many to use; None means all.
    Attributes:
        loads: its own, as (case, size), sizes as shares of the largest force.
        reactions: sizes of the loads that contact puts on it (positions, axes) [-].
    """

    def __init__(self, vademecum: Vademecum, *, modes: int | None = None) -> None:
        cases, mesh = vademecum.cases, vademecum.mesh
        self.vademecum = vademecum
        self._solution = vademecum.solution if modes is None else vademecum.truncated(modes)
        self.placement = Placement(mesh.nodes)
        self.triangles = mesh.boundary[1].astype(np.int64)
        self.displacement = np.zeros_like(mesh.nodes)
        self.loads: list[tuple[int, float]] = []
        self._axes, self.inverse = _axes(cases.directions, cases.magnitude)
        self.reactions = np.zeros((len(cases.nodes), len(self._axes)))
        self.field = OnlineField(vademecum, capacity=self.reactions.size, modes=modes)
        self.position_of_node = self._positions_of_nodes()
        small, _ = _secant(0.0, self._solution.terms)
        first = np.tensordot(self._solution.amplitudes, small, ([1], [0]))  # (cases, modes)
        self._first = first.reshape(len(cases.directions), len(cases.nodes), -1)

    def apply(self) -> None:
        """Take the loads and reactions as they are now."""
        native = self.field.native
        native.clear()
        for position, axis, size, alone in self._answers():
            case, sign = self._case(position, axis, alone)
            some = alone if abs(alone) > _SMALL else _SMALL * sign
            native.add(case, sign * some, size / some)
        self.field.displacements(self.displacement)

    def positions(self) -> FloatArray:
        """All nodes in the world (n, 3) [m], as of the last `apply`."""
        return self.placement.to_world(self.placement.vertices + self.displacement)

    def slopes(self, loads: Sequence[tuple[int, int]], nodes: IntArray) -> FloatArray:
        """How nodes move with the size of each of some loads (loads, nodes, 3) [m], in body axes.

        Args:
            loads: (position, axis) each.
            nodes: node numbers (k,).
        """
        unique, back = np.unique(nodes, return_inverse=True)
        answers = self._answers()
        together = self._together(answers)
        own = [(p, a, 0.0, self._alone(p, a, together)) for p, a in loads]
        moves = self._fields(own, unique, 0)
        bends = (
            self._fields(answers, unique, 1) * np.array([size for _, _, size, _ in answers])[:, None, None]
        )
        theirs, mine = (self._firsts(some) for some in (answers, own))
        like = (mine @ theirs.T) / np.einsum("jm,jm->j", theirs, theirs)  # change of each τ with each load
        moves = moves + np.tensordot(like, bends, 1)
        return moves[:, back]

    def energy(self) -> float:
        """Strain energy [J]."""
        solid = self.vademecum.cases.solid
        return float(solid.energy(solid.restrict(self.displacement)[None])[0])

    def _answers(self) -> list[tuple[int, int, float, float]]:
        """(position, axis, size t, size τ that it is answered for) of every load."""
        total, count = self.reactions.copy(), len(self.vademecum.cases.nodes)
        for case, size in self.loads:
            family, position = divmod(case, count)
            for axis, (plus, minus) in enumerate(self._axes):
                if family in (plus, minus):
                    total[position, axis] += size if family == plus else -size
        found = [(p, a, float(total[p, a]), 0.0) for p, a in np.argwhere(total != 0.0).tolist()]
        together = self._together(found)
        return [(p, a, size, self._alone(p, a, together)) for p, a, size, _ in found]

    def _together(self, answers: Sequence[tuple[int, int, float, float]]) -> FloatArray:
        """Amplitudes of all loads, as if they were small."""
        return np.array([size for _, _, size, _ in answers]) @ self._firsts(answers)

    def _alone(self, position: int, axis: int, together: FloatArray) -> float:
        """The size τ at which a load alone would deflect the body as all do."""
        own = self._first[self._axes[axis][0], position]
        return float(own @ together / (own @ own))

    def _firsts(self, answers: Sequence[tuple[int, int, float, float]]) -> FloatArray:
        """Amplitudes per size of small loads (answers, modes)."""
        places = [(self._axes[axis][0], position) for position, axis, _, _ in answers]
        return np.array([self._first[place] for place in places]).reshape(-1, self._first.shape[2])

    def _fields(
        self, answers: Sequence[tuple[int, int, float, float]], nodes: IntArray, derivative: int
    ) -> FloatArray:
        """u(τ)/τ of some loads at nodes, or its derivative (answers, nodes, 3) [m]."""
        solution = self._solution
        out = np.zeros((len(answers), len(nodes), 3))
        shapes = np.ascontiguousarray(solution.modes[:, nodes])
        place = np.full(len(self.displacement), -1)
        place[nodes] = np.arange(len(nodes))
        for i, (position, axis, _, alone) in enumerate(answers):
            case, sign = self._case(position, axis, alone)
            # of the family against the axis: u = −u'(−τ) / −τ, whose derivative keeps its sign
            series = _secant(sign * alone, solution.terms)[derivative] * (1.0 if derivative else sign)
            out[i] = np.tensordot(series @ solution.amplitudes[case], shapes, 1)
            own = slice(solution.dent_starts[case], solution.dent_starts[case + 1])
            at = place[solution.dent_nodes[own]]
            out[i, at[at >= 0]] += np.tensordot(series, solution.dents[own][at >= 0], ([0], [1]))
        return out

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


def _secant(size: float, count: int) -> tuple[FloatArray, FloatArray]:
    """chebyshev.basis divided by the size, and the derivative of that, continued along tangents outside [0, 1]."""
    inside = float(np.clip(size, 0.0, 1.0))
    value, slope = chebyshev.basis(1.0, count), chebyshev.slope(inside, count)
    if size > 1.0:
        whole = value + (size - 1.0) * slope
        return whole / size, (slope - whole / size) / size
    series = np.polynomial.chebyshev.chebvander(2.0 * inside - 1.0, count - 1).ravel()
    if size <= 0.0:
        return series, np.zeros(count)
    return series, (slope - series) / size
