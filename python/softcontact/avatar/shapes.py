# SPDX-License-Identifier: LGPL-2.1-or-later
"""Closed surfaces of avatars: lofted limbs, boxes, and soles whose contact points are laid out on a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triangles = NDArray[np.int32]
Surface = tuple[Array, Triangles]

_SIDES = 16


def loft(rings: Sequence[Sequence[float]], sides: int = _SIDES, *, flat: bool = False) -> Surface:
    """Closed surface through elliptic rings stacked along z.

    Args:
        rings: (k, 3) or (k, 4), one ring a row, bottom first: z, half axis along x, half axis along y [m],
            and optionally the x of the ring's centre.
        sides: vertices of a ring, ≥ 3.
        flat: rings are flat on both sides along y, seven tenths of their width, and round at the edges.
    Returns:
        vertices (k·sides + 2, 3) [m] and triangles, normals outwards.
    """
    angles = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
    if flat:
        circle[:, 1] = np.clip(circle[:, 1] / np.sin(0.25 * np.pi), -1.0, 1.0)
    vertices = []
    for z, a, b, *centre in rings:
        vertices.append(circle * (a, b, 0.0) + (centre[0] if centre else 0.0, 0.0, z))
    first, last = vertices[0].mean(axis=0), vertices[-1].mean(axis=0)
    around = np.arange(sides)
    after = (around + 1) % sides
    triangles = []
    for k in range(len(rings) - 1):
        low, high = k * sides, (k + 1) * sides
        triangles += [
            np.column_stack([low + around, low + after, high + after]),
            np.column_stack([low + around, high + after, high + around]),
        ]
    bottom, top = len(rings) * sides, len(rings) * sides + 1
    offset = (len(rings) - 1) * sides
    triangles += [
        np.column_stack([after, around, np.full(sides, bottom)]),
        np.column_stack([offset + around, offset + after, np.full(sides, top)]),
    ]
    return np.vstack([*vertices, first, last]), np.vstack(triangles).astype(np.int32)


def limb(length: float, top: float, bottom: float, sides: int = _SIDES) -> Surface:
    """Round limb that hangs from its joint at the origin along −z, radii ``top`` and ``bottom`` [m]."""
    rings = [(-length - 0.6 * bottom, 0.6 * bottom, 0.6 * bottom), (-length, bottom, bottom)]
    rings += [(-0.5 * length, 0.5 * (top + bottom), 0.5 * (top + bottom)), (0.0, top, top)]
    rings += [(0.6 * top, 0.6 * top, 0.6 * top)]
    return loft(rings, sides)


def grid_box(lower: Sequence[float], upper: Sequence[float], points: tuple[int, int]) -> Surface:
    """Box whose bottom face carries a grid of ``points`` vertices along x and y, the edges included.

    A sole: in point contact with a plane each vertex of the grid is one contact point.
    """
    x = np.linspace(lower[0], upper[0], points[0])
    y = np.linspace(lower[1], upper[1], points[1])
    count = points[0] * points[1]
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    bottom = np.column_stack([grid, np.full(count, lower[2])])
    top = np.column_stack([grid, np.full(count, upper[2])])
    index = np.arange(count).reshape(points)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    up = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    rim = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    after = np.roll(rim, -1)
    walls = np.vstack(
        [np.column_stack([rim, after, after + count]), np.column_stack([rim, after + count, rim + count])]
    )
    triangles = np.vstack([up[:, ::-1], up + count, walls])
    return np.vstack([bottom, top]), triangles.astype(np.int32)


def box(lower: Sequence[float], upper: Sequence[float]) -> Surface:
    """Box from its lowest to its highest corner [m]."""
    return grid_box(lower, upper, (2, 2))


def box_inertia(mass: float, size: Sequence[float]) -> Array:
    """(3, 3) [kg m²] of a solid box about its centre; size (3,) [m]."""
    a, b, c = np.square(np.asarray(size, dtype=float))
    return mass / 12.0 * np.diag([b + c, a + c, a + b])
