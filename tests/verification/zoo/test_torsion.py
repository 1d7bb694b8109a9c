# SPDX-License-Identifier: LGPL-2.1-or-later
"""Torsion: what turns on the spot is braked by 2/3 μ N R under an even pressure."""

import numpy as np
import pytest
import zoo_runs
from scipy.integrate import solve_ivp
from zoo_scenes import G, floor, scene

from softcontact.scene import Box, Cylinder, RigidBody


def braking(shape, z, mode, h, speed=5.0, mu=0.3, duration=0.3):
    """Angular deceleration about z of a body that turns on the floor [rad/s²], and its run."""
    body = RigidBody(name="b", shape=shape, position=(0, 0, z), angular_velocity=(0, 0, speed), friction=mu)
    run = zoo_runs.run(scene([floor(mu), body], duration, h, mode))
    spin = run["b"].spin[:, 2]
    moving = (spin > 0.1 * speed) & (run.time > 0.02)
    return -np.polyfit(run.time[moving], spin[moving], 1)[0], run


@pytest.mark.parametrize("height", [0.02, 0.1])
@pytest.mark.parametrize("h", [0.001, 0.005])
def test_disc(height, h):
    """2/3 μ m g R / (m R²/2) = 4/3 μ g / R, however tall: a patch presses evenly."""
    r, mu = 0.05, 0.3
    found, run = braking(Cylinder(radius=r, height=height), height / 2, "aggregate", h)
    assert found == pytest.approx(4 / 3 * mu * G / r, rel=0.02)
    late = run.time > 0.02
    assert np.abs(run["b"].centre[late] - run["b"].centre[-1]).max() < 1e-4 * r


def test_disc_on_points_lies_between_centre_and_rim():
    """Points bear the weight where they like: no more than all on the rim, 2 μ g / R, and not nothing."""
    r, mu = 0.05, 0.3
    found, _ = braking(Cylinder(radius=r, height=0.02), 0.01, "points", 0.001)
    assert 0.5 * mu * G / r < found <= 2 * mu * G / r * 1.001


def test_square():
    """Even pressure on a square of side a: torque μ N a (√2 + asinh 1)/6, inertia m a²/6."""
    a, mu = 0.08, 0.3
    arm = a * (np.sqrt(2) + np.arcsinh(1)) / 6
    found, _ = braking(Box(size=(a, a, 0.02), divisions=(8, 8, 1)), 0.01, "aggregate", 0.001)
    assert found == pytest.approx(mu * G * arm / (a * a / 6), rel=0.03)


def test_sliding_and_turning():
    """A flat disc that slides and turns under an even pressure: both brake each other, and end together."""
    r, mu, v0, w0 = 0.05, 0.3, 0.5, 8.0
    rings, angles = (np.arange(60) + 0.5) / 60 * r, np.linspace(0, 2 * np.pi, 120, endpoint=False)
    x, y = np.outer(rings, np.cos(angles)), np.outer(rings, np.sin(angles))
    weight = np.outer(rings, np.ones(120))
    weight /= weight.sum()

    def rates(_, state):
        u, v = state[0] - state[1] * y, state[1] * x
        speed = np.hypot(u, v) + 1e-12
        brake = -mu * G * weight / speed
        return [(brake * u).sum(), (brake * (x * v - y * u)).sum() / (r * r / 2)]

    def stopped(_, state):
        return state[0] - 0.02 * v0

    stopped.terminal = True
    body = RigidBody(
        name="b",
        shape=Cylinder(radius=r, height=0.004),
        position=(0, 0, 0.00201),
        velocity=(v0, 0, 0),
        angular_velocity=(0, 0, w0),
        friction=mu,
    )
    run = zoo_runs.run(scene([floor(mu), body], 0.4, 0.001, "aggregate"))
    landed = run.time > 0.0195  # by then it lies flat
    first = [np.linalg.norm(run["b"].velocity[landed][0, :2]), run["b"].spin[landed][0, 2]]
    right = solve_ivp(rates, (0.02, 1), first, rtol=1e-8, atol=1e-10, dense_output=True, events=stopped)
    k = landed & (run.time <= right.t[-1])
    expected = right.sol(run.time[k])
    assert np.linalg.norm(run["b"].velocity[k, :2], axis=1) == pytest.approx(expected[0], abs=0.02 * v0)
    assert run["b"].spin[k, 2] == pytest.approx(expected[1], abs=0.02 * w0)
    later = run.time > right.t[-1] + 0.02
    assert np.abs(run["b"].spin[later]).max() < 1e-6
