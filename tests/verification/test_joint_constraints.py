# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joints in a World: rigid limits and dry friction as constraints, solved together with the contacts."""

import numpy as np
import pytest
from joint_worlds import ABOUT_JOINT, STEP, new_world, one_link

INFINITY = float("inf")


@pytest.mark.parametrize(("torque", "limit"), [(-0.5, -0.4), (0.5, 0.9)])
def test_rigid_limits_stop_a_joint_and_bear_the_torque(torque, limit):
    world = new_world()
    link = one_link("revolute", lower=[-0.4], upper=[0.9], limit_stiffness=INFINITY)
    body = world.add_articulated_body("arm", [link], [0.0])
    world.set_applied_force(body, [torque])
    reached = []
    for _ in range(1500):
        assert world.step()
        reached.append(world.joint_positions(body)[0])
    assert min(reached) >= -0.4 - 1e-12 and max(reached) <= 0.9 + 1e-12
    assert reached[-1] == pytest.approx(limit, abs=1e-12)
    assert world.joint_velocities(body)[0] == pytest.approx(0.0, abs=1e-9)
    assert world.joint_constraint_forces(body)[0] == pytest.approx(-torque, rel=1e-6)
    world.set_applied_force(body, [-torque])  # and it lets go at once
    assert world.step(100)
    expected = limit - np.sign(torque) * 0.5 * abs(torque) / ABOUT_JOINT * 0.1**2
    assert world.joint_positions(body)[0] == pytest.approx(expected, abs=0.02 * abs(expected - limit))
    assert world.joint_constraint_forces(body)[0] == 0.0


@pytest.mark.parametrize("torque", [-0.31, -0.29, 0.29, 0.31])
def test_dry_friction_holds_up_to_its_strength(torque):
    friction = 0.3
    world = new_world()
    body = world.add_articulated_body("arm", [one_link("revolute", friction=[friction])], [0.1])
    world.set_applied_force(body, [torque])
    assert world.step(200)
    moved = world.joint_positions(body)[0] - 0.1
    if abs(torque) < friction:
        assert moved == pytest.approx(0.0, abs=1e-12)
        assert world.joint_constraint_forces(body)[0] == pytest.approx(-torque, rel=1e-6)
    else:
        acceleration = (torque - np.sign(torque) * friction) / ABOUT_JOINT
        assert moved == pytest.approx(0.5 * acceleration * 0.2**2, rel=0.01)
        assert world.joint_constraint_forces(body)[0] == pytest.approx(-np.sign(torque) * friction)


def test_dry_friction_stops_a_joint_where_its_work_is_the_energy():
    friction, speed = 0.05, 2.0
    world = new_world()
    body = world.add_articulated_body("arm", [one_link("revolute", friction=[friction])], [0.0])
    world.set_velocity(body, [speed])
    assert world.step(3000)
    assert world.joint_velocities(body)[0] == pytest.approx(0.0, abs=1e-12)
    expected = 0.5 * ABOUT_JOINT * speed**2 / friction
    assert world.joint_positions(body)[0] == pytest.approx(expected, rel=2 * STEP * friction / ABOUT_JOINT)


def test_friction_and_limits_of_a_chain_hold_together():
    """Two links pushed by gravity into the lower one's limit; the upper joint's friction holds both."""
    world = new_world((0.0, 0.0, -9.81))
    upper = one_link("revolute", friction=[10.0]) | {"name": "upper"}
    lower = one_link("revolute", lower=[-0.2], upper=[0.2], limit_stiffness=INFINITY)
    lower |= {"parent": 0, "position": np.array([0.0, 0.0, -0.25])}
    body = world.add_articulated_body("arm", [upper, lower], [-1.2, 0.2])
    assert world.step(1000)
    q = world.joint_positions(body)
    np.testing.assert_allclose(q, [-1.2, 0.2], atol=1e-9)
    weight = 1.2 * 9.81
    turn_lower = weight * 0.12 * np.sin(q.sum())
    turn_upper = weight * (0.12 * np.sin(q[0]) + 0.25 * np.sin(q[0]) + 0.12 * np.sin(q.sum()))
    np.testing.assert_allclose(world.joint_constraint_forces(body), [turn_upper, turn_lower], rtol=1e-6)


@pytest.mark.parametrize(
    ("joint", "details", "start", "message"),
    [
        ("spherical", {"lower": [0] * 3, "upper": [1] * 3}, [0, 0, 0, 1], "rigid limits are for revolute"),
        (
            "revolute",
            {"lower": [0.5], "upper": [1.0]},
            [0.0],
            "joint_positions: link 'forearm' starts at 0.0.*, outside its rigid limits.*; start it within",
        ),
        ("revolute", {"lower": [0.0], "upper": [1.0], "friction": [-1.0]}, [0.0], r"friction\[0\] = -1"),
        (
            "revolute",
            {"lower": [0.0], "upper": [1.0], "friction": [1.0, 2.0]},
            [0.0],
            "friction has 2 values",
        ),
    ],
)
def test_wrong_constraints_are_refused(joint, details, start, message):
    link = one_link(joint, limit_stiffness=INFINITY, **details)
    with pytest.raises(ValueError, match=message):
        new_world().add_articulated_body("arm", [link], start)
