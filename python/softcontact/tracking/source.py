# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every source of tracked values offers, and the source that a recording is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .track import Track

__all__ = ["RecordedSource", "Sample", "Source", "State"]

FloatArray = NDArray[np.float64]

State = Literal["waiting", "fresh", "held", "frozen"]


@dataclass(frozen=True)
class Sample:
    """What a source says at one moment.

    Attributes:
        values: the row (26,); zeros while waiting.
        state: "waiting" before the first data; "fresh"; "held", the last pose, for there is nothing newer;
            "frozen", no data for so long that the hand has to stay where it is.
        time: on the source's clock, of what the values show [s].
    """

    values: FloatArray
    state: State
    time: float


@runtime_checkable
class Source(Protocol):
    """Where tracked values come from: a recording, a stream, a camera."""

    def sample(self, now: float) -> Sample:
        """The values at `now` [s] on the source's clock; calls come with rising times."""

    def statistics(self) -> dict[str, Any]:
        """Counts of what came and of what was wrong with it."""

    def close(self) -> None:
        """Give back what the source holds open; it may be called twice."""


class RecordedSource:
    """A recording as a source: its first row is time zero.

    Args:
        track: the recording.
        start: time in it that `now` = 0 stands for [s].
        freeze_after: time after the last row at which "held" becomes "frozen" [s].
    """

    def __init__(self, track: Track, start: float = 0.0, freeze_after: float = 0.5) -> None:
        self.track, self.start, self.freeze_after = track.from_zero(), start, freeze_after

    def sample(self, now: float) -> Sample:
        """The recording's values, interpolated; after its end the last ones."""
        time = self.start + now
        over = time - self.track.duration
        state: State = "fresh" if over <= 1e-9 else "held" if over <= self.freeze_after else "frozen"
        return Sample(self.track.at(time)[0], state, min(time, self.track.duration))

    def statistics(self) -> dict[str, Any]:
        """Number of rows."""
        return {"samples": len(self.track.times)}

    def close(self) -> None:
        """Nothing is open."""
