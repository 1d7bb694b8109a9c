# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of a replay page, made by a headless Chromium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from softcontact.whole_file import write_whole

from .chromium import BrowserError, ChromiumPage, find_chromium

__all__ = ["BrowserError", "find_chromium", "screenshot"]


def screenshot(
    replay_path: str | Path,
    png_path: str | Path,
    *,
    time: float | None = None,
    size: tuple[int, int] = (1280, 800),
    camera: Sequence[float] | None = None,
    panels: bool = True,
    theme: str = "light",
    view: Mapping[str, str] | None = None,
    scale: float = 1.0,
    timeout: float = 60.0,
) -> Path:
    """Save a picture of a replay at one time.

    Args:
        replay_path: page written by `write_replay`.
        png_path: picture to write; its folder must exist.
        time: simulated time [s], clamped to the recording; None: the middle of the recording.
        size: width and height of the window [CSS pixels].
        camera: azimuth, elevation [degrees], and optionally distance [m], and optionally target x, y, z [m];
            None: the page's first view.
        panels: whether the panels around the picture are shown.
        theme: "light" or "dark".
        view: further parts of the page's address, as {"forces": "0", "ghost": "object", "hide": "skin"}.
        scale: pixels of the picture per CSS pixel.
        timeout: longest wait for the browser [s].
    Returns:
        The path written.
    Raises:
        ValueError: no such replay, or size, theme or camera out of range.
        BrowserError: no Chromium was found, or it could not show the page (message of the page).
    """
    replay_path, png_path = Path(replay_path), Path(png_path)
    if not replay_path.is_file():
        raise ValueError(f"replay_path: no file {str(replay_path)!r}; write it with write_replay first")
    if not all(16 <= pixels <= 8192 for pixels in size):
        raise ValueError(f"size: {size}, expected width and height in 16..8192")
    if theme not in ("light", "dark"):
        raise ValueError(f"theme: {theme!r}, expected 'light' or 'dark'")
    if camera is not None and len(camera) not in (2, 3, 6):
        raise ValueError(
            f"camera: {len(camera)} numbers, expected 2, 3 or 6 (azimuth, elevation, distance, target)"
        )
    address = {"theme": theme, "panels": str(int(panels)), **(view or {})}
    if camera is not None:
        address["cam"] = ",".join(f"{number:.9g}" for number in camera)
    with ChromiumPage(size, scale=scale, timeout=timeout) as page:
        page.goto(replay_path, urlencode(address))
        page.evaluate("softcontactReplay.whenReady.then(() => true)")
        if time is None:
            page.evaluate("softcontactReplay.setFrame(Math.floor(softcontactReplay.frameCount / 2))")
        else:
            page.evaluate(f"softcontactReplay.setTime({float(time)!r})")
        # Two animation frames: the first one puts the drawn picture on its way to the screen.
        page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        write_whole(png_path, page.screenshot())
    return png_path
