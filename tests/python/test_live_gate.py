# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who comes in where the live page is exposed, and where it is not."""

import socket
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest

from softcontact.live import open_scene
from softcontact.live.gate import Gate, is_loopback
from softcontact.report.chromium import ChromiumPage, find_chromium
from softcontact.scene.library import load

pytest.importorskip("viser")
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from softcontact.live.page import Page


@pytest.fixture(scope="module")
def exposed():
    """A page that other machines reach."""
    with open_scene(load("block", {})) as live, Page(live, host="0.0.0.0", port=0) as page:
        yield page


def parts(page):
    address, _, token = page.address.partition("/?token=")
    return address, token


def websocket(address, **options):
    return connect(
        address.replace("http", "ws", 1),
        subprotocols=[f"viser-v{viser.__version__}"],
        max_size=None,
        **options,
    )


def cookie(page):
    address, token = parts(page)
    return {"Cookie": f"softcontact-{address.rpartition(':')[2]}={token}"}


def test_without_the_token_neither_page_nor_websocket(exposed):
    address, token = parts(exposed)
    assert len(token) > 40
    wrong = ("/", "/index.html", "/?token=", f"/?token={token[:-1]}", f"/?token={token}x", "/?other=1")
    for path in (*wrong, "/../../etc/passwd"):
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(address + path, timeout=10)
        assert b"needs its token" in refused.value.read()
    for headers in ({}, {"Cookie": cookie(exposed)["Cookie"][:-1]}, {"Cookie": "softcontact=1"}):
        with pytest.raises(InvalidStatus, match="401"):
            websocket(address, additional_headers=headers)


def test_the_token_gives_a_cookie_and_the_cookie_the_page_and_the_websocket(exposed):
    address, token = parts(exposed)
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    answer = opener.open(exposed.address, timeout=10)
    assert b"<html" in answer.read() and token not in answer.url
    (kept,) = jar
    assert kept.value == token and kept.has_nonstandard_attr("HttpOnly")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        opener.open(address + "/%2e%2e/%2e%2e/etc/passwd", timeout=10)
    with websocket(address, additional_headers=cookie(exposed)) as channel:
        assert len(channel.recv(timeout=10)) > 0
    with websocket(exposed.address) as channel:  # a program need not keep cookies
        assert len(channel.recv(timeout=10)) > 0


def test_a_second_request_on_one_connection_shows_the_token_again(exposed):
    address, _ = parts(exposed)
    host, port = address.removeprefix("http://").split(":")
    first = (
        f"GET / HTTP/1.1\r\nHost: x\r\nCookie: {cookie(exposed)['Cookie']}\r\nConnection: keep-alive\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as channel:
        channel.sendall(first.encode() + b"GET /index.html HTTP/1.1\r\nHost: x\r\n\r\n")
        told = b""
        while piece := channel.recv(65536):
            told += piece
    assert told.count(b"HTTP/1.1 200") == 1 and told.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "sent",
    [b"", b"\x16\x03\x01\x00\xff" * 9, b"GET\r\n\r\n", b"GET http://[ HTTP/1.1\r\n\r\n", b"a" * 40_000],
)
def test_what_is_no_request_gets_nothing_and_harms_nobody(exposed, sent):
    address, _ = parts(exposed)
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as channel:
        try:
            channel.sendall(sent)
            channel.shutdown(socket.SHUT_WR)
            told = channel.recv(65536)
        except OSError:
            told = b""
    assert told == b"" or told.startswith(b"HTTP/1.1 401")
    with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(exposed.address) as answer:
        assert answer.status == 200


def test_addresses_of_this_machine_alone_need_none():
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        try:
            assert is_loopback(host)
        except OSError:
            assert host == "::1"  # a machine without IPv6
    assert not is_loopback("0.0.0.0") and not is_loopback("") and not is_loopback("192.0.2.1")


def test_a_closed_gate_lets_go_of_its_connections():
    with socket.create_server(("127.0.0.1", 0)) as behind:
        gate = Gate("127.0.0.1", 0, behind.getsockname()[1])
        request = f"GET /?token={gate.token} HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", gate.port), timeout=10) as channel:
            channel.sendall(request)
            passed, _ = behind.accept()
            with passed:
                assert passed.recv(65536) == request
                began = time.monotonic()
                gate.close()
                gate.close()
                assert channel.recv(10) == b"" and time.monotonic() - began < 5.0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", gate.port), timeout=1)


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium")
def test_a_browser_comes_in_by_the_printed_address(exposed):
    address, _ = parts(exposed)
    with ChromiumPage((500, 400)) as browser:
        browser.open(exposed.address)
        end = time.monotonic() + 60.0
        while not exposed._server.get_clients():
            assert time.monotonic() < end, "the page opened no websocket"
            time.sleep(0.1)
        assert browser.evaluate("location.href") == f"{address}/"
