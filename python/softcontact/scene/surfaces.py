# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes of a scene as meshes: made, read or filled by softcontact.mesh."""

import warnings
from typing import Any

import numpy as np

from softcontact.scene import shapes
from softcontact.scene.errors import SceneWarning

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
            return mesh.sphere(shape.radius, shape.frequency)
        case shapes.Cylinder():
            return mesh.cylinder(shape.radius, shape.height, shape.segments, shape.layers, shape.rings)
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
