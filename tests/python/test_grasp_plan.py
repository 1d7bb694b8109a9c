# SPDX-License-Identifier: LGPL-2.1-or-later
"""Grasps planned for the hand: opposition, balance, clearance, distance fields."""

import numpy as np
import pytest

from softcontact.hand import (
    FINGERS,
    GraspObject,
    joint_limits,
    plan_grasp,
    posture,
)
from softcontact.hand.closing import RigidClosing, balanced_squeeze
from softcontact.hand.kinematics import matrix_from_rotation_vector

MIRROR = np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("target", "kind", "fingers"),
    [
        (GraspObject.ball(0.035), "power", FINGERS),
        (GraspObject.ball(0.030), "precision", ("thumb", "index", "middle")),
        (GraspObject("box", [0.03, 0.03, 0.03], [0.1, 0.05, 0.03]), "precision", FINGERS),
        (GraspObject("cylinder", [0.03, 0.03, 0.05], [0, 0, 0.05]), "power", FINGERS),
    ],
)
def test_planned_grasp_opposes_the_thumb_and_clears_the_table(hand, target, kind, fingers):
    plan = plan_grasp(hand, target, kind, fingers, rounds=1)
    assert plan.table_clearance >= 0.003
    assert plan.imbalance < 0.05
    assert "thumb" in plan.fingers and len(plan.fingers) >= 3
    assert any(name.startswith("thumb") for name in plan.contacts)
    rotation = matrix_from_rotation_vector(plan.palm_rotation_vector)
    positions, rotations = hand.kinematics.poses(plan.preshape, plan.palm_position, rotation)
    surface = np.concatenate(
        [p.vertices @ rotations[k + 1].T + positions[k + 1] for k, p in enumerate(hand.phalanges)]
    )
    assert target.distance(surface)[0].min() > 0.001  # open around the object
    lower, upper = joint_limits()
    assert (plan.closed >= lower - 1e-12).all() and (plan.closed <= upper + 1e-12).all()


def test_grasp_of_a_low_cube_stays_off_the_table(hand):
    """Around the first pose alone the search ends with fingers inside the table."""
    cube = GraspObject("box", [0.02, 0.02, 0.02], [0.0, 0.0, 0.02])
    plan = plan_grasp(hand, cube, "power", rounds=1)
    assert plan.table_clearance >= 0.003 and plan.imbalance < 0.05
    assert len(plan.fingers) >= 3


def test_fingers_share_the_planned_squeeze_against_the_thumb(hand):
    plan = plan_grasp(hand, GraspObject.ball(0.0375), "precision", rounds=1)
    assert plan.fingers == FINGERS
    shares = np.array(plan.shares)
    assert shares[1:] == pytest.approx(1.0, abs=0.3)
    assert 1.5 < shares[0] < 4.5
    # The thumb's bone does not run into another finger.
    closing = RigidClosing(hand, GraspObject.ball(0.0375), FINGERS, wrap=False)
    assert closing.crossing(plan.closed) < 0.0
    assert closing.crossing(posture("fist")) > 0.002


def test_power_grasp_touches_with_more_phalanges_than_tips(hand):
    plan = plan_grasp(hand, GraspObject.ball(0.0375), "power", rounds=1)
    assert len(plan.contacts) >= 10
    side = plan_grasp(hand, GraspObject("cylinder", [0.03, 0.03, 0.05], [0, 0, 0.05]), "power", rounds=0)
    palm = matrix_from_rotation_vector(side.palm_rotation_vector)
    assert abs(palm[2, 2]) < 0.3  # the palm faces sideways
    assert palm[2, 1] > 0.9  # the thumb is up


def test_joints_of_a_plan_arrive_together(hand):
    plan = plan_grasp(hand, GraspObject.ball(0.0375), "precision", rounds=0)
    travel = (plan.closed - plan.preshape).reshape(5, 4)[:, 1:]
    for finger in plan.closing(0.5):
        way = travel[FINGERS.index(finger["name"])]
        moved = 0.5 * np.array(finger["rates"])
        assert (moved > 0.0).all()
        assert moved[way > 0.16] == pytest.approx(way[way > 0.16])
    with pytest.raises(ValueError, match="duration"):
        plan.closing(0.0)


def test_opposite_contacts_balance_and_one_sided_ones_do_not():
    def squeeze(angles):
        normals = np.array([[np.cos(a), np.sin(a), 0.0] for a in angles])
        links = [3, 6, 9, 12][: len(angles)]
        return balanced_squeeze(0.03 * normals, normals, links, np.zeros(3), 0.03)

    opposed = squeeze([np.pi, 0.3, 0.0, -0.3])
    assert opposed.imbalance < 0.01
    assert opposed.presses.sum() == pytest.approx(1.0, abs=0.02)
    assert opposed.totals[0] == pytest.approx(0.5, abs=0.05)
    assert opposed.totals[1:4] == pytest.approx(opposed.totals[1:4].mean(), rel=0.05)
    assert opposed.unevenness < 0.05
    assert squeeze([0.6, 0.3, 0.0, -0.3]).imbalance > 0.3


def test_planned_grasp_turns_with_its_yaw_and_mirrors_with_the_hand(hand, left):
    ball = GraspObject.ball(0.033)
    plain, turned = (plan_grasp(hand, ball, yaw=yaw, rounds=0) for yaw in (0.0, 0.5))
    turn = matrix_from_rotation_vector([0.0, 0.0, 0.5])
    offset = turn @ (plain.palm_position - ball.centre)
    assert turned.palm_position - ball.centre == pytest.approx(offset, abs=1e-12)
    mirrored = plan_grasp(left, ball, rounds=0)
    assert mirrored.palm_position == pytest.approx(plain.palm_position * MIRROR, abs=1e-12)
    assert mirrored.closed == pytest.approx(plain.closed, abs=1e-12)


def test_motion_of_a_plan_comes_down_waits_and_lifts(hand):
    plan = plan_grasp(hand, GraspObject.ball(0.035), rounds=0)
    motion = plan.motion(approach_time=0.5, closing_time=1.0, lift_height=0.1)
    q = motion.joint_targets([0.0, 0.5, 1.0, 1.5, 3.0])
    assert q[1, :3] == pytest.approx(plan.palm_position)
    assert q[2] == pytest.approx(q[1], abs=1e-12)
    assert q[4, 2] == pytest.approx(plan.palm_position[2] + 0.1)


def test_grasp_object_distance_is_exact_where_it_should_be():
    points = np.array([[0.0, 0, 0.1], [0.05, 0, 0.035], [0.02, 0.02, 0.1]])
    distance, normal = GraspObject.ball(0.035).distance(points)
    assert distance == pytest.approx(np.linalg.norm(points - [0, 0, 0.035], axis=1) - 0.035, abs=1e-12)
    assert normal[1] == pytest.approx([1.0, 0.0, 0.0])
    box = GraspObject("box", [0.01, 0.02, 0.03], [0, 0, 0.03])
    assert box.distance(np.array([[0.013, 0.024, 0.03], [0.008, 0, 0.03]]))[0] == pytest.approx(
        [0.005, -0.002]
    )
    cylinder = GraspObject("cylinder", [0.03, 0.03, 0.05], [0, 0, 0.05])
    assert cylinder.distance(np.array([[0.03, 0.04, 0.05], [0, 0, 0.12]]))[0] == pytest.approx([0.02, 0.02])


def test_mesh_distance_agrees_with_the_shape_it_samples():
    from softcontact.mesh import sphere

    mesh = sphere(0.03, 10)
    sampled = GraspObject.of_mesh(mesh.vertices + np.array([0.1, 0.0, 0.03]), mesh.triangles)
    exact = GraspObject.ball(0.03, [0.1, 0.0, 0.03])
    points = sampled.centre + np.random.default_rng(4).uniform(-0.05, 0.05, (400, 3))
    points = points[np.linalg.norm(points - sampled.centre, axis=1) > 0.006]
    (found, normal), (distance, outward) = sampled.distance(points), exact.distance(points)
    assert found == pytest.approx(distance, abs=0.001)
    assert np.einsum("nd,nd->n", normal, outward).min() > 0.97
    assert not sampled.turns_freely and exact.turns_freely
    with pytest.raises(ValueError, match="of_mesh"):
        GraspObject("mesh", [0.03, 0.03, 0.03], [0, 0, 0.03])


def test_planning_rejects_impossible_requests(hand):
    ball = GraspObject.ball(0.035)
    with pytest.raises(ValueError, match="thumb"):
        plan_grasp(hand, ball, fingers=("index", "middle"))
    with pytest.raises(ValueError, match="kind"):
        plan_grasp(hand, ball, "hook")
    with pytest.raises(ValueError, match="half_extents"):
        GraspObject("box", [0.03, float("nan"), 0.03], [0, 0, 0.03])
    with pytest.raises(ValueError, match="shape"):
        GraspObject("torus", [0.03, 0.03, 0.03], [0, 0, 0.03])
