# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read a surface or a tetrahedral mesh from a file, repaired, checked, in metres."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from .check import UNITS, check_size, check_surface
from .errors import MeshError
from .formats import read_raw
from .raw_mesh import RawMesh
from .repair import repair_soup
from .surface_mesh import MeshReport, SurfaceMesh, checked_arrays
from .tetrahedral_mesh import TetrahedralMesh
from .topology import edge_table, tetrahedra_boundary

HAND_HOLDABLE = (0.015, 0.25)  # largest side of a body [m]


def load_mesh(
    path: str | Path,
    *,
    unit: str = "m",
    scale: float = 1.0,
    require_closed: bool = True,
    size_range: tuple[float, float] | None = HAND_HOLDABLE,
    repair: bool = True,
) -> SurfaceMesh:
    """Read a surface; of a file with tetrahedra, their boundary.

    Args:
        path: .stl, .obj, .ply, .off, .vtk (legacy), .vtu, .msh (Gmsh), .glb or .gltf file.
        unit: length unit of the file: "m", "cm", "mm" or "in".
        scale: extra factor on all lengths, > 0.
        require_closed: refuse a surface with open edges.
        size_range: accepted largest side of the bounding box [m]; None accepts any size.
        repair: merge, drop and turn where needed (see the report); False refuses a mesh that needs more than
            merging coincident vertices.
    Returns:
        The surface in metres, outward, with its report.
    Raises:
        MeshError: one line naming file, defect and remedy.
    """
    raw, triangles, notes = _read_surface(Path(path), unit, scale)
    name = Path(path).name
    mesh = surface_from_arrays(
        raw.points, triangles, name=name, require_closed=require_closed, repair=repair, notes=notes
    )
    check_size(mesh.extent, unit, scale, size_range, name)
    return mesh


def load_soup(
    path: str | Path,
    *,
    unit: str = "m",
    scale: float = 1.0,
    size_range: tuple[float, float] | None = HAND_HOLDABLE,
) -> SurfaceMesh:
    """Read a surface whatever its state: repaired as in load_mesh, but open and crossing triangles stay.

    Args:
        path, unit, scale, size_range: as in load_mesh.
    Raises:
        MeshError: no triangle with an area, outside the size range, or the file cannot be read.
    """
    raw, triangles, notes = _read_surface(Path(path), unit, scale)
    name = Path(path).name
    soup = repair_soup(*checked_arrays(raw.points, triangles, 3, name))
    if not len(soup.triangles):
        raise MeshError(name, "no triangle with an area is left", "check the export")
    mesh = SurfaceMesh(soup.vertices, soup.triangles, name, MeshReport(**soup.counts, notes=notes))  # type: ignore[arg-type]
    check_size(mesh.extent, unit, scale, size_range, name)
    return mesh


def surface_from_arrays(
    vertices: np.ndarray,
    triangles: np.ndarray,
    *,
    name: str = "mesh",
    require_closed: bool = True,
    repair: bool = True,
    notes: tuple[str, ...] = (),
) -> SurfaceMesh:
    """Repair and check a surface given as arrays.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) vertex indices.
        name: for messages.
        require_closed, repair: as in load_mesh.
        notes: further lines for the report.
    Raises:
        MeshError: as in load_mesh.
    """
    vertices, triangles = checked_arrays(vertices, triangles, 3, name)
    soup = repair_soup(vertices, triangles)
    report = MeshReport(**soup.counts, notes=notes)
    if not repair and replace(report, vertices_merged=0).changed:
        raise MeshError(name, f"needs repair: {', '.join(report.changes())}", "load it with repair=True")
    counts = check_surface(soup.vertices, soup.triangles, name, require_closed=require_closed)
    return SurfaceMesh(soup.vertices, soup.triangles, name, replace(report, **counts))  # type: ignore[arg-type]


def load_tetrahedra(
    path: str | Path,
    *,
    unit: str = "m",
    scale: float = 1.0,
    size_range: tuple[float, float] | None = HAND_HOLDABLE,
) -> TetrahedralMesh:
    """Read a tetrahedral mesh from a VTK, VTU or Gmsh file; nodes no tetrahedron uses are dropped.

    Args:
        path, unit, scale, size_range: as in load_mesh.
    Returns:
        Tetrahedra in metres, all of positive volume.
    Raises:
        MeshError: no tetrahedra in the file, one without volume, or as in load_mesh.
    """
    factor = _length_factor(unit, scale)
    path = Path(path)
    raw = read_raw(path)
    if raw.tetrahedra is None:
        raise MeshError(
            path.name,
            "a surface without tetrahedra",
            "make them first: softcontact mesh tetrahedralise FILE OUT",
        )
    checked_arrays(raw.points, raw.tetrahedra, 4, path.name)
    used, tetrahedra = np.unique(raw.tetrahedra, return_inverse=True)
    mesh = TetrahedralMesh(raw.points[used] * factor, tetrahedra.reshape(-1, 4), path.name)
    check_size(np.ptp(mesh.nodes, axis=0), unit, scale, size_range, path.name)
    return mesh


def _read_surface(path: Path, unit: str, scale: float) -> tuple[RawMesh, np.ndarray, tuple[str, ...]]:
    factor = _length_factor(unit, scale)
    raw = read_raw(path)
    raw.points = raw.points * factor
    return raw, *_surface_of(raw, path.name)


def _length_factor(unit: str, scale: float) -> float:
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(map(repr, UNITS))}, got {unit!r}")
    if not (scale > 0 and np.isfinite(scale)):
        raise ValueError(f"scale must be a finite number > 0, got {scale}")
    return UNITS[unit] * scale


def _surface_of(raw: RawMesh, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Triangles of the file: its faces, or the boundary of its tetrahedra where the faces are not all."""
    ignored = (*raw.notes, *(f"{count} {kind} cells ignored" for kind, count in raw.others.items()))
    faces = raw.triangles(name)
    split = sum(len(group) for group in raw.polygons if group.shape[1] > 3)
    if split:
        ignored += (f"{split} quads and polygons cut into triangles",)
    if raw.tetrahedra is None:
        return faces, ignored
    if len(faces) and np.all(edge_table(faces).count == 2):
        return faces, (*ignored, f"{len(raw.tetrahedra)} tetrahedra ignored, the file has a closed surface")
    points, tetrahedra = checked_arrays(raw.points, raw.tetrahedra, 4, name)
    oriented = TetrahedralMesh(points, tetrahedra, name).tetrahedra
    boundary = tetrahedra_boundary(oriented)
    skin, boundary = np.unique(boundary, return_inverse=True)
    raw.points = points[skin]  # inner nodes are not left-overs to report
    return np.reshape(boundary, (-1, 3)), (
        *ignored,
        f"surface taken from the boundary of {len(oriented)} tetrahedra",
    )
