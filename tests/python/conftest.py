# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hands that several files test, for building one takes a second; and files that commands read."""

import shutil

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
