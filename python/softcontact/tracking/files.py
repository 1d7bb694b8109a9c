# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of a tracked hand as CSV and HDF5 files.

CSV. Comment lines first, `# key: value`; the first is `# softcontact-track-1`. Keys, all optional: side
(right), angle_unit (rad, deg, or raw: counts that need a calibration), length_unit (m, cm, mm), time_unit
(s, ms), note, calibration ({minimum: […], maximum: […], low: […], high: […], angle_unit: rad}). Then a line
of column names and a row a sample. Columns: time; 5, 14 or 20 sensors (tracking.sensors tells their order);
palm_x, palm_y, palm_z; then palm_rx, palm_ry, palm_rz (rotation vector) or palm_qx, palm_qy, palm_qz,
palm_qw. A file of hand landmarks has time and 63 columns lm0_x, lm0_y, lm0_z, lm1_x, … lm20_z instead.

HDF5. Attributes format = "softcontact-track-1", side, note; data sets time (n), joints (n, 5 | 14 | 20),
palm_position (n, 3), palm_orientation (n, 3 | 4), each with an attribute unit (s, ms; rad, deg, raw; m, cm,
mm; rad, deg, or quaternion); or time and landmarks (n, 21, 3). An optional group calibration holds minimum,
maximum, low and high.

A .yaml file beside them may give the calibration instead: minimum, maximum, and if wanted low, high and
angle_unit. Rows that a logger wrote twice or out of order are sorted by time; equal rows count once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softcontact.mesh.data import data_path
from softcontact.messages import closest, files_beside
from softcontact.whole_file import refusal

from .chirality import MirroredError
from .csv_file import read_csv, write_csv
from .hdf5_file import read_hdf5, write_hdf5
from .sensors import Calibration, angle_factor, expand
from .track import Track
from .values import TrackError, check_times

__all__ = [
    "SUFFIXES",
    "find_track",
    "read_calibration",
    "read_landmarks",
    "read_track",
    "values_from",
    "write_raw",
    "write_track",
]

FloatArray = NDArray[np.float64]

SUFFIXES = (".csv", ".h5", ".hdf5", ".jsonl")
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
TIMES = {"s": 1.0, "ms": 0.001}


def find_track(source: str | Path, folder: str | Path = ".") -> Path:
    """The file of a recording: one of the package's by its name, or a path, relative to `folder`.

    Raises:
        TrackError: neither is there.
    """
    text = str(source)
    if Path(text).suffix == "" and "/" not in text:
        for suffix in (".csv", ".h5"):
            try:
                return data_path(f"track_{text}{suffix}")
            except FileNotFoundError:
                continue
    path = Path(folder) / Path(text).expanduser()
    if path.is_file():
        return path
    meant = closest(text, ["grasp", *files_beside(text, SUFFIXES, within=folder)])
    if meant:
        raise TrackError(f"source: no recording {text!r}; did you mean '{meant}'?")
    raise TrackError(
        f"source: no recording {text!r}; give 'grasp', a file ({', '.join(SUFFIXES)}) or udp://HOST:PORT"
    )


def read_track(path: str | Path, calibration: str | Path | None = None) -> Track:
    """The track in a file, with every sensor calibrated and expanded to the 20 joint angles.

    Args:
        path: .csv, .h5 or .hdf5; or .jsonl, a log of packets, which goes through the same jitter buffer as a stream.
        calibration: a YAML file that replaces the file's own calibration.
    Raises:
        TrackError: one line naming file, field and remedy.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TrackError(f"{path}: not a recording; give one that ends in {', '.join(SUFFIXES)}")
    try:
        if suffix == ".jsonl":
            from .packets import track_of_packets

            return track_of_packets(path, None if calibration is None else read_calibration(calibration))
        raw = read_csv(path) if suffix == ".csv" else read_hdf5(path)
        if calibration is not None:
            raw["calibration"] = read_calibration(calibration)
        return _track(raw)
    except TrackError as error:
        raise TrackError(f"{path}: {error}") from None
    except OSError as error:
        raise TrackError(f"{path}: {error.strerror or error}; give a readable recording") from None


def read_landmarks(path: str | Path) -> tuple[FloatArray, FloatArray, str]:
    """Times (n,) [s], points (n, 21, 3) [m] and side of a file of hand landmarks.

    Raises:
        TrackError: the file cannot be read, or holds joint values.
    """
    path = Path(path)
    try:
        raw = read_csv(path) if path.suffix.lower() == ".csv" else read_hdf5(path)
        if "landmarks" not in raw:
            raise TrackError("holds joint values, not landmarks; give a file of landmarks")
        scale, clock = _unit(raw, "length_unit", LENGTHS, "m"), _unit(raw, "time_unit", TIMES, "s")
        times, points = _ordered(clock * raw["time"], scale * raw["landmarks"])
    except TrackError as error:
        raise TrackError(f"{path}: {error}") from None
    return times, points, str(raw.get("side", "right"))


def write_track(track: Track, path: str | Path) -> Path:
    """Write a track as .csv or .h5/.hdf5; reading it gives the same bits.

    Raises:
        TrackError: another suffix, or the file cannot be written.
    """
    return write_raw(
        path,
        {
            "time": track.times,
            "joints": track.values[:, :20],
            "palm_position": track.values[:, 20:23],
            "palm_orientation": track.values[:, 23:],
            "side": track.side,
            "note": track.note,
        },
    )


def write_raw(path: str | Path, raw: Mapping[str, Any], decimals: int | None = None) -> Path:
    """Write a recording in sensor values or landmarks.

    Args:
        path: .csv, .h5 or .hdf5.
        raw: time (n,), then joints (n, k), palm_position (n, 3) and palm_orientation (n, 3 | 4), or landmarks
            (n, 21, 3); side, note, angle_unit; calibration: a Calibration.
        decimals: digits after the point in CSV; None writes every bit.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".h5", ".hdf5"):
        raise TrackError(
            f"{path}: cannot write a recording as {suffix or 'a file without suffix'}; use .csv or .h5"
        )
    try:
        if suffix == ".csv":
            write_csv(path, raw, decimals)
        else:
            write_hdf5(path, raw)
    except OSError as error:
        raise TrackError(refusal(path, error)) from None
    return path


def _track(raw: Mapping[str, Any]) -> Track:
    """The track of what a file holds, units and calibration applied."""
    side, note = str(raw.get("side", "right")), str(raw.get("note", ""))
    scale, clock = _unit(raw, "length_unit", LENGTHS, "m"), _unit(raw, "time_unit", TIMES, "s")
    if "landmarks" in raw:
        if raw.get("calibration") is not None:
            raise TrackError("calibration: landmarks are points, not sensors; leave it out")
        from .landmarks import LandmarkFitter

        times, points = _ordered(clock * raw["time"], raw["landmarks"])
        return _fitted(LandmarkFitter(side=side), times, scale * points, note)
    palm = scale * np.asarray(raw["palm_position"], dtype=float)
    return Track(*_ordered(clock * raw["time"], values_from({**raw, "palm_position": palm})), side, note)


def _fitted(fitter: Any, times: FloatArray, points: FloatArray, note: str) -> Track:
    """The track of frames (n, 21, 3) [m]; single ones of the other hand are left out and told in the note."""
    kept, rows = [], []
    for time, frame in zip(times, points, strict=True):
        try:
            rows.append(fitter.fit(frame))
            kept.append(time)
        except MirroredError:
            continue
    if told := fitter.watch.verdict():
        raise TrackError(told)
    if len(kept) < len(times):
        note = f"{note}{'; ' if note else ''}mirrored frames left out: {len(times) - len(kept)}"
    return Track(np.array(kept), np.array(rows), fitter.side, note)


def values_from(raw: Mapping[str, Any]) -> FloatArray:
    """Values (n, 26) of joints (n, 5 | 14 | 20), palm_position (n, 3) [m] and palm_orientation (n, 3 | 4).

    Args:
        raw: these, and if given angle_unit (rad, deg, raw), orientation_unit and calibration, a Calibration or the
            table of one.
    Raises:
        TrackError: an unknown unit, raw values without calibration, or quaternions that are none.
    """
    joints, unit = np.asarray(raw["joints"], dtype=float), str(raw.get("angle_unit", "rad"))
    turn = np.asarray(raw["palm_orientation"], dtype=float)
    given = raw.get("calibration")
    if given is not None:
        calibration = (
            given if isinstance(given, Calibration) else Calibration.from_dict(given, joints.shape[1])
        )
        joints = calibration.angles(joints)
    elif unit == "raw":
        raise TrackError(
            "calibration: missing for raw sensor values; give minimum and maximum of each sensor"
        )
    else:
        joints = angle_factor(unit, "angle_unit") * joints
    if turn.shape[1] == 4:
        lengths = np.linalg.norm(turn, axis=1)
        wrong = np.flatnonzero(~(np.abs(lengths - 1.0) < 1e-2))
        if len(wrong):
            raise TrackError(
                f"palm orientation: row {wrong[0]} has norm {lengths[wrong[0]]:.4g}; give unit quaternions x, y, z, w"
            )
        turn = Rotation.from_quat(turn).as_rotvec()
    elif raw.get("orientation_unit", "rad" if unit == "raw" else unit) == "deg":
        turn = turn * (np.pi / 180.0)
    return np.concatenate([expand(joints), np.asarray(raw["palm_position"], dtype=float), turn], axis=1)


def _unit(raw: Mapping[str, Any], key: str, known: Mapping[str, float], fallback: str) -> float:
    unit = str(raw.get(key, fallback))
    if unit not in known:
        raise TrackError(f"{key}: {unit!r} is unknown; give one of {', '.join(known)}")
    return known[unit]


def _ordered(times: Any, rows: Any) -> tuple[FloatArray, FloatArray]:
    """Rows sorted by time; of equal rows at one time the first stays, different ones are refused."""
    times, rows = np.asarray(times, dtype=float), np.asarray(rows, dtype=float)
    if not len(times):
        raise TrackError("holds no samples")
    if not np.isfinite(times).all():
        raise TrackError(f"time: row {np.flatnonzero(~np.isfinite(times))[0]} is not finite; leave it out")
    order = np.argsort(times, kind="stable")
    times, rows = times[order], rows[order]
    same = np.flatnonzero(np.diff(times) == 0.0)
    for k in same:
        if not np.array_equal(rows[k], rows[k + 1]):
            raise TrackError(f"time: {times[k]:g} s comes twice with different values; keep one")
    keep = np.ones(len(times), dtype=bool)
    keep[same + 1] = False
    check_times(times[keep])
    return times[keep], rows[keep]


def read_calibration(path: str | Path) -> Any:
    """The table in a YAML file of a calibration.

    Raises:
        TrackError: the file cannot be read.
    """
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TrackError(f"calibration {path}: {error}; mend the YAML") from None
    except OSError as error:
        raise TrackError(f"calibration {path}: {error.strerror or error}; give a YAML file") from None
