# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tool, tissue and fast thread together: the session's law is the haptic tool, its data are linear contact models."""

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, device_at, make_world, pressed

from softcontact import _core
from softcontact.haptics import (
    HandScript,
    HapticSession,
    HapticTool,
    Recording,
    RigidState,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    ToolLaw,
)

LAW = ToolLaw(TOOL, COUPLING)
AT = np.array([0.003, 0.002, RADIUS])


def pushing(heights, seconds=1.0):
    times = np.linspace(0.0, seconds, len(heights))
    return HandScript(times, AT + HANDLE + np.outer(heights, [0.0, 0.0, 1.0]))


def test_a_packed_model_is_the_model():
    _, _, model = pressed(drag=0.002)
    assert len(model.contacts) >= 3
    numbers = ToolLaw.data(model)
    again = _core.unpack_contact_model(numbers, 32)
    assert np.array_equal(_core.pack_contact_model(again), numbers)
    rng = np.random.default_rng(1)
    for _ in range(50):  # also from one set of contacts to the next
        free = rng.normal(scale=1e-3, size=6)
        assert np.array_equal(again.solve(free, 16), np.concatenate(model.solve(free)))
    assert np.array_equal(again.gain, model.matrix) and again.sequence == model.native.sequence
    with pytest.raises(ValueError, match="numbers"):
        _core.unpack_contact_model(numbers[:-1], 32)
    with pytest.raises(ValueError, match="more contacts"):
        _core.unpack_contact_model(numbers, len(model.contacts) - 1)


def test_a_model_kept_from_step_to_step_is_a_new_one_but_for_its_number():
    world, tool, _ = pressed(drag=0.002)
    for height in (-0.004, -0.002, 0.0, 0.005):  # fewer and fewer contacts
        tool.set_device(device_at(0.005, 0.002, RADIUS + height))
        for _ in range(5):
            assert world.step(), world.status()
        kept, new = tool.packed_model(), ToolLaw.data(tool.model())
        assert len(kept) == len(new) and np.isfinite(kept).all()
        assert np.count_nonzero(kept != new) == 1  # their sequence
    assert len(tool.model().contacts) == 0


def test_the_session_asks_for_what_the_tool_gives():
    _, _, model = pressed()
    with HapticSession(
        SimulatedDevice(pushing([-0.003, -0.005])), LAW, clock="simulated", record=0.5
    ) as session:
        session.publish(ToolLaw.data(model), 0.6)
        session.tick(500)
        seen = session.recording().columns
        told = ToolLaw.told(session.readout()["law"])
    states = np.hstack([seen[n] for n in ("position", "orientation", "linear_velocity", "angular_velocity")])
    haptic = HapticTool(TOOL, COUPLING)
    haptic.reset_to_device(RigidState(states[0, :3], states[0, 3:7]))
    trace = haptic.run(states, model.copy())
    assert np.array_equal(seen["wanted"], trace.device)
    assert np.array_equal(told["contact"], trace.contact[-1]) and told["touching"] == trace.touching[-1] > 0
    assert np.array_equal(told["position"], trace.position[-1])


def sine(visual_period=0.04, seconds=2.0):
    """The device moves by a sine of 2 mm into the block; the slow thread steps the world every `visual_period`."""
    world = make_world(visual_period)
    add_block(world)
    tool = add_tool(world)
    heights = 0.001 - 0.002 + 0.002 * np.cos(2 * np.pi * np.linspace(0.0, seconds, 400))
    settings = ThreadSettings(safety=SafetySettings(max_force=20.0))
    device = SimulatedDevice(pushing(heights, seconds), max_force=20.0)
    with HapticSession(device, LAW, settings, clock="simulated", record=seconds) as session:
        tool.set_device(device_at(AT[0], AT[1], AT[2] + 0.001))
        for tick in range(round(1000 * seconds)):
            if tick % round(1000 * visual_period) == 0:
                if tick > 0:
                    read = session.readout()
                    tool.set_device(
                        RigidState(read["position"], read["orientation"], read["linear_velocity"])
                    )
                assert world.step(), world.status()
                session.publish(ToolLaw.data(tool.model()), visual_period)
            session.tick()
        return session.recording()


@pytest.fixture(scope="module")
def moving():
    return sine()


def test_the_force_moves_at_every_tick_though_the_slow_loop_has_25_hz(moving):
    force = moving.wrenches[:, 2]
    contact = (np.array(moving.states()) == "touching") & (np.abs(force) > 1e-3)
    assert contact.sum() > 500
    changed = np.diff(force) != 0.0
    assert changed[contact[1:]].mean() >= 0.95
    assert np.isfinite(moving.wrenches).all() and force.max() > 0.2


def test_the_session_with_tissue_replays_to_the_same_bits(moving, tmp_path):
    moving.save(tmp_path / "sine.h5")
    again = Recording.load(tmp_path / "sine.h5").replay()
    assert again.wrenches.tobytes() == moving.wrenches.tobytes()
    assert len(moving.columns["publication_stamp"]) == 50


def test_a_law_with_too_many_contacts_is_refused():
    _, _, model = pressed()
    small = ToolLaw(TOOL, COUPLING, capacity=1)
    with (
        HapticSession(SimulatedDevice(pushing([0.0])), small, clock="simulated") as session,
        pytest.raises(ValueError, match="room for"),
    ):
        session.publish(ToolLaw.data(model), 0.04)
