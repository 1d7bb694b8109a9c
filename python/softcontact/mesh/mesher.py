# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tetrahedra from a closed surface, by pytetwild (extra [mesh])."""

from __future__ import annotations

import math

import numpy as np

from softcontact.extras import how_to_install

from .errors import MeshError
from .surface_mesh import SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh


def tetrahedralise(
    surface: SurfaceMesh, edge_length: float | None = None, envelope: float | None = None
) -> TetrahedralMesh:
    """Fill a closed surface with tetrahedra. Two runs give different meshes: save the result.

    Args:
        surface: closed surface [m].
        edge_length: wanted edge length [m]; None means a thirtieth of the bounding-box diagonal.
        envelope: how far the boundary may leave the surface [m]; None means a thousandth of the diagonal. A
            rough surface and a small envelope give many tetrahedra.
    Returns:
        Tetrahedra of positive volume.
    Raises:
        ModuleNotFoundError: pytetwild is not installed; the message says how to get it.
        ValueError: edge_length or envelope not > 0.
        MeshError: open surface, or no tetrahedra made.
    Source: Hu et al. 2020, Fast Tetrahedral Meshing in the Wild, ACM Trans. Graph. 39(4).
    """
    for value, what in ((edge_length, "edge_length"), (envelope, "envelope")):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{what} must be a finite length > 0 m, got {value}")
    if not surface.is_closed:
        raise MeshError(
            surface.name, "the surface is not closed", "load it with load_mesh, which says where it is open"
        )
    diagonal = float(np.linalg.norm(surface.extent))
    nodes, tetrahedra = _pytetwild().tetrahedralize(
        np.array(surface.vertices),
        np.array(surface.triangles, dtype=np.int32),
        edge_length_fac=(edge_length or diagonal / 30.0) / diagonal,
        epsilon=(envelope or diagonal / 1000.0) / diagonal,
    )
    tetrahedra = np.asarray(tetrahedra)
    if not len(tetrahedra):
        raise MeshError(surface.name, "the mesher made no tetrahedron", "try a smaller edge length")
    used, renumbered = np.unique(tetrahedra, return_inverse=True)
    return TetrahedralMesh(np.asarray(nodes)[used], np.reshape(renumbered, (-1, 4)), surface.name)


def _pytetwild():
    try:
        import pytetwild
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"making tetrahedra needs {error.name}, which is not installed; {how_to_install('mesh')}",
            name=error.name,
        ) from None
    return pytetwild
