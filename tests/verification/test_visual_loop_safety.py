# SPDX-License-Identifier: LGPL-2.1-or-later
"""A slow thread that dies, stalls or starts again, and devices and tools that are out of the way, leave no force."""

import dataclasses
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, device_at, firm, make_world

from softcontact.haptics import (
    HandScript,
    HapticSession,
    RigidState,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    Tool,
    ToolLaw,
    VirtualCoupling,
    VisualLoop,
)

OVER = np.array([0.003, 0.002, RADIUS])
SETTINGS = ThreadSettings(safety=SafetySettings(max_force=20.0))
LAW = ToolLaw(TOOL, COUPLING)
PERIOD = 0.02
LATEST = 0.05  # [s], of force after the last data


def hand(times, heights, sideways=0.0):
    """That intends to hold the ball's centre at these heights over the block."""
    places = OVER + HANDLE + np.outer(heights, [0.0, 0.0, 1.0])
    places[-1, 0] += sideways
    return SimulatedDevice(HandScript(times, places), max_force=20.0)


def pressing():
    return hand([0.0, 0.1], [0.001, -0.004])


def tissue(period=PERIOD, options=(), **where):
    world = make_world(period, **dict(options))
    add_block(world, divisions=2)
    return add_tool(world, **where)


def simulated(device, record=2.0):
    return HapticSession(device, LAW, SETTINGS, clock="simulated", record=record)


def test_a_slow_thread_that_is_gone_leaves_no_force_after_50_ms():
    with simulated(pressing()) as session:
        VisualLoop(tissue(), session).run(0.5)
        assert session.readout()["state"] == "touching"
        session.tick(49)
        read = session.readout()
        assert read["data_age"] >= LATEST and not read["wrench"].any() and read["state"] == "stalled"


def test_ten_times_slower_than_promised_there_is_no_force_between_the_data():
    with simulated(pressing()) as session:
        tool = tissue()
        VisualLoop(tool, session).run(0.5)
        slow = VisualLoop(tool, session, steps=10, promise=PERIOD)
        felt = 0
        for _ in range(1200):
            slow.run(0.001)
            read = session.readout()
            felt += read["wrench"].any()
            assert read["data_age"] < LATEST or not read["wrench"].any()
        assert slow.done == 6 and 100 < felt < 400  # it comes back with each of them


def test_twenty_times_in_contact_it_stops_and_starts_again():
    """By the wall clock, the data of what happened as the fast thread wrote them down."""
    tool = tissue(0.01)
    before = threading.active_count()
    with HapticSession(pressing(), LAW, SETTINGS, record=60.0, publications=20_000) as session:
        session.start()
        loop = VisualLoop(tool, session, promise=0.04)
        for _ in range(20):
            loop.start()
            assert threading.active_count() == before + 1
            wait_for(lambda: session.readout()["wrench"].any())
            loop.stop()
            assert threading.active_count() == before
            wait_for(lambda: not session.readout()["wrench"].any())
        session.stop()
        seen = session.recording().columns
    assert seen["publication_withdrawn"].sum() == 20
    stamps = seen["publication_stamp"]
    age = np.where(seen["publication"] >= 0, seen["time"] - stamps[seen["publication"]], 0) * 1e-9
    silent = (seen["publication"] >= 0) & (age >= LATEST)
    assert not seen["wrench"][silent].any() and np.abs(seen["wrench"]).max() > 0.1
    assert np.isfinite(seen["wrench"]).all()


def test_a_slow_thread_that_hangs_leaves_no_force_and_goes_on(monkeypatch):
    tool = tissue(0.01)
    hangs, go_on = threading.Event(), threading.Event()
    model = tool.packed_model

    def hanging():
        if hangs.is_set():
            go_on.wait(20.0)
        return model()

    monkeypatch.setattr(tool, "packed_model", hanging)
    with HapticSession(pressing(), LAW, SETTINGS) as session:
        session.start()
        with VisualLoop(tool, session, promise=0.04) as loop:
            loop.start()
            wait_for(lambda: session.readout()["wrench"].any())
            hangs.set()
            wait_for(
                lambda: session.readout()["state"] == "stalled" and not session.readout()["wrench"].any()
            )
            time.sleep(0.02)
            assert not session.readout()["wrench"].any() and loop.error is None
            hangs.clear()
            go_on.set()
            wait_for(lambda: session.readout()["wrench"].any())


def wait_for(happens, seconds=20.0):
    """A loaded machine may take its time; what never happens fails."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_far_from_anything_there_is_no_force():
    far = (0.003, 0.002, 3.0)
    with simulated(hand([0.0], [3.0 - RADIUS])) as session:
        tool = tissue(position=far)
        VisualLoop(tool, session).run(0.5)
        assert np.abs(session.readout()["wrench"]).max() < 1e-9
        assert not tool.model().contacts
    np.testing.assert_allclose(tool.state.position, far, atol=1e-6)


def test_a_tool_that_starts_inside_the_tissue_gives_no_force_and_keeps_the_limits_on_its_way_out():
    deep = -0.04
    with simulated(hand([0.0, 0.2, 0.4], [deep, deep, -0.014])) as session:
        usual = {"solver_tolerance": 1e-8, "solver_max_iterations": 100}
        tool = tissue(options=usual, position=(0.003, 0.002, deep + RADIUS))
        loop = VisualLoop(tool, session)
        loop.run(0.2)
        assert np.abs(session.readout()["wrench"]).max() < 1e-6
        assert tool.world.status()["ok"] and not tool.model().contacts
        loop.run(0.24)
        force = session.recording().wrenches[:, :3]
    assert tool.world.status()["ok"] and np.isfinite(force).all()
    assert np.linalg.norm(force, axis=1).max() <= SETTINGS.safety.max_force * (1 + 1e-12)


def test_poses_that_are_no_numbers_give_no_force():
    with simulated(pressing()) as session:
        VisualLoop(tissue(), session).run(0.6)
        made = session.recording()
    lost = slice(400, 450)
    for bad in (np.nan, np.inf):
        columns = {name: values.copy() for name, values in made.columns.items()}
        columns["position"][lost, 1] = bad
        again = dataclasses.replace(made, columns=columns).replay()
        assert np.isfinite(again.wrenches).all() and not again.wrenches[lost].any()
        assert set(again.states()[lost]) == {"pose_lost"}
        assert np.array_equal(again.wrenches[:400], made.wrenches[:400])
        assert np.abs(again.wrenches[-1]).max() > 0.1  # and it comes back
    tool = tissue()
    with pytest.raises(ValueError, match="position"):
        tool.set_device(RigidState(OVER + np.array([np.nan, 0.0, 0.0])))
    row = device_at(*OVER).row()
    row[0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        tool.world.set_device(tool.body, row)
    assert tool.world.step() and np.isfinite(tool.state.row()).all()


JUMP = [0.0, 0.1, 0.5, 0.5001, 2.0]  # s


def jumping(aside):
    """Presses, then is a metre away at once."""
    pressed = OVER - [0.0, 0.0, 0.004]
    return firm(
        JUMP, [OVER + np.array([0.0, 0.0, 0.001]), pressed, pressed, pressed + aside, pressed + aside]
    )


def test_a_pose_that_jumps_by_a_metre_gives_no_force_and_lets_the_tissue_go():
    with simulated(jumping(np.array([0.0, 0.0, 1.0]))) as session:
        tool = tissue()
        loop = VisualLoop(tool, session)
        loop.run(0.45)
        assert session.readout()["wrench"][2] > 0.1
        loop.run(1.0)
        seen = session.recording()
    assert np.isfinite(seen.wrenches).all()
    refused = np.array(seen.states()) == "pose_lost"
    assert 90 < refused.sum() < 130 and not seen.wrenches[refused].any()  # until the new place has held
    after = int(np.flatnonzero(refused)[-1]) + 1
    assert np.abs(seen.wrenches[after:]).max() < 1e-3
    assert tool.world.status()["ok"] and tool.state.position[2] > 0.9


def test_a_jump_through_the_tissue_stops_the_world_and_fades_the_force():
    with simulated(jumping(np.array([1.0, 0.0, 0.0]))) as session:
        loop = VisualLoop(tissue(), session)
        with pytest.raises(ValueError, match=r"stopped at .* (went into or through|speed above)"):
            loop.run(1.5)
        session.tick(50)
        assert not session.readout()["wrench"].any()


def test_bodies_that_none_has_are_refused():
    for mass in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="mass"):
            ToolLaw(Tool(mass, TOOL.inertia), COUPLING).build()
        with pytest.raises(ValueError, match="mass"):
            tissue(body=Tool(mass, TOOL.inertia))
    with pytest.raises(ValueError, match="inertia"):
        ToolLaw(Tool(0.05, np.zeros((3, 3))), COUPLING).build()
    for name in ("stiffness", "damping", "angular_stiffness", "angular_damping"):
        with pytest.raises(ValueError, match=name):
            VirtualCoupling(**{name: -1.0})
    with pytest.raises(ValueError, match="blend"):
        ToolLaw(TOOL, COUPLING, blend=-1.0).build()


CODE = """
import hashlib, locale, sys
locale.setlocale(locale.LC_ALL, "")
sys.path.insert(0, sys.argv[1])
from test_visual_loop_safety import VisualLoop, pressing, simulated, tissue
with simulated(pressing(), record=0.3) as session:
    VisualLoop(tissue(), session).run(0.3)
    force = session.recording().wrenches
print(locale.localeconv()["decimal_point"], hashlib.sha256(force.tobytes()).hexdigest(), repr(force[-1].tolist()))
"""


def test_numbers_are_those_of_any_locale(in_locales):
    """World, model and session give the same bits."""
    in_locales(CODE, lambda name: str(Path(__file__).parent))
