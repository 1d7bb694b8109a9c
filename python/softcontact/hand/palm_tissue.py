# SPDX-License-Identifier: LGPL-2.1-or-later
"""Soft tissue of the palm: three pads over the metacarpals, each a contact region of its own.

The ball of the thumb, the little finger's side and the row under the fingers' bases are convex by themselves
and hollow together, so that each gets tetrahedra and an aggregate of its own. A pad is a sheet between the
skin and a bone face under it, whose nodes are bound to the palm's link; where the pads lie, the rigid palm
draws back under them.

Source: Talvas et al. 2015, Sec. 5.4, name the palm as what their hand lacks; the pads are made as their
phalanges are (Sec. 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .anatomy import HandParameters
from .kinematics import MIRROR
from .palm import palm_field, palm_mesh
from .phalanx import Phalanx, embed

__all__ = ["PALM_PADS", "PalmTissue", "build_palm_tissue"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PALM_PADS = ("thenar", "hypothenar", "distal")
"""Ball of the thumb, little finger's side, row under the fingers' bases."""

# Corners of each pad in the palm plane at the reference size [mm]: (wrist, little finger's side), (fingers,
# little finger's side), (fingers, thumb side), (wrist, thumb side).
_CORNERS = {
    "thenar": ((7.0, 2.0), (67.0, 4.5), (69.0, 36.0), (9.0, 22.5)),
    "hypothenar": ((7.0, -25.0), (65.0, -37.5), (67.0, 2.5), (7.0, 0.0)),
    "distal": ((67.0, -37.5), (87.0, -31.0), (103.0, 29.0), (71.0, 36.0)),
}
# How far the middle of an edge towards the fingers stands out over the line between its corners [mm].
_BULGE = {"thenar": 0.0, "hypothenar": 0.0, "distal": 6.0}
_OUTLINE = (
    *((7.0, -25.0), (65.0, -37.5), (87.0, -31.0), (97.0, -12.0), (101.0, -1.0)),
    *((103.5, 15.0), (103.0, 29.0), (69.0, 36.0), (9.0, 22.5)),
)
# Cells of tetrahedra along and across each pad, and through it.
_CELLS = {
    "coarse": {"thenar": (4, 2, 1), "hypothenar": (4, 3, 1), "distal": (2, 5, 1)},
    "normal": {"thenar": (6, 3, 1), "hypothenar": (6, 4, 1), "distal": (3, 7, 1)},
    "fine": {"thenar": (9, 5, 2), "hypothenar": (9, 6, 2), "distal": (4, 11, 2)},
}
_THICKNESS = 9.0  # skin to bone face [mm]
_CORE_DEPTH = 7.5  # of the rigid palm under the skin, inside the outline [mm]
_CORE_RISE = 6.0  # from the outline over which it comes down to that [mm]
_SPACING = 0.0050  # of contact surface vertices [m]


@dataclass(frozen=True)
class PalmTissue:
    """Pads and rigid core of a soft palm, in the palm's frame.

    Attributes:
        names: of the pads, see PALM_PADS.
        pads: their meshes, made as those of phalanges.
        core_vertices: contact surface of the rigid palm under and around the pads [m], shape (k, 3).
        core_triangles: closed and outward, shape (t, 3).
    """

    names: tuple[str, ...]
    pads: tuple[Phalanx, ...]
    core_vertices: FloatArray
    core_triangles: IntArray

    def mirrored(self) -> PalmTissue:
        """The same palm of the other hand."""
        return PalmTissue(
            self.names,
            tuple(pad.mirrored() for pad in self.pads),
            self.core_vertices @ MIRROR,
            self.core_triangles[:, [0, 2, 1]],
        )


def _unit(parameters: HandParameters) -> FloatArray:
    """Metres a reference millimetre along x, y and z."""
    return 1e-3 * np.array([parameters.length_scale, parameters.breadth_scale, parameters.breadth_scale])


def _skin_height(parameters: HandParameters, plane: FloatArray) -> FloatArray:
    """z of the palmar skin over points (n, 2) of the palm plane [m], by bisection from below; shape (n,)."""
    unit = _unit(parameters)
    low = np.full(len(plane), -60.0 * unit[2])
    # The highest of a few levels that lies inside, so that bisection meets the palmar side alone.
    high = np.full(len(plane), np.nan)
    for level in np.arange(-28.0, 8.0, 2.0) * unit[2]:
        inside = palm_field(parameters, np.column_stack([plane, np.full(len(plane), level)])) < 0.0
        high = np.where(np.isnan(high) & inside, level, high)
        low = np.where(np.isnan(high), level, low)
    if np.isnan(high).any():
        raise ValueError("palm: a pad reaches past the palm's outline; the hand's sizes do not fit together")
    for _ in range(30):
        middle = 0.5 * (low + high)
        inside = palm_field(parameters, np.column_stack([plane, middle])) < 0.0
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    return high


def _sheet(parameters: HandParameters, name: str, counts: tuple[int, int]) -> FloatArray:
    """Points of a pad's skin on a grid, shape (counts[0] + 1, counts[1] + 1, 3) [m]."""
    a, b, c, d = (np.array(corner) for corner in _CORNERS[name])
    u, v = np.meshgrid(*(np.linspace(0.0, 1.0, n + 1) for n in counts), indexing="ij")
    u, v = u[..., None], v[..., None]
    plane = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    plane[..., 0] += (_BULGE[name] * u * 4.0 * v * (1 - v))[..., 0]
    plane *= _unit(parameters)[:2]
    height = _skin_height(parameters, plane.reshape(-1, 2))
    return np.concatenate([plane, height.reshape(*plane.shape[:2], 1)], axis=-1)


def _grid_tetrahedra(cells: tuple[int, int, int]) -> IntArray:
    """Six tetrahedra around the diagonal of each cell, matching across cells, shape (m, 4)."""
    number = np.arange(np.prod(np.array(cells) + 1)).reshape(np.array(cells) + 1)
    corner = [
        number[i : number.shape[0] - 1 + i, j : number.shape[1] - 1 + j, k : number.shape[2] - 1 + k].ravel()
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    ]
    paths = ((4, 6), (4, 5), (2, 6), (2, 3), (1, 5), (1, 3))
    return np.concatenate([np.column_stack([corner[0], corner[a], corner[b], corner[7]]) for a, b in paths])


def _closed_sheet(outer: FloatArray, inner: FloatArray) -> tuple[FloatArray, IntArray]:
    """Closed surface of the layer between two grids (m, n, 3), and triangles with outward normals."""
    m, n = outer.shape[:2]
    number = np.arange(m * n).reshape(m, n)

    def quads(a: IntArray, b: IntArray, c: IntArray, d: IntArray) -> IntArray:
        a, b, c, d = (x.ravel() for x in (a, b, c, d))
        return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])

    face = quads(number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1])
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    following = np.roll(rim, -1)
    triangles = [face, face[:, [0, 2, 1]] + m * n, quads(rim, following, following + m * n, rim + m * n)]
    return np.concatenate([outer.reshape(-1, 3), inner.reshape(-1, 3)]), np.concatenate(triangles)


def _build_pad(parameters: HandParameters, name: str) -> Phalanx:
    cells = _CELLS[parameters.tissue_resolution][name]
    inwards = np.array([0.0, 0.0, _THICKNESS * _unit(parameters)[2]])
    skin = _sheet(parameters, name, cells[:2])
    through = np.linspace(0.0, 1.0, cells[2] + 1)[None, None, :, None]
    nodes = (skin[:, :, None] + through * inwards).reshape(-1, 3)
    tetrahedra = _grid_tetrahedra(cells)
    p = nodes[tetrahedra]
    inverted = np.linalg.det(p[:, 1:] - p[:, :1]) < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 2, 1, 3]]
    bound = np.flatnonzero(np.arange(len(nodes)) % (cells[2] + 1) == cells[2])

    spacing = _SPACING * parameters.breadth_scale / parameters.resolution
    sizes = (np.linalg.norm(np.diff(skin, axis=k), axis=2).sum(axis=k).max() for k in (0, 1))
    fine = _sheet(parameters, name, tuple(max(2, round(float(size) / spacing)) for size in sizes))
    vertices, triangles = _closed_sheet(fine, fine + inwards)
    surface_nodes, weights = embed(vertices, nodes, tetrahedra)
    return Phalanx(nodes, tetrahedra, bound, vertices, triangles, surface_nodes, weights)


def _depth_inside(points: FloatArray) -> FloatArray:
    """Distance of points (n, 2) [mm] inside the outline to its edges, negative outside, shape (n,)."""
    corners = np.array(_OUTLINE)
    depth = np.full(len(points), np.inf)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (end - start) / np.linalg.norm(end - start)
        depth = np.minimum(depth, along[0] * (points[:, 1] - start[1]) - along[1] * (points[:, 0] - start[0]))
    return depth


def _core_mesh(parameters: HandParameters) -> tuple[FloatArray, IntArray]:
    """The palm's contact surface with the skin over the pads moved down to the core."""
    vertices, triangles = palm_mesh(parameters)
    unit = _unit(parameters)
    rise = np.clip(_depth_inside(vertices[:, :2] / unit[:2]) / _CORE_RISE, 0.0, 1.0)
    depth = _CORE_DEPTH * unit[2] * rise * rise * (3.0 - 2.0 * rise)
    inside = np.flatnonzero(depth > 0.0)
    floor = _skin_height(parameters, vertices[inside, :2]) + depth[inside]
    vertices[inside, 2] = np.maximum(vertices[inside, 2], floor)  # the back of the hand is far above
    return vertices, triangles


def build_palm_tissue(parameters: HandParameters) -> PalmTissue:
    """Pads and rigid core of a right hand's soft palm."""
    pads = tuple(_build_pad(parameters, name) for name in PALM_PADS)
    return PalmTissue(PALM_PADS, pads, *_core_mesh(parameters))
