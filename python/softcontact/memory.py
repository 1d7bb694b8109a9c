# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much memory there is: Linux grants more than it has, and kills who uses it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["available_memory"]

# Files of a control group, of version 2 and 1: limit, use, and what of that gives way (a line of memory.stat).
_VERSIONS = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def available_memory(root: Path = Path("/")) -> int | None:
    """Memory that this process may still take without anything being killed [bytes]; None where nothing tells.

    The least of what is free in the machine and in the control groups, as of a container or a batch job, that the
    process is in.

    Args:
        root: where proc and sys are.
    """
    if not sys.platform.startswith("linux"):
        return None
    rooms = [*_free(root), *(room for folder in _groups(root) for room in _left(folder))]
    return max(0, min(rooms)) if rooms else None


def _free(root: Path) -> Iterator[int]:
    """What is free in the machine."""
    known = _numbers(root / "proc/meminfo")
    if "MemAvailable:" in known:
        yield 1024 * (known["MemAvailable:"] + known.get("SwapFree:", 0))


def _groups(root: Path) -> Iterator[Path]:
    """Folders of the control groups, the process's own and those around it."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top = root / "sys/fs/cgroup"
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
        else:
            continue
        own = top / path.lstrip("/")
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(top))


def _left(folder: Path) -> Iterator[int]:
    """What a control group leaves, where it has a limit."""
    for limit, use, gives_way in _VERSIONS:
        try:
            most, taken = int((folder / limit).read_text()), int((folder / use).read_text())
        except (OSError, ValueError):  # no such file, or max
            continue
        yield most - taken + _numbers(folder / "memory.stat").get(gives_way, 0)


def _numbers(file: Path) -> dict[str, int]:
    """First two words of each line, where the second is a number."""
    try:
        rows = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
