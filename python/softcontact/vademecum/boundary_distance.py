# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exact distances to the deformed boundary, for any load; a distance field only sorts out points that are clear of it.

Trilinear distances miss by up to a third of a cell's diagonal near edges and on the medial axis, have the wrong sign
for points that near the boundary, and know the tabulated sizes only. The boundary itself is at hand: the separated
solution gives its nodes, and a tree of boxes the nearest triangle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.vademecum.distance import as_cloud
from softcontact.vademecum.online import OnlineField

if TYPE_CHECKING:
    from softcontact.vademecum.vademecum import Vademecum

__all__ = ["BoundaryDistance"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class BoundaryDistance:
    """Signed distances to the boundary under some loads: to the nearest triangle of the mesh's boundary.

    Only the parts of the boundary that a question comes to are displaced. With one load of a tabulated size, points
    that are clear of the boundary by the distance field are sorted out first. What a shell's points were near to when
    they were last asked makes the next question for contacts shorter while little moves in between, and changes
    nothing else.

    It is in one state at a time, so that threads need one each; Vademecum.distance and .contacts share one.

    Args:
        vademecum: what is asked.
        capacity: loads at once at most.
    Raises:
        ValueError: capacity out of range.
    """

    def __init__(self, vademecum: Vademecum, *, capacity: int = 16) -> None:
        self._field = OnlineField(vademecum, capacity=capacity)
        self._table = vademecum.distance_field
        core = None if self._table is None else self._table.core
        mesh = vademecum.mesh
        self._boundary = _core.BoundaryDistance(mesh.nodes, mesh.boundary[1], self._field.native, core)
        self._remembered = 0
        self.load([])

    @property
    def native(self) -> _core.BoundaryDistance:
        """The core's boundary, for what builds on it."""
        return self._boundary

    def load(self, nodes: Sequence[int], scales: ArrayLike = 1.0, family: int = 0) -> None:
        """Take these loads instead of those before; see OnlineField.load."""
        self._field.load(nodes, scales, family)
        if self._table is not None and len(nodes) == 1:
            scale = float(np.broadcast_to(np.asarray(scales, dtype=float), 1)[0])
            if self._table.nearest_size(scale) == scale:
                case = self._field.vademecum.case(nodes[0], family)
                self._boundary.follow(self._table.state(case, scale))
                return
        self._boundary.follow()

    def distance(self, points: ArrayLike) -> FloatArray:
        """Signed distances (k,) [m] of points (k, 3) [m], negative inside; NaN for a point that is not finite.

        Raises:
            ValueError: points of another shape.
        """
        return self._boundary.distance(as_cloud(points))[0]

    def gradient(self, points: ArrayLike) -> FloatArray:
        """Their gradients (k, 3) [-], unit vectors: from the nearest point of the boundary outwards.

        Raises:
            ValueError: points of another shape.
        """
        return self._boundary.distance(as_cloud(points))[1]

    def contacts(self, points: ArrayLike) -> tuple[IntArray, FloatArray, FloatArray]:
        """Points inside: their numbers (c,), depths (c,) [m] > 0, and unit normals (c, 3) out of the solid.

        Args:
            points: the pointshell of the other body (k, 3) [m].
        Raises:
            ValueError: points of another shape.
        """
        cloud = as_cloud(points)
        if len(cloud) > self._remembered:
            self._remembered = len(cloud)
            self._boundary.remember(self._remembered)
        return self._boundary.contacts(cloud)
