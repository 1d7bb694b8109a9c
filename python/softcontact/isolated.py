# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls in a process of their own: one that hangs, crashes or takes too much memory costs that call only.

The process is kept from call to call. It is no `multiprocessing` process, which a worker of Dask must not start; it
computes with one thread, ignores Ctrl-C and the end of its terminal, and ends when whoever calls has ended, even by
kill -9.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import shutil
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

__all__ = ["IsolatedProcess", "Limits", "ProcessLost", "TimeLimitReached"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from softcontact.isolated import serve; serve(*sys.argv[2:])"
)
_BEGAN = b"began"
_TAIL = 2000  # bytes kept of what the process writes to its error stream


class ProcessLost(RuntimeError):
    """The process ended during a call; the message says how.

    Attributes:
        began: whether the call had begun; False where the process could not even be started.
        code: exit code of the process, or the number of the signal that ended it, negative.
    """

    began = True
    code: int | None = None


class TimeLimitReached(RuntimeError):
    """The call took longer than it may, and its process was ended."""


@dataclass(frozen=True)
class Limits:
    """What a call may take.

    Attributes:
        time_s: seconds from its begin, without the process's start; None: any.
        memory_bytes: private memory of its process (Linux's RLIMIT_DATA), what the program itself needs counted in;
            None: any. An allocation beyond it fails.
    Raises:
        ValueError: not above 0, or memory cannot be limited on this system.
    """

    time_s: float | None = None
    memory_bytes: float | None = None

    def __post_init__(self) -> None:
        for name, value, unit in (("time", self.time_s, "s"), ("memory", self.memory_bytes, "bytes")):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name} limit: {value} {unit}, expected a number above 0")
        if self.memory_bytes is not None and not sys.platform.startswith("linux"):
            raise ValueError("memory limit: this system cannot limit the memory of a process; leave it out")


class IsolatedProcess:
    """A process that answers one call at a time; started by the first one, and again after it was lost.

    Args:
        folder: temporary folder to remove when whoever calls is killed.
        idle_s: the process ends by itself after so long without a call.
        quiet: keep what functions print back, and tell the last line where the process is lost.
    """

    def __init__(self, *, folder: str | None = None, idle_s: float | None = None, quiet: bool = True) -> None:
        self._folder, self._idle_s, self._quiet = folder, idle_s, quiet
        self._process: subprocess.Popen[bytes] | None = None
        self._midway = False  # what comes from it next answers a call that somebody gave up
        self._tail = b""
        self._drain: threading.Thread | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, if there is none; it gets ready while the caller goes on."""
        if self._midway:
            self._drop()
        if self._process is not None:
            return
        paths = [path for path in sys.path if isinstance(path, str)]  # Python overlooks others, too
        arguments = [json.dumps(paths), self._folder or "", str(self._idle_s or "")]
        with _interrupt_blocked():  # inherited: Ctrl-C, and its end, reach all processes of a terminal
            self._process = subprocess.Popen(
                [_python(), *_flags(), "-c", _START, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if self._quiet else None,
                env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            )
        self._tail = b""
        if self._quiet:
            self._drain = threading.Thread(target=self._keep_tail, args=(self._process.stderr,), daemon=True)
            self._drain.start()

    def call(self, function: Callable[..., Any], *arguments: Any, limits: Limits | None = None) -> Any:
        """function(*arguments), computed there.

        Args:
            function: of a module that can be imported there.
            limits: of this call; None: none.
        Raises:
            ProcessLost: the process crashed or was killed.
            TimeLimitReached: the call took too long.
            BaseException: what the function raised; MemoryError where it hit its memory limit.
        """
        if self._closed:
            raise ProcessLost("its process was closed")
        limits = limits or Limits()
        frame = _framed(pickle.dumps((function, arguments, limits.memory_bytes), pickle.HIGHEST_PROTOCOL))
        fresh = self._process is None
        while True:
            self.start()
            try:
                self._midway = True
                answer = self._answer(frame, limits)
                self._midway = False
                break
            except ProcessLost as error:
                self._drop()
                if error.began or fresh or self._closed:
                    raise
                fresh = True  # it had ended while it had nothing to do
            except BaseException:  # Ctrl-C, too
                self._drop()
                raise
        good, value = pickle.loads(answer)
        if good:
            return value
        if isinstance(value, MemoryError):
            self._drop()  # the heap of one that ran out of memory is of no use
        raise value

    def kill(self) -> None:
        """End the process, and the call that it answers; the next call starts another."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def _answer(self, frame: bytes, limits: Limits) -> bytes:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        began = expired = False

        def expire() -> None:
            nonlocal expired
            expired = True
            process.kill()

        clock: threading.Timer | None = None
        try:
            process.stdin.write(frame)
            process.stdin.flush()
            _read_frame(process.stdout)
            began = True
            if limits.time_s is not None:
                clock = threading.Timer(limits.time_s, expire)
                clock.daemon = True
                clock.start()
            return _read_frame(process.stdout)
        except (OSError, EOFError):
            process.kill()
            code = process.wait()
            if expired:
                raise TimeLimitReached(f"not done after {limits.time_s:g} s") from None
            lost = ProcessLost(self._why(code))
            lost.began, lost.code = began, code
            raise lost from None
        finally:
            if clock is not None:
                clock.cancel()

    def _why(self, code: int) -> str:
        if self._drain is not None:
            self._drain.join(1.0)
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()]
        said = f"; it said: {lines[-1].strip()[:300]}" if lines else ""
        if code >= 0:
            return f"its process ended with exit code {code}{said}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        hint = " (killed, perhaps as the machine ran out of memory)" if name == "SIGKILL" else ""
        return f"its process was ended by {name}{hint}{said}"

    def _drop(self) -> None:
        process, self._process = self._process, None
        self._midway = False
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def _keep_tail(self, stream: BinaryIO) -> None:
        with stream:
            while more := os.read(stream.fileno(), 65536):
                self._tail = (self._tail + more)[-_TAIL:]


def serve(folder: str, idle_s: str) -> None:
    """In the process: answer the calls that come on standard input until it ends."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)  # what functions read and print is no part of the conversation
    os.dup2(2, 1)
    os.close(nowhere)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                waiting.put(_read_frame(calls))
        except (OSError, EOFError):
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            call = waiting.get(timeout=float(idle_s) if idle_s else None)
        except queue.Empty:
            os._exit(0)
        answers.write(_framed(_computed(call, answers)))
        answers.flush()


def _computed(call: bytes, answers: BinaryIO) -> bytes:
    """The answer to a call: (True, value) or (False, exception)."""
    try:
        function, arguments, memory = pickle.loads(call)
    except BaseException as error:
        answers.write(_framed(_BEGAN))
        return _told(error)
    answers.write(_framed(_BEGAN))
    answers.flush()
    try:
        with _memory_limited(memory):
            value = function(*arguments)
        return pickle.dumps((True, value), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        return _told(error)


def _told(error: BaseException) -> bytes:
    text = "".join(traceback.format_exception(error))
    error.add_note(f"in a process of its own:\n{text}")
    with contextlib.suppress(Exception):
        data = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)  # an exception whose arguments are not those of its class fails here, not there
        return data
    return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


@contextlib.contextmanager
def _memory_limited(limit: float | None) -> Iterator[None]:
    if limit is None:
        yield
        return
    import resource

    most = int(limit)

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(
        resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _python() -> str:
    """Path of the interpreter; sys.executable is none where Python is built into another program, such as runSofa.

    Raises:
        OSError: there is none.
    """
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    beside = [os.path.join(prefix, "bin", name) for prefix in (sys.exec_prefix, sys.base_exec_prefix)]
    for path in (sys.executable, *beside):
        if path and os.path.basename(path).lower().startswith("python") and os.access(path, os.X_OK):
            return path
    raise OSError(f"no interpreter to start a process with: sys.executable is {sys.executable!r}")


def _flags() -> list[str]:
    """Of the interpreter: modules come from where they come from here, and not from the folder it is started in."""
    alike = (("-E", sys.flags.ignore_environment), ("-s", sys.flags.no_user_site), ("-S", sys.flags.no_site))
    return ["-P", *(flag for flag, given in alike if given)]


@contextlib.contextmanager
def _interrupt_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _framed(data: bytes) -> bytes:
    return struct.pack(">Q", len(data)) + data


def _read_frame(stream: BinaryIO) -> bytes:
    """The next frame.

    Raises:
        EOFError: the stream ended.
    """
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack(">Q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
