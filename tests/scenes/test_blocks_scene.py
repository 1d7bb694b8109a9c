# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene blocks through the front door: results, checks, exit codes, drives, refusals. No time is asserted."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from softcontact import run
from softcontact.cli.app import main
from softcontact.flexibility.trace import read_trace, write_trace
from softcontact.scene import ForceJump, FrictionCone, Scene, SceneError, Solved, SolveTime, load

DATA = Path(__file__).parents[1] / "verification" / "data" / "hapco_blocks.json"


def bare(**options):
    return run(load("blocks", options), record=False, replay=False, progress=False)


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The command as it is typed: exit code and the folder that it wrote."""
    out = tmp_path_factory.mktemp("run") / "blocks"
    return main(["run", "blocks", "--set", "benchmark=left", "--out", str(out)]), out


def test_run_writes_its_folder_and_passes(script):
    code, out = script
    assert code == 0
    summary = json.loads((out / "summary.json").read_text())
    assert summary["steps"] == 25 and summary["converged_fraction"] == 1.0
    assert summary["options"]["benchmark"] == "left"
    assert len(summary["checks"]) == 5 and all(check["passed"] for check in summary["checks"])
    assert {"replay.html", "history.h5", "report.md", "scene.json"} <= {path.name for path in out.iterdir()}
    assert "haptics" not in summary  # the paper's steps have no rate


def test_scene_file_of_a_run_gives_the_same_bits(script):
    _, out = script
    again = run(out / "scene.json", record=False, replay=False, progress=False)
    assert again.summary["state_hash"] == json.loads((out / "summary.json").read_text())["state_hash"]


@pytest.mark.parametrize("benchmark", ["both", "left"])
def test_history_holds_the_reference_s_forces(benchmark):
    wanted = np.array(json.loads(DATA.read_text())[benchmark]["resultants_n"]["0.3"])
    result = bare(benchmark=benchmark)
    assert np.abs(result.contact_force("green") - wanted).max() <= 1e-6 * np.abs(wanted).max()
    np.testing.assert_array_equal(result.contact_force("red"), -result.contact_force("green"))
    # Pressed, the force hangs together: shares of the patch sum to it.
    step = run(load("blocks", {"benchmark": benchmark}), steps=5, record=False, replay=False, progress=False)
    (patch,) = step.summary["patches"]
    assert patch["body"] == "green" and patch["other"] == "red"
    np.testing.assert_allclose(patch["force_n"], wanted[4], atol=1e-6 * np.abs(wanted).max())
    assert patch["pressure_mean_pa"] == pytest.approx(wanted[4][2] / patch["area_m2"], rel=1e-6)


def test_unit_of_the_moduli_scales_the_forces():
    both = [bare(modulus_unit=unit).contact_force("green") for unit in ("N/cm2", "Pa")]
    np.testing.assert_allclose(both[0], 1e4 * both[1], atol=1e-3 * np.abs(both[0]).max())


def test_device_is_the_same_every_time_and_tells_its_figures():
    first, second = (bare(drive="device", phase_time=0.06) for _ in range(2))
    assert first.exit_code == 0 and first.summary["state_hash"] == second.summary["state_hash"]
    figures = first.summary["haptics"]
    assert figures["ticks"] == 400 and figures["rate_hz"] == 1000.0
    assert figures["unsolved_ticks"] == 0 and figures["felt_max_n"] > 0.5
    named = {check["name"] for check in first.summary["checks"]}
    assert "force continuous through stick and slip" in named


def test_trace_of_a_run_drives_another(tmp_path):
    out = tmp_path / "recorded"
    device = run(
        load("blocks", {"drive": "device", "phase_time": "0.06"}), out=out, replay=False, progress=False
    )
    again = bare(drive="trace", trace=str(out / "history.h5"))
    assert again.exit_code == 0
    forces = [result.contact_force("green") for result in (device, again)]
    assert len(forces[0]) == len(forces[1])
    assert np.abs(forces[0] - forces[1]).max() < 1e-3 * np.abs(forces[0]).max()


def test_trace_keeps_every_digit(tmp_path):
    times, moves = np.array([0.0, 0.1, 0.3]), np.array([[0, 0, 0], [1e-3 / 3, 0, -1e-3], [0, 1e-9, -0.1 / 7]])
    write_trace(tmp_path / "t.csv", times, moves)
    back = read_trace(tmp_path / "t.csv")
    np.testing.assert_array_equal(back[0], times)
    np.testing.assert_array_equal(back[1], moves)


def test_corotational_blocks_run_too():
    linear, turned = (
        run(
            load("blocks", {"displacement": kind, "benchmark": "left"}),
            steps=2,
            record=False,
            replay=False,
            progress=False,
        )
        for kind in ("linear", "corotational")
    )
    assert turned.summary["converged_fraction"] == 1.0
    ratio = turned.contact_force("green")[-1, 2] / linear.contact_force("green")[-1, 2]
    assert 0.9 < ratio < 0.98  # bent down, the beam is softer


def test_unsolved_steps_fail_the_run():
    scene = load("blocks", {"drive": "device", "phase_time": "0.06"})
    settings = scene.flexibility.model_copy(
        update={"budget": 1e-9}
    )  # one sweep a tick, whatever the clock says
    result = run(
        scene.model_copy(update={"flexibility": settings}), record=False, replay=False, progress=False
    )
    assert result.exit_code == 1 and result.summary["converged_fraction"] < 0.9
    assert result.summary["haptics"]["unsolved_ticks"] > 40
    assert [
        check["passed"] for check in result.summary["checks"] if check["name"] == "every step solved"
    ] == [False]


def test_checks_can_fail():
    """Each of the scene's own checks, with a limit that the same run does not keep."""
    scene = load("blocks", {"drive": "device", "phase_time": "0.06"})
    strict = [
        ForceJump(name="jump", body="green", limit=1e-3),
        FrictionCone(name="cone", body="green", friction=0.15),
        SolveTime(name="time", limit=1e-9),
        Solved(name="solved"),
    ]
    result = run(
        scene.model_copy(update={"checks": tuple(strict)}), record=False, replay=False, progress=False
    )
    assert result.exit_code == 1
    assert [check["passed"] for check in result.summary["checks"]] == [False, False, False, True, True]
    force = result.contact_force("green")
    jump = np.linalg.norm(np.diff(force, axis=0), axis=1).max() / np.linalg.norm(force, axis=1).mean()
    assert result.summary["checks"][0]["value"] == pytest.approx(jump)


def test_wall_clock_ticks_all_come():
    result = bare(drive="device", phase_time=0.06, clock="wall")
    figures = result.summary["haptics"]
    assert figures["ticks"] == 400 and figures["clock"] == "wall"
    assert len(result.history.time) == 400
    assert {"p50", "p99", "p99_9", "max"} <= set(figures["lateness_ms"])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (["benchmark=right"], "benchmark"),
        (["drive=trace"], "trace"),
        (["drive=trace", "trace=/nowhere.csv"], "nowhere.csv"),
        (["clock=wall"], "clock"),
        (["friction=-1"], "friction"),
        (["method=magic"], "magic"),
        (["drive=device", "method=nncg"], "nncg"),
        (["poisson=0.5"], "poisson"),
        (["drive=device", "budget=1e-12"], "budget"),
        (["force_scale=1e9"], "force_scale"),
        (["uzawa_error=1"], "uzawa_error"),
    ],
)
def test_wrong_options_are_one_line(settings, told, capsys):
    arguments = ["run", "blocks", "--no-replay"]
    for setting in settings:
        arguments += ["--set", setting]
    assert main(arguments) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1 and told in errors[0]


def test_blocks_that_do_not_fit_are_refused():
    scene = load("blocks").to_dict()

    def told(**changes):
        data = scene | changes
        with pytest.raises(SceneError) as error:
            run(Scene.from_dict(data), record=False, replay=False, progress=False)
        return str(error.value)

    red, green = scene["bodies"]
    assert "lie on" in told(bodies=[red, green | {"position": [0.0412, 0.0, 0.02]}])
    assert "two" in told(bodies=[red, green, green | {"name": "third"}])
    assert "driven" in told(bodies=[red | {"driven": "top"}, green])
    ball = {"kind": "rigid", "name": "ball", "shape": {"kind": "sphere", "radius": 0.01}}
    assert "ball" in told(bodies=[red, green, ball])
    with pytest.raises(SceneError, match="held"):
        Scene.from_dict(scene | {"bodies": [red | {"clamped": []}, green]})


def test_trace_with_a_hole_is_refused(tmp_path):
    path = tmp_path / "trace.csv"
    for text, told in (
        ("time,x,y\n0,0,0\n", "column z"),
        ("time,x,y,z\n0,0,0,0\n0,0,0,-1e-3\n", "rise"),
        ("time,x,y,z\n0,0,0,0\n0.1,0,nan,0\n", "finite"),
        ("time,x,y,z\n0,0,0,0\n", "at least two"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=told):
            read_trace(path)


def test_part_of_a_run_is_judged_by_its_solver_too():
    result = run(load("blocks"), record=False, replay=False, steps=2, progress=False)
    assert "every step solved" in [check["name"] for check in result.checks]


def test_jab_is_judged_by_what_it_promises():
    """Pressed in and let go, every tick solved; no limit on jumps, which follow from its speed."""
    result = bare(drive="jab")
    assert result.exit_code == 0
    named = {check["name"]: check["value"] for check in result.summary["checks"]}
    assert named["jab pressed in"] > 100.0 and named["jab let go"] < 1e-6
    assert not any(isinstance(check, ForceJump) for check in result.scene.checks)
    assert result.summary["haptics"]["force_jump"] > 0.05
    timed = load("blocks", {"drive": "jab", "budget": "5e-4"}).checks
    assert [check.limit for check in timed if isinstance(check, SolveTime)] == [1e-3]


def test_residual_is_told_with_the_unit_of_its_tolerance(tmp_path):
    """Natural map without a unit for the paper's steps, a length where a length ends the sweeps."""
    run(load("blocks", {}), steps=3, out=tmp_path / "script", replay=False, progress=False)
    error = run(load("blocks", {"uzawa_error": "1e-6"}), steps=3, record=False, replay=False, progress=False)
    run(load("blocks", {"drive": "jab"}), steps=15, out=tmp_path / "jab", replay=False, progress=False)
    units = {}
    for name in ("script", "jab"):
        with h5py.File(tmp_path / name / "history.h5") as file:
            units[name] = file["steps/residual"].attrs["unit"]
            values = file["steps/residual"][:]
        assert units[name] == json.loads((tmp_path / name / "summary.json").read_text())["residual_unit"]
    assert units == {"script": "1", "jab": "m"} and error.summary["residual_unit"] == "m"
    assert 1e-9 < error.summary["residual_max"] <= 1e-6
    assert 0.0 < values.max() <= 1e-9  # of the ticks: flexibility.tick_tolerance


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("0,0,0,0\n0.01,1e300,0,-1e300", "sample 1 goes 1e+300 m along x, more than 0.05 m"),
        ("0,0,0,0\n0.02,0,0,-0.06", "sample 1 goes -0.06 m along z"),
        ("0,0,0,0\n1e12,0,0,-0.001", "takes 1e+12 s, more than 600 s"),
        ("0,0,0,0\n1e-9,0,0,-0.001", "less than a tick"),
        ("-1e308,0,0,0\n1e308,0,0,-0.001", "more than 600 s"),
    ],
)
def test_traces_out_of_range_are_one_line(tmp_path, capsys, rows, told):
    path = tmp_path / "t.csv"
    path.write_text("time,x,y,z\n" + rows + "\n")
    assert main(["run", "blocks", "--set", "drive=trace", "--set", f"trace={path}", "--no-replay"]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1 and told in errors[0] and "scene file" not in errors[0]


def test_trace_with_too_many_samples_or_a_column_twice_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("time,time,x,y,z\n0,5,0,0,0\n0.01,6,0,0,-0.001\n")
    with pytest.raises(ValueError, match="names a column twice"):
        read_trace(path)
    monkeypatch.setattr("softcontact.flexibility.trace.MOST_SAMPLES", 2)
    path.write_text("\ufefftime,x,y,z\n" + "".join(f"{0.01 * k},0,0,0\n" for k in range(3)), encoding="utf-8")
    with pytest.raises(ValueError, match="more than 2 samples"):
        read_trace(path)


def test_moduli_beyond_any_material_are_refused(capsys):
    assert main(["run", "blocks", "--set", "young_red=1e30", "--no-replay"]) == 2
    assert "bodies.red.young: 1e+34 Pa; give 1 to 1e+13 Pa" in capsys.readouterr().err
