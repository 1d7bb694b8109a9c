# SPDX-License-Identifier: LGPL-2.1-or-later
"""How work on an item ends that may hang, crash or take too much memory, and such work on the workers of Dask."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from softcontact.isolated import IsolatedProcess, Limits, ProcessLost, TimeLimitReached

__all__ = ["Outcome", "on_dask", "tried"]

_WATCH_S = 1.0  # between looks whether a task on a worker of Dask is still wanted
_IDLE_S = 60.0  # that a process on a worker of Dask waits for more work


@dataclass(frozen=True)
class Outcome:
    """How the work on one item ended.

    Attributes:
        index: number of the item.
        value: what the function gave; None with an error.
        error: what it raised; MemoryError, TimeLimitReached or ProcessLost where it was too much for its process.
        attempts: how often it was tried.
        elapsed_s: wall time of the last attempt [s].
        worker: machine that computed it.
    """

    index: int
    value: Any
    error: BaseException | None
    attempts: int
    elapsed_s: float
    worker: str


def tried(
    process: IsolatedProcess,
    call: tuple[Any, ...],
    limits: Limits | None,
    retries: int,
    stop: threading.Event,
) -> Outcome:
    """The outcome of call[0](*call[1:]), tried again where its process was lost until `stop` is set; index -1."""
    attempt = 0
    while True:
        attempt += 1
        started = time.perf_counter()
        value, error = None, None
        try:
            value = process.call(*call, limits=limits)
        except BaseException as caught:
            error = caught
        elapsed = time.perf_counter() - started
        lost = isinstance(error, TimeLimitReached) or (isinstance(error, ProcessLost) and error.began)
        if not lost or attempt > retries or stop.is_set():
            return Outcome(-1, value, error, attempt, elapsed, socket.gethostname())


_mine = threading.local()  # on a worker of Dask: the process of each of its threads


def on_dask(
    function: Callable[..., Any], shared: tuple[Any, ...], item: Any, limits: Limits | None, retries: int
) -> Outcome:
    """The same on a worker of Dask, in a process of its own that ends when nobody waits for the outcome any more."""
    if not hasattr(_mine, "process"):
        _mine.process = IsolatedProcess(idle_s=_IDLE_S)
    process, stop, done = _mine.process, threading.Event(), threading.Event()
    unwanted = _unwanted_on_dask()

    def watch() -> None:
        while not done.wait(_WATCH_S):
            if unwanted():
                stop.set()
                process.kill()

    threading.Thread(target=watch, daemon=True).start()
    try:
        return tried(process, (function, *shared, item), limits, retries, stop)
    finally:
        done.set()


def _unwanted_on_dask() -> Callable[[], bool]:
    """Whether nobody waits for this task of a Dask worker any more: whoever did has ended, or was killed."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state in ("cancelled", "released", "forgotten")

    return unwanted
