# SPDX-License-Identifier: LGPL-2.1-or-later
"""A wall clock that is set to and fro, by whoever sets clocks, while sessions, streams and runs go on."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from writing_commands import PORT, sending

from softcontact.tracking.files import read_track

CORE = Path(__file__).parents[2] / "plugin" / "core"
AT_MOST = 300.0  # s, also on a busy machine; an hour is what a wait by the wall clock would take


@pytest.fixture(scope="module")
def jumping(tmp_path_factory):
    """Environment in which the wall clock jumps by an hour, four times a second."""
    compiler = shutil.which("cc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("clock") / "jumping_clock.so"
    source = Path(__file__).parent / "jumping_clock" / "jumping_clock.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", str(source), "-o", str(library)], check=True)
    return {**os.environ, "LD_PRELOAD": str(library)}


def begin(words, jumping, **streams):
    words = [sys.executable, "-m", "softcontact", *words]
    return subprocess.Popen(words, env=jumping, text=True, stdout=subprocess.PIPE, **streams)


def test_the_clock_jumps(jumping):
    code = "import time\nsaid = [time.time() for _ in range(80) if time.sleep(0.02) is None]\n"
    code += "print(max(said) - min(said))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=jumping, capture_output=True, text=True, check=True
    )
    assert 7000.0 < float(done.stdout) < 7300.0


def test_sessions_and_streams_keep_their_time(jumping, commands_here):
    lasting = time.monotonic()
    session = begin(
        ["device", "simulate", "--wall-clock", "--duration", "1", "--out", "a.h5", "--json"], jumping
    )
    soak = begin(["device", "soak", "--minutes", "0.02", "--json"], jumping)
    record = begin(["track", "record", "a.csv", "--listen", PORT, "--duration", "1"], jumping)
    with sending():
        told = [json.loads(process.communicate(timeout=AT_MOST)[0]) for process in (session, soak)]
        record.communicate(timeout=AT_MOST)
    assert time.monotonic() - lasting < AT_MOST
    assert session.returncode == record.returncode == 0 and soak.returncode in (0, 1)
    # A busy machine is late by seconds, a wall clock by an hour.
    assert told[0]["ticks"] > 100 and min(told[0]["interval_ms"].values()) >= 0.0
    assert max(told[0]["interval_ms"]["max"], told[0]["lateness_ms"]["max"]) < 1e3 * AT_MOST
    with h5py.File("a.h5") as file:
        assert (np.diff(file["time"][()]) > 0).all()
    assert 1.0 < told[1]["seconds"] < AT_MOST
    assert 0.1 < read_track("a.csv").duration < 1.2  # a busy machine sends less


def test_a_run_tells_times_that_are_none_below_zero(jumping, commands_here):
    pty = pytest.importorskip("pty", reason="a terminal of POSIX")
    terminal, end = pty.openpty()
    run = begin(["run", "drop.json", "--no-replay", "--out", "out"], jumping, stderr=end)
    run.communicate(timeout=AT_MOST)
    summary = json.loads(Path("out/summary.json").read_text())
    assert 0.0 < summary["wall_time_s"] < AT_MOST and summary["real_time_factor"] > 0.0
    assert all(value >= 0.0 for value in summary["step_ms"].values())
    os.close(end)
    said = os.read(terminal, 1 << 20).decode()
    os.close(terminal)
    assert "x real time" in said and not re.search(r"-\d+:\d\d|-\d+\.\d+ (s|x)", said)


def test_the_core_asks_no_wall_clock():
    found = [
        f"{path}:{number}"
        for path in CORE.rglob("*")
        if path.suffix in (".hpp", ".cpp")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"system_clock|CLOCK_REALTIME|gettimeofday|high_resolution_clock", line)
    ]
    assert CORE.is_dir() and not found
