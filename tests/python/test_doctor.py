# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact doctor`: what is there and what is not, whatever is broken."""

import errno
import json
import os
import shutil
import sys

from softcontact.cli import main
from softcontact.mesh import data_path


def test_doctor_tells_what_is_there_and_what_for(capsys):
    assert main(["doctor", "--json"]) == 0
    findings = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert findings["data"]["ok"] and findings["scenes"]["ok"] and "GB free" in findings["output"]["text"]
    assert not findings["viser"]["needed"] and "browser" in findings["viser"]["text"]


def test_doctor_tells_what_is_broken_and_goes_on(capsys, monkeypatch, tmp_path):
    """Without the compiled part, with a data file missing and one changed, in a folder that takes no files."""
    monkeypatch.setitem(sys.modules, "softcontact._core", None)
    monkeypatch.setattr("softcontact.haptics.HapticSession", _broken)
    shutil.copytree(data_path("manifest.json").parent, tmp_path / "data")
    (tmp_path / "data" / "bunny.obj").unlink()
    with (tmp_path / "data" / "bunny.vtu").open("a") as file:
        file.write(" ")
    monkeypatch.setattr("softcontact.mesh.data._FOLDERS", (tmp_path / "data",))
    monkeypatch.setattr("tempfile.TemporaryFile", _no_files)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor", "--json"]) == 2
    findings = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert "the compiled part is missing" in findings["core"]["text"]
    assert findings["data"]["text"].startswith("bunny.obj missing, bunny.vtu changed: install")
    assert "Read-only file system; runs write out/ here" in findings["output"]["text"]
    assert findings["haptic thread"]["text"] == "RuntimeError: no threads here"
    for name in ("haptic thread", "chromium", "compiler"):
        assert not findings[name]["ok"] and not findings[name]["needed"] and findings[name]["text"]


def _no_files(*_, **__):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def _broken(*_, **__):
    raise RuntimeError("no threads here")
