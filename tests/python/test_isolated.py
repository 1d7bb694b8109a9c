# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls in a process of their own: what ends one midway, and where its modules come from."""

import signal
import sys
import time
from pathlib import Path

import pytest

from softcontact.isolated import IsolatedProcess


def late(value, seconds):
    time.sleep(seconds)
    return value


def modules():
    import json
    import struct

    return json.__file__, struct.__file__, sys.path


@pytest.fixture
def process():
    process = IsolatedProcess()
    yield process
    process.close()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a signal at some time")
def test_the_answer_to_a_call_that_was_interrupted_is_given_to_no_other(process):
    assert process.call(late, 0, 0.0) == 0

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in range(2):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(KeyboardInterrupt):
                process.call(late, number, 0.6)
            assert process.call(late, "next", 0.6) == "next"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_modules_come_from_where_they_come_from_here(process, tmp_path, monkeypatch):
    for name in ("json", "struct"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(Path("/nowhere"))  # no text, which Python overlooks
    paths = [path for path in sys.path if isinstance(path, str)]
    assert process.call(modules) == (sys.modules["json"].__file__, sys.modules["struct"].__file__, paths)


@pytest.mark.parametrize("executable", [None, "", "/usr/bin/runSofa"])
def test_a_program_that_python_is_built_into_is_not_started_for_python(process, executable, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    assert process.call(late, 1, 0.0) == 1


def test_without_any_interpreter_that_is_said(process, tmp_path, monkeypatch):
    for name in ("executable", "exec_prefix", "base_exec_prefix"):
        monkeypatch.setattr(sys, name, str(tmp_path))
    with pytest.raises(OSError, match="no interpreter to start a process with"):
        process.call(late, 1, 0.0)
