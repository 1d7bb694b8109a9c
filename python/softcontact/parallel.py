# SPDX-License-Identifier: LGPL-2.1-or-later
"""Work on many items: in this process, in a pool of processes, or on a Dask cluster; the same results everywhere.

The items are the caller's, never cut by the number of workers, and workers of our own compute with one thread each, so
that the last bit does not depend on who works.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from softcontact.extras import how_to_install
from softcontact.isolated import IsolatedProcess, Limits, ProcessLost, TimeLimitReached
from softcontact.outcomes import Outcome, on_dask, tried
from softcontact.whole_file import temporary_folder

__all__ = [
    "Limits",
    "Outcome",
    "ProcessLost",
    "TimeLimitReached",
    "Workers",
    "WorkersLost",
    "available_cores",
]

_ANSWER_S = 10.0  # that a scheduler may take to answer
# Workers compute with one thread each, so that more of them than cores only take memory, about 100 MB each. Some more
# are of use where they wait, or where the system tells fewer cores than there are; beyond, a digit was too many.
_MOST_A_CORE, _MOST = 16, 1024


class WorkersLost(RuntimeError):
    """A worker ended before its work did; the message says what may be done."""


def _check_count(count: Any) -> None:
    """See that a number of workers is one.

    Raises:
        ValueError: it is not.
    """
    if isinstance(count, str) or not 1 <= count < float("inf") or count != int(count):
        raise ValueError(f"workers: {count!r}, expected a whole number >= 1")
    cores = available_cores()
    if count > (most := min(_MOST_A_CORE * cores, _MOST)):
        raise ValueError(
            f"workers: {count} are too many: each is a process that keeps one core busy, and this machine has {cores}; "
            f"give {cores}, or leave it out (at most {most})"
        )


def available_cores() -> int:
    """Cores that this process may use."""
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Those who work; a context manager.

    Args:
        count: processes; 1 means for `map` this one.
        scheduler: address of a Dask scheduler such as "tcp://host:8786"; `count` does not matter then.
        quiet: keep back what processes of our own print.
    Raises:
        ValueError: no such count, more than 16 a core or 1024, Dask is not installed, or no scheduler answers.
    """

    def __init__(self, count: int = 1, *, scheduler: str | None = None, quiet: bool = False) -> None:
        _check_count(count)
        self._client = None if scheduler is None else _dask_client(scheduler)
        self._count, self._quiet = int(count), quiet
        self._threads: ThreadPoolExecutor | None = None  # one for each process: it waits for its answers
        self._processes: list[IsolatedProcess] = []
        self._idle: queue.SimpleQueue[IsolatedProcess] = queue.SimpleQueue()
        self._folder: Path | None = None
        self._held = -1
        self._known: list[tuple[Any, Any]] = []  # shared objects and what workers know them by
        self._number = 0
        if self._client is None and count > 1:
            self._start()  # they get ready while there is other work to prepare

    def _start(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._folder, self._held = temporary_folder("workers")
            self._threads = ThreadPoolExecutor(self._count)
            for _ in range(self._count):
                process = IsolatedProcess(folder=str(self._folder), quiet=self._quiet)
                process.start()
                self._processes.append(process)
                self._idle.put(process)
        return self._threads

    def map(self, function: Callable[..., Any], shared: Sequence[Any], items: Sequence[Any]) -> Iterator[Any]:
        """function(*shared, item) of every item, in their order.

        Args:
            function: of a module, not changing what it is given.
            shared: objects that all items need; sent once as long as they are the same objects.
        Raises:
            WorkersLost: a worker was killed, or ran out of memory.
        """
        if self._client is not None:
            known = [self._publish(thing) for thing in shared]
            waiting = [self._client.submit(function, *known, item, pure=False) for item in items]
            self._forget(shared)
            return iter(self._client.gather(waiting))
        if self._count == 1:
            return (function(*shared, item) for item in items)
        threads = self._start()
        known = [self._publish(thing) for thing in shared]
        return self._pooled([threads.submit(self._once, function, known, item) for item in items], shared)

    def _once(self, function: Callable[..., Any], known: list[Any], item: Any) -> Any:
        with self._process() as process:
            return process.call(_call, function, known, item)

    def _pooled(self, waiting: list[Future[Any]], shared: Sequence[Any]) -> Iterator[Any]:
        try:
            for future in waiting:
                yield future.result()
        except ProcessLost:
            raise WorkersLost(
                "a worker process was killed or ran out of memory; use fewer workers, or a larger machine"
            ) from None
        finally:
            for future in waiting:
                future.cancel()
        self._forget(shared)

    def outcomes(
        self,
        function: Callable[..., Any],
        shared: Sequence[Any],
        items: Sequence[Any],
        *,
        limits: Limits | None = None,
        retries: int = 0,
    ) -> Iterator[Outcome]:
        """How the work on every item ended, as it ends; each in a process of its own, whose loss costs that item only.

        On a cluster, too: workers of Dask start such processes.

        Args:
            function: as for `map`; function(*shared, item).
            shared: objects that all items need.
            limits: of each attempt.
            retries: further attempts where the process was lost or the time was up.
        Raises:
            WorkersLost: the processes cannot be started, or the scheduler no longer answers.
        """
        if self._client is not None:
            yield from self._clustered(function, tuple(shared), items, limits, retries)
            return
        threads = self._start()
        known = [self._publish(thing) for thing in shared]
        stop = threading.Event()

        def work(index: int, item: Any) -> Outcome:
            with self._process() as process:
                outcome = tried(process, (_call, function, known, item), limits, retries, stop)
            return replace(outcome, index=index)

        waiting = [threads.submit(work, index, item) for index, item in enumerate(items)]
        try:
            for future in as_completed(waiting):
                yield _started(future.result())
        finally:
            stop.set()
            for future in waiting:
                future.cancel()
            if not all(future.done() for future in waiting):  # left early: nobody waits for what is under way
                for process in self._processes:
                    process.kill()
        self._forget(shared)

    def _clustered(
        self,
        function: Callable[..., Any],
        shared: tuple[Any, ...],
        items: Sequence[Any],
        limits: Limits | None,
        retries: int,
    ) -> Iterator[Outcome]:
        from distributed import KilledWorker
        from distributed import as_completed as completed

        assert self._client is not None
        waiting = {
            self._client.submit(on_dask, function, shared, item, limits, retries, pure=False): index
            for index, item in enumerate(items)
        }
        try:
            for future in completed(list(waiting), loop=self._client.loop):
                index = waiting.pop(future)
                if future.status == "finished":
                    yield replace(_started(future.result()), index=index)
                elif future.status == "error":
                    error = future.exception()
                    if isinstance(error, KilledWorker):
                        error = ProcessLost(f"the Dask workers that tried it were lost: {error}")
                    yield Outcome(index, None, error, 1, 0.0, "")
                else:
                    raise WorkersLost("the scheduler no longer answers")
        finally:
            with contextlib.suppress(Exception):
                self._client.cancel(list(waiting))

    @property
    def pids(self) -> list[int]:
        """Numbers of the processes of our own."""
        return [process.pid for process in self._processes if process.pid is not None]

    @contextlib.contextmanager
    def _process(self) -> Iterator[IsolatedProcess]:
        process = self._idle.get()
        try:
            yield process
        finally:
            self._idle.put(process)

    def _publish(self, thing: Any) -> Any:
        for other, name in self._known:
            if other is thing:
                return name
        if self._client is not None:
            name = self._client.scatter(thing, hash=False)
        else:
            assert self._folder is not None
            self._number += 1
            name = str(self._folder / str(self._number))
            try:
                with open(name, "wb") as file:
                    pickle.dump(thing, file, protocol=pickle.HIGHEST_PROTOCOL)
            except OSError as error:
                raise OSError(error.errno, error.strerror, name) from None
        self._known.append((thing, name))
        return name

    def _forget(self, kept: Sequence[Any]) -> None:
        """Drop what was shared before and is not among `kept`."""
        for thing, name in self._known:
            if self._client is None and not any(thing is other for other in kept):
                os.unlink(name)
        self._known = [pair for pair in self._known if any(pair[0] is other for other in kept)]

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.close()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            if self._held >= 0:
                os.close(self._held)
            self._held = -1
        if self._client is not None:
            self._client.close()
        self._processes, self._known = [], []
        self._threads = self._folder = self._client = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _dask_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(f"scheduler: Dask is not installed; {how_to_install('dask')}") from None
    try:
        client = Client(address, timeout=_ANSWER_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"scheduler: {address!r} does not answer ({error}); start `dask scheduler`"
        ) from None
    if not client.scheduler_info()["workers"]:
        warnings.warn(f"the scheduler at {address} has no workers yet", UserWarning, stacklevel=3)
    return client


_shared: dict[str, Any] = {}  # in a worker process: what it was given last


def _call(function: Callable[..., Any], names: list[str], item: Any) -> Any:
    for name in [name for name in _shared if name not in names]:
        del _shared[name]
    for name in names:
        if name not in _shared:
            with open(name, "rb") as file:
                _shared[name] = pickle.load(file)
    return function(*(_shared[name] for name in names), item)


def _started(outcome: Outcome) -> Outcome:
    """The outcome.

    Raises:
        WorkersLost: its process could not even be started, which no other would be.
    """
    if isinstance(outcome.error, ProcessLost) and not outcome.error.began:
        raise WorkersLost(f"a worker process does not start: {outcome.error}")
    return outcome
