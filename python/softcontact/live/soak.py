# SPDX-License-Identifier: LGPL-2.1-or-later
"""A long live session in which nobody sits at the device: random motion, stalls of the slow loop, and what must hold
all the while: a flat memory, finite forces within the limits, and a watchdog that never misses."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.live.tool_scene import ToolScene
from softcontact.progress import peak_memory

MOST_GROWTH = 0.01  # of the memory
_PART = 0.05  # of the time, whose median stands for it
_WARM_UP = 60.0  # s: caches fill, and the allocator finds its size
_LONG_ENOUGH = 4.0 * _WARM_UP  # to judge the memory
_SAMPLING = 2e-3  # s, between two looks at what is due
_MEMORY_PERIOD = 1.0  # s
_RESTS = (0.1, 1.5)  # s, at a place
_BETWEEN_STALLS = 20.0  # s, on average
_STALLS = (0.1, 0.4)  # s, beyond the time at which the force has to be zero


@dataclass
class SoakReport:
    """What came of it.

    Attributes:
        seconds: by the wall clock.
        ticks, overruns: of the fast thread; overruns are ticks that began a period late or later.
        steps: of the slow loop.
        targets: places that the hand was sent to.
        force_max: largest force on the device, of all ticks [N]; force_limit: the session's.
        touched: share of the ticks at which the hand felt a force.
        stalls: of the slow loop, made on purpose; stalled_ticks: those at which the watchdog held the force at zero;
            watchdog_missed: ticks with a force though the data were too old.
        not_finite: ticks whose force was no number.
        world_stops: why the simulation stopped, each time; it was restarted.
        memory: resident memory each second [bytes].
    """

    seconds: float = 0.0
    ticks: int = 0
    overruns: int = 0
    steps: int = 0
    targets: int = 0
    force_max: float = 0.0
    force_limit: float = 0.0
    touched: float = 0.0
    stalls: int = 0
    stalled_ticks: int = 0
    watchdog_missed: int = 0
    not_finite: int = 0
    world_stops: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    @property
    def memory_growth(self) -> float | None:
        """Growth of the memory from the end of the first minute to the end, medians of a twentieth of the time each
        [-]; None for less than four minutes."""
        sizes = np.array(self.memory, dtype=float)
        if self.seconds < _LONG_ENOUGH or len(sizes) < 3:
            return None
        rate = len(sizes) / self.seconds
        part, first = max(1, round(_PART * len(sizes))), round(_WARM_UP * rate)
        return float(np.median(sizes[-part:]) / np.median(sizes[first : first + part]) - 1.0)

    @property
    def checks(self) -> list[dict[str, Any]]:
        """name, value, limit, unit and passed of what must hold; the memory is judged from four minutes on."""
        growth = self.memory_growth
        rows = [
            *([] if growth is None else [("memory_growth", growth, MOST_GROWTH, "1")]),
            ("watchdog_missed", self.watchdog_missed, 0, "1"),
            ("force_max", self.force_max, self.force_limit, "N"),
            ("not_finite", self.not_finite, 0, "1"),
            ("world_stops", len(self.world_stops), 0, "1"),
        ]
        return [
            {"name": name, "value": value, "limit": limit, "unit": unit, "passed": bool(value <= limit)}
            for name, value, limit, unit in rows
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, the memory by its first, last and largest size."""
        told = asdict(self)
        sizes = told.pop("memory")
        told["memory_bytes"] = {"first": sizes[0], "last": sizes[-1], "max": max(sizes)} if sizes else {}
        return told | {"checks": self.checks}


def soak(
    live: ToolScene, seconds: float, *, seed: int = 0, progress: Callable[[float], None] | None = None
) -> SoakReport:
    """Lead the tool of a live scene about at random, on the wall clock.

    The hand goes to points between where the tool starts and any point of the tissue's box, as fast as the live page
    lets it, and rests there. Now and then the slow loop is held up, as on a machine that is too busy: the force must
    be zero by the time the watchdog promises. A simulation that stops is told, and restarted.

    Args:
        live: not started yet; its tool is steered.
        seconds: how long, > 0.
        seed: of places, rests and stalls.
        progress: called about every second with the seconds done.
    Returns:
        What came of it; until Ctrl-C, if that comes first.
    Raises:
        ValueError: seconds not positive, or a real device moves the tool.
    """
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise ValueError(f"seconds: {seconds}; give a finite number > 0")
    if not live.steered:
        raise ValueError("soak: a real device moves this tool; open the scene with device='simulated'")
    run = _Soak(live, seed)
    live.start()
    try:
        run.run(seconds, progress or (lambda done: None))
    except KeyboardInterrupt:
        pass
    finally:
        run.report.seconds = time.monotonic() - run.begun
        run.count()
        live.pause()
    return run.report


class _Soak:
    def __init__(self, live: ToolScene, seed: int) -> None:
        self.live, self.random = live, np.random.default_rng(seed)
        self.report = SoakReport(force_limit=live.force_limit)
        self.begun = time.monotonic()
        self.touching = 0  # ticks
        self.counted = np.zeros(3, dtype=int)  # ticks, overruns, steps before the last restart

    def run(self, seconds: float, progress: Callable[[float], None]) -> None:
        rest_over, memory_due = 0.0, 0.0
        stall_due = self.random.exponential(_BETWEEN_STALLS)
        while (now := time.monotonic() - self.begun) < seconds:
            if now >= rest_over:
                self.live.move(self._place())
                self.report.targets += 1
                rest_over = now + self.random.uniform(*_RESTS)
            if now >= memory_due:
                self.report.memory.append(_resident())
                progress(now)
                memory_due = now + _MEMORY_PERIOD
            if now >= stall_due:
                self._stall()
                stall_due = now + self.random.exponential(_BETWEEN_STALLS)
            if self.live.error is not None:
                self._restart()
            time.sleep(_SAMPLING)

    def count(self) -> None:
        """Counts of the session and loop that are there now, added to those of earlier ones."""
        self._tally()
        ticks, overruns, steps = self.counted + self.live.counts()
        self.report.ticks, self.report.overruns, self.report.steps = int(ticks), int(overruns), int(steps)
        self.report.touched = self.touching / max(1, self.report.ticks)

    def _tally(self) -> None:
        """What the fast thread found at all its ticks, added to what earlier ones found."""
        told, report = self.live.tally(), self.report
        report.force_max = max(report.force_max, told["force_max"])
        report.watchdog_missed += told["watchdog_missed"]
        report.not_finite += told["not_finite"]
        report.stalled_ticks += told["ticks"]["stalled"]
        self.touching += told["ticks"]["touching"]

    def _place(self) -> NDArray[np.float64]:
        steering, share = self.live.steering, self.random.uniform()
        inside = self.random.uniform(*self.live.tissue_box)
        return (1.0 - share) * steering.start + share * inside

    def _stall(self) -> None:
        with self.live.stalled() as zero_from:
            time.sleep(zero_from + self.random.uniform(*_STALLS))
        self.report.stalls += 1

    def _restart(self) -> None:
        self.report.world_stops.append(str(self.live.error))
        self.counted = self.counted + self.live.counts()
        self._tally()
        self.live.restart()


def _resident() -> int:
    """Memory that this process holds now [bytes]; where the system does not tell, the most it ever held."""
    try:
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_memory() or 0
