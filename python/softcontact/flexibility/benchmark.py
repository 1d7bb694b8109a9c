# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two benchmarks of the HapCo paper: blocks, supports, pairs and the path of 25 displacements.

The paper gives lengths in centimetres and moduli without a unit. Read in one system, cm and N, E = 3000 is 3000 N/cm².
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softcontact.flexibility.displacement import CorotationalBlock, DisplacementSolver, LinearBlock
from softcontact.flexibility.hexahedra import BlockGrid
from softcontact.flexibility.simulator import ContactSolver, FlexibilitySimulator

FloatArray = NDArray[np.float64]
Benchmark = Literal["both", "left"]
Displacement = Literal["linear", "corotational"]

CLAMPED = {"both": ("left", "right"), "left": ("left",)}
SOLVERS = {"linear": LinearBlock, "corotational": CorotationalBlock}
CENTIMETRE = 0.01
YOUNG_RED, YOUNG_GREEN = 3000.0e4, 80000.0e4  # 3000 and 80000 N/cm² [Pa]
POISSON = 0.3
ELEMENT = 0.5 * CENTIMETRE
STEP = 0.1 * CENTIMETRE
# Five phases of five steps each: down, forth, back, aside, up.
PHASES = np.array([[0, 0, -1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
STEPS_A_PHASE = 5
JAB_DEPTH, JAB_TIME, JAB_HOLD = 5e-3, 20e-3, 0.1  # [m], [s], [s]


def red_grid() -> BlockGrid:
    """The red block, 10 × 2 × 2 cm, from the origin, 0.5 cm hexahedra."""
    return BlockGrid((0.0, 0.0, 0.0), (0.10, 0.02, 0.02), (20, 4, 4))


def green_grid() -> BlockGrid:
    """The green block, 2 × 2 × 2 cm, on the middle of the red one."""
    return BlockGrid((0.04, 0.0, 0.02), (0.02, 0.02, 0.02), (4, 4, 4))


def path() -> FloatArray:
    """Displacement of the green block's upper face after each of the 25 steps (25, 3) [m] (Fig. 5)."""
    return STEP * np.cumsum(np.repeat(PHASES, STEPS_A_PHASE, axis=0), axis=0)


def hand_path(phase_time: float) -> tuple[FloatArray, FloatArray]:
    """Times (6,) [s] and displacements (6, 3) [m] of a hand that goes the five phases at a steady pace.

    Args:
        phase_time: time of a phase [s].
    """
    corners = STEP * STEPS_A_PHASE * np.cumsum(PHASES, axis=0)
    return phase_time * np.arange(len(corners) + 1), np.vstack([np.zeros(3), corners])


def jab_path() -> tuple[FloatArray, FloatArray]:
    """Times [s] and displacements [m] of a jab: five millimetres down in 20 ms, held, and back."""
    times = np.cumsum([0.0, JAB_TIME, JAB_HOLD, JAB_TIME])
    return times, np.array([[0, 0, 0], [0, 0, -JAB_DEPTH], [0, 0, -JAB_DEPTH], [0, 0, 0.0]])


def pairs(upper: BlockGrid, lower: BlockGrid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes of the upper block's bottom and of the lower block's top that lie on each other.

    Raises:
        ValueError: a bottom node of the upper block has no partner.
    """
    bottom, top = upper.face("bottom"), lower.face("top")
    distance = np.linalg.norm(upper.nodes[bottom][:, None] - lower.nodes[top][None], axis=2)
    nearest = distance.argmin(axis=1)
    reach = 1e-6 * float(lower.element_size.min())
    if not distance[np.arange(len(bottom)), nearest].max() <= reach:
        raise ValueError(
            "pairs: the bottom nodes of the upper block do not lie on top nodes of the lower one"
        )
    return bottom, top[nearest]


def bodies(
    benchmark: Benchmark = "both", displacement: Displacement = "linear"
) -> tuple[DisplacementSolver, DisplacementSolver]:
    """The green and the red block of a benchmark.

    Args:
        benchmark: "both", red clamped at both ends (benchmark 1), or "left" (benchmark 2).
        displacement: displacement solver of both blocks.
    Raises:
        ValueError: no such benchmark or displacement solver.
    """
    if benchmark not in CLAMPED:
        raise ValueError(f"benchmark: {benchmark!r}, expected one of {', '.join(CLAMPED)}")
    if displacement not in SOLVERS:
        raise ValueError(f"displacement: {displacement!r}, expected one of {', '.join(SOLVERS)}")
    red, green = red_grid(), green_grid()
    above, below = pairs(green, red)
    make = SOLVERS[displacement]
    held = np.concatenate([red.face(face) for face in CLAMPED[benchmark]])
    return (
        make(green, YOUNG_GREEN, POISSON, [], green.face("top"), above),
        make(red, YOUNG_RED, POISSON, held, [], below),
    )


def simulator(
    benchmark: Benchmark = "both",
    friction: float = 0.3,
    displacement: Displacement = "linear",
    contact_solver: ContactSolver | None = None,
    *,
    warm_start: bool = True,
) -> FlexibilitySimulator:
    """The benchmark, ready for its path.

    Args:
        benchmark: see bodies.
        friction: Coulomb's μ.
        displacement: see bodies.
        contact_solver: see FlexibilitySimulator.
        warm_start: see FlexibilitySimulator.
    Raises:
        ValueError: no such benchmark or displacement solver.
    """
    return FlexibilitySimulator(
        *bodies(benchmark, displacement), friction, contact_solver, warm_start=warm_start
    )
