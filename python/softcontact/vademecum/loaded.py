# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies placed in the world: rigid ones, and those that a vademecum deforms under loads of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from softcontact.vademecum.online import OnlineField
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["LoadedBody", "Placement"]

FloatArray = NDArray[np.float64]


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
        self.rotation = Rotation.from_quat(self.orientation)
        self._matrix = self.rotation.as_matrix()

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
    """A vademecum's body in the world, under the loads as OnlineField predicts them by deflection.

    Args:
        vademecum: deforms it; its axes are the body's.
        modes: how many to use; None means all.
        capacity: loads at once at most.
    Attributes:
        loads: its own, as (case, size), sizes as shares of the largest force.
        contact_loads: those that contact puts on it, as it was answered last.
        displacement: of all nodes (n, 3) [m], in body axes.
    """

    def __init__(self, vademecum: Vademecum, *, modes: int | None = None, capacity: int = 16) -> None:
        self.vademecum, self.modes = vademecum, modes
        self.placement = Placement(vademecum.mesh.nodes)
        self.displacement = np.zeros_like(vademecum.mesh.nodes)
        self.loads: list[tuple[int, float]] = []
        self.contact_loads: list[tuple[int, float]] = []
        self.field = OnlineField(vademecum, capacity=capacity, modes=modes)

    def apply(self) -> None:
        """Take the loads as they are now, and no others."""
        self.field.native.predict([case for case, _ in self.loads], [size for _, size in self.loads])
        self.field.displacements(self.displacement)

    @property
    def reactions(self) -> FloatArray:
        """Sizes of the loads that contact puts on it (positions, families) [-]: which node, which direction."""
        cases = self.vademecum.cases
        sizes = np.zeros(len(cases.directions) * len(cases.nodes))
        for case, size in self.contact_loads:
            sizes[case] = size
        return sizes.reshape(len(cases.directions), -1).T

    def positions(self) -> FloatArray:
        """All nodes in the world (n, 3) [m], as displaced now."""
        return self.placement.to_world(self.placement.vertices + self.displacement)

    def energy(self) -> float:
        """Strain energy [J]."""
        solid = self.vademecum.cases.solid
        return float(solid.energy(solid.restrict(self.displacement)[None])[0])
