# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dominoes: one that leans by less than atan(b/h) stands up again, one beyond falls; a row falls one after another."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, scene

from softcontact.scene import Box, RigidBody

THICK, WIDTH, HEIGHT = 0.01, 0.03, 0.06
CRITICAL = np.arctan(THICK / HEIGHT)


def domino(name, x, lean=0.0):
    """Standing on its far lower edge at x + THICK/2, leaning by an angle [rad] along x."""
    half = np.array([-THICK / 2, 0, HEIGHT / 2])  # of the centre, from the edge
    c, s = np.cos(lean), np.sin(lean)
    centre = np.array([x + THICK / 2 + c * half[0] + s * half[2], 0, -s * half[0] + c * half[2]])
    return RigidBody(
        name=name,
        shape=Box(size=(THICK, WIDTH, HEIGHT)),
        density=1500.0,
        friction=0.4,
        position=tuple(centre + np.array([0, 0, 5e-4])),
        orientation=(0, np.sin(lean / 2), 0, np.cos(lean / 2)),
    )


@pytest.mark.parametrize("h", [0.001, 0.005])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_critical_lean(share, mode, h):
    run = zoo_runs.run(scene([floor(0.4), domino("d", 0, share * CRITICAL)], 3.0, h, mode))
    up = run["d"].axis((0, 0, 1))[-1, 2]
    assert up == pytest.approx(1.0 if share < 1 else 0.0, abs=1e-3)
    assert run["d"].axis((0, 0, 1))[-1, 0] > -0.01
    assert np.abs(run["d"].velocity[-1]).max() < 1e-6
    assert run.gain() < 1e-6


@pytest.mark.parametrize("mode", MODES)
def test_row_falls(mode):
    """Eight, half a height apart: each hit the next, all lie, none inside another."""
    count, pitch = 8, HEIGHT / 2
    row = [domino(f"d{i}", i * pitch, 1.2 * CRITICAL if i == 0 else 0.0) for i in range(count)]
    run = zoo_runs.run(scene([floor(0.4), *row], 2.0, 0.002, mode), every=2)
    assert run.exit_code == 0, run.message
    leans = np.array([np.arcsin(run[f"d{i}"].axis((0, 0, 1))[:, 0]) for i in range(count)])
    began = [np.argmax(lean > 2 * CRITICAL) for lean in leans]
    assert (np.diff(began) > 0).all()
    assert (leans[:, -1] > np.radians(50)).all()
    assert run.worst_overlap(20)[0] < 0.01
    assert run.gain() < 1e-6
