# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files on disks that are full, and in the place of other people's files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scene_samples import drop

from softcontact import outputs
from softcontact.solver import ContactProblem, read_fclib, write_fclib
from softcontact.whole_file import write_whole

SIZE = 64  # KiB


@pytest.fixture
def disk(tmp_path):
    """An empty disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("a small disk needs the right to mount one")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def softcontact(*words, **options):
    """The command in a process of its own: what HDF5 leaves behind shows at the exit."""
    return subprocess.run(
        [sys.executable, "-m", "softcontact", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def fill(disk, left):
    """Leave so many KiB of the disk."""
    (disk / "other").write_bytes(bytes(1024 * (SIZE - left)))


def scene(folder, **changes):
    path = folder / "drop.json"
    path.write_text(json.dumps(drop(**changes)))
    return path


def one_line(done):
    assert done.stderr.count("\n") == 1 and "No space left on device; choose" in done.stderr, done.stderr
    assert "or free space" in done.stderr
    return True


def test_solve_tells_its_figures_and_that_the_disk_is_full(disk, tmp_path):
    rng = np.random.default_rng(3)
    half = rng.normal(size=(60, 60))
    problem = ContactProblem(half @ half.T, rng.normal(size=60), np.full(20, 0.5))  # 28 KiB of entries
    write_fclib(tmp_path / "dense.hdf5", problem)
    (disk / "out.hdf5").write_bytes(b"kept")
    fill(disk, 12)
    done = softcontact("solve", tmp_path / "dense.hdf5", "--out", disk / "out.hdf5", "--json")
    assert done.returncode == 2 and one_line(done)
    assert json.loads(done.stdout)["converged"]
    assert (disk / "out.hdf5").read_bytes() == b"kept"
    assert sorted(path.name for path in disk.iterdir()) == ["other", "out.hdf5"]


def test_a_run_keeps_the_problems_that_fitted(disk, tmp_path):
    fill(disk, 32)
    words = ["run", scene(tmp_path), "--no-replay", "--json", "--out", disk / "r", "--dump-problems", "1"]
    done = softcontact(*words)
    assert done.returncode == 2 and one_line(done)
    summary = json.loads(done.stdout)
    written = sorted((disk / "r" / "problems").iterdir())
    assert len(written) == summary["problems"]["written"] > 0
    assert all(read_fclib(path).contacts == 4 for path in written)
    assert not list((disk / "r").rglob(".*"))


def test_a_run_ends_in_one_line_where_its_history_does_not_fit(disk, tmp_path):
    fill(disk, 16)
    done = softcontact("run", scene(tmp_path), "--no-replay", "--json", "--out", disk / "r")
    assert done.returncode == 2 and one_line(done)
    assert json.loads(done.stdout)["steps"] == 80
    kept = json.loads((disk / "r" / "summary.json").read_text())
    assert kept["exit_code"] == 2 and "No space left" in kept["message"]
    assert sorted(path.name for path in (disk / "r").iterdir()) == ["scene.json", "summary.json"]


def test_a_history_longer_than_a_file_may_be_is_told(tmp_path):
    resource = pytest.importorskip("resource", reason="the limit of a file's size is POSIX's")
    done = softcontact(
        "run",
        scene(tmp_path),
        "--no-replay",
        "--out",
        tmp_path / "r",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000)),
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "File too large; choose" in done.stderr and "or free space" in done.stderr
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["scene.json", "summary.json"]


def test_a_full_disk_keeps_nothing_of_the_trial_before_a_run(disk):
    fill(disk, 0)
    with pytest.raises(outputs.OutputError, match=r"No space left on device; .* or free space"):
        outputs.prepare(disk, "drop")
    assert [path.name for path in disk.iterdir()] == ["other"]


def test_json_leaves_other_files_and_no_rest(tmp_path, monkeypatch):
    foreign = tmp_path / "summary.json.part"
    foreign.write_text("mine")
    outputs.write_json(tmp_path / "summary.json", {"a": 1})
    assert json.loads((tmp_path / "summary.json").read_text()) == {"a": 1}

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        outputs.write_json(tmp_path / "summary.json", {"a": 2})
    assert json.loads((tmp_path / "summary.json").read_text()) == {"a": 1}
    assert foreign.read_text() == "mine" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_stays_its_owners(tmp_path):
    path = tmp_path / "theirs"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    path.chmod(0o600)
    write_whole(path, b"new")
    there = path.stat()
    assert (path.read_bytes(), there.st_uid, there.st_gid, there.st_mode & 0o777) == (
        b"new",
        12345,
        23456,
        0o600,
    )
