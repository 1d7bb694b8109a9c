# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who comes in where the live page is exposed, and where it is not."""

import contextlib
import http.client
import socket
import threading
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest

from softcontact.live import open_scene
from softcontact.live.gate import Gate, is_loopback
from softcontact.live.head import Head
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


@pytest.fixture(scope="module")
def local():
    """A page that this machine alone reaches."""
    with open_scene(load("block", {})) as live, Page(live, port=0) as page:
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


def head(*lines):
    return Head("\r\n".join(["GET / HTTP/1.1", *lines, "", ""]).encode())


@pytest.mark.parametrize(
    ("host", "own"),
    [
        *(
            (host, True)
            for host in ("localhost:8090", "LocalHost:1", "localhost", "127.0.0.1:8090", "127.9.8.7")
        ),
        *((host, True) for host in ("[::1]:8090", "[::1]", "this-machine:8090")),
        *(
            (host, False)
            for host in ("rebound.example:8090", "localhost.rebound.example", "192.0.2.1:8090", "0.0.0.0")
        ),
        *(
            (host, False)
            for host in ("localhost@rebound.example", "localhost:8090/x", "localhost:port", "", "[::1")
        ),
    ],
)
def test_a_name_that_may_lead_elsewhere_is_not_this_machine(host, own):
    assert head(f"Host: {host}").is_local(("this-machine",)) is own
    assert not head(f"Host: {host}", "Host: localhost").is_local(("this-machine",))
    assert not head().is_local()


@pytest.mark.parametrize(
    ("host", "origin", "foreign"),
    [
        ("localhost:8090", "http://localhost:8090", False),
        ("localhost:41234", "http://localhost:41234", False),  # passed on by an ssh or an editor
        ("localhost", "https://LOCALHOST", False),
        ("localhost:443", "https://localhost", False),
        ("[::1]:8090", "http://[::1]:8090", False),
        ("localhost:8090", "http://localhost:3000", True),
        ("localhost:8090", "http://localhost", True),
        ("localhost:8090", "http://127.0.0.1:8090", True),
        ("127.0.0.1:8090", "https://other.example", True),
        ("localhost:8090", "null", True),
        ("localhost:8090", "", True),
        ("localhost:8090", "file://localhost:8090", True),
        ("localhost:8090", "http://localhost:8090/", True),
        ("localhost:8090", "http://x@localhost:8090", True),
    ],
)
def test_a_page_of_another_place_is_foreign(host, origin, foreign):
    assert head(f"Host: {host}", f"Origin: {origin}").is_foreign() is foreign
    assert not head(f"Host: {host}").is_foreign()
    assert head(f"Host: {host}", f"Origin: http://{host}", "Origin: null").is_foreign()
    assert head(f"Origin: {origin}").is_foreign()


def test_pages_of_other_sites_get_no_websocket(local, exposed):
    for page, more in ((local, {}), (exposed, cookie(exposed))):
        address, _ = parts(page)
        for origin in ("https://other.example", "http://localhost:1", "null"):
            with pytest.raises(InvalidStatus, match="403") as refused:
                websocket(address, origin=origin, additional_headers=more)
            assert refused.value.response.body.count(b"\n") == 1
        for own in (None, address):
            with websocket(address, origin=own, additional_headers=more) as channel:
                assert len(channel.recv(timeout=10)) > 0


def test_a_name_that_points_at_this_machine_gets_nothing(local):
    address, token = parts(local)
    assert token == ""
    for host, status in (("rebound.example:8090", 403), ("localhost:41234", 200), ("127.0.0.1", 200)):
        with contextlib.closing(
            http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
        ) as asked:
            asked.request("GET", "/", headers={"Host": host})
            answer = asked.getresponse()
            told = answer.read()
        assert answer.status == status
        assert (
            b"answers to localhost" in told and told.count(b"\n") == 1 if status == 403 else b"<html" in told
        )


def test_the_server_behind_answers_to_the_gate_alone(local, exposed):
    for page in (local, exposed):
        behind = f"http://127.0.0.1:{page._server.get_port()}"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(behind, timeout=10)
        for more in ({}, {"X-SoftContact-Gate": "x"}):
            with pytest.raises(InvalidStatus, match="403"):
                websocket(behind, additional_headers=more)


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch):
    monkeypatch.setattr("softcontact.live.server._guarded", lambda secret: contextlib.nullcontext())
    with (
        open_scene(load("block", {})) as live,
        pytest.raises(ValueError, match="cannot be guarded; pip install"),
    ):
        Page(live, port=0)


def test_a_crowd_that_sends_nothing_keeps_nobody_out(exposed, caplog):
    address, _ = parts(exposed)
    place = address.removeprefix("http://").split(":")
    with contextlib.ExitStack() as crowd:
        for _ in range(300):
            crowd.enter_context(socket.create_connection((place[0], int(place[1])), timeout=10))
        began = time.monotonic()
        request = urllib.request.Request(address, headers=cookie(exposed))
        assert b"<html" in urllib.request.urlopen(request, timeout=10).read()
        with websocket(address, additional_headers=cookie(exposed)) as channel:
            assert len(channel.recv(timeout=10)) > 0
            assert time.monotonic() - began < 1.0
            assert len(exposed._gate._waiting) <= 64
    assert not caplog.records


def test_a_crowd_of_one_peer_costs_itself():
    with socket.create_server(("127.0.0.1", 0)) as behind:
        gate = Gate("127.0.0.1", 0, behind.getsockname()[1], "Mark: 1")
        try:
            with contextlib.ExitStack() as crowd:
                other = crowd.enter_context(
                    socket.create_connection(("127.0.0.1", gate.port), 10, ("127.0.0.2", 0))
                )
                loud = [
                    crowd.enter_context(socket.create_connection(("127.0.0.1", gate.port), 10))
                    for _ in range(70)
                ]
                assert loud[0].recv(10) == b""  # the one that has waited longest
                other.sendall(b"GET / HTTP/1.1\r\nHost: no.example\r\n\r\n")
                assert other.recv(65536).startswith(b"HTTP/1.1 403")
        finally:
            gate.close()


def test_too_many_connections_are_told(monkeypatch):
    monkeypatch.setattr("softcontact.live.gate._MOST", 2)
    with socket.create_server(("127.0.0.1", 0)) as behind:
        gate = Gate("127.0.0.1", 0, behind.getsockname()[1], "Mark: 1")
        request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try:
            with contextlib.ExitStack() as those:
                for _ in range(2):
                    channel = those.enter_context(socket.create_connection(("127.0.0.1", gate.port), 10))
                    channel.sendall(request)
                    those.enter_context(behind.accept()[0])
                late = those.enter_context(socket.create_connection(("127.0.0.1", gate.port), 10))
                late.sendall(request)
                assert b"503 Service Unavailable" in late.recv(65536)
        finally:
            gate.close()


def test_addresses_of_this_machine_alone_need_none():
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        try:
            assert is_loopback(host)
        except OSError:
            assert host == "::1"  # a machine without IPv6
    assert not is_loopback("0.0.0.0") and not is_loopback("") and not is_loopback("192.0.2.1")


def test_a_closed_gate_lets_go_of_its_connections(caplog):
    with socket.create_server(("127.0.0.1", 0)) as behind:
        gate = Gate("127.0.0.1", 0, behind.getsockname()[1], "Mark: 1")
        request = b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        with socket.create_connection(("127.0.0.1", gate.port), timeout=10) as channel:
            channel.sendall(request + b"\r\n")
            passed, _ = behind.accept()
            with passed:
                assert passed.recv(65536) == request + b"Mark: 1\r\n\r\n"
                began = time.monotonic()
                gate.close()
                gate.close()
                assert channel.recv(10) == b"" and time.monotonic() - began < 5.0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", gate.port), timeout=1)
    assert not caplog.records


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


@contextlib.contextmanager
def passed_on(port):
    """A port of this machine that passes on to another, as ssh -L and editors do."""

    def pump(source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)

    def serve(door):
        with contextlib.suppress(OSError):
            while True:
                near, far = door.accept()[0], socket.create_connection(("127.0.0.1", port))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=serve, args=(door,), daemon=True).start()
        yield door.getsockname()[1]


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium")
def test_a_browser_comes_in_through_a_passed_on_port_and_a_foreign_page_does_not(local, tmp_path):
    address, _ = parts(local)
    probe = f"""new Promise(done => {{
        const channel = new WebSocket("{address.replace("http", "ws", 1)}", "viser-v{viser.__version__}");
        channel.onopen = () => done("open"); channel.onclose = () => done("closed"); }})"""
    (tmp_path / "foreign.html").write_text("<html></html>")
    with ChromiumPage((500, 400)) as browser:
        browser.goto(tmp_path / "foreign.html")
        assert browser.evaluate(probe) == "closed"
        browser.open(address)
        assert browser.evaluate(probe) == "open"
        browser.open("about:blank")
        end = time.monotonic() + 60.0
        while local._server.get_clients():
            assert time.monotonic() < end
            time.sleep(0.1)
        with passed_on(int(address.rpartition(":")[2])) as port:
            browser.open(f"http://localhost:{port}")
            while not local._server.get_clients():
                assert time.monotonic() < end, "the page opened no websocket"
                time.sleep(0.1)
            assert not browser.errors
