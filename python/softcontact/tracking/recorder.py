# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writing down what a stream shows."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from .track import Track
from .udp import UdpSource

__all__ = ["record_stream"]


def record_stream(
    source: UdpSource,
    *,
    rate: float = 100.0,
    duration: float | None = None,
    timeout: float = 30.0,
    idle: float = 3.0,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[Track, bool]:
    """What the source shows, `rate` rows a second, until it ends.

    Args:
        source: the stream.
        rate: rows a second [Hz].
        duration: stop after this time [s]; None goes on.
        timeout: longest wait for the first packet [s].
        idle: stop after this time without anything new [s]; the pause is not recorded.
        clock: local time [s].
        sleep: waits some seconds.
    Returns:
        The track from zero, and whether Ctrl-C ended it.
    Raises:
        TrackError: nothing came within `timeout`.
    """
    rows = [source.wait(timeout, clock).values]
    start, fresh, interrupted = clock(), 1, False
    try:
        while duration is None or len(rows) <= duration * rate:
            ahead = start + len(rows) / rate - clock()
            if ahead > 0.0:
                sleep(ahead)
            sample = source.sample(clock())
            rows.append(sample.values)
            if sample.state == "fresh":
                fresh = len(rows)
            elif len(rows) - fresh > idle * rate:
                break
    except KeyboardInterrupt:
        interrupted = True
    rows = rows[:fresh]
    return Track(np.arange(len(rows)) / rate, np.array(rows), note=f"recorded from {source.url}"), interrupted
