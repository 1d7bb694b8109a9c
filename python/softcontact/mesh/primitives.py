# SPDX-License-Identifier: LGPL-2.1-or-later
"""Closed outward surfaces of simple bodies, centred at the origin unless said otherwise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from .surface_mesh import SurfaceMesh


def box(
    size: Sequence[float] | float = 0.05, divisions: Sequence[int] | int = 1, name: str = "box"
) -> SurfaceMesh:
    """A box with its sides along the axes.

    Args:
        size: three side lengths, or one for a cube [m].
        divisions: squares along x, y, z, or one number for all; each square is two triangles.
    """
    sides = positive_triple(size, "size")
    counts = integer_triple(divisions, "divisions")
    corners: list[np.ndarray] = []
    for axis, positive in itertools.product(range(3), (False, True)):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        grid = np.zeros((counts[u] + 1, counts[v] + 1, 3), dtype=np.int64)
        grid[..., u] = np.arange(counts[u] + 1)[:, None]
        grid[..., v] = np.arange(counts[v] + 1)[None, :]
        grid[..., axis] = counts[axis] if positive else 0
        quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2).reshape(
            -1, 4, 3
        )
        corners.append(quads if positive else quads[:, ::-1])
    lattice, index = np.unique(np.concatenate(corners).reshape(-1, 3), axis=0, return_inverse=True)
    quads = np.reshape(index, (-1, 4))
    triangles = quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return SurfaceMesh((lattice / counts - 0.5) * sides, triangles, name)


def table(
    size: Sequence[float] = (0.4, 0.4), thickness: float = 0.02, divisions: int = 1, name: str = "table"
) -> SurfaceMesh:
    """A slab whose upper face lies in the plane z = 0, centred in x and y.

    Args:
        size: side lengths along x and y [m].
        thickness: [m].
        divisions: squares along x and along y.
    """
    x, y = size
    slab = box((x, y, thickness), (divisions, divisions, 1), name)
    return slab.transformed(translation=np.array([0.0, 0.0, -0.5 * thickness]))


def sphere(radius: float = 0.03, frequency: int = 8, name: str = "sphere") -> SurfaceMesh:
    """A geodesic sphere: each face of an icosahedron cut into frequency² triangles, vertices on the sphere.

    Args:
        radius: [m].
        frequency: triangles along an edge of the icosahedron; 10 f² + 2 vertices, 20 f² triangles.
    """
    positive_length(radius, "radius")
    directions, triangles = geodesic_sphere(whole_number(frequency, "frequency", 1))
    return SurfaceMesh(radius * directions, triangles, name)


def cylinder(
    radius: float = 0.02,
    height: float = 0.1,
    segments: int = 32,
    layers: int = 4,
    rings: int = 2,
    name: str = "cylinder",
) -> SurfaceMesh:
    """A capped cylinder along z.

    Args:
        radius, height: [m].
        segments: corners of the circle, >= 3 (the mesh lies inside the true cylinder).
        layers: strips along the side.
        rings: rings on each cap, the innermost a fan.
    """
    positive_length(radius, "radius")
    positive_length(height, "height")
    segments, layers, rings = (
        whole_number(n, what, low)
        for n, what, low in ((segments, "segments", 3), (layers, "layers", 1), (rings, "rings", 1))
    )
    # A profile from the middle of the lower cap over the side to that of the upper one, turned around z.
    inner = radius * np.arange(1, rings) / rings
    side = height * (np.arange(layers + 1) / layers - 0.5)
    profile = (
        [(r, side[0]) for r in inner] + [(radius, z) for z in side] + [(r, side[-1]) for r in inner[::-1]]
    )
    return revolved(profile, segments, name)


def capsule(
    radius: float = 0.02, height: float = 0.06, segments: int = 32, name: str = "capsule"
) -> SurfaceMesh:
    """A cylinder along z with a half ball on either end.

    Args:
        radius: [m].
        height: length between the centres of the end balls [m].
        segments: corners of the circle, >= 3; a quarter of them around each half ball.
    """
    positive_length(radius, "radius")
    positive_length(height, "height")
    rings = max(2, whole_number(segments, "segments", 3) // 4)
    angle = 0.5 * np.pi * np.arange(rings) / rings  # from the equator to near the pole
    rise = np.sin(angle)[1:]
    width = radius * np.cos(angle)[1:]
    half = 0.5 * height
    lower = [(r, -half - radius * z) for r, z in zip(width[::-1], rise[::-1], strict=True)]
    upper = [(r, half + radius * z) for r, z in zip(width, rise, strict=True)]
    surface = revolved([*lower, (radius, -half), (radius, half), *upper], segments, name)
    vertices = surface.vertices.copy()
    vertices[-2:, 2] = (-half - radius, half + radius)  # the fans' middles are the poles
    return SurfaceMesh(vertices, surface.triangles, name)


def revolved(
    profile: Sequence[tuple[float, float]], segments: int = 32, name: str = "revolved"
) -> SurfaceMesh:
    """A closed surface: a profile turned around z, its first and last circle filled by a fan each.

    Args:
        profile: (radius, z) [m] from the lower end outward to the upper one, radii > 0.
        segments: corners of each circle, >= 3.
    """
    segments = whole_number(segments, "segments", 3)
    points = np.asarray(profile, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not (points[:, 0] > 0.0).all():
        raise ValueError("profile: give at least two points (radius, z), every radius > 0 m")
    angle = 2.0 * np.pi * np.arange(segments) / segments
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = [np.column_stack([r * circle, np.full(segments, z)]) for r, z in points]
    poles = np.array([[0.0, 0.0, points[0, 1]], [0.0, 0.0, points[-1, 1]]])
    ring = np.arange(segments)
    following = np.roll(ring, -1)
    triangles = []
    for k in range(len(points) - 1):
        a, b, c, d = (
            k * segments + ring,
            k * segments + following,
            *((k + 1) * segments + r for r in (following, ring)),
        )
        triangles += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    bottom, top = len(points) * segments, len(points) * segments + 1
    last = (len(points) - 1) * segments
    triangles.append(np.column_stack([np.full(segments, bottom), following, ring]))
    triangles.append(np.column_stack([np.full(segments, top), last + ring, last + following]))
    return SurfaceMesh(np.concatenate([*vertices, poles]), np.concatenate(triangles), name)


def geodesic_sphere(frequency: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (10 f² + 2, 3) and outward triangles (20 f², 3) of the subdivided icosahedron."""
    corners, faces = icosahedron()
    weights = np.array(
        [(frequency - i - j, i, j) for i in range(frequency + 1) for j in range(frequency + 1 - i)],
        dtype=np.int64,
    )
    index = {(int(i), int(j)): k for k, (_, i, j) in enumerate(weights)}
    local = []
    for i in range(frequency):
        for j in range(frequency - i):
            local.append((index[i, j], index[i + 1, j], index[i, j + 1]))
            if i + j < frequency - 1:
                local.append((index[i + 1, j], index[i + 1, j + 1], index[i, j + 1]))
    # A vertex is named by its integer weights on the 12 corners: exact welding across faces.
    names = np.zeros((len(faces), len(weights), len(corners)), dtype=np.int64)
    np.put_along_axis(
        names, np.broadcast_to(faces[:, None, :], (len(faces), len(weights), 3)), weights[None], axis=2
    )
    unique, inverse = np.unique(names.reshape(-1, len(corners)), axis=0, return_inverse=True)
    triangles = np.reshape(inverse, (len(faces), -1))[:, np.array(local)].reshape(-1, 3)
    points = unique @ corners
    return points / np.linalg.norm(points, axis=1, keepdims=True), triangles


def icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """Corners (12, 3) on the unit sphere and outward faces (20, 3)."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    corners = np.array(
        [np.roll([0.0, s, t * golden], shift) for shift in range(3) for s in (-1, 1) for t in (-1, 1)]
    )
    edge = 2.0
    near = np.abs(np.linalg.norm(corners[:, None] - corners[None], axis=2) - edge) < 1e-9
    faces = [
        f for f in itertools.combinations(range(12), 3) if all(near[p] for p in itertools.combinations(f, 2))
    ]
    outward = [f if np.linalg.det(corners[list(f)]) > 0 else f[::-1] for f in faces]
    return corners / np.linalg.norm(corners[0]), np.array(outward)


def positive_triple(value: Sequence[float] | float, what: str) -> np.ndarray:
    """Three finite lengths > 0, from three or from one."""
    triple = np.array(np.broadcast_to(np.asarray(value, dtype=float), 3))
    if not (np.all(triple > 0) and np.isfinite(triple).all()):
        raise ValueError(f"{what} must be finite lengths > 0 m, got {value}")
    return triple


def integer_triple(value: Sequence[int] | int, what: str) -> np.ndarray:
    """Three integers >= 1, from three or from one."""
    triple = np.array(np.broadcast_to(np.asarray(value), 3))
    if not np.issubdtype(triple.dtype, np.integer) or np.any(triple < 1):
        raise ValueError(f"{what} must be integers >= 1, got {value}")
    return triple


def positive_length(value: float, what: str) -> None:
    """Refuse a length that is not finite and > 0."""
    if not (value > 0 and np.isfinite(value)):
        raise ValueError(f"{what} must be a finite length > 0 m, got {value}")


def whole_number(value: int, what: str, low: int) -> int:
    """The value as an integer, refused when it is below low or has a fraction."""
    if value != int(value) or value < low:
        raise ValueError(f"{what} must be an integer >= {low}, got {value}")
    return int(value)
