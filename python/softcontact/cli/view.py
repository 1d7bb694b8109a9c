# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact view`: a scene that runs live in the browser, or the replay of one that was run."""

import contextlib
import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from softcontact.cli.console import say
from softcontact.scene.errors import SceneError

RUNS = Path("out")
PORT = 8090


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="SCENE|DIR", help="A scene (name or file) to run live, or an output folder to replay."
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="An option of the scene, see 'softcontact scenes SCENE'; may be repeated.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the live page; 0: any free one.")
    ] = PORT,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. The default is reached from this machine alone; elsewhere the page needs the "
            "token in the printed address."
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    device: Annotated[
        str, typer.Option(help="What moves a haptic tool: simulated (mouse and keys) or openhaptics.")
    ] = "simulated",
    replay: Annotated[
        bool, typer.Option("--replay", help="Open the replay of the scene's latest run instead.")
    ] = False,
) -> int:
    """Open a running scene in the browser, or the replay of a run.

    A scene runs live, to be touched and changed, until Ctrl-C; an output folder shows its replay.
    """
    page = find_replay(what, replay)
    if page is not None:
        if settings:
            raise SceneError(f"--set {settings[0]}: a replay takes no options; leave it out")
        print(page)
        _open(page.as_uri(), no_browser)
        return 0
    try:
        _live(what, settings or [], host, port, device, no_browser)
    except KeyboardInterrupt:
        say("interrupted")
    return 130


def find_replay(what: str, wanted: bool = False, runs: Path = RUNS) -> Path | None:
    """The replay page that is meant, or None for a live scene.

    An .html file and an existing folder stand for a replay, and with `wanted` so does the name of a scene: that of its
    latest run.

    Raises:
        SceneError: there is no such replay; says how to make one.
    """
    path = Path(what).expanduser()
    if path.suffix == ".html":
        if path.is_file():
            return path.resolve()
        raise SceneError(f"{path}: no such file; give the replay.html of a run")
    if path.is_dir():
        page = path / "replay.html"
        if page.is_file():
            return page.resolve()
        raise SceneError(f"{path}: holds no replay.html; run the scene without --no-replay")
    if not wanted:
        return None
    pages = _runs(what, runs)
    if not pages:
        raise SceneError(f"{what}: no run of that name in {runs}/; first 'softcontact run {what}'")
    return max(pages, key=lambda page: page.stat().st_mtime).resolve()


def _runs(name: str, runs: Path = RUNS) -> list[Path]:
    return [page for page in runs.glob("*/replay.html") if page.parent.name.rpartition("-")[0] == name]


def _live(what: str, settings: list[str], host: str, port: int, device: str, no_browser: bool) -> None:
    """Run a scene live until the user ends it.

    Raises:
        SceneError, ImportError: it cannot be shown; says why.
        KeyboardInterrupt: the user's way to end it.
    """
    from softcontact.cli.run import parse_options
    from softcontact.live import open_scene
    from softcontact.live.page import Page
    from softcontact.live.server import quiet
    from softcontact.scene.library import load

    options = parse_options(settings)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a scene file prints is not the address
            scene = load(what, options)
    except SceneError as error:
        if _runs(what):
            raise SceneError(f"{error}; 'softcontact view {what} --replay' opens its latest run") from None
        raise
    fit = "time_step" not in options
    with quiet(), open_scene(scene, device, fit=fit) as live, Page(live, host, port) as page:
        print(page.address, flush=True)
        say(f"'{scene.name}' runs; Ctrl-C ends it")
        if "token=" in page.address:
            say(
                "who has this address can drive the scene; other machines put this one's name in place of its host"
            )
        _open(page.address, no_browser)
        live.start()
        page.run()


def _open(address: str, no_browser: bool) -> None:
    """Open a page where there is somebody to look at it."""
    if no_browser or not sys.stdout.isatty():
        return
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
