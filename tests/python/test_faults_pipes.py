# SPDX-License-Identifier: LGPL-2.1-or-later
"""Readers that leave: `softcontact … | head -0` of every command, with and without buffers, and `… | head -1`."""

import io
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest
from writing_commands import COMMANDS, call, problems, rests, unreadable

from softcontact.cli.app import PIPE_CLOSED, main

JSON = ("run", "sweep", "solve", "device", "vademecum")  # commands that have --json
READING = [
    ["doctor"],
    ["doctor", "--json"],
    ["scenes"],
    ["scenes", "hand"],
    ["device", "list"],
    ["device", "list", "--json"],
    ["device", "probe"],
    ["device", "probe", "--json"],
    ["vademecum", "info", "small.h5"],
    ["vademecum", "info", "small.h5", "--json"],
    ["mesh", "check", "cube.obj"],
    ["solve", "problem.hdf5", "--compare-all"],
    ["--help"],
    ["run", "--help"],
    ["--version"],
]


@contextmanager
def nobody_reads(buffered):
    """Standard output goes to a pipe whose reader has left; yields the error stream."""
    reading, writing = os.pipe()
    os.close(reading)
    said, stream = io.StringIO(), open(writing, "w", encoding="utf-8")  # noqa: SIM115
    stream.reconfigure(write_through=not buffered)
    try:
        with redirect_stdout(stream), redirect_stderr(said):
            yield said
    finally:
        with suppress(BrokenPipeError):  # Click leaves its own wrapper around it
            stream.close()


BUFFERED = pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "bench"])  # which takes a while
def test_a_command_that_nobody_reads_writes_its_files_and_says_nothing(name, commands_here):
    more = ["--json"] if COMMANDS[name][0][0] in JSON else []
    before = Path(COMMANDS[name][1]).stat().st_mtime_ns if COMMANDS[name][1] == "small.h5" else 0
    with nobody_reads(buffered=False) as said:
        assert call(name, more) == PIPE_CLOSED
    assert problems(said.getvalue()) == []
    assert not rests(commands_here) and not unreadable(commands_here)
    if name != "bench all":  # which tells what it is at, and ends there
        assert Path(COMMANDS[name][1]).stat().st_mtime_ns > before


@BUFFERED
@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_what_only_tells_something_ends_silently_where_nobody_reads(words, commands_here, buffered):
    with nobody_reads(buffered) as said:
        assert main(words) == PIPE_CLOSED
    assert said.getvalue() == ""


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_the_first_line_alone_is_read(commands_here):
    line = (
        f"set -o pipefail; {sys.executable} -u -m softcontact run drop.json --no-replay --out out | head -1"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("scene") and done.stdout.count("\n") == 1
    assert done.stderr == "" and done.returncode in (0, PIPE_CLOSED)
    assert Path("out/summary.json").exists() and not unreadable(commands_here)


def test_a_browser_that_no_longer_reads_holds_nothing_up():
    viser = pytest.importorskip("viser")
    from softcontact.live import open_scene
    from softcontact.live.page import Page
    from softcontact.scene.library import load

    with open_scene(load("block", {})) as live, Page(live, port=0) as page, socket.socket() as browser:
        host = page.address.removeprefix("http://").rstrip("/")
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # as little as the system has
        browser.connect(("127.0.0.1", int(host.rpartition(":")[2])))
        head = ["GET / HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", "Upgrade: websocket"]
        head += [
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: c29mdGNvbnRhY3QtMTIzNA==",
        ]
        head += [f"Sec-WebSocket-Protocol: viser-v{viser.__version__}", "", ""]
        browser.sendall("\r\n".join(head).encode())
        assert browser.recv(12) == b"HTTP/1.1 101"
        live.start()
        began, shown = live.frame.number, threading.Event()

        def show():
            for _ in range(60):
                page.update()
                time.sleep(1.0 / 60.0)
            shown.set()

        threading.Thread(target=show, daemon=True).start()
        assert shown.wait(30.0)
        assert live.error is None and live.frame.number > began + 5
