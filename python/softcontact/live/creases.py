# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vertices doubled along sharp edges, so that shading keeps them sharp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

SHARP = np.deg2rad(40.0)


def split_creases(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], angle: float = SHARP
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Give the triangles on both sides of a sharp edge vertices of their own.

    Args:
        vertices: (k, 3) [m].
        triangles: (m, 3).
        angle: between neighbouring triangles' normals that counts as sharp [rad].
    Returns:
        numbers (k',) of the vertices that the new ones follow, and triangles (m, 3) of the new ones.
    """
    corners = np.asarray(triangles, dtype=np.int64)
    sides = vertices[corners[:, 1:]] - vertices[corners[:, :1]]
    normals = np.cross(sides[:, 0], sides[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # Every edge as it goes in each of its triangles: the places of its two ends among all corners.
    first = np.arange(corners.size).reshape(-1, 3)
    starts, ends = first.ravel(), np.roll(first, -1, axis=1).ravel()
    flat = corners.ravel()
    low, high = np.minimum(flat[starts], flat[ends]), np.maximum(flat[starts], flat[ends])
    order = np.lexsort((high, low))
    one, two = order[:-1], order[1:]
    smooth = (low[one] == low[two]) & (high[one] == high[two])
    smooth &= np.einsum("ij,ij->i", normals[one // 3], normals[two // 3]) > np.cos(angle)
    one, two = one[smooth], two[smooth]
    # Neighbours of one direction, as they should be, run along their edge in opposite ways.
    same_way = flat[starts[one]] == flat[starts[two]]
    joined = [(starts[one], np.where(same_way, starts[two], ends[two]))]
    joined.append((ends[one], np.where(same_way, ends[two], starts[two])))
    rows = np.concatenate([pair[0] for pair in joined])
    columns = np.concatenate([pair[1] for pair in joined])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(flat.size, flat.size))
    count, group = connected_components(graph, directed=False)
    source = np.empty(count, dtype=np.int64)
    source[group] = flat
    return source, group.reshape(-1, 3).astype(np.uint32)
