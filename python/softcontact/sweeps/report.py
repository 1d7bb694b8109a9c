# SPDX-License-Identifier: LGPL-2.1-or-later
"""The written report of a sweep: report.md with tables, and plots as PNG beside it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softcontact.report.report import markdown_table
from softcontact.sweeps import plots, table
from softcontact.sweeps.plan import Plan
from softcontact.sweeps.work import PASSED
from softcontact.whole_file import write_whole

if TYPE_CHECKING:
    from softcontact.sweeps.running import SweepResult

_MOST_FAILURES = 40


def write_report(result: SweepResult, made: Plan) -> Path:
    """Write report.md and its plots into the sweep's folder.

    Returns:
        Path of report.md.
    Raises:
        OSError: the folder does not take them.
    """
    for old in result.out.glob("plot-*.png"):
        old.unlink()
    names = table.parameter_columns(result.rows, made.parameters)
    drawn = plots.draw(result.rows, names, result.out, made.units) if len(result.rows) > 1 else []
    path = result.out / "report.md"
    write_whole(path, "\n".join(_text(result, made, names, drawn)).encode())
    return path


def _text(result: SweepResult, made: Plan, names: list[str], drawn: list[tuple[str, str]]) -> list[str]:
    told = made.identity
    lines = [f"# Sweep of {Path(told['scene']).stem}", ""]
    lines += [f"**{result.message}**", ""] if result.message else []
    design = told["design"]
    if design != "grid":
        design = {"random": "random", "lhs": "Latin hypercube"}[design]
        design += f", {told['samples']} samples, seed {told['seed']}"
    figures = [
        ("design", design),
        *((f"`{name}`", values) for name, values in told["parameters"].items()),
        ("options", ", ".join(f"{k}={v}" for k, v in told["options"].items()) or "defaults"),
        ("engine", told["engine"]),
        ("steps", told["steps"] or "the scene's duration"),
        ("runs done", f"{result.done} of {result.runs}"),
        *result.counts.items(),
        *(
            (f"check {name}", f"not reached by {_runs(count)}")
            for name, count in not_reached(result.rows).items()
        ),
        ("softcontact", told["version"]),
    ]
    lines += markdown_table(("", ""), figures)
    lines += ["All figures of all runs: [table.csv](table.csv)", ""]
    lines += _measures(result.rows)
    lines += _failures(result, made)
    for file, title in drawn:
        lines += [f"## {title}", "", f"![{title}]({file})", ""]
    return lines


def _measures(rows: list[dict[str, Any]]) -> list[str]:
    found = []
    for measure in plots.measures(rows):
        values = np.array([float(row[measure]) for row in rows if row[measure] is not None])
        if len(values):
            five = np.percentile(values, (0, 25, 50, 75, 100))
            found.append((plots.title(rows, measure), *(f"{value:.4g}" for value in five), len(values)))
    head = ("", "least", "first quartile", "median", "third quartile", "greatest", "runs")
    return ["## Measures", "", *markdown_table(head, found)] if found else []


def _failures(result: SweepResult, made: Plan) -> list[str]:
    bad = [row for row in result.rows if row["status"] != PASSED]
    if not bad:
        return []
    lines = ["## Runs that did not pass", ""]
    lines += markdown_table(
        ("run", *made.parameters, "how it ended", "message"),
        [
            (row["run"], *made.values(row["run"]).values(), row["status"], why(row))
            for row in bad[:_MOST_FAILURES]
        ],
    )
    if len(bad) > _MOST_FAILURES:
        lines += [f"… and {len(bad) - _MOST_FAILURES} more in table.csv.", ""]
    return [*lines, "One of them again, with its replay:", "", f"    {_command(made, bad[0]['run'])}", ""]


def why(row: Mapping[str, Any]) -> str:
    """Message of a run, or the checks that failed, with their values and limits."""
    if row["message"]:
        return row["message"]
    ends = ("checks.", ".passed")
    names = [
        key[len(ends[0]) : -len(ends[1])] for key in row if key.startswith(ends[0]) and key.endswith(ends[1])
    ]
    failed = [name for name in names if row[f"checks.{name}.passed"] is False]
    return ", ".join(
        f"{name}: {_number(row[f'checks.{name}.value'])}, limit {_number(row[f'checks.{name}.limit'])}"
        + (f" {unit}" if (unit := row.get(f"checks.{name}.unit")) not in (None, "", "1") else "")
        for name in failed
    )


def not_reached(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Checks that runs ended before, and by how many of them."""
    return Counter(name for row in rows for name in (row.get("checks_not_reached") or "").split("; ") if name)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"


def _command(made: Plan, run: int) -> str:
    """The command line that makes a run again."""
    told = made.identity
    words = ["softcontact", "run", told["scene"]]
    for name, value in {**told["options"], **made.values(run)}.items():
        if value is not None:
            text = f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
            words += ["--set", f"{name}={text}"]
    words += ["--steps", str(told["steps"])] if told["steps"] else []
    words += ["--engine", told["engine"]] if told["engine"] != "embedded" else []
    return shlex.join(words)
