# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an offline build has done so far, and its file from which it goes on after it was stopped."""

from __future__ import annotations

import io
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum.reduced import Coordinates
from softcontact.vademecum.sealed import Seal
from softcontact.whole_file import HDF5_FAULTS

__all__ = ["BuildState", "LogRow"]

FloatArray = NDArray[np.float64]

_SEAL = Seal("softcontact-unfinished-vademecum", 3, "unfinished build", "remove it")


@dataclass(frozen=True)
class LogRow:
    """How good the modes are at a size of the load.

    Attributes:
        size: share of the largest load [-].
        modes: their number.
        residual: norm of the residual forces against that of the loads [-].
        energy_error: estimated, relative, energy norm [-].
    """

    size: float
    modes: int
    residual: float
    energy_error: float


@dataclass(frozen=True)
class BuildState:
    """Between two pieces of the work.

    Attributes:
        done: pieces done.
        modes: orthonormal, free components (f, m).
        levels: coordinates of all cases at the sizes reached.
        log: one row an enrichment.
        missing_volumes: of the sizes solved with all modes, estimates for all cases (c,) [m³].
    """

    done: int
    modes: FloatArray
    levels: list[Coordinates]
    log: list[LogRow]
    missing_volumes: list[FloatArray]

    def save(self, path: Path, key: str) -> None:
        """Write the state whole or not at all; `key` tells which build it belongs to."""

        def fill(file: Any) -> None:
            file.attrs["key"] = key
            file.attrs["done"] = self.done
            file["modes"] = self.modes
            file["missing_volumes"] = np.array(self.missing_volumes)
            file["log"] = np.array([astuple(row) for row in self.log], dtype=float).reshape(-1, 4)
            for number, level in enumerate(self.levels):
                file[f"levels/{number}/amplitudes"] = level.amplitudes
                file[f"levels/{number}/dents"] = level.dents

        _SEAL.write(path, fill)

    @classmethod
    def load(cls, path: Path, key: str) -> BuildState:
        """Read a state.

        Raises:
            ValueError: the file is no state, or one of another build.
        """
        import h5py

        try:
            with h5py.File(io.BytesIO(_SEAL.read(path)), "r") as file:
                known = str(file.attrs["key"])
                levels = [
                    Coordinates(file[f"levels/{k}/amplitudes"][()], file[f"levels/{k}/dents"][()])
                    for k in range(len(file["levels"]))
                ]
                log = [LogRow(row[0], int(row[1]), row[2], row[3]) for row in file["log"][()].tolist()]
                missing = list(file["missing_volumes"][()])
                state = cls(int(file.attrs["done"]), file["modes"][()], levels, log, missing)
        except HDF5_FAULTS as error:
            raise ValueError(f"{str(path)!r} holds no unfinished build ({error})") from None
        if known != key:
            raise ValueError(
                f"{str(path)!r} is the unfinished build of another mesh, load or set of options; "
                "remove it, or build with the same ones"
            )
        return state
