# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparison of solvers: what it counts, and what it writes."""

import json

import numpy as np
import pytest

from softcontact.bench import siconos, solvers
from softcontact.solver import residual


def result(time, solved=True):
    return {"time_s": time, "solved": solved}


PROBLEMS = [
    {"name": "a", "results": {"auto": result(1.0), "siconos_nsgs": result(3.0)}},
    {"name": "b", "results": {"auto": result(4.0), "siconos_nsgs": result(2.0)}},
    {"name": "c", "results": {"auto": result(5.0), "siconos_nsgs": result(0.1, solved=False)}},
]


def test_profiles_count_solved_problems_within_a_factor_of_the_best():
    found = solvers.profiles(PROBLEMS, ["auto", "siconos_nsgs"])
    at = {factor: k for k, factor in enumerate(solvers.FACTORS)}
    assert found["auto"][at[1.0]] == pytest.approx(2 / 3)  # best on a, alone on c
    assert found["siconos_nsgs"][at[1.0]] == pytest.approx(1 / 3)
    assert found["auto"][-1] == 1.0 and found["siconos_nsgs"][-1] == pytest.approx(2 / 3)


def test_ratios_to_the_peer_leave_out_what_it_does_not_solve():
    found = solvers.against_peer(PROBLEMS)
    assert found["ratios"] == {"a": 3.0, "b": 0.5} and found["least"] == 0.5 and found["median"] == 1.75
    assert found["unsolved_by_peer"] == ["c"]


def test_benchmark_writes_figures_and_plot(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(solvers, "names", lambda: ["NESpheres_10_1", "Rover1040"])
    monkeypatch.setattr(siconos, "library", lambda: None)
    assert solvers.main(quick=True, json=tmp_path / "figures.json", out=tmp_path) == 0
    assert "not installed" in capsys.readouterr().out
    found = json.loads((tmp_path / "figures.json").read_text())
    assert [p["name"] for p in found["problems"]] == ["NESpheres_10_1", "Rover1040"]
    assert found["against_peer"] is None and (tmp_path / "solvers.png").stat().st_size > 1000
    for problem in found["problems"]:
        assert max(problem["results"]["auto"][name] for name in ("residual", "scaled_residual")) <= 1e-8


def test_benchmark_fails_where_ours_does_not_solve(monkeypatch, capsys):
    monkeypatch.setattr(solvers, "names", lambda: ["OneObject-i100000-316"])
    monkeypatch.setattr(solvers, "METHODS", ("auto", "global_uzawa"))
    monkeypatch.setattr(solvers, "OURS", "global_uzawa")
    monkeypatch.setattr(siconos, "library", lambda: None)
    assert solvers.main(quick=True) == 1
    assert "unsolved" in capsys.readouterr().out


@pytest.mark.skipif(siconos.library() is None, reason="Siconos is not installed")
def test_peer_solves_the_same_problem():
    problem, _ = solvers.load("NESpheres_10_1")
    found = siconos.solve(problem, "siconos_nsgs", 1e-10, 1000)
    assert residual(problem, found.force) <= 1e-9 and np.linalg.norm(found.force) > 1.0
    assert found.iterations > 1
