# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes data/block_inclusion.json: a tool on a block with a stiff ball inside, by an independent finite element model.

Linear elasticity on a quarter of the block, quadratic hexahedra (27 nodes) that are fine below the tool, by
scikit-fem; the stiffness of the ball by quadrature points; rigid tool without friction, unilateral at the surface's
nodes. Run by hand (minutes, 2 GB): python inclusion_reference.py 0.8 data/block_inclusion.json
"""

import json
import sys

import numpy as np
from scipy.sparse.linalg import splu
from skfem import Basis, BilinearForm, ElementHex2, ElementVector, MeshHex, __version__, asm
from skfem.helpers import ddot, sym_grad, trace

HALF, HEIGHT = (0.08, 0.04), 0.04  # m, quarter of the block
TOOL_RADIUS, TOOL_HALF_LENGTH, OFFSET = 0.008, 0.025, 4e-4
YOUNG, POISSON = 2.0e4, 0.45
BALL_RADIUS, BALL_DEPTH, RATIO = 0.012, 0.018, 10.0
DEPTHS = (0.001, 0.002, 0.003)


def tool_profile(x):
    """Height over its lowest line of a prism of 16 sides, grown by the contact offset (n,) [m]."""
    turn = 2.0 * np.pi * np.arange(16) / 16.0 - 0.5 * np.pi
    corner = TOOL_RADIUS * np.column_stack([np.cos(turn), np.sin(turn)])
    share = np.linspace(0.0, 1.0, 400, endpoint=False)[:, None]
    side = np.concatenate(
        [a + share * (b - a) for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True)]
    )
    away = np.abs(x[:, None] - side[:, 0])
    grown = np.where(away <= OFFSET, side[:, 1] - np.sqrt(np.maximum(OFFSET**2 - away**2, 0.0)), np.inf)
    return grown.min(axis=1) + TOOL_RADIUS + OFFSET


def graded(length, first, largest):
    """Planes from 0 to a length, each cell 1.35 times the one before."""
    planes, cell = [0.0], first
    while planes[-1] + cell < length:
        planes.append(planes[-1] + cell)
        cell = min(1.35 * cell, largest)
    if length - planes[-1] < 0.5 * cell:
        planes.pop()
    return np.array([*planes, length])


def forces(fineness, ratio):
    """Force of the whole tool at DEPTHS (3,) [N], and unknowns of the model."""
    end = TOOL_HALF_LENGTH + OFFSET
    x = np.concatenate(
        [
            np.linspace(0.0, 0.006, round(5 * fineness) + 1),
            0.006 + graded(HALF[0] - 0.006, 0.0012 / fineness, 0.012 / fineness)[1:],
        ]
    )
    y = np.concatenate(
        [
            end - graded(end, 0.0015 / fineness, 0.006 / fineness)[::-1],
            end + graded(HALF[1] - end, 0.0015 / fineness, 0.006 / fineness)[1:],
        ]
    )
    z = HEIGHT - graded(HEIGHT, 0.0012 / fineness, 0.005 / fineness)[::-1]
    basis = Basis(MeshHex.init_tensor(x, y, z), ElementVector(ElementHex2()), intorder=5)
    lame = YOUNG * POISSON / (1.0 + POISSON) / (1.0 - 2.0 * POISSON)
    shear = 0.5 * YOUNG / (1.0 + POISSON)

    @BilinearForm
    def elasticity(u, v, w):
        inside = w.x[0] ** 2 + w.x[1] ** 2 + (w.x[2] - HEIGHT + BALL_DEPTH) ** 2 < BALL_RADIUS**2
        e, d = sym_grad(u), sym_grad(v)
        return np.where(inside, ratio, 1.0) * (2.0 * shear * ddot(e, d) + lame * trace(e) * trace(d))

    stiffness = asm(elasticity, basis).tocsc()
    place = basis.doflocs
    axis = np.zeros(basis.N, dtype=int)
    for numbers in (basis.nodal_dofs, basis.edge_dofs, basis.facet_dofs, basis.interior_dofs):
        for row in range(len(numbers)):
            axis[numbers[row]] = row % 3
    held = (place[2] < 1e-9) | ((axis == 0) & (place[0] < 1e-9)) | ((axis == 1) & (place[1] < 1e-9))
    free = np.flatnonzero(~held)
    touched = np.flatnonzero(
        (place[2] > HEIGHT - 1e-9) & (axis == 2) & (place[0] < 0.0085) & (place[1] <= end + 1e-9)
    )
    number = np.full(basis.N, -1)
    number[free] = np.arange(len(free))
    factor = splu(
        stiffness[free][:, free],
        permc_spec="MMD_AT_PLUS_A",
        options={"SymmetricMode": True},
        diag_pivot_thresh=0.0,
    )
    unit = np.zeros((len(free), len(touched)))
    unit[number[touched], np.arange(len(touched))] = 1.0
    compliance = factor.solve(unit)[number[touched]]
    found = []
    for depth in DEPTHS:
        wanted = depth - tool_profile(place[0][touched])
        active = wanted > 0.0
        while True:
            load = np.zeros(len(touched))
            load[active] = np.linalg.solve(compliance[np.ix_(active, active)], wanted[active])
            gap = compliance @ load - wanted
            again = (active & (load > 0.0)) | (~active & (gap < -1e-12))
            if (again == active).all():
                break
            active = again
        found.append(4.0 * float(load.sum()))
    return found, int(basis.N)


if __name__ == "__main__":
    fineness, path = float(sys.argv[1]), sys.argv[2]
    (plain, unknowns), (stiff, _) = forces(fineness, 1.0), forces(fineness, RATIO)
    result = {
        "source": f"tests/verification/inclusion_reference.py {fineness:g}, scikit-fem {__version__}",
        "unit": "m, N",
        "unknowns": unknowns,
        "depth": list(DEPTHS),
        "force_plain": plain,
        "force_with_ball": stiff,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
