# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recorded traces of a device: times and displacements, from a CSV file or from the history of a run."""

import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softcontact.hdf5_reading import read_apart
from softcontact.whole_file import HDF5_FAULTS

FloatArray = NDArray[np.float64]
COLUMNS = ("time", "x", "y", "z")
LONGEST = 600.0  # [s], of a trace: 600 000 ticks at 1 kHz
FARTHEST = 0.05  # [m], along each axis
MOST_SAMPLES = 2_000_000


def read_trace(path: str | Path, body: str = "green") -> tuple[FloatArray, FloatArray]:
    """Times (k,) [s] and displacements from the start (k, 3) [m].

    Args:
        path: a CSV file with the columns time, x, y, z [s, m], or the history.h5 of a run.
        body: whose motion to take from a history.
    Raises:
        ValueError: the file cannot be read, times do not rise, a number is missing or not finite, or the trace is
            longer than LONGEST [s], goes farther than FARTHEST [m] or has more than MOST_SAMPLES samples.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise ValueError(f"trace: {str(path)!r} is not a file; give a CSV file or a run's history.h5")
    times, moves = _from_history(path, body) if path.suffix in (".h5", ".hdf5") else _from_csv(path)
    if len(times) < 2:
        raise ValueError(f"trace: {path} has {len(times)} samples; at least two are needed")
    if not (np.isfinite(times).all() and np.isfinite(moves).all()):
        raise ValueError(f"trace: {path} holds a number that is missing or not finite; mend that row")
    rising = np.diff(times) > 0.0
    if not rising.all():
        row = int(np.argmin(rising)) + 1
        raise ValueError(f"trace: {path}: times must rise; sample {row} ({times[row]:g} s) does not")
    _in_range(path, times, moves)
    return times - times[0], moves


def _in_range(path: Path, times: FloatArray, moves: FloatArray) -> None:
    """Refuse what would run for days, or what no stroke of a device is."""
    length = float(times[-1] - times[0])
    if not length <= LONGEST:
        raise ValueError(
            f"trace: {path} takes {length:.6g} s, more than {LONGEST:g} s; times are seconds: convert or cut them"
        )
    row, axis = np.unravel_index(np.abs(moves).argmax(), moves.shape)
    if not abs(moves[row, axis]) <= FARTHEST:
        raise ValueError(
            f"trace: {path}: sample {row} goes {moves[row, axis]:.6g} m along {COLUMNS[1 + axis]}, more than "
            f"{FARTHEST:g} m from the start; displacements are metres: convert or cut them"
        )


def write_trace(path: str | Path, times: FloatArray, moves: FloatArray) -> None:
    """Write a trace as CSV, every digit kept."""
    rows = np.column_stack([times, moves])
    np.savetxt(path, rows, delimiter=",", header=",".join(COLUMNS), comments="", fmt="%.17g")


def _from_csv(path: Path) -> tuple[FloatArray, FloatArray]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        head = [name.strip().lower() for name in file.readline().split(",")]
        missing = [name for name in COLUMNS if name not in head]
        if missing:
            raise ValueError(
                f"trace: {path} has no column {', '.join(missing)}; the first line must name time, x, y, z"
            )
        if len(set(head)) < len(head):
            raise ValueError(f"trace: {path} names a column twice; keep one of them")
        try:
            # loadtxt takes the memory of max_rows at once: no more of them than so many bytes can hold.
            most = min(MOST_SAMPLES + 1, path.stat().st_size // (2 * len(head)) + 1)
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # a file without rows
                rows = np.loadtxt(
                    _rows(file, len(head)), delimiter=",", ndmin=2, max_rows=most, comments=None
                )
        except ValueError as error:
            raise ValueError(f"trace: {path}: {error}") from None
    if not rows.size:
        return np.zeros(0), np.zeros((0, 3))
    if len(rows) > MOST_SAMPLES:
        raise ValueError(f"trace: {path} has more than {MOST_SAMPLES} samples; cut it into parts")
    return rows[:, head.index("time")], rows[:, [head.index(axis) for axis in "xyz"]]


def _rows(lines: Iterable[str], columns: int) -> Iterator[str]:
    for number, line in enumerate(lines, 2):
        text = line.strip()
        if text and not text.startswith("#"):
            if text.count(",") != columns - 1:
                raise ValueError(
                    f"line {number} has {text.count(',') + 1} numbers for {columns} columns; mend it"
                )
            yield line


def _from_history(path: Path, body: str) -> tuple[FloatArray, FloatArray]:
    try:
        times, poses, start = read_apart(partial(_columns, body=body), path)
    except HDF5_FAULTS as error:
        raise ValueError(
            f"trace: {path}: no motion of {body!r} in it ({error}); give a run's history.h5"
        ) from None
    return np.concatenate([[0.0], times]), np.vstack([np.zeros(3), poses - start])


def _columns(path: Path, body: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    import h5py

    with h5py.File(path, "r") as file:
        if file["time"].size > MOST_SAMPLES:
            raise ValueError(f"more than {MOST_SAMPLES} samples; cut it into parts")
        pose, start = file[f"bodies/{body}/pose"], file[f"bodies/{body}/start"]
        time, poses, first = (np.asarray(data, dtype=float) for data in (file["time"], pose, start))
        if (
            time.ndim != 1
            or poses.shape[:1] != time.shape
            or poses[:, :3].shape[1:] != (3,)
            or first[:3].shape != (3,)
        ):
            raise ValueError(
                f"time {time.shape}, pose {poses.shape} and start {first.shape} do not fit together"
            )
        return time, poses[:, :3], first[:3]
