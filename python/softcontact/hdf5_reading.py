# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged HDF5 files: its library may crash over one, or read it without end, and neither is an exception.

So a file of which no checksum is known is read in a process of its own. To try it there and read it here is not
enough: what the library makes of a damaged file depends on what was in its memory before.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from softcontact.isolated import IsolatedProcess, Limits, ProcessLost, TimeLimitReached

__all__ = ["read_apart"]

T = TypeVar("T")
_TIME = 3.0  # s of processor time, and more for large files
_RATE = 2e6  # bytes/s, at least; what is packed grows a hundredfold
_PATIENCE = 100.0  # on a machine with much else to do, by the clock
_IDLE = 20.0  # s that the process is kept for the next file
_NOT_ITS_FAULT = (-9, -15)  # SIGKILL, as where memory is short, and SIGTERM
_FAULT = (
    "HDF5's library crashes over it or reads it without end, so it is damaged; write it anew, or take a copy that "
    "is whole"
)


def read_apart(read: Callable[[Path], T], path: Path) -> T:
    """read(path), in another process.

    Args:
        read: of a module; what it returns and raises is pickled.
        path: of an HDF5 file.
    Raises:
        OSError: HDF5's library crashes over the file, or takes more than 3 s of processor time and 1 s for each 2 MB;
            or somebody ended the process.
        Exception: what `read` raises.
    """
    seconds = _TIME + os.path.getsize(path) / _RATE
    limits = Limits(time_s=_PATIENCE * seconds)
    process, one_at_a_time = _process(os.getpid())
    try:
        with one_at_a_time:
            return process.call(_read, read, path.absolute(), seconds, limits=limits)
    except TimeLimitReached:
        raise OSError(_FAULT) from None
    except ProcessLost as error:
        if not error.began:
            raise
        if error.code in _NOT_ITS_FAULT:
            raise OSError(f"{error}; try it again") from None
        raise OSError(_FAULT) from None
    except (OSError, RuntimeError):  # the library's, over a file that may have left its memory in disorder
        process.kill()
        raise


@cache
def _process(_: int) -> tuple[IsolatedProcess, threading.Lock]:
    """The process that reads for this one, and who has it: one that was forked must not share them.

    The lock may be held, at that moment, by a thread that the forked process does not have.
    """
    return IsolatedProcess(idle_s=_IDLE), threading.Lock()


def _read(read: Callable[[Path], T], path: Path, seconds: float) -> T:
    timer = getattr(signal, "setitimer", None)  # not on Windows, where the clock's limit has to do
    if timer is None:
        return read(path)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever the library is at
    timer(signal.ITIMER_PROF, seconds)
    try:
        return read(path)
    finally:
        timer(signal.ITIMER_PROF, 0.0)
