# SPDX-License-Identifier: LGPL-2.1-or-later
"""The `softcontact` commands, and how every way of failing becomes one line and an exit code."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
import typer.core

import softcontact
from softcontact.cli import (
    bench,
    device,
    doctor,
    mesh,
    run,
    scenes,
    soak,
    solve,
    sweep,
    track,
    vademecum,
    view,
)
from softcontact.cli.console import drop_streams, drop_terminal, finish_streams, prepare_streams, say
from softcontact.cli.examples import add_examples, epilog
from softcontact.whole_file import NO_SPACE, refusal


class _Commands(typer.core.TyperGroup):
    """The commands; Ctrl-C in one of them comes out, where Typer by itself only gives an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None


app = typer.Typer(
    name="softcontact",
    cls=_Commands,
    help="Contact between soft bodies, and between people and soft bodies: run scenes, measure, look.",
    epilog=epilog(""),
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(run.command)
app.command("sweep")(sweep.command)
app.command("scenes")(scenes.command)
app.command("bench")(bench.command)
app.add_typer(mesh.app, name="mesh")
device.app.command("soak")(soak.command)
app.add_typer(device.app, name="device")
app.command("solve")(solve.command)
app.add_typer(track.app, name="track")
app.add_typer(vademecum.app, name="vademecum")
app.command("view")(view.command)
app.command("doctor")(doctor.command)
add_examples(app)

# What a shell says of a program that wrote to a pipe without a reader.
PIPE_CLOSED = 128 + 13

# Click, or the copy of it inside Typer: what wrong usage raises.
_UsageError = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"softcontact {softcontact.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: words after the program's name; None means those of the process.
    Returns:
        0 done, 1 a check failed or a problem is not solved, 2 wrong usage or input, 3 the simulation stopped,
        130 interrupted, 141 the reader of the output left (what a shell tells of a program that SIGPIPE ended).
    """
    prepare_streams()
    try:
        with _stops():
            return _run(arguments)
    except BrokenPipeError:
        return PIPE_CLOSED
    finally:
        drop_streams()


def _run(arguments: list[str] | None) -> int:
    try:
        code = _call(arguments)
        finish_streams()
        return code
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return 130
    except _UsageError as error:
        text = error.format_message()
        if text.strip():
            context = getattr(error, "ctx", None)
            command = context.command_path if context is not None else "softcontact"
            end = "" if text.endswith("?") else ";"
            say(f"{text.rstrip('.')}{end} '{command} --help' tells more")
        return 2
    except MemoryError as error:
        told = f" ({error})" if str(error) else ""
        say(f"there is not enough memory for this{told}; ask for less of it, or close other programs")
        return 2
    except OSError as error:
        full = error.errno in NO_SPACE
        place = error.filename or "standard output"  # whatever else is written, tells its name
        say(refusal(place, error, what="place") if full else str(error) or type(error).__name__)
        return 2
    except (ValueError, ImportError) as error:
        say(str(error) or type(error).__name__)
        return 2


def _call(arguments: list[str] | None) -> int:
    """Call the command; its exit code.

    Raises:
        BrokenPipeError: the reader of the output has left.
    """
    try:
        result: Any = app(args=arguments, prog_name="softcontact", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Exit as done:
        return done.exit_code
    except SystemExit as done:
        # What Click, and older versions of Rich, make of a reader that has left.
        if isinstance(done.__context__, BrokenPipeError):
            raise done.__context__ from None
        raise


@contextmanager
def _stops() -> Iterator[None]:
    """A batch system's stop (SIGTERM) and the end of the terminal (SIGHUP) keep what was done so far, like Ctrl-C.

    What is ignored from outside, as by nohup, stays so.
    """

    def interrupt(number: int, _: Any) -> None:
        if number != signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)  # shell and system may both tell of the same end
            drop_terminal()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # handlers belong to the main thread
        return
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has no SIGHUP
    before = {number: signal.getsignal(number) for number in (getattr(signal, name) for name in names)}
    handled = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in handled:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is interrupt:
                signal.signal(number, before[number])
