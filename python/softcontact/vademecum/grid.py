# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact with the tabulated distance field, as in the paper: one load of a tabulated size, nobody gives way."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum.contact import ContactForces, PenaltyLaw
from softcontact.vademecum.loaded import LoadedBody, Placement
from softcontact.vademecum.pair import PairState
from softcontact.vademecum.pointshell import Pointshell

__all__ = ["GridPair"]

FloatArray = NDArray[np.float64]


class GridPair:
    """A pointshell in the tabulated distance field of a vademecum's body; the interface of ContactPair.

    Between two loaded nodes the nearer one counts. Forces act at the shell's points.

    Args:
        first: its vademecum has a distance field.
        second: the shell's body, deformable or rigid.
        shell: points on it.
        law: penalty forces, without friction.
    Raises:
        ValueError: no distance field.
    Source: González et al. 2015, Sec. 3.
    """

    def __init__(
        self, first: LoadedBody, second: LoadedBody | Placement, shell: Pointshell, law: PenaltyLaw
    ) -> None:
        if first.vademecum.distance_field is None:
            raise ValueError(
                "the vademecum has no distance field; make one by 'softcontact vademecum distance FILE'"
            )
        self.first, self.second, self.shell, self.law = first, second, shell, law
        self._field = first.vademecum.distance_field
        self.forces = self._found(np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3)))

    def solve(self) -> PairState:
        """Forces with the bodies' loads and places as they are now.

        Raises:
            ValueError: a size that is not tabulated.
        """
        case, _ = max(self.first.loads, key=lambda load: load[1])
        size = sum(load[1] for load in self.first.loads)
        self.first.loads = [(case, size)]
        self.first.apply()
        if isinstance(self.second, LoadedBody):
            self.second.apply()
        points = self.first.placement.to_body(self.shell.points(self.second.positions()))
        began = time.perf_counter()
        numbers, depths, normals = self._field.contacts(points, case, size)
        spent = time.perf_counter() - began
        self.forces = self._found(points[numbers], numbers, depths, normals)
        return PairState(True, 0, 0.0, spent, 1, 0)

    @property
    def world(self) -> tuple[FloatArray, FloatArray]:
        """Where the contact forces act and those on the second body, in the world (c, 3) each [m], [N]."""
        return self.first.placement.to_world(self.forces.points), self.first.placement.turn(
            self.forces.forces
        )

    def _found(
        self, points: FloatArray, numbers: NDArray[np.int64], depths: FloatArray, normals: FloatArray
    ) -> ContactForces:
        count = len(numbers)
        return ContactForces(
            numbers=numbers,
            points=points,
            depths=depths,
            normals=normals,
            slips=np.zeros((count, 3)),
            forces=self.law.stiffness * depths[:, None] * normals,
            slides=np.zeros(count, dtype=bool),
            triangles=np.full(count, -1, dtype=np.int64),
            shares=np.zeros((count, 3)),
        )
