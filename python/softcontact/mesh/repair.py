# SPDX-License-Identifier: LGPL-2.1-or-later
"""Repair that keeps the shape: merge, drop, turn. Holes are never filled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .intersect import winding_numbers
from .topology import components, edge_table, flips_for_consistency

MERGE_RATIO = 1e-6  # of the bounding-box diagonal: vertices nearer than this are one vertex
FLAT_RATIO = 1e-6  # height over longest side: below this a triangle has no area
_FLAT_ROUNDS = 20  # neighbouring zero-area triangles are treated in successive rounds


@dataclass
class Soup:
    """A mesh under repair, with the counts of what was done to it."""

    vertices: np.ndarray
    triangles: np.ndarray
    counts: dict[str, int]

    def count(self, key: str, number: int) -> None:
        self.counts[key] = self.counts.get(key, 0) + int(number)


def repair_soup(vertices: np.ndarray, triangles: np.ndarray) -> Soup:
    """Merge coincident vertices, drop what has no area or is there twice, and turn triangles outwards.

    Closed bodies that touch each other along an edge or a face stay separate: where merging would spoil a
    mesh that is closed as it came, nothing is merged.

    Args:
        vertices: (n, 3) finite float64.
        triangles: (m, 3) valid indices.
    Returns:
        Soup; counts has keys of MeshReport. The mesh may be empty, open or non-manifold: the check follows.
    """
    given = Soup(np.asarray(vertices), np.asarray(triangles), {})
    soup = Soup(given.vertices, given.triangles, {})
    unreferenced = len(given.vertices) - len(np.unique(given.triangles))
    _merge_vertices(soup)
    _drop_collapsed(soup)
    _drop_duplicates(soup)
    _drop_flat(soup)
    _drop_duplicates(soup)
    given_is_fine = _every_edge_joins_two(given) and not flat_triangles(given.vertices, given.triangles).any()
    if given_is_fine and not _every_edge_joins_two(soup):
        soup = given
    soup.count("vertices_unreferenced", unreferenced)
    _renumber(soup)
    if len(soup.triangles):
        _orient(soup)
    return soup


def _every_edge_joins_two(soup: Soup) -> bool:
    return len(soup.triangles) > 0 and bool(np.all(edge_table(soup.triangles).count == 2))


def flat_triangles(vertices: np.ndarray, triangles: np.ndarray, ratio: float = FLAT_RATIO) -> np.ndarray:
    """(m,) bool: triangles lower than ratio times their longest side."""
    corners = vertices[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    longest2 = (sides**2).sum(axis=2).max(axis=1)
    doubled_area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return ~(doubled_area > ratio * longest2)


def _merge_vertices(soup: Soup) -> None:
    points, inverse = np.unique(soup.vertices + 0.0, axis=0, return_inverse=True)
    used = np.unique(np.ravel(inverse)[soup.triangles])
    diagonal = float(np.linalg.norm(np.ptp(points[used], axis=0)))
    close = cKDTree(points).query_pairs(MERGE_RATIO * diagonal, output_type="ndarray")
    number, label = connected_components(
        coo_matrix((np.ones(len(close), np.int8), close.T), shape=(len(points),) * 2), directed=False
    )
    label = label[np.ravel(inverse)]
    representative = np.full(number, len(soup.vertices), dtype=np.int64)
    np.minimum.at(representative, label, np.arange(len(label)))
    merged = representative[label]  # the first vertex of each cluster stays where it is
    referenced = np.unique(soup.triangles)
    soup.count("vertices_merged", len(referenced) - len(np.unique(merged[referenced])))
    soup.triangles = merged[soup.triangles]


def _drop_collapsed(soup: Soup) -> None:
    a, b, c = soup.triangles.T
    keep = (a != b) & (b != c) & (c != a)
    soup.count("triangles_degenerate", np.sum(~keep))
    soup.triangles = soup.triangles[keep]


def _drop_duplicates(soup: Soup) -> None:
    """Keep one of the triangles on the same three vertices, whatever their winding."""
    _, first = np.unique(np.sort(soup.triangles, axis=1), axis=0, return_index=True)
    soup.count("triangles_duplicate", len(soup.triangles) - len(first))
    soup.triangles = soup.triangles[np.sort(first)]


def _drop_flat(soup: Soup) -> None:
    """Drop triangles whose three vertices lie on a line.

    Dropping one (a, b, c), c between a and b, leaves a slit: its neighbour (b, a, d) across the long side
    ends at a and b only. The neighbour is cut at c, into (b, c, d) and (c, a, d), which closes the slit.
    """
    for _ in range(_FLAT_ROUNDS):
        flat = np.flatnonzero(flat_triangles(soup.vertices, soup.triangles))
        if not len(flat):
            return
        if len(flat) == len(soup.triangles):
            break
        table = soup.triangles.tolist()
        owners: dict[tuple[int, int], list[int]] = {}
        for t, triangle in enumerate(table):
            for k in range(3):
                owners.setdefault(_key(triangle[k], triangle[k - 2]), []).append(t)
        touched: set[int] = set()
        dropped: list[int] = []
        added: list[list[int]] = []
        for t in flat.tolist():
            corners = soup.vertices[table[t]]
            lengths = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
            k = int(np.argmax(lengths))
            a, b, c = (table[t][(k + i) % 3] for i in range(3))
            around = {s for i in range(3) for s in owners[_key(table[t][i], table[t][i - 2])]}
            if around & touched:
                continue  # its surroundings changed in this round: look at it again in the next
            neighbours = [s for s in owners[_key(a, b)] if s != t]
            if len(neighbours) == 1:
                other = table[neighbours[0]]
                j = next(i for i in range(3) if {other[i], other[(i + 1) % 3]} == {a, b})
                p, q, d = other[j], other[(j + 1) % 3], other[(j + 2) % 3]
                added += [[p, c, d], [c, q, d]]
                dropped.append(neighbours[0])
                soup.count("edges_turned", 1)
            dropped.append(t)
            touched |= around
            soup.count("triangles_degenerate", 1)
        keep = np.ones(len(table), dtype=bool)
        keep[dropped] = False
        soup.triangles = np.concatenate(
            [soup.triangles[keep], np.array(added, dtype=np.int64).reshape(-1, 3)]
        )
    flat_left = flat_triangles(soup.vertices, soup.triangles)
    soup.count("triangles_degenerate", flat_left.sum())
    soup.triangles = soup.triangles[~flat_left]


def _key(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _renumber(soup: Soup) -> None:
    used, renumbered = np.unique(soup.triangles, return_inverse=True)
    soup.vertices, soup.triangles = soup.vertices[used], np.reshape(renumbered, (-1, 3))


def _orient(soup: Soup) -> None:
    """Neighbours agree, closed components face outwards, those inside another one (cavities) inwards."""
    flips = flips_for_consistency(soup.triangles)
    if flips is None:
        return
    triangles = soup.triangles.copy()
    triangles[flips] = triangles[flips][:, ::-1]
    soup.count("triangles_flipped", flips.sum())
    edges = edge_table(triangles)
    number, label = components(triangles, edges)
    is_open = np.zeros(number, dtype=bool)
    is_open[label[np.flatnonzero(edges.count[edges.edge_of_side] != 2) // 3]] = True
    outward, depth = _signs_and_depths(soup.vertices[triangles], label, np.flatnonzero(~is_open))
    turned = {k for k in outward if outward[k] != (depth[k] % 2 == 0)}
    turn = np.isin(label, list(turned))
    triangles[turn] = triangles[turn][:, ::-1]
    # A component that was flipped mostly and then turned back was simply right: count the net change.
    changed = flips ^ turn
    soup.counts["triangles_flipped"] = 0
    for k in range(number):
        own = label == k
        if changed[own].all():
            soup.count("components_turned", 1)
        else:
            soup.count("triangles_flipped", changed[own].sum())
    soup.count("components", number)
    soup.count("cavities", sum(d % 2 for d in depth.values()))
    soup.triangles = triangles


def _signs_and_depths(
    corners: np.ndarray, label: np.ndarray, closed: np.ndarray
) -> tuple[dict[int, bool], dict[int, int]]:
    """For each closed component: does it face outwards, and how many others enclose it."""
    parts = {int(k): corners[label == k] for k in closed}
    outward, depth = {}, {}
    for k, part in parts.items():
        local = part - part[0, 0]
        outward[k] = float(np.einsum("ij,ij->", local[:, 0], np.cross(local[:, 1], local[:, 2]))) > 0.0
    box = {k: (part.min(axis=(0, 1)), part.max(axis=(0, 1))) for k, part in parts.items()}
    for k, part in parts.items():
        enclosing = [
            j for j in parts if j != k and np.all(box[j][0] < box[k][0]) and np.all(box[k][1] < box[j][1])
        ]
        depth[k] = sum(abs(winding_numbers(part[0, :1], parts[j])[0]) > 0.5 for j in enclosing)
    return outward, depth
