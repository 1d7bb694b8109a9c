# SPDX-License-Identifier: LGPL-2.1-or-later
"""The door of the live page, which looks at the first request of each connection before viser gets it.

viser's server knows neither passwords nor where a page comes from, and a page of any other site may connect to this
machine. The gate passes on, byte by byte, what this page itself sends: requests whose origin is the host that they ask.
Where this machine alone reaches it, that host has to be one of its loopback names. Where others do, they come in with
the token: in the address once (/?token=…), in a cookie from then on, the websocket's request included.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from softcontact.live.head import Head

_HEAD = 16 * 1024  # bytes of a request's head
_WAIT = 10.0  # s, for the head
_PIECE = 64 * 1024  # bytes
_MOST = 64  # connections passed on at once
_MOST_WAITING = 64  # whose head has not come
_BACKLOG = 512  # that the system keeps until they are looked at
_OPEN = "open the address that 'softcontact view' printed"
_REFUSED = f"This page needs its token: {_OPEN}, with ?token=…\n"
_NO_NAME = f"This page answers to localhost and loopback addresses alone: {_OPEN}\n"
_FOREIGN = f"This page takes no requests from pages of other origins: {_OPEN}\n"
_FULL = "This page has too many connections: close some of its tabs\n"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address to listen on; False for what stands for all addresses.

    Raises:
        OSError, UnicodeError: no such address.
    """
    found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return all(ipaddress.ip_address(entry[4][0].partition("%")[0]).is_loopback for entry in found)


class Gate:
    """Listens on an address and passes requests of the page itself on to a server of this machine.

    Args:
        host, port: to listen on; 0: any port that is free.
        server: port on 127.0.0.1 of what is behind.
        mark: header line by which what is behind knows the gate.
    Attributes:
        port: listened on.
        token: 32 random bytes as text, which those who come in have to hold; None where only this machine reaches it.
    Raises:
        OSError: host or port cannot be had.
    """

    def __init__(self, host: str, port: int, server: int, mark: str) -> None:
        self.token = None if is_loopback(host) else secrets.token_urlsafe(32)
        self._names = (host.lower(),)
        self._behind, self._mark = server, mark
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[asyncio.StreamWriter, str] = {}  # for heads, the oldest first; whose
        self._passed = 0
        self._loop = asyncio.new_event_loop()
        try:
            self._server = self._loop.run_until_complete(
                asyncio.start_server(self._serve, host or None, port, limit=_HEAD, backlog=_BACKLOG)
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
            # Cancelled: by _end(); older versions of asyncio complain of tasks that end so.
            with contextlib.suppress(
                OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError
            ):
                head = Head(await self._head(reader, writer))
                answer = self._answer_at_door(head)
                if answer is not None:
                    writer.write(answer)
                    await writer.drain()
                else:
                    await self._pass_on(head, reader, writer)
        except asyncio.LimitOverrunError:
            pass  # a head longer than any browser's
        finally:
            self._tasks.discard(task)
            with contextlib.suppress(RuntimeError):
                writer.close()

    async def _head(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """The head, once it has come. Who keeps many waiting loses the one that has waited longest."""
        if len(self._waiting) >= _MOST_WAITING:
            busiest = Counter(self._waiting.values()).most_common(1)[0][0]
            oldest = next(other for other, peer in self._waiting.items() if peer == busiest)
            del self._waiting[oldest]
            oldest.transport.abort()
        self._waiting[writer] = str((writer.get_extra_info("peername") or ("",))[0])
        try:
            return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _WAIT)
        finally:
            self._waiting.pop(writer, None)

    def _answer_at_door(self, head: Head) -> bytes | None:
        """What is answered here; None: what is behind shall answer."""
        if self.token is None and not head.is_local(self._names):
            return _answer("403 Forbidden", _NO_NAME)
        if head.is_foreign():
            return _answer("403 Forbidden", _FOREIGN)
        if self.token is not None:
            if _is_same(head.token, self.token):
                if not head.upgrade:  # from here on by the cookie, and no token in the address bar
                    place = "/" + head.path.replace("\\", "/").lstrip("/")
                    kept = f"{self._cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
                    return _answer("303 See Other", "", f"Location: {place}\r\nSet-Cookie: {kept}\r\n")
            elif not _is_same(head.cookie(self._cookie), self.token):
                return _answer("401 Unauthorized", _REFUSED)
        return _answer("503 Service Unavailable", _FULL) if self._passed >= _MOST else None

    async def _pass_on(self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._passed += 1
        try:
            behind, ahead = await asyncio.open_connection("127.0.0.1", self._behind)
            try:
                ahead.write(head.passed_on(self._mark))
                if head.upgrade:
                    await _until_one(_pass(reader, ahead), _pass(behind, writer))
                else:  # what follows is another request, which has to come by itself
                    await _until_one(_pass(behind, writer), _drop(reader))
            finally:
                ahead.close()
        finally:
            self._passed -= 1


def _is_same(given: str | None, token: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode(), token.encode())


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
