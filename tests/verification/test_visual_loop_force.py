# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the hand feels of tissue that is stepped at visual rates: it moves at each tick, comes softly and stays calm."""

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, device_at, firm, make_world
from scipy.signal import butter, sosfiltfilt

from softcontact.haptics import (
    DoubleCouplingLaw,
    HapticSession,
    SafetySettings,
    ThreadSettings,
    Tool,
    ToolLaw,
    VirtualCoupling,
    VisualLoop,
)

OVER = np.array([0.003, 0.002, RADIUS])
OFFSET = 5e-4  # [m], at which surfaces come to rest: the tool touches so far above the block
SETTINGS = ThreadSettings(safety=SafetySettings(max_force=20.0))


def over(heights):
    """Places (k, 3) of the ball's centre that touches the undeformed block at height 0."""
    return OVER + np.outer(heights, [0.0, 0.0, 1.0])


def felt(loop, seconds):
    """Height of the device, force on it and contact force on the haptic tool (3,), at each tick."""
    heights, forces, contacts = [], [], []
    for _ in range(round(1000 * seconds)):
        loop.run(0.001)
        read = loop.session.readout()
        heights.append(read["position"][2] - OVER[2] - HANDLE[2])
        forces.append(read["wrench"][:3])
        contacts.append(ToolLaw.told(read["law"])["contact"][:3])
    return np.array(heights), np.array(forces), np.array(contacts)


@pytest.mark.parametrize("delay", [False, True])
@pytest.mark.parametrize(
    ("friction", "options"),
    [
        (0.0, {}),
        (0.5, {"friction_law": "coulomb"}),
        (0.5, {"friction_law": "contensou"}),
        (0.5, {"friction_law": "contensou-decoupled"}),
    ],
)
def test_a_sine_moves_the_force_at_every_tick(friction, options, delay):
    """2 mm at 1 kHz into the block, which is stepped at 25 Hz."""
    world = make_world(0.04, **options)
    add_block(world, friction=friction, divisions=2)
    tool = add_tool(world, friction=friction)
    times = np.linspace(0.0, 1.0, 200)
    with HapticSession(
        firm(times, over(-0.001 + 0.002 * np.cos(2 * np.pi * times))),
        ToolLaw(TOOL, COUPLING),
        SETTINGS,
        clock="simulated",
    ) as session:
        _, force, contact = felt(VisualLoop(tool, session, delay=delay), 1.0)
    touching = contact.any(axis=1)
    assert touching.sum() > 500 and np.abs(force).max() > 0.3
    changed = np.append(False, (np.diff(force[:, 2]) != 0.0))
    assert changed[touching].mean() >= 0.95


# A light tool in a coupling with little damping, on tissue with little: what is damped pushes before it is deep.
LIGHT = 0.002
LIGHT_TOOL = Tool(LIGHT, 0.4 * LIGHT * RADIUS**2 * np.eye(3))
LIGHT_COUPLING = VirtualCoupling.dragging(LIGHT, 0.4 * LIGHT * RADIUS**2, 800.0, 0.5, handle_position=HANDLE)


def resting_force(height, young):
    """On a device that has come to rest at this height."""
    world = make_world(0.1)
    add_block(world, young, divisions=2)
    tool = add_tool(world, coupling=LIGHT_COUPLING, body=LIGHT_TOOL)
    for share in np.linspace(0.0, 1.0, 11)[1:]:
        tool.set_device(device_at(OVER[0], OVER[1], OVER[2] + OFFSET + share * (height - OFFSET)))
        assert world.step()
    for _ in range(10):
        assert world.step()
    return tool.device_load[2]


@pytest.mark.parametrize("delay", [False, True])
@pytest.mark.parametrize("period", [0.01, 0.02, 0.04, 0.1])
def test_an_approach_at_5_mm_s_begins_without_a_blow(period, delay):
    """The peak of the first 20 ms of contact against the force at rest at the depth they end with."""
    young = 6e4
    world = make_world(period)
    add_block(world, young, divisions=2, rayleigh=5e-4)
    tool = add_tool(world, (0.003, 0.002, RADIUS + 0.003), coupling=LIGHT_COUPLING, body=LIGHT_TOOL)
    ways = firm([0.0, 0.2, 0.8], over([0.003, 0.003, 0.0]))
    with HapticSession(ways, ToolLaw(LIGHT_TOOL, LIGHT_COUPLING), SETTINGS, clock="simulated") as session:
        height, force, contact = felt(VisualLoop(tool, session, delay=delay), 0.75)
    first = int(np.argmax(contact[:, 2] > 0.0))
    assert height[first] == pytest.approx(OFFSET, abs=5e-5)  # it comes when it is due, whatever the period
    found = force[first : first + 20, 2].max()
    assert 0.5 < found / resting_force(height[first + 19], young) <= 1.2


DRAG = 0.02  # m/s
PRESSED = 0.3  # s
PROMISE = 0.12  # s


def dragged(kind, blend=0.0, step=0.01):
    """Tangential force while the tool is dragged over the block, from when 100 visual steps a second become 10."""
    law = ToolLaw(TOOL, COUPLING, blend=blend) if kind == "linear" else DoubleCouplingLaw(TOOL, COUPLING)
    world = make_world(step)
    add_block(world, friction=0.3)
    tool = add_tool(world, friction=0.3)
    way = [[0.0, 0.0, 0.001], [0.0, 0.0, -0.004], [DRAG * 0.8, 0.0, -0.004]]
    ways = firm([0.0, PRESSED, PRESSED + 0.8], OVER + way)
    with HapticSession(ways, law, SETTINGS, clock="simulated", record=1.2) as session:
        if step < 0.1:
            VisualLoop(tool, session, promise=PROMISE).run(0.5)
            VisualLoop(tool, session, steps=round(0.1 / step), promise=PROMISE).run(0.6)
        else:
            VisualLoop(tool, session, promise=PROMISE).run(1.1)
        force = session.recording().wrenches
    assert force[400:, 2].min() > 0.3  # in contact all the way
    return force[500:, 0]


def ripple(force):
    """RMS of what is faster than 5 Hz [N]."""
    return float(np.std(sosfiltfilt(butter(4, 5.0, "highpass", fs=1000.0, output="sos"), force)))


def test_a_visual_rate_that_drops_while_dragging_shakes_the_hand_little():
    """The tissue's own force changes by 0.1 N within a visual step: a model without low pass follows at the next."""
    linear, smooth, double = (ripple(dragged(*kind)) for kind in (("linear",), ("linear", 0.1), ("double",)))
    assert smooth < double / 5.0 and linear < double / 3.0
    assert linear < 0.05 and smooth < 0.05


def test_one_long_step_a_visual_frame_shakes_the_hand_as_little():
    linear, double = (ripple(dragged(kind, step=0.1)) for kind in ("linear", "double"))
    assert linear < double / 5.0
