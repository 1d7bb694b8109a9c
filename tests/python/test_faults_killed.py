# SPDX-License-Identifier: LGPL-2.1-or-later
"""kill -9 in the middle of each command that writes: at each of its writes and removals, one after the other."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from small_vademecum import small
from writing_commands import call, rests, unreadable

from softcontact.vademecum import stock
from softcontact.whole_file import claimed, temporary_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="SIGKILL is POSIX's")


def killed_at(touch, name, more):
    """Run the command in a child that is killed as it is to touch a file for this time; whether it was."""
    child = os.fork()
    if child == 0:
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            kill_at(touch)
            os._exit(call(name, more))
        finally:
            os._exit(99)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def kill_at(touch):
    """Kill this process before its n-th file is put into place or removed; those of the trial writes do not count."""
    done = 0

    def deadly(method):
        def touched(path, *arguments, **options):
            nonlocal done
            done += ".softcontact-trial" not in path.name
            if done == touch:
                os.kill(os.getpid(), signal.SIGKILL)
            return method(path, *arguments, **options)

        return touched

    for method in ("replace", "unlink"):
        setattr(Path, method, deadly(getattr(Path, method)))


@pytest.mark.parametrize(
    ("name", "more", "every"),
    [
        ("run", ["--steps", "65"], 4),
        ("sweep", ["--steps", "2"], 2),
        ("vademecum build", [], 4),
        ("vademecum distance", [], 1),
        ("device simulate", [], 1),
        ("solve", [], 1),
        ("mesh wrap", [], 1),
        ("bench all", [], 8),
    ],
)
def test_a_command_that_is_killed_leaves_whole_files_and_works_again(name, more, every, commands_here, capfd):
    touch = 1
    while killed_at(touch, name, more):
        assert not unreadable(commands_here)
        if touch % 3 == 0:  # else the next one that is killed finds this
            assert call(name, more) == 0
            assert not rests(commands_here)
        touch += every
    assert touch > 1
    assert call(name, more) == 0
    assert not rests(commands_here) and not list(commands_here.glob("*.partial"))


def test_temporary_folders_of_killed_processes_go_and_those_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "import sys\nfrom softcontact.whole_file import temporary_folder\n"
    code += "folder, held = temporary_folder('workers')\n"
    code += "(folder / '1').write_bytes(b'shared')\nprint(folder, flush=True)\nsys.stdin.read()\n"
    words, environment = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        theirs = Path(other.stdout.readline().strip())
        (tmp_path / "softcontact-recording-x").mkdir()
        ours, held = temporary_folder("workers")
        assert (theirs / "1").exists() and ours != theirs
        os.close(held)
        other.kill()
    again, held = temporary_folder("workers")
    assert sorted(tmp_path.iterdir()) == sorted([again, tmp_path / "softcontact-recording-x"])
    os.close(held)


def test_two_processes_build_one_vademecum_of_the_package_once(tmp_path, monkeypatch):
    """The second waits, and takes what the first has built, also where that one is killed and its turn comes."""
    monkeypatch.setenv("SOFTCONTACT_CACHE", str(tmp_path))
    monkeypatch.setattr(stock, "_LOOK_S", 0.01)
    monkeypatch.setattr(stock, "build", lambda *_, out, **__: small().save(out) or small())
    file = stock.beam_file(quick=True)
    built = file.read_bytes()
    file.unlink()
    said = []

    def tell(text):
        said.append(text)
        if text.startswith("waiting"):
            file.write_bytes(built)
            other.close()

    with ExitStack() as other:
        other.enter_context(claimed(file))
        assert stock.beam_file(quick=True, tell=tell) == file
    assert said == [f"waiting for another process that builds {file}"]
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_cache_that_takes_nothing_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SOFTCONTACT_CACHE", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"cannot write to .*beam-quick.*; SOFTCONTACT_CACHE names the folder"):
        stock.beam_file(quick=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_no_benchmark_goes_on_where_that_of_all_is_killed(tmp_path):
    words = [sys.executable, "-m", "softcontact", "bench", "all", "--quick", "--out", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as everything:
        children = Path(f"/proc/{everything.pid}/task/{everything.pid}/children")
        deadline = time.monotonic() + 60.0
        while not (tmp_path / "table1.log").exists() or not (begun := children.read_text().split()):
            assert everything.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        everything.kill()
    deadline = time.monotonic() + 10.0
    while any(Path(f"/proc/{child}").exists() for child in begun):
        assert time.monotonic() < deadline
        time.sleep(0.02)
