# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the command line says, and to which stream."""

import contextlib
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table

from softcontact.messages import limit_text


def prepare_streams() -> None:
    """Make every text printable: a stream that cannot show a letter shows a substitute."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def finish_streams() -> None:
    """Bring out what the streams still hold back.

    Raises:
        OSError: one cannot take it: the disk is full, or (BrokenPipeError) its reader has left.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def drop_streams() -> None:
    """Let go of what a stream could not take, or the interpreter tries again at its exit and complains."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            _send_nowhere(stream)


def drop_terminal() -> None:
    """Let go of streams whose terminal has gone, or what is said while results are kept would fail."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not os.isatty(stream.fileno()):
                _send_nowhere(stream)


def _send_nowhere(stream: Any) -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def say(text: str) -> None:
    """One line on the error stream; where that takes none, the exit code has to say it."""
    with contextlib.suppress(OSError):
        print(f"softcontact: {' '.join(str(text).split())}", file=sys.stderr)


@contextlib.contextmanager
def warnings_said(category: type[Warning]) -> Iterator[None]:
    """Say warnings of a category as they come, one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", category)
        warnings.showwarning = lambda message, *_: say(f"warning: {message}")
        yield


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        # Rich would end with 1, which means here that a check failed.
        raise BrokenPipeError


def console() -> Console:
    """Standard output; no colours and no line breaks inside cells when it is no terminal."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return _Console(no_color=not terminal, width=None if terminal else 160, highlight=False, emoji=False)


def tell_and_keep(tell: Callable[[], None], keep: Callable[[], None]) -> None:
    """Tell a result, then write it: a full disk must not lose the one, nor a reader who has left the other."""
    try:
        tell()
    finally:
        keep()


def mark(passed: bool) -> str:
    """A tick or a cross, or words where the stream has no such letters."""
    try:
        "✓✗".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return "ok" if passed else "FAILED"
    return "[green]✓[/]" if passed else "[red]✗[/]"


def show_summary(summary: dict[str, Any], out: Any) -> None:
    """The terminal's view of a run: figures, checks and where the files are."""
    screen = console()
    table = Table(show_header=False, box=None, pad_edge=False)
    step = summary["step_ms"]
    table.add_row("scene", f"{summary['scene']} ({summary['engine']})")
    table.add_row("steps", f"{summary['steps']}, {summary['simulated_time_s']:.4g} s simulated")
    table.add_row(
        "speed",
        f"{summary['real_time_factor']:.3g} x real time, {step['mean']:.3g} ms a step, p99 {step['p99']:.3g}",
    )
    table.add_row("contacts", f"mean {summary['contacts']['mean']:.1f}, max {summary['contacts']['max']}")
    table.add_row("solved", f"{100 * summary['converged_fraction']:.2f} % of the steps to tolerance")
    screen.print(table)
    if summary["checks"]:
        checks = Table("", "check", "value", "limit", "unit", box=None, pad_edge=False)
        for check in summary["checks"]:
            value = "not finite" if check["value"] is None else f"{check['value']:.4g}"
            checks.add_row(mark(check["passed"]), check["name"], value, limit_text(check), check["unit"])
        screen.print(checks)
    if summary.get("checks_not_reached"):
        screen.print("not reached: " + ", ".join(summary["checks_not_reached"]), markup=False)
    if out is not None:
        replay = Path(out) / "replay.html"
        hint = f"; open {replay} in a browser" if replay.is_file() else ""
        screen.print(f"written to {out}{hint}", markup=False, soft_wrap=True)
