# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweeps: every run once, whatever befalls single ones; the same table from processes and from Dask."""

import csv
import errno
import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from softcontact import cli, outputs
from softcontact.outputs import OutputError
from softcontact.parallel import Workers
from softcontact.scene.errors import SceneError
from softcontact.sweeps import Range, sweep
from softcontact.sweeps.journal import _locked
from softcontact.sweeps.plots import _groups, _number, draw, measures
from softcontact.sweeps.source import SceneSource
from softcontact.sweeps.table import TIMES, write_parquet

SCENE = Path(__file__).with_name("sweep_scene.py")


@pytest.fixture(scope="module")
def team():
    with Workers(2, quiet=True) as workers:
        yield workers


def told(rows):
    """Rows without what tells of time and place."""
    timed = {name for row in rows for name in row if "_ms." in name} | set(TIMES)
    return [{name: value for name, value in row.items() if name not in timed} for row in rows]


def test_numbers_of_all_kinds_are_numbers_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"a": 0.0, "b": 1}, {"a": np.float64(1e-15), "b": 2.5}, {"a": None, "b": np.int64(3)}]
    write_parquet(rows, tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == rows


def test_a_grid_is_the_product_of_all_values(team, tmp_path):
    result = sweep(
        SCENE,
        {"friction": "0.2:0.6:3", "mass": [0.5, 1.0], "solver.max_iterations": ["500"]},
        workers=team,
        out=tmp_path / "s",
    )
    assert result.passed and result.counts == {"passed": 6} and result.message == ""
    assert [(row["friction"], row["mass"], row["solver.max_iterations"]) for row in result.rows] == [
        (mu, m, 500) for mu in (0.2, 0.4, 0.6) for m in (0.5, 1.0)
    ]
    row = result.rows[3]
    assert row["run"] == 3 and row["options.mass"] == 1.0 and row["steps"] == 10 and row["exit_code"] == 0
    assert (
        row["checks.probe_limit height.passed"] is True
        and 0.049 < row["checks.probe_limit height.value"] < 0.051
    )
    assert {"step_ms.p99", "contacts.mean", "patches.box/table.force_n.z", "state_hash"} < set(row)
    assert result.columns["mass"] == [0.5, 1.0] * 3

    # The same in the files.
    with open(tmp_path / "s" / "table.csv", newline="") as file:
        read = list(csv.DictReader(file))
    assert [float(r["friction"]) for r in read] == result.columns["friction"]
    assert {r["checks.probe_limit height.passed"] for r in read} == {"true"}
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(tmp_path / "s" / "table.parquet").to_pylist() == result.rows
    report = (tmp_path / "s" / "report.md").read_text()
    pictures = sorted(path.name for path in (tmp_path / "s").glob("*.png"))
    assert pictures == ["plot-friction-mass.png", "plot-friction.png", "plot-mass.png"]
    assert (
        "6 of 6" in report
        and "box/table: normal force at the end [N]" in report
        and all(f"({name})" in report for name in pictures)
    )


def test_a_run_that_misbehaves_costs_that_run_only(team, tmp_path):
    faults = ["none", "hang", "crash", "memory", "raise", "refused", "killed once"]
    result = sweep(
        SCENE,
        {"fault": faults},
        options={"log": str(tmp_path)},
        workers=team,
        out=tmp_path / "s",
        time_limit=1.5,
        memory_limit=3000,
        retries=1,
    )
    rows = {row["fault"]: row for row in result.rows}
    assert list(rows) == faults and result.exit_code == 1
    assert {fault: (row["status"], row["exit_code"], row["attempts"]) for fault, row in rows.items()} == {
        "none": ("passed", 0, 1),
        "hang": ("time limit", None, 2),
        "crash": ("crashed", None, 2),
        "memory": ("memory limit", None, 1),
        "raise": ("refused", 2, 1),
        "refused": ("refused", 2, 1),
        "killed once": ("passed", 0, 2),
    }
    assert "not done after 1.5 s" in rows["hang"]["message"]
    assert "SIGSEGV; it said: about to crash" in rows["crash"]["message"]
    assert "needs more than 3000 MB" in rows["memory"]["message"]
    assert "ZeroDivisionError" in rows["raise"]["message"] and "tolerance" in rows["refused"]["message"]
    report = (tmp_path / "s" / "report.md").read_text()
    assert "SIGSEGV" in report and f"softcontact run {SCENE} --set log={tmp_path} --set fault=hang" in report


def test_a_failed_check_is_told(team, tmp_path):
    result = sweep(SCENE, {"height": [0, 0.06]}, workers=team, out=tmp_path / "s")
    assert result.columns["status"] == ["passed", "check failed"] and result.exit_code == 1
    assert (
        "| check failed | probe_limit height: 0.05, limit 0.06 m |"
        in (tmp_path / "s" / "report.md").read_text()
    )


def test_the_command_tells_why_runs_did_not_pass_and_what_was_not_judged(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--set", "late=1", "--steps", "10", "--workers", "1"]
    assert cli.main(["sweep", str(SCENE), "--param", "height=0,0.06", "--param", "steps=1", *words]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[:3] == [
        "2 of 2 runs done: 1 passed, 1 check failed",
        "  height=0.06, steps=1: check failed: probe_limit height: 0.05, limit 0.06 m",
        "not reached: late",
    ]
    assert (
        "| check late | not reached by 2 runs |"
        in (tmp_path / "out/sweep-sweep-scene-1/report.md").read_text()
    )


def test_the_command_tells_how_lost_runs_are_made_again(tmp_path, capsys):
    words = ["--param", "fault=none,refused", "--workers", "1", "--out", str(tmp_path / "s")]
    assert cli.main(["sweep", str(SCENE), *words]) == 1
    assert (
        "1 run gave no result; the same command with --resume --retry-failed makes it again\n"
        in capsys.readouterr().out
    )


def test_measures_are_figures_that_differ_each_once():
    row = {
        "checks.gap.value": 1.0,
        "checks.same.value": 2.0,
        "penetration_max_m": 1.0,
        "real_time_factor": 1.0,
    }
    table = [
        row,
        row | {"checks.gap.value": None, "penetration_max_m": None},
        row | {"checks.gap.value": 3.0, "penetration_max_m": 2.0},
    ]
    assert measures(table) == ["checks.gap.value", "penetration_max_m", "real_time_factor"]
    table[2] = table[2] | {"penetration_max_m": 3.0}
    assert measures(table) == ["checks.gap.value", "real_time_factor"]
    forces = [f"patches.box/{name}.normal_force_n" for name in "abc"]
    some = [row | dict.fromkeys(forces[:2], k) for k, row in enumerate(table)]
    assert measures(some) == ["checks.gap.value", forces[0], "real_time_factor"]
    many = [row | dict.fromkeys(forces, k) for k, row in enumerate(table)]
    assert measures(many) == ["checks.gap.value", "real_time_factor"]


def test_units_come_from_the_help_texts_of_options():
    with SceneSource(SCENE) as source:
        assert [source.unit(name) for name in ("mass", "friction", "number", "contact.friction")] == [
            "kg",
            "",
            "",
            "",
        ]


def test_curves_are_told_apart_by_few_values_of_another_parameter():
    table = [
        {"mu": mu, "size": size, "kind": kind} for mu in range(9) for size in (1.0, 1000.0) for kind in "ab"
    ]

    def groups(*parameters):
        name, found = _groups(table, *parameters)
        return name, [(text, sum(those)) for text, those in found]

    assert groups("mu", ["mu", "size", "kind"]) == ("kind", [("a", 18), ("b", 18)])
    assert groups("mu", ["mu", "size"]) == ("size", [("1", 18), ("1000", 18)])
    assert groups("size", ["mu", "size"]) == ("", [("", 36)])


def test_pictures_of_runs_that_gave_nothing_are_left_out_and_numbers_stay_plain(tmp_path):
    lost = [{"status": "crashed", "mass": mass} for mass in (1.0, 2.0)]
    assert draw(lost, ["mass"], tmp_path) == [] and list(tmp_path.iterdir()) == []
    assert draw([lost[0], lost[1] | {"status": "passed"}], ["mass"], tmp_path) == [
        ("plot-mass.png", "Over mass")
    ]
    assert list(map(_number, (1000.0, 20000.0, 0.5, 1e-5, 2e7, 123456.0))) == [
        "1000",
        "20000",
        "0.5",
        "1e-05",
        "2e+07",
        "123456",
    ]


@pytest.mark.parametrize("design", ["lhs", "random"])
def test_drawn_designs_are_those_of_the_seed(design, monkeypatch, tmp_path):
    monkeypatch.setattr("softcontact.sweeps.running._work", lambda journal, *_: (0, str(journal.plan.points)))

    def points(name, seed):
        given = {"friction": Range(0.1, 0.9), "number": "3:6", "fault": ["none", "hang"]}
        made = sweep(SCENE, given, design=design, samples=8, seed=seed, out=tmp_path / name, workers=1)
        return json.loads(made.message.replace("(", "[").replace(")", "]").replace("'", '"'))

    first = points("a", 1)
    assert first == points("b", 1) != points("c", 2)
    mu, number, fault = zip(*first, strict=True)
    assert all(0.1 <= x < 0.9 for x in mu) and set(number) <= {3, 4, 5, 6} and len(first) == 8
    if design == "lhs":  # one in each eighth of the range, two of each number, four of each value
        assert sorted(math.floor((x - 0.1) / 0.1) for x in mu) == list(range(8))
        assert sorted(number) == [3, 3, 4, 4, 5, 5, 6, 6] and sorted(fault) == ["hang"] * 4 + ["none"] * 4


def test_a_folder_holds_one_sweep_and_serves_one_process(team, tmp_path):
    given = {"number": [1, 2, 3]}
    log = tmp_path / "log"
    again = {"options": {"log": str(tmp_path)}, "workers": team, "out": tmp_path / "s", "resume": True}
    with pytest.warns(UserWarning, match=r"s' holds no sweep to go on with; a new one begins"):
        first = sweep(SCENE, given, **again)
    with pytest.raises(
        OutputError, match=r"3 of 3 runs done; go on with it by the same command with --resume"
    ):
        sweep(SCENE, given, **again | {"resume": False})
    with pytest.raises(
        OutputError, match=r"holds another sweep: its --param number is 1,2,3, not 1,2; give the"
    ):
        sweep(SCENE, {"number": [1, 2]}, **again)
    with pytest.raises(OutputError, match="its --steps is not given, and is 5 now"):
        sweep(SCENE, given, steps=5, **again)

    # A damaged file's run is made again, the others are not.
    kept = tmp_path / "s" / "runs" / "000001.json"
    kept.write_bytes(kept.read_bytes()[:-40])
    with pytest.warns(UserWarning, match=r"000001.json' is damaged; its run is made again"):
        second = sweep(SCENE, given, **again)
    assert told(second.rows) == told(first.rows)
    assert sorted(log.read_text().split("\n")[:-1]) == ["0.5 1", "0.5 2", "0.5 2", "0.5 3"]

    held = _locked(tmp_path / "s")
    with pytest.raises(OutputError, match=r"another sweep works there \(process \d+\)"):
        sweep(SCENE, given, **again)
    os.close(held)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.md").write_text("mine")
    with pytest.raises(OutputError, match=r"holds report.md that no sweep wrote"):
        sweep(SCENE, given, **again | {"out": tmp_path / "other"})


DAMAGES = [
    lambda kept: {name: kept[name] for name in ("run", "parameters", "status", "summary")},
    lambda kept: kept | {"status": "foo"},
    lambda kept: kept | {"exit_code": [0]},
    lambda kept: kept | {"warnings": [1]},
    lambda kept: kept | {"run": True},
    lambda kept: kept | {"parameters": {"number": 2.0}},
    lambda kept: [kept],
    lambda _: "[" * 100_000,
    lambda kept: json.dumps(kept).replace(
        '"steps"', '"deep": ' + '{"a": ' * 900 + "1" + "}" * 900 + ', "steps"'
    ),
]


def test_damaged_files_of_a_sweep_are_made_again_or_refused(team, tmp_path, monkeypatch):
    monkeypatch.setattr("softcontact.sweeps.running._write", lambda *_: None)  # plots take a second
    given, out = {"number": [1, 2]}, tmp_path / "s"
    again = {"workers": team, "out": out, "resume": True}
    first = sweep(SCENE, given, **again)
    kept, plan = out / "runs" / "000001.json", out / "sweep.json"
    for damage in DAMAGES:
        made = damage(json.loads(kept.read_text()))
        kept.write_text(made if isinstance(made, str) else json.dumps(made))
        with pytest.warns(UserWarning, match=r"000001.json' is damaged; its run is made again"):
            assert told(sweep(SCENE, given, **again).rows) == told(first.rows)
    (out / "runs" / "-00001.json").write_text(json.dumps(json.loads(kept.read_text()) | {"run": -1}))
    with pytest.warns(UserWarning, match=r"-00001.json' is of no run of this sweep"):
        assert len(sweep(SCENE, given, **again).rows) == 2

    whole = json.loads(plan.read_text())
    for points in ([1, 2], [["abc"], [2]], [[1]], [], [[1], [2], [3]], [[1.0], [2]]):
        plan.write_text(json.dumps(whole | {"points": points}))
        with pytest.raises(OutputError, match="its points are not those of its parameters"):
            sweep(SCENE, given, **again)
    for text in ("[" * 100_000, "[1]", "{}"):
        plan.write_text(text)
        with pytest.raises(OutputError, match="is no plan of a sweep"):
            sweep(SCENE, given, **again)


def test_a_full_disk_ends_a_sweep_that_goes_on_later(team, tmp_path, monkeypatch):
    def full(path, data):
        if path.name == "000001.json":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_json(path, data)

    given, write_json = {"number": [1, 2, 3]}, outputs.write_json
    with monkeypatch.context() as patch:
        patch.setattr(outputs, "write_json", full)
        with pytest.raises(
            OutputError,
            match=r"No space left .* of 3 runs are done, go on by the same command with --resume --out",
        ):
            sweep(SCENE, given, workers=team, out=tmp_path / "s")
    assert sweep(SCENE, given, workers=team, out=tmp_path / "s", resume=True).passed


def test_the_scene_and_the_files_belong_to_a_sweep(team, tmp_path):
    scene, log = tmp_path / "mine.py", tmp_path / "log"
    scene.write_text(SCENE.read_text())
    log.write_text("")
    given = ({"number": [1]},)
    again = {"options": {"log": str(log)}, "workers": team, "out": tmp_path / "s", "resume": True}
    sweep(scene, *given, **again)
    log.write_text("another")
    with pytest.raises(OutputError, match=r"the file \S*/log has changed since it began; put things back"):
        sweep(scene, *given, **again)
    scene.write_text(SCENE.read_text() + "\n")
    with pytest.raises(
        OutputError, match=r"scene file of \S*/mine.py has changed since it began; put the file back"
    ):
        sweep(scene, *given, **again)


REFUSED = [
    (["--param", "frction=1,2"], "unknown option 'frction'; did you mean 'friction'?"),
    (["--param", "contact.fricton=1,2"], "unknown field; did you mean 'friction'?"),
    (["--param", "friction"], "not of the form name=values"),
    (["--param", "friction=1,,2"], "a value is empty"),
    (["--param", "friction=1:0:2"], "1:0:2 is no range; the first number must be below the second"),
    (
        ["--param", "friction=0:1:1"],
        "friction: 0:1 with 1 values; the third number tells how many, a whole number of 2",
    ),
    (["--param", "friction=-1,2"], "must be greater than or equal to 0"),
    (["--param", "number=0:1:3"], "0.5 is not a whole number"),
    (["--param", "friction=1,1.0"], "friction: 1.0 is given twice"),
    (["--param", "friction=1", "--param", "friction=2"], "friction: given twice"),
    (["--param", "friction=1", "--set", "friction=2"], "friction: both varied and set"),
    (["--param", "friction=0.1:1"], "for a grid write 0.1:1:5"),
    (["--param", "friction=0.1:1:5", "--design", "lhs", "--samples", "4"], "write 0.1:1"),
    (["--param", "number=0.5:2", "--design", "lhs", "--samples", "4"], "not between whole numbers"),
    (["--param", "friction=0.1:11", "--design", "random", "--samples", "4"], "less than or equal to 10"),
    (["--param", "friction=0.1:1", "--design", "lhs"], "--samples N"),
    (["--param", "friction=0.1:1:999999999999"], "999999999999 runs are more than 1000000; give fewer"),
    (["--param", "friction=0.1:1:1001", "--param", "mass=1:2:1000"], "1001000 runs are more than"),
    (["--param", "friction=1,2", "--samples", "4"], "a grid has the product of all values"),
    (["--param", "friction=1,2", "--design", "lsh"], "did you mean 'lhs'?"),
    (["--param", "friction=1,2", "--engine", "embeded"], "did you mean 'embedded'?"),
    (["--param", "friction=1,2", "--steps", "0"], "steps: 0 is not a whole number ≥ 1"),
    (["--param", "friction=1,2", "--time-limit", "0"], "time limit: 0 s, expected a number above 0"),
    (["--param", "friction=1,2", "--memory-limit", "nan"], "memory limit: nan MB"),
    (["--param", "friction=1,2", "--memory-limit", "-1"], "memory limit: -1 MB, expected a number above 0"),
    (
        ["--param", "friction=1,2", "--memory-limit", "2"],
        "needs more memory than 2 MB (the program itself takes",
    ),
    (["--param", "friction=0.1:1:-2"], "0.1:1 with -2 values; the third number tells how many"),
    (["--param", "friction=0.1:1:2.5"], "0.1:1 with '2.5' values"),
    (
        ["--param", "friction=0.1:1:2,3"],
        "0.1:1:2,3 is both a range and a list; write a range alone, friction=0.1:1:5",
    ),
    (
        ["--param", "friction=0,1:1,0:5"],
        "'1:1' is not a number (Friction coefficient [-]); a range stands alone and",
    ),
    (["--param", "friction=0.1-0.5"], "a range stands alone and is written friction=0.1:1:10"),
    (["--param", "duration=0.01,1"], "duration=0.01: checks[0].end: 0.05 s is after"),
    (["--param", "friction=1,2", "--steps", "2000001"], "steps: 2000001 are more than 2000000; give fewer"),
    (["--param", "friction=0.1:1:"], "0.1:1 with '' values"),
    (
        ["--param", "friction=1,2", "--retry-failed"],
        "--retry-failed: of a sweep that is there already; add --resume",
    ),
    (["--param", "friction=1,2", "--retries", "-1"], "retries: -1"),
    (["--param", "friction=1,2", "--workers", "0"], "workers: 0"),
    (["--param", "friction=1,2", "--workers", "999999"], "workers: 999999 are too many: each is a process"),
    ([], "nothing is varied"),
]


@pytest.mark.parametrize("words, said", REFUSED, ids=[" ".join(w) for w, _ in REFUSED])
def test_wrong_usage_is_one_line_before_anything_runs(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["sweep", str(SCENE), *words]) == 2
    out, error = capsys.readouterr()
    assert said in error and error.count("\n") == 1 and out == "" and list(tmp_path.iterdir()) == []


def test_the_name_is_a_function():
    import softcontact.sweeps.running

    assert softcontact.sweep is softcontact.sweeps.running.sweep is sweep
    with pytest.raises(SceneError, match="nothing is varied"):
        softcontact.sweep("blocks", {})


def test_ctrl_c_before_anything_runs_is_said(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("softcontact.sweeps.running.sweep", interrupted)
    assert cli.main(["sweep", "blocks", "--param", "friction=1,2"]) == 130
    assert capsys.readouterr() == ("", "softcontact: interrupted\n")
