# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings as HDF5; tracking.files tells the layout."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.hdf5_reading import read_apart
from softcontact.whole_file import HDF5_FAULTS

from .sensors import SENSOR_COUNTS
from .values import FORMAT, TrackError

__all__ = ["read_hdf5", "write_hdf5"]

_UNITS = {"time": "s", "palm_position": "m", "palm_orientation": "rad", "landmarks": "m"}


def read_hdf5(path: Path) -> dict[str, Any]:
    """What the file holds, as it stands: time, joints and palm or landmarks, side, note, units, calibration.

    Raises:
        TrackError: naming the data set that is wrong.
    """
    if not path.is_file():
        raise TrackError("no such file; give a recording")
    try:
        raw = read_apart(_read, path)
    except HDF5_FAULTS as error:
        if isinstance(error, TrackError):
            raise
        raise TrackError(f"cannot be read as HDF5: {error}") from None
    return _checked_hdf5(raw)


def _read(path: Path) -> dict[str, Any]:
    import h5py

    with h5py.File(path, "r") as file:
        if str(file.attrs.get("format", "")) != FORMAT:
            raise TrackError(f"attribute format is {file.attrs.get('format')!r}; a recording has {FORMAT!r}")
        raw: dict[str, Any] = {key: file.attrs[key] for key in ("side", "note") if key in file.attrs}
        for name in ("time", "joints", "palm_position", "palm_orientation", "landmarks"):
            if name in file:
                raw[name] = np.asarray(file[name], dtype=float)
                raw[f"{name}_unit"] = str(file[name].attrs.get("unit", ""))
        if "calibration" in file:
            raw["calibration"] = {key: np.asarray(value) for key, value in file["calibration"].items()}
    return raw


def _checked_hdf5(raw: dict[str, Any]) -> dict[str, Any]:
    needed = (
        ("time", "landmarks")
        if "landmarks" in raw
        else ("time", "joints", "palm_position", "palm_orientation")
    )
    shapes = {"joints": SENSOR_COUNTS, "palm_position": (3,), "palm_orientation": (3, 4)}
    for name in needed:
        if name not in raw:
            raise TrackError(f"data set {name!r} is missing; give it")
        if raw[name].shape[:1] != raw["time"].shape:
            raise TrackError(f"{name}: {raw[name].shape} for {raw['time'].shape} times; give a row a time")
        if name in shapes and (raw[name].ndim != 2 or raw[name].shape[1] not in shapes[name]):
            wanted = " or ".join(map(str, shapes[name]))
            raise TrackError(f"{name}: shape {raw[name].shape}; give (n, {wanted})")
    if "landmarks" in raw and raw["landmarks"].shape[1:] != (21, 3):
        raise TrackError(f"landmarks: shape {raw['landmarks'].shape}; give (n, 21, 3)")
    lengths = raw.get("palm_position_unit") or raw.get("landmarks_unit") or "m"
    return raw | {
        "time_unit": raw.get("time_unit") or "s",
        "angle_unit": raw.get("joints_unit") or "rad",
        "length_unit": lengths,
        "orientation_unit": raw.get("palm_orientation_unit") or "rad",
    }


def write_hdf5(path: Path, raw: Mapping[str, Any]) -> None:
    """Write a recording; see files.write_raw."""
    from softcontact import whole_file

    def fill(file: Any) -> None:
        file.attrs["format"] = FORMAT
        file.attrs["side"], file.attrs["note"] = str(raw.get("side", "right")), str(raw.get("note", ""))
        for name in ("time", "joints", "palm_position", "palm_orientation", "landmarks"):
            if name in raw:
                data = np.asarray(raw[name], dtype=float)
                unit = raw.get("angle_unit", "rad") if name == "joints" else _UNITS[name]
                unit = "quaternion" if name == "palm_orientation" and data.shape[1] == 4 else unit
                packing = {"compression": "gzip", "shuffle": True} if data.size > 64 else {}
                file.create_dataset(name, data=data, **packing).attrs["unit"] = unit
        if raw.get("calibration") is not None:
            for key, value in raw["calibration"].to_dict().items():
                file[f"calibration/{key}"] = value

    whole_file.write_hdf5(path, fill)
