# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors go to zero with the step, at first order at least."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, floor, resting_body, scene, slope_gravity, soft_box

from softcontact.scene import Box, RigidBody, Sphere

STEPS = np.array([0.008, 0.004, 0.002, 0.001])


def order(errors):
    """Slope of the error over the step, on logarithms; large where all are round-off."""
    errors = np.abs(errors)
    if errors.max() < 1e-9:
        return np.inf
    return np.polyfit(np.log(STEPS), np.log(np.maximum(errors, 1e-15)), 1)[0]


def test_free_fall():
    """Second order or exact with a midpoint rule, first order with implicit Euler."""
    errors = []
    for h in STEPS:
        run = zoo_runs.run(scene([RigidBody(name="b", shape=Box(size=(0.1,) * 3))], 0.4, h))
        errors.append(run["b"].centre[-1, 2] + G * 0.4**2 / 2)
    assert order(errors) > 0.95


@pytest.mark.parametrize("mode", MODES)
def test_stopping_distance(mode):
    mu, v = 0.4, 0.93
    errors = []
    for h in STEPS:
        body = resting_body("box", 0.1, friction=mu, velocity=(v, 0, 0))
        run = zoo_runs.run(scene([floor(mu), body], 0.4, h, mode))
        errors.append(run["b"].centre[-1, 0] - v * v / (2 * mu * G))
    assert (np.abs(errors) <= 0.6 * STEPS * v).all()
    assert order(errors) > 0.8


@pytest.mark.parametrize("mode", MODES)
def test_sliding_down_a_slope(mode):
    mu, angle = 0.2, np.radians(25)
    errors = []
    for h in STEPS:
        run = zoo_runs.run(
            scene(
                [floor(mu), resting_body("box", 0.1, friction=mu)], 0.4, h, mode, gravity=slope_gravity(angle)
            )
        )
        errors.append(run["b"].centre[-1, 0] - G * (np.sin(angle) - mu * np.cos(angle)) * 0.4**2 / 2)
    assert order(errors) > 0.8


def test_fall_and_stop():
    """Where a ball comes to rest after it fell: the same at all steps."""
    heights = []
    for h in STEPS:
        ball = RigidBody(name="b", shape=Sphere(radius=0.05), position=(0, 0, 0.3))
        heights.append(zoo_runs.run(scene([floor(), ball], 0.8, h))["b"].centre[-1, 2])
    assert np.ptp(heights) < 1e-6


def test_swinging_soft_block():
    """A block that is thrown at a wall of friction shears and rings: against the finest step."""

    def way(h):
        body = soft_box(
            "b", (0.06, 0.06, 0.06), 3e4, position=(0, 0, 0.03006), velocity=(0.3, 0, 0), friction=0.9
        )
        return zoo_runs.run(scene([floor(0.9), body], 0.1, h))["b"].centre[-1]

    right = way(0.000125)
    errors = np.array([np.linalg.norm(way(h) - right) for h in STEPS])
    assert (errors < STEPS * 0.3).all()  # the way of one step: when it lands is known no better
