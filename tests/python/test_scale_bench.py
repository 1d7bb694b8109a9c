# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark of towers and heaps: what it measures is what it says."""

import json

import numpy as np
import pytest

from softcontact.bench import scale, scale_yielding


@pytest.mark.parametrize("count", [1, 8, 30])
@pytest.mark.parametrize("layout", list(scale.LAYOUTS))
def test_bodies_start_apart(layout, count):
    places = np.array([p for p, _ in scale.LAYOUTS[layout].places(count)])
    assert places.shape == (count, 3)
    shape = scale.LAYOUTS[layout].shape
    size = np.array(shape.size if layout != "balls" else 3 * (2 * shape.radius,))
    if layout == "heap":  # turned any way
        size[:] = np.linalg.norm(size)
    assert places[:, 2].min() > 0.5 * size[2]
    apart = np.abs(places[:, None] - places[None]) / size
    far = np.linalg.norm(apart, axis=2) if layout in ("heap", "balls") else apart.max(axis=2)
    assert far[~np.eye(count, dtype=bool)].min(initial=np.inf) > 1.0


def test_growth_is_the_exponent():
    results = [{"bodies": n, "step_ms": {"mean": 0.3 * n**1.15}} for n in (8, 64, 512)]
    assert scale.growth(results) == pytest.approx(1.15)


def test_every_step_of_a_small_run_is_solved(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scale, "QUICK", (2, 6))
    monkeypatch.setattr(scale, "measure_mujoco", lambda *_: None)
    assert scale.main(quick=True, json=tmp_path / "scale.json", out=tmp_path) == 0
    document = json.loads((tmp_path / "scale.json").read_text())
    assert {r["layout"] for r in document["results"]} == set(scale.NAMED)
    assert all(r["solved"] == 1.0 and r["residual"] <= scale.TOLERANCE for r in document["results"])
    assert all(r["contacts"] > 0 for r in document["results"] if r["layout"] != "hands")  # not there yet
    assert all(r["deepest_m"] < 1e-6 for r in document["results"] if r["layout"] in scale.LAYOUTS)
    assert all(0.0 <= r["memory_mb"] < 200.0 for r in document["results"])
    assert (tmp_path / "scale.png").stat().st_size > 1000
    printed = capsys.readouterr().out
    assert "6 boxes in a heap" in printed and "MuJoCo is not installed: no peer (pip install" in printed


def test_a_step_that_is_not_solved_is_told_and_fails_it(monkeypatch, capsys):
    monkeypatch.setattr(scale, "QUICK", (2, 3))
    monkeypatch.setattr(scale, "TOLERANCE", 0.0)
    monkeypatch.setattr(scale, "measure_mujoco", lambda *_: None)
    assert scale.main(quick=True) == 1
    assert "100.0 %" not in capsys.readouterr().out


def test_hands_beside_each_other_do_what_one_does():
    one, two = scale_yielding.hands(1), scale_yielding.hands(2)
    for _ in range(40):
        one.step()
        two.step()
    moved = two.pose("hand1") - [0, scale_yielding.APART, 0, 0, 0, 0, 0]
    assert np.abs(moved - one.pose("hand0")).max() < 1e-9
    assert np.abs(two.pose("hand0") - one.pose("hand0")).max() < 1e-9


def test_figures_stand_and_cubes_lie_on_each_other():
    figures = scale_yielding.figures(2)
    for _ in range(50):
        figures.step()
    assert figures.statistics()["contacts"] > 200  # of 224
    cubes = scale_yielding.cubes(5)
    assert len(cubes.surfaces) == 6
    for _ in range(60):
        cubes.step()
    heights = [cubes.pose(f"cube{i}")[2] / scale_yielding.CUBE for i in range(5)]
    assert heights == pytest.approx([0.5, 1.5, 2.5, 3.5, 0.5], abs=0.15)


@pytest.mark.parametrize("layout", list(scale.LAYOUTS))
def test_mujoco_gets_the_same_bodies(layout):
    pytest.importorskip("mujoco")
    found = scale.measure_mujoco(layout, 8, 0.2)
    contacts = scale.measure(layout, 8, 0.2)["contacts"]
    assert found is not None and found["contacts"] > 0
    assert found["contacts"] == contacts == 32 if layout == "towers" else contacts > 0
