# SPDX-License-Identifier: LGPL-2.1-or-later
"""A round arch of seven dry stones stands if it is thick, and falls if it is thin: a matter of geometry alone.

A semicircular arch that may crack anywhere needs a thickness of 0.1075 of its mean radius (Milankovitch 1907, Heyman
1969); one of seven stones, which cracks at its joints alone, a little less.
"""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, prism, scene

from softcontact.scene import ContactSettings, KinematicBody, RigidBody

STONES, RADIUS = 7, 0.3


def arch(thickness):
    """Stones of an arch of mean radius 0.3 m, each a prism about its centre; joints are closed."""
    low, high = RADIUS * (1 - thickness / 2), RADIUS * (1 + thickness / 2)
    found = []
    for i in range(STONES):
        a, b = np.pi * i / STONES, np.pi * (i + 1) / STONES
        profile = np.array(
            [(r * np.cos(t), r * np.sin(t)) for r, t in ((low, a), (high, a), (high, b), (low, b))]
        )
        middle = profile.mean(axis=0)
        found.append(
            RigidBody(
                name=f"s{i}",
                shape=prism(profile - middle, 0.15),
                density=2000.0,
                friction=0.9,
                position=(middle[0], 0, middle[1]),
            )
        )
    return found


@pytest.mark.parametrize("h", [0.002, 0.005])
@pytest.mark.parametrize("mode", MODES)
def test_thick_arch_stands(mode, h):
    run = zoo_runs.run(
        scene(
            [floor(0.9), *arch(0.2)], 2.0, h, mode, contact=ContactSettings(friction=0.9, contact_offset=0.0)
        ),
        every=5,
    )
    assert run.exit_code == 0, run.message
    moved = max(np.abs(run[f"s{i}"].centre - run[f"s{i}"].centre[0]).max() for i in range(STONES))
    assert moved < 0.002 * RADIUS
    assert np.abs(run["s3"].velocity[-1]).max() < 1e-6
    assert run.overlap()[0] < 0.01


@pytest.mark.parametrize("mode", MODES)
def test_thin_arch_falls(mode):
    run = zoo_runs.run(
        scene(
            [floor(0.9), *arch(0.05)],
            1.0,
            0.002,
            mode,
            contact=ContactSettings(friction=0.9, contact_offset=0.0),
        ),
        every=5,
    )
    assert run.exit_code == 0, run.message
    assert run["s3"].centre[-1, 2] < 0.7 * run["s3"].centre[0, 2]
    assert run.worst_overlap()[0] < 0.01
    assert run.gain() < 1e-6


def test_keystone_between_abutments():
    """A stone that tapers hangs between two that stand still: friction is not needed."""
    taper, w = 0.2, 0.05
    stone = prism([(-w, -w), (w, -w), (w + 2 * w * taper, w), (-w - 2 * w * taper, w)], 0.1)
    side = prism([(0, -w), (0.1, -w), (0.1, w), (2 * w * taper, w)], 0.1)
    left = prism([(0, -w), (-0.1, -w), (-0.1, w), (-2 * w * taper, w)], 0.1)
    bodies = [
        KinematicBody(name="l", shape=left, position=(-w, 0, 0), friction=0.0),
        KinematicBody(name="r", shape=side, position=(w, 0, 0), friction=0.0),
        RigidBody(name="b", shape=stone, position=(0, 0, 1e-3), friction=0.0),
    ]
    for mode in MODES:
        run = zoo_runs.run(scene(bodies, 1.0, 0.005, mode, contact=ContactSettings(contact_offset=0.0)))
        assert run["b"].centre[-1] == pytest.approx([0, 0, run["b"].centre[-1, 2]], abs=1e-5)
        assert run["b"].centre[-1, 2] == pytest.approx(run["b"].centre[0, 2] - 1e-3, abs=2e-4)
        assert np.abs(run["b"].velocity[-1]).max() < 1e-7
