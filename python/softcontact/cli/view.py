# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact view`."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from softcontact.scene.errors import SceneError


def command(
    what: Annotated[
        str, typer.Argument(metavar="DIR|SCENE", help="Output folder of a run, or a scene's name.")
    ],
) -> int:
    """Open a run's replay in the browser, or print where it is; the latest run for a scene's name."""
    page = find_replay(what)
    print(page)
    if sys.stdout.isatty() and (
        sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        webbrowser.open(page.as_uri())
    return 0


def find_replay(what: str, runs: Path = Path("out")) -> Path:
    """The replay page of an output folder, or of a scene's latest run.

    Raises:
        SceneError: there is none; says how to make one.
    """
    path = Path(what).expanduser()
    if path.is_file() and path.suffix == ".html":
        return path.resolve()
    if path.is_dir():
        page = path / "replay.html"
        if page.is_file():
            return page.resolve()
        raise SceneError(f"{path}: holds no replay.html; run the scene without --no-replay")
    pages = [p for p in runs.glob("*/replay.html") if p.parent.name.rpartition("-")[0] == what]
    if pages:
        return max(pages, key=lambda page: page.stat().st_mtime).resolve()
    raise SceneError(
        f"{what}: no such folder and no run of that name in {runs}/; first 'softcontact run {what}'"
    )
