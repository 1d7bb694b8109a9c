# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of trilinear hexahedra (hex8): grid, element stiffness, assembly."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Corners of the reference element [-1, 1]³, in the order of a hexahedron's nodes (VTK's).
CORNERS = np.array(
    [
        [-1, -1, -1],
        [1, -1, -1],
        [1, 1, -1],
        [-1, 1, -1],
        [-1, -1, 1],
        [1, -1, 1],
        [1, 1, 1],
        [-1, 1, 1],
    ],
    dtype=float,
)
FACES = ("left", "right", "front", "back", "bottom", "top")  # -x, +x, -y, +y, -z, +z


@dataclass(frozen=True)
class BlockGrid:
    """An axis-aligned block divided into equal hexahedra.

    Attributes:
        origin: lowest corner (3,) [m].
        size: edge lengths (3,) [m].
        divisions: number of elements along x, y and z.
    Raises:
        ValueError: an edge that is not positive, or a division below 1.
    """

    origin: tuple[float, float, float]
    size: tuple[float, float, float]
    divisions: tuple[int, int, int]

    def __post_init__(self) -> None:
        if not all(0.0 < x < np.inf for x in self.size):
            raise ValueError(f"size: {self.size}, expected three finite lengths > 0 [m]")
        if not all(n >= 1 for n in self.divisions):
            raise ValueError(f"divisions: {self.divisions}, expected three whole numbers >= 1")
        if not np.isfinite(self.origin).all():
            raise ValueError(f"origin: {self.origin}, expected three finite coordinates [m]")

    @cached_property
    def nodes(self) -> FloatArray:
        """Node positions at rest (n, 3) [m]; z changes fastest, x slowest."""
        axes = [
            o + s * np.arange(n + 1) / n
            for o, s, n in zip(self.origin, self.size, self.divisions, strict=True)
        ]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)

    @cached_property
    def hexahedra(self) -> IntArray:
        """Node numbers of the elements (m, 8)."""
        counts = np.array(self.divisions) + 1
        numbers = np.arange(counts.prod()).reshape(counts)
        low = tuple(slice(0, n) for n in self.divisions)
        corners = []
        for corner in CORNERS:
            shifted = tuple(
                slice(s.start + int(c > 0), s.stop + int(c > 0)) for s, c in zip(low, corner, strict=True)
            )
            corners.append(numbers[shifted].ravel())
        return np.stack(corners, axis=1)

    @property
    def element_size(self) -> FloatArray:
        """Edge lengths of an element (3,) [m]."""
        return np.array(self.size) / np.array(self.divisions)

    def face(self, name: str) -> IntArray:
        """Numbers of the nodes on one of FACES, sorted.

        Raises:
            ValueError: no such face.
        """
        if name not in FACES:
            raise ValueError(f"face: {name!r}, expected one of {', '.join(FACES)}")
        number = FACES.index(name)
        axis, end = number // 2, number % 2
        plane = self.origin[axis] + end * self.size[axis]
        near = np.abs(self.nodes[:, axis] - plane) < 1e-6 * self.element_size[axis]
        return np.flatnonzero(near)

    @cached_property
    def surface(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Nodes on the surface, and triangles (k, 3) over them, counter-clockwise seen from outside."""
        quads = self.hexahedra[
            :, [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [1, 2, 6, 5], [0, 4, 7, 3]]
        ]
        quads = quads.reshape(-1, 4)
        _, first, count = np.unique(np.sort(quads, axis=1), axis=0, return_index=True, return_counts=True)
        outside = quads[np.sort(first[count == 1])]
        nodes, flat = np.unique(outside, return_inverse=True)
        quads = flat.reshape(-1, 4)
        triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        return nodes, triangles.astype(np.int32)


def gradients(size: ArrayLike, at: ArrayLike) -> FloatArray:
    """∂N/∂X (8, 3) [1/m] of a brick of edges `size` at a reference point in [-1, 1]³."""
    factors = 1.0 + CORNERS * np.asarray(at, dtype=float)
    local = np.empty((8, 3))
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        local[:, axis] = 0.125 * CORNERS[:, axis] * factors[:, others].prod(axis=1)
    return local * (2.0 / np.asarray(size, dtype=float))


def element_stiffness(size: ArrayLike, young: float, poisson: float) -> FloatArray:
    """Stiffness (24, 24) [N/m] of a linear elastic brick, 2 × 2 × 2 Gauss points; exact for this shape.

    Args:
        size: edge lengths (3,) [m].
        young: Young's modulus [Pa], > 0.
        poisson: Poisson's ratio in (-1, 0.5).
    Raises:
        ValueError: a modulus or ratio out of range.
    """
    if not 0.0 < young < np.inf:
        raise ValueError(f"young: {young}, expected a finite modulus > 0 [Pa]")
    if not -1.0 < poisson < 0.5:
        raise ValueError(f"poisson: {poisson}, expected a ratio in (-1, 0.5)")
    lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    shear = young / (2.0 * (1.0 + poisson))
    elasticity = np.diag([2.0 * shear] * 3 + [shear] * 3)
    elasticity[:3, :3] += lame
    stiffness = np.zeros((24, 24))
    weight = float(np.prod(size)) / 8.0
    for point in CORNERS / np.sqrt(3.0):
        strain = np.zeros((6, 24))
        x, y, z = gradients(size, point).T
        for axis, slope in enumerate((x, y, z)):
            strain[axis, axis::3] = slope
        strain[3, 0::3], strain[3, 1::3] = y, x
        strain[4, 1::3], strain[4, 2::3] = z, y
        strain[5, 0::3], strain[5, 2::3] = z, x
        stiffness += weight * strain.T @ elasticity @ strain
    return stiffness


def element_dofs(hexahedra: IntArray) -> IntArray:
    """Numbers of the displacement components of each element (m, 24): three a node, x, y, z."""
    return (3 * hexahedra[:, :, None] + np.arange(3)).reshape(len(hexahedra), 24)


def assemble(dofs: IntArray, matrices: FloatArray, size: int) -> sparse.csc_matrix:
    """Sum of element matrices (m, 24, 24), or one (24, 24) for all, as a sparse (size, size) matrix."""
    rows = np.repeat(dofs, 24, axis=1).ravel()
    columns = np.tile(dofs, (1, 24)).ravel()
    values = np.broadcast_to(matrices, (len(dofs), 24, 24)).ravel()
    return sparse.csc_matrix((values, (rows, columns)), shape=(size, size))
