# SPDX-License-Identifier: LGPL-2.1-or-later
"""kill -9 in the middle of each command that writes: at each of its writes and removals, one after the other."""

import os
import signal
from pathlib import Path

import pytest
from writing_commands import call, rests, unreadable

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="SIGKILL is POSIX's")


def killed_at(touch, name, more):
    """Run the command in a child that is killed as it is to touch a file for this time; whether it was."""
    child = os.fork()
    if child == 0:
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            kill_at(touch)
            os._exit(call(name, more))
        finally:
            os._exit(99)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def kill_at(touch):
    """Kill this process before its n-th file is put into place or removed; those of the trial writes do not count."""
    done = 0

    def deadly(method):
        def touched(path, *arguments, **options):
            nonlocal done
            done += ".softcontact-trial" not in path.name
            if done == touch:
                os.kill(os.getpid(), signal.SIGKILL)
            return method(path, *arguments, **options)

        return touched

    for method in ("replace", "unlink"):
        setattr(Path, method, deadly(getattr(Path, method)))


@pytest.mark.parametrize(
    ("name", "more", "every"),
    [
        ("run", ["--steps", "65"], 4),
        ("sweep", ["--steps", "2"], 2),
        ("track simulate csv", [], 1),
        ("vademecum build", [], 4),
        ("vademecum distance", [], 1),
        ("device simulate", [], 1),
        ("solve", [], 1),
        ("mesh wrap", [], 1),
        ("bench all", [], 8),
    ],
)
def test_a_command_that_is_killed_leaves_whole_files_and_works_again(name, more, every, commands_here, capfd):
    touch = 1
    while killed_at(touch, name, more):
        assert not unreadable(commands_here)
        if touch % 3 == 0:  # else the next one that is killed finds this
            assert call(name, more) == 0
            assert not rests(commands_here)
        touch += every
    assert touch > 1
    assert call(name, more) == 0
    assert not rests(commands_here) and not list(commands_here.glob("*.partial"))
