# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums: nonlinear solids answered at haptic rate from a precomputed solution (González et al., 2015)."""

from softcontact.vademecum.build_state import LogRow
from softcontact.vademecum.certificate import Certificate, certify
from softcontact.vademecum.distance import DistanceField, tabulate_distance
from softcontact.vademecum.file import VademecumFileError
from softcontact.vademecum.full_order import EquilibriumError, FullOrderSolver, LoadPath
from softcontact.vademecum.offline import BuildOptions
from softcontact.vademecum.online import OnlineField
from softcontact.vademecum.point_load import LoadCases, PointLoad
from softcontact.vademecum.reduced import BuildError
from softcontact.vademecum.separated import SeparatedSolution
from softcontact.vademecum.solid import Solid
from softcontact.vademecum.solid_mesh import SolidMesh
from softcontact.vademecum.vademecum import Vademecum, VademecumWarning, build

__all__ = [
    "BuildError",
    "BuildOptions",
    "Certificate",
    "DistanceField",
    "EquilibriumError",
    "FullOrderSolver",
    "LoadCases",
    "LoadPath",
    "LogRow",
    "OnlineField",
    "PointLoad",
    "SeparatedSolution",
    "Solid",
    "SolidMesh",
    "Vademecum",
    "VademecumFileError",
    "VademecumWarning",
    "build",
    "certify",
    "tabulate_distance",
]
