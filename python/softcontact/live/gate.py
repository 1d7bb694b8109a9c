# SPDX-License-Identifier: LGPL-2.1-or-later
"""A door in front of the live page: other machines come in only with the token.

viser's server knows no passwords. So it listens on this machine alone, and what others reach is the gate, which reads
the head of each connection's first request and passes on, byte by byte, only those that hold the token: in the address
once (/?token=…), in a cookie from then on, the websocket's request included.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import secrets
import socket
import threading
from collections.abc import Coroutine
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

_HEAD = 16 * 1024  # bytes of a request's head
_WAIT = 10.0  # s, for the head
_PIECE = 64 * 1024  # bytes
_MOST = 64  # connections at once
_REFUSED = "This page needs its token: open the address that 'softcontact view' printed, with ?token=…\n"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address to listen on; False for what stands for all addresses.

    Raises:
        OSError, UnicodeError: no such address.
    """
    found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return all(ipaddress.ip_address(entry[4][0].partition("%")[0]).is_loopback for entry in found)


class Gate:
    """Listens on an address and passes those on to a server of this machine who hold the token.

    Args:
        host, port: to listen on; 0: any port that is free.
        server: port on 127.0.0.1 of what is behind.
    Attributes:
        port: listened on.
        token: 32 random bytes as text.
    Raises:
        OSError: host or port cannot be had.
    """

    def __init__(self, host: str, port: int, server: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self._behind = server
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        try:
            self._server = self._loop.run_until_complete(
                asyncio.start_server(self._serve, host or None, port, limit=_HEAD)
            )
        except BaseException:
            self._loop.close()
            raise
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._cookie = f"softcontact-{self.port}"
        self._thread = threading.Thread(target=self._loop.run_forever, name="softcontact-gate", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections; no thread is left."""
        if not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await self._admit(reader, writer)
        except asyncio.LimitOverrunError:
            pass  # a head longer than any browser's
        finally:
            self._tasks.discard(task)
            with contextlib.suppress(RuntimeError):
                writer.close()

    async def _admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) > _MOST:
            return
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _WAIT)
        path, given, cookie = _asked(head, self._cookie)
        if self._is_token(given):
            clean = path.replace("\\", "/")
            kept = f"{self._cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
            if not _is_upgrade(head):  # from here on by the cookie, and no token in the address bar
                place = "/" + clean.lstrip("/")
                writer.write(_answer("303 See Other", "", f"Location: {place}\r\nSet-Cookie: {kept}\r\n"))
                await writer.drain()
                return
        elif not self._is_token(cookie):
            writer.write(_answer("401 Unauthorized", _REFUSED))
            await writer.drain()
            return
        behind, ahead = await asyncio.open_connection("127.0.0.1", self._behind)
        try:
            ahead.write(_alone(head))
            if _is_upgrade(head):
                await _until_one(_pass(reader, ahead), _pass(behind, writer))
            else:  # what follows is another request, which has to come by itself
                await _until_one(_pass(behind, writer), _drop(reader))
        finally:
            ahead.close()

    def _is_token(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())


def _asked(head: bytes, cookie: str) -> tuple[str, str | None, str | None]:
    """Path, token in the address and token in the cookie of a request."""
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    try:
        url = urlsplit(words[1] if len(words) == 3 else "/")
        tokens = parse_qs(url.query).get("token")
    except ValueError:
        return "/", None, None
    found = None
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "cookie":
            with contextlib.suppress(CookieError):
                morsel = SimpleCookie(value.strip()).get(cookie)
                found = morsel.value if morsel is not None else found
    return url.path, tokens[0] if tokens else None, found


def _is_upgrade(head: bytes) -> bool:
    return b"\r\nupgrade: websocket" in head.lower()


def _alone(head: bytes) -> bytes:
    """The head with the wish that the connection ends after the answer: the next request shows the token again."""
    if _is_upgrade(head):
        return head
    lines = [line for line in head.split(b"\r\n")[:-2] if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([*lines, b"Connection: close", b"", b""])


def _answer(status: str, text: str, more: str = "") -> bytes:
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return (head + more + "Connection: close\r\nCache-Control: no-store\r\n\r\n").encode("latin-1") + body


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()


async def _drop(reader: asyncio.StreamReader) -> None:
    while await reader.read(_PIECE):
        pass
    await asyncio.Event().wait()  # who has asked all may still wait for the answer


async def _until_one(*ways: Coroutine[Any, Any, None]) -> None:
    """Run several until one ends."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
