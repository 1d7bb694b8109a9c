# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cattaneo and Mindlin: a ball pressed into tissue and pushed aside slips from the rim inwards, then as a whole.

δ = 3 μN / (16 a G*) (1 − (1 − Q/μN)^{2/3}) with 1/G* = (2 − ν)/G for a stiff ball. Johnson 1985, Sec. 7.2(d).
Tissue of linear tetrahedra is too stiff along the surface and across it alike: N of the closed form is Hertz's.
"""

import numpy as np
import pytest
from zoo_halfspace import FRICTION, POISSON, RADIUS, YOUNG, hertz_force, press


def share_of_friction(depth: float, mode: str, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Q / μN as a ball at this depth is pushed aside, measured and of the closed form."""
    found = press(depth, aside=0.8 * depth, mode=mode, cells=cells)
    assert found.run.exit_code == 0
    k = found.run.time > 0.305
    n, q, aside = -found.force[k, 2], found.force[k, 0], found.aside[k]
    a = np.sqrt(RADIUS * depth)
    soft = (2 - POISSON) / (YOUNG / (2 * (1 + POISSON)))
    whole = 3 * FRICTION * hertz_force(depth) / (16 * a) * soft  # the way at which it slips as a whole
    return q / (FRICTION * n), 1 - np.clip(1 - aside / whole, 0, None) ** 1.5


def test_partial_slip_of_a_patch():
    """It sticks until it slips as a whole: at two thirds of the way that is off by (1/3)^{3/2} = 0.19."""
    share, expected = share_of_friction(0.003, "aggregate", 16)
    assert share[-1] == pytest.approx(1.0, abs=0.02)
    assert share.max() < 1.02
    assert np.abs(share - expected).max() < 3**-1.5


@pytest.mark.slow
def test_partial_slip_of_points():
    """They slip one by one, at the rim first. A coarse surface ploughs: with the cells the error goes, and faster."""
    errors = []
    for cells in (8, 12):
        share, expected = share_of_friction(0.001, "points", cells)
        errors.append(np.abs(share - expected).max())
    assert errors[1] < 0.1
    assert errors[1] < 8 / 12 * errors[0]
