# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweeps that are killed or interrupted go on where they were, on processes and on a Dask cluster."""

import json
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


@pytest.fixture
def begin(tmp_path):
    """The command line's sweep, begun as a process, which cannot end; its folder; what its runs write as they begin."""
    processes = []

    def begin(*words):
        process, *places = begun(tmp_path, *words)
        processes.append(process)
        return process, *places

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def begun(tmp_path, *words):
    out, log = tmp_path / "s", tmp_path / "log"
    varied = [
        word for name, values in GIVEN.items() for word in ("--param", f"{name}={','.join(map(str, values))}")
    ]
    command = [sys.executable, "-m", "softcontact", "sweep", SCENE, *varied, "--set", f"log={tmp_path}"]
    command += ["--set", "wait=0.1", "--set", "held=4", "--out", out, "--resume", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, out, log


def wait_for_runs(process, out, count):
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and process.poll() is None:
        if len(list((out / "runs").glob("0*.json"))) >= count:
            return
        time.sleep(0.01)
    process.kill()
    raise AssertionError(process.communicate())


def begun_runs(log):
    """(mass, number) of every run that was begun, in the order of their begin."""
    return [tuple(map(float, line.split())) for line in log.read_text().split("\n")[:-1]]


def kept_runs(out):
    """(mass, number) of the runs that the folder keeps."""
    records = [json.loads(path.read_text()) for path in (out / "runs").glob("0*.json")]
    return {(record["parameters"]["mass"], record["parameters"]["number"]) for record in records}


def at_stop(out, log):
    """What check_whole needs to know of a stop: the runs kept so far, and how many were begun."""
    return kept_runs(out), len(begun_runs(log))


def check_whole(result, log, stops):
    """Every run is there once, and none that was kept before a stop was begun again after it."""
    assert [(row["run"], row["mass"], row["number"]) for row in result.rows] == [
        (4 * i + j, m, n) for i, m in enumerate(GIVEN["mass"]) for j, n in enumerate(GIVEN["number"])
    ]
    for kept, begun_before in stops:
        assert 0 < len(kept) < 8 and not kept.intersection(begun_runs(log)[begun_before:])
    assert not list((result.out / "runs").glob(".softcontact-*"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_sweep_goes_on_after_kill_9_and_ctrl_c(tmp_path, begin):
    process, out, log = begin("--workers", "2")
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
    first = at_stop(out, log)

    process, out, log = begin("--workers", "2")
    wait_for_runs(process, out, min(len(first[0]) + 1, 6))
    process.send_signal(signal.SIGINT)
    said, error = process.communicate(timeout=120)
    assert (
        process.returncode == 130 and "the same command with --resume --out" in error and "runs done" in said
    )
    second = at_stop(out, log)
    assert len((out / "table.csv").read_text().splitlines()) == 1 + len(second[0])

    (tmp_path / "go").touch()
    options = {"log": str(tmp_path), "wait": 0.1, "held": 4}
    result = sweep(SCENE, GIVEN, options=options, out=out, resume=True, workers=2)
    assert result.passed
    check_whole(result, log, [first, second])
    assert len(begun_runs(log)) <= 8 + 2 + 2  # those that a worker was at when it was stopped


def test_a_cluster_gives_the_same_table_also_after_kill_9(tmp_path, begin):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
    ) as cluster:
        address = cluster.scheduler_address
        process, out, log = begin("--scheduler", address)
        wait_for_runs(process, out, 2)
        process.kill()
        process.wait()
        stop = at_stop(out, log)
        (tmp_path / "go").touch()
        options = {"log": str(tmp_path), "wait": 0.1, "held": 4}
        result = sweep(SCENE, GIVEN, options=options, out=out, resume=True, scheduler=address)
        limited = sweep(
            SCENE, {"fault": ["hang", "crash"]}, out=tmp_path / "t", scheduler=address, time_limit=1.5
        )
    assert result.passed and limited.columns["status"] == ["time limit", "crashed"]
    check_whole(result, log, [stop])
    here = sweep(SCENE, GIVEN, options=options, out=tmp_path / "here", workers=2)
    assert told(here.rows) == told(result.rows)
