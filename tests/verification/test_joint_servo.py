# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joints in a World: servos that are implicit in the step."""

import numpy as np
import pytest
from joint_worlds import ABOUT_JOINT, new_world, one_link
from scipy.spatial.transform import Rotation


@pytest.mark.parametrize("angle", [0.0, 1e-9, 30.0, 90.0, 135.0, 170.0])
@pytest.mark.parametrize("stiffness", [20.0, 2e4])
def test_spherical_servo_is_stable_from_any_angle(angle, stiffness):
    rng = np.random.default_rng(3)
    for axis in rng.normal(size=(3, 3)):
        rotation = Rotation.from_rotvec(np.radians(angle) * axis / np.linalg.norm(axis))
        start, target = rotation.as_quat(), np.array([0.0, 0.0, 0.0, 1.0])
        damping = 2.0 * np.sqrt(stiffness * ABOUT_JOINT)
        world = new_world()
        servo = {"stiffness": [stiffness] * 3, "damping": [damping] * 3}
        body = world.add_articulated_body("arm", [one_link("spherical", **servo)], start)
        world.set_joint_motion(body, np.zeros(1), target[None])
        largest = angle
        for _ in range(30):
            assert world.step(50)
            q = world.joint_positions(body)
            assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)
            now = np.degrees(Rotation.from_quat(q).magnitude())
            assert now <= largest + 1e-6  # critically damped: it never turns farther away
            largest = max(now, 0.5)
        assert now < 0.01


def test_servo_holds_a_load_at_its_static_error():
    stiffness = 50.0
    world = new_world((0.0, 0.0, -9.81))
    servo = {"stiffness": [stiffness], "damping": [5.0]}
    body = world.add_articulated_body("arm", [one_link("revolute", **servo)], [0.0])
    world.set_joint_motion(body, np.zeros(1), np.array([[-np.pi / 2]]))
    assert world.step(3000)
    angle = world.joint_positions(body)[0]
    assert stiffness * (-np.pi / 2 - angle) == pytest.approx(1.2 * 9.81 * 0.12 * np.sin(angle), rel=1e-6)
