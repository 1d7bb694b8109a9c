# SPDX-License-Identifier: LGPL-2.1-or-later
"""How to get optional packages: a command that works wherever softcontact came from."""

import importlib.metadata
import sys
from pathlib import Path

import pytest

from softcontact import extras
from softcontact.extras import how_to_install, pip_install

METADATA = [
    "numpy>=1.26",
    "viser>=1.1; extra == 'live'",
    'pytetwild>=0.4; extra == "mesh"',
    "pin>=3; extra == 'mesh'",
]


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A Python whose environment is active."""
    (tmp_path / "pip").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))


def test_an_installation_names_the_packages_by_its_own_metadata(monkeypatch, pip):
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: METADATA)
    assert how_to_install("live") == "pip install 'viser>=1.1'"
    assert how_to_install("mesh") == "pip install 'pytetwild>=0.4' 'pin>=3'"
    assert how_to_install("mesh", "pin") == "pip install 'pin>=3'"


def test_a_checkout_names_them_too_and_else_the_clone_is_named(monkeypatch, pip, tmp_path):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "requires", missing)
    monkeypatch.setattr(extras, "_CHECKOUT", Path(__file__).parents[2])
    assert how_to_install("haptics") == "pip install 'pyopenhaptics>=1.0'"
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    assert how_to_install("live") == "pip install '.[live]' in a clone of softcontact"


def test_an_environment_that_is_not_active_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/some where/bin/python")
    assert pip_install("viser") == "'/some where/bin/python' -m pip install 'viser'"
