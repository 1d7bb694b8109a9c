# SPDX-License-Identifier: LGPL-2.1-or-later
"""A box on a slope tips over at atan(b/h), or slides at atan μ, whichever comes first."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, resting_body, scene, slope_gravity

from softcontact.scene import Box, RigidBody

HEIGHT, BASE = 0.15, 0.05  # tips at 18.4°


@pytest.mark.parametrize("heading", [0.0, np.pi / 2, np.pi])
@pytest.mark.parametrize("h", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("excess", [0.97, 1.03])
def test_tips_at_base_over_height(excess, mode, h, heading):
    angle = np.arctan(excess * BASE / HEIGHT)
    box = RigidBody(name="b", shape=Box(size=(BASE, BASE, HEIGHT)), position=(0, 0, HEIGHT / 2), friction=1.0)
    run = zoo_runs.run(scene([floor(1.0), box], 2.0, h, mode, gravity=slope_gravity(angle, heading)))
    tilt = run["b"].tilt()
    if excess > 1:
        assert tilt[-1] > np.radians(60)
    else:
        assert tilt.max() < np.radians(1)
        assert np.linalg.norm(run["b"].velocity[-1]) < 1e-6


@pytest.mark.parametrize("kind", ["box", "hull", "cylinder", "soft"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("excess", [0.98, 1.04])
def test_slides_at_the_angle_of_friction(excess, mode, kind):
    mu = 0.3
    angle = np.arctan(excess * mu)
    body = resting_body(kind, 0.1, young=2e5, friction=mu)
    run = zoo_runs.run(scene([floor(mu), body], 1.5, 0.005, mode, gravity=slope_gravity(angle, 0.4)))
    late = run.time > 0.7
    way = np.linalg.norm((run["b"].centre[late] - run["b"].centre[late][0])[:, :2], axis=1)[-1]
    if excess < 1:
        assert way < 1e-6
    else:
        t = run.time[late]
        a = 9.81 * (np.sin(angle) - mu * np.cos(angle))
        assert way == pytest.approx(0.5 * a * (t[-1] ** 2 - t[0] ** 2), rel=0.2)
