# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a benchmark leaves what it measured."""

import json
import os
from pathlib import Path
from typing import Any

from softcontact import outputs
from softcontact.whole_file import write_whole


def load() -> float | None:
    """Processes that wanted a core, mean over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def check(file: Path | None, folder: Path | None) -> None:
    """See before a measurement that its figures can be written; folders that are missing are made.

    Args:
        file: JSON file, or None.
        folder: for everything else, or None.
    Raises:
        outputs.OutputError: they cannot; names the option.
    """
    if file is not None:
        outputs.try_file(file, "--json", make=True)
    if folder is not None:
        outputs.guarded(folder, outputs.try_folder, folder)


def write(
    name: str,
    document: dict[str, Any],
    file: Path | None,
    folder: Path | None,
    text: str | None = None,
    *,
    strict: bool = False,
) -> None:
    """Write a benchmark's figures; folders that are missing are made.

    Args:
        name: of the benchmark.
        document: the figures.
        file: JSON file, or None.
        folder: for <name>.json and <name>.md, or None.
        text: tables as Markdown; None: no <name>.md.
        strict: refuse numbers that JSON does not know.
    Raises:
        ValueError: such a number, with `strict`.
        outputs.OutputError: there is no place for them any more.
    """
    written = json.dumps(document, indent=1, allow_nan=not strict)
    if file is not None:
        _write(file, written, "--json")
    if folder is not None:
        _write(folder / f"{name}.json", written, "--out")
        if text is not None:
            _write(folder / f"{name}.md", f"{text}\n", "--out")


def _write(file: Path, text: str, option: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
    except OSError as error:
        raise outputs.refused(file, error, option, "file" if option == "--json" else "folder") from None
