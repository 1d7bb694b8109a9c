# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Stanford bunny as a surface and as tetrahedra. Source, licence and making: data/README.md."""

from __future__ import annotations

from functools import cache

import numpy as np

from .data import data_path
from .formats import read_raw
from .load import load_tetrahedra
from .surface_mesh import SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh

_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # the files have y up


def bunny(height: float = 0.08, *, coarse: bool = False) -> SurfaceMesh:
    """The bunny's surface, z up, its centre of mass at the origin.

    Args:
        height: side of the bounding box along z [m]; 0.08 makes a body of 110 cm³.
        coarse: 1200 triangles instead of 3674.
    """
    factor, center = _placement(height)
    mesh = _surface("bunny_1200.obj" if coarse else "bunny.obj")
    return SurfaceMesh((mesh.vertices - center) @ _Z_UP.T * factor, mesh.triangles, "bunny")


def tetrahedral_bunny(height: float = 0.08) -> TetrahedralMesh:
    """The bunny's body, 4305 nodes and 19515 tetrahedra, placed like the surface of the same height.

    Args:
        height: of the surface [m].
    """
    factor, center = _placement(height)
    mesh = _tetrahedra()
    return TetrahedralMesh((mesh.nodes - center) @ _Z_UP.T * factor, mesh.tetrahedra, "soft bunny")


def _placement(height: float) -> tuple[float, np.ndarray]:
    if not (height > 0 and np.isfinite(height)):
        raise ValueError(f"height must be a finite length > 0 m, got {height}")
    surface = _surface("bunny.obj")
    return height / surface.extent[1], surface.center_of_mass


@cache
def _surface(name: str) -> SurfaceMesh:
    raw = read_raw(data_path(name))
    return SurfaceMesh(raw.points, raw.triangles(name), name)


@cache
def _tetrahedra() -> TetrahedralMesh:
    return load_tetrahedra(data_path("bunny.vtu"), size_range=None)
