# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums: nonlinear solids answered at haptic rate from a precomputed solution (González et al., 2015)."""

from softcontact.vademecum.full_order import EquilibriumError, FullOrderSolver, LoadPath
from softcontact.vademecum.solid import Solid
from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["EquilibriumError", "FullOrderSolver", "LoadPath", "Solid", "SolidMesh"]
