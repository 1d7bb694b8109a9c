# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums: nonlinear solids answered at haptic rate from a precomputed solution (González et al., 2015).

    offline     build: modes, amplitudes and dents of a solid under a load of any position and size (see `offline`)
    certificate Vademecum.certified: errors against full-order equilibria, which nothing else uses; kept in the file
    distance    Vademecum.distance, .contacts: signed distances, depths and normals of a pointshell; .with_distance
                tabulates them, which makes contacts faster
    online      OnlineField: displacements from the core, without allocation
    contact     PenaltyContact: penalty forces of a pointshell on both bodies, with friction
    response    ContactResponse: those forces and the displacements under them in equilibrium; PairResponse: of two
                bodies that both yield
    correction  CorrectedField: several loads brought into equilibrium on the modes, at the points of a `cubature`
    haptics     VademecumLaw: the same under a haptic device, at its rate

What the design leaves to its users to know:

  - One load is answered within the certificate. Several are superposed, which is a predictor: its error grows with the
    rotation of the solid (two or three loads that bend the beam by 0.1 m on average: 6 % of the largest displacement,
    26 % at worst). The predictor "deflection", which contact uses, misses by 0.3 % there, 1.0 % at worst.
  - Distances are those to the deformed boundary's triangles, exact at any load. The trilinear ones of the paper are
    faster for bodies with thousands of points in contact, but tabulated for chosen sizes only: between sizes the
    boundary of a bent solid moves by many cells, and no interpolation of distances holds. Near edges they miss up to a
    third of a cell's diagonal, and points within a fifth of one may have the wrong sign.
  - Few modes serve the displacement, not the volume, which small modes carry that it hardly shows. The last mode kept
    (`volume`) therefore inflates the boundary by what is missing: within 0.2 % of the beam's largest change of volume,
    and within 2 % of each position's own change but for one of 161 (5 % of a change of 5e-6).
  - Forces of other directions are superposed from families (`displacement_under`): a predictor too. Loads of six
    families each keep the certificate. A family down alone knows nothing of pushes from the side: contact moves a body
    by the part of its forces along the families. For forces along a surface's normal build three, as by
    `softcontact vademecum build bunny --direction 0,0,-1 --direction 1,0,0 --direction 0,1,0`, three times the work.
  - The build is independent from case to case: Workers share it, processes or a Dask cluster, to the same last bit.
    Sixty-four cases at once lend each other tangents; the displacement fields of all cases are held in the end.
"""

from softcontact.vademecum.boundary_distance import BoundaryDistance
from softcontact.vademecum.build_state import LogRow
from softcontact.vademecum.certificate import Certificate, certify
from softcontact.vademecum.contact import ContactForces, PenaltyContact, PenaltyLaw
from softcontact.vademecum.correction import CorrectedField, CorrectionStatus
from softcontact.vademecum.cubature import Cubature, choose_cubature
from softcontact.vademecum.distance import DistanceField, tabulate_distance
from softcontact.vademecum.file import VademecumFileError
from softcontact.vademecum.full_order import EquilibriumError, FullOrderSolver, LoadPath
from softcontact.vademecum.haptics import VademecumLaw
from softcontact.vademecum.offline import BuildOptions
from softcontact.vademecum.online import OnlineField
from softcontact.vademecum.point_load import LoadCases, PointLoad
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.reduced import BuildError
from softcontact.vademecum.response import ContactResponse, PairResponse, ResponseStatus
from softcontact.vademecum.separated import SeparatedSolution
from softcontact.vademecum.separated_distance import SeparatedDistanceField, separate_distance
from softcontact.vademecum.solid import Solid
from softcontact.vademecum.solid_mesh import SolidMesh
from softcontact.vademecum.vademecum import Vademecum, VademecumWarning, build

__all__ = [
    "BoundaryDistance",
    "BuildError",
    "BuildOptions",
    "Certificate",
    "ContactForces",
    "ContactResponse",
    "CorrectedField",
    "CorrectionStatus",
    "Cubature",
    "DistanceField",
    "EquilibriumError",
    "FullOrderSolver",
    "LoadCases",
    "LoadPath",
    "LogRow",
    "OnlineField",
    "PairResponse",
    "PenaltyContact",
    "PenaltyLaw",
    "PointLoad",
    "Pointshell",
    "ResponseStatus",
    "SeparatedDistanceField",
    "SeparatedSolution",
    "Solid",
    "SolidMesh",
    "Vademecum",
    "VademecumFileError",
    "VademecumLaw",
    "VademecumWarning",
    "build",
    "certify",
    "choose_cubature",
    "separate_distance",
    "tabulate_distance",
]
