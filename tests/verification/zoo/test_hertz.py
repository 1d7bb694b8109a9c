# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hertz: a stiff ball pressed into tissue, force 4/3 E* √R d^1.5 and pressure p₀ √(1 − r²/a²).

Linear tetrahedra are too stiff by an error of first order in their size: two meshes give the limit.
"""

import numpy as np
import pytest
from zoo_halfspace import RADIUS, hertz_force, press

CELLS = (12, 16)
DEPTH = 0.003


@pytest.fixture(scope="module")
def pressed():
    return [press(DEPTH, mode="aggregate", friction=0.0, cells=n) for n in CELLS]


def share(found):
    """Force over Hertz's at the end."""
    return -found.force[-1, 2] / hertz_force(found.down[-1])


def test_force(pressed):
    coarse, fine = (share(found) for found in pressed)
    limit = fine + (fine - coarse) * CELLS[0] / (CELLS[1] - CELLS[0])
    assert limit == pytest.approx(1.0, abs=0.1)
    assert 1.0 < fine < coarse


def test_force_grows_with_depth_to_three_halves(pressed):
    found = pressed[1]
    deep = (found.down > 0.35 * DEPTH) & (found.run.time < 0.31)
    power = np.polyfit(np.log(found.down[deep]), np.log(-found.force[deep, 2]), 1)[0]
    assert power == pytest.approx(1.5, abs=0.12)
    assert np.abs(found.force[:, :2]).max() < 0.01 * np.abs(found.force[:, 2]).max()


@pytest.mark.slow
def test_points_bear_what_patches_bear(pressed):
    points = press(DEPTH, mode="points", friction=0.0, cells=CELLS[0])
    assert share(points) == pytest.approx(share(pressed[0]), rel=0.15)


def test_pressure(pressed):
    """Of the total force, the part within a radius is 1 − (1 − r²/a²)^1.5: half of it within 0.61 a."""
    found = pressed[1]
    a = np.sqrt(RADIUS * found.down[-1])
    place = found.run["block"].nodes[-1] - found.run["ball"].poses[-1, :3]
    r, load = np.hypot(place[:, 0], place[:, 1]), -found.loads[-1][:, 2]
    size = a / 3  # about that of the elements
    for radius in (0.6 * a, 0.9 * a):
        inside = load[r < radius].sum() / load.sum()
        low, high = (1 - max(1 - min(x / a, 1.0) ** 2, 0) ** 1.5 for x in (radius - size, radius + size))
        assert low < inside < high
    assert load[r < a + 2 * size].sum() > 0.95 * load.sum()
