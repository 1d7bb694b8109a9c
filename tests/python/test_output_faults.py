# SPDX-License-Identifier: LGPL-2.1-or-later
"""Places that cannot be written, readers that leave, and processes that are killed."""

import json
import os
import signal
import subprocess
import sys
import time

import h5py
import pytest
from scene_samples import drop

from softcontact.cli.app import PIPE_CLOSED, main

WRITERS = {  # command, and the file that it writes; "" is a folder
    "run": (["run", "drop.json", "--no-replay", "--out"], ""),
    "bench": (["bench", "rate", "--quick", "--out"], ""),
    "bench of a file": (["bench", "rate", "--quick", "--json"], "a.json"),
    "bench all": (["bench", "all", "--quick", "--out"], ""),
    "sweep": (["sweep", "drop.json", "--param", "time_step=0.004,0.005", "--out"], ""),
    "device": (["device", "simulate", "--duration", "0.1", "--out"], "a.h5"),
    "soak": (["device", "soak", "--minutes", "1", "--out"], "a.json"),
    "vademecum": (["vademecum", "build", "beam", "--workers", "1", "--out"], "a.h5"),
    "track": (["track", "record", "--duration", "1"], "a.csv"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.json").write_text(json.dumps(drop()))
    return tmp_path


def refused_at_once(words, capsys):
    begun = time.process_time()
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1 and "choose a " in printed.err and "written" in printed.err
    assert time.process_time() - begun < 3.0
    return printed.err


@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_folder_is_told_before_anything_is_computed(name, here, read_only, capsys):
    words, file = WRITERS[name]
    told = refused_at_once([*words, str(read_only / file)], capsys)
    assert "Read-only file system" in told or "Permission denied" in told
    assert not list(read_only.iterdir())


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_is_a_file_is_told_before_anything_is_computed(name, here, capsys):
    words, file = WRITERS[name]
    refused_at_once([*words, f"drop.json/{file or 'x'}"], capsys)
    assert [path.name for path in here.iterdir()] == ["drop.json"]


@pytest.mark.parametrize("name", [name for name, (_, file) in WRITERS.items() if file])
def test_a_file_that_is_a_folder_is_told_before_anything_is_computed(name, here, capsys):
    words, file = WRITERS[name]
    (here / file).mkdir()
    assert "it is a folder and no regular file" in refused_at_once([*words, file], capsys)


def softcontact(*words, **options):
    return subprocess.Popen([sys.executable, "-m", "softcontact", *map(str, words)], text=True, **options)


@pytest.mark.parametrize(
    "words",
    [["run", "drop.json", "--no-replay", "--json"], ["device", "simulate", "--duration", "0.1", "--json"]],
)
def test_a_reader_that_left_is_no_error_of_the_program(words, here):
    """As `softcontact … | head -0`: no traceback, the shell's code for it, and the files are written."""
    file = here / "out" if words[0] == "run" else here / "out.h5"
    reading, writing = os.pipe()
    os.close(reading)
    with softcontact(*words, "--out", file, stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        said = process.stderr.read()
    assert process.returncode == PIPE_CLOSED and said == ""
    written = file / "history.h5" if words[0] == "run" else file
    with h5py.File(written, "r") as kept:
        assert len(kept)


def test_a_run_that_is_killed_leaves_files_that_can_be_read(here, capsys):
    pytest.importorskip("fcntl", reason="SIGKILL is POSIX's")
    (here / "long.json").write_text(json.dumps(drop(duration=1000.0)))
    folder = here / "out"
    words = ["run", "long.json", "--no-replay", "--out", folder, "--dump-problems", "20"]
    with softcontact(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 120.0
        while len(list(folder.glob("problems/step-*.hdf5"))) < 2:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert json.loads((folder / "scene.json").read_text())["duration"] == 1000.0
    assert main(["solve", str(sorted(folder.glob("problems/step-*.hdf5"))[0]), "--json"]) == 0
    assert main(["run", "drop.json", "--no-replay", "--out", str(folder)]) == 0
    assert "held an earlier run" in capsys.readouterr().err
    assert json.loads((folder / "summary.json").read_text())["steps"] == 80
    assert not list(folder.rglob("step-*.hdf5"))
