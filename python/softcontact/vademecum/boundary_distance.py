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

    With one load and a distance field, points that are clear of the boundary by the field are sorted out first; at a
    size that is not tabulated by that of the nearest size, less the way the boundary moves in between.

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
        nodes, triangles = vademecum.mesh.boundary_surface
        self._nodes, self._rest = nodes, vademecum.mesh.nodes[nodes]
        core = None if self._table is None else self._table.core
        self._boundary = _core.BoundaryDistance(self._rest, triangles, core)
        self._tabulated = OnlineField(vademecum, capacity=1)
        self.load([])

    def load(self, nodes: Sequence[int], scales: ArrayLike = 1.0, family: int = 0) -> None:
        """Take these loads instead of those before; see OnlineField.load."""
        self._field.load(nodes, scales, family)
        moved = self._field.displacements()[self._nodes]
        if self._table is None or len(nodes) != 1:
            self._boundary.set(self._rest + moved)
            return
        scale = float(np.broadcast_to(np.asarray(scales, dtype=float), 1)[0])
        size = self._table.nearest_size(scale)
        apart = 0.0
        if size != scale:
            self._tabulated.load(nodes, size, family)
            between = self._tabulated.displacements()[self._nodes] - moved
            apart = float(np.sqrt(np.einsum("ij,ij->i", between, between).max()))
        case = self._field.vademecum.case(nodes[0], family)
        self._boundary.set(self._rest + moved, self._table.state(case, size), apart)

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
        return self._boundary.contacts(as_cloud(points))
