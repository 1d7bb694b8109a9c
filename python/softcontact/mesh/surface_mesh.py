# SPDX-License-Identifier: LGPL-2.1-or-later
"""Triangle surfaces with their exact mass properties, and the report of what was changed on the way in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from softcontact.whole_file import write_by

from .errors import MeshError
from .topology import components, edge_table


@dataclass(frozen=True)
class MeshReport:
    """What was found in a mesh and what was changed. Counts; 0 means nothing of the kind."""

    vertices_merged: int = 0
    vertices_unreferenced: int = 0  # dropped
    triangles_duplicate: int = 0  # dropped
    triangles_degenerate: int = 0  # zero area, dropped
    edges_turned: int = 0  # turned so that a zero-area triangle could be dropped without opening a slit
    triangles_flipped: int = 0  # turned to agree with their neighbours
    components_turned: int = 0  # turned as a whole to face outwards
    components: int = 1
    cavities: int = 0  # closed components inside another one, facing inwards
    open_edges: int = 0
    nonmanifold_edges: int = 0
    self_intersections: int = 0
    needles: int = 0  # triangles lower than a thousandth of their longest side, kept
    notes: tuple[str, ...] = field(default=())

    @property
    def changed(self) -> bool:
        """Whether the mesh differs from what was read."""
        return bool(self.changes())

    def changes(self) -> list[str]:
        """One short text for each kind of change made."""
        texts = {
            "vertices_merged": "coincident vertices merged",
            "vertices_unreferenced": "unreferenced vertices dropped",
            "triangles_duplicate": "duplicate triangles dropped",
            "triangles_degenerate": "zero-area triangles dropped",
            "edges_turned": "edges turned around zero-area triangles",
            "triangles_flipped": "triangles flipped to agree with their neighbours",
            "components_turned": "components turned to face outwards",
        }
        return [f"{getattr(self, name)} {text}" for name, text in texts.items() if getattr(self, name)]

    def findings(self) -> list[str]:
        """One short text for each finding that was left as it is."""
        found = [f"{self.components} separate components"] if self.components > 1 else []
        texts = {
            "cavities": "components enclosed by another one, kept as cavities",
            "open_edges": "open edges",
            "nonmanifold_edges": "edges with more than two triangles",
            "self_intersections": "pairs of triangles that cross",
            "needles": "needle triangles (height below 1/1000 of the longest side)",
        }
        found += [f"{getattr(self, name)} {text}" for name, text in texts.items() if getattr(self, name)]
        return [*found, *self.notes]

    def lines(self) -> list[str]:
        """All of it as short lines; empty for a mesh taken as it is, in one clean piece."""
        return self.changes() + self.findings()

    def as_dict(self) -> dict[str, int | list[str]]:
        """Plain values for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "notes"} | {
            "notes": list(self.notes)
        }


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """A triangle surface in metres, counter-clockwise seen from outside.

    Args:
        vertices: (n, 3) float64 [m].
        triangles: (m, 3) int32 vertex indices.
        name: used in messages.
        report: what reading and repair changed.
    Raises:
        MeshError: wrong shape, non-finite coordinate, or vertex index out of range.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    name: str = "mesh"
    report: MeshReport = field(default_factory=MeshReport)

    def __post_init__(self) -> None:
        vertices, triangles = checked_arrays(self.vertices, self.triangles, 3, self.name)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)

    @cached_property
    def triangle_areas(self) -> np.ndarray:
        """(m,) areas [m²]."""
        a, b, c = self._corners()
        return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)

    @property
    def area(self) -> float:
        """Total area [m²]."""
        return float(self.triangle_areas.sum())

    @cached_property
    def triangle_normals(self) -> np.ndarray:
        """(m, 3) unit normals, outwards on an oriented mesh; zero rows for zero-area triangles."""
        a, b, c = self._corners()
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        return np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)

    @cached_property
    def is_closed(self) -> bool:
        """Whether each edge joins exactly two triangles that agree on the outside."""
        edges = edge_table(self.triangles)
        return bool(np.all(edges.count == 2)) and not len(edges.inconsistent_edges)

    @property
    def volume(self) -> float:
        """Enclosed volume [m³], positive for outward triangles. Meaningful for a closed mesh only."""
        return self._moments[0]

    @property
    def center_of_mass(self) -> np.ndarray:
        """(3,) centre of mass of the homogeneous solid inside [m]."""
        return self._moments[1].copy()

    def inertia(self, density: float = 1.0) -> np.ndarray:
        """(3, 3) inertia about the centre of mass of the homogeneous solid [kg·m²].

        Args:
            density: [kg/m³], > 0.
        """
        if not density > 0:
            raise ValueError(f"density must be > 0 kg/m³, got {density}")
        return density * self._moments[2]

    @property
    def bounds(self) -> np.ndarray:
        """(2, 3) smallest and largest coordinates [m]."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @property
    def extent(self) -> np.ndarray:
        """(3,) sides of the bounding box [m]."""
        return self.bounds[1] - self.bounds[0]

    @cached_property
    def component_count(self) -> int:
        """Number of pieces that share no edge."""
        return components(self.triangles)[0]

    def scaled(self, factor: float) -> SurfaceMesh:
        """The mesh with all coordinates multiplied by factor > 0."""
        if not (factor > 0 and np.isfinite(factor)):
            raise ValueError(f"factor must be a finite number > 0, got {factor}")
        return replace(self, vertices=self.vertices * factor)

    def transformed(
        self, rotation: np.ndarray | None = None, translation: np.ndarray | None = None
    ) -> SurfaceMesh:
        """The mesh turned, then moved.

        Args:
            rotation: (3, 3) proper rotation matrix, or None.
            translation: (3,) [m], or None.
        """
        return replace(self, vertices=moved_points(self.vertices, rotation, translation))

    def save(self, path: str | Path) -> None:
        """Write the surface in metres; the ending of path names the format (STL, OBJ, PLY, OFF, VTK, VTU).

        Raises:
            OSError: it cannot be written; a file that was there is as it was.
        """
        import meshio

        mesh = meshio.Mesh(self.vertices, [("triangle", self.triangles)])
        write_by(Path(path), mesh.write)

    def _corners(self) -> np.ndarray:
        return self.vertices[self.triangles].transpose(1, 0, 2)

    @cached_property
    def _moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume, centre, and inertia about the centre at unit density.

        Sums over the tetrahedra from a point near the mesh to each triangle; the second moment of a
        tetrahedron (0, a, b, c) is det/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.
        Source: Tonon 2005, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1.
        """
        reference = 0.5 * (self.bounds[0] + self.bounds[1])  # keeps the sums free of cancellation far from 0
        corners = self._corners() - reference
        determinant = np.einsum("ij,ij->i", corners[0], np.cross(corners[1], corners[2]))
        total = corners.sum(axis=0)
        volume = determinant.sum() / 6.0
        if volume == 0.0:
            return 0.0, reference, np.zeros((3, 3))
        center = np.einsum("i,ij->j", determinant, total) / (24.0 * volume)
        second = sum(np.einsum("i,ij,ik->jk", determinant, p, p) for p in (total, *corners)) / 120.0
        second -= volume * np.outer(center, center)
        return float(volume), center + reference, np.trace(second) * np.eye(3) - second


_FARTHEST = 1e12  # of a coordinate [m]


def checked_arrays(
    points: np.ndarray, cells: np.ndarray, width: int, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Points as (n, 3) float64 and cells as (m, width) int32, contiguous and read-only.

    Raises:
        MeshError: wrong shape, non-finite coordinate, or index out of range.
    """
    points = np.array(points, dtype=np.float64, order="C")
    cells = np.array(cells)
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(name, f"points have shape {points.shape}", "give an array of shape (n, 3)")
    if cells.ndim != 2 or cells.shape[1] != width or not np.issubdtype(cells.dtype, np.integer):
        raise MeshError(
            name,
            f"cells have shape {cells.shape} and type {cells.dtype}",
            f"give integers of shape (m, {width})",
        )
    if len(points) == 0 or len(cells) == 0:
        raise MeshError(name, f"{len(points)} points and {len(cells)} cells", "give a mesh that is not empty")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise MeshError(
            name,
            f"{len(bad)} of {len(points)} vertices are not finite (first: {bad[0]} = {points[bad[0]]})",
            "correct or remove these vertices and export again",
        )
    far = int(np.abs(points).max(axis=1).argmax())
    if np.abs(points[far]).max() > _FARTHEST:
        raise MeshError(
            name,
            f"vertex {far} lies at {points[far]}, farther out than {_FARTHEST:g}, where distances overflow",
            "correct it and export again",
        )
    bad = np.flatnonzero((cells < 0).any(axis=1) | (cells >= len(points)).any(axis=1))
    if len(bad):
        raise MeshError(
            name,
            f"{len(bad)} cells name vertices outside 0 to {len(points) - 1}, the first is cell {bad[0]} ="
            f" {cells[bad[0]].tolist()}",
            "the file may be cut off or counts from another start index: export it again",
        )
    cells = np.ascontiguousarray(cells, dtype=np.int32)
    points.setflags(write=False)
    cells.setflags(write=False)
    return points, cells


def moved_points(
    points: np.ndarray, rotation: np.ndarray | None, translation: np.ndarray | None
) -> np.ndarray:
    """Points (n, 3) turned by a (3, 3) rotation, then moved by a (3,) translation."""
    if rotation is not None:
        rotation = np.asarray(rotation, dtype=float)
        if rotation.shape != (3, 3) or not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-9):
            raise ValueError("rotation must be an orthonormal (3, 3) matrix")
        if np.linalg.det(rotation) < 0:
            raise ValueError("rotation mirrors the mesh (determinant -1): give a proper rotation")
        points = points @ rotation.T
    if translation is not None:
        translation = np.asarray(translation, dtype=float)
        if translation.shape != (3,) or not np.isfinite(translation).all():
            raise ValueError(f"translation must be three finite numbers, got {translation}")
        points = points + translation
    return points
