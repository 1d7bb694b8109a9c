# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live page: its server and command line, and (marker `browser`) what happens in a headless Chromium."""

import io
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest
from test_live import FALL

from softcontact.cli import main
from softcontact.live import open_scene
from softcontact.live.panel import _plain, _step
from softcontact.report.chromium import ChromiumPage, find_chromium
from softcontact.scene import Scene
from softcontact.scene.library import load

pytest.importorskip("viser")
from softcontact.live.page import Page


def until(condition, seconds=60.0):
    """The first value of the condition that counts as true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)
    return value


@pytest.fixture(scope="module")
def shown():
    """A running scene and its page."""
    with open_scene(load("block", {})) as live, Page(live, port=0) as page:
        live.start()
        thread = threading.Thread(target=page.run)
        thread.start()
        try:
            yield live, page
        finally:
            page.stop()
            thread.join()


def test_the_server_listens_to_this_machine_and_gives_away_no_files(shown):
    _, page = shown
    assert page.address.startswith("http://127.0.0.1:")
    assert b"<html" in urllib.request.urlopen(page.address, timeout=10).read()
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(page.address + path, timeout=10)
    assert page._server.request_share_url() is None
    assert page._server._share_tunnel is None  # no way through to the network


def test_a_port_in_use_is_told():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with open_scene(load("block", {})) as live, pytest.raises(ValueError, match="free port, or --port 0"):
            Page(live, port=other.getsockname()[1])


def test_without_viser_the_remedy_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert main(["view", "block", "--no-browser", "--port", "0"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert "install 'viser>=" in printed.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_it_cleanly():
    command = [
        sys.executable,
        "-m",
        "softcontact",
        "view",
        "block",
        "--set",
        "young=3e4",
        "--no-browser",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        assert urllib.request.urlopen(address, timeout=10).status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130 and out == ""
    assert err.splitlines() == ["softcontact: 'block' runs; Ctrl-C ends it", "softcontact: interrupted"]


def test_texts_are_no_markup_and_steps_are_round():
    assert _plain("a<b>*c*") == "a&#60;b&#62;&#42;c&#42;"
    assert [_step(width) for width in (2.0, 96.0, 4000.0)] == pytest.approx([0.01, 0.1, 10.0])


# In a browser.

needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="no Chromium or Chrome is installed")


def pixels(png):
    from matplotlib.image import imread

    return imread(io.BytesIO(png), format="png")[..., :3].astype(float)


def force_shown(browser):
    """The normal force that stands in the page [N]."""
    found = re.search(r"Force on the hand: (-?[\d.]+) N normal", browser.evaluate("document.body.innerText"))
    return float(found[1]) if found else 0.0


def place_on_screen(page, point):
    """Pixels at which the page shows a point [m]."""
    camera = next(iter(page._server.get_clients().values())).camera
    ahead = camera.look_at - camera.position
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, camera.up_direction)
    right /= np.linalg.norm(right)
    way = point - camera.position
    scale = 0.5 * camera.image_height / np.tan(0.5 * camera.fov) / (way @ ahead)
    return (
        0.5 * camera.image_width + scale * (way @ right),
        0.5 * camera.image_height - scale * (way @ np.cross(right, ahead)),
    )


@pytest.mark.browser
@needs_chromium
def test_keys_and_mouse_move_the_tool_and_raise_the_force_in_the_page(shown):
    live, page = shown
    with ChromiumPage((900, 600)) as browser:
        browser.open(page.address)
        until(lambda: "Force on the hand: 0.00 N" in browser.evaluate("document.body.innerText"))
        until(lambda: page._server.get_clients())

        def organ_seen():
            picture = pixels(browser.screenshot())[:, :450]
            reddish = (picture[..., 0] > picture[..., 1] + 0.15) & (picture[..., 0] > picture[..., 2] + 0.1)
            return reddish.mean() > 0.05

        until(organ_seen)
        start = live.target[0]
        for _ in range(12):
            browser.press("o")
        until(lambda: live.target[0][2] < start[2] - 0.0095)
        pressed = until(lambda: (force := force_shown(browser)) > 0.3 and force)
        browser.press("u")
        until(lambda: live.target[0][2] > start[2] - 0.0115)

        live.move(start)  # into the open, where the mouse finds the tool
        until(lambda: force_shown(browser) < 0.02)
        at = place_on_screen(page, live.frame.vertices["tool"].mean(axis=0))
        browser.drag(at, (at[0], at[1] + 60))
        until(lambda: live.target[0][2] < start[2] - 0.005)
        assert until(lambda: force_shown(browser) > 0.1) and pressed > 0.3
        assert not browser.errors
        addresses = [a for a in browser.requests if not a.startswith(("data:", "blob:"))]
        assert all(a.startswith(page.address) for a in addresses)

        live._loop._stepped = fail
        until(lambda: "positions are not finite" in browser.evaluate("document.body.innerText"))
        browser.press("r")
        until(lambda: "Running" in browser.evaluate("document.body.innerText") and live.running)


def fail(duration):
    raise ValueError("body 'block': positions are not finite")


@pytest.mark.browser
@needs_chromium
def test_a_played_scene_can_only_be_restarted_at_its_end():
    with open_scene(Scene.from_dict(FALL)) as live, Page(live, port=0) as page:
        live.start()
        until(lambda: live.finished and not live.running)
        page.update()
        with ChromiumPage((900, 600)) as browser:
            browser.open(page.address)
            until(lambda: "At its end" in browser.evaluate("document.body.innerText"))
            buttons = browser.evaluate(
                "[...document.querySelectorAll('button')].map(b => [b.innerText.trim(), b.disabled])"
            )
            assert ["Go on", True] in buttons and ["Restart", False] in buttons
            assert "real time" not in browser.evaluate("document.body.innerText")
