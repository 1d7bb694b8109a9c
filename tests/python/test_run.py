# SPDX-License-Identifier: LGPL-2.1-or-later
"""Running a scene: results, the output folder, early ends."""

import json
import os

import h5py
import numpy as np
import pytest
from scene_samples import drop, drop_scene

from softcontact import runner
from softcontact.checks import evaluate
from softcontact.cli.app import main
from softcontact.outputs import OutputError
from softcontact.runner import run
from softcontact.scene import Finite, Scene, SceneError


@pytest.fixture
def no_plots(monkeypatch):
    """Leave out the report; drawing takes longer than these runs."""
    monkeypatch.setattr("softcontact.report.report.write_report", lambda *_: None)


SUMMARY_KEYS = {
    "scene",
    "engine",
    "options",
    "steps",
    "simulated_time_s",
    "wall_time_s",
    "real_time_factor",
    "contacts",
    "rows",
    "step_ms",
    "solve_ms",
    "converged_fraction",
    "residual_max",
    "penetration_max_m",
    "checks",
    "patches",
    "state_hash",
}


def test_run_fills_the_folder_and_the_summary(tmp_path):
    result = run(drop_scene(), out=tmp_path / "a b µ")
    assert result.exit_code == 0 and result.passed, result.summary["checks"]
    for name in ("scene.json", "summary.json", "history.h5", "replay.html", "report.md", "plot-forces.png"):
        assert (result.out / name).stat().st_size > 0
    summary = json.loads((result.out / "summary.json").read_text(encoding="utf-8"))
    assert summary == json.loads(json.dumps(result.summary))
    assert summary.keys() >= SUMMARY_KEYS
    assert summary["steps"] == 80 and summary["simulated_time_s"] == pytest.approx(0.4)
    assert set(summary["step_ms"]) == set(summary["solve_ms"]) == {"mean", "p50", "p95", "p99", "max"}
    assert summary["contacts"]["max"] >= summary["contacts"]["mean"] > 0
    assert [set(check) for check in summary["checks"]] == [{"name", "value", "limit", "unit", "passed"}] * 6
    keys = {
        "body",
        "other",
        "force_n",
        "torque_nm",
        "centre_m",
        "area_m2",
        "pressure_mean_pa",
        "pressure_max_pa",
        "number",
        "normal_force_n",
        "contacts",
        "state",
        "slip_gauge",
    }
    assert summary["patches"] and all(set(patch) == keys for patch in summary["patches"])


def test_contact_force_is_the_weight_whatever_the_time_step():
    for step in (0.002, 0.005, 0.01):
        result = run(drop_scene(time_step=step), record=False, replay=False)
        force = result.contact_force("box")
        assert force.shape == (len(result.history.time), 3)
        assert force[-1] == pytest.approx([0, 0, 0.5 * 9.81], abs=1e-3)
        assert result.contact_force("table")[-1] == pytest.approx(-force[-1])
        assert result.contact_force("box", by="table")[-1] == pytest.approx(force[-1])
    with pytest.raises(ValueError, match="no body 'bx'"):
        result.contact_force("bx")


def test_same_scene_gives_the_same_bits_also_from_its_own_scene_file(tmp_path, no_plots):
    first = run(drop_scene(), out=tmp_path / "1", steps=6, replay=False)
    second = run(drop_scene(), record=False, steps=6)
    again = run(tmp_path / "1" / "scene.json", record=False)
    other = run(drop_scene(), record=False, steps=7)
    assert first.summary["state_hash"] == second.summary["state_hash"] == again.summary["state_hash"]
    assert other.summary["state_hash"] != first.summary["state_hash"]
    assert again.summary["steps"] == 6


def test_history_file_holds_every_step(tmp_path, no_plots):
    result = run(drop_scene(), out=tmp_path / "r", replay=False)
    with h5py.File(result.out / "history.h5") as file:
        time, pose = file["time"][:], file["bodies/box/pose"][:]
        pair = next(name for name in file["patches"] if set(name.split(":")) == {"box", "table"})
        force, torque = file[f"patches/{pair}/force"], file[f"patches/{pair}/torque"]
        assert force.attrs["unit"] == "N" and force.shape == torque.shape == (80, 3)
        body, other = pair.split(":")
        assert force.attrs["meaning"] == f"on {body}, by {other}; x, y, z"
        assert np.abs(force[-1]) == pytest.approx([0, 0, 4.905], abs=1e-3)
        assert pose[-1, 2] == pytest.approx(file["probes/height"][-1])
        assert file["probes/height"].attrs["unit"] == "m"
        assert file["steps/residual"].shape == file["energies/kinetic"].shape == (80,)
    assert time == pytest.approx(0.005 * np.arange(1, 81))
    assert not (result.out / "replay.html").exists()


def test_failed_check_gives_code_1(tmp_path):
    scene = drop_scene(checks=[{"kind": "lifted", "body": "box", "height": 0.1}])
    result = run(scene, record=False)
    assert result.exit_code == 1 and not result.passed
    assert result.checks[0]["value"] == pytest.approx(-0.01, abs=0.002)


def test_checks_of_times_not_reached_are_left_out():
    result = run(drop_scene(), steps=3, record=False)
    assert result.exit_code == 0 and [check["name"] for check in result.checks] == [
        "finite",
        "overlap",
        "solved",
        "no_energy_gained",
    ]
    assert result.summary["checks_not_reached"] == ["held box", "probe_limit height"]


def test_state_that_blows_up_stops_the_run_with_code_3(tmp_path):
    scene = drop_scene()
    scene = scene.with_changes({"bodies.box.velocity": [0, 0, 900], "gravity": [0, 0, 1e4]})
    result = run(scene, out=tmp_path / "r")
    assert result.exit_code == 3
    assert "box" in result.message and " s: " in result.message
    assert 0 < result.summary["steps"] < 80
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["exit_code"] == 3 and (tmp_path / "r" / "history.h5").is_file()
    assert result.message in (tmp_path / "r" / "report.md").read_text()


def after(monkeypatch, steps, error):
    """Let the engine's step raise `error` once `steps` steps are done."""
    make = runner.make_engine

    def make_engine(scene, name):
        engine = make(scene, name)
        step, done = engine.step, []

        def limited():
            if len(done) == steps:
                raise error
            done.append(step())

        engine.step = limited
        return engine

    monkeypatch.setattr(runner, "make_engine", make_engine)


def test_interruption_keeps_what_was_done(tmp_path, monkeypatch, no_plots):
    after(monkeypatch, 25, KeyboardInterrupt())
    result = run(drop_scene(), out=tmp_path / "r")
    assert result.exit_code == 130 and result.summary["steps"] == 25
    assert "interrupted at 0.125 s" in result.message
    with h5py.File(tmp_path / "r" / "history.h5") as file:
        assert len(file["time"]) == 25
    assert (tmp_path / "r" / "replay.html").is_file()


def test_interruption_before_the_first_step_is_no_crash(tmp_path, monkeypatch):
    after(monkeypatch, 0, KeyboardInterrupt())
    result = run(drop_scene(), out=tmp_path / "r")
    assert result.exit_code == 130 and result.summary["steps"] == 0 and result.checks == []


def test_engine_error_becomes_code_3_with_the_time(monkeypatch):
    after(monkeypatch, 4, RuntimeError("body 'box': matrix is singular"))
    result = run(drop_scene(), record=False)
    assert result.exit_code == 3 and "stopped at 0.02 s: body 'box': matrix is singular" in result.message


def test_default_folder_has_the_first_free_number(tmp_path, monkeypatch, no_plots):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out" / "drop-1").mkdir(parents=True)
    assert run(drop_scene(), steps=1, replay=False).out == run_folder(2)
    assert run(drop_scene(), steps=1, replay=False).out == run_folder(3)


def run_folder(number):
    from pathlib import Path

    return Path("out") / f"drop-{number}"


def test_earlier_run_is_replaced_with_a_warning_but_nobody_elses_files(tmp_path, no_plots):
    folder = tmp_path / "r"
    run(drop_scene(), out=folder, steps=2)
    (folder / "notes.txt").write_text("mine")
    with pytest.warns(UserWarning, match="held an earlier run"):
        run(drop_scene(), out=folder, steps=3, replay=False)
    assert (folder / "notes.txt").read_text() == "mine"
    assert not (folder / "replay.html").exists()
    foreign = tmp_path / "f"
    foreign.mkdir()
    (foreign / "report.md").write_text("my thesis")
    with pytest.raises(OutputError, match=r"holds report\.md that no run of softcontact wrote"):
        run(drop_scene(), out=foreign, steps=1)
    assert (foreign / "report.md").read_text() == "my thesis"


def test_folder_that_cannot_be_made_is_told_before_the_run(tmp_path, monkeypatch):
    after(monkeypatch, 0, AssertionError("the run must not start"))
    (tmp_path / "file").write_text("")
    with pytest.raises(
        OutputError, match=r"cannot write to .*file.*choose a folder that can be written with --out"
    ):
        run(drop_scene(), out=tmp_path / "file" / "r")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes anywhere")
def test_read_only_folder_is_told_before_the_run(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="Permission denied"):
            run(drop_scene(), out=tmp_path / "r")
    finally:
        tmp_path.chmod(0o700)


def test_disk_that_fills_up_is_told_with_the_results_at_hand(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("softcontact.record.History.save", full)
    with pytest.raises(OutputError, match="No space left on device; choose") as caught:
        run(drop_scene(), out=tmp_path / "r", steps=5)
    assert caught.value.result.summary["steps"] == 5
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["exit_code"] == 2 and "No space left" in summary["message"]


@pytest.mark.parametrize("steps", [0, -1, 2.5])
def test_wrong_number_of_steps_is_refused(steps):
    with pytest.raises(SceneError, match="steps"):
        run(drop_scene(), steps=steps, record=False)


def test_engines_that_are_not_there_say_what_to_do(tmp_path):
    with pytest.raises(SceneError, match="no engine 'sfa'; did you mean 'sofa'"):
        run(drop_scene(), engine="sfa", record=False)


def sliding(**changes):
    """The falling box slides and spins on: no solver brings the residual of that to nothing at all."""
    data = drop(**changes)
    box = next(body for body in data["bodies"] if body["kind"] == "rigid")
    return data | {
        "bodies": [
            box | {"velocity": (0.5, 0.3, 0), "angular_velocity": (0, 0, 2)},
            *(body for body in data["bodies"] if body is not box),
        ]
    }


def test_unsolved_steps_fail_a_run_that_does_not_ask(tmp_path, capsys):
    """No check of the scene names the solver; a step that it leaves unsolved is an error all the same."""
    solver = {"tolerance": 1e-30, "accepted_residual": 1e-30}
    result = run(Scene.from_dict(sliding(solver=solver)), record=False, replay=False, steps=40)
    (solved,) = [check for check in result.summary["checks"] if check["name"] == "solved"]
    assert result.exit_code == 1 and not solved["passed"] and solved["limit"] == 1.0
    assert solved["value"] == result.summary["accepted_fraction"] < 1.0
    (tmp_path / "drop.json").write_text(json.dumps(sliding(solver=solver)))
    assert main(["run", str(tmp_path / "drop.json"), "--no-replay", "--out", str(tmp_path / "r")]) == 1
    printed = capsys.readouterr()
    assert "steps not solved, residual up to" in printed.err and " m/s" in printed.err
    assert "solved or accepted" in (tmp_path / "r" / "report.md").read_text()


def test_steps_that_miss_the_tolerance_by_nothing_are_accepted_and_told(tmp_path, capsys):
    (tmp_path / "drop.json").write_text(json.dumps(sliding(solver={"tolerance": 1e-30})))
    out = tmp_path / "r"
    assert main(["run", str(tmp_path / "drop.json"), "--no-replay", "--out", str(out)]) == 0
    summary = json.loads((out / "summary.json").read_text())
    assert summary["converged_fraction"] < 1.0 == summary["accepted_fraction"]
    assert "within solver.accepted_residual, 1e-05 m/s, and passes" in capsys.readouterr().err
    strict = Scene.from_dict(sliding(solver={"tolerance": 1e-30, "accepted_residual": 1e-30}))
    assert run(strict, record=False, replay=False).exit_code == 1


def test_a_scene_may_say_itself_how_many_steps_must_be_solved():
    checks = [{"kind": "solved", "share": 0.1, "name": "most of them"}]
    data = {"solver": {"tolerance": 1e-30, "accepted_residual": 1e-30}}
    judged = run(Scene.from_dict(sliding(checks=checks, **data)), record=False, replay=False, steps=30)
    assert [check["name"] for check in judged.summary["checks"]] == [
        "most of them",
        "overlap",
        "no_energy_gained",
    ]
    assert judged.exit_code == 0 and judged.summary["accepted_fraction"] < 1.0
    # A part of the time leaves the rest to the general rule.
    checks[0]["end"] = 0.1
    judged = run(Scene.from_dict(sliding(checks=checks, **data)), record=False, replay=False)
    names = {check["name"] for check in judged.summary["checks"]}
    assert names == {"most of them", "overlap", "no_energy_gained", "solved"}
    assert judged.exit_code == 1


def test_interrupted_while_results_are_written(tmp_path, monkeypatch):
    def stop(*_):
        assert not (tmp_path / "r" / "summary.json").exists()  # it comes last
        raise KeyboardInterrupt

    monkeypatch.setattr("softcontact.report.report.write_report", stop)
    result = run(drop_scene(), out=tmp_path / "r", steps=5)
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert result.exit_code == summary["exit_code"] == 130
    assert "interrupted while the results were written" in summary["message"] == result.message


def test_run_without_end_is_refused():
    with pytest.raises(SceneError, match=r"duration: 1e\+09 s are .* steps of 0.005 s, more than 2000000"):
        run(drop_scene(duration=1e9), record=False)


@pytest.mark.parametrize("reason, remedy", [("elements stay inverted", "stiffer"), ("not finite", "softer")])
def test_remedy_fits_why_a_run_stopped(monkeypatch, reason, remedy):
    after(monkeypatch, 4, RuntimeError(f"body 'box': {reason}"))
    message = run(drop_scene(), record=False).message
    assert "a smaller time_step, slower motion or a " + remedy in message


def test_finite_check_looks_at_patches_as_well():
    result = run(drop_scene(), record=False)
    scene = drop_scene().model_copy(update={"checks": [Finite()]})
    assert evaluate(scene, result.history)[0][0]["value"] == 0
    part = next(iter(result.history.parts.values()))
    part["slip_gauge"][-1], part["area"][-1] = np.inf, np.nan
    assert evaluate(scene, result.history)[0][0]["value"] == 2
