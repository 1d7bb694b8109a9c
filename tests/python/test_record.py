# SPDX-License-Identifier: LGPL-2.1-or-later
"""Probes, frames and checks, judged on made-up histories and on a falling box."""

import numpy as np
import pytest
from scene_samples import drop_scene

from softcontact.checks import evaluate
from softcontact.record import ENERGIES, STATISTICS, History
from softcontact.runner import run


def history(positions, quaternions=None, forces=None, **series):
    """A box that goes through `positions` (n + 1, 3), the first at time zero, over a table."""
    positions = np.asarray(positions, dtype=float)
    n = len(positions) - 1
    poses = np.zeros((n + 1, 7))
    poses[:, :3], poses[:, 6] = positions, 1.0
    table = np.tile([0.0, 0, 0, 0, 0, 0, 1], (n + 1, 1))
    if quaternions is not None:
        table[:, 3:] = quaternions
    force = np.zeros(n) if forces is None else np.asarray(forces, dtype=float)
    vectors = np.outer(force, [0, 0, 1.0])
    patch = {"force": vectors, "normal_force": force}
    zeros = {name: np.zeros(n) for name in (*STATISTICS, *ENERGIES)}
    return History(
        time=0.1 * np.arange(1, n + 1),
        series=zeros | {name: np.asarray(values, dtype=float) for name, values in series.items()},
        poses={"box": poses[1:], "table": table[1:]},
        start={"box": poses[0], "table": table[0]},
        patches={("box", "table"): patch},
        probes={"height": poses[1:, 2], "push": force},
        owner={"box": "box", "table": "table"},
        probe_units={"height": "m", "push": "N"},
    )


def judge(check, record):
    scene = drop_scene(duration=0.1 * len(record.time), time_step=0.1, checks=[check])
    results, skipped = evaluate(scene, record)
    assert not skipped
    return results[0]


UP = [[0, 0, 0], [0, 0, 0.2], [0, 0, 0.1]]


def test_lifted_is_the_rise_at_its_time():
    assert judge({"kind": "lifted", "body": "box", "height": 0.15}, history(UP))["passed"] is False
    at = judge({"kind": "lifted", "body": "box", "height": 0.15, "at": 0.1}, history(UP))
    assert at == {
        "name": "lifted box",
        "value": pytest.approx(0.2),
        "limit": 0.15,
        "unit": "m",
        "passed": True,
    }


def test_lifted_is_against_gravity():
    record = history(UP)
    record.up = np.array([0.0, 0, -1.0])
    assert judge({"kind": "lifted", "body": "box", "height": 0.01}, record)["value"] == pytest.approx(-0.1)


def test_held_needs_height_and_touch():
    check = {"kind": "held", "body": "box", "by": "table", "drop": 0.05}
    assert judge(check, history([[0, 0, 0], [0, 0, -0.04]], forces=[1]))["passed"] is True
    assert judge(check, history([[0, 0, 0], [0, 0, -0.06]], forces=[1]))["passed"] is False
    assert judge(check, history([[0, 0, 0], [0, 0, -0.04]], forces=[0]))["passed"] is False


def test_drift_is_measured_from_the_start_of_its_window():
    path = [[0, 0, 0], [1, 0, 0], [1.5, 0, 0], [1.2, 0, 0]]
    assert judge({"kind": "drift", "body": "box", "limit": 1}, history(path))["value"] == pytest.approx(1.5)
    late = {"kind": "drift", "body": "box", "limit": 1, "start": 0.1}
    assert judge(late, history(path))["value"] == pytest.approx(0.5)
    middle = late | {"start": 0.2, "end": 0.3}
    assert judge(middle, history(path))["value"] == pytest.approx(0.3)


def test_slip_is_seen_from_the_other_body():
    half = np.sqrt(0.5)
    turned = [[0, 0, 0, 1], [0, 0, half, half]]
    check = {"kind": "slip", "body": "box", "other": "table", "limit": 0.1}
    along = history([[1, 0, 0], [0, 1, 0]], quaternions=turned)
    assert judge(check, along)["value"] == pytest.approx(0, abs=1e-12)
    assert judge(check, history([[1, 0, 0], [1, 0, 0]], quaternions=turned))["value"] == pytest.approx(
        np.sqrt(2)
    )


def test_probe_limit_reduces_and_bounds():
    record = history(UP, forces=[-3, 2])
    check = {"kind": "probe_limit", "probe": "push", "maximum": 2.5}
    for reduce, value, passed in (
        ("final", 2, True),
        ("min", -3, True),
        ("max", 2, True),
        ("mean", -0.5, True),
        ("largest", 3, False),
    ):
        result = judge(check | {"reduce": reduce}, record)
        assert (result["value"], result["passed"], result["unit"]) == (pytest.approx(value), passed, "N")
    low = judge({"kind": "probe_limit", "probe": "push", "minimum": 2.5}, record)
    assert low["passed"] is False and low["limit"] == 2.5


def test_penetration_and_finite():
    record = history(UP, penetration_max=[1e-3, 2e-4])
    assert judge({"kind": "penetration", "limit": 5e-4}, record)["passed"] is False
    assert judge({"kind": "penetration", "limit": 5e-4, "start": 0.1}, record)["passed"] is True
    assert judge({"kind": "finite"}, record)["passed"] is True
    broken = history([[0, 0, 0], [0, np.nan, 0]])
    assert judge({"kind": "finite"}, broken)["passed"] is False
    drift = judge({"kind": "drift", "body": "box", "limit": 1}, broken)
    assert drift["value"] is None and drift["passed"] is False


def test_probes_agree_with_the_history():
    probes = [
        {"name": "z", "kind": "position", "body": "box", "axis": "z"},
        {"name": "up", "kind": "position", "body": "box"},
        {"name": "corner", "kind": "point", "body": "box", "vertex": 0, "axis": "z"},
        {"name": "push", "kind": "contact_force", "body": "box", "axis": "up"},
        {"name": "back", "kind": "contact_force", "body": "table", "other": "box", "axis": "up"},
        {"name": "energy", "kind": "energy"},
    ]
    down = run(drop_scene(probes=probes, checks=[], gravity=[0, 0, -9.81]), record=False).history
    assert down.probes["z"] == pytest.approx(down.poses["box"][:, 2])
    assert down.probes["up"] == pytest.approx(down.probes["z"])
    assert down.probes["corner"] == pytest.approx(down.probes["z"] - 0.06)
    assert down.probes["push"] == pytest.approx(down.contact_force("box")[:, 2])
    assert down.probes["back"] == pytest.approx(-down.probes["push"])
    assert down.probes["energy"] == pytest.approx(sum(down.series[name] for name in ENERGIES))


def test_frames_come_at_the_wanted_rate_with_first_and_last():
    result = run(drop_scene(record={"frames_per_second": 20}), record=False, steps=25)
    recording = result.recording
    assert recording.times == pytest.approx([0, 0.05, 0.1, 0.125])
    box = next(surface for surface in recording.surfaces if surface.name == "box")
    assert box.vertices(0)[:, 2].min() == pytest.approx(0.01)
    assert box.poses[-1] == pytest.approx(result.history.poses["box"][-1])
    assert len(recording.patches) == 4
    assert run(drop_scene(), record=False, replay=False, steps=1).recording is None
