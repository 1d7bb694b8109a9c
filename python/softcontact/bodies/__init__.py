# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies on their own, without contact: articulated trees of links and tetrahedral solids."""

from softcontact.bodies.articulated import ArticulatedModel
from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import StaticSolveError, TetrahedralModel

__all__ = ["ArticulatedModel", "Material", "StaticSolveError", "TetrahedralModel"]
