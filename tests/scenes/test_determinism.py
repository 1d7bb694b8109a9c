# SPDX-License-Identifier: LGPL-2.1-or-later
"""Same inputs, same bits: across launches, memory layouts and whatever is recorded."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from softcontact.scene.library import load

LAUNCHES = 10
STEPS = 110

# Prints the same object as `softcontact run --json`, without the seconds that writing a report takes.
BARE_RUN = """
import json, sys
from softcontact import run
print(json.dumps(run(sys.argv[1], steps=int(sys.argv[2]), record=False, replay=False, progress=False).summary))
"""


@pytest.fixture(scope="module")
def closing(tmp_path_factory) -> Path:
    """The scene hand from the moment on at which the fingers begin to close around the ball."""
    scene = load("hand").to_dict()
    motion, grasp = scene["motions"][0], scene["grasp"]
    start = grasp["start"]
    kept = [i for i, time in enumerate(motion["times"]) if time >= start - 1e-9]
    motion["times"] = [motion["times"][i] - start for i in kept]
    motion["values"] = [motion["values"][i] for i in kept]
    grasp["start"], grasp["end"] = 0.0, grasp["end"] - start
    path = tmp_path_factory.mktemp("scene") / "closing.json"
    path.write_text(json.dumps(scene | {"name": "closing", "checks": []}))
    return path


def launch(command: list[str], seed: int = 0) -> dict:
    """Summary of a run in a process of its own, with its own hash seed and size of environment."""
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PADDING": "x" * (137 * seed)}
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_ten_launches_end_in_the_same_state(closing, tmp_path):
    def run(number: int) -> dict:
        if number == 0:  # once in full, with frames for a replay: looking must not change anything
            out = ["--out", str(tmp_path)]
            return launch(["-m", "softcontact", "run", str(closing), "--steps", str(STEPS), "--json", *out])
        return launch(["-c", BARE_RUN, str(closing), str(STEPS)], number)

    with ThreadPoolExecutor(2) as pool:
        summaries = list(pool.map(run, range(LAUNCHES)))
    assert {summary["steps"] for summary in summaries} == {STEPS}
    fingers = [{patch["body"].split(".")[0], patch["other"]} for patch in summaries[0]["patches"]]
    assert fingers.count({"hand", "object"}) >= 2
    assert len({summary["state_hash"] for summary in summaries}) == 1

    scene = json.loads(closing.read_text())
    scene["bodies"][1]["position"][0] += 1e-9
    other = tmp_path / "other.json"
    other.write_text(json.dumps(scene))
    assert launch(["-c", BARE_RUN, str(other), str(STEPS)])["state_hash"] != summaries[0]["state_hash"]
