# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rigid bodies on a floor against closed forms, in the full time step.

Sources: Coulomb's law on an incline, a = g (sin θ − μ cos θ); sliding distance v²/(2 μ g).
"""

import numpy as np
import pytest
from bench_bodies import GRAVITY, add_block, add_floor, new_world


def on_incline(angle, mu, step):
    """A floor, with gravity tilted by `angle` about y."""
    world = new_world(step, gravity=(GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))
    add_floor(world, friction=mu)
    return world, add_block(world, (0.1, 0.1, 0.04), friction=mu)


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8])
def test_block_rests_below_the_friction_angle(mu):
    world, block = on_incline(np.arctan(mu) * 0.9, mu, 0.002)
    world.step(200)
    start = world.body_pose(block)[0]
    assert world.step(500)
    moved = np.linalg.norm(world.body_pose(block)[0] - start)
    assert moved < 1e-9, "at rest means at rest: no creep in 1 s"


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8])
def test_block_slides_above_the_friction_angle(mu):
    angle = np.arctan(mu) * 1.1
    step, steps = 0.001, 400
    world, block = on_incline(angle, mu, step)
    assert world.step(steps)
    expected = GRAVITY * (np.sin(angle) - mu * np.cos(angle))
    speed = world.joint_velocities(block)[0]
    assert speed == pytest.approx(expected * steps * step, rel=1e-6)


def test_block_sliding_fast_does_not_hop():
    world = new_world(0.001)
    add_floor(world, size=20.0, friction=0.5)
    block = add_block(world, (0.1, 0.1, 0.02), friction=0.5, linear_velocity=np.array([5.0, 0.0, 0.0]))
    start = world.body_pose(block)[0][2]
    highest = -np.inf
    for _ in range(900):
        assert world.step()
        highest = max(highest, world.body_pose(block)[0][2] - start)
    assert highest < 1e-6


def test_stopping_distance():
    mu, speed, step = 0.5, 2.0, 0.0005
    world = new_world(step)
    add_floor(world, size=20.0, friction=mu)
    block = add_block(world, (0.1, 0.1, 0.01), friction=mu, linear_velocity=np.array([speed, 0.0, 0.0]))
    assert world.step(1200)
    distance = world.body_pose(block)[0][0]
    # Implicit Euler loses at most one step at the initial speed.
    assert distance == pytest.approx(speed**2 / (2.0 * mu * GRAVITY), abs=speed * step)


@pytest.mark.parametrize("step", [0.001, 0.005, 0.02])
def test_reported_force_carries_the_weight(step):
    world = new_world(step)
    add_floor(world)
    add_block(world, mass=0.7)
    assert world.step(round(0.5 / step))
    (patch,) = world.patches()
    assert patch["force"] == pytest.approx([0.0, 0.0, 0.7 * GRAVITY], abs=0.01 * 0.7 * GRAVITY)
    assert patch["normal_force"] == pytest.approx(0.7 * GRAVITY, rel=0.01)


def test_two_pairs_with_different_friction_each_have_their_threshold():
    angle = np.arctan(0.5)
    world = new_world(0.002, gravity=(GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))
    add_floor(world, friction=1.0)
    rough = add_block(world, (0.1, 0.1, 0.04), name="rough")
    smooth = add_block(world, (0.1, 0.1, 0.04), name="smooth", height=0.0)
    world.disable_pair("rough", "smooth")
    world.set_pair_friction("rough", "floor", 0.6)
    world.set_pair_friction("smooth", "floor", 0.4)
    assert world.step(300)
    assert abs(world.joint_velocities(rough)[0]) < 1e-9
    expected = GRAVITY * (np.sin(angle) - 0.4 * np.cos(angle)) * 0.6
    assert world.joint_velocities(smooth)[0] == pytest.approx(expected, rel=1e-6)


def test_same_run_gives_the_same_bits():
    states = []
    for _ in range(2):
        world = new_world(0.002)
        add_floor(world)
        add_block(world, height=0.02, angular_velocity=np.array([1.0, 2.0, 3.0]))
        assert world.step(300)
        states.append(world.state())
    assert np.array_equal(states[0], states[1])
