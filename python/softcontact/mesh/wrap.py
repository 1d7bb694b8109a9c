# SPDX-License-Identifier: LGPL-2.1-or-later
"""A body from a surface that is open, crosses itself, or is a pile of parts: a new surface laid around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from .check import length_text
from .errors import MeshError
from .intersect import self_intersections
from .level_set import fill_level_set
from .primitives import positive_length
from .surface_mesh import SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh
from .topology import components, edge_table

_FINENESS = 2.0  # grid steps in half a gap
_NEIGHBOURS = np.array([d for d in np.ndindex(3, 3, 3) if d > (1, 1, 1)]) - 1  # half of the 26 around a point
_BAND = 2.7  # grid steps about a level in which distances are exact: both ends of all edges that it crosses
_OVERSHOOT = 0.04  # grid steps: the most by which the distance to points of a border is found too large
_MOST_POINTS = 30_000_000


@dataclass(frozen=True)
class WrapReport:
    """What was wrong with a surface, and how far from it the one lies that was laid around it.

    Attributes:
        parts: pieces of the given surface that share no edge.
        open_edges, nonmanifold_edges: of the given surface.
        crossings: pairs of its triangles that cross.
        gap: widest opening that was bridged [m].
        distance_mean, distance_max: from the new surface's vertices to the given surface [m].
        uncovered: share of the given surface's area that lies more than a cell from the new surface [-]: what is
            inside, or thinner than the cells.
        cell: of the lattice [m].
    """

    parts: int
    open_edges: int
    nonmanifold_edges: int
    crossings: int
    gap: float
    distance_mean: float
    distance_max: float
    uncovered: float
    cell: float

    def text(self) -> str:
        """All of it in one line."""
        wrong = [
            f"{count} {what}"
            for count, what in (
                (self.open_edges, "open edges"),
                (self.nonmanifold_edges, "edges of more than two triangles"),
                (self.crossings, "pairs of triangles that cross"),
            )
            if count
        ]
        parts = f" in {self.parts} parts" if self.parts > 1 else ""
        return (
            f"{', '.join(wrong) or 'no defect'}{parts}; a new surface was laid around it that bridges gaps up to "
            f"{length_text(self.gap)}, {length_text(self.distance_mean)} from the file's on average and "
            f"{length_text(self.distance_max)} at most, in cells of {length_text(self.cell)}; hollows inside are "
            f"filled, {100.0 * self.uncovered:.0f} % of the file's area lies inside or was too thin"
        )


def wrap_surface(
    surface: SurfaceMesh, cell: float, gap: float | None = None
) -> tuple[TetrahedralMesh, WrapReport]:
    """Tetrahedra inside what a surface bounds once its gaps are bridged, whatever the winding of its triangles.

    On a grid, all that can be reached from outside without passing nearer than half a gap to the surface is
    outside; the body is what lies deeper than half a gap behind that. So openings and notches narrower than `gap`
    are closed, hollows inside are filled, and the rest keeps its place. Then what is thinner than a cell is taken
    away, sheets that enclose nothing among it, for the lattice cannot hold it; sharp edges are rounded by half a cell.

    Args:
        surface: any triangles [m].
        cell: edge of the tetrahedra's lattice [m].
        gap: widest opening that is bridged [m]; by default a cell.
    Returns:
        The tetrahedra, and what was found and done.
    Raises:
        ValueError: cell or gap not > 0, or so small that the grid has more than 30 million points.
        MeshError: the openings are wider, so that nothing is enclosed; or as in fill_level_set.
    Source: morphological closing and opening, Serra 1982, Image Analysis and Mathematical Morphology.
    """
    positive_length(cell, "cell")
    gap = cell if gap is None else gap
    positive_length(gap, "gap")
    depth = _Closed(surface, 0.5 * gap, 0.5 * cell)
    low, high = surface.bounds
    mesh = fill_level_set(depth, low - 1.5 * cell, high + 1.5 * cell, cell, surface.name)
    return mesh, _report(surface, mesh, cell, gap)


class _Closed:
    """Level set of a surface's inside, closed with one radius and opened with another [m]."""

    def __init__(self, surface: SurfaceMesh, closing: float, opening: float) -> None:
        self._step = step = min(closing, opening) / _FINENESS
        reach = closing + 3.0 * step
        self._low = surface.bounds[0] - reach
        shape = np.ceil((surface.extent + 2.0 * reach) / step).astype(np.int64) + 1
        if np.prod(shape.astype(float)) > _MOST_POINTS:
            raise ValueError(
                f"gap {2.0 * closing:g} m needs a grid of {np.prod(shape.astype(float)):.3g} points, more than "
                f"{_MOST_POINTS}; make it larger"
            )
        samples = _samples(surface, 0.5 * step)
        near = np.zeros(shape, dtype=bool)
        near[tuple(self._number(samples).T)] = True
        distance = self._distances(near, samples, closing)
        label, _ = ndimage.label(distance > closing, np.ones((3, 3, 3)))
        outside = label == label[0, 0, 0]
        border = self._border(outside, distance, closing)
        inward = closing + opening + _OVERSHOOT * step
        distance = self._distances(outside, border, inward)
        self._core = ~outside & (distance > inward)
        if not self._core.any():
            raise MeshError(
                surface.name,
                f"it encloses nothing thicker than {length_text(2.0 * opening)} when gaps up to "
                f"{length_text(2.0 * closing)} are bridged",
                "give a wider gap, smaller cells, or close the surface in your modeller",
            )
        self._opening = opening
        self._tree = cKDTree(self._border(self._core, distance, inward))

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Negative inside (n,) [m], the distance near the boundary."""
        distance, _ = self._tree.query(points)
        number = np.clip(self._number(points), 0, np.array(self._core.shape) - 1)
        return np.where(self._core[tuple(number.T)], -distance, distance) - self._opening

    def _number(self, points: np.ndarray) -> np.ndarray:
        return np.rint((points - self._low) / self._step).astype(np.int64)

    def _distances(self, seeds: np.ndarray, points: np.ndarray, level: float) -> np.ndarray:
        """Distance of each grid point to `points`, exact about a level; elsewhere that to the seeds, grid points."""
        distance = self._step * ndimage.distance_transform_edt(~seeds)
        band = np.argwhere(np.abs(distance - level) < _BAND * self._step)
        distance[tuple(band.T)], _ = cKDTree(points, balanced_tree=False).query(self._low + self._step * band)
        return distance

    def _border(self, region: np.ndarray, distance: np.ndarray, level: float) -> np.ndarray:
        """Points where the distance has a level, on the grid's edges that lead out of a region (k, 3) [m]."""
        points = []
        for toward in _NEIGHBOURS:
            here = tuple(slice(max(0, -k), min(n, n - k)) for k, n in zip(toward, region.shape, strict=True))
            there = tuple(slice(max(0, k), min(n, n + k)) for k, n in zip(toward, region.shape, strict=True))
            leads_out = region[here] != region[there]
            first, second = distance[here][leads_out], distance[there][leads_out]
            share = (level - first) / (second - first)
            start = np.argwhere(leads_out) + [s.start for s in here]
            points.append(self._low + self._step * (start + share[:, None] * toward))
        return np.concatenate(points)


def _samples(surface: SurfaceMesh, spacing: float) -> np.ndarray:
    """Points on the triangles, no farther apart than about `spacing` [m]."""
    inner = [points.reshape(-1, 3) for _, points in _pieces(surface, spacing) if points.shape[1] > 1]
    return np.concatenate([surface.vertices[np.unique(surface.triangles)], *inner])


def _pieces(surface: SurfaceMesh, spacing: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers (m,) of triangles of one size and evenly spaced points (m, k, 3) on them; k is 1 for small ones."""
    corners = surface.vertices[surface.triangles]
    longest = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).max(axis=1)
    cuts = np.maximum(1, np.ceil(longest / spacing)).astype(np.int64)
    for count in np.unique(cuts):
        i, j = (k.ravel() for k in np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij"))
        i, j = i[i + j <= count], j[i + j <= count]
        weights = np.column_stack([count - i - j, i, j]) / count if count > 1 else np.full((1, 3), 1.0 / 3.0)
        number = np.flatnonzero(cuts == count)
        yield number, np.einsum("kc,mcx->mkx", weights, corners[number])


def _report(surface: SurfaceMesh, mesh: TetrahedralMesh, cell: float, gap: float) -> WrapReport:
    skin, _ = mesh.surface()
    distance = _distance(surface, skin.vertices)
    away = 0.0
    for number, points in _pieces(surface, cell):
        far = _distance(skin, points.reshape(-1, 3)).reshape(points.shape[:2]) > cell
        away += float(surface.triangle_areas[number] @ far.mean(axis=1))
    edges = edge_table(surface.triangles)
    return WrapReport(
        parts=components(surface.triangles, edges)[0],
        open_edges=len(edges.open_edges),
        nonmanifold_edges=len(edges.nonmanifold_edges),
        crossings=len(self_intersections(surface.vertices, surface.triangles)),
        gap=gap,
        distance_mean=float(distance.mean()),
        distance_max=float(distance.max()),
        uncovered=away / surface.area,
        cell=cell,
    )


def _distance(surface: SurfaceMesh, points: np.ndarray) -> np.ndarray:
    from softcontact._core import Surface

    core = Surface(np.array(surface.vertices), np.array(surface.triangles, dtype=np.int32))
    return np.abs(np.asarray(core.signed_distance(points)[0]))
