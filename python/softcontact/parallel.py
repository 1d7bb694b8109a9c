# SPDX-License-Identifier: LGPL-2.1-or-later
"""Work on many items: in this process, in a pool of processes, or on a Dask cluster; the same results everywhere.

The items are the caller's, never cut by the number of workers, and workers of our own compute with one thread each, so
that the last bit does not depend on who works.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Workers", "WorkersLost", "available_cores"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_ANSWER_S = 10.0  # that a scheduler may take to answer


class WorkersLost(RuntimeError):
    """A worker ended before its work did; the message says what may be done."""


def available_cores() -> int:
    """Cores that this process may use."""
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Those who work; a context manager.

    Args:
        count: processes; 1 means this one.
        scheduler: address of a Dask scheduler such as "tcp://host:8786"; `count` does not matter then.
    Raises:
        ValueError: no such count, Dask is not installed, or no scheduler answers.
    """

    def __init__(self, count: int = 1, *, scheduler: str | None = None) -> None:
        if count != int(count) or count < 1:
            raise ValueError(f"workers: {count}, expected a whole number >= 1")
        self._client = None if scheduler is None else _dask_client(scheduler)
        self._pool: ProcessPoolExecutor | None = None
        self._folder: Path | None = None
        self._known: list[tuple[Any, Any]] = []  # shared objects and what workers know them by
        self._number = 0
        if self._client is None and count > 1:
            self._folder = Path(tempfile.mkdtemp(prefix="softcontact-"))
            self._pool = ProcessPoolExecutor(
                count, multiprocessing.get_context("spawn"), _begin, (str(self._folder),)
            )
            with _one_thread():
                self._pool.submit(int)  # begins to start, while there is other work to prepare

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
        if self._pool is None:
            return (function(*shared, item) for item in items)
        known = [self._publish(thing) for thing in shared]
        with _one_thread():  # a process starts as work comes that nobody is free for
            waiting = [self._pool.submit(_call, function, known, item) for item in items]
        return self._pooled(waiting, shared)

    def _pooled(self, waiting: list[Any], shared: Sequence[Any]) -> Iterator[Any]:
        try:
            for future in waiting:
                yield future.result()
        except BrokenProcessPool:
            raise WorkersLost(
                "a worker process was killed or ran out of memory; use fewer workers, or a larger machine"
            ) from None
        finally:
            for future in waiting:
                future.cancel()
        self._forget(shared)

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
            with open(name, "wb") as file:
                pickle.dump(thing, file, protocol=pickle.HIGHEST_PROTOCOL)
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
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._client is not None:
            self._client.close()
        self._pool = self._folder = self._client = None

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
        raise ValueError("scheduler: Dask is not installed; pip install 'softcontact[dask]'") from None
    try:
        return Client(address, timeout=_ANSWER_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"scheduler: {address!r} does not answer ({error}); start `dask scheduler`"
        ) from None


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started meanwhile compute with one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_shared: dict[str, Any] = {}  # in a worker process: what it was given last


def _begin(folder: str) -> None:
    """In a worker: end, and tidy up, when the process that it works for is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _call(function: Callable[..., Any], names: list[str], item: Any) -> Any:
    for name in [name for name in _shared if name not in names]:
        del _shared[name]
    for name in names:
        if name not in _shared:
            with open(name, "rb") as file:
                _shared[name] = pickle.load(file)
    return function(*(_shared[name] for name in names), item)
