# SPDX-License-Identifier: LGPL-2.1-or-later
"""What World refuses, and that it says which argument, which value and what to do."""

import numpy as np
import pytest
from softcontact._core import World
from world_bodies import add_ball, add_phalanx, add_soft, add_table, finger_links, soft_cube

from softcontact.mesh.primitives import box

NAN, INF = float("nan"), float("inf")
UPRIGHT = [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("step", [0.0, -0.01, NAN, INF])
def test_time_step_is_positive(step):
    with pytest.raises(ValueError, match="time_step"):
        World(step)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, NAN), (0.0, INF, 0.0)])
def test_gravity_is_finite(gravity):
    with pytest.raises(ValueError, match="gravity"):
        World(0.01, gravity)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("contact", ["points", ""]),
        ("friction_law", ["dry"]),
        ("pressure", ["even"]),
        ("alarm_distance", [0.0, -1e-3, NAN, INF]),
        ("contact_offset", [-1e-4, 5e-3, NAN]),
        ("max_penetration", [0.0, NAN, INF]),
        ("solver_tolerance", [0.0, -1.0, NAN]),
        ("solver_max_iterations", [0, -3]),
        ("position_tolerance", [0.0, NAN]),
        ("position_max_iterations", [0]),
        ("max_speed", [0.0, NAN]),
        ("inverted_steps", [0]),
        ("unsolved_residual", [0.0, NAN]),
        ("unsolved_steps", [-1]),
        ("frction", [0.5]),
    ],
)
def test_options_are_checked(key, values):
    for value in values:
        with pytest.raises(ValueError, match=key):
            World(0.01, options={key: value})


def test_names_are_given_once():
    world = World(0.01)
    add_table(world)
    with pytest.raises(ValueError, match="'table'"):
        add_table(world)
    with pytest.raises(ValueError, match="'table'"):
        add_ball(world, "table")
    with pytest.raises(ValueError, match="name"):
        add_ball(world, "")
    assert world.surface_names == ["table"]
    assert world.body_names == ["table"]


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"mass": 0.0}, "mass"),
        ({"mass": -1.0}, "mass"),
        ({"mass": NAN}, "mass"),
        ({"orientation": [0, 0, 0, 2]}, "orientation"),
        ({"orientation": [0, 0, 0, NAN]}, "orientation"),
        ({"position": [NAN, 0, 0]}, "position"),
        ({"linear_velocity": [0, INF, 0]}, "velocity"),
        ({"angular_velocity": [0, NAN, 0]}, "velocity"),
        ({"friction": -0.1}, "friction"),
        ({"friction": NAN}, "friction"),
    ],
)
def test_rigid_body_is_checked(settings, match):
    world = World(0.01)
    with pytest.raises(ValueError, match=match):
        add_ball(world, **settings)
    assert world.body_names == []  # nothing half made is left


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"young": -1.0}, "young"),
        ({"young": NAN}, "young"),
        ({"density": 0.0}, "density"),
        ({"rayleigh_mass": -1.0}, "rayleigh_mass"),
        ({"rayleigh_stiffness": NAN}, "rayleigh_stiffness"),
        ({"fixed_nodes": [999]}, "fixed_nodes"),
        ({"velocity": [0, 0, NAN]}, "finite"),
        ({"friction": -1.0}, "friction"),
        ({"refactor_rotation_tolerance": 2.0}, "refactor_rotation_tolerance"),
    ],
)
def test_tetrahedral_body_is_checked(settings, match):
    world = World(0.01)
    with pytest.raises(ValueError, match=match):
        add_soft(world, "cube", soft_cube(), (0, 0, 0), **settings)
    assert world.body_names == []


def test_motion_is_checked():
    world = World(0.01)
    table, ball = add_table(world), add_ball(world)
    good = [[0, 0, 0], [0, 0, 1]]
    for times, positions, orientations, match in [
        ([0.0, 0.0], good, [UPRIGHT] * 2, "times"),
        ([1.0, 0.0], good, [UPRIGHT] * 2, "times"),
        ([0.0, NAN], good, [UPRIGHT] * 2, "times"),
        ([0.0], good, [UPRIGHT] * 2, "times"),
        ([], np.zeros((0, 3)), np.zeros((0, 4)), "times"),
        ([0.0, 1.0], good, [UPRIGHT], "keyframe"),
        ([0.0, 1.0], good, [UPRIGHT, [0, 0, 0, 3.0]], "norm"),
        ([0.0, 1.0], [[0, 0, 0], [0, 0, NAN]], [UPRIGHT] * 2, "positions"),
    ]:
        with pytest.raises(ValueError, match=match):
            world.set_kinematic_motion(
                table, times, np.array(positions, float), np.array(orientations, float)
            )
    with pytest.raises(ValueError, match="not kinematic"):
        world.set_kinematic_motion(ball, [0.0], [[0, 0, 0]], [UPRIGHT])
    with pytest.raises(ValueError, match="not kinematic"):
        world.set_kinematic_motion(99, [0.0], [[0, 0, 0]], [UPRIGHT])


def test_joints_are_checked():
    world = World(0.01)
    table = add_table(world)
    hand = world.add_articulated_body("hand", finger_links())
    for call in (
        lambda: world.set_joint_motion(hand, [0.0], np.zeros((1, 3))),
        lambda: world.set_joint_motion(hand, [0.0], np.full((1, 2), NAN)),
        lambda: world.set_joint_motion(hand, [0.0, 1.0], np.zeros((1, 2))),
        lambda: world.set_joint_motion(table, [0.0], np.zeros((1, 2))),
        lambda: world.set_joint_motion(-1, [0.0], np.zeros((1, 2))),
        lambda: world.set_velocity(hand, np.zeros(3)),
        lambda: world.set_velocity(hand, [NAN, 0.0]),
        lambda: world.set_applied_force(hand, [INF, 0.0]),
        lambda: world.joint_positions(table),
        lambda: world.joint_velocities(7),
        lambda: world.link_names(table),
        lambda: world.add_articulated_body("other", finger_links(), np.zeros(5)),
        lambda: world.add_articulated_body("other", finger_links(), np.array([0.0, NAN])),
        lambda: world.add_articulated_body("hand", finger_links()),
    ):
        with pytest.raises(ValueError, match=r"body|values|keyframe|q0"):
            call()
    for key, value in [
        ("stiffness", [1.0, 2.0]),
        ("stiffness", [-1.0]),
        ("damping", [NAN]),
        ("damping", [-0.1]),
        ("limit_stiffness", -1.0),
        ("joint", "hinge"),
        ("axis", np.array([0.0, 0.0, 2.0])),
        ("orientation", [0.0, 0.0, 0.0, 0.0]),
        ("mass", -1.0),
        ("parent", 5),
    ]:
        links = finger_links()
        links[1][key] = value
        with pytest.raises(ValueError, match=key if key != "orientation" else "norm"):
            world.add_articulated_body("other", links)
    links = finger_links()
    links[0] |= {"lower": [0.5], "upper": [-0.5]}
    with pytest.raises(ValueError, match="lower"):
        world.add_articulated_body("other", links)
    assert world.body_names == ["table", "hand"]


def test_phalanges_and_link_surfaces_are_checked():
    world = World(0.01)
    table, hand = add_table(world), world.add_articulated_body("hand", finger_links())
    mesh = box()
    with pytest.raises(ValueError, match="link 2"):
        add_phalanx(world, hand, 2, "tip")
    with pytest.raises(ValueError, match="'table'"):
        add_phalanx(world, table, 0, "tip")
    with pytest.raises(ValueError, match="'table'"):
        add_phalanx(world, hand, 0, "table")
    with pytest.raises(ValueError, match="friction"):
        add_phalanx(world, hand, 0, "tip", friction=-1.0)
    with pytest.raises(ValueError, match="link -1"):
        world.add_link_surface(hand, -1, "tip", mesh.vertices, mesh.triangles)
    with pytest.raises(ValueError, match="triangles"):
        world.add_link_surface(hand, 0, "tip", mesh.vertices, mesh.triangles + 100)
    with pytest.raises(ValueError, match="vertices"):
        world.add_link_surface(hand, 0, "tip", mesh.vertices * NAN, mesh.triangles)
    assert world.surface_names == ["table"]
    assert world.step(3)  # and the world still runs


def test_pairs_are_named_right():
    world = World(0.01)
    add_table(world)
    add_ball(world)
    for friction in (-0.1, NAN, INF):
        with pytest.raises(ValueError, match="friction"):
            world.set_pair_friction("ball", "table", friction)
    for call in (world.disable_pair, lambda a, b: world.set_pair_friction(a, b, 0.5)):
        with pytest.raises(ValueError, match="'bal'"):
            call("bal", "table")
        with pytest.raises(ValueError, match="'tabel'"):
            call("ball", "tabel")
        with pytest.raises(ValueError, match="'ball'"):
            call("ball", "ball")


@pytest.mark.parametrize(
    ("finger", "times", "force", "match"),
    [
        ({"dofs": [2]}, (0, 1), 1.0, "coordinate 2"),
        ({"links": [9]}, (0, 1), 1.0, "link 9"),
        ({"rates": [0.1, 0.2]}, (0, 1), 1.0, "rate"),
        ({"rates": [NAN]}, (0, 1), 1.0, "rate"),
        ({"share": 0.0}, (0, 1), 1.0, "share"),
        ({}, (1, 1), 1.0, "end"),
        ({}, (0, NAN), 1.0, "end"),
        ({}, (0, 1), 0.0, "force"),
        ({}, (0, 1), NAN, "force"),
    ],
)
def test_grasp_is_checked(finger, times, force, match):
    world = World(0.01)
    hand = world.add_articulated_body("hand", finger_links())
    good = {"name": "left", "dofs": [0], "rates": [0.5], "links": [0]}
    with pytest.raises(ValueError, match=match):
        world.add_grasp(hand, [good | finger], *times, force)


def test_grasp_needs_all_keys_and_joints():
    world = World(0.01)
    table = add_table(world)
    hand = world.add_articulated_body("hand", finger_links())
    with pytest.raises(ValueError, match="dofs"):
        world.add_grasp(hand, [{"name": "left"}], 0.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="'table'"):
        world.add_grasp(table, [], 0.0, 1.0, 1.0)


def test_surfaces_and_bodies_out_of_range_are_refused():
    world = World(0.01)
    add_table(world)
    for call in (
        world.surface_vertices,
        world.surface_triangles,
        world.surface_local_vertices,
        world.surface_pose,
        world.surface_deforms,
        world.surface_body,
        world.body_pose,
    ):
        for index in (-1, 1):
            with pytest.raises((ValueError, IndexError)):
                call(index)
    hand = world.add_articulated_body("hand", finger_links())
    with pytest.raises((ValueError, IndexError)):
        world.body_pose(hand, 2)


def test_number_of_steps_is_not_negative():
    world = World(0.01)
    add_table(world)
    with pytest.raises(ValueError, match="count"):
        world.step(-1)
    assert world.step(0)
    assert world.time == 0.0
