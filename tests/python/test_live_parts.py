# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of live scenes: what is changed in a running world, hands that are steered, devices that take a tool up."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from softcontact._core import World

from softcontact.haptics import (
    AnchoredDevice,
    HandAxis,
    HandScript,
    HapticSession,
    LinearContactModel,
    SimulatedDevice,
    Tool,
    ToolLaw,
    VirtualCoupling,
    VirtualWall,
)
from softcontact.live.controls import Control, find
from softcontact.live.creases import split_creases
from softcontact.live.frame import History, contact_forces, split, summed_forces
from softcontact.live.panel import _limits
from softcontact.live.shell import outside
from softcontact.live.steering import Steering, pivot_of
from softcontact.mesh import box, sphere, tetrahedral_box

# The running world.


def hanging_bar(young, *, stiffening=0.0):
    """A bar held at one end that bends under its weight; returns the world and the body's number."""
    mesh = tetrahedral_box(np.array([0.1, 0.02, 0.02]), (5, 1, 1))
    count = len(mesh.tetrahedra)
    surface, nodes = mesh.surface()
    weights = np.zeros((len(nodes), 4))
    weights[:, 0] = 1.0
    world = World(0.01, (0.0, 0.0, -9.81), {})
    body = world.add_tetrahedral_body(
        "bar",
        mesh.nodes,
        mesh.tetrahedra,
        np.full(count, young),
        np.full(count, 0.4),
        np.full(count, 1000.0),
        0.1,
        0.01,
        np.flatnonzero(mesh.nodes[:, 0] < mesh.nodes[:, 0].min() + 1e-9).astype(np.int32),
        np.repeat(np.asarray(nodes, dtype=np.int32)[:, None], 4, axis=1),
        weights,
        surface.triangles,
        stiffening=stiffening,
    )
    return world, body


@pytest.mark.parametrize("stiffening", [0.0, 8.0])
def test_scaled_stiffness_is_that_of_a_body_made_so(stiffening):
    scaled, body = hanging_bar(2e4, stiffening=stiffening)
    scaled.scale_stiffness(body, 2.5)
    made, _ = hanging_bar(5e4, stiffening=stiffening)
    as_it_was, _ = hanging_bar(2e4, stiffening=stiffening)
    for world in (scaled, made, as_it_was):
        world.step(40)
    assert np.abs(scaled.state() - made.state()).max() < 1e-9
    assert np.abs(as_it_was.state() - made.state()).max() > 1e-4


@pytest.mark.parametrize("stiffening", [0.0, 8.0])
def test_stiffness_of_a_bent_body_changes_where_it_stands(stiffening):
    world, body = hanging_bar(2e4, stiffening=stiffening)
    world.step(200)
    before = world.state()
    energy = world.energies()["elastic"]
    world.scale_stiffness(body, 4.0)
    np.testing.assert_array_equal(world.state(), before)
    assert world.energies()["elastic"] == pytest.approx(4.0 * energy, rel=1e-12)
    stiff, _ = hanging_bar(8e4, stiffening=stiffening)
    world.step(400)
    stiff.step(400)
    half = len(before) // 2
    assert np.abs(world.state()[:half] - stiff.state()[:half]).max() < 1e-6


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf])
def test_a_factor_that_is_none_is_refused(factor):
    world, body = hanging_bar(2e4)
    with pytest.raises(ValueError, match="give a finite value above 0"):
        world.scale_stiffness(body, factor)


def held_ball(coupling):
    """A ball that a coupling holds to a device, drawn sideways by its weight."""
    mesh = sphere(0.01, 3)
    world = World(0.01, (-9.81, 0.0, 0.0), {"contact": "point"})
    body = world.add_tool(
        "ball", mesh.vertices, mesh.triangles, 0.1, np.zeros(3), 4e-6 * np.eye(3), coupling.native
    )
    return world, body


def test_a_new_coupling_holds_a_tool_of_the_world():
    soft, stiff = VirtualCoupling(100.0, 5.0), VirtualCoupling(400.0, 5.0)
    world, body = held_ball(soft)
    world.step(300)
    assert world.tool_state(body)["position"][0] == pytest.approx(-0.1 * 9.81 / 100.0, rel=1e-3)
    world.set_coupling(body, stiff.native)
    world.step(300)
    assert world.tool_state(body)["position"][0] == pytest.approx(-0.1 * 9.81 / 400.0, rel=1e-3)
    with pytest.raises(ValueError, match="no Young's modulus"):
        world.scale_stiffness(body, 2.0)
    with pytest.raises(ValueError, match="there is none"):
        world.scale_stiffness(7, 2.0)


# The fast thread.

STILL = HandScript([0.0], [[0.0, 0.0, 0.0]])


def ticking(device, law=None):
    return HapticSession(device, law or VirtualWall(), clock="simulated")


def test_a_coupling_is_changed_under_a_running_law():
    weight = (0.0, 0.0, -1.0)
    tool = Tool(0.05, 1e-5 * np.eye(3))
    law = ToolLaw(tool, VirtualCoupling(200.0, 5.0), force=weight)
    with ticking(SimulatedDevice(STILL, translation=HandAxis(hand_stiffness=1e5)), law) as session:
        session.publish(law.data(LinearContactModel(capacity=law.capacity)), 1e9)
        session.tick(2000)
        sag = session.readout()["law"][2]
        session.law.set_coupling(VirtualCoupling(800.0, 5.0).native)
        session.tick(2000)
        assert sag == pytest.approx(-1.0 / 200.0, rel=0.05)
        assert session.readout()["law"][2] == pytest.approx(-1.0 / 800.0, rel=0.05)


def test_a_steered_hand_goes_where_it_is_told():
    device = SimulatedDevice(HandScript([0.0, 1.0], [[0, 0, 0], [0.01, 0, 0]]), position_step=0.0)
    turn = Rotation.from_rotvec([0.0, 0.3, 0.0]).as_quat()
    with ticking(device) as session:
        session.tick(200)
        began = session.readout()["position"][0]
        session.device.steer([began, 0.0, 0.02], turn, 0.1)
        session.tick(50)
        assert 0.005 < session.readout()["position"][2] < 0.0151  # on its way, and straight
        session.tick(1000)
        read = session.readout()
        assert read["position"] == pytest.approx([began, 0.0, 0.02], abs=1e-6)
        assert abs(read["orientation"] @ turn) == pytest.approx(1.0, abs=1e-6)
        session.device.steer([began, 0.0, 0.01], turn, 0.0)
        session.tick(1000)
        assert session.readout()["position"][2] == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([np.nan, 0, 0], [0, 0, 0, 1], 0.1), "goal"),
        (([0, 0, 0], [0, 0, 0, 2], 0.1), "goal"),
        (([0, 0, 0], [0, 0, 0, 1], -1.0), "duration"),
        (([0, 0, 0], [0, 0, 0, 1], np.inf), "duration"),
    ],
)
def test_a_hand_is_steered_by_numbers_alone(arguments, message):
    with ticking(SimulatedDevice(STILL)) as session, pytest.raises(ValueError, match=message):
        session.device.steer(*arguments)


def test_an_anchored_device_begins_where_the_tool_is():
    angle = Rotation.from_rotvec([0.0, 0.0, 0.4]).as_quat()
    script = HandScript([0.0, 0.1, 0.2], [[0.3, 0.1, 0.2]] * 2 + [[0.3, 0.1, 0.19]], [angle, angle, angle])
    inner = SimulatedDevice(script, position_step=0.0, rotation_step=0.0)
    start = (0.0, 0.0, 0.005)
    down = (1.0, 0.0, 0.0, 0.0)
    with ticking(AnchoredDevice(inner, start, down)) as session:
        session.publish(VirtualWall.data(500.0), 1e9)
        session.tick()
        first = session.readout()
        assert first["position"] == pytest.approx(start, abs=1e-12)
        assert abs(first["orientation"] @ down) == pytest.approx(1.0, abs=1e-12)
        session.tick(3000)
        read = session.readout()
    # Hand 400 N/m drawn to -5 mm, wall 500 N/m at 0: x = -5 mm · 400 / 900.
    assert read["position"][2] == pytest.approx(-5e-3 * 400 / 900, abs=1e-5)
    assert read["wrench"][2] == pytest.approx(500 * 5e-3 * 400 / 900, abs=0.01)
    with pytest.raises(ValueError, match="start: a finite position"):
        AnchoredDevice(inner, (np.nan, 0.0, 0.0)).open(1e-3)


# Where a mouse can go.


def test_axes_through_a_point_give_the_pivot():
    pivot = np.array([0.01, -0.02, 0.03])
    rng = np.random.default_rng(0)
    tips = pivot + np.array([0.0, 0.0, 0.05]) + rng.uniform(-0.01, 0.01, (20, 3))
    axes = (tips - pivot) / np.linalg.norm(tips - pivot, axis=1, keepdims=True)
    turns = [Rotation.align_vectors(axis[None], [[0.0, 0.0, 1.0]])[0].as_quat() for axis in axes]
    assert pivot_of(tips, turns) == pytest.approx(pivot, abs=1e-9)
    assert pivot_of(tips, []) is None
    assert pivot_of(tips, [turns[0]] * 20) is None
    assert pivot_of(tips + rng.uniform(-0.01, 0.01, (20, 3)), turns) is None


def test_a_hand_stays_in_its_box_and_on_its_pivot():
    free = Steering(np.zeros(3), np.array([1.0, 0, 0, 0]), np.full(3, -0.1), np.full(3, 0.1))
    place, turn = free.pose((0.0, 0.5, -0.5))
    assert place == pytest.approx((0.0, 0.1, -0.1)) and turn == pytest.approx((1, 0, 0, 0))
    about = dataclasses.replace(free, orientation=np.array([0, 0, 0, 1.0]), pivot=np.array([0, 0, -0.08]))
    place, turn = about.pose((0.03, 0.01, 0.02))
    axis = Rotation.from_quat(turn).apply([0.0, 0.0, 1.0])
    assert np.linalg.norm(np.cross(axis, place - about.pivot)) < 1e-12 and axis[2] > 0.0
    for wrong in ((np.nan, 0, 0), (0, 0), "x"):
        with pytest.raises(ValueError):
            free.pose(wrong)
    for wanted in ((0.0, 0.0, -0.1), (0.1, 0.1, -0.1), (0.1, -0.1, 0.1)):
        place, turn = about.pose(wanted)
        way = place - about.pivot
        assert way[2] >= 0.04 - 1e-12 and np.hypot(*way[:2]) <= np.tan(np.deg2rad(35.01)) * way[2]
        assert np.linalg.norm(np.cross(Rotation.from_quat(turn).apply([0.0, 0.0, 1.0]), way)) < 1e-12


# What is drawn, and figures.


def test_sharp_edges_get_vertices_on_both_sides():
    cube = box(0.1)
    source, triangles = split_creases(cube.vertices, cube.triangles)
    assert len(source) == 24 and np.bincount(source).tolist() == [3] * 8
    np.testing.assert_array_equal(source[triangles], cube.triangles)
    round_one = sphere(0.1, 8)
    source, triangles = split_creases(round_one.vertices, round_one.triangles)
    assert len(source) == len(round_one.vertices)
    np.testing.assert_array_equal(source[triangles], round_one.triangles)


def test_the_outside_of_a_hollow_ball_is_found():
    outer, inner = sphere(0.1, 5), sphere(0.06, 4)
    vertices = np.vstack([outer.vertices, inner.vertices])
    triangles = np.vstack([outer.triangles, inner.triangles[:, ::-1] + len(outer.vertices)])
    found = outside(vertices, triangles)
    assert found[: len(outer.triangles)].all() and not found[len(outer.triangles) :].any()


@pytest.mark.parametrize(
    ("forces", "limits"),
    [(([0.0], [0.0]), (0.0, 0.5)), (([2.4], [0.3]), (0.0, 3.0)), (([9.0], [-0.7]), (-0.8, 10.0))],
)
def test_plots_have_round_limits(forces, limits):
    assert _limits(tuple(np.array(f) for f in forces)) == pytest.approx(limits)


def test_controls_take_what_is_within_their_bounds():
    taken = []
    control = Control("young", "Young's modulus", "Pa", 1e3, 1e5, 2e4, taken.append)
    assert control.check(1e3) == 1e3 and find((control,), "young") is control
    for value, message in (
        (999.0, "999 is out of bounds; give 1000 to 100000 Pa"),
        (np.nan, "no finite number"),
        ("2", "no finite number"),
        (True, "no finite number"),
    ):
        with pytest.raises(ValueError, match=message):
            control.check(value)
    with pytest.raises(ValueError, match=r"no 'jung' in this scene; there are: young"):
        find((control,), "jung")


def patch(body, other, force, normal, centre=(0.0, 0.0, 0.0)):
    force, normal = np.array(force, dtype=float), np.array(normal, dtype=float)
    return {
        "body": body,
        "other": other,
        "force": force,
        "normal": normal,
        "normal_force": abs(float(force @ normal)),
        "centre": np.array(centre),
        "points": np.array([centre, centre], dtype=float),
        "point_forces": np.array([force, 0.0 * force]),
    }


def test_forces_are_told_on_the_tool():
    patches = [
        patch("organ", "tool", (0.3, 0.0, -2.0), (0.0, 0.0, 1.0), (0.01, 0.0, 0.0)),
        patch("organ", "table", (0.0, 0.0, 9.0), (0.0, 0.0, 1.0)),
    ]
    points, centres, forces, normal = contact_forces(patches, "tool")
    assert points == pytest.approx(np.array([[0.01, 0.0, 0.0]])) and len(centres) == 1
    assert forces[0] == pytest.approx((-0.3, 0.0, 2.0)) and normal == pytest.approx((0.0, 0.0, 1.0))
    assert split(forces[0], normal) == pytest.approx((2.0, 0.3))
    assert len(contact_forces(patches, None)[2]) == 2
    assert summed_forces(patches) == pytest.approx((11.0, 0.3))
    nothing = contact_forces([], "tool")
    assert [len(part) for part in nothing] == [0, 0, 0, 3] and not nothing[3].any()
    assert split(np.array([0.0, 0.3, 0.4]), nothing[3]) == pytest.approx((0.5, 0.0))


def test_history_keeps_its_window_and_its_peaks():
    history = History(window=2.0)
    for k in range(1000):
        history.add(0.01 * k, 5.0 if k == 952 else 1.0, -float(k == 963))
    times, normal, tangential = history.arrays(50)
    assert times[-1] == pytest.approx(9.99) and times[0] >= 9.99 - 2.0 and len(times) <= 50
    assert normal.max() == 5.0 and tangential.min() == -1.0
    assert history.last == (1.0, 0.0)
    history.clear()
    assert [len(part) for part in history.arrays()] == [0, 0, 0] and history.last == (0.0, 0.0)
