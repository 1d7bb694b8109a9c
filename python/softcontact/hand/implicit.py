# SPDX-License-Identifier: LGPL-2.1-or-later
"""Smooth solids as signed fields, and meshes of their surfaces.

Source: Gibson 1998, "Constrained elastic surface nets" (one vertex per sign-changing cell, one quadrilateral
per sign-changing edge); differs by a projection of the vertices onto the surface.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["capsule", "ellipsoid", "mean_over_neighbours", "smooth_union", "surface_net", "unique_edges"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Field = Callable[[FloatArray], FloatArray]


def smooth_union(a: FloatArray, b: FloatArray, width: float) -> FloatArray:
    """Union of two fields, its crease filled where they differ by less than `width` [m]."""
    h = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.minimum(a, b) - 0.25 * width * h * h


def capsule(points: FloatArray, a: ArrayLike, b: ArrayLike, radius_a: float, radius_b: float) -> FloatArray:
    """Distance to a segment a–b less a radius that changes linearly along it [m], shape (n,)."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    along = b - a
    t = np.clip((points - a) @ along / (along @ along), 0.0, 1.0)
    return np.linalg.norm(points - a - t[:, None] * along, axis=1) - (radius_a + t * (radius_b - radius_a))


def ellipsoid(points: FloatArray, centre: ArrayLike, radii: ArrayLike, axes: FloatArray) -> FloatArray:
    """Approximate distance to an ellipsoid whose half axes lie along the columns of `axes` [m], shape
    (n,).
    """
    local = (points - np.asarray(centre)) @ axes / np.asarray(radii)
    scaled = np.linalg.norm(local, axis=1)
    gradient = np.linalg.norm(local / np.asarray(radii), axis=1)
    return scaled * (scaled - 1.0) / np.maximum(gradient, 1e-9)


def unique_edges(triangles: IntArray) -> IntArray:
    """Undirected edges of a triangle mesh, shape (e, 2)."""
    return np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)


def mean_over_neighbours(values: FloatArray, edges: IntArray) -> FloatArray:
    """Mean of each vertex's neighbours' values, shape of `values` (n, d)."""
    count = np.bincount(edges.ravel(), minlength=len(values)).astype(float)
    total = np.empty_like(values)
    for k in range(values.shape[1]):
        total[:, k] = np.bincount(edges[:, 0], values[edges[:, 1], k], len(values))
        total[:, k] += np.bincount(edges[:, 1], values[edges[:, 0], k], len(values))
    return total / np.maximum(count, 1.0)[:, None]


def _gradient(field: Field, points: FloatArray, step: float) -> FloatArray:
    shifts = step * np.eye(3)
    return np.stack([(field(points + s) - field(points - s)) / (2.0 * step) for s in shifts], axis=1)


def _sample(field: Field, lower: FloatArray, upper: FloatArray, spacing: float) -> FloatArray:
    """Field on a grid, exact near the surface only: far points take the value of a coarse neighbour."""
    stride = 4
    counts = stride * np.ceil((upper - lower) / (stride * spacing)).astype(int)
    axes = [lo + spacing * np.arange(n) for lo, n in zip(lower, counts, strict=True)]
    centre = 0.5 * (stride - 1) * spacing
    coarse_grid = np.stack(np.meshgrid(*(a[::stride] + centre for a in axes), indexing="ij"), axis=-1)
    values = field(coarse_grid.reshape(-1, 3)).reshape(coarse_grid.shape[:3])
    for axis in range(3):
        values = np.repeat(values, stride, axis=axis)
    # The fields are near to distances: within twice a block's half diagonal a sign may change.
    near = np.argwhere(np.abs(values) < 2.0 * np.sqrt(3.0) * (centre + 0.5 * spacing))
    values[tuple(near.T)] = field(lower + spacing * near)
    return values


def _net(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Vertices in cell units and quadrilaterals, outward for a field that is negative inside."""
    inside = values < 0.0
    shape = np.array(values.shape)
    cells = shape - 1
    total, count = np.zeros((*cells, 3)), np.zeros(cells)
    edges = []
    for axis in range(3):
        low = np.moveaxis(inside, axis, 0)[:-1]
        high = np.moveaxis(inside, axis, 0)[1:]
        index = np.argwhere(np.moveaxis(low != high, 0, axis))
        upper = index.copy()
        upper[:, axis] += 1
        v0, v1 = values[tuple(index.T)], values[tuple(upper.T)]
        crossing = index.astype(float)
        crossing[:, axis] += v0 / (v0 - v1)
        edges.append((axis, index, inside[tuple(index.T)]))
        others = [k for k in range(3) if k != axis]
        for i in (0, -1):
            for j in (0, -1):
                cell = index.copy()
                cell[:, others[0]] += i
                cell[:, others[1]] += j
                valid = ((cell >= 0) & (cell < cells)).all(axis=1)
                np.add.at(total, tuple(cell[valid].T), crossing[valid])
                np.add.at(count, tuple(cell[valid].T), 1.0)
    numbers = np.full(cells, -1)
    used = count > 0
    numbers[used] = np.arange(used.sum())
    quads = []
    for axis, index, starts_inside in edges:
        u, v = (axis + 1) % 3, (axis + 2) % 3
        corners = []
        for i, j in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
            cell = index.copy()
            cell[:, u] += i
            cell[:, v] += j
            corners.append(numbers[tuple(cell.T)])
        quad = np.column_stack(corners)
        quads.append(np.where(starts_inside[:, None], quad, quad[:, ::-1]))
    return total[used] / count[used][:, None], np.concatenate(quads)


def surface_net(
    field: Field, lower: ArrayLike, upper: ArrayLike, spacing: float, *, smoothing: int = 4
) -> tuple[FloatArray, IntArray]:
    """Mesh the surface where a field is zero.

    Args:
        field: maps points (n, 3) to values (n,), negative inside.
        lower: corner of the box [m], outside the solid, shape (3,).
        upper: opposite corner [m].
        spacing: of the grid, about the mesh's edge length [m].
        smoothing: rounds of tangential smoothing and projection.
    Returns:
        Vertices (n, 3) on the surface and outward triangles (m, 3).
    """
    lower, upper = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    values = _sample(field, lower, upper, spacing)
    for face in (values[0], values[-1], values[:, 0], values[:, -1], values[:, :, 0], values[:, :, -1]):
        if not (face > 0.0).all():
            raise ValueError("lower, upper: the box cuts the solid; give a larger one")
    vertices, quads = _net(values)
    vertices = lower + spacing * vertices
    diagonal = np.linalg.norm(vertices[quads[:, 0]] - vertices[quads[:, 2]], axis=1)
    shorter = (diagonal <= np.linalg.norm(vertices[quads[:, 1]] - vertices[quads[:, 3]], axis=1))[:, None]
    first = np.where(shorter, quads[:, [0, 1, 2]], quads[:, [0, 1, 3]])
    second = np.where(shorter, quads[:, [0, 2, 3]], quads[:, [1, 2, 3]])
    triangles = np.concatenate([first, second])
    edges = unique_edges(triangles)
    for _ in range(smoothing + 1):
        gradient = _gradient(field, vertices, 0.1 * spacing)
        squared = np.maximum((gradient**2).sum(axis=1), 0.05)
        step = (field(vertices) / squared)[:, None] * gradient
        vertices = vertices - np.clip(step, -spacing, spacing)
        if _ < smoothing:
            normal = gradient / np.sqrt(squared)[:, None]
            shift = mean_over_neighbours(vertices, edges) - vertices
            vertices = vertices + 0.5 * (shift - (shift * normal).sum(axis=1, keepdims=True) * normal)
    return vertices, triangles
