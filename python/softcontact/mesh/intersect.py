# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a surface cross itself? Pairs by a sweep over bounding boxes, then segment against triangle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .topology import EdgeTable, components, edge_table, triangle_pairs

_PAIRS_AT_ONCE = 1 << 21  # candidate pairs kept in memory at a time
_INSIDE = 1e-7  # barycentric margin and relative height: touching is not crossing


def self_intersections(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Pairs of triangles that cross, or that are folded flat onto each other along their shared edge.

    Triangles that only touch (shared vertices, faces resting on each other) are not reported.

    Args:
        vertices: (n, 3).
        triangles: (m, 3).
    Returns:
        (k, 2) triangle indices.
    """
    found = [_folded_pairs(vertices, triangles)]
    for pairs in _overlapping_boxes(vertices[triangles]):
        first, second = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
        shared = (first[:, :, None] == second[:, None, :]).sum(axis=(1, 2))
        pairs = pairs[shared < 2]  # two with a common side meet there only, or fold
        if len(pairs):
            p, q = vertices[triangles[pairs[:, 0]]], vertices[triangles[pairs[:, 1]]]
            found.append(pairs[_side_pierces(p, q) | _side_pierces(q, p)])
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def crossing_components(
    vertices: np.ndarray, triangles: np.ndarray, edges: EdgeTable
) -> list[tuple[int, int]]:
    """Pairs of closed components, one partly inside the other.

    Finds overlaps that the segment test leaves out on purpose because all sides meet on edges, such as two
    boxes with flush faces. Triangle centroids, drawn slightly into their own body, are tested.
    """
    count, label = components(triangles, edges)
    if count < 2:
        return []
    corners = vertices[triangles]
    low = np.array([corners[label == k].min(axis=(0, 1)) for k in range(count)])
    high = np.array([corners[label == k].max(axis=(0, 1)) for k in range(count)])
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.sqrt(np.linalg.norm(normal, axis=1, keepdims=True))
    inner = corners.mean(axis=1) - 1e-3 * normal / np.where(size > 0, size, 1.0)
    overlap = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    pairs = []
    for k in range(count):
        own = np.flatnonzero(label == k)
        own = own[:: max(1, len(own) // 200)]
        for other in np.flatnonzero(overlap[k]):
            if k == other:
                continue
            inside = np.abs(winding_numbers(inner[own], corners[label == other])) > 0.5
            if inside.any() and not inside.all():
                pairs.append((min(k, int(other)), max(k, int(other))))
    return sorted(set(pairs))


def winding_numbers(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How often a closed surface encloses each point: +1 inside an outward surface, 0 outside.

    Args:
        points: (k, 3).
        corners: (m, 3, 3) triangles.
    Source: Van Oosterom and Strackee 1983, The solid angle of a plane triangle, IEEE TBME 30(2), eq. (8).
    """
    result = np.empty(len(points))
    step = max(1, 1_000_000 // max(1, len(corners)))
    for start in range(0, len(points), step):
        a, b, c = (corners[None, :, k] - points[start : start + step, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        volume = np.einsum("kmi,kmi->km", a, np.cross(b, c))
        bottom = la * lb * lc + lc * (a * b).sum(2) + la * (b * c).sum(2) + lb * (c * a).sum(2)
        result[start : start + step] = np.arctan2(volume, bottom).sum(axis=1) / (2.0 * np.pi)
    return result


def _folded_pairs(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Neighbours on the same side of their shared edge, in one plane."""
    pairs, opposed = triangle_pairs(edge_table(triangles))
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    cosine = np.einsum("ij,ij->i", normal[pairs[:, 0]], normal[pairs[:, 1]]) * np.where(opposed, 1.0, -1.0)
    return pairs[cosine < -(1.0 - 1e-12) * length[pairs[:, 0]] * length[pairs[:, 1]]]


def _overlapping_boxes(corners: np.ndarray) -> Iterator[np.ndarray]:
    """Pairs (k, 2) of triangles whose bounding boxes overlap, in bundles; a sweep along the longest axis."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    axis = int(np.argmax(high.max(axis=0) - low.min(axis=0)))
    others = [k for k in range(3) if k != axis]
    order = np.argsort(low[:, axis], kind="stable")
    low, high = low[order], high[order]
    stop = np.searchsorted(low[:, axis], high[:, axis], side="right")
    length = stop - np.arange(len(order)) - 1
    ends = np.cumsum(length)
    start = 0
    while start < len(order):
        done = ends[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(ends, done + _PAIRS_AT_ONCE, side="right")))
        rows = np.repeat(np.arange(start, end), length[start:end])
        first_of_row = np.repeat(ends[start:end] - length[start:end] - done, length[start:end])
        partners = rows + 1 + np.arange(len(rows)) - first_of_row
        for k in others:  # one axis after the other: the second test sees the few that pass the first
            keep = (low[rows, k] <= high[partners, k]) & (low[partners, k] <= high[rows, k])
            rows, partners = rows[keep], partners[keep]
        if len(rows):
            yield np.column_stack([order[rows], order[partners]])
        start = end


def _side_pierces(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Whether a side of triangle p (k, 3, 3) passes through the interior of triangle q (k, 3, 3)."""
    a, b, c = q[:, 0], q[:, 1], q[:, 2]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    height = np.einsum("kij,kj->ki", p - a[:, None], normal)
    margin = _INSIDE * length[:, None] * np.linalg.norm(p - a[:, None], axis=2).max(axis=1, keepdims=True)
    above, below = height > margin, height < -margin
    hit = np.zeros(len(p), dtype=bool)
    for k in range(3):
        start, end = k, (k + 1) % 3
        crosses = (above[:, start] & below[:, end]) | (below[:, start] & above[:, end])
        rows = np.flatnonzero(crosses & ~hit)
        if not len(rows):
            continue
        h0, h1 = height[rows, start], height[rows, end]
        point = p[rows, start] + (h0 / (h0 - h1))[:, None] * (p[rows, end] - p[rows, start])
        inside = np.ones(len(rows), dtype=bool)
        for u, v in ((a, b), (b, c), (c, a)):
            area = np.einsum("ij,ij->i", np.cross(v[rows] - u[rows], point - u[rows]), normal[rows])
            inside &= area > _INSIDE * length[rows] ** 2
        hit[rows] = inside
    return hit
