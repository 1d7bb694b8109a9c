# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings as CSV; tracking.files tells the layout."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from softcontact.whole_file import write_whole

from .sensors import SENSOR_COUNTS, sensor_columns
from .values import COLUMNS, FORMAT, TrackError

__all__ = ["read_csv", "write_csv"]

FloatArray = NDArray[np.float64]

_KEYS = {"side", "angle_unit", "length_unit", "time_unit", "note", "calibration"}
_PALM = ("palm_x", "palm_y", "palm_z")
_VECTOR, _QUATERNION = (
    ("palm_rx", "palm_ry", "palm_rz"),
    ("palm_qx", "palm_qy", "palm_qz", "palm_qw"),
)
LANDMARK_COLUMNS = tuple(f"lm{k}_{axis}" for k in range(21) for axis in "xyz")


def read_csv(path: Path) -> dict[str, Any]:
    """What the file holds, as it stands: time, joints and palm or landmarks, and the keys of its head.

    Raises:
        TrackError: naming the line or column that is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TrackError(f"not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    comments = [line.lstrip("# ").rstrip() for line in lines if line.startswith("#")]
    if comments and comments[0].startswith("softcontact-track-") and comments[0] != FORMAT:
        raise TrackError(f"format {comments[0]!r} is unknown; this version reads {FORMAT}")
    raw = _header([line for line in comments if line != FORMAT])
    body = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if len(body) < 2:
        raise TrackError("holds no samples; give a line of column names and a row a sample")
    names = [name.strip() for name in body[0][1].split(",")]
    columns = _columns(names)
    rows = []
    for number, line in body[1:]:
        try:
            row = [float(cell) for cell in line.split(",")]
        except ValueError:
            raise TrackError(f"line {number}: a cell is no number; mend or remove the line") from None
        if len(row) != len(names):
            raise TrackError(
                f"line {number}: {len(row)} cells for {len(names)} columns; mend or remove the line"
            )
        rows.append(row)
    table = np.array(rows)
    return raw | {name: table[:, place] for name, place in columns.items()} | _landmarks(table, columns)


def _landmarks(table: FloatArray, columns: dict[str, Any]) -> dict[str, FloatArray]:
    return {"landmarks": table[:, 1:].reshape(-1, 21, 3)} if "landmarks" in columns else {}


def _header(comments: list[str]) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    for line in comments:
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            continue
        if key not in _KEYS:
            near = get_close_matches(key.lower(), sorted(_KEYS), 1, 0.75)
            if near:  # else a remark
                raise TrackError(f"{key[:40]}: no key of a recording; write {near[0]}")
            continue
        found = _table(value) if key == "calibration" else value
        if key in raw and raw[key] != found:
            raise TrackError(f"{key}: given twice, {raw[key]!r} and {found!r}; keep one")
        raw[key] = found
    return raw


def _table(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise TrackError("calibration: no table; write {minimum: […], maximum: […]}") from None


def _columns(names: list[str]) -> dict[str, Any]:
    """Places of what the named columns hold."""
    if names[0] != "time":
        raise TrackError(f"column {names[0]!r}: the first column is time; name it so")
    if names[1:] == list(LANDMARK_COLUMNS):
        return {"time": 0, "landmarks": slice(1, None)}
    turn = _QUATERNION if names[-1] == _QUATERNION[-1] else _VECTOR
    palm = (*_PALM, *turn)
    if names[-len(palm) :] != list(palm):
        raise TrackError(
            f"columns: the last ones are {', '.join(names[-3:])}; end with {', '.join((*_PALM, *_VECTOR))}"
        )
    count = len(names) - 1 - len(palm)
    if count not in SENSOR_COUNTS:
        raise TrackError(f"columns: {count} sensors between time and palm_x; give 5, 14 or 20")
    wanted = sensor_columns(count)
    known = [name for name in names[1 : 1 + count] if name in wanted]
    if known and names[1 : 1 + count] != list(wanted):
        place = next(k for k in range(count) if names[1 + k] != wanted[k])
        raise TrackError(
            f"column {names[1 + place]!r}: {wanted[place]} comes here; keep the order of the sensors"
        )
    return {
        "time": 0,
        "joints": slice(1, 1 + count),
        "palm_position": slice(1 + count, 4 + count),
        "palm_orientation": slice(4 + count, None),
    }


def write_csv(path: Path, raw: Mapping[str, Any], decimals: int | None) -> None:
    """Write a recording; see files.write_raw."""
    lines = [f"# {FORMAT}"]
    for key in ("side", "angle_unit", "note"):
        if raw.get(key):
            lines.append(f"# {key}: {raw[key]}")
    if raw.get("calibration") is not None:
        text = yaml.safe_dump(raw["calibration"].to_dict(), default_flow_style=True, width=10**6)
        lines.append(f"# calibration: {text.strip()}")
    times = np.asarray(raw["time"], dtype=float)[:, None]
    if "landmarks" in raw:
        names = LANDMARK_COLUMNS
        table = np.concatenate([times, np.asarray(raw["landmarks"]).reshape(-1, 63)], axis=1)
    else:
        turn = np.asarray(raw["palm_orientation"])
        names = (
            *sensor_columns(np.shape(raw["joints"])[1]),
            *COLUMNS[20:23],
            *(_QUATERNION if turn.shape[1] == 4 else _VECTOR),
        )
        table = np.concatenate([times, raw["joints"], raw["palm_position"], turn], axis=1)
    lines.append(",".join(("time", *names)))
    for row in table.tolist():
        lines.append(",".join(repr(x) if decimals is None else f"{x:.{decimals}f}" for x in row))
    write_whole(path, ("\n".join(lines) + "\n").encode())
