# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the data files of the project lie, installed or in a checkout."""

from __future__ import annotations

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
