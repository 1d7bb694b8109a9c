# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Uzawa benchmark: it measures what it says, and judges the paper's statements by the figures."""

import json

import numpy as np
import pytest

from softcontact.bench import uzawa, uzawa_report


@pytest.fixture(scope="module")
def runs():
    return list(uzawa.study((0.3,), (1e-2, 1e-3), repeats=1))


@pytest.fixture(scope="module")
def result(runs):
    found = {
        "machine": {"processor": "a processor"},
        "runs": runs,
        "as_printed_converges": {"both": False, "left": False},
        "haptic": [uzawa.haptic("left", "global_uzawa", "jab", 0.1, clock="simulated")],
    }
    found["statements"] = uzawa_report.statements(found)
    found["verdict"] = uzawa_report.verdict(found)
    return found


def test_every_case_is_run_and_converges(runs):
    assert len(runs) == 2 * 1 * 2 * 2
    assert all(run["converged"] and len(run["sweeps"]) == 25 for run in runs)
    for run in runs:
        assert sum(run["sweeps_by_phase"]) == sum(run["sweeps"])


def test_force_error_falls_with_the_uzawa_error(runs):
    for name in uzawa.BENCHMARKS:
        for scheme in uzawa.SCHEMES:
            off = [
                run["force_error_max"]
                for run in runs
                if (run["benchmark"], run["scheme"], run["friction"]) == (name, scheme, 0.3)
            ]
            assert off[1] < 0.2 * off[0] and off[1] < 0.02


def test_global_takes_one_projection_a_contact_and_sweep(runs):
    for run in runs:
        wanted = [25 * sweeps for sweeps in run["sweeps"]]
        if run["scheme"] == "global":
            assert run["projections"] == wanted
        else:
            assert np.all(np.array(run["projections"]) >= wanted)


def test_stored_velocities_do_not_converge():
    assert uzawa.as_printed(sweeps=300) == {"both": False, "left": False}


def made_up(scheme: str, error: float, sweeps: int, time_ms: float, off: float) -> dict:
    return {
        "benchmark": "left",
        "friction": 0.3,
        "scheme": scheme,
        "uzawa_error_cm": error,
        "sweeps": [sweeps] * 25,
        "sweeps_by_phase": [5 * sweeps] * 5,
        "converged": True,
        "time_ms": time_ms,
        "step_ms_max": 1.0,
        "force_error_rms": off,
        "force_error_max": off,
    }


@pytest.mark.parametrize(
    ("better", "worse", "verdict"), [("local", "global", "holds"), ("global", "local", "fails")]
)
def test_statements_follow_the_figures(better, worse, verdict):
    runs = []
    for index, error in enumerate((1e-2, 1e-4)):
        runs += [made_up(better, error, 10 + index, 1.0 + index, 1e-5)]
        runs += [made_up(worse, error, 20 + index, 5.0 + index, 1e-4)]
    found = {s["claim"].split(" (")[0]: s["verdict"] for s in uzawa_report.statements({"runs": runs})}
    assert found == {
        "local Uzawa needs fewer iterations than global in each of the five phases": verdict,
        "so it is for other frictions and Uzawa errors": verdict,
        "a smaller Uzawa error costs more processor time": "holds",
        "local Uzawa tends to be faster than global": verdict,
        "the force of local Uzawa is steadier: global shows instabilities": verdict,
        "a step is solved within the 300 Hz of haptic rendering": "holds",
    }


def test_statement_that_holds_in_part_is_told_so():
    runs = [made_up("local", 1e-2, 10, 1.0, 1e-5), made_up("global", 1e-2, 20, 2.0, 1e-4)]
    runs += [made_up("local", 1e-4, 30, 0.5, 1e-5), made_up("global", 1e-4, 20, 0.6, 1e-4)]
    found = {s["claim"].split(" (")[0]: s for s in uzawa_report.statements({"runs": runs})}
    others = found["so it is for other frictions and Uzawa errors"]
    assert (others["verdict"], others["cases"], others["of"]) == ("holds in part", 1, 2)
    assert found["a smaller Uzawa error costs more processor time"]["verdict"] == "fails"


def test_report_is_written_with_plots(result, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(uzawa, "measure", lambda quick: result)
    figures = tmp_path / "figures.json"
    assert uzawa.main(quick=True, json=figures, out=tmp_path / "out") == 0
    assert json.loads(figures.read_text())["verdict"] == result["verdict"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"uzawa-figure{number}.png" for number in (6, 7, 8, 9)} | {"uzawa.json", "uzawa.md"} == names
    printed = capsys.readouterr().out
    assert "local Uzawa needs fewer iterations" in printed and "velocities kept" in printed


def test_unconverged_scheme_is_not_a_pass(result, monkeypatch, capsys):
    broken = result | {
        "runs": [run | {"converged": False} for run in result["runs"][:2]] + result["runs"][2:]
    }
    monkeypatch.setattr(uzawa, "measure", lambda quick: broken)
    assert uzawa.main(quick=True) == 1
    assert "not held: local Uzawa" in capsys.readouterr().out
