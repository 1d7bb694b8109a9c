# SPDX-License-Identifier: LGPL-2.1-or-later
"""The head of a request to the live page: what it asks for, and who sends it."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

_PORTS = {"http": 80, "https": 443}


class Head:
    """The head of a request.

    Args:
        data: its bytes, the blank line at the end included. Nothing is refused: what is missing is empty.
    Attributes:
        path: that it asks for, without what follows a question mark.
        token: in the address, if there is one.
        upgrade: whether it asks for a websocket.
    """

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\r\n")[:-2]
        first, *others = (line.decode("latin-1") for line in self._lines or [b""])
        pairs = (line.partition(":") for line in others)
        self._fields = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
        words = first.split(" ")
        self.path = "/"
        self.token: str | None = None
        with contextlib.suppress(ValueError):
            url = urlsplit(words[1] if len(words) == 3 else "/")
            tokens = parse_qs(url.query).get("token")
            self.path, self.token = url.path, tokens[0] if tokens else None
        self.upgrade = any(value.lower() == "websocket" for value in self._values("upgrade"))

    def cookie(self, name: str) -> str | None:
        """Value of a cookie."""
        found = None
        for value in self._values("cookie"):
            with contextlib.suppress(CookieError):
                morsel = SimpleCookie(value).get(name)
                found = morsel.value if morsel is not None else found
        return found

    def is_local(self, names: Collection[str] = ()) -> bool:
        """Whether it asks this machine by a loopback address, as localhost, or by one of some names, at any port.

        The port may be another one than ours: that of an ssh or an editor that passes ours on. A name that some page
        has pointed at this machine (DNS rebinding) is none of these.
        """
        hosts = self._values("host")
        place = _place(hosts[0], "http") if len(hosts) == 1 else None
        if place is None:
            return False
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(place[0]).is_loopback
        return place[0] == "localhost" or place[0] in names

    def is_foreign(self) -> bool:
        """Whether a page of another place sends it: its origin is not the host and port that it asks."""
        hosts = self._values("host")
        for origin in self._values("origin"):
            scheme, _, rest = origin.partition("://")
            asked = _place(hosts[0], scheme.lower()) if len(hosts) == 1 else None
            if asked is None or _place(rest, scheme.lower()) != asked:
                return True
        return False

    def passed_on(self, line: str) -> bytes:
        """The head with one more line, and the wish that the connection ends after the answer; a websocket goes on."""
        lines = [k for k in self._lines if self.upgrade or not k.lower().startswith(b"connection:")]
        if not self.upgrade:
            lines.append(b"Connection: close")
        return b"\r\n".join([*lines, line.encode("latin-1"), b"", b""])

    def _values(self, name: str) -> list[str]:
        return [value for field, value in self._fields if field == name]


def _place(text: str, scheme: str) -> tuple[str, int] | None:
    """Host, in small letters, and port of `host:port`; None where it is not of that form."""
    try:
        url = urlsplit(f"//{text}")
        host, port = url.hostname, url.port
    except ValueError:
        return None
    if host is None or url.netloc != text or "@" in text or scheme not in _PORTS:
        return None
    return host, _PORTS[scheme] if port is None else port
