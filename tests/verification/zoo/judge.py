# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges runs from recorded positions and velocities alone: true overlap, energy, momentum.

Overlap of two convex solids is the least translation that parts them, of others the deepest of many surface points;
elastic energy is a sum over tetrahedra of its own. Nothing that the contact code reports is looked at.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import zoo_shapes as geometry
from scipy.spatial.transform import Rotation
from zoo_shapes import Convex

from softcontact.scene import bodies, shapes
from softcontact.scene.surfaces import surface_mesh, tetrahedral_mesh

STARTS, KEPT = 512, 24  # directions tried first, and refined


@dataclass(frozen=True)
class Placed:
    """A solid at one moment: convex with a pose, or the triangles of a closed surface.

    Attributes:
        name: of the body.
        size: diameter of the ball of the same volume [m].
        low, high: corners of its bounding box (3,) [m].
        convex: the solid in body axes, or None.
        position, rotation: of the body axes (3,), (3, 3).
        corners: triangles (m, 3, 3) where it is not convex [m].
    """

    name: str
    size: float
    low: np.ndarray
    high: np.ndarray
    convex: Convex | None = None
    position: np.ndarray | None = None
    rotation: np.ndarray | None = None
    corners: np.ndarray | None = None

    def surface_points(self) -> np.ndarray:
        """Points on its surface, in the world (k, 3) [m]."""
        if self.convex is not None:
            return self.convex.samples() @ self.rotation.T + self.position
        return geometry.barycentric(self.corners, 3).reshape(-1, 3)

    def depth(self, points: np.ndarray) -> float:
        """How deep the deepest of some points lies inside it [m]; 0 outside."""
        points = points[((points > self.low) & (points < self.high)).all(axis=1)]
        if not len(points):
            return 0.0
        if self.convex is not None:
            return max(0.0, float(self.convex.depth((points - self.position) @ self.rotation).max()))
        inside = points[geometry.winding_number(points, self.corners) > 0.5]
        return float(geometry.surface_distance(inside, self.corners).max()) if len(inside) else 0.0


def convex_of(shape) -> Convex | None:
    """The convex solid that a scene's shape is; None where it is none, or deforms."""
    match shape:
        case shapes.Box():
            return geometry.box(shape.size)
        case shapes.Sphere():
            return geometry.sphere(shape.radius)
        case shapes.Cylinder():
            return geometry.cylinder(shape.radius, shape.height)
        case shapes.Capsule():
            return geometry.capsule(shape.radius, shape.height)
        case shapes.Plane():
            slab = geometry.box((1e3, 1e3, geometry.PLANE_DEPTH))
            return Convex(
                slab.core - [0, 0, geometry.PLANE_DEPTH / 2], 0, 0, slab.normals, slab.edges, np.inf
            )
        case shapes.Mesh():
            vertices = np.array(shape.vertices)
            corners = vertices[np.array(shape.triangles)]
            made = geometry.hull(vertices)
            volume = geometry.mesh_moments(corners)[0]
            return made if abs(volume / made.volume - 1.0) < 1e-9 else None
    return None


def moments(body) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre (3,) [m] and inertia about it (3, 3) [kg m²] of a rigid body, from its shape if not given."""
    shape = convex_of(body.shape)
    if shape is not None:
        volume, centre, inertia = shape.volume, shape.centre, shape.inertia
    else:
        mesh = surface_mesh(body.shape)
        volume, centre, inertia = geometry.mesh_moments(np.array(mesh.vertices)[np.array(mesh.triangles)])
    mass = body.mass if body.mass is not None else volume * (body.density or 1000.0)
    inertia = mass / volume * (inertia - volume * (centre @ centre * np.eye(3) - np.outer(centre, centre)))
    return (
        mass,
        centre if body.com is None else np.array(body.com),
        inertia if body.inertia is None else np.array(body.inertia),
    )


def place(body, pose: np.ndarray, nodes: np.ndarray | None = None) -> Placed:
    """A body of a scene at a pose (7,), or with nodes (n, 3) where it is soft."""
    if nodes is not None:
        surface, numbers = tetrahedral_mesh(body.shape).surface()
        corners = nodes[np.asarray(numbers)][np.asarray(surface.triangles)]
        return _mesh(body.name, corners)
    position, rotation = np.array(pose[:3]), Rotation.from_quat(pose[3:]).as_matrix()
    convex = convex_of(body.shape)
    if convex is None:
        mesh = surface_mesh(body.shape)
        return _mesh(body.name, (np.array(mesh.vertices) @ rotation.T + position)[np.array(mesh.triangles)])
    high = convex.support(rotation) + position  # the rows are the world's axes in the body's
    low = position - convex.support(-rotation)
    return Placed(body.name, _diameter(convex.volume), low, high, convex, position, rotation)


def _mesh(name: str, corners: np.ndarray) -> Placed:
    volume = abs(geometry.mesh_moments(corners)[0])
    return Placed(
        name, _diameter(volume), corners.min(axis=(0, 1)), corners.max(axis=(0, 1)), corners=corners
    )


def _diameter(volume: float) -> float:
    return float((6.0 * volume / np.pi) ** (1.0 / 3.0))


def overlap(a: Placed, b: Placed) -> float:
    """True overlap of two solids [m], 0 where they are apart; never less than it is for convex ones."""
    if (a.low >= b.high).any() or (b.low >= a.high).any():
        return 0.0
    if a.convex is not None and b.convex is not None:
        return parting_translation(a, b)
    return max(a.depth(b.surface_points()), b.depth(a.surface_points()))


def parting_translation(a: Placed, b: Placed) -> float:
    """Least translation that parts two convex solids [m]; 0 where they are apart.

    min over unit n of h_A(n) + h_B(−n) − n·(b − a): face normals and cross products of edges are exact for polytopes
    (separating axes); round parts are refined from the best of many directions.
    """

    def width(directions: np.ndarray) -> np.ndarray:
        return (
            a.convex.support(directions @ a.rotation)
            + b.convex.support(-directions @ b.rotation)
            + directions @ (a.position - b.position)
        )

    edges_a, edges_b = a.convex.edges @ a.rotation.T, b.convex.edges @ b.rotation.T
    crossed = np.cross(edges_a[:, None], edges_b[None]).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    crossed = crossed[lengths > 1e-6] / lengths[lengths > 1e-6, None]
    centres = (b.position - a.position)[None]
    centres = centres / max(np.linalg.norm(centres), 1e-300)
    # Between a polytope's vertices and edges and a round body the direction is that of the shortest way.
    tried = np.concatenate(
        [
            geometry.sphere_directions(STARTS),
            a.convex.normals @ a.rotation.T,
            b.convex.normals @ b.rotation.T,
            crossed,
            -crossed,
            centres,
            *_ways(a, b),
            *(-way for way in _ways(b, a)),
        ]
    )
    widths = width(tried)
    best = np.argsort(widths)[:KEPT]
    n, w, step = tried[best], widths[best], 0.2
    if w[0] <= 0.0:
        return 0.0
    turns = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    while step > 1e-7:
        helper = np.where(np.abs(n[:, :1]) < 0.6, [[1.0, 0, 0]], [[0, 1.0, 0]])
        t = np.cross(n, helper)
        t /= np.linalg.norm(t, axis=1, keepdims=True)
        s = np.cross(n, t)
        moved = n[:, None] + step * (
            np.cos(turns)[None, :, None] * t[:, None] + np.sin(turns)[None, :, None] * s[:, None]
        )
        moved /= np.linalg.norm(moved, axis=2, keepdims=True)
        found = width(moved.reshape(-1, 3)).reshape(moved.shape[:2])
        at = found.argmin(axis=1)
        better = found.min(axis=1) < w
        n = np.where(better[:, None], moved[np.arange(len(n)), at], n)
        w = np.where(better, found.min(axis=1), w)
        if w.min() <= 0.0:
            return 0.0
        step *= 1.0 if better.any() and step > 0.05 else 0.5
    return float(w.min())


def _ways(a: Placed, b: Placed) -> list[np.ndarray]:
    """Directions from the core points of a round solid `b` out of `a`: where balls meet corners."""
    if not (b.convex.radius and a.convex.normals.size):
        return []
    points = b.convex.core @ b.rotation.T + b.position
    corners = a.convex.core @ a.rotation.T + a.position
    ways = (points[:, None] - corners[None]).reshape(-1, 3)
    lengths = np.linalg.norm(ways, axis=1)
    return [ways[lengths > 1e-12] / lengths[lengths > 1e-12, None]]


def deepest(placed: list[Placed], still: set[str] = frozenset()) -> tuple[float, float, str]:
    """Largest overlap of any two of some solids.

    Args:
        placed: the solids.
        still: names of those that move by prescription; two of them may overlap.
    Returns:
        Overlap over the size of the smaller one [-], overlap [m], names of the two.
    """
    worst = (0.0, 0.0, "")
    for a, b in itertools.combinations(placed, 2):
        if a.name in still and b.name in still:
            continue
        depth = overlap(a, b)
        movable = [x.size for x in (a, b) if x.name not in still]
        if depth / min(movable) > worst[0]:
            worst = (depth / min(movable), depth, f"{a.name} {b.name}")
    return worst


@dataclass(frozen=True)
class Tissue:
    """A soft body's tetrahedra, for sums of the judge's own: linear corotational, without stiffening.

    Attributes:
        tetrahedra: node numbers (m, 4).
        inverse: of the edges at rest (m, 3, 3) [1/m].
        volumes: at rest (m,) [m³].
        mu, lam: Lamé's constants [Pa].
        masses: of the nodes (n,) [kg]: a quarter of each element's.
    """

    tetrahedra: np.ndarray
    inverse: np.ndarray
    volumes: np.ndarray
    mu: float
    lam: float
    masses: np.ndarray

    @classmethod
    def of(cls, body: bodies.TetrahedralBody) -> Tissue:
        mesh = tetrahedral_mesh(body.shape)
        tets, rest = np.asarray(mesh.tetrahedra), np.asarray(mesh.nodes)
        edges = _edges(rest, tets)
        volumes = np.abs(np.linalg.det(edges)) / 6.0
        masses = np.zeros(len(rest))
        np.add.at(masses, tets, (body.material.density * volumes / 4.0)[:, None])
        e, nu = body.material.young, body.material.poisson
        mu, lam = e / (2 * (1 + nu)), e * nu / ((1 + nu) * (1 - 2 * nu))
        return cls(tets, np.linalg.inv(edges), volumes, mu, lam, masses)

    def _strain(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = _edges(nodes, self.tetrahedra) @ self.inverse
        u, _, vt = np.linalg.svd(f)
        u[np.linalg.det(u @ vt) < 0, :, -1] *= -1
        r = u @ vt
        e = np.swapaxes(r, 1, 2) @ f
        return r, 0.5 * (e + np.swapaxes(e, 1, 2)) - np.eye(3)

    def elastic(self, nodes: np.ndarray) -> float:
        """Elastic energy of node positions (n, 3) [J]."""
        _, e = self._strain(nodes)
        trace = np.trace(e, axis1=1, axis2=2)
        return float(self.volumes @ (self.mu * (e * e).sum(axis=(1, 2)) + 0.5 * self.lam * trace**2))

    def forces(self, nodes: np.ndarray) -> np.ndarray:
        """Elastic forces on the nodes (n, 3) [N]."""
        r, e = self._strain(nodes)
        stress = 2 * self.mu * e + self.lam * np.trace(e, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        h = self.volumes[:, None, None] * (r @ stress @ np.swapaxes(self.inverse, 1, 2))
        found = np.zeros_like(nodes)
        np.add.at(found, self.tetrahedra[:, 1:], -np.swapaxes(h, 1, 2))
        np.add.at(found, self.tetrahedra[:, 0], h.sum(axis=2))
        return found

    def kinetic(self, velocities: np.ndarray) -> float:
        """Kinetic energy of node velocities (n, 3) [J]."""
        return float(0.5 * self.masses @ (velocities**2).sum(axis=1))

    def turning(self, nodes: np.ndarray, velocities: np.ndarray) -> np.ndarray:
        """Angular momentum about the origin (n, 3) of nodes in time (n, k, 3) [kg m²/s]."""
        return np.einsum("k,nkx->nx", self.masses, np.cross(nodes, velocities))


def _edges(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Edges from the first node of each element as columns (m, 3, 3)."""
    x = nodes[tets]
    return np.swapaxes(x[:, 1:] - x[:, :1], 1, 2)
