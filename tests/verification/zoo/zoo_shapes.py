# SPDX-License-Identifier: LGPL-2.1-or-later
"""Solids as the judge sees them: support functions, exact depths of points, and closed meshes by winding number.

Nothing here uses the contact code of the package; all of it is NumPy on closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

PLANE_DEPTH = 10.0  # [m] of the slab that stands for a half-space
RIM = 64  # directions that a rim's tangents are tried at


@dataclass(frozen=True)
class Convex:
    """A convex solid in body axes: the hull of some points or a disc, swept by a ball.

    Attributes:
        core: points (k, 3) whose hull it is [m].
        radius: of the ball that sweeps the core [m].
        disc: radius of a disc about z that the core is swept with as well [m].
        normals: of its faces (m, 3).
        edges: directions of its edges (l, 3).
        volume: [m³].
        inertia: about the origin, for density 1 (3, 3) [m⁵].
        centre: of mass (3,) [m].
    """

    core: np.ndarray
    radius: float = 0.0
    disc: float = 0.0
    normals: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    edges: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    volume: float = 0.0
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def support(self, directions: np.ndarray) -> np.ndarray:
        """Largest coordinate along each unit direction (k, 3) → (k,) [m]."""
        reach = (directions @ self.core.T).max(axis=1) + self.radius
        return reach + self.disc * np.hypot(directions[:, 0], directions[:, 1]) if self.disc else reach

    def depth(self, points: np.ndarray) -> np.ndarray:
        """How far inside points (k, 3) lie (k,) [m]; negative outside, where it is no distance."""
        if self.disc:
            side = self.disc - np.hypot(points[:, 0], points[:, 1])
            return np.minimum(side, self.core[:, 2].max() - np.abs(points[:, 2]))
        if self.radius:
            a, b = self.core[0], self.core[-1]
            along = np.clip((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0.0, 1.0)
            return self.radius - np.linalg.norm(points - a - along[:, None] * (b - a), axis=1)
        faces = (self.core @ self.normals.T).max(axis=0)
        return (faces - points @ self.normals.T).min(axis=1)

    def samples(self) -> np.ndarray:
        """Points on its surface (k, 3) [m]."""
        directions = sphere_directions(400)
        if self.disc:
            angle, h = np.linspace(0, 2 * np.pi, 48, endpoint=False), self.core[:, 2].max()
            ring = np.column_stack([np.cos(angle), np.sin(angle)])
            rings = [np.column_stack([self.disc * ring, np.full(48, z)]) for z in np.linspace(-h, h, 9)]
            caps = [
                np.column_stack([s * self.disc * ring, np.full(48, z)])
                for s in (0, 0.25, 0.5, 0.75)
                for z in (-h, h)
            ]
            return np.concatenate([*rings, *caps])
        if self.radius:
            a, b = self.core[0], self.core[-1]
            return np.concatenate(
                [
                    a + s * (b - a) + self.radius * directions
                    for s in np.linspace(0, 1, 5 if (a != b).any() else 1)
                ]
            )
        triangles = self.core[ConvexHull(self.core).simplices]
        return np.concatenate([barycentric(triangles, 6).reshape(-1, 3), self.core])


def sphere_directions(count: int) -> np.ndarray:
    """Unit vectors (count, 3), evenly spread (Fibonacci's lattice)."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


def barycentric(triangles: np.ndarray, order: int) -> np.ndarray:
    """Points of the lattice of each triangle (m, 3, 3) → (m, k, 3)."""
    weights = (
        np.array([(i, j, order - i - j) for i in range(order + 1) for j in range(order + 1 - i)]) / order
    )
    return np.einsum("kc,mcx->mkx", weights, triangles)


def box(size) -> Convex:
    half = 0.5 * np.array(size, dtype=float)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    squares = (2 * half) ** 2
    volume = float(np.prod(2 * half))
    inertia = volume / 12.0 * np.diag(squares.sum() - squares)
    return Convex(corners, 0, 0, np.vstack([np.eye(3), -np.eye(3)]), np.eye(3), volume, inertia)


def sphere(r: float) -> Convex:
    volume = 4 / 3 * np.pi * r**3
    return Convex(np.zeros((1, 3)), r, volume=volume, inertia=0.4 * volume * r * r * np.eye(3))


def capsule(r: float, length: float) -> Convex:
    side, balls = np.pi * r**2 * length, 4 / 3 * np.pi * r**3
    across = side * (r**2 / 4 + length**2 / 12) + balls * (0.4 * r**2 + length**2 / 4 + 3 / 8 * length * r)
    inertia = np.diag([across, across, (0.5 * side + 0.4 * balls) * r**2])
    return Convex(
        np.array([(0, 0, -length / 2), (0, 0, length / 2)]), r, volume=side + balls, inertia=inertia
    )


def cylinder(r: float, height: float) -> Convex:
    angle = np.linspace(0, 2 * np.pi, RIM, endpoint=False)
    tangents = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(RIM)])
    volume = np.pi * r**2 * height
    across = volume * (r**2 / 4 + height**2 / 12)
    return Convex(
        np.array([(0, 0, -height / 2), (0, 0, height / 2)]),
        0,
        r,
        np.array([(0, 0, 1.0), (0, 0, -1.0)]),
        np.vstack([tangents, [(0, 0, 1.0)]]),
        volume,
        np.diag([across, across, volume * r**2 / 2]),
    )


def hull(vertices) -> Convex:
    """The convex hull of points (n, 3) [m]."""
    points = np.array(vertices, dtype=float)
    made = ConvexHull(points)
    normals = np.unique(made.equations[:, :3].round(9), axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corners = points[made.simplices]
    # Outward order: Qhull's facets come in any.
    flip = (
        np.einsum(
            "ij,ij->i",
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
            made.equations[:, :3],
        )
        < 0
    )
    corners[flip] = corners[flip][:, ::-1]
    sides = np.concatenate(
        [corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1], corners[:, 0] - corners[:, 2]]
    )
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    sides *= np.where(sides[:, :1] < 0, -1, 1)
    edges = np.unique(sides.round(9), axis=0)
    volume, centre, inertia = mesh_moments(corners)
    return Convex(points[made.vertices], 0, 0, normals, edges, volume, inertia, centre)


def mesh_moments(corners: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia about the origin (density 1) of a closed mesh with outward triangles (m, 3, 3)."""
    det = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volume = det.sum() / 6.0
    centre = (det[:, None] * corners.sum(axis=1)).sum(axis=0) / 24.0 / volume
    total = corners.sum(axis=1)
    second = np.einsum("m,mi,mj->ij", det, total, total) + np.einsum("m,mci,mcj->ij", det, corners, corners)
    second /= 120.0
    return float(volume), centre, np.trace(second) * np.eye(3) - second


def winding_number(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Generalised winding number of a closed mesh (m, 3, 3) about points (k, 3): 1 inside, 0 outside.

    Source: van Oosterom & Strackee 1983, The solid angle of a plane triangle, IEEE TBME 30.
    """
    total = np.zeros(len(points))
    for start in range(0, len(points), 256):
        a, b, c = (corners[None, :, k] - points[start : start + 256, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
        top = np.einsum("kmx,kmx->km", a, np.cross(b, c))
        dots = [np.einsum("kmx,kmx->km", x, y) for x, y in ((a, b), (b, c), (c, a))]
        bottom = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
        total[start : start + 256] = np.arctan2(top, bottom).sum(axis=1) / (2 * np.pi)
    return total


def surface_distance(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Distance of points (k, 3) from the nearest of triangles (m, 3, 3) (k,) [m]; Ericson 2004, Sec. 5.1.5."""
    found = np.empty(len(points))
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    bc = corners[:, 2] - corners[:, 1]
    normal = np.cross(ab, ac)
    area = np.einsum("mx,mx->m", normal, normal)
    for start in range(0, len(points), 256):
        p = points[start : start + 256, None] - a[None]
        best = np.full(p.shape[:2], np.inf)
        for origin, side in ((np.zeros_like(a), ab), (np.zeros_like(a), ac), (ab, bc)):
            q = p - origin
            s = np.clip(np.einsum("kmx,mx->km", q, side) / np.einsum("mx,mx->m", side, side), 0, 1)
            best = np.minimum(best, np.linalg.norm(q - s[..., None] * side, axis=2))
        v = np.einsum("kmx,mx->km", np.cross(p, ac[None]), normal) / area
        w = np.einsum("kmx,mx->km", np.cross(ab[None], p), normal) / area
        flat = (v >= 0) & (w >= 0) & (v + w <= 1)
        height = np.abs(np.einsum("kmx,mx->km", p, normal)) / np.sqrt(area)
        found[start : start + 256] = np.where(flat, height, best).min(axis=1)
    return found


def turned(shape: Convex, orientation) -> np.ndarray:
    """Rotation matrix of an orientation, quaternion x y z w (4,)."""
    return Rotation.from_quat(orientation).as_matrix()
