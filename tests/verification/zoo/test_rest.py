# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lies at rest stays at rest; rest.py runs the whole matrix for 60 s, this file a sample for 2 s."""

import numpy as np
import pytest
import rest
from zoo_scenes import BODY_KINDS, MODES

DURATION = 2.0


@pytest.mark.parametrize("h", [0.002, 0.02])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", BODY_KINDS)
def test_rests_on_the_floor(kind, mode, h):
    found = rest.look(rest.on_the_floor(kind, mode, h, 5e4, DURATION))
    assert found.still, found


@pytest.mark.parametrize("h", [0.001, 0.01])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["box", "hull", "soft"])
def test_rests_on_a_slope(kind, mode, h):
    """At 15°, μ 0.5: half of what friction can bear."""
    found = rest.look(rest.on_the_floor(kind, mode, h, 2e5, DURATION, np.radians(15)))
    assert found.still, found


@pytest.mark.parametrize(("h", "young"), [(0.005, 1e4), (0.005, 1e6), (0.02, 5e4)])
@pytest.mark.parametrize("mode", MODES)
def test_soft_cube_stays_between_plates(mode, h, young):
    found = rest.look(rest.held(mode, h, young, DURATION))
    assert found.still, found


@pytest.mark.parametrize(("h", "young"), [(0.005, 2e4), (0.02, 2e5)])
@pytest.mark.parametrize("mode", MODES)
def test_weight_on_tissue_rests(mode, h, young):
    found = rest.look(rest.weight_on_tissue(mode, h, young, DURATION))
    assert found.still, found
