# SPDX-License-Identifier: LGPL-2.1-or-later
"""The object of a planned grasp: signed distance and outward normal at any point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

__all__ = ["GraspObject"]

FloatArray = NDArray[np.float64]

_SHAPES = ("ellipsoid", "box", "cylinder", "mesh")
_GRID_SPACING, _GRID_MARGIN, _SAMPLE_SPACING = 0.0025, 0.03, 0.0012


@dataclass(frozen=True)
class DistanceGrid:
    """Signed distances on a regular grid around a mesh.

    Attributes:
        origin: first corner [m], shape (3,).
        spacing: [m].
        values: distance and its gradient, shape (nx, ny, nz, 4).
    """

    origin: FloatArray
    spacing: float
    values: FloatArray

    @classmethod
    def of(cls, vertices: FloatArray, triangles: NDArray[np.int64]) -> DistanceGrid:
        """Grid that reaches some 3 cm beyond a closed, outward surface."""
        samples, normals = _surface_samples(vertices, triangles)
        lower, upper = vertices.min(axis=0) - _GRID_MARGIN, vertices.max(axis=0) + _GRID_MARGIN
        spacing = max(_GRID_SPACING, float((upper - lower).max()) / 80.0)
        counts = np.ceil((upper - lower) / spacing).astype(int) + 1
        axes = [low + spacing * np.arange(n) for low, n in zip(lower, counts, strict=True)]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        length, nearest = cKDTree(samples).query(points, k=4)
        # Four neighbours vote on the side: one alone errs beside an edge.
        side = np.einsum("nkd,nkd->nk", points[:, None] - samples[nearest], normals[nearest]).sum(axis=1)
        distance = np.where(side < 0.0, -length[:, 0], length[:, 0]).reshape(counts)
        gradient = np.stack(np.gradient(distance, spacing), axis=-1)
        return cls(lower, spacing, np.concatenate([distance[..., None], gradient], axis=-1))

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Trilinear distance (n,) and unit gradient (n, 3); beyond the grid, the way to it is added."""
        last = np.array(self.values.shape[:3]) - 1
        place = (points - self.origin) / self.spacing
        inside = np.clip(place, 0.0, last - 1e-9)
        cell = np.minimum(inside.astype(int), last - 1)
        t = inside - cell
        result = np.zeros((len(points), 4))
        for corner in np.ndindex(2, 2, 2):
            weight = np.prod(np.where(corner, t, 1.0 - t), axis=1)
            result += weight[:, None] * self.values[tuple((cell + corner).T)]
        beyond = self.spacing * np.linalg.norm(place - inside, axis=1)
        size = np.maximum(np.linalg.norm(result[:, 1:], axis=1), 1e-9)
        return result[:, 0] + beyond, result[:, 1:] / size[:, None]


def _surface_samples(vertices: FloatArray, triangles: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
    """Points on a surface no further apart than about _SAMPLE_SPACING, and their triangles' normals."""
    corners = vertices[triangles]
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    parts = np.clip(np.ceil(edges / _SAMPLE_SPACING).astype(int), 1, 60)
    samples, facing = [], []
    for n in np.unique(parts):
        # Centres of the small triangles that point the same way.
        u, v = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        u, v = u[u + v < n], v[u + v < n]
        weights = np.column_stack([u + 1 / 3, v + 1 / 3, n - u - v - 2 / 3]) / n
        mine = parts == n
        samples.append(np.einsum("wk,tkd->twd", weights, corners[mine]).reshape(-1, 3))
        facing.append(np.repeat(normals[mine], len(weights), axis=0))
    return np.concatenate(samples), np.concatenate(facing)


@dataclass(frozen=True)
class GraspObject:
    """Bounding shape of what is to be grasped.

    Attributes:
        shape: "ellipsoid" (a ball has equal half extents), "box", "cylinder" (axis z) or "mesh".
        half_extents: [m], shape (3,).
        centre: [m], shape (3,); z at least half_extents[2] above the table's 0 when it lies on it.
        grid: of a mesh's distances about its centre; none for the other shapes.
    """

    shape: str
    half_extents: FloatArray
    centre: FloatArray
    grid: DistanceGrid | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.shape not in _SHAPES or (self.shape == "mesh") != (self.grid is not None):
            raise ValueError(
                f"shape: {self.shape!r} is unknown; give 'ellipsoid', 'box' or 'cylinder', or use of_mesh"
            )
        half, centre = np.asarray(self.half_extents, dtype=float), np.asarray(self.centre, dtype=float)
        if half.shape != (3,) or not ((half > 0.002) & (half < 0.2)).all():
            raise ValueError(f"half_extents: {half} m; give three values between 2 and 200 mm")
        if centre.shape != (3,) or not np.isfinite(centre).all():
            raise ValueError(f"centre: {centre}; give three finite values")
        object.__setattr__(self, "half_extents", half)
        object.__setattr__(self, "centre", centre)

    @classmethod
    def ball(cls, radius: float, centre: ArrayLike | None = None) -> GraspObject:
        """A ball, by default resting on the table at the origin."""
        return cls("ellipsoid", np.full(3, radius), np.array([0, 0, radius] if centre is None else centre))

    @classmethod
    def around(cls, vertices: ArrayLike, shape: str = "ellipsoid") -> GraspObject:
        """Bounding shape of a mesh by its axis-aligned extents, vertices (n, 3) [m]."""
        vertices = np.asarray(vertices, dtype=float)
        lower, upper = vertices.min(axis=0), vertices.max(axis=0)
        return cls(shape, 0.5 * (upper - lower), 0.5 * (upper + lower))

    @classmethod
    def of_mesh(cls, vertices: ArrayLike, triangles: ArrayLike) -> GraspObject:
        """A closed, outward surface itself, vertices (n, 3) [m] as it lies on the table."""
        vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
        lower, upper = vertices.min(axis=0), vertices.max(axis=0)
        centre = 0.5 * (upper + lower)
        return cls("mesh", 0.5 * (upper - lower), centre, DistanceGrid.of(vertices - centre, triangles))

    @classmethod
    def part_of(
        cls, vertices: ArrayLike, triangles: ArrayLike, centre: ArrayLike, half_extents: ArrayLike
    ) -> GraspObject:
        """A part of a closed, outward surface, such as a handle: the hand takes hold there, all of it is in the way.

        Args:
            vertices, triangles: the whole surface as it lies on the table [m].
            centre, half_extents: box around the part [m].
        """
        centre = np.asarray(centre, dtype=float)
        grid = DistanceGrid.of(
            np.asarray(vertices, dtype=float) - centre, np.asarray(triangles, dtype=np.int64)
        )
        return cls("mesh", np.asarray(half_extents, dtype=float), centre, grid)

    @property
    def foot(self) -> float:
        """Height of the lowest point over the table [m]."""
        return float(self.centre[2] - self.half_extents[2])

    @property
    def turns_freely(self) -> bool:
        """Whether a turn about the vertical changes nothing."""
        return self.shape in ("ellipsoid", "cylinder") and self.half_extents[0] == self.half_extents[1]

    def distance(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Approximate signed distance (n,) [m] and outward unit normals (n, 3) at points (n, 3)."""
        p, half = points - self.centre, self.half_extents
        if self.grid is not None:
            return self.grid(p)
        if self.shape == "ellipsoid":
            scaled = np.linalg.norm(p / half, axis=1)
            gradient = p / half**2
            size = np.maximum(np.linalg.norm(gradient, axis=1), 1e-9)
            return scaled * (scaled - 1.0) / size, gradient / size[:, None]
        if self.shape == "cylinder":
            radial = np.maximum(np.hypot(p[:, 0], p[:, 1]), 1e-9)
            excess = np.column_stack([radial - half[0], np.abs(p[:, 2]) - half[2]])
            axes = np.zeros((len(p), 2, 3))
            axes[:, 0, :2] = p[:, :2] / radial[:, None]
            axes[:, 1, 2] = np.sign(p[:, 2])
        else:
            excess = np.abs(p) - half
            axes = np.sign(p)[:, :, None] * np.eye(3)[None]
        outside = np.maximum(excess, 0.0)
        length = np.linalg.norm(outside, axis=1)
        normal = np.einsum("nk,nkd->nd", outside, axes) / np.maximum(length, 1e-12)[:, None]
        inner = axes[np.arange(len(p)), excess.argmax(axis=1)]
        inside = length <= 1e-12
        return np.where(inside, excess.max(axis=1), length), np.where(inside[:, None], inner, normal)
