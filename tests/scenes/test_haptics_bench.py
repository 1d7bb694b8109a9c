# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark of haptic rendering: its block is the scene's, its figures are what they are called. No time is
asserted."""

import json

import numpy as np
import pytest

from softcontact.bench import haptics, haptics_cost, haptics_forces, haptics_impedance, haptics_scenario
from softcontact.bench.haptics_sessions import METHODS, device_rows, render
from softcontact.scene.library import load

TINY = haptics.Extent(drag=0.4, rates=(25,), frames=4, ticks=50, session=0.2, frequencies=(7.0,))


def test_the_firm_hand_follows_its_path_whatever_the_force():
    way = haptics_scenario.press_and_drag(load("block"), 0.1)
    assert 0.0 < way.touch < way.drag < way.end == pytest.approx(way.drag + 0.1)
    firm = render(METHODS[0], 25, way.script, way.end)
    held = render(METHODS[0], 25, way.script, way.end, yields=True)
    assert np.abs(firm.force[:, 2]).max() > 5.0 > np.abs(held.force[:, 2]).max() > 1.0
    times = haptics_scenario.FAST * np.arange(len(firm.rows))
    for axis in range(3):
        wanted = np.interp(times, way.script.times, way.script.positions[:, axis])
        np.testing.assert_allclose(firm.rows[:, axis], wanted, rtol=0, atol=2e-6)
        assert axis != 2 or np.abs(held.rows[:, axis] - wanted).max() > 1e-3


@pytest.mark.parametrize("shape", [shape for shape, _ in haptics_cost.TOOLS])
def test_every_tool_starts_above_the_block(shape):
    made = haptics_scenario.rig(0.04, shape)
    assert made.visual.world.step()
    told = made.visual.world.statistics()
    assert told["contacts"] == 0 and told["penetration_max"] == 0.0


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


def test_ripple_is_what_is_fast_in_the_drag():
    way = haptics_scenario.press_and_drag(load("block"), 1.0)
    times = haptics_scenario.FAST * np.arange(round(way.end / haptics_scenario.FAST))
    force = np.zeros((len(times), 3))
    force[:, 0] = -2.0 + 0.3 * np.sin(2 * np.pi * times) + 0.1 * np.sin(2 * np.pi * 25.0 * times)
    force[:, 2] = 5.0
    told = haptics_forces.judge(force, way, force + np.array([0.0, 0.0, 0.5]))
    assert told["ripple_n"] == pytest.approx(0.1 / np.sqrt(2), rel=0.05)
    assert told["normal_n"] == pytest.approx(5.0) and told["tangential_n"] == pytest.approx(-2.0, abs=0.2)
    assert told["error"] == pytest.approx(0.5 / np.hypot(5.5, 2.0), rel=0.02)


def test_response_of_spring_and_damper_is_found_beside_an_image():
    ticks = np.arange(500)
    angle = 2 * np.pi * 7.0 * haptics_scenario.FAST * ticks
    place = 0.038 + 1e-4 * np.sin(angle)
    speed = 1e-4 * 2 * np.pi * 7.0 * np.cos(angle)
    image = 0.01 * np.sin(2 * np.pi * 18.0 * haptics_scenario.FAST * ticks)
    value, rest = haptics_impedance.response(place, 5.0 - 600.0 * place - 9.0 * speed + image, 7.0)
    assert value == pytest.approx(600.0 + 9.0j * 2 * np.pi * 7.0, rel=0.02)
    size = 1e-4 * abs(value)
    assert rest == pytest.approx(0.01 / size, rel=0.1)


def test_held_forces_are_those_of_one_and_of_two_couplings():
    """At rest in the block: the second coupling in the row halves the stiffness that holds the tool."""
    made = haptics_scenario.rig(0.04)
    way = haptics_scenario.press_and_drag(made.scene, 0.05)
    rows = device_rows(way.script, way.end, made)
    held = round(way.drag / haptics_scenario.FAST) - 1
    linear, double = (render(method, 25, way.script, way.end) for method in METHODS)
    depth = 0.048 - rows[held, 2]
    force = {name: of.force[held, 2] for name, of in (("linear", linear), ("double", double))}
    dent = {"linear": depth - force["linear"] / 1000.0, "double": depth - force["double"] / 500.0}
    # The same block, dented by as much as the couplings leave over.
    assert force["linear"] / dent["linear"] == pytest.approx(force["double"] / dent["double"], rel=0.1)
    assert force["linear"] == pytest.approx(linear.frames[held // 40, 2], rel=0.02)


def test_many_sliding_contacts_keep_the_force_bounded():
    """Dozens of contacts of a fine tool on a coarse block: friction of one must not raise the others' without end."""
    shape, depth = haptics_cost.TOOLS[-1]
    made = haptics_scenario.rig(haptics_cost.PERIOD, shape)
    for frame in haptics_cost.frames(shape, 25, depth)[3:9]:
        told = haptics_cost.tick_cost(made, frame, 3000)
        assert told["contacts"] > 30 and told["changes"] > 0
        # The device goes a millimetre to each side of its place: some newtons, as the coupling has 1000 N/m.
        assert told["failed"] == 0 and told["most_force_n"] < 30.0


def test_the_benchmark_writes_figures_tables_and_plots(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(haptics_cost, "TOOLS", haptics_cost.TOOLS[1:3])
    monkeypatch.setattr(haptics_impedance, "RATES", (25,))
    exact = haptics_scenario.true_force

    def coarse(rows):
        found = exact(rows[::20], 0.02)
        return haptics_scenario.TrueForce(
            *(np.repeat(of, 20, axis=0)[: len(rows)] for of in (found.device, found.contact, found.tool))
        )

    monkeypatch.setattr(haptics_scenario, "true_force", coarse)
    assert haptics.main(json=tmp_path / "figures.json", out=tmp_path / "out", extent=TINY) == 0
    printed = capsys.readouterr().out
    assert "load average" in printed and "250 µs" in printed and "80 ms" in printed
    found = json.loads((tmp_path / "figures.json").read_text())
    assert found["benchmark"] == "haptics" and found["machine"]["processor"]
    session = found["session"]
    assert session["ticks"] > 20 and session["load"]["processors"] >= 1 and session["scheduling"]
    assert session["interval_us"]["p0_1"] <= session["interval_us"]["p50"] <= session["interval_us"]["p99_9"]
    assert [row["contacts"] for row in found["ticks"]] == sorted(row["contacts"] for row in found["ticks"])
    forces = found["forces"]["rates"][0]
    assert (
        forces["rate_hz"] == 25 and set(forces["methods"]) == set(METHODS) and "forces" not in found["forces"]
    )
    assert found["impedance"]["frequencies"][0]["true"]["stiffness_n_per_m"] > 100.0
    for name in ("haptics-frame.png", "haptics-tick.png", "haptics-forces.png", "haptics-impedance.png"):
        assert (tmp_path / "out" / name).stat().st_size > 10_000
    assert "99.9th" in (tmp_path / "out" / "haptics.md").read_text()
