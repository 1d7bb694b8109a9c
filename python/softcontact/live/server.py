# SPDX-License-Identifier: LGPL-2.1-or-later
"""viser's server, on a port of this machine that answers to the gate alone.

A page of another site, and another user of this machine, may try all its ports; so the server wants a secret in the
head of each request, which the gate adds.
"""

from __future__ import annotations

import hmac
import http
import http.client
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from softcontact.scene.errors import SceneError

_FIELD = "X-SoftContact-Gate"
_LOCK = threading.Lock()


def start_server() -> tuple[Any, str]:
    """viser's server, and the header line that it wants to see.

    Raises:
        ImportError: viser is not installed.
        SceneError: this version of viser cannot be guarded.
    """
    import viser

    secret = secrets.token_urlsafe(32)
    with _LOCK, _guarded(secret), quiet():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    if not _refuses_strangers(server.get_port()):
        server.stop()
        raise SceneError(
            f"viser {viser.__version__}: its server cannot be guarded; pip install 'viser==1.1.1'"
        )
    return server, f"{_FIELD}: {secret}"


@contextmanager
def quiet() -> Iterator[None]:
    """viser prints through Rich's own console, and addresses that lead to the server behind the gate."""
    import rich

    before = rich.get_console().quiet
    rich.reconfigure(quiet=True)
    try:
        yield
    finally:
        rich.reconfigure(quiet=before)


@contextmanager
def _guarded(secret: str) -> Iterator[None]:
    """Servers that websockets starts meanwhile want the secret; viser has no option for that."""
    import websockets.asyncio.server as library

    serve = library.serve

    def guarded_serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        return serve(*arguments, process_request=_asking(secret, process_request), **options)

    library.serve = guarded_serve  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        library.serve = serve  # type: ignore[misc]


def _asking(secret: str, process_request: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any]:
    def process(connection: Any, request: Any) -> Any:
        shown = request.headers.get_all(_FIELD)
        if not any(hmac.compare_digest(value.encode(), secret.encode()) for value in shown):
            return connection.respond(
                http.HTTPStatus.FORBIDDEN, "This port answers to the live page alone.\n"
            )
        return None if process_request is None else process_request(connection, request)

    return process


def _refuses_strangers(port: int) -> bool:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as stranger:
        stranger.request("GET", "/")
        return stranger.getresponse().status == http.HTTPStatus.FORBIDDEN
