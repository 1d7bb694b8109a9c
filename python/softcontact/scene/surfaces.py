# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes of a scene as meshes: made, read or filled by softcontact.mesh."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.scene import shapes
from softcontact.scene.errors import SceneWarning

# Patches on soft bodies bear by the picture of a round shape; points know the shape alone.
LEAST_SEGMENTS, LEAST_FREQUENCY = 16, 4
_SMALL, _LARGE = 1e-3, 10.0  # largest extent [m] below and above which a wrong unit is likely


def surface_mesh(shape: Any) -> Any:
    """The triangle surface (softcontact.mesh SurfaceMesh) of a shape, in body axes [m].

    Raises:
        ValueError: the mesh cannot be read or used; names the file and the remedy.
    """
    from softcontact import mesh

    match shape:
        case shapes.Box():
            return mesh.box(shape.size, shape.divisions)
        case shapes.Sphere():
            return mesh.sphere(shape.radius, max(shape.frequency, LEAST_FREQUENCY))
        case shapes.Cylinder():
            return mesh.cylinder(
                shape.radius, shape.height, max(shape.segments, LEAST_SEGMENTS), shape.layers, shape.rings
            )
        case shapes.Capsule():
            return mesh.capsule(shape.radius, shape.height, max(shape.segments, LEAST_SEGMENTS))
        case shapes.Plane():
            return mesh.table(shape.size, thickness=0.02 * min(shape.size), name="plane")
        case shapes.Mesh():
            return mesh.SurfaceMesh(np.array(shape.vertices), np.array(shape.triangles, dtype=np.int32))
        case shapes.MeshFile():
            return read_surface(shape)
        case shapes.Bunny():
            return mesh.bunny(shape.height, coarse=shape.coarse)
    raise TypeError(f"{type(shape).__name__} is no surface")


def tetrahedral_mesh(shape: Any) -> Any:
    """The tetrahedra (softcontact.mesh TetrahedralMesh) of a solid shape, in body axes [m].

    Raises:
        ValueError: the mesh cannot be read, used or made.
    """
    from softcontact import mesh

    match shape:
        case shapes.TetrahedralBox():
            return mesh.tetrahedral_box(shape.size, shape.divisions, shape.pattern)
        case shapes.TetrahedralBall():
            return mesh.tetrahedral_ball(shape.radius, shape.divisions)
        case shapes.TetrahedralCylinder():
            return mesh.tetrahedral_cylinder(shape.radius, shape.height, shape.rings, shape.layers)
        case shapes.TetrahedralBunny():
            return mesh.tetrahedral_bunny(shape.height)
        case shapes.TetrahedralMesh():
            return mesh.TetrahedralMesh(np.array(shape.nodes), np.array(shape.tetrahedra, dtype=np.int32))
        case shapes.TetrahedralFile():
            return read_tetrahedra(shape)
        case shapes.FilledSurface():
            return filled(shape)
    raise TypeError(f"{type(shape).__name__} is no solid")


def solid(shape: Any, mesh: Any) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Volume [m³], centre (3,) [m] and inertia (3, 3) about it of a shape of density 1 [m⁵], in body axes.

    Boxes and round shapes have theirs in closed form, whatever is drawn of them.

    Args:
        shape: a surface of a scene.
        mesh: its mesh.
    Raises:
        ValueError: the mesh is no closed surface with outward triangles.
    """
    middle = np.zeros(3)
    match shape:
        case shapes.Box():
            squares = np.array(shape.size) ** 2
            volume = float(np.prod(shape.size))
            return volume, middle, np.diag(volume / 12.0 * (squares.sum() - squares))
        case shapes.Sphere():
            volume = 4.0 / 3.0 * np.pi * shape.radius**3
            return volume, middle, 0.4 * volume * shape.radius**2 * np.eye(3)
        case shapes.Cylinder():
            volume = np.pi * shape.radius**2 * shape.height
            across = volume * (shape.radius**2 / 4.0 + shape.height**2 / 12.0)
            return volume, middle, np.diag([across, across, 0.5 * volume * shape.radius**2])
        case shapes.Capsule():
            r, length = shape.radius, shape.height
            side, balls = np.pi * r**2 * length, 4.0 / 3.0 * np.pi * r**3
            across = side * (r**2 / 4.0 + length**2 / 12.0)
            across += balls * (0.4 * r**2 + length**2 / 4.0 + 3.0 / 8.0 * length * r)
            along = 0.5 * side * r**2 + 0.4 * balls * r**2
            return side + balls, middle, np.diag([across, across, along])
    volume = mesh.volume if mesh.is_closed else 0.0
    if not volume > 0:
        raise ValueError(
            "shape: not a closed surface with outward triangles; close it, or give mass, com and inertia"
        )
    return volume, mesh.center_of_mass, mesh.inertia(1.0)


def read_surface(shape: shapes.MeshFile) -> Any:
    """The surface in a file, repaired; a warning tells what was changed."""
    from softcontact.mesh import load_mesh

    mesh = load_mesh(shape.path, unit=shape.unit, scale=shape.scale, size_range=None)
    _warn_about_size(mesh, shape)
    changes = mesh.report.changes()
    if changes:
        warnings.warn(f"{shape.path}: {', '.join(changes)}", SceneWarning, stacklevel=2)
    return mesh


def read_tetrahedra(shape: shapes.TetrahedralFile) -> Any:
    """The tetrahedra in a file."""
    from softcontact.mesh import load_tetrahedra

    mesh = load_tetrahedra(shape.path, unit=shape.unit, scale=shape.scale, size_range=None)
    _warn_about_size(mesh, shape)
    return mesh


def filled(shape: shapes.FilledSurface) -> Any:
    """Tetrahedra inside a closed surface."""
    from softcontact.mesh import tetrahedralise

    surface = surface_mesh(shape.surface)
    size = shape.cell_size or float(np.max(surface.extent)) / 12
    return tetrahedralise(surface, edge_length=size)


def _warn_about_size(mesh: Any, shape: Any) -> None:
    low, high = mesh.bounds
    largest = float(np.max(high - low))
    if not _SMALL <= largest <= _LARGE:
        text = f"{shape.path}: {largest:.3g} m large, read in {shape.unit}; check its unit"
        warnings.warn(text, SceneWarning, stacklevel=3)
