# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cattaneo and Mindlin: a ball pressed into tissue and pushed aside slips from the rim inwards, then as a whole.

δ = 3 μN / (16 a G*) (1 − (1 − Q/μN)^{2/3}) with 1/G* = (2 − ν)/G for a stiff ball. Johnson 1985, Sec. 7.2(d).
Tissue of linear tetrahedra is too stiff along the surface and across it alike: N of the closed form is Hertz's.
"""

import numpy as np
import pytest
from zoo_halfspace import FRICTION, POISSON, RADIUS, YOUNG, hertz_force, press

DEPTH = 0.003


@pytest.mark.parametrize(
    ("mode", "cells"), [("aggregate", 16), pytest.param("points", 8, marks=pytest.mark.slow)]
)
def test_partial_slip(mode, cells):
    found = press(DEPTH, aside=0.0024, mode=mode, cells=cells)
    k = found.run.time > 0.305
    n, q, aside = -found.force[k, 2], found.force[k, 0], found.aside[k]
    a = np.sqrt(RADIUS * DEPTH)
    soft = (2 - POISSON) / (YOUNG / (2 * (1 + POISSON)))
    whole = 3 * FRICTION * hertz_force(DEPTH) / (16 * a) * soft  # the way at which it slips as a whole
    expected = 1 - np.clip(1 - aside / whole, 0, None) ** 1.5
    share = q / (FRICTION * n)
    assert found.run.exit_code == 0
    assert share[-1] == pytest.approx(1.0, abs=0.02)
    assert share.max() < 1.02
    # One patch sticks until it slips as a whole: at two thirds of the way that is off by (1/3)^{3/2}. Points slip one
    # by one; four elements over the radius of contact leave them coarse.
    assert np.abs(share - expected).max() < (3**-1.5 if mode == "aggregate" else 0.15)
