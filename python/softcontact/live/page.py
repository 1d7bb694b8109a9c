# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live page: a running scene in the browser, by viser."""

from __future__ import annotations

import socket
import threading
from typing import Any

import numpy as np

from softcontact.extras import how_to_install
from softcontact.live.gate import Gate
from softcontact.live.panel import Panel
from softcontact.live.scene import LiveScene
from softcontact.live.server import quiet, start_server
from softcontact.live.stage import Stage, place_camera
from softcontact.live.views import ViewSwitch
from softcontact.scene.errors import SceneError

FRAME_PERIOD = 1.0 / 30.0  # s


class Page:
    """A server on this machine whose page shows a scene and drives it.

    Args:
        live: the scene; it stays the caller's to close.
        host: address to listen on; other machines reach only what is not a loopback address, and need a token there.
            Pages of other sites come in nowhere: see softcontact.live.gate.
        port: 0: any that is free.
    Attributes:
        address: of the page, with the token where one is needed.
    Raises:
        ImportError: viser is not installed; tells how to.
        SceneError: host or port cannot be had, or this version of viser cannot be guarded.
    """

    def __init__(self, live: LiveScene, host: str = "127.0.0.1", port: int = 8090) -> None:
        self.live = live
        _check_free(host, port)
        try:
            self._server, mark = start_server()
        except ImportError:
            raise ImportError(f"the live page needs the package viser; {how_to_install('live')}") from None
        self._gate: Gate | None = None
        self._stop = threading.Event()
        try:
            _forbid_tunnel(self._server)
            self._gate = Gate(host, port, self._server.get_port(), mark)
            self.address = _address(host, self._gate)
            frame = live.frame
            self._stage = Stage(self._server, live.surfaces, frame, _seen_through(live))
            self._views = None
            if frame.views:
                self._views = ViewSwitch(self._server, tuple(frame.views), 0.2 * self._stage.size)
            self._panel = Panel(self._server, live, self._stage)
            place_camera(self._server, *_view(live, self._stage))
        except BaseException:
            self.close()
            raise
        self._shown = frame.number

    def run(self) -> None:
        """Keep the page up to date until stop(), or an exception such as KeyboardInterrupt."""
        while not self._stop.wait(FRAME_PERIOD):
            self.update()

    def update(self) -> None:
        """Show the newest frame and figures."""
        frame = self.live.frame
        if frame.number != self._shown:
            self._shown = frame.number
            self._stage.show(frame)
            if self._views is not None:
                self._views.show(frame.views)
        self._panel.update()

    def stop(self) -> None:
        """End run()."""
        self._stop.set()

    def close(self) -> None:
        """Shut the server down."""
        self._stop.set()
        if self._gate is not None:
            self._gate.close()
        with quiet():
            self._server.stop()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _address(host: str, gate: Gate) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    place = f"http://{f'[{shown}]' if ':' in shown else shown}:{gate.port}"
    return place if gate.token is None else f"{place}/?token={gate.token}"


def _check_free(host: str, port: int) -> None:
    """Told before anything is started, and in the words of the command line.

    Raises:
        SceneError: host and port cannot be had; tells why.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SceneError(
            f"--host {host} --port {port}: {reason}; give an address of this machine and a free port, or --port 0 "
            "for any free one"
        ) from None


def _forbid_tunnel(server: Any) -> None:
    """The page must not be able to open this machine to the network: viser offers visitors a public address."""

    def refuse(*_: Any, **__: Any) -> None:
        return None

    server.request_share_url = refuse
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="large")


def _seen_through(live: LiveScene) -> tuple[str, ...]:
    """Hollow organs with the tool inside: those whose box holds the tool's tip at the start."""
    if live.tool is None:
        return ()
    frame = live.frame
    tip = frame.device[:3] if frame.device is not None else frame.vertices[live.tool].mean(axis=0)
    boxes = {s.name: frame.vertices[s.name] for s in live.surfaces if s.role == "organ"}
    return tuple(
        name for name, box in boxes.items() if ((tip > box.min(axis=0)) & (tip < box.max(axis=0))).all()
    )


def _view(live: LiveScene, stage: Stage) -> tuple[np.ndarray, float, np.ndarray]:
    """Centre, size and direction of the first view: on what is touched, from the front, a little above."""
    frame = live.frame
    others = [frame.vertices[s.name] for s in live.surfaces if s.body != live.tool]
    if live.tool is None or not others:
        return stage.centre, stage.size, np.array([0.35, -1.0, 0.5])
    corners = np.vstack(others)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return 0.5 * (low + high), float((high - low).max()), np.array([0.25, -1.0, 0.45])
