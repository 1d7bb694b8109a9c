# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the data files of the project lie, installed or in a checkout."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "_data", _PACKAGE.parents[1] / "data")


def data_path(name: str) -> Path:
    """Path of a data file.

    Args:
        name: file name inside the data folder, such as "bunny.obj".
    Raises:
        FileNotFoundError: not there; the message names the folders searched.
    """
    for folder in _FOLDERS:
        path = folder / name
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"data file {name!r} not found in {' or '.join(str(f) for f in _FOLDERS)}: install the package again"
    )


def damaged_files() -> dict[str, str]:
    """Data files that are not as their manifest has them, and what is wrong: "missing" or "changed".

    Raises:
        FileNotFoundError: no manifest; the message names the folders searched.
    """
    found = {}
    for name, entry in json.loads(data_path("manifest.json").read_text(encoding="utf-8"))["files"].items():
        try:
            content = data_path(name).read_bytes()
        except FileNotFoundError:
            found[name] = "missing"
            continue
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            found[name] = "changed"
    return found
