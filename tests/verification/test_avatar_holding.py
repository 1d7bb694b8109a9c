# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars that reach, hold with both palms, are dragged by a link and touched by a tool."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_avatar_standing import standing

from softcontact import _core
from softcontact.avatar import (
    AvatarController,
    CompliantChain,
    DraggedLink,
    HoldingChain,
    borne_loads,
    felt_mass,
    holding_posture,
    human,
    offering_posture,
    palm_pose,
    robot,
    touched_links,
)
from softcontact.avatar.holding import bearing_torques
from softcontact.haptics import RigidState, Tool, VirtualCoupling, VisualTool
from softcontact.mesh.primitives import box, sphere

AVATARS = {"robot": robot(), "human": human()}
CENTRES = {"robot": (0.40, 0.0, 0.86), "human": (0.42, 0.0, 1.02)}
NONE = np.zeros(3)


def holding(name, **details):
    avatar = AVATARS[name]
    q = holding_posture(avatar, avatar.standing(), CENTRES[name], 0.2)
    stiffness, _ = avatar.gains()
    damping = np.maximum(0.005 * stiffness, 0.05)
    return avatar, q, HoldingChain(avatar, q, damping=damping, inertia=0.03 * damping, **details)


@pytest.mark.parametrize("name", AVATARS)
def test_palms_go_to_both_sides_of_an_object_and_nothing_else_moves(name):
    avatar, q, _ = holding(name)
    for palm, side in zip(avatar.palms, (-1.0, 1.0), strict=True):
        place, axes = palm_pose(avatar, q, palm)
        np.testing.assert_allclose(place, np.add(CENTRES[name], (0.0, 0.1 * side, 0.0)), atol=1e-9)
        np.testing.assert_allclose(axes[:, 0], (0.0, -side, 0.0), atol=1e-9)
        surface = next(shape for shape in avatar.shapes if shape.link == palm.link)
        height = (surface.vertices - palm.centre) @ np.array(palm.normal)
        assert height.max() == pytest.approx(0.0, abs=1e-12)  # the palm is the outermost part on that side
        assert (height > -1e-12).sum() >= 4  # and flat
    moved = np.abs(avatar.model.difference(avatar.standing(), q))
    for link in avatar.links:
        if not any(part in link["name"] for part in ("arm", "shoulder", "wrist", "hand")):
            assert not moved[avatar.coordinates(link["name"])].any(), link["name"]


def test_what_is_out_of_reach_or_needs_palms_is_refused():
    avatar = AVATARS["robot"]
    with pytest.raises(ValueError, match=r"'robot' does not reach right_gripper to \[1.4"):
        holding_posture(avatar, avatar.standing(), (1.4, 0.0, 0.86), 0.2)
    bare = replace(avatar, palms=())
    with pytest.raises(ValueError, match="'robot' has no palms"):
        holding_posture(bare, avatar.standing(), (0.4, 0.0, 0.86), 0.2)
    with pytest.raises(ValueError, match="'robot' has no palms"):
        offering_posture(bare, avatar.standing(), (0.4, 0.0, 0.86))


@pytest.mark.parametrize("name", AVATARS)
def test_palms_keep_their_pose_to_each_other_wherever_they_are_led(name):
    avatar, q, chain = holding(name)
    wanted = chain._relative()
    way = []
    for force in ((0.0, 3.0, 0.0), (2.0, 0.0, -2.0), (-1.0, -3.0, 1.0)):
        before = np.mean([palm_pose(avatar, q, palm)[0] for palm in avatar.palms], axis=0)
        for _ in range(80):
            middle = np.mean([palm_pose(avatar, q, palm)[0] for palm in avatar.palms], axis=0)
            q = chain.step(q, chain.loads(q, middle, force, NONE), 0.01)
            offset, turn = chain._relative()
            assert np.linalg.norm(offset - wanted[0]) < 5e-4
            assert Rotation.from_matrix(turn @ wanted[1].T).magnitude() < 5e-3
        way.append((middle - before) @ force / np.linalg.norm(force))
    assert min(way) > 0.01, way  # it yields along each force


def test_palms_open_as_far_as_they_are_told():
    avatar, q, chain = holding("robot")
    chain.spread = 0.08
    for _ in range(100):
        q = chain.step(q, [], 0.01)
    (right, _), (left, _) = (palm_pose(avatar, q, palm) for palm in avatar.palms)
    assert np.linalg.norm(left - right) == pytest.approx(0.28, abs=1e-3)
    assert left[1] + right[1] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("name", AVATARS)
def test_servos_that_bear_a_load_press_the_palms_as_hard_as_told(name):
    """At rest: torques of gravity, the feet and the load leave no acceleration of the arms."""
    avatar, q, _ = holding(name)
    loads = borne_loads(avatar, q, 2.0, 15.0)
    total = np.sum([load[2] for load in loads], axis=0)
    np.testing.assert_allclose(total, (0.0, 0.0, -2.0), atol=1e-8)
    torques = bearing_torques(avatar, q, loads)
    for link, point, force, torque in loads:
        torques = torques + avatar.model.generalized_force(q, link, point, force, torque)
    arms = CompliantChain(avatar, q).chain(avatar.palms[0].link)
    np.testing.assert_allclose(torques[arms], 0.0, atol=1e-12)


def test_a_dragged_link_follows_its_spring_and_is_felt():
    """The hand is held 2 cm aside: it gives way, and the device feels the opposite of what the hand does."""
    world, body = standing("robot", "aggregate")
    link = body.avatar.hands[0]
    mass = felt_mass(body, link, NONE)
    assert 0.3 < mass < 5.0
    dragged = DraggedLink(body, link, stiffness=200.0)
    assert dragged.coupling.damping == pytest.approx(np.sqrt(2.0 * mass * 200.0), rel=1e-12)
    control = AvatarController(body)
    start = np.array(dragged.state.position)
    dragged.set_device(RigidState(start + np.array([0.0, -0.02, 0.0])))
    control.apply([dragged.load()])
    np.testing.assert_allclose(dragged.load()[2], (0.0, -4.0, 0.0), atol=1e-9)
    for step in range(1000):
        control.apply([dragged.load()])
        if step % 10 == 0:
            control.control([dragged.load()])
        assert world.step()
    np.testing.assert_allclose(dragged.device_load[:3], -dragged.load()[2], atol=1e-12)
    moved = np.array(dragged.state.position) - start
    assert -0.025 < moved[1] < -0.008
    np.testing.assert_allclose(dragged.load()[2], 200.0 * (np.array([0.0, -0.02, 0.0]) - moved), atol=0.2)


def test_a_tool_that_touches_a_hand_tells_link_place_and_force():
    world, body = standing("robot", "point", roles=("foot", "hand"))
    palm = body.avatar.palms[0]
    place, axes = palm_pose(body.avatar, body.configuration, palm)
    ball = sphere(0.01, 6)
    at = place + 0.0115 * axes[:, 0]
    tool = VisualTool(
        world,
        "finger",
        ball.vertices,
        ball.triangles,
        Tool(0.02, 1e-6 * np.eye(3)),
        VirtualCoupling(400.0, 4.0, 0.5, 0.005),
        RigidState(at),
    )
    tool.set_device(RigidState(at - 0.006 * axes[:, 0]))
    assert world.step(100)
    loads = touched_links(body, "finger")
    assert {load[0] for load in loads} == {palm.link}
    force = np.sum([load[2] for load in loads], axis=0)
    assert -force @ axes[:, 0] > 0.5
    np.testing.assert_allclose(loads[0][1], palm.centre, atol=4e-3)
    np.testing.assert_allclose(force, -tool.device_load[:3], atol=0.25)  # the rest is the finger's weight
    force, torque = (model := tool.model()).wrench(model.free_force[:3], model.free_force[3:])
    np.testing.assert_allclose(np.r_[force, torque], model.contact_wrench, atol=1e-6)


def test_joints_at_their_limits_are_part_of_what_a_tool_feels():
    """An arm pressed against its limit is as stiff as a wall to a tool; one short of it turns away."""
    found = {}
    for limit in (0.0, 0.3):
        world = _core.World(1e-3, (0.0, 0.0, 0.0), {"contact": "point", "solver_tolerance": 1e-12})
        link = {
            "name": "arm",
            "joint": "revolute",
            "axis": (0.0, 1.0, 0.0),
            "mass": 0.5,
            "com": (0.1, 0.0, 0.0),
            "inertia": 1e-3 * np.eye(3),
            "lower": [-0.3],
            "upper": [limit],
            "limit_stiffness": float("inf"),
            "damping": [0.5],
        }
        body = world.add_articulated_body("arm", [link], [0.0])
        plate = box((0.2, 0.06, 0.02)).transformed(translation=np.array([0.1, 0.0, 0.0]))
        world.add_link_surface(body, 0, "plate", plate.vertices, plate.triangles, 0.5)
        ball = sphere(0.01, 6)
        tool = VisualTool(
            world,
            "ball",
            ball.vertices,
            ball.triangles,
            Tool(0.5, 2e-5 * np.eye(3)),
            VirtualCoupling(400.0, 20.0, 0.5, 0.005),
            RigidState((0.15, 0.0, 0.021)),
        )
        tool.set_device(RigidState((0.15, 0.0, 0.016)))
        assert world.step(150)
        problem = world.velocity_problem()
        velocity = problem["W"] @ problem["force"] + problem["q"]
        assert problem["force"][0::3].max() > 0.0
        np.testing.assert_allclose(velocity[0::3] * problem["force"][0::3], 0.0, atol=1e-9)
        model = tool.model()
        force, torque = model.wrench(model.free_force[:3], model.free_force[3:])
        np.testing.assert_allclose(np.r_[force, torque], model.contact_wrench, atol=1e-9)
        found[limit] = world.joint_positions(body)[0], np.diag(problem["W"])[0]
    assert abs(found[0.0][0]) < 1e-9 and found[0.3][0] > 0.01
    assert found[0.0][1] < 0.8 * found[0.3][1]  # the held arm adds no mobility to the tool's own
