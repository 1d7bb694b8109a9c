# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark of haptic rendering: its block is the scene's, its figures are what they are called. No time is
asserted."""

import json

import numpy as np
import pytest

from softcontact.bench import haptics, haptics_cost, haptics_scenario
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.haptics import HapticSession
from softcontact.scene.library import load

TINY = haptics.Extent(frames=4, ticks=50, session=0.2)


def test_the_block_is_that_of_the_scene():
    engine = EmbeddedEngine(load("block", {"time_step": 0.02}))
    made = haptics_scenario.rig(0.02)
    device = engine._devices[0]
    for _ in range(25):
        made.visual.world.set_device(made.visual.body, device.state(engine.time + 0.02))
        engine.step()
        assert made.visual.world.step()
    assert engine.statistics()["contacts"] > 5
    np.testing.assert_array_equal(engine.state(), made.visual.world.state())


def test_the_firm_hand_follows_its_path_whatever_the_force():
    made = haptics_scenario.rig(0.04)
    way = haptics_scenario.press_and_drag(made.scene, 0.1)
    assert 0.0 < way.touch < way.drag < way.end == pytest.approx(way.drag + 0.1)
    core = haptics_scenario.device(way.script).open(haptics_scenario.FAST)
    assert core.capabilities["max_force"] == haptics_scenario.MOST_FORCE
    law = haptics_scenario.law(made)
    with HapticSession(
        haptics_scenario.device(way.script), law, haptics_scenario.SETTINGS, clock="simulated", record=way.end
    ) as session:
        for _ in range(round(way.end / 0.04)):
            haptics_scenario.follow(made, session.readout())
            session.publish(law.data(made.visual.model()), 0.04)
            session.tick(40)
        columns = session.recording().columns
    rows = haptics_scenario.states(columns)
    assert np.abs(columns["wrench"][:, 2]).max() > 3.0
    times = haptics_scenario.FAST * np.arange(len(rows))
    for axis in range(3):
        wanted = np.interp(times, way.script.times, way.script.positions[:, axis])
        np.testing.assert_allclose(rows[:, axis], wanted, rtol=0, atol=2e-6)


def test_frames_are_split_by_stage_and_sorted_by_contacts():
    shape, depth = haptics_cost.TOOLS[2]
    found = haptics_cost.frames(shape, 6, depth)
    assert found[0].contacts == 0 and max(frame.contacts for frame in found) >= 5
    assert all(set(frame.stages) == set(haptics_cost.STAGES) for frame in found)
    assert all(time >= 0.0 for frame in found for time in frame.stages.values())
    pressed = found[-1]
    # Rows, responses of the block and W for dozens of rows, and sweeps over them.
    assert pressed.stages["compliance"] > 0.0 < pressed.stages["solve"]
    rows = haptics_cost.by_contacts(found)
    counts = [row["contacts"] for row in rows]
    assert counts == sorted(set(counts)) and 0 not in counts
    assert sum(row["frames"] for row in rows) == sum(frame.contacts > 0 for frame in found)
    for row in rows:
        if row["frames"] == 1:
            assert row["total_ms"] == pytest.approx(sum(row["stages_ms"].values()))


def test_ticks_are_timed_while_contacts_change():
    shape, depth = haptics_cost.TOOLS[2]
    frame = haptics_cost.frames(shape, 6, depth)[-1]
    told = haptics_cost.tick_cost(haptics_scenario.rig(haptics_cost.PERIOD, shape), frame, 700)
    assert told["contacts"] == len(frame.model.contacts) > 5 and told["changes"] > 0
    assert 0.0 < told["tick_us"]["median"] <= told["tick_us"]["p99_9"] <= told["tick_us"]["max"]


def test_the_benchmark_writes_figures_tables_and_plots(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(haptics_cost, "TOOLS", haptics_cost.TOOLS[1:3])
    assert haptics.main(json=tmp_path / "figures.json", out=tmp_path / "out", extent=TINY) == 0
    printed = capsys.readouterr().out
    assert "load average" in printed and "250 µs" in printed and "80 ms" in printed
    found = json.loads((tmp_path / "figures.json").read_text())
    assert found["benchmark"] == "haptics" and found["machine"]["processor"]
    session = found["session"]
    assert session["ticks"] > 20 and session["load"]["processors"] >= 1 and session["scheduling"]
    assert session["interval_us"]["p0_1"] <= session["interval_us"]["p50"] <= session["interval_us"]["p99_9"]
    assert [row["contacts"] for row in found["ticks"]] == sorted(row["contacts"] for row in found["ticks"])
    for name in ("haptics-frame.png", "haptics-tick.png"):
        assert (tmp_path / "out" / name).stat().st_size > 10_000
    assert "99.9th" in (tmp_path / "out" / "haptics.md").read_text()
