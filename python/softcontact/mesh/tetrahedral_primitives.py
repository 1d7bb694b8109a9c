# SPDX-License-Identifier: LGPL-2.1-or-later
"""Structured tetrahedral meshes of simple soft bodies, centred at the origin."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from .primitives import icosahedron, integer_triple, positive_length, positive_triple, whole_number
from .tetrahedral_mesh import TetrahedralMesh

# A unit cell has corner number 4 x + 2 y + z.
_SIX = np.array([[0, 4 >> p, (4 >> p) | (4 >> q), 7] for p, q, _ in itertools.permutations(range(3))])
_FIVE = np.array([[0, 4, 2, 1], [6, 2, 4, 7], [5, 4, 1, 7], [3, 1, 2, 7], [4, 2, 1, 7]])
# Faces of a unit cell, corners in circular order: at x = 0 and 1, y = 0 and 1, z = 0 and 1.
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def tetrahedral_box(
    size: Sequence[float] | float = 0.05,
    divisions: Sequence[int] | int = 4,
    pattern: int = 5,
    name: str = "soft box",
) -> TetrahedralMesh:
    """A box of cells cut into tetrahedra.

    Args:
        size: three side lengths, or one for a cube [m].
        divisions: cells along x, y, z, or one number for all.
        pattern: tetrahedra a cell.
            5: cells mirrored one to the next. The box is its own mirror image in each axis with an even number of
            cells, and keeps its shape under half a turn about an axis when the other two both have even or both
            odd numbers. A cell is stiff alike along x, y and z and couples no pressure with shear, whatever the
            numbers.
            6: all alike, along one diagonal: stiffer in that direction, and pressed it shears.
            24: with nodes at the centres of cells and faces: its own mirror image in every axis for any numbers,
            at about five times the nodes.
    """
    sides = positive_triple(size, "size")
    counts = integer_triple(divisions, "divisions")
    if pattern not in (5, 6, 24):
        raise ValueError(f"pattern must be 5, 6 or 24 tetrahedra a cell, got {pattern}")
    grid = np.stack(np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij"), axis=-1)
    node = np.arange(grid[..., 0].size).reshape(grid.shape[:3])
    cells = np.stack(
        [
            node[x : x + counts[0], y : y + counts[1], z : z + counts[2]]
            for x, y, z in itertools.product((0, 1), repeat=3)
        ],
        axis=-1,
    ).reshape(-1, 8)
    places = grid.reshape(-1, 3).astype(float)
    if pattern == 6:
        tetrahedra = cells[:, _SIX]
    elif pattern == 24:
        places, tetrahedra = _centred_cells(places, cells)
    else:
        odd = (
            np.sum(
                np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1), axis=-1
            ).ravel()
            % 2
        )
        # Corner numbers with x mirrored: the face diagonals of neighbouring cells then meet.
        tetrahedra = np.where(odd[:, None, None] == 1, cells[:, _FIVE ^ 4], cells[:, _FIVE])
    # From the middle, so that places of opposite nodes are each other's mirror images to the bit.
    nodes = (places - 0.5 * np.array(counts)) * (np.array(sides) / counts)
    return TetrahedralMesh(nodes, tetrahedra.reshape(-1, 4), name)


def _centred_cells(places: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes with those at the centres of cells and faces, and 24 tetrahedra a cell (m, 24, 4)."""
    faces = cells[:, _FACES]
    rings, of = np.unique(np.sort(faces.reshape(-1, 4), axis=1), axis=0, return_inverse=True)
    nodes = np.concatenate([places, places[cells].mean(axis=1), places[rings].mean(axis=1)])
    centre = len(places) + np.arange(len(cells))
    on_face = len(places) + len(cells) + np.reshape(of, (len(cells), 6))
    tetrahedra = [
        np.stack([faces[:, f, k], faces[:, f, (k + 1) % 4], on_face[:, f], centre], axis=1)
        for f in range(6)
        for k in range(4)
    ]
    return nodes, np.stack(tetrahedra, axis=1)


def tetrahedral_ball(radius: float = 0.03, divisions: int = 5, name: str = "soft ball") -> TetrahedralMesh:
    """A ball of 20 divisions³ tetrahedra whose surface is the geodesic sphere of the same frequency.

    The 20 tetrahedra of an icosahedron and its centre are cut into lattices; shell k is drawn onto the sphere
    of radius k / divisions. The four tetrahedra of each octahedron of the lattice share a shortest diagonal.

    Args:
        radius: [m].
        divisions: shells.
    """
    positive_length(radius, "radius")
    n = whole_number(divisions, "divisions", 1)
    corners, faces = icosahedron()
    lattice = np.array([w for w in itertools.product(range(n + 1), repeat=4) if sum(w) == n])
    # A node is named by its integer weights on the centre and the 12 corners: exact welding.
    names = np.zeros((len(faces), len(lattice), 13), dtype=np.int64)
    names[:, :, 12] = lattice[:, 0]
    np.put_along_axis(
        names, np.broadcast_to(faces[:, None], (20, len(lattice), 3)), lattice[None, :, 1:], axis=2
    )
    unique, inverse = np.unique(names.reshape(-1, 13), axis=0, return_inverse=True)
    directions = unique[:, :12] @ corners
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    shell = (n - unique[:, 12:]) / n
    nodes = radius * shell * np.divide(directions, length, out=np.zeros_like(directions), where=length > 0)
    index = {tuple(w): k for k, w in enumerate(lattice.tolist())}
    number = np.reshape(inverse, (20, -1))
    simplices = [number[:, [index[w] for w in t]] for t in _lattice_tetrahedra(n)]
    octahedra = [number[:, [index[w] for w in o]] for o in _lattice_octahedra(n)]
    parts = [np.stack(simplices, axis=1).reshape(-1, 4)]
    if octahedra:
        parts.append(_cut_octahedra(nodes, np.stack(octahedra, axis=1).reshape(-1, 6)))
    return TetrahedralMesh(nodes, np.concatenate(parts), name)


def tetrahedral_cylinder(
    radius: float = 0.03, height: float = 0.02, rings: int = 4, layers: int = 3, name: str = "soft cylinder"
) -> TetrahedralMesh:
    """A disc or cylinder along z: prisms over 6 rings² triangles in a hexagonal pattern, cut in three.

    Args:
        radius, height: [m].
        rings: rings of triangles around the axis; the rim has 6 rings nodes.
        layers: prisms along z.
    """
    positive_length(radius, "radius")
    positive_length(height, "height")
    rings, layers = whole_number(rings, "rings", 1), whole_number(layers, "layers", 1)
    disc, triangles = _hexagonal_disc(rings)
    z = height * (np.arange(layers + 1) / layers - 0.5)
    nodes = np.concatenate([np.column_stack([radius * disc, np.full(len(disc), h)]) for h in z])
    # Side faces are cut from the lower end of the smaller node number: neighbours cut the shared face alike.
    a, b, c = np.sort(triangles, axis=1).T
    up = len(disc)
    prism = (
        np.stack([[a, b, c, c + up], [a, b, c + up, b + up], [a, b + up, c + up, a + up]])
        .transpose(2, 0, 1)
        .reshape(-1, 4)
    )
    return TetrahedralMesh(nodes, np.concatenate([prism + k * up for k in range(layers)]), name)


def _plus(base: Sequence[int], *axes: int) -> tuple[int, ...]:
    point = list(base)
    for axis in axes:
        point[axis] += 1
    return tuple(point)


def _bases(total: int) -> list[tuple[int, ...]]:
    return [w for w in itertools.product(range(max(total, -1) + 1), repeat=4) if sum(w) == total]


def _lattice_tetrahedra(n: int) -> list[list[tuple[int, ...]]]:
    upright = [[_plus(w, k) for k in range(4)] for w in _bases(n - 1)]
    inverted = [[_plus(w, *axes) for axes in itertools.combinations(range(4), 3)] for w in _bases(n - 3)]
    return upright + inverted


def _lattice_octahedra(n: int) -> list[list[tuple[int, ...]]]:
    # Opposite corners are at positions 0 and 5, 1 and 4, 2 and 3.
    return [[_plus(w, *axes) for axes in itertools.combinations(range(4), 2)] for w in _bases(n - 2)]


def _cut_octahedra(nodes: np.ndarray, octahedra: np.ndarray) -> np.ndarray:
    diagonals = np.array([[0, 5], [1, 4], [2, 3]])
    length = np.linalg.norm(
        nodes[octahedra[:, diagonals[:, 0]]] - nodes[octahedra[:, diagonals[:, 1]]], axis=2
    )
    # A relative rounding to 1e-9 keeps the choice among equal diagonals the same on every machine.
    choice = np.argmin(np.round(length / length.max(), 9), axis=1)
    cuts = []
    for k in range(3):
        p, q = diagonals[k]
        (r, s), (t, u) = diagonals[(k + 1) % 3], diagonals[(k + 2) % 3]
        cuts.append([[p, q, r, t], [p, q, t, s], [p, q, s, u], [p, q, u, r]])
    return np.take_along_axis(octahedra, np.array(cuts)[choice].reshape(len(octahedra), -1), axis=1).reshape(
        -1, 4
    )


def _hexagonal_disc(rings: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (1 + 3 r (r + 1), 2) of the unit disc, 6 k of them on ring k, and triangles (6 r², 3)."""
    nodes = [np.zeros((1, 2))]
    triangles = []
    start = [0] + [1 + 3 * k * (k - 1) for k in range(1, rings + 1)]
    for k in range(1, rings + 1):
        angle = 2.0 * np.pi * np.arange(6 * k) / (6 * k)
        nodes.append(k / rings * np.column_stack([np.cos(angle), np.sin(angle)]))

        def inner(i: int, k: int = k) -> int:
            return start[k - 1] + i % max(1, 6 * (k - 1))

        def outer(i: int, k: int = k) -> int:
            return start[k] + i % (6 * k)

        for sector in range(6):
            for i in range(k):
                o, n = sector * k + i, sector * (k - 1) + i
                triangles.append([inner(n), outer(o), outer(o + 1)])
                if i < k - 1:
                    triangles.append([inner(n), outer(o + 1), inner(n + 1)])
    return np.concatenate(nodes), np.array(triangles)
