# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a benchmark leaves what it measured."""

import json
import os
from pathlib import Path
from typing import Any


def load() -> float | None:
    """Processes that wanted a core, mean over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


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
    """
    written = json.dumps(document, indent=1, allow_nan=not strict)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(written, encoding="utf-8")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(written, encoding="utf-8")
        if text is not None:
            (folder / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
