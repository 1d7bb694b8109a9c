# SPDX-License-Identifier: LGPL-2.1-or-later
"""Meshes: reading, repair, checks, primitives, the bunny. Metres; counter-clockwise from outside."""

from .anatomy import haptic_block, haptic_cylinder, liver, scope, uterus
from .bunny import bunny, tetrahedral_bunny
from .data import data_path
from .errors import MeshError
from .level_set import fill_level_set, fill_surface
from .load import HAND_HOLDABLE, load_mesh, load_soup, load_tetrahedra, surface_from_arrays
from .mesher import tetrahedralise
from .primitives import box, capsule, cylinder, revolved, sphere, table
from .surface_mesh import MeshReport, SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh
from .tetrahedral_primitives import tetrahedral_ball, tetrahedral_box, tetrahedral_cylinder
from .wrap import WrapReport, wrap_surface

__all__ = [
    "HAND_HOLDABLE",
    "MeshError",
    "MeshReport",
    "SurfaceMesh",
    "TetrahedralMesh",
    "WrapReport",
    "box",
    "bunny",
    "capsule",
    "cylinder",
    "data_path",
    "fill_level_set",
    "fill_surface",
    "haptic_block",
    "haptic_cylinder",
    "liver",
    "load_mesh",
    "load_soup",
    "load_tetrahedra",
    "revolved",
    "scope",
    "sphere",
    "surface_from_arrays",
    "table",
    "tetrahedral_ball",
    "tetrahedral_box",
    "tetrahedral_bunny",
    "tetrahedral_cylinder",
    "tetrahedralise",
    "uterus",
    "wrap_surface",
]
