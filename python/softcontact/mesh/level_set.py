# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tetrahedra inside a level set: a lattice drawn onto the surface and cut along it, the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .errors import MeshError
from .primitives import positive_length
from .surface_mesh import SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh

LevelSet = Callable[[np.ndarray], np.ndarray]

_NEAR_LONG, _NEAR_SHORT = 0.24999, 0.41189  # Labelle & Shewchuk 2007, Table 1: safe for both kinds of edges
_BISECTIONS = 30  # an edge is halved to a billionth
_MOST_CELLS = 400_000
_CRUMBS = 0.01  # share of the volume


def fill_level_set(
    function: LevelSet, low: Sequence[float], high: Sequence[float], cell: float, name: str = "level set"
) -> TetrahedralMesh:
    """Tetrahedra where a function is negative, their boundary on its zero.

    A body-centred cubic lattice is laid over the box. Lattice nodes that lie near a zero on one of their edges
    move there; the edges that still cross the zero are cut, and what lies inside is kept. A shared face is cut
    alike from both sides, by an order of the nodes. Crumbs that come off at tips thinner than a cell are dropped.

    Args:
        function: takes points (n, 3) [m]; negative inside, continuous.
        low, high: corners of a box that holds the body [m].
        cell: edge of the cubic cells [m]; a part thinner than this may be lost.
        name: for messages.
    Raises:
        ValueError: cell not > 0, or so small that the lattice has more than 400 000 cells.
        MeshError: the box holds nothing of the inside, the inside reaches its border or falls into pieces, or its
            boundary is not a closed surface that touches itself nowhere.
    Source: Labelle and Shewchuk 2007, Isosurface Stuffing, ACM Trans. Graph. 26(3), 57; differs by: the cut
        faces' diagonals follow the values of the function, not the parity of the lattice.
    """
    positive_length(cell, "cell")
    nodes, tetrahedra = _lattice(np.asarray(low, dtype=float), np.asarray(high, dtype=float), cell)
    value = np.asarray(function(nodes), dtype=float)
    border = np.flatnonzero((value < 0.0) & _on_border(nodes))
    if len(border):
        raise MeshError(name, "the body reaches the border of its box", "make the box larger")
    touched = (value[tetrahedra] < 0.0).any(axis=1)
    if not touched.any():
        raise MeshError(
            name, f"no lattice node of {1e3 * cell:.3g} mm cells lies inside", "use smaller cells"
        )
    tetrahedra = tetrahedra[touched]
    nodes, value, cuts = _warped(function, nodes, value, tetrahedra)
    tetrahedra = _cut(nodes, value, tetrahedra, cuts)
    if not len(tetrahedra):
        raise MeshError(
            name,
            f"nothing is left of it in {1e3 * cell:.3g} mm cells, it is thinner than they are",
            "use smaller cells; of a hollow shell, give the outer surface alone",
        )
    tetrahedra = _largest_piece(nodes, tetrahedra, name)
    used, tetrahedra = np.unique(tetrahedra, return_inverse=True)
    mesh = TetrahedralMesh(nodes[used], tetrahedra.reshape(-1, 4), name)
    _check_boundary(mesh, cell)
    return mesh


def fill_surface(surface: SurfaceMesh, cell: float) -> TetrahedralMesh:
    """Tetrahedra inside a closed surface, cut from a lattice: sharp edges come out rounded by about a cell.

    Args:
        surface: closed surface [m].
        cell: edge of the lattice's cells [m].
    Raises:
        MeshError: an open surface, or as in fill_level_set.
        ValueError: as in fill_level_set.
    """
    from softcontact._core import Surface

    if not surface.is_closed:
        raise MeshError(surface.name, "the surface is not closed", "load it with load_mesh, which says where")
    core = Surface(np.array(surface.vertices), np.array(surface.triangles, dtype=np.int32))
    low, high = surface.bounds
    return fill_level_set(
        lambda points: np.asarray(core.signed_distance(points)[0]),
        low - 1.5 * cell,
        high + 1.5 * cell,
        cell,
        surface.name,
    )


def _lattice(low: np.ndarray, high: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and tetrahedra: two neighbouring cell centres and an edge of the face between them."""
    counts = np.maximum(1, np.ceil((high - low) / cell - 1e-9).astype(np.int64))
    if np.prod(counts.astype(float)) > _MOST_CELLS:
        raise ValueError(
            f"cell {cell:g} m makes {np.prod(counts.astype(float)):.3g} cells, more than {_MOST_CELLS}; make it larger"
        )
    low = 0.5 * (low + high) - 0.5 * cell * counts
    corner = np.arange(np.prod(counts + 1)).reshape(counts + 1)
    centre = corner.size + np.arange(np.prod(counts)).reshape(counts)
    nodes = np.concatenate(
        [
            low + cell * np.stack(np.meshgrid(*map(np.arange, counts + 1), indexing="ij"), -1).reshape(-1, 3),
            low
            + cell * (np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), -1) + 0.5).reshape(-1, 3),
        ]
    )
    parts = []
    for axis in range(3):
        c = np.moveaxis(centre, axis, 0)
        f = np.moveaxis(corner, axis, 0)[1:-1]
        first, second = c[:-1].ravel(), c[1:].ravel()
        ring = [f[:, :-1, :-1], f[:, 1:, :-1], f[:, 1:, 1:], f[:, :-1, 1:]]
        for k in range(4):
            parts.append(np.column_stack([first, second, ring[k].ravel(), ring[(k + 1) % 4].ravel()]))
    return nodes, np.concatenate(parts)


def _on_border(nodes: np.ndarray) -> np.ndarray:
    # The outermost half cell has corners only: the tetrahedra end at the centres of the border's cells.
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    unique = np.unique(nodes[:, 0])
    half = unique[1] - unique[0]
    return ((nodes < low + 1.5 * half) | (nodes > high - 1.5 * half)).any(axis=1)


def _edges(tetrahedra: np.ndarray) -> np.ndarray:
    pairs = tetrahedra[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2)
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _warped(
    function: LevelSet, nodes: np.ndarray, value: np.ndarray, tetrahedra: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict[tuple[int, int], int]]:
    """Nodes with near ones moved onto the zero (their value 0) and the cut points appended, by edge."""
    edges = _edges(tetrahedra)
    crossing = edges[(value[edges[:, 0]] < 0.0) != (value[edges[:, 1]] < 0.0)]
    inner = np.where(value[crossing[:, 0]] < 0.0, crossing[:, 0], crossing[:, 1])
    outer = crossing.sum(axis=1) - inner
    share = _zeros(function, nodes[inner], nodes[outer])
    point = nodes[inner] + share[:, None] * (nodes[outer] - nodes[inner])
    length = np.linalg.norm(nodes[outer] - nodes[inner], axis=1)
    near = np.where(length > 0.99 * length.max(initial=0.0), _NEAR_LONG, _NEAR_SHORT)
    end = np.concatenate([inner, outer])
    distance = np.concatenate([share, 1.0 - share]) / np.tile(near, 2)
    close = np.flatnonzero(distance < 1.0)
    close = close[np.lexsort((close, distance[close], end[close]))]
    movers, first = np.unique(end[close], return_index=True)
    nodes, value = nodes.copy(), value.copy()
    nodes[movers] = np.tile(point, (2, 1))[close[first]]
    value[movers] = 0.0
    left = np.flatnonzero((value[inner] < 0.0) & (value[outer] > 0.0))
    numbers = {(int(inner[k]), int(outer[k])): len(nodes) + i for i, k in enumerate(left)}
    return np.concatenate([nodes, point[left]]), np.concatenate([value, np.zeros(len(left))]), numbers


def _zeros(function: LevelSet, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    low, high = np.zeros(len(inner)), np.ones(len(inner))
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        inside = np.asarray(function(inner + middle[:, None] * (outer - inner))) < 0.0
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return 0.5 * (low + high)


def _cut(
    nodes: np.ndarray, value: np.ndarray, tetrahedra: np.ndarray, cuts: dict[tuple[int, int], int]
) -> np.ndarray:
    kept = []
    for tetrahedron in tetrahedra.tolist():
        inside = [n for n in tetrahedron if value[n] < 0.0]
        outside = [n for n in tetrahedron if value[n] > 0.0]
        if not inside:
            continue
        if not outside:
            kept.append(tetrahedron)
            continue
        # Diagonals of cut faces start at the shallower of their two inner nodes: the shorter of both mostly.
        inside.sort(key=lambda n: (-value[n], n))
        zero = [n for n in tetrahedron if value[n] == 0.0]
        cut = {(a, b): cuts[a, b] for a in inside for b in outside}
        if len(inside) == 1:
            kept.append([inside[0], *zero, *(cut[inside[0], b] for b in outside)])
        elif len(inside) == 3:
            (a, b, c), (d,) = inside, outside
            ad, bd, cd = cut[a, d], cut[b, d], cut[c, d]
            kept += [[a, b, c, cd], [a, b, cd, bd], [a, bd, cd, ad]]
        elif len(outside) == 1:
            (a, b), (d,), (z,) = inside, outside, zero
            kept += [[a, b, z, cut[b, d]], [a, cut[b, d], z, cut[a, d]]]
        else:
            (a, b), (c, d) = inside, outside
            ac, ad, bc, bd = cut[a, c], cut[a, d], cut[b, c], cut[b, d]
            kept.append([a, b, bc, bd])
            # The quadrilateral on the surface belongs to this tetrahedron alone: its shorter diagonal.
            if np.linalg.norm(nodes[ac] - nodes[bd]) <= np.linalg.norm(nodes[ad] - nodes[bc]):
                kept += [[a, ac, bc, bd], [a, ac, bd, ad]]
            else:
                kept += [[a, ac, bc, ad], [a, bc, bd, ad]]
    return np.array(kept, dtype=np.int64)


def _largest_piece(nodes: np.ndarray, tetrahedra: np.ndarray, name: str) -> np.ndarray:
    faces = np.sort(tetrahedra[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3), axis=1)
    _, number = np.unique(faces, axis=0, return_inverse=True)
    order = np.argsort(number.ravel(), kind="stable")
    same = np.flatnonzero(np.diff(number.ravel()[order]) == 0)
    pairs = order[np.stack([same, same + 1])] // 4
    count = len(tetrahedra)
    graph = coo_matrix((np.ones(pairs.shape[1], np.int8), pairs), shape=(count, count))
    pieces, label = connected_components(graph, directed=False)
    corners = nodes[tetrahedra]
    volume = np.bincount(label, np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6.0)
    largest = int(np.argmax(volume))
    if volume[largest] < (1.0 - _CRUMBS) * volume.sum():
        share = 100.0 * volume[largest] / volume.sum()
        raise MeshError(
            name,
            f"it falls into {pieces} pieces, the largest with {share:.3g} % of the volume",
            "give one connected body, or smaller cells where a thin bridge joins its parts",
        )
    return tetrahedra[label == largest]


def _check_boundary(mesh: TetrahedralMesh, cell: float) -> None:
    surface, _ = mesh.surface()
    if not surface.is_closed:
        raise MeshError(
            mesh.name,
            f"cut with {1e3 * cell:.3g} mm cells, the boundary touches itself",
            "use smaller cells: some part is thinner than they are",
        )
