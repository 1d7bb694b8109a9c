# SPDX-License-Identifier: LGPL-2.1-or-later
"""The slow side of a session: a world's tool follows the device, what it finds goes to the fast thread."""

import threading
import time

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, make_world

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.haptics import (
    DoubleCouplingLaw,
    HandScript,
    HapticSession,
    Recording,
    RigidState,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    ToolLaw,
    VirtualWall,
    VisualLoop,
    VisualTool,
)
from softcontact.scene.library import load

AT = np.array([0.003, 0.002, RADIUS])
LAW = ToolLaw(TOOL, COUPLING)
SETTINGS = ThreadSettings(safety=SafetySettings(max_force=20.0))
PERIOD = 0.04


def hand(heights, seconds=1.0):
    times = np.linspace(0.0, seconds, len(heights))
    script = HandScript(times, AT + HANDLE + np.outer(heights, [0.0, 0.0, 1.0]))
    return SimulatedDevice(script, max_force=20.0)


def tissue(period=PERIOD, divisions=2, **options):
    world = make_world(period, **options)
    add_block(world, divisions=divisions)
    return add_tool(world)


def session(device, law=LAW, clock="simulated", record=1.0):
    return HapticSession(device, law, SETTINGS, clock=clock, record=record)


def test_without_delay_it_is_the_loop_by_hand():
    with session(hand([0.001, -0.004])) as given:
        VisualLoop(tissue(), given, delay=False).run(0.5)
        found = given.recording()
    tool = tissue()
    with session(hand([0.001, -0.004])) as given:
        for tick in range(500):
            if tick % 40 == 0:
                read = given.readout()
                if read["tick"]:
                    tool.set_device(
                        RigidState(
                            read["position"],
                            read["orientation"],
                            read["linear_velocity"],
                            read["angular_velocity"],
                        )
                    )
                assert tool.world.step()
                given.publish(ToolLaw.data(tool.model()), PERIOD)
            given.tick()
        expected = given.recording()
    assert found.wrenches.tobytes() == expected.wrenches.tobytes()
    assert np.abs(found.wrenches).max() > 0.1


def test_with_delay_data_come_a_period_later():
    tool = tissue()
    with session(hand([-0.003])) as given:
        loop = VisualLoop(tool, given)
        loop.run(0.04)
        assert given.readout()["publication"] == 0 and loop.done == 1
        loop.run(0.001)
        assert given.readout()["publication"] == 1 and loop.done == 2
        assert given.readout()["data_age"] < 0.002
        loop.run(0.959)
        assert given.readout()["state"] == "touching" and loop.done == 25
    times = loop.times
    assert {"read", "step", "build", "publish", "total"} == set(times)
    assert all(len(row) == 25 for row in times.values()) and (times["step"] > 0.0).all()


def failing(tool, monkeypatch, after):
    """Let the tool's models fail after so many."""
    made, built = iter(range(1000)), tool.packed_model

    def model():
        if next(made) >= after:
            raise ValueError("no model any more")
        return built()

    monkeypatch.setattr(tool, "packed_model", model)


def test_what_prepares_a_step_comes_after_the_device_and_before_the_world(monkeypatch):
    tool, seen = tissue(), []
    pull = tool.set_device
    monkeypatch.setattr(tool, "set_device", lambda at: (seen.append("device"), pull(at)))
    with session(hand([0.001, -0.004])) as given:
        loop = VisualLoop(tool, given, prepare=lambda: seen.append(round(tool.world.time / PERIOD)))
        loop.run(4 * PERIOD)
    assert seen == [0, "device", 1, "device", 2, "device", 3]  # before the first tick nobody knows the device


def test_a_failed_step_fades_the_force_and_says_why(monkeypatch):
    tool = tissue()
    failing(tool, monkeypatch, 10)
    with session(hand([-0.003])) as given:
        loop = VisualLoop(tool, given, delay=False)
        loop.run(0.4)
        assert np.abs(given.readout()["wrench"]).max() > 0.1
        with pytest.raises(ValueError, match="no model any more"):
            loop.run(0.04)
        given.tick(50)
        assert not given.readout()["wrench"].any() and given.readout()["state"] == "waiting"


def test_by_the_wall_clock_it_has_a_thread_that_stops_and_starts_again(monkeypatch):
    tool = tissue()
    before = threading.active_count()
    with session(hand([-0.003]), clock="wall", record=0.0) as given:
        given.start()
        loop = VisualLoop(tool, given, promise=0.5)
        for _ in range(2):
            with loop:
                loop.start()
                loop.start()  # it runs already
                wait_for(lambda: given.readout()["state"] == "touching" and loop.done > 3)
                assert loop.running and threading.active_count() == before + 1
            assert not loop.running and threading.active_count() == before
            wait_for(lambda: not given.readout()["wrench"].any())
        failing(tool, monkeypatch, 2)
        loop.start()
        wait_for(lambda: loop.error is not None)
        wait_for(lambda: not given.readout()["wrench"].any())
        with pytest.raises(ValueError, match="no model any more"):
            loop.stop()
        loop.stop()  # told once
    assert threading.active_count() == before


def wait_for(happens, seconds=20.0):
    """A loaded machine may take its time; what never happens fails."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_what_cannot_run_is_refused():
    tool = tissue()
    with session(hand([0.0])) as given:
        with pytest.raises(ValueError, match="period"):
            VisualLoop(tool, given, period=0.0)
        with pytest.raises(ValueError, match="promise"):
            VisualLoop(tool, given, promise=np.nan)
        with pytest.raises(ValueError, match="steps"):
            VisualLoop(tool, given, steps=0)
        with pytest.raises(ValueError, match="multiple"):
            VisualLoop(tool, given, period=0.0405).run(0.1)
        with pytest.raises(ValueError, match="simulated"):
            VisualLoop(tool, given).start()
    fast = ThreadSettings(rate_hz=4000.0)
    with (
        HapticSession(hand([0.0]), LAW, fast, clock="simulated") as given,
        pytest.raises(ValueError, match=r"^step"),
    ):
        VisualLoop(tool, given)
    law = ToolLaw(TOOL, COUPLING, 2.5e-4)
    with HapticSession(hand([0.0]), law, fast, clock="simulated") as given:
        with pytest.raises(ValueError, match=r"^fast_step"):
            VisualLoop(tool, given)
        VisualLoop(VisualTool.of(tool.world, tool.body, fast_step=2.5e-4), given).run(0.01)
    with session(hand([0.0]), VirtualWall()) as given, pytest.raises(ValueError, match="law"):
        VisualLoop(tool, given)
    with session(hand([0.0]), clock="wall") as given, pytest.raises(ValueError, match="wall clock"):
        VisualLoop(tool, given).run(0.1)
    with pytest.raises(ValueError, match="no tool"):
        VisualTool.of(tool.world, 0)


def test_two_couplings_in_a_row_halve_the_stiffness():
    """Device held still over a visual tool that stays: k/2 on the way between them; and it replays to the same bits."""
    law = DoubleCouplingLaw(TOOL, COUPLING)
    visual = RigidState(AT - [0.0, 0.0, 0.002])
    with session(hand([-0.003]), law) as given:
        given.publish(DoubleCouplingLaw.data(visual), 2.0)
        given.tick(1000)
        read, made = given.readout(), given.recording()
    away = read["position"] - HANDLE - visual.position
    np.testing.assert_allclose(read["wrench"][:3], -0.5 * COUPLING.stiffness * away, rtol=1e-6, atol=1e-9)
    assert abs(read["wrench"][2]) > 0.1
    np.testing.assert_allclose(ToolLaw.told(read["law"])["position"], visual.position + away / 2, atol=1e-9)
    again = made.replay()
    assert again.wrenches.tobytes() == made.wrenches.tobytes()


def test_a_blend_passes_to_the_tool_and_to_recordings(tmp_path):
    law = ToolLaw(TOOL, COUPLING, blend=PERIOD)
    found = {}
    for name, given_law in (("plain", LAW), ("blend", law)):
        with session(hand([0.001, -0.004]), given_law) as given:
            VisualLoop(tissue(), given).run(0.5)
            found[name] = given.recording()
    assert not np.array_equal(found["plain"].wrenches, found["blend"].wrenches)
    found["blend"].save(tmp_path / "blend.h5")
    assert Recording.load(tmp_path / "blend.h5").law[1]["blend"] == PERIOD
    assert (
        Recording.load(tmp_path / "blend.h5").replay().wrenches.tobytes() == found["blend"].wrenches.tobytes()
    )


def test_a_scene_lends_its_tool():
    engine = EmbeddedEngine(load("block", {"time_step": PERIOD}))
    tool = engine.held_tool("tool")
    law = ToolLaw(tool.tool, tool.coupling)
    above = engine.scene.body("tool")
    script = HandScript([0.0], [above.position], [above.orientation])
    with session(SimulatedDevice(script), law) as given:
        loop = VisualLoop(tool, given)
        loop.run(0.12)
    assert engine.time == pytest.approx(3 * PERIOD)
    assert np.linalg.norm(tool.state.position - above.position) < 1e-3
