# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a benchmark leaves what it measured."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from softcontact import outputs
from softcontact.whole_file import write_figure, write_whole


def load() -> float | None:
    """Processes that wanted a core, mean over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


@contextmanager
def reserved(names: Sequence[str], file: Path | None, folder: Path | None) -> Iterator[None]:
    """See before a measurement that its figures can be written, and keep them from other processes meanwhile.

    Args:
        names: of what is written into the folder, each with others beside it: a benchmark's figures, or the page.
        file: JSON file, or None.
        folder: for everything else, or None; made where it is missing, like that of the file.
    Raises:
        outputs.OutputError: they cannot, or another process measures the same there; names the option.
    """
    with ExitStack() as stack:
        stack.enter_context(outputs.reserved(file, "--json", make=True))
        if folder is not None:
            outputs.guarded(folder, outputs.try_folder, folder)
            for name in names:
                stack.enter_context(outputs.reserved(folder / name))
        yield


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


def save_figure(figure: Any, path: Path, dpi: float = 110) -> None:
    """Write a matplotlib figure as PNG into the folder of --out.

    Raises:
        outputs.OutputError: there is no place for it.
    """
    outputs.guarded(path, write_figure, path, figure, dpi)


def _write(file: Path, text: str, option: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
    except OSError as error:
        raise outputs.refused(file, error, option, "file" if option == "--json" else "folder") from None
