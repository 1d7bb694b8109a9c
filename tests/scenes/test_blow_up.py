# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene that cannot go on ends with exit code 3, with body and time, and keeps what it has."""

import json
import re
import subprocess
import sys
from pathlib import Path

import h5py
import pytest


def tetrahedral(young: float, **changes) -> dict:
    """A soft cube of 4 cm."""
    return {
        "name": "cube",
        "kind": "tetrahedral",
        "shape": {"kind": "tetrahedral-box", "size": [0.04, 0.04, 0.04], "divisions": [3, 3, 3]},
        "material": {"young": young, "poisson": 0.3, "density": 1000},
    } | changes


def on_table(body: dict, time_step: float, duration: float = 2.0) -> dict:
    """A body over a table, as plain data."""
    return {
        "name": "thrown",
        "duration": duration,
        "time_step": time_step,
        "bodies": [
            {
                "name": "table",
                "kind": "kinematic",
                "shape": {"kind": "box", "size": [1, 1, 0.02]},
                "position": [0, 0, -0.01],
            },
            body,
        ],
    }


def run(scene: str, out: Path, *extra: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "softcontact", "run", scene, "--out", str(out), "--json", *extra]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def check_stopped(done: subprocess.CompletedProcess, out: Path, body: str) -> dict:
    """Exit code, message and files of a stopped run; returns the summary."""
    assert done.returncode == 3, done.stderr
    line = done.stderr.strip().splitlines()[-1]
    assert re.search(rf"stopped at [0-9.]+ s: body '{body}': .+", line), line
    summary = json.loads(done.stdout)
    assert summary == json.loads((out / "summary.json").read_text())
    assert summary["exit_code"] == 3
    assert summary["simulated_time_s"] > 0.0
    with h5py.File(out / "history.h5") as history:
        assert len(history["time"]) == summary["steps"] > 0
    assert (out / "scene.json").is_file()
    assert (out / "report.md").is_file()
    return summary


@pytest.mark.parametrize("speed", [0.0, -2.0])
def test_stiff_cube_at_a_huge_step_lands(tmp_path, speed):
    scene = on_table(tetrahedral(1e12, position=[0, 0, 0.06], velocity=[0.3, 0, speed]), 0.1)
    path = tmp_path / "thrown.json"
    path.write_text(json.dumps(scene))
    done = run(str(path), tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["penetration_max_m"] < 4e-4


def test_hand_with_tissue_of_steel_at_a_huge_step_goes_on(tmp_path):
    done = run("hand", tmp_path, "--set", "young=1e12", "--set", "time_step=0.1", "--no-replay")
    assert done.returncode == 0, done.stderr


def test_cube_crushed_by_its_weight_stops(tmp_path):
    # 60 Pa: flattened by 400 Pa of its own weight, elements turn inside out and stay so.
    path = tmp_path / "crushed.json"
    path.write_text(json.dumps(on_table(tetrahedral(60.0, position=[0, 0, 0.0205]), 0.005)))
    done = run(str(path), tmp_path / "out")
    assert (tmp_path / "out" / "replay.html").stat().st_size > 1000
    summary = check_stopped(done, tmp_path / "out", "cube")
    assert summary["simulated_time_s"] > 0.05


@pytest.mark.parametrize(("young", "step"), [(1e12, 0.005), (1e5, 0.02), (1e4, 0.001)])
def test_a_healthy_drop_is_not_stopped(tmp_path, young, step):
    path = tmp_path / "drop.json"
    path.write_text(json.dumps(on_table(tetrahedral(young, position=[0, 0, 0.05]), step, 0.3)))
    done = run(str(path), tmp_path / "out", "--no-replay")
    assert done.returncode == 0, done.stderr
