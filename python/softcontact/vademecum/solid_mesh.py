# SPDX-License-Identifier: LGPL-2.1-or-later
"""Meshes of linear tetrahedra (tet4) or trilinear hexahedra (hex8) as the vademecum needs them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.flexibility.hexahedra import CORNERS, BlockGrid

__all__ = ["SolidMesh"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FACES = {
    4: np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
    8: np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [1, 2, 6, 5], [0, 4, 7, 3]]),
}


class SolidMesh:
    """A mesh of tetrahedra or of hexahedra, with the shape gradients at its quadrature points.

    One point integrates a tetrahedron exactly; a hexahedron has 2 × 2 × 2 Gauss points.

    Args:
        nodes: rest positions [m], shape (n, 3), finite, each node in a cell.
        cells: node numbers, shape (m, 4) tetrahedra, or (m, 8) hexahedra in VTK's order.
    Attributes:
        nodes, cells: as given; tetrahedra are turned to positive volume.
    Raises:
        ValueError: wrong shape, bad number, or a cell that is flat or inside out at a quadrature point.
    """

    kinds: ClassVar = {4: "tet4", 8: "hex8"}

    def __init__(self, nodes: ArrayLike, cells: ArrayLike) -> None:
        self.nodes: FloatArray = np.array(nodes, dtype=float, order="C")
        self.cells: IntArray = np.array(cells, dtype=np.int64, order="C")
        if self.nodes.ndim != 2 or self.nodes.shape[1] != 3 or not np.isfinite(self.nodes).all():
            raise ValueError(f"nodes: shape {self.nodes.shape}, expected (n, 3) finite coordinates [m]")
        if self.cells.ndim != 2 or self.cells.shape[1] not in self.kinds or not len(self.cells):
            raise ValueError(f"cells: shape {self.cells.shape}, expected (m, 4) or (m, 8) node numbers")
        if not (self.cells.min() >= 0 and self.cells.max() < len(self.nodes)):
            raise ValueError(f"cells: a node number is not in 0 … {len(self.nodes) - 1}")
        loose = np.setdiff1d(np.arange(len(self.nodes)), self.cells)
        if len(loose):
            raise ValueError(f"nodes: node {loose[0]} is in no cell; drop the {len(loose)} loose nodes")
        if self.kind == "tet4":
            edges = self.nodes[self.cells[:, 1:]] - self.nodes[self.cells[:, :1]]
            turned = np.linalg.det(edges) < 0.0
            self.cells[turned] = self.cells[turned][:, [0, 2, 1, 3]]
        self.gradients, self.weights = self._quadrature()

    @classmethod
    def block(cls, size: tuple[float, float, float], divisions: tuple[int, int, int]) -> SolidMesh:
        """A block of hexahedra from 0 to size[0] along x, centred about the x axis [m]."""
        grid = BlockGrid((0.0, -0.5 * size[1], -0.5 * size[2]), size, divisions)
        return cls(grid.nodes, grid.hexahedra)

    @property
    def kind(self) -> str:
        """`tet4` or `hex8`."""
        return self.kinds[self.cells.shape[1]]

    @cached_property
    def boundary(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Nodes on the boundary, sorted, and triangles (k, 3) of node numbers, counter-clockwise from outside."""
        faces = self.cells[:, _FACES[self.cells.shape[1]]].reshape(-1, 3 if self.kind == "tet4" else 4)
        _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        outside = faces[np.sort(first[count == 1])]
        if outside.shape[1] == 4:
            outside = np.concatenate([outside[:, [0, 1, 2]], outside[:, [0, 2, 3]]])
        return np.unique(outside), outside.astype(np.int32)

    @cached_property
    def boundary_surface(self) -> tuple[IntArray, NDArray[np.int32]]:
        """The same nodes, and the triangles (k, 3) numbered within them."""
        nodes, triangles = self.boundary
        numbers = np.full(len(self.nodes), -1, dtype=np.int32)
        numbers[nodes] = np.arange(len(nodes), dtype=np.int32)
        return nodes, numbers[triangles]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of kind, node positions and cells: equal only for the very same mesh."""
        parts = (self.kind.encode(), self.nodes.astype("<f8").tobytes(), self.cells.astype("<i8").tobytes())
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def volume(self, displacement: ArrayLike = 0.0) -> FloatArray:
        """Volume [m³] enclosed by the boundary, displaced by (…, n, 3) [m]."""
        corners = (self.nodes + np.asarray(displacement, dtype=float))[..., self.boundary[1], :]
        return np.linalg.det(corners).sum(axis=-1) / 6.0

    def volume_gradient(self, displacement: ArrayLike = 0.0) -> FloatArray:
        """Change of that volume with the displacement of each node: its share of the area, outwards (n, 3) [m²]."""
        triangles = self.boundary[1]
        corners = (self.nodes + np.asarray(displacement, dtype=float))[triangles]
        out = np.zeros_like(self.nodes)
        for k in range(3):
            normals = np.cross(corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]) / 6.0
            np.add.at(out, triangles[:, k], normals)
        return out

    def _quadrature(self) -> tuple[FloatArray, FloatArray]:
        """∂N/∂X (m, q, a, 3) [1/m] and weights (m, q) [m³]."""
        local, shares = _tetrahedron() if self.kind == "tet4" else _hexahedron()
        jacobian = np.einsum("cai,qaj->cqij", self.nodes[self.cells], local)
        determinant = np.linalg.det(jacobian)
        bad = np.flatnonzero(~(determinant > 0.0).all(axis=1))
        if len(bad):
            raise ValueError(f"cells: cell {bad[0]} is flat or inside out; mend the {len(bad)} such cells")
        gradients = np.einsum("qaj,cqji->cqai", local, np.linalg.inv(jacobian))
        return np.ascontiguousarray(gradients), determinant * shares


def _tetrahedron() -> tuple[FloatArray, FloatArray]:
    local = np.array([[[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], dtype=float)
    return local, np.array([1.0 / 6.0])


def _hexahedron() -> tuple[FloatArray, FloatArray]:
    factors = 1.0 + CORNERS[None] * (CORNERS[:, None] / np.sqrt(3.0))  # (points, corners, axes)
    local = np.stack([CORNERS[:, k] * np.delete(factors, k, axis=2).prod(axis=2) for k in range(3)], axis=2)
    return 0.125 * local, np.ones(8)
