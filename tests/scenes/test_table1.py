# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark of Table 1: it compares like with like, and says what it measured. No time is asserted."""

import json

import pytest

from softcontact.bench import table1


@pytest.fixture(scope="module")
def result():
    return table1.compare(table1.CASES[0], steps=5)


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


def test_table_names_our_figures_and_the_papers(result):
    table = table1.markdown([result])
    assert "Rigid ball, fingertips" in table and "37.78" in table
    assert table.count("\n") == 4
    json.dumps(result)


def test_dropped_object_is_not_a_pass(monkeypatch, capsys):
    monkeypatch.setattr(table1, "LEAST_RISE", 10.0)
    monkeypatch.setattr(table1, "LIFTED_FROM", 0.05)
    monkeypatch.setattr(table1, "CASES", table1.CASES[:1])
    monkeypatch.setattr(table1, "compare", lambda case, steps: _short(case))
    assert table1.main(quick=True) == 1
    assert "not held" in capsys.readouterr().out


def _short(case):
    ours = {model: table1.measure(case, model, 2) for model in table1.MODELS}
    paper = {"contacts": 0, "rows": dict.fromkeys(table1.MODELS, 0)}
    paper |= {key: dict.fromkeys(table1.MODELS, 0.0) for key in ("solve_ms", "step_ms")}
    paper |= {"solve_saved": 0.0, "step_saved": 0.0}
    return {"case": case.title, "ours": ours, "solve_saved": 0.0, "step_saved": 0.0, "paper": paper}
