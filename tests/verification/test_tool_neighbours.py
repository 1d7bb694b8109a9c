# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a tool does to the bodies around it where it touches nothing, or no longer."""

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, device_at, make_world
from softcontact._core import World

from softcontact.haptics import RigidState, Tool, VirtualCoupling, VisualTool
from softcontact.mesh.primitives import box, sphere


def dropped(with_tool):
    """Poses of a box that falls tilted on a floor, 2 s at steps of 20 ms; the tool stands far away."""
    world = World(0.02, np.array([0.0, 0.0, -9.81]), {"contact": "point"})
    floor, brick = box((0.5, 0.5, 0.05)), box((0.04, 0.03, 0.02))
    world.add_kinematic_body("floor", floor.vertices - [0.0, 0.0, 0.025], floor.triangles, friction=0.4)
    turned = np.array([0.15, 0.1, 0.0, 0.98])
    inertia = 0.1 / 12 * np.diag([0.0013, 0.002, 0.0025])
    world.add_rigid_body(
        "brick",
        brick.vertices,
        brick.triangles,
        0.1,
        np.zeros(3),
        inertia,
        position=np.array([0.0, 0.0, 0.04]),
        orientation=turned / np.linalg.norm(turned),
        friction=0.4,
    )
    if with_tool:
        add_tool(world, position=(0.0, 0.0, 0.5)).set_device(device_at(0.0, 0.0, 0.5))
    poses = []
    for _ in range(100):
        assert world.step(), world.status()
        poses.append(np.concatenate(world.body_pose(1)))
    return np.array(poses)


def test_a_tool_that_touches_nothing_changes_no_bit():
    np.testing.assert_array_equal(dropped(True), dropped(False))


@pytest.mark.parametrize("step", [0.002, 0.01])
def test_a_fine_tip_that_slid_past_an_edge_falls(step):
    """A contact that is kept as long as its points are near would hold it up on air."""
    radius, end = 0.001, 0.03
    world = make_world(step)
    plate = box((2 * end, 2 * end, 0.02))
    world.add_kinematic_body("plate", plate.vertices - [0.0, 0.0, 0.01], plate.triangles, friction=0.0)
    tip = sphere(radius, 8)
    coupling = VirtualCoupling.dragging(0.05, 2e-6, 800.0, 0.5, handle_position=HANDLE)
    tool = VisualTool(
        world,
        "tool",
        tip.vertices,
        tip.triangles,
        Tool(0.05, 2e-6 * np.eye(3)),
        coupling,
        RigidState(np.array([0.027, 0.0013, 2 * radius])),
        0.0,
    )

    def lead(begin, stop, way, seconds):
        """From place to place (x, z) within `way` seconds, and stay."""
        for k in range(round(seconds / step)):
            share = min(1.0, (k + 1) * step / way)
            x, z = np.array(begin) + share * (np.array(stop) - begin)
            tool.set_device(device_at(x, 0.0013, z))
            assert world.step()

    pressed = (0.027, -0.001)
    lead((0.027, 2 * radius), pressed, 0.05, 0.1)
    assert tool.device_load[2] > 1.0
    beyond = radius + 5e-4  # from there on no surface is within the offset
    lead(pressed, (end + beyond, -0.001), (0.003 + beyond) / 0.02, 1.0)
    assert tool.state.position[2] == pytest.approx(-0.001, abs=1e-4)
    assert np.abs(tool.device_load[:3]).max() < 1e-3


def test_a_tool_without_a_step_has_no_model():
    world = make_world(0.01)
    add_block(world, divisions=2)
    tool = add_tool(world)
    with pytest.raises(ValueError, match="has made no step yet"):
        tool.model()
    assert world.step()
    assert all(contact.state == "open" for contact in tool.model().contacts)
    second = VisualTool(
        world, "second", sphere(RADIUS, 4).vertices, sphere(RADIUS, 4).triangles, TOOL, COUPLING, RigidState()
    )
    with pytest.raises(ValueError, match="'second' has made no step yet"):
        second.model()


def test_a_refused_tool_is_not_in_the_world():
    world = make_world(0.01)
    with pytest.raises(ValueError, match=r"^fast_step: 0"):
        add_tool(world, fast_step=0.0)
    assert "tool" not in world.surface_names
