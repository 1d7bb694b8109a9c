# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of a sweep: one row a run, every field of the summary in a column of its own."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.whole_file import write_whole

HEAD = ("run", "status", "exit_code", "message")
TAIL = ("warnings", "attempts", "elapsed_s", "worker", "finished")
# Columns that tell of time and place: they differ from one execution to the next.
TIMES = ("elapsed_s", "worker", "finished", "attempts", "wall_time_s", "build_time_s", "real_time_factor")
_XYZ = ("x", "y", "z")


def rows(records: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Table rows by run, all with the same columns; None where a run has no such figure.

    Columns are run, status, exit_code, message, the parameters, the summary's fields (checks.NAME.value,
    step_ms.mean, patches.BODY/OTHER.force_n.x, …), warnings, attempts, elapsed_s, worker, finished. A parameter that
    a summary's field has the name of is called parameter.NAME.
    """
    flat = {run: dict(flattened(record["summary"])) for run, record in sorted(records.items())}
    figures = list(dict.fromkeys(name for found in flat.values() for name in found))
    figures = [name for name in figures if name not in HEAD]  # exit code and message are there already
    taken = {*HEAD, *TAIL, *figures}
    made = []
    for run, found in flat.items():
        record = records[run]
        varied = {
            f"parameter.{name}" if name in taken else name: _cell(value)
            for name, value in record["parameters"].items()
        }
        made.append(
            {name: record[name] for name in HEAD}
            | varied
            | {name: found.get(name) for name in figures}
            | {name: _cell(record[name]) for name in TAIL}
        )
    return made


def parameter_columns(table: Sequence[Mapping[str, Any]], parameters: Sequence[str]) -> list[str]:
    """Columns in which the parameters are."""
    found = table[0] if table else {}
    return [f"parameter.{name}" if f"parameter.{name}" in found else name for name in parameters]


def flattened(summary: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(column, value) of every field below; entries of a list go by their name, bodies or number."""
    if isinstance(summary, Mapping):
        for key, value in summary.items():
            yield from flattened(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(summary, list | tuple) and summary and all(isinstance(x, Mapping) for x in summary):
        for key, entry in _named(summary):
            rest = {k: v for k, v in entry.items() if k not in ("name", "body", "other")}
            yield from flattened(rest, f"{prefix}.{key}")
    elif isinstance(summary, list | tuple) and summary and all(_is_number(x) for x in summary):
        axes = _XYZ if len(summary) == 3 else range(len(summary))
        for axis, value in zip(axes, summary, strict=True):
            yield f"{prefix}.{axis}", value
    else:
        yield prefix, _cell(summary)


def write_csv(table: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the table as CSV (RFC 4180, UTF-8), whole or not at all; nothing stands for None.

    Raises:
        OSError: it cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    if table:
        writer.writerow(table[0])
    for row in table:
        writer.writerow([_written(value) for value in row.values()])
    write_whole(path, text.getvalue().encode())


def parquet_installed() -> bool:
    """Whether tables can be written as Parquet."""
    return importlib.util.find_spec("pyarrow") is not None


def write_parquet(table: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the table as Parquet, whole or not at all.

    Raises:
        OSError: it cannot be written.
        ImportError: pyarrow is not installed.
    """
    import pyarrow
    import pyarrow.parquet

    columns = {}
    for name in table[0] if table else ():
        values = [row[name] for row in table]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 and all(issubclass(k, int | float | np.number) and k is not bool for k in kinds):
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1:
            values = [None if value is None else _written(value) for value in values]
        columns[name] = values
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    write_whole(path, buffer.getvalue())


def _named(entries: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Entries of a list with names that each has alone."""
    seen: dict[str, int] = {}
    for number, entry in enumerate(entries):
        if "name" in entry:
            name = str(entry["name"])
        elif "body" in entry and "other" in entry:
            name = f"{entry['body']}/{entry['other']}"
        else:
            name = str(number)
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name}#{seen[name]}"), entry


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: Any) -> Any:
    """A value that fits into one cell."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(x, str) for x in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _written(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
