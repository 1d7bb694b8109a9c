# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two processes and one output folder, and a process that is killed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import softcontact
from softcontact import outputs

pytest.importorskip("fcntl", reason="locks on folders are POSIX's")

HOLD = """
import sys
from softcontact import outputs
with outputs.opened(sys.argv[1], "drop") as folder:
    outputs.write_json(folder / "scene.json", {"format": "softcontact-scene-1"})
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_takes_one_run_at_a_time_and_the_next_after_kill_9(tmp_path):
    folder = tmp_path / "run"
    words = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout.readline() == "held\n"
            told = (
                f"'{re.escape(str(folder))}': another run writes there at this moment; choose another --out"
            )
            with pytest.raises(outputs.OutputError, match=told), outputs.opened(folder, "drop"):
                raise AssertionError("two at once")
            assert json.loads((folder / "scene.json").read_text())  # what the other wrote is there
        finally:
            other.kill()
    assert [path.name for path in folder.iterdir()] == ["scene.json"]
    with pytest.warns(UserWarning, match="held an earlier run"), outputs.opened(folder, "drop") as again:
        assert again == folder and not list(folder.iterdir())


def test_deadlines_go_by_a_clock_that_does_not_jump():
    """time.time() follows whoever sets the machine's clock."""
    jumping = [
        f"{path}:{number}"
        for path in Path(softcontact.__file__).parent.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\btime\.time\(|import time_ns|datetime\.now\(\).*timedelta", line)
    ]
    assert not jumping
