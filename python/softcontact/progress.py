# SPDX-License-Identifier: LGPL-2.1-or-later
"""Progress of a run on a terminal's error stream (nothing when it is no terminal), and its memory."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_INTERVAL_S = 0.1  # a redraw costs about a millisecond


class _Forgiving:
    """A terminal's stream that may go away: this must not end the work whose progress is shown."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def _console() -> Any:
    from rich.console import Console

    return Console(file=_Forgiving(sys.stderr))  # type: ignore[arg-type]


@contextmanager
def run_progress(steps: int, time_step: float, *, shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show steps done, simulated time and real-time factor.

    Args:
        steps: number of steps to come.
        time_step: [s].
        shown: False shows nothing.
    Yields:
        A function to call with the number of steps done.
    """
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn(
            "{task.percentage:3.0f} %  {task.fields[time]:.2f} s  {task.fields[factor]:.2f} x real time"
        ),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_console(), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("run", total=steps, time=0.0, factor=0.0)
        started = last = time.perf_counter()

        def tick(done: int) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last < _INTERVAL_S and done < steps:
                return
            last = now
            factor = done * time_step / max(now - started, 1e-9)
            bar.update(task, completed=done, time=done * time_step, factor=factor)
            bar.refresh()

        yield tick


@contextmanager
def count_progress(
    what: str, total: int, done: int = 0, *, shown: bool = True
) -> Iterator[Callable[[int, int], None]]:
    """Show how many things of a longer work are done, how many of them failed, and the time that remains.

    Args:
        what: they are, in the plural.
        total: number of them.
        done: before this began; the remaining time is judged by what is done from now on.
        shown: False shows nothing.
    Yields:
        A function to call with the numbers of those done and of those failed.
    """
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, failed: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Times(ProgressColumn):
        """Time taken, and the time that remains at the mean rate so far; Rich's own leaves out the first thing."""

        def render(self, task: Task) -> Text:
            taken, new = task.elapsed or 0.0, task.completed - done
            left = _clock(taken / new * (total - task.completed)) if new > 0 else "?"
            return Text(f"{_clock(taken)}, {left} remaining")

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}{task.fields[failed]}"),
        Times(),
    )
    with Progress(*columns, console=_console(), transient=True, refresh_per_second=2) as bar:
        task = bar.add_task(what, total=total, completed=done, failed="")

        def tick(done: int, failed: int) -> None:
            bar.update(task, completed=done, failed=f", {failed} not passed" if failed else "")

        yield tick


def _clock(seconds: float) -> str:
    """A time as 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def peak_memory(workers: int = 0) -> int | None:
    """Most memory that this process has taken [bytes]; None where the system does not tell.

    Args:
        workers: ended child processes that worked at once; the largest child's is added so many times.
    """
    try:
        import resource
    except ImportError:
        return None
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if workers:
        taken += workers * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return taken * (1 if sys.platform == "darwin" else 1024)
