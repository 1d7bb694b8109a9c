# SPDX-License-Identifier: LGPL-2.1-or-later
"""The skin for the eye: one surface over the whole hand that follows its links and the phalanges'
deformation.

Source: Talvas et al. 2015, Sec. 4: linear blend skinning from the rigid links, the phalanges' skin following
the deformable meshes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .anatomy import FINGERS, SEGMENTS, HandParameters
from .implicit import mean_over_neighbours, smooth_union, surface_net, unique_edges
from .kinematics import HandKinematics
from .palm import palm_field
from .phalanx import Phalanx
from .shape import SegmentShape, segment_shape

__all__ = ["HandSkin", "build_skin"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_INFLUENCES = 4
_FOLLOWED = 3
# The pose in which skin and links are bound: half way to a closed hand, fingers spread so that they do not
# touch.
_BIND_FINGER = (0.30, 0.35, 0.25)
_BIND_SPREAD = (0.0, 0.13, 0.02, -0.09, -0.16)
_BIND_THUMB = (0.0, 0.10, 0.15, 0.20)
_SPACING = 0.00375


@dataclass(frozen=True)
class HandSkin:
    """Skin mesh with its binding.

    Attributes:
        triangles: outward, shape (m, 3).
        nail: which triangles are nail plate, shape (m,).
        links: links that move each vertex, shape (n, 4), numbered as in anatomy.LINKS.
        weights: their weights, each row summing to 1, shape (n, 4).
        local: the vertex in each of those links' frames [m], shape (n, 4, 3).
        followed: rows of the stacked surface vertices of phalanges, then of the palm's pads, whose displacement
            moves it, shape (n, 4, 3).
        follow_weights: their weights, summing to at most 1 over the last axis, shape (n, 4, 3).
    """

    triangles: IntArray
    nail: NDArray[np.bool_]
    links: IntArray
    weights: FloatArray
    local: FloatArray
    followed: IntArray
    follow_weights: FloatArray

    def vertices(
        self,
        positions: ArrayLike,
        rotations: ArrayLike,
        displacements: Sequence[ArrayLike] | FloatArray | None = None,
    ) -> FloatArray:
        """Skin vertices in the world.

        Args:
            positions: of the 16 links [m], shape (16, 3).
            rotations: of the 16 links, shape (16, 3, 3).
            displacements: of the contact-surface vertices of the 15 phalanges, and of the palm's pads if it
                has some, from rest, in their links' frames [m]: arrays (k, 3), or the same stacked; None means
                no deformation.
        Returns:
            Vertices [m], shape (n, 3).
        """
        positions, rotations = np.asarray(positions, dtype=float), np.asarray(rotations, dtype=float)
        if positions.shape != (16, 3) or rotations.shape != (16, 3, 3):
            raise ValueError(
                "positions, rotations: give shapes (16, 3) and (16, 3, 3), "
                f"not {positions.shape} and {rotations.shape}"
            )
        local = self.local
        if displacements is not None:
            stacked = np.concatenate([np.asarray(d, dtype=float).reshape(-1, 3) for d in displacements])
            local = local + np.einsum("nlk,nlkd->nld", self.follow_weights, stacked[self.followed])
        moved = np.einsum("nlij,nlj->nli", rotations[self.links], local) + positions[self.links]
        return np.einsum("nl,nli->ni", self.weights, moved)


def bind_angles() -> FloatArray:
    """The 20 angles at which the skin was made [rad]."""
    fingers = [[_BIND_SPREAD[i], *_BIND_FINGER] for i in range(1, 5)]
    return np.array([_BIND_THUMB, *fingers]).ravel()


class _HandSolid:
    """The right hand's solid in the bind pose."""

    def __init__(self, parameters: HandParameters) -> None:
        self.parameters = parameters
        self.scale = parameters.breadth_scale
        self.shapes = [[segment_shape(parameters, f, s) for s in SEGMENTS] for f in FINGERS]
        self.positions, self.rotations = HandKinematics.build(
            parameters.model_copy(update={"side": "right"})
        ).poses(bind_angles())

    def local(self, points: FloatArray, link: int) -> FloatArray:
        return (points - self.positions[link]) @ self.rotations[link]

    def finger(self, points: FloatArray, finger: int) -> FloatArray:
        """Field of one whole finger."""
        total = self.shapes[finger][0].field(self.local(points, 1 + 3 * finger))
        for k in (1, 2):
            field = self.shapes[finger][k].field(self.local(points, 1 + 3 * finger + k))
            total = smooth_union(total, field, 0.0022 * self.scale)
        return total

    def whole(self, points: FloatArray) -> FloatArray:
        """Field of the hand: each finger grows out of the palm, but not into its neighbour."""
        palm = palm_field(self.parameters, points)
        return np.min(
            [
                smooth_union(palm, self.finger(points, i), (0.012 if i == 0 else 0.005) * self.scale)
                for i in range(5)
            ],
            axis=0,
        )

    def owners(self, points: FloatArray) -> IntArray:
        """The one link that each point belongs to, by the nearest solid and the joints' bisecting planes."""
        fields = np.array([self.finger(points, i) for i in range(5)])
        nearest = fields.argmin(axis=0)
        owner = np.zeros(len(points), dtype=np.int64)
        palm = palm_field(self.parameters, points)
        for i in range(5):
            mine = nearest == i
            for k in range(3):
                link = 1 + 3 * i + k
                x_child = self.local(points, link)[:, 0]
                if k == 0:
                    beyond = (x_child > 0.0) & (fields[i] < palm)
                else:
                    x_parent = self.local(points, link - 1)[:, 0] - self.shapes[i][k - 1].length
                    beyond = (x_child + x_parent > 0.0) & (owner >= link - 1)
                owner[mine & beyond] = link
        return owner


def _diffused_weights(
    owner: IntArray, edges: IntArray, near_palm: NDArray[np.bool_], spacing_rounds: tuple[int, int]
) -> FloatArray:
    """Spread the ownership over neighbours: a few rounds at the finger joints, more at the palm."""
    weights = np.zeros((len(owner), 16))
    weights[np.arange(len(owner)), owner] = 1.0
    for k in range(sum(spacing_rounds)):
        mean = 0.5 * (weights + mean_over_neighbours(weights, edges))
        weights = mean if k < spacing_rounds[0] else np.where(near_palm[:, None], mean, weights)
    return weights


def _nail(shape: SegmentShape, scale: float) -> tuple[FloatArray, IntArray]:
    """Nail plate on the back of a distal segment: vertices in its frame [m] and triangles."""
    rows, columns = 7, 9
    u, v = np.meshgrid(np.linspace(0, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    root, end = 0.48, 0.94
    # A rounded root and a rounded free edge, straighter along the finger than the tip under it, arched
    # across.
    x = shape.length * (root + 0.10 * v**2 * (1 - u) + u * (end - root - 0.09 * v**2))
    half, straight, _ = shape.half_axes(np.full_like(u, 0.62 * shape.length))
    back = 0.4 * straight + 0.6 * shape.half_axes(x)[1]
    y = 0.78 * half * v * (1.0 - 0.14 * u**2)
    z = back * np.sqrt(1.0 - np.abs(0.74 * v) ** 2.5) + 0.00035 * scale
    rim = (np.abs(v) > 0.99) | (u < 0.01)
    z = z - np.where(rim, 0.0011 * scale, 0.0)
    z = z - np.where(u > 0.99, 0.0004 * scale, 0.0)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    i = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    a, b, c, d = i, i + 1, i + columns, i + columns + 1
    return vertices, np.concatenate([np.column_stack([a, c, d]), np.column_stack([a, d, b])])


def build_skin(
    parameters: HandParameters, phalanges: Sequence[Phalanx], pads: Sequence[Phalanx] = ()
) -> HandSkin:
    """Make the skin of a right hand and bind it to the links and to the contact surfaces of the 15 phalanges and
    of the palm's pads.
    """
    solid = _HandSolid(parameters)
    scale = parameters.length_scale, parameters.breadth_scale, parameters.breadth_scale
    lower, upper = np.array([-0.045, -0.110, -0.120]) * scale, np.array([0.215, 0.125, 0.055]) * scale
    points, triangles = surface_net(solid.whole, lower, upper, _SPACING * min(scale), smoothing=4)
    owner = solid.owners(points)
    edges = unique_edges(triangles)
    base = np.zeros(len(points), dtype=bool)
    for i in range(5):
        link = 1 + 3 * i
        x = solid.local(points, link)[:, 0]
        base |= (owner == link) & (x < 0.5 * solid.shapes[i][0].length)
    weights = _diffused_weights(owner, edges, base | (owner == 0), (5, 22))

    nail_count, nail_triangles, nail_owner = len(points), [], []
    nail_points = []
    for i in range(5):
        link = 3 + 3 * i
        vertices, plate = _nail(solid.shapes[i][2], parameters.breadth_scale)
        nail_points.append(vertices @ solid.rotations[link].T + solid.positions[link])
        nail_triangles.append(plate + nail_count)
        nail_owner += [link] * len(vertices)
        nail_count += len(vertices)
    nail_weights = np.zeros((len(nail_owner), 16))
    nail_weights[np.arange(len(nail_owner)), nail_owner] = 1.0
    nail = np.repeat([False, True], [len(triangles), sum(len(t) for t in nail_triangles)])
    points = np.concatenate([points, *nail_points])
    triangles = np.concatenate([triangles, *nail_triangles])
    weights = np.concatenate([weights, nail_weights])

    links = np.argsort(-weights, axis=1, kind="stable")[:, :_INFLUENCES]
    chosen = np.take_along_axis(weights, links, axis=1)
    chosen /= chosen.sum(axis=1, keepdims=True)
    local = np.einsum("nlji,nlj->nli", solid.rotations[links], points[:, None] - solid.positions[links])
    followed, follow_weights = _follow(links, local, phalanges, pads, parameters.breadth_scale)
    follow_weights[len(points) - len(nail_owner) :] = 0.0
    return HandSkin(triangles, nail, links, chosen, local, followed, follow_weights)


def _follow(
    links: IntArray, local: FloatArray, phalanges: Sequence[Phalanx], pads: Sequence[Phalanx], scale: float
) -> tuple[IntArray, FloatArray]:
    """Nearest contact-surface vertices of each influencing phalanx, and of the pads where the palm influences,
    weighted by distance and fading out.
    """
    followed = np.zeros((*links.shape, _FOLLOWED), dtype=np.int64)
    weights = np.zeros((*links.shape, _FOLLOWED))
    start = 0
    surfaces = [(1 + k, phalanx.vertices) for k, phalanx in enumerate(phalanges)]
    if pads:
        surfaces.append((0, np.concatenate([pad.vertices for pad in pads])))
    for link, vertices in surfaces:
        rows, slots = np.nonzero(links == link)
        distance = np.linalg.norm(local[rows, slots][:, None] - vertices[None], axis=2)
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :_FOLLOWED]
        near = np.take_along_axis(distance, nearest, axis=1)
        share = 1.0 / (near + 0.0005 * scale) ** 2
        share /= share.sum(axis=1, keepdims=True)
        fade = np.clip((0.012 * scale - near[:, :1]) / (0.006 * scale), 0.0, 1.0)
        followed[rows, slots], weights[rows, slots] = start + nearest, share * fade
        start += len(vertices)
    return followed, weights
