# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact pressure on the vertices of a surface, spread from the forces of its contact points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .recording import Recording, SurfaceTrack

__all__ = ["lumped_areas", "median_edge", "spread_pressure", "vertex_pressures"]

COVER = 0.5  # share of the kernel a surface must cover before a point's whole force is put on it
COARSE = 1.5  # a mesh whose edges exceed this many patch sizes cannot show the patch


def lumped_areas(vertices: NDArray, triangles: NDArray) -> NDArray[np.float64]:
    """A third of the area of each incident triangle [m2], shape (k,)."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.bincount(triangles.ravel(), np.repeat(area / 3.0, 3), minlength=len(vertices))


def median_edge(vertices: NDArray, triangles: NDArray) -> float:
    """Median edge length of a surface [m]."""
    edges = vertices[triangles] - vertices[np.roll(triangles, 1, axis=1)]
    return float(np.median(np.linalg.norm(edges, axis=2)))


def spread_pressure(
    vertices: NDArray, areas: NDArray, points: NDArray, normal_forces: NDArray, radius: float
) -> NDArray[np.float64]:
    """Pressure at the vertices of a surface from forces at points near it.

    p_v = sum_i N_i W_iv / max(sum_u A_u W_iu, COVER),   W(r) = 3/(pi h2) (1 - r2/h2)2 for r < h

    Where the surface covers the kernel, sum_v A_v p_v = sum_i N_i: the picture carries the patch's force.
    A point that lies off the surface fades out instead of being put on whatever vertex is left in reach.

    Args:
        vertices: [m], shape (k, 3).
        areas: lumped vertex areas [m2], shape (k,).
        points: [m], shape (p, 3).
        normal_forces: [N], shape (p,), >= 0.
        radius: h [m], > 0.
    Returns:
        Pressure [Pa], shape (k,).
    """
    pressure = np.zeros(len(vertices))
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    near = np.flatnonzero(np.all((vertices >= low) & (vertices <= high), axis=1))
    if near.size == 0:
        return pressure
    offsets = vertices[near, None, :] - points[None, :, :]
    squared_ratio = np.einsum("vpi,vpi->vp", offsets, offsets) / radius**2
    kernel = 3.0 / (np.pi * radius**2) * np.maximum(1.0 - squared_ratio, 0.0) ** 2
    covered = areas[near] @ kernel
    pressure[near] = kernel @ (normal_forces / np.maximum(covered, COVER))
    return pressure


def _patch_points(patch: dict) -> tuple[NDArray, NDArray, float] | None:
    """Points, their shares of the normal force [N], and area [m2] of a patch; None if it carries no load."""
    normal_force = patch.get("normal_force", float(np.linalg.norm(patch["force"])))
    points, forces = patch.get("points"), patch.get("point_forces")
    if points is None or len(points) == 0:
        points, size = patch["centre"][None, :], np.ones(1)
    else:
        size = np.linalg.norm(forces, axis=1)
    if not (normal_force > 0.0 and size.sum() > 0.0):
        return None
    area = patch.get("area", 0.0)
    if not area > 0.0:
        spread = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
        area = np.pi * spread**2
    return points, normal_force * size / size.sum(), area


def vertex_pressures(recording: Recording) -> dict[str, NDArray[np.float32]]:
    """Pressure [Pa] on each surface that can show it, shape (n_frames, k) by surface name.

    Shown on both surfaces of a patch and on every skin, but not on a table or on too coarse a mesh.
    """
    skins = [surface for surface in recording.surfaces if surface.role == "skin"]
    by_name = {surface.name: surface for surface in recording.surfaces}
    edges: dict[str, float] = {}
    result: dict[str, NDArray[np.float32]] = {}
    for frame, patches in enumerate(recording.patches):
        geometry: dict[str, tuple[NDArray, NDArray]] = {}
        for patch in patches:
            load = _patch_points(patch)
            if load is None:
                continue
            points, normal_forces, area = load
            pair = [by_name[name] for name in (patch["body"], patch["other"]) if name in by_name]
            targets: dict[str, SurfaceTrack] = {s.name: s for s in [*pair, *skins] if s.role != "table"}
            for name, surface in targets.items():
                if name not in geometry:
                    vertices = surface.vertices(frame)
                    geometry[name] = vertices, lumped_areas(vertices, surface.triangles)
                    if name not in edges:
                        edges[name] = median_edge(vertices, surface.triangles)
                if not edges[name] <= COARSE * np.sqrt(area):
                    continue
                radius = max(1.5 * np.sqrt(area / len(points)), 1.3 * edges[name])
                pressure = spread_pressure(*geometry[name], points, normal_forces, radius)
                if pressure.any():
                    shape = (recording.n_frames, surface.n_vertices)
                    result.setdefault(name, np.zeros(shape, np.float32))[frame] += pressure
    return result
