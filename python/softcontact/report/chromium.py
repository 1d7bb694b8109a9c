# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium driven through its DevTools pipe, with the standard library only.

The bare --screenshot flag shoots before the recording is unpacked; here the page says when it is ready.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from softcontact.whole_file import temporary_folder

__all__ = ["BrowserError", "ChromiumPage", "find_chromium"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
MAC_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-quic", "--hide-scrollbars"),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
    ),
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
    *("--force-color-profile=srgb", "--disable-dev-shm-usage"),
)


class BrowserError(RuntimeError):
    """The browser could not be found, started, or did not do what it was asked."""


def find_chromium() -> str | None:
    """Path of a Chromium or Chrome, or None. The environment variable SOFTCONTACT_CHROMIUM comes first."""
    chosen = os.environ.get("SOFTCONTACT_CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    return next((path for path in map(shutil.which, (*NAMES, *MAC_PATHS)) if path), None)


class ChromiumPage:
    """One page of a headless Chromium; a context manager.

    Attributes:
        errors: messages of uncaught exceptions and of console.error, since the start.
        requests: addresses the page asked for.
    Raises:
        BrowserError: no Chromium, it ended early, or it did not answer within `timeout` [s].
    """

    def __init__(
        self, size: tuple[int, int] = (1280, 800), *, scale: float = 1.0, timeout: float = 60.0
    ) -> None:
        self.size, self.scale, self.timeout = size, scale, timeout
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._buffer = b""
        self._count = 0

    def __enter__(self) -> ChromiumPage:
        if os.name == "nt":
            raise BrowserError(
                "pictures need a Chromium driven through a pipe, which works on Linux and macOS only"
            )
        program = find_chromium()
        if program is None:
            raise BrowserError(
                "no Chromium or Chrome found; install one (Debian: apt install chromium) or set "
                "SOFTCONTACT_CHROMIUM to its path"
            )
        self._profile, self._held = temporary_folder("chromium")
        flags = [*FLAGS, f"--user-data-dir={self._profile}", f"--window-size={self.size[0]},{self.size[1]}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # as root Chromium refuses to start otherwise
        flags += os.environ.get("SOFTCONTACT_CHROMIUM_FLAGS", "").split()
        # The browser speaks the protocol on descriptors 3 (in) and 4 (out); the shell puts our pipes there.
        self._process = subprocess.Popen(
            [
                "sh",
                "-c",
                'exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@"',
                "sh",
                program,
                *flags,
                "about:blank",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._attach()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(BrowserError):
            self._call("Browser.close", session=False)
        self._close()

    def goto(self, path: str | Path, fragment: str = "") -> None:
        """Open a file of this machine; `fragment` is the part of the address after '#'."""
        self.open(Path(path).resolve().as_uri() + ("#" + fragment if fragment else ""))

    def open(self, address: str) -> None:
        """Open an address."""
        self._call("Page.navigate", url=address)
        self._wait(lambda event: event.get("method") == "Page.loadEventFired", "the page to load")

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression; promises are awaited."""
        answer = self._call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            raise BrowserError(f"the page failed: {text}")
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a letter's key and let it go."""
        code = {"key": key, "code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper())}
        self._call("Input.dispatchKeyEvent", type="keyDown", text=key, **code)
        self._call("Input.dispatchKeyEvent", type="keyUp", **code)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 10) -> None:
        """Move the mouse from one place of the page to another with its left button down [CSS pixels]."""
        self._mouse("mouseMoved", start)
        self._mouse("mousePressed", start, button="left", buttons=1, clickCount=1)
        for step in range(1, steps + 1):
            share = step / steps
            self._mouse(
                "mouseMoved",
                (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])),
                button="left",
                buttons=1,
            )
        self._mouse("mouseReleased", end, button="left", clickCount=1)

    def screenshot(self) -> bytes:
        """The visible page as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def _mouse(self, kind: str, at: tuple[float, float], **more: Any) -> None:
        self._call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], **more)

    def _attach(self) -> None:
        self._session: str | None = None
        targets = self._call("Target.getTargets", session=False)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        answer = self._call("Target.attachToTarget", session=False, targetId=page["targetId"], flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._call(f"{domain}.enable")
        width, height = self.size
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=self.scale,
            mobile=False,
        )

    def _close(self) -> None:
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        shutil.rmtree(self._profile, ignore_errors=True)
        os.close(self._held)

    def _call(self, method: str, *, session: bool = True, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self._session
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\0")
            self._process.stdin.flush()
        except OSError:
            raise BrowserError(f"Chromium ended before {method}") from None
        answer = self._wait(lambda m, wanted=self._count: m.get("id") == wanted, method)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def _wait(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        deadline = time.monotonic() + self.timeout
        while True:
            while b"\0" in self._buffer:
                text, self._buffer = self._buffer.split(b"\0", 1)
                message = json.loads(text)
                self._note(message)
                if wanted(message):
                    return message
            remaining = deadline - time.monotonic()
            if remaining <= 0.0 or not select.select([self._process.stdout], [], [], remaining)[0]:
                raise BrowserError(f"Chromium did not answer within {self.timeout} s, waiting for {what}")
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            if not part:
                raise BrowserError(f"Chromium ended while waiting for {what}")
            self._buffer += part

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.errors.append(
                " ".join(str(a.get("value", a.get("description"))) for a in parameters["args"])
            )
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
