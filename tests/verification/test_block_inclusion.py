# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tool over a stiff ball in the block feels the force contrast of a fine, independent finite element model.

The reference: data/block_inclusion.json, made by inclusion_reference.py (quadratic hexahedra, linear elasticity; from
0.6 to 0.8 of its fineness the contrast at 3 mm changes by 0.1 %, at 2 mm by 1.2 %). A contrast compares one mesh with
itself, so it converges before the forces do: those of the block's linear tetrahedra are too large by 42 % (2560) and by
8 % (graded) at 3 mm, for the tool touches less than a cell. Contrasts there are 1.346 and 1.269, 4.0 % and 1.9 % off;
at 2 mm, 5.6 % and 3.5 %: the block of 2560 reaches 5 % only where the tool is pressed in by a third of a cell.
"""

import json
from pathlib import Path

import pytest

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene.library import load

REFERENCE = json.loads((Path(__file__).parent / "data" / "block_inclusion.json").read_text(encoding="utf-8"))
FIRST_TOUCH = 0.04 + 0.008 + 4e-4  # m: height of the tool's axis at which the contact offset is used up


def held(lattice, ratio):
    """Force [N] on a tool held over the middle of the block, and how deep it is pressed in [m]."""
    options = {
        "inclusion": ratio,
        "start": 0.0,
        "drag": 0.0,
        "depth": 0.00264,
        "stiffness": 1e5,
        "friction": 0.0,
    }
    scene = load("block", {"lattice": lattice, **options, "time_step": 0.04, "speed": 0.05})
    engine = EmbeddedEngine(scene)
    # The device stands still for half a second before this keyframe.
    while engine.time < scene.motions[0].times[4] - 0.5 * scene.time_step:
        engine.step()
    return engine.device_load("tool")["force"][2], FIRST_TOUCH - engine.pose("tool")[2]


@pytest.mark.parametrize("lattice", ["even", "graded"])
def test_force_contrast_over_the_ball_is_that_of_a_fine_model(lattice):
    (plain, depth), (stiff, depth_stiff) = held(lattice, 1.0), held(lattice, 10.0)
    at = REFERENCE["depth"].index(0.003)
    assert depth == pytest.approx(0.003, abs=2e-5) and depth_stiff == pytest.approx(0.003, abs=2e-5)
    wanted = REFERENCE["force_with_ball"][at] / REFERENCE["force_plain"][at]
    assert wanted > 1.25
    assert stiff / plain == pytest.approx(wanted, rel=0.05)
