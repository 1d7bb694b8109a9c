# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions written down: what went in and what came out at each tick, in memory and in HDF5 files."""

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.haptics.device import Capabilities
from softcontact.haptics.laws import law_of
from softcontact.haptics.settings import ThreadSettings
from softcontact.hdf5_reading import read_apart
from softcontact.whole_file import HDF5_FAULTS, write_whole

FORMAT = "softcontact haptic session 1"

# Columns that have to be in a file: dimensions beyond the first, and what they count.
_TICKS = {
    "position": 3,
    "orientation": 4,
    "linear_velocity": 3,
    "angular_velocity": 3,
    "wanted": 6,
    "wrench": 6,
}
_TICK_NUMBERS = ("time", "buttons", "sequence", "gain", "publication", "fault", "state", "reset")
_PUBLICATIONS = ("publication_stamp", "publication_period", "publication_withdrawn", "publication_count")


@dataclass(frozen=True)
class Recording:
    """A session written down.

    Attributes:
        columns: a tick: time [ns], position (n, 3) [m], orientation (n, 4) (x, y, z, w), linear_velocity,
            angular_velocity, buttons, sequence, wanted (n, 6) what the law asked for, wrench (n, 6) what went to
            the device [N, N m], gain, publication (row of the data in use), fault, state (index in
            STATES), reset; a publication: publication_stamp [ns], _period [s], _withdrawn, _count, and all their
            numbers in a row.
        settings: of the fast thread.
        law: kind and options of the force law.
        capabilities: of the device.
        full: its room was used up before the session ended.
    """

    columns: dict[str, NDArray[Any]] = field(repr=False)
    settings: ThreadSettings
    law: tuple[str, dict[str, Any]]
    capabilities: Capabilities
    full: bool = False

    @property
    def ticks(self) -> int:
        """How many."""
        return len(self.columns["time"])

    @property
    def times(self) -> NDArray[np.float64]:
        """Starts of the ticks since the first one (n,) [s]."""
        time = self.columns["time"]
        return 1e-9 * (time - time[0]) if self.ticks else np.zeros(0)

    @property
    def wrenches(self) -> NDArray[np.float64]:
        """What went to the device (n, 6) [N, N m]."""
        return self.columns["wrench"]

    def states(self) -> list[str]:
        """Name of the state at each tick."""
        return [_core.haptic_states[i] for i in self.columns["state"]]

    def core(self) -> Any:
        """The same in the core."""
        return _core.HapticTrace.from_columns(self.columns)

    def replay(self) -> "Recording":
        """The session anew, in simulated time, from its poses and its data: the same wrenches, bit for bit.

        Raises:
            ValueError: nothing in it, or a law that is not known.
        """
        again = _core.replay_trace(
            self.core(), law_of(*self.law).build(), self.settings.as_dict(), self.capabilities.as_dict()
        )
        return Recording(again.columns(), self.settings, self.law, self.capabilities, self.full)

    def save(self, path: str | Path) -> None:
        """Write it as an HDF5 file.

        Raises:
            OSError: it cannot be written.
        """
        memory = io.BytesIO()
        with h5py.File(memory, "w") as file:
            file.attrs["format"] = FORMAT
            file.attrs["settings"] = json.dumps(self.settings.as_dict())
            file.attrs["law"] = json.dumps(self.law)
            file.attrs["capabilities"] = json.dumps(self.capabilities.as_dict())
            file.attrs["full"] = self.full
            for name, values in self.columns.items():
                file.create_dataset(
                    name, data=values, compression="gzip" if values.size else None, track_times=False
                )
        write_whole(Path(path), memory.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> "Recording":
        """Read what save() wrote.

        Raises:
            ValueError: no recording, or a broken one.
            OSError: no such file.
        """
        if not Path(path).is_file():  # a pipe would be waited for, for ever
            raise FileNotFoundError(f"{path}: no such file; give the recording of a haptic session")
        Path(path).open("rb").close()
        try:
            columns, attributes = read_apart(_contents, Path(path))
            if attributes.get("format") != FORMAT:
                raise ValueError("it has another format")
            kind, options = json.loads(attributes["law"])
            given = json.loads(attributes["capabilities"])
            for corner in ("workspace_lower", "workspace_upper"):
                given[corner] = tuple(given[corner])
            loaded = cls(
                columns,
                ThreadSettings.from_dict(json.loads(attributes["settings"])),
                (kind, options),
                Capabilities(**given),
                bool(attributes["full"]),
            )
            _check(columns)
            loaded.core()
        except HDF5_FAULTS as error:
            raise ValueError(
                f"{path}: no recording of a haptic session ({error}); record one first"
            ) from None
        return loaded


def _contents(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    with h5py.File(path, "r") as file:
        return {name: dataset[()] for name, dataset in file.items()}, dict(file.attrs)


def _check(columns: dict[str, NDArray[Any]]) -> None:
    """See that the columns fit together."""
    missing = [n for n in (*_TICKS, *_TICK_NUMBERS, *_PUBLICATIONS, "numbers") if n not in columns]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    ticks, publications = len(columns["time"]), len(columns["publication_stamp"])
    shapes = {name: (ticks, width) for name, width in _TICKS.items()}
    shapes |= {name: (ticks,) for name in _TICK_NUMBERS} | {name: (publications,) for name in _PUBLICATIONS}
    for name, shape in shapes.items():
        if columns[name].shape != shape:
            raise ValueError(f"{name} has the shape {columns[name].shape}, expected {shape}")
