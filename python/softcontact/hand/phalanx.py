# SPDX-License-Identifier: LGPL-2.1-or-later
"""One deformable phalanx: tetrahedra around the bone, and the finer contact surface embedded in them.

Sections across the bone carry an inner ring on the bone, whose nodes are bound to it, and an outer ring on
the skin, denser on the palmar side. A distal phalanx goes on past the end of its bone to a closed tip.

Source: Talvas et al. 2015, Sec. 4: 15 coarse tetrahedral meshes (1513 tetrahedra in all), nodes at the bones
fixed by stiff springs, contact surfaces mapped to them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .shape import SegmentShape

__all__ = ["Phalanx", "build_phalanx", "embed", "tetrahedron_quality"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_DEGREES = np.pi / 180.0
# Ring angles from the back (+z) on one side, mirrored to the other; 180 is the palmar line.
_RINGS = {
    "coarse": ((40, 140), (40, 110, 180)),
    "normal": ((40, 140), (38, 95, 140, 180)),
    "fine": ((35, 90, 145), (30, 85, 120, 150, 180), (25, 70, 105, 130, 155, 180)),
}
# Slabs along proximal, middle and distal bones, and past the end of the distal bone.
_SLABS = {"coarse": (2, 1, 2, 1), "normal": (3, 2, 3, 1), "fine": (6, 4, 6, 2)}
# The bone's half breadth, back and palmar height over the segment's; where the distal bone ends.
_BONE = (0.52, 0.62, 0.26)
_BONE_END = 0.76
# The outer polygon lies a little outside the smooth section so that the two enclose about the same volume.
_OUTER_SCALE = 1.05


@dataclass(frozen=True)
class Phalanx:
    """Meshes of one phalanx in its link frame.

    Attributes:
        nodes: tetrahedral nodes [m], shape (n, 3).
        tetrahedra: positively oriented, shape (m, 4).
        bound_nodes: indices of the nodes on the bone (and under the nail), shape (b,).
        vertices: contact surface [m], shape (k, 3).
        triangles: closed and outward, shape (t, 3).
        surface_nodes: the four nodes that carry each surface vertex, shape (k, 4).
        surface_weights: their barycentric weights [-], shape (k, 4), each row summing to 1.
    """

    nodes: FloatArray
    tetrahedra: IntArray
    bound_nodes: IntArray
    vertices: FloatArray
    triangles: IntArray
    surface_nodes: IntArray
    surface_weights: FloatArray

    def mirrored(self) -> Phalanx:
        """The same phalanx of the other hand: y reversed, orientations kept positive."""
        flip = np.array([1.0, -1.0, 1.0])
        return Phalanx(
            self.nodes * flip,
            self.tetrahedra[:, [0, 2, 1, 3]],
            self.bound_nodes,
            self.vertices * flip,
            self.triangles[:, [0, 2, 1]],
            self.surface_nodes,
            self.surface_weights,
        )


def tetrahedron_quality(nodes: FloatArray, tetrahedra: IntArray) -> FloatArray:
    """Mean-ratio quality, 12 (3 V)^(2/3) / Σ edge², 1 for a regular and ≤ 0 for an inverted tetrahedron,
    shape (m,).
    """
    p = nodes[tetrahedra]
    edges = np.stack([p[:, j] - p[:, i] for i in range(4) for j in range(i + 1, 4)], axis=1)
    volume = np.linalg.det(p[:, 1:] - p[:, :1]) / 6.0
    return 12.0 * np.cbrt(3.0 * volume) ** 2 * np.sign(volume) / (edges**2).sum(axis=(1, 2))


def embed(points: FloatArray, nodes: FloatArray, tetrahedra: IntArray) -> tuple[IntArray, FloatArray]:
    """Nodes (k, 4) and barycentric weights (k, 4) that carry each point.

    A point inside the mesh uses the tetrahedron around it; one outside extrapolates from the tetrahedron that
    leaves the least negative weight.
    """
    corner = nodes[tetrahedra[:, 0]]
    inverse = np.linalg.inv(np.swapaxes(nodes[tetrahedra[:, 1:]] - corner[:, None], 1, 2))
    local = np.einsum("mij,kmj->kmi", inverse, points[:, None] - corner[None])
    weights = np.concatenate([1.0 - local.sum(axis=2, keepdims=True), local], axis=2)
    best = weights.min(axis=2).argmax(axis=1)
    return tetrahedra[best], weights[np.arange(len(points)), best]


def _ring_angles(half: tuple[int, ...]) -> FloatArray:
    right = [a for a in half if a < 180]
    return np.array([*half, *(360 - a for a in reversed(right))], dtype=float) * _DEGREES


def _zip_rings(inner: FloatArray, outer: FloatArray, inner_start: int, outer_start: int) -> list[list[int]]:
    """Triangulate the annulus between two rings of increasing angles by always closing the narrower step."""
    turn = 2.0 * np.pi
    i = o = 0
    triangles = []
    while i < len(inner) or o < len(outer):
        a, b = inner_start + i % len(inner), outer_start + o % len(outer)
        next_inner = inner[(i + 1) % len(inner)] + turn * ((i + 1) // len(inner))
        next_outer = outer[(o + 1) % len(outer)] + turn * ((o + 1) // len(outer))
        if o < len(outer) and (i == len(inner) or next_outer <= next_inner):
            triangles.append([a, b, outer_start + (o + 1) % len(outer)])
            o += 1
        else:
            triangles.append([a, b, inner_start + (i + 1) % len(inner)])
            i += 1
    return triangles


def _section(rings: tuple[tuple[int, ...], ...]) -> tuple[list[FloatArray], list[list[int]], list[list[int]]]:
    """Angles of each ring, triangles of the annuli, and triangles of the bone's own disc."""
    angles = [_ring_angles(ring) for ring in rings]
    starts = np.cumsum([0, *(len(a) for a in angles)])
    annuli = []
    for k in range(len(angles) - 1):
        annuli += _zip_rings(angles[k], angles[k + 1], starts[k], starts[k + 1])
    disc = [[0, k, k + 1] for k in range(1, len(angles[0]) - 1)]
    return angles, annuli, disc


def _section_nodes(shape: SegmentShape, x: float, angles: list[FloatArray]) -> FloatArray:
    """Nodes of one section around the bone, inner ring first."""
    half, back, palmar = (float(v) for v in shape.half_axes(x))
    inner = angles[0]
    side = np.abs(np.cos(inner)) < 0.1
    top, bottom = _BONE[1] * back, -_BONE[2] * palmar
    z = np.where(side, 0.5 * (top + bottom), np.where(np.cos(inner) > 0.0, top, bottom))
    y = np.sign(np.sin(inner)) * _BONE[0] * half * np.where(side | ~side.any(), 1.0, 0.7)
    rings = [np.column_stack([np.full(len(inner), x), y, z])]
    outer = shape.point(np.full(len(angles[-1]), x), angles[-1], _OUTER_SCALE)
    for k, ring in enumerate(angles[1:-1], start=1):
        share = k / (len(angles) - 1)
        bone = np.column_stack(
            [
                np.interp(ring, np.r_[inner - 2 * np.pi, inner, inner + 2 * np.pi], np.tile(c, 3))
                for c in (y, z)
            ]
        )
        skin = shape.point(np.full(len(ring), x), ring, _OUTER_SCALE)[:, 1:]
        rings.append(np.column_stack([np.full(len(ring), x), (1 - share) * bone + share * skin]))
    return np.concatenate([*rings, outer])


def _tip_nodes(shape: SegmentShape, share: float, angles: list[FloatArray]) -> FloatArray:
    """Nodes of one section past the bone's end, `share` of the way to the tip, drawn in with the tip's
    rounding.
    """
    x = shape.length * (_BONE_END + share * (0.93 - _BONE_END))
    nodes = _section_nodes(shape, x, angles)
    nodes[:, 0] = shape.length * (_BONE_END + share * (0.985 - _BONE_END))
    # The middle of the tip stands out over its rim.
    inner = len(angles[0])
    nodes[:inner, 0] += share * 0.02 * shape.length
    nodes[:inner, 1:] *= 1.0 - 0.3 * share
    return nodes


def _tetrahedra(nodes: FloatArray, slabs: list[tuple[int, list[list[int]]]], per_section: int) -> IntArray:
    """Split each prism between consecutive sections into three tetrahedra, matching across neighbours."""
    result = []
    for slab, triangles in slabs:
        for triangle in triangles:
            a, b, c = (slab * per_section + k for k in sorted(triangle))
            a1, b1, c1 = a + per_section, b + per_section, c + per_section
            result += [[a, b, c, c1], [a, b, b1, c1], [a, a1, b1, c1]]
    tetrahedra = np.array(result)
    p = nodes[tetrahedra]
    inverted = np.linalg.det(p[:, 1:] - p[:, :1]) < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 2, 1, 3]]
    return tetrahedra


def _surface(shape: SegmentShape, spacing: float) -> tuple[FloatArray, IntArray]:
    """Closed contact surface: staggered rings of vertices, denser on the palmar side, and a pole at either
    end.
    """
    middle = 0.5 * shape.length
    half, _, palmar = (float(v) for v in shape.half_axes(middle))
    palmar_count = max(3, round(np.pi * 0.5 * (half + palmar) / spacing))
    back_count = max(3, round(0.5 * palmar_count))
    back = np.linspace(-0.5 * np.pi, 0.5 * np.pi, back_count, endpoint=False)
    front = np.linspace(0.5 * np.pi, 1.5 * np.pi, palmar_count, endpoint=False)
    even = np.concatenate([back, front])
    odd = 0.5 * (even + np.append(even[1:], even[0] + 2.0 * np.pi))
    n = len(even)

    x = np.linspace(0.0, shape.length, 401)
    profile = shape.half_axes(x)[2]
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(profile)))])
    rings = max(3, round(arc[-1] / spacing)) + 1
    stations = np.interp(np.linspace(0.0, arc[-1], rings), arc, x)
    scales = np.ones(rings)
    dome = 0.30 * float(shape.half_axes(0.0)[1])
    centres = stations.copy()
    if shape.distal:
        centres, scales, stations = centres[:-1], scales[:-1], stations[:-1]
        end = shape.length
    else:
        dome_end = 0.30 * float(shape.half_axes(shape.length)[1])
        end = shape.length + dome_end
        centres = np.append(centres, shape.length + 0.7 * dome_end)
        stations, scales = np.append(stations, shape.length), np.append(scales, 0.6)
    centres = np.concatenate([[-0.7 * dome], centres])
    stations, scales = np.concatenate([[0.0], stations]), np.concatenate([[0.6], scales])
    points = []
    for k, (centre, station, scale) in enumerate(zip(centres, stations, scales, strict=True)):
        ring = shape.point(np.full(n, station), odd if k % 2 else even, scale)
        ring[:, 0] = centre
        points.append(ring)
    first, last = points[0].mean(axis=0), points[-1].mean(axis=0)
    first[0], last[0] = -dome, end
    if shape.distal:
        last[1:] = 0.0
    vertices = np.concatenate([*points, [first, last]])

    m = len(points)
    j = np.arange(n)
    following = (j + 1) % n
    triangles = []
    for k in range(m - 1):
        a, b, c, d = k * n + j, k * n + following, (k + 1) * n + j, (k + 1) * n + following
        if k % 2 == 0:  # the next ring's vertex j lies between this ring's j and j + 1
            triangles += [np.column_stack([a, b, c]), np.column_stack([b, d, c])]
        else:
            triangles += [np.column_stack([a, d, c]), np.column_stack([a, b, d])]
    triangles.append(np.column_stack([following, j, np.full(n, m * n)]))
    base = (m - 1) * n
    triangles.append(np.column_stack([base + j, base + following, np.full(n, m * n + 1)]))
    return vertices, np.concatenate(triangles)[:, [0, 2, 1]]  # the ring angle turns against x


def build_phalanx(shape: SegmentShape, segment: int, spacing: float, tissue_resolution: str) -> Phalanx:
    """Build one phalanx of a right hand.

    Args:
        shape: its smooth shape.
        segment: 0 proximal, 1 middle, 2 distal.
        spacing: aimed at between palmar surface vertices [m].
        tissue_resolution: "coarse", "normal" or "fine".
    """
    angles, annuli, disc = _section(_RINGS[tissue_resolution])
    counts = _SLABS[tissue_resolution]
    per_section = sum(len(a) for a in angles)
    inner = len(angles[0])
    bone_end = shape.length * (_BONE_END if shape.distal else 1.0)
    sections = [_section_nodes(shape, x, angles) for x in np.linspace(0.0, bone_end, counts[segment] + 1)]
    slabs = [(k, annuli) for k in range(counts[segment])]
    bound = [k * per_section + i for k in range(len(sections)) for i in range(inner)]
    if shape.distal:
        slabs += [(counts[2] + k, annuli + disc) for k in range(counts[3])]
        sections += [_tip_nodes(shape, (k + 1) / counts[3], angles) for k in range(counts[3])]
        nail = per_section - len(angles[-1]) + np.flatnonzero(np.cos(angles[-1]) > 0.75)
        bound += [k * per_section + i for k in range(1, counts[2] + 1) for i in nail]
    nodes = np.concatenate(sections)
    tetrahedra = _tetrahedra(nodes, slabs, per_section)
    vertices, triangles = _surface(shape, spacing)
    surface_nodes, weights = embed(vertices, nodes, tetrahedra)
    return Phalanx(nodes, tetrahedra, np.sort(bound), vertices, triangles, surface_nodes, weights)
