# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tetrahedral meshes for soft bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from softcontact.whole_file import write_by

from .errors import MeshError
from .surface_mesh import SurfaceMesh, checked_arrays, moved_points
from .topology import tetrahedra_boundary


@dataclass(frozen=True, eq=False)
class TetrahedralMesh:
    """Linear tetrahedra in metres, all of positive volume det(b - a, c - a, d - a) / 6.

    Args:
        nodes: (n, 3) float64 [m].
        tetrahedra: (m, 4) int32 node indices; negatively oriented ones are turned by swapping two nodes.
        name: used in messages.
    Raises:
        MeshError: wrong shape, non-finite coordinate, index out of range, or a tetrahedron without volume.
    """

    nodes: np.ndarray
    tetrahedra: np.ndarray
    name: str = "tetrahedra"

    def __post_init__(self) -> None:
        nodes, tetrahedra = checked_arrays(self.nodes, self.tetrahedra, 4, self.name)
        volumes = _signed_volumes(nodes, tetrahedra)
        longest = _edge_lengths(nodes, tetrahedra).max(axis=1)
        flat = np.flatnonzero(~(np.abs(volumes) > 1e-9 * longest**3))
        if len(flat):
            raise MeshError(
                self.name,
                f"{len(flat)} of {len(tetrahedra)} tetrahedra have no volume, the first is {flat[0]}",
                "mesh the body again, with another edge length",
            )
        tetrahedra = tetrahedra.copy()
        turned = volumes < 0
        tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
        tetrahedra.setflags(write=False)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "tetrahedra", tetrahedra)

    @cached_property
    def volumes(self) -> np.ndarray:
        """(m,) volumes [m³], all positive."""
        return _signed_volumes(self.nodes, self.tetrahedra)

    @property
    def volume(self) -> float:
        """Total volume [m³]."""
        return float(self.volumes.sum())

    @cached_property
    def quality(self) -> np.ndarray:
        """(m,) mean ratio 12 (3 V)^(2/3) / Σ l²: 1 for the regular tetrahedron, 0 for a flat one.

        Source: Liu and Joe 1994, Relationship between tetrahedron shape measures, BIT 34, 268.
        """
        squared = (_edge_lengths(self.nodes, self.tetrahedra) ** 2).sum(axis=1)
        return 12.0 * (3.0 * self.volumes) ** (2.0 / 3.0) / squared

    @property
    def mean_edge_length(self) -> float:
        """Mean over all tetrahedra of their edge lengths [m]."""
        return float(_edge_lengths(self.nodes, self.tetrahedra).mean())

    @property
    def bounds(self) -> np.ndarray:
        """(2, 3) smallest and largest coordinates [m]."""
        return np.array([self.nodes.min(axis=0), self.nodes.max(axis=0)])

    @cached_property
    def boundary(self) -> np.ndarray:
        """(k, 3) outward boundary triangles, as node indices."""
        return tetrahedra_boundary(self.tetrahedra)

    def surface(self) -> tuple[SurfaceMesh, np.ndarray]:
        """The boundary as a mesh of its own.

        Returns:
            Surface with k vertices, and the node index (k,) of each of them.
        """
        node_of, triangles = np.unique(self.boundary, return_inverse=True)
        return SurfaceMesh(self.nodes[node_of], triangles.reshape(-1, 3), f"{self.name} surface"), node_of

    def embed(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tie points to the tetrahedra: each is the weighted sum of four nodes, also after they move.

        A point outside every tetrahedron is tied to the one it violates least (a weight is then negative).

        Args:
            points: (k, 3) [m].
        Returns:
            Node indices (k, 4) and weights (k, 4) that sum to 1.
        """
        points = np.asarray(points, dtype=float)
        a = self.nodes[self.tetrahedra[:, 0]]
        inverse = np.linalg.inv((self.nodes[self.tetrahedra[:, 1:]] - a[:, None]).transpose(0, 2, 1))
        best = np.empty(len(points), dtype=np.int64)
        weights = np.empty((len(points), 4))
        for k, point in enumerate(points):
            inner = np.einsum("mij,mj->mi", inverse, point - a)
            smallest = np.minimum(inner.min(axis=1), 1.0 - inner.sum(axis=1))
            best[k] = np.argmax(smallest)
            weights[k, 1:] = inner[best[k]]
        weights[:, 0] = 1.0 - weights[:, 1:].sum(axis=1)
        return self.tetrahedra[best], weights

    def scaled(self, factor: float) -> TetrahedralMesh:
        """The mesh with all coordinates multiplied by factor > 0."""
        if not (factor > 0 and np.isfinite(factor)):
            raise ValueError(f"factor must be a finite number > 0, got {factor}")
        return replace(self, nodes=self.nodes * factor)

    def transformed(
        self, rotation: np.ndarray | None = None, translation: np.ndarray | None = None
    ) -> TetrahedralMesh:
        """The mesh turned by a (3, 3) rotation, then moved by a (3,) translation [m]."""
        return replace(self, nodes=moved_points(self.nodes, rotation, translation))

    def save(self, path: str | Path) -> None:
        """Write the mesh in metres; the ending of path names the format (VTU, VTK, MSH).

        Raises:
            OSError: it cannot be written; a file that was there is as it was.
        """
        import meshio

        mesh = meshio.Mesh(self.nodes, [("tetra", self.tetrahedra)])
        write_by(Path(path), mesh.write)


def _signed_volumes(nodes: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    a, b, c, d = nodes[tetrahedra].transpose(1, 0, 2)
    return np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6.0


def _edge_lengths(nodes: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    corners = nodes[tetrahedra]
    first, second = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]).T
    return np.linalg.norm(corners[:, first] - corners[:, second], axis=2)
