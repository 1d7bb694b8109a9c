# SPDX-License-Identifier: LGPL-2.1-or-later
"""A disk that is full in the middle of each command that writes: at each of its writes, one after the other."""

import errno
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from writing_commands import COMMANDS, call, listed, problems, rests, unreadable

import softcontact
from softcontact.tracking.files import read_track

SHORT = 300  # bytes, less than any result has


@contextmanager
def short_files(size):
    """No file gets longer than this many bytes; the system says so, as it does of a full disk."""
    resource = pytest.importorskip("resource", reason="the limit of a file's size is POSIX's")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def told_once(printed, reason, place):
    """One line that tells place, reason and remedy."""
    lines = problems(printed.err)
    assert len(lines) == 1, printed.err
    assert (
        reason in lines[0] and place in lines[0] and "; choose a" in lines[0] and "or free space" in lines[0]
    )
    return lines[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_does_not_fit_leaves_the_earlier_one(name, commands_here, capsys):
    place = Path(COMMANDS[name][1])
    if place.suffix and not place.exists():
        place.write_bytes(b"earlier")
    before = place.read_bytes() if place.suffix else None
    here = commands_here
    names = listed(here)
    with short_files(SHORT):
        assert call(name) == 2
    told_once(capsys.readouterr(), "File too large", str(place))
    assert before is None or place.read_bytes() == before
    assert not rests(here)
    if place.suffix:
        assert [name for name in listed(here) if ".partial" not in name] == names


@contextmanager
def full_at(write, monkeypatch, number=errno.ENOSPC):
    """The disk is full at this write, the first being 1; yields a list of all that were tried."""
    replace, tried = Path.replace, []

    def refuse(part, place):
        tried.append(place)
        if len(tried) == write:
            raise OSError(number, os.strerror(number), str(part))
        return replace(part, place)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        yield tried


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("run", ["--steps", "65"]),
        ("sweep", ["--steps", "2"]),
        ("vademecum build", []),
        ("bench all", []),
    ],
)
def test_wherever_the_disk_is_full_what_is_there_is_whole_and_the_command_goes_on_later(
    name, more, commands_here, capsys, monkeypatch
):
    write, last = 1, False
    while not last:
        with full_at(write, monkeypatch) as tried:
            code = call(name, more)
            last = len(tried) < write
        printed = capsys.readouterr()
        if not last:
            assert code == 2
            told_once(printed, "No space left", COMMANDS[name][1])
        assert not rests(commands_here) and not unreadable(commands_here)
        write += 1
    assert code == 0 and write > 5
    assert not list(commands_here.glob("*.partial"))


@pytest.mark.parametrize("name", ["track record csv", "track record h5", "track record jsonl"])
def test_a_recording_that_finds_no_place_is_kept_elsewhere(name, commands_here, capsys, monkeypatch):
    with full_at(1, monkeypatch):
        assert call(name) == 2
    line = told_once(capsys.readouterr(), "No space left", COMMANDS[name][1])
    kept = Path(line.rpartition("the recording is in '")[2].removesuffix("'"))
    assert read_track(kept).duration > 0.1 and kept.parent.parent == commands_here


@pytest.mark.parametrize("name", [name for name, (_, place) in COMMANDS.items() if place != "small.h5"])
def test_a_folder_that_takes_no_files_is_told_and_left_as_it_is(name, commands_here, read_only, capsys):
    place = read_only / COMMANDS[name][1]
    assert call(name, place=place) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert str(place) in printed.err and "; choose a " in printed.err and "free space" not in printed.err
    assert "Read-only file system" in printed.err or "Permission denied" in printed.err
    assert not list(read_only.iterdir())


@pytest.mark.parametrize("name", ["run", "vademecum certify", "device simulate", "mesh wrap"])
def test_a_disk_that_turns_read_only_meanwhile_is_told(name, commands_here, capsys, monkeypatch):
    """As Linux makes of one with errors."""
    with full_at(1, monkeypatch, errno.EROFS):
        assert call(name) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{COMMANDS[name][1]}': Read-only file system; choose a" in line and "free space" not in line
    assert not rests(commands_here)


def test_files_are_written_by_what_writes_them_whole():
    """A file that is opened at its place is cut short by a full disk and by kill -9."""
    package = Path(softcontact.__file__).parent
    besides = {  # which are not results
        "whole_file.py",
        "outputs.py",  # its trial
        "isolated.py",
        "parallel.py",
        "bench/sofa.py",  # a temporary file
        "bench/page/gathering.py",  # a log
    }
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in package.rglob("*.py")
        if str(path.relative_to(package)) not in besides
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\.write_(text|bytes)\(|savefig\(|open\([^)]*[\"'][rb]*[wax]", line)
    ]
    assert not found, "\n".join(found)


def test_a_standard_output_that_takes_nothing_is_told(commands_here):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    words = [sys.executable, "-m", "softcontact", "device", "simulate", "--duration", "0.1", "--out", "a.h5"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*words, "--json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    told = "cannot write to 'standard output': No space left on device; choose a place"
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and told in done.stderr
    assert Path("a.h5").exists() and not rests(".")
