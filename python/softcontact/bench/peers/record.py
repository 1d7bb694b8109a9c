# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a side-by-side comparison leaves: tables of rows, each row one tool with one setting."""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

OURS = "SoftContact"


@dataclass(frozen=True)
class Column:
    """One figure of a table; less is better.

    Attributes:
        key: in a row's figures.
        title: with the unit that is shown.
        factor: from the SI figure to what is shown.
        floor: SI figures below it count as this good: what rounding leaves, or what nobody can see. None: the figure
            is told and not judged.
    """

    key: str
    title: str
    factor: float = 1.0
    floor: float | None = None


@dataclass(frozen=True)
class Row:
    """What one tool gave with one setting; figures are SI, None where there is none.

    Attributes:
        failed: what it did not do; its figures are told and not judged.
    """

    tool: str
    setting: str
    figures: dict[str, float | None]
    failed: str = ""


@dataclass(frozen=True)
class Table:
    """One case on several tools.

    Attributes:
        name: of the case.
        title: what is done, with its numbers.
        equal: what both sides have alike.
        unequal: what cannot be alike, and what each side has instead.
        columns: in order.
        rows: of all tools.
        stopped: settings of tools that raised an error, with its message.
    """

    name: str
    title: str
    equal: str
    unequal: str
    columns: tuple[Column, ...]
    rows: list[Row] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For JSON, with what `judge` finds."""
        return {**asdict(self), "judged": judge(self)}


@dataclass(frozen=True)
class Peer:
    """Another tool.

    Attributes:
        name: as it calls itself.
        version: of what is installed; None where it is absent or cannot be used.
        install: the command that would install it.
        unusable: why what is installed cannot be used.
    """

    name: str
    version: str | None
    install: str
    unusable: str = ""


# What another tool may raise where it cannot go on.
FAULTS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def told(error: BaseException) -> str:
    """An error in one line of a table."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def distribution(name: str, package: str, module: str, install: str) -> Peer:
    """A peer that is a Python distribution, with the module that it is used by."""
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return Peer(name, None, install)
    try:
        importlib.import_module(module)
    except FAULTS as error:
        return Peer(name, None, install, f"{version} is installed, {told(error)}")
    return Peer(name, version, install)


def judge(table: Table) -> list[dict[str, Any]]:
    """Our best figure of each judged column beside each other tool's best, as ratios.

    Returns:
        One {column, tool, setting, ours, theirs, our_setting, ratio} a column and tool; ratio is theirs over ours,
        below one where they are better, None where both are below the floor.
    """
    found = []
    for column in table.columns:
        if column.floor is None:
            continue
        best: dict[str, Row] = {}
        for row in table.rows:
            figure = row.figures.get(column.key)
            if row.failed or figure is None or not math.isfinite(figure):
                continue
            if row.tool not in best or abs(figure) < abs(best[row.tool].figures[column.key] or 0.0):
                best[row.tool] = row
        mine = best.pop(OURS, None)
        for tool, row in best.items():
            if mine is None:
                continue
            ours, theirs = (abs(r.figures[column.key] or 0.0) for r in (mine, row))
            both = max(ours, theirs) <= column.floor
            found.append(
                {
                    "column": column.title,
                    "tool": tool,
                    "setting": row.setting,
                    "our_setting": mine.setting,
                    "ours": ours,
                    "theirs": theirs,
                    "ratio": None if both else max(theirs, column.floor) / max(ours, column.floor),
                }
            )
    return found


def verdicts(table: Table) -> list[str]:
    """The judgement in words, what they do better first."""
    judged = sorted(judge(table), key=lambda one: one["ratio"] if one["ratio"] is not None else 1.0)
    lines = []
    for one in judged:
        ratio = one["ratio"]
        theirs, mine = (f" ({one[key]})" if one[key] else "" for key in ("setting", "our_setting"))
        if ratio is None or 0.95 < ratio < 1.05:
            lines.append(f"even: {one['column']}: {one['tool']}{theirs}, {OURS}{mine}")
        elif ratio < 1.0:
            lines.append(
                f"**{one['tool']} is better**: {one['column']}: {OURS}{mine} has {_times(1.0 / ratio)} that of "
                f"{one['tool']}{theirs}"
            )
        else:
            lines.append(
                f"{OURS} is better: {one['column']}: {one['tool']}{theirs} has {_times(ratio)} that of {OURS}{mine}"
            )
    return lines


def _times(ratio: float) -> str:
    if ratio >= 1e3:
        return f"10^{math.floor(math.log10(ratio))} ×"
    return f"{ratio:.0f} ×" if ratio >= 100.0 else f"{ratio:.2g} ×"


def markdown(table: Table) -> str:
    """The table, with what is equal and what is not above it, and the verdicts below."""
    lines = [f"### {table.title}", "", f"Equal: {table.equal}", "", f"Not equal: {table.unequal}", ""]
    heads = ["tool", "setting", *(column.title for column in table.columns)]
    lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in table.rows:
        cells = [_cell(row.figures.get(column.key), column) for column in table.columns]
        lines.append(
            f"| {row.tool} | {row.setting}{f' ({row.failed})' if row.failed else ''} | {' | '.join(cells)} |"
        )
    lines += [
        f"| {who} | stopped: {message} |" + " |" * len(table.columns)
        for who, message in table.stopped.items()
    ]
    return "\n".join([*lines, "", *(f"- {line}" for line in verdicts(table))])


def _cell(figure: float | None, column: Column) -> str:
    if figure is None:
        return ""
    if not math.isfinite(figure):
        return "diverged"
    shown = figure * column.factor
    if shown == 0.0:
        return "0"
    if 1e3 <= abs(shown) < 1e6:
        return f"{shown:.0f}"
    return f"{shown:.3g}" if 1e-3 <= abs(shown) < 1e3 else f"{shown:.1e}"


def seconds_each(calls: Mapping[str, tuple[Callable[[], object], int]], repeats: int) -> dict[str, float]:
    """Median processor time of a thing [s], by name.

    All take their turn in every round, so that what else the machine does meanwhile meets them alike.

    Args:
        calls: by name what is called and how many things one call does.
        repeats: rounds, after one that is not counted.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(repeats + 1):
        for name, (call, count) in calls.items():
            began = time.thread_time()
            call()
            taken = (time.thread_time() - began) / count
            if number:
                times[name].append(taken)
    return {name: statistics.median(taken) for name, taken in times.items()}


def attempt(table: Table, tool: str, setting: str, work: Callable[[], Sequence[Row]]) -> None:
    """Add the rows of a tool with a setting; where it stops, what it says."""
    try:
        table.rows.extend(work())
    except FAULTS as error:
        who = f"{tool}, {setting}" if setting else tool
        table.stopped[who] = told(error)
