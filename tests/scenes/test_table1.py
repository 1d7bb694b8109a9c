# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark of Table 1: it compares like with like, and says what it measured. No time is asserted."""

import dataclasses
import json

import numpy as np
import pytest

from softcontact.bench import table1
from softcontact.scene.library import names

FINGERTIPS = next(case for case in table1.CASES if case.scene == "ball-fingertips")


@pytest.fixture(scope="module")
def result():
    return table1.compare(FINGERTIPS, steps=5)


def test_both_models_hold_the_object_in_the_same_scene(result):
    for model in table1.MODELS:
        ours = result["ours"][model]
        assert ours["held"] and ours["converged"] == 1.0
        assert ours["contacts"]["mean"] >= 5


def test_rows_per_phalanx_not_per_point(result):
    point, aggregate = (result["ours"][model] for model in table1.MODELS)
    assert point["rows"]["mean"] == 3 * point["contacts"]["mean"]
    # The ball in the air touches phalanges alone: four rows each, three without torsion.
    assert aggregate["rows"]["mean"] < 0.3 * point["rows"]["mean"]


def test_the_object_goes_the_same_way(result):
    assert 0.0 < result["difference"]["place_max_m"] < 2e-3
    assert result["difference"]["height_end_m"] < 1e-3
    assert result["difference"]["turn_max_rad"] < 0.1


def test_table_names_our_figures_and_the_papers(result):
    table = table1.markdown([result])
    assert "Rigid ball, fingertips" in table and "37.78" in table
    assert table.count("\n") == 4
    assert table1.paths_markdown([result]).count("\n") == 2
    json.dumps(result)


def test_rows_are_those_of_the_paper_on_scenes_that_there_are():
    assert {case.scene for case in table1.CASES} <= set(names())
    saved = {case.title: round(100 * (1 - case.paper[4] / case.paper[3])) for case in table1.CASES}
    assert len(table1.CASES) == 6 and saved["Pencil spinning"] == 67
    assert saved["Edge grasping 1"] == 69 and saved["Edge grasping 2"] == 77
    assert saved["Rigid ball, fingertips"] == 71 and saved["Rigid ball, close"] == 93
    assert saved["Bimanual dumbbell"] == 85


def test_path_difference_is_the_largest_and_the_last():
    one = np.tile([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], (3, 1))
    two = one.copy()
    two[1, :3] += [0.003, 0.004, 0.0]
    two[1, 3:] = 0.0, 0.0, np.sin(0.1), np.cos(0.1)
    two[2, 2] += 0.001
    assert table1.path_difference(one, two) == pytest.approx(
        {"place_max_m": 0.005, "place_end_m": 0.001, "height_end_m": 0.001, "turn_max_rad": 0.2}
    )


def test_dropped_object_is_not_a_pass(monkeypatch, capsys, result):
    short = dataclasses.replace(FINGERTIPS, start=0.05, rise=10.0)
    monkeypatch.setattr(table1, "CASES", (short,))
    compare = table1.compare
    monkeypatch.setattr(table1, "compare", lambda case, steps, to_end: compare(case, 2))
    assert table1.main(quick=True) == 1
    assert "not held: Rigid ball, fingertips (point)" in capsys.readouterr().out
    other = {**result, "difference": {**result["difference"], "height_end_m": 3e-3}}
    assert table1.failures([result]) == []
    assert table1.failures([other]) == [
        "another result: Rigid ball, fingertips, final heights 3.00 mm apart, more than 2 mm"
    ]
