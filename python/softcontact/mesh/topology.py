# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edges, components and windings of a triangle mesh, in vectorised numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

# Faces of a tetrahedron (a, b, c, d) of positive volume, seen from outside counter-clockwise.
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@dataclass(frozen=True)
class EdgeTable:
    """The undirected edges of a triangle mesh.

    Attributes:
        vertices: (e, 2) vertex indices, smaller first.
        count: (e,) number of triangle sides on each edge: 1 open, 2 regular, more non-manifold.
        edge_of_side: (3 m,) edge of side k of triangle t at position 3 t + k (side k: vertex k to k+1).
        forward: (3 m,) whether that side runs from the smaller to the larger vertex index.
    """

    vertices: np.ndarray
    count: np.ndarray
    edge_of_side: np.ndarray
    forward: np.ndarray

    @property
    def open_edges(self) -> np.ndarray:
        """Indices of the edges with one triangle."""
        return np.flatnonzero(self.count == 1)

    @property
    def nonmanifold_edges(self) -> np.ndarray:
        """Indices of the edges with more than two triangles."""
        return np.flatnonzero(self.count > 2)

    @property
    def inconsistent_edges(self) -> np.ndarray:
        """Indices of the two-triangle edges that both triangles run through in the same direction."""
        forward = np.bincount(self.edge_of_side, self.forward, len(self.count))
        return np.flatnonzero((self.count == 2) & (forward != 1))


def edge_table(triangles: np.ndarray) -> EdgeTable:
    """Collect the undirected edges of triangles (m, 3)."""
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    vertices, inverse, count = np.unique(
        np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    return EdgeTable(vertices, count, np.ravel(inverse), sides[:, 0] < sides[:, 1])


def triangle_pairs(edges: EdgeTable) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of triangles across the two-triangle edges.

    Returns:
        pairs (k, 2) of triangle indices, and opposed (k,): True where the two triangles run through the edge
        in opposite directions, as the triangles of an oriented surface do.
    """
    order = np.argsort(edges.edge_of_side, kind="stable")
    regular = order[edges.count[edges.edge_of_side[order]] == 2].reshape(-1, 2)
    return regular // 3, edges.forward[regular[:, 0]] != edges.forward[regular[:, 1]]


def components(triangles: np.ndarray, edges: EdgeTable | None = None) -> tuple[int, np.ndarray]:
    """Label triangles joined through any shared edge.

    Returns:
        Number of components and label (m,) of each triangle.
    """
    edges = edge_table(triangles) if edges is None else edges
    triangle_count, edge_count = len(triangles), len(edges.count)
    sides = np.arange(3 * triangle_count) // 3
    graph = coo_matrix(
        (np.ones(len(sides), np.int8), (sides, triangle_count + edges.edge_of_side)),
        shape=(triangle_count + edge_count,) * 2,
    )
    count, label = connected_components(graph, directed=False)
    return count, label[:triangle_count]


def flips_for_consistency(triangles: np.ndarray) -> np.ndarray | None:
    """Triangles to turn so that neighbours run through their shared edges in opposite directions.

    Each triangle appears twice in a graph, as it is and turned; a link joins compatible states. The surface
    is orientable when no triangle's two states are connected. In each component the smaller set is turned.

    Returns:
        (m,) bool, or None for a surface that cannot be oriented (a Möbius strip).
    """
    count = len(triangles)
    pairs, opposed = triangle_pairs(edge_table(triangles))
    first, second = pairs.T
    same, turned = np.where(opposed, second, second + count), np.where(opposed, second + count, second)
    graph = coo_matrix(
        (
            np.ones(2 * len(pairs), np.int8),
            (np.concatenate([first, first + count]), np.concatenate([same, turned])),
        ),
        shape=(2 * count, 2 * count),
    )
    number, label = connected_components(graph, directed=False)
    as_is, other = label[:count], label[count:]
    if np.any(as_is == other):
        return None
    # A component of the surface is two sheets of the graph; keep the sheet with more triangles as they are.
    votes = np.bincount(as_is, minlength=number)
    return (votes[as_is] < votes[other]) | ((votes[as_is] == votes[other]) & (as_is > other))


def tetrahedra_boundary(tetrahedra: np.ndarray) -> np.ndarray:
    """Outward triangles (k, 3) of the faces that belong to one tetrahedron only.

    Args:
        tetrahedra: (m, 4) node indices with positive volume.
    """
    faces = tetrahedra[:, TETRAHEDRON_FACES].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(first[count == 1])]


def triangulate_quads(points: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Split quads (m, 4) on the diagonal that keeps both halves facing as it does; the shorter if both do."""
    a, b, c, d = (points[quads[:, k]] for k in range(4))
    normal = np.cross(c - a, d - b)

    def worst(*halves: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        return np.min([np.einsum("ij,ij->i", np.cross(q - p, r - p), normal) for p, q, r in halves], axis=0)

    along_ac, along_bd = worst((a, b, c), (a, c, d)), worst((a, b, d), (b, c, d))
    shorter_ac = np.linalg.norm(c - a, axis=1) <= np.linalg.norm(d - b, axis=1)
    use_ac = np.where((along_ac > 0) & (along_bd > 0), shorter_ac, along_ac >= along_bd)
    halves = np.where(
        use_ac[:, None, None], quads[:, [[0, 1, 2], [0, 2, 3]]], quads[:, [[0, 1, 3], [1, 2, 3]]]
    )
    return halves.reshape(-1, 3)


def triangulate_polygon(points: np.ndarray, polygon: list[int]) -> list[list[int]]:
    """Cut one polygon, convex or not, into triangles by ear clipping in its mean plane, largest ear first."""
    corners = points[polygon]
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    axis = int(np.argmax(np.abs(normal)))
    flat = np.delete(corners, axis, axis=1)
    if normal[axis] * (-1) ** axis < 0:  # seen from behind: mirror it, so that the ring turns left
        flat[:, 0] *= -1.0

    def turn(p: int, q: int, r: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = flat[p], flat[q], flat[r]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    def is_ear(p: int, q: int, r: int) -> bool:
        return not any(
            turn(p, q, s) >= 0 and turn(q, r, s) >= 0 and turn(r, p, s) >= 0
            for s in ring
            if s not in (p, q, r)
        )

    ring = list(range(len(polygon)))
    triangles = []
    while len(ring) > 3:
        corners_of = [(ring[k - 1], ring[k], ring[(k + 1) % len(ring)]) for k in range(len(ring))]
        by_area = sorted(range(len(ring)), key=lambda k: -turn(*corners_of[k]))
        # A self-crossing ring may have no ear: cut its largest corner, the check afterwards tells.
        ear = next((k for k in by_area if turn(*corners_of[k]) > 0 and is_ear(*corners_of[k])), by_area[0])
        triangles.append([polygon[k] for k in corners_of[ear]])
        del ring[ear]
    return [*triangles, [polygon[k] for k in ring]]
