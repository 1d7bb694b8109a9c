# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hands that several files test, for building one takes a second; and files that commands read."""

import os
import shutil
import subprocess

import pytest
from writing_commands import samples

from softcontact.hand import HandModel, HandParameters


@pytest.fixture(scope="session")
def hand():
    return HandModel.build()


@pytest.fixture(scope="session")
def left():
    return HandModel.build(HandParameters(side="left"))


@pytest.fixture(scope="session")
def samples_of_commands(tmp_path_factory):
    """A folder with what the commands of writing_commands read."""
    folder = tmp_path_factory.mktemp("given")
    samples(folder)
    return folder


@pytest.fixture
def commands_here(samples_of_commands, tmp_path, monkeypatch):
    """The current folder, with what the commands of writing_commands read; also that for temporary files."""
    shutil.copytree(samples_of_commands, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def read_only(tmp_path):
    """A folder that takes no files, also from root."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    words = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("a folder that root cannot write needs the right to mount one")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
