# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweeps that are killed or interrupted go on where they were, on processes and on a Dask cluster."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_sweeps import SCENE, told

from softcontact.sweeps import sweep

GIVEN = {"mass": [0.5, 1.0], "number": [1, 2, 3, 4]}


def begun(tmp_path, *words):
    """The command line's sweep, begun as a process; its folder."""
    out, log = tmp_path / "s", tmp_path / "log"
    varied = [
        word for name, values in GIVEN.items() for word in ("--param", f"{name}={','.join(map(str, values))}")
    ]
    command = [sys.executable, "-m", "softcontact", "sweep", SCENE, *varied, "--set", f"log={tmp_path}"]
    command += ["--set", "wait=0.1", "--out", out, "--resume", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, out, log


def wait_for_runs(process, out, count):
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and process.poll() is None:
        if len(list((out / "runs").glob("0*.json"))) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def check_whole(tmp_path, result, log, interruptions):
    """Every run is there once, and was begun again only where a stop cut it short."""
    assert [(row["run"], row["mass"], row["number"]) for row in result.rows] == [
        (4 * i + j, m, n) for i, m in enumerate(GIVEN["mass"]) for j, n in enumerate(GIVEN["number"])
    ]
    lines = log.read_text().split("\n")[:-1]
    assert len(set(lines)) == 8 and 8 <= len(lines) <= 8 + 2 * interruptions
    assert not list((tmp_path / "s" / "runs").glob(".softcontact-*"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_sweep_goes_on_after_kill_9_and_ctrl_c(tmp_path):
    process, out, log = begun(tmp_path, "--workers", "2")
    wait_for_runs(process, out, 1)
    time.sleep(random.uniform(0.0, 0.2))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert len(children) == 2 and not (out / "table.csv").exists()
    deadline = time.monotonic() + 10.0
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    done = len(list((out / "runs").glob("0*.json")))

    process, out, log = begun(tmp_path, "--workers", "1")
    wait_for_runs(process, out, done + 1)
    process.send_signal(signal.SIGINT)
    said, error = process.communicate(timeout=30)
    assert process.returncode == 130 and "go on by --resume" in error and "runs done" in said
    done = len(list((out / "runs").glob("0*.json")))
    assert done < 8 and len((out / "table.csv").read_text().splitlines()) == 1 + done

    options = {"log": str(tmp_path), "wait": 0.1}
    result = sweep(SCENE, GIVEN, options=options, out=out, resume=True, workers=2)
    assert result.passed
    check_whole(tmp_path, result, log, 2)


def test_a_cluster_gives_the_same_table_also_after_kill_9(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        process, out, log = begun(tmp_path, "--scheduler", address)
        wait_for_runs(process, out, 2)
        process.kill()
        process.wait()
        options = {"log": str(tmp_path), "wait": 0.1}
        result = sweep(SCENE, GIVEN, options=options, out=out, resume=True, scheduler=address)
        limited = sweep(
            SCENE, {"fault": ["hang", "crash"]}, out=tmp_path / "t", scheduler=address, time_limit=0.5
        )
    assert result.passed and limited.columns["status"] == ["time limit", "crashed"]
    check_whole(tmp_path, result, log, 1)
    here = sweep(SCENE, GIVEN, options=options, out=tmp_path / "here", workers=2)
    assert told(here.rows) == told(result.rows)
