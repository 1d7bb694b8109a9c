# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged HDF5 files: its library may crash over one, or read it without end, and neither is an exception.

So a file of which no checksum is known is read in a process of its own first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from softcontact.isolated import IsolatedProcess, Limits, ProcessLost, TimeLimitReached

__all__ = ["read_tried"]

T = TypeVar("T")
_TIME = 3.0  # s of processor time, and more for large files
_RATE = 20e6  # bytes/s, at least
_PATIENCE = 100.0  # on a machine with much else to do, by the clock
_IDLE = 20.0  # s that the process is kept for the next file
_FAULT = (
    "HDF5's library crashes over it or reads it without end, so it is damaged; write it anew, or take a copy that "
    "is whole"
)
_one_at_a_time = threading.Lock()


def read_tried(read: Callable[[Path], T], path: Path) -> T:
    """read(path), which is known to come to an end.

    Args:
        read: of a module; what it raises is raised.
        path: of an HDF5 file.
    Raises:
        OSError: HDF5's library crashes over the file, or takes more than 3 s of processor time and 1 s for each 20 MB.
    """
    seconds = _TIME + os.path.getsize(path) / _RATE
    try:
        with _one_at_a_time:
            limits = Limits(time_s=_PATIENCE * seconds)
            _process(os.getpid()).call(_try, read, path.absolute(), seconds, limits=limits)
    except TimeLimitReached:
        raise OSError(_FAULT) from None
    except ProcessLost as error:
        if not error.began:
            raise
        raise OSError(_FAULT) from None
    return read(path)


@cache
def _process(_: int) -> IsolatedProcess:
    """The process that reads for this one: one that was forked must not share it."""
    return IsolatedProcess(idle_s=_IDLE)


def _try(read: Callable[[Path], object], path: Path, seconds: float) -> None:
    timer = getattr(signal, "setitimer", None)  # not on Windows, where the clock's limit has to do
    if timer is not None:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever the library is at
        timer(signal.ITIMER_PROF, seconds)
    with contextlib.suppress(Exception):  # raised again where the file is read for good
        read(path)
    if timer is not None:
        timer(signal.ITIMER_PROF, 0.0)
