# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two bodies in contact, one or both answered by a vademecum and giving way to the forces between them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum.contact import ContactForces, PenaltyContact, PenaltyLaw
from softcontact.vademecum.loaded import LoadedBody, Placement
from softcontact.vademecum.pointshell import Pointshell

__all__ = ["ContactPair", "PairState"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_TRIALS = 6  # shares of a Newton step at most
_WAY = 0.15  # of the smallest extent of the bodies: most that they move in one
_NOTHING = 1e-14  # size of a load that is none


@dataclass(frozen=True)
class PairState:
    """How a question ended.

    Attributes:
        converged: forces and depths agree to the tolerance.
        iterations: Newton steps.
        residual: largest disagreement, as a share of the largest load [-].
        detection_s: time in contact detection, all of it together [s].
        detections: how many that were.
        unknowns: loads that the contact puts on the bodies.
    """

    converged: bool
    iterations: int
    residual: float
    detection_s: float
    detections: int
    unknowns: int

    def after(self, other: PairState) -> PairState:
        """This one after another one, both as parts of a step."""
        return PairState(
            self.converged and other.converged,
            self.iterations + other.iterations,
            max(self.residual, other.residual),
            self.detection_s + other.detection_s,
            self.detections + other.detections,
            self.unknowns,
        )


@dataclass
class _Side:
    """A body's part in a contact, for all contact points at once."""

    body: LoadedBody
    sign: float  # of the force on it
    corners: IntArray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    shares: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))


_Load = tuple[_Side, int, int]  # side, position, axis


class ContactPair:
    """A pointshell on the second body pressed into the first one.

    The loads that the contact puts on the nodes are those of the penalty forces at the displacements that they cause,
    as LoadedBody predicts them: t = L f(u(t)). Newton's method finds them from where the last question ended, so that
    contact may be far stiffer than the bodies. The force of contact counts by its part along the directions that a
    vademecum knows.

    Args:
        first: what the shell is pressed into.
        second: the shell's body; a Placement where it is rigid.
        shell: points on the second body.
        law: penalty forces.
        yielding: whether the bodies give way; if not, they answer to their own loads alone.
        tolerance: of the loads, as a share of the largest one [-].
        most: Newton steps at most.
    Source: González et al. 2015, Sec. 3; giving way beyond it.
    """

    def __init__(
        self,
        first: LoadedBody,
        second: LoadedBody | Placement,
        shell: Pointshell,
        law: PenaltyLaw,
        *,
        yielding: bool = True,
        tolerance: float = 1e-8,
        most: int = 60,
    ) -> None:
        self.first, self.second, self.shell, self.law = first, second, shell, law
        self.yielding, self.tolerance, self.most = yielding, tolerance, most
        self._contact = PenaltyContact(first.field, len(shell), law)
        self._sides = [_Side(first, -1.0)]
        if isinstance(second, LoadedBody):
            self._sides.append(_Side(second, 1.0))
        self.forces: ContactForces = self._contact.forces
        rest = [side.body.placement.vertices for side in self._sides]
        self._most_way = _WAY * min(float(np.ptp(vertices, axis=0).min()) for vertices in rest)

    def solve(self) -> PairState:
        """Find the forces with the bodies' loads and places as they are now, and let the contact go on from there."""
        self._spent, self._detections = 0.0, 0
        self._place()
        loads, difference = self._difference() if self.yielding else ([], np.zeros(0))
        iteration = 0
        while not self._within(difference) and iteration < self.most:
            iteration += 1
            matrix = np.eye(len(loads)) - self._slope(loads)
            loads, difference = self._step(loads, np.linalg.solve(matrix, difference), difference)
        for side in self._sides:
            side.body.reactions[np.abs(side.body.reactions) < _NOTHING] = 0.0
        self._contact.commit()
        residual = float(np.abs(difference).max(initial=0.0))
        return PairState(
            self._within(difference), iteration, residual, self._spent, self._detections, len(loads)
        )

    def _within(self, difference: FloatArray) -> bool:
        return float(np.abs(difference).max(initial=0.0)) <= self.tolerance

    def _step(
        self, loads: list[_Load], change: FloatArray, difference: FloatArray
    ) -> tuple[list[_Load], FloatArray]:
        """Take a Newton step, or less of it: bodies must not move far at once, for where a contact has opened the step
        knows nothing of it and would lead through the other body; and forces and loads should come closer."""
        before, size, share = self._sizes(loads), float(np.linalg.norm(difference)), 1.0
        then = [side.body.displacement.copy() for side in self._sides]
        far = False
        for _ in range(_TRIALS):
            self._set(loads, before + share * change)
            self._place()
            ways = [
                np.linalg.norm(s.body.displacement - t, axis=1).max()
                for s, t in zip(self._sides, then, strict=True)
            ]
            way = float(sum(ways))
            if way > self._most_way:
                share *= 0.99 * self._most_way / way
                far = True
                continue
            after, difference = self._difference()
            if far or float(np.linalg.norm(difference)) < size:
                return after, difference
            share *= 0.5
        return self._difference()

    def _place(self) -> None:
        """Bring the bodies to their loads and find the contacts."""
        for side in self._sides:
            side.body.apply()
        shell = self.first.placement.to_body(self.points())
        began = time.perf_counter()
        self._contact.evaluate(shell)
        self._spent += time.perf_counter() - began
        self._detections += 1
        self.forces = found = self._contact.forces
        self._sides[0].corners = self.first.triangles[found.triangles]
        self._sides[0].shares = found.shares
        for side in self._sides[1:]:
            side.corners, side.shares = self.shell.corners[found.numbers], self.shell.shares[found.numbers]

    def _sizes(self, loads: Sequence[_Load]) -> FloatArray:
        return np.array([side.body.reactions[position, axis] for side, position, axis in loads])

    def _set(self, loads: Sequence[_Load], sizes: FloatArray) -> None:
        for (side, position, axis), size in zip(loads, sizes, strict=True):
            side.body.reactions[position, axis] = size

    def _difference(self) -> tuple[list[_Load], FloatArray]:
        """The loads that carry contact, and by how much what the forces ask for differs from them."""
        loads, wanted = self._wanted()
        return loads, wanted - self._sizes(loads)

    def points(self) -> FloatArray:
        """The shell in the world (k, 3) [m]."""
        return self.shell.points(self.second.positions())

    @property
    def world(self) -> tuple[FloatArray, FloatArray]:
        """Where the contact forces act and those on the second body, in the world (c, 3) each [m], [N]."""
        return self.first.placement.to_world(self.forces.points), self.first.placement.turn(
            self.forces.forces
        )

    def _force_on(self, side: _Side, vectors: FloatArray) -> FloatArray:
        """Vectors (…, 3) in the first body's axes, as they act on a side, in that body's own axes."""
        world = self.first.placement.turn(vectors)
        return side.sign * side.body.placement.turn_back(world)

    def _parts(self, side: _Side) -> tuple[IntArray, FloatArray]:
        """Loaded position of each corner (c, 3), -1 where clamped, and its share (c, 3), 0 there."""
        positions = side.body.position_of_node[side.corners]
        return positions, np.where(positions >= 0, side.shares, 0.0)

    def _wanted(self) -> tuple[list[_Load], FloatArray]:
        """The loads that carry contact, those of the last question too, and the sizes that the forces ask for."""
        loads: list[_Load] = []
        wanted: list[float] = []
        for side in self._sides:
            positions, shares = self._parts(side)
            asked = self._force_on(side, self.forces.forces) @ side.body.inverse.T  # (c, axes)
            sums = np.zeros_like(side.body.reactions)
            touched = side.body.reactions != 0.0
            flat = positions >= 0
            touched[positions[flat]] = True
            np.add.at(sums, positions[flat], (shares[..., None] * asked[:, None, :])[flat])
            for position, axis in np.argwhere(touched).tolist():
                loads.append((side, position, axis))
                wanted.append(float(sums[position, axis]))
        return loads, np.array(wanted)

    def _slope(self, loads: Sequence[_Load]) -> FloatArray:
        """Change of the wanted sizes with the sizes (n, n)."""
        forces = np.zeros(
            (len(self.forces.numbers), 3, len(loads))
        )  # change of each point's force on the shell
        stiffness = self._stiffness()
        for side in self._sides:
            own = [i for i, load in enumerate(loads) if load[0] is side]
            moves = side.body.slopes([loads[i][1:] for i in own], side.corners.ravel())  # (own, 3 c, 3)
            moves = moves.reshape(len(own), *side.corners.shape, 3)
            at = np.einsum("ncki,ck->nci", moves, side.shares)
            relative = -side.sign * self.first.placement.turn_back(side.body.placement.turn(at))
            forces[:, :, own] += np.einsum("cij,ncj->cin", stiffness, relative)
        matrix = np.zeros((len(loads), len(loads)))
        for side in self._sides:
            positions, shares = self._parts(side)
            asked = np.moveaxis(self._force_on(side, np.moveaxis(forces, 1, 2)) @ side.body.inverse.T, 2, 1)
            for i, (other, position, axis) in enumerate(loads):
                if other is side:
                    matrix[i] = np.where(positions == position, shares, 0.0).sum(axis=1) @ asked[:, axis]
        return matrix

    def _stiffness(self) -> FloatArray:
        """Change of each force on the shell with the way that the body's place moves ahead of the point (c, 3, 3)."""
        found, law = self.forces, self.law
        normal = found.normals[:, :, None] * found.normals[:, None, :]
        stiffness = law.stiffness * normal
        if law.friction > 0.0:
            along = law.tangential_stiffness or law.stiffness
            tangential = found.forces - np.einsum("cij,cj->ci", normal, found.forces)
            size = np.linalg.norm(tangential, axis=1, keepdims=True)
            direction = np.divide(tangential, size, out=np.zeros_like(tangential), where=size > 0.0)
            slides = law.friction * law.stiffness * direction[:, :, None] * found.normals[:, None, :]
            sticks = along * (np.eye(3) - normal)
            stiffness = stiffness + np.where(found.slides[:, None, None], slides, sticks)
        return stiffness
