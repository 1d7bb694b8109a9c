# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of a sweep that were lost are made again when that is asked for, also when the retry itself is killed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from test_sweeps import SCENE

from softcontact.outputs import OutputError
from softcontact.parallel import Workers
from softcontact.scene.errors import SceneError
from softcontact.sweeps import sweep
from softcontact.sweeps.identity import difference

GIVEN = {"number": [1, 2, 3, 4], "fault": ["none", "absent"]}
STATES = ["passed", "refused"] * 4


@pytest.fixture(scope="module")
def team():
    with Workers(2, quiet=True) as workers:
        yield workers


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    monkeypatch.setattr("softcontact.sweeps.plots.draw", lambda *_: [])


def begun(folder):
    """Numbers of the runs that were begun, in the order of their begin."""
    return [int(line.split()[1]) for line in (folder / "log").read_text().split("\n")[:-1]]


def changed(out, old):
    """Names of the runs' files that hold something else than they held."""
    return sorted(path.name for path in (out / "runs").glob("0*") if path.read_text() != old[path.name])


def test_lost_runs_are_made_again_and_no_others(team, tmp_path):
    again = {"options": {"log": str(tmp_path)}, "workers": team, "out": tmp_path / "s", "resume": True}
    first = sweep(SCENE, GIVEN, retry_failed=True, **again)  # nothing is there: all is done once
    assert first.columns["status"] == STATES and sorted(begun(tmp_path)) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert sweep(SCENE, GIVEN, **again).rows == first.rows and len(begun(tmp_path)) == 8

    (tmp_path / "present").touch()
    second = sweep(SCENE, GIVEN, retry_failed=True, **again)
    assert second.passed and second.columns["run"] == list(range(8)) and second.done == 8
    assert sorted(begun(tmp_path)[8:]) == [1, 2, 3, 4]
    assert [row for row in second.rows if row["fault"] == "none"] == first.rows[::2]
    assert sweep(SCENE, GIVEN, retry_failed=True, **again).passed and len(begun(tmp_path)) == 12


def test_a_failed_check_is_no_reason_to_run_again(team, tmp_path):
    again = {"options": {"log": str(tmp_path)}, "workers": team, "out": tmp_path / "s", "resume": True}
    for _ in range(2):
        done = sweep(SCENE, {"number": [1], "height": [0.06]}, retry_failed=True, **again)
        assert done.columns["status"] == ["check failed"] and begun(tmp_path) == [1]


@pytest.mark.parametrize("asked", [True, False], ids=["retry again", "resume"])
def test_a_retry_that_is_interrupted_goes_on(team, tmp_path, monkeypatch, asked):
    again = {"options": {"log": str(tmp_path)}, "workers": team, "out": tmp_path / "s", "resume": True}
    first = sweep(SCENE, GIVEN, **again)
    outcomes = team.outcomes

    def interrupted(*arguments, **settings):
        ended = outcomes(*arguments, **settings)
        yield next(ended)
        ended.close()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(team, "outcomes", interrupted)
        stopped = sweep(SCENE, GIVEN, retry_failed=True, **again)
    assert stopped.exit_code == 130 and "5 of 8 runs are done, go on by the same command" in stopped.message
    assert stopped.columns["status"] == STATES and stopped.done == 5  # what was there before is still there
    [kept] = [row["run"] for row, old in zip(stopped.rows, first.rows, strict=True) if row != old]

    # The one that was refused a second time was retried: it is not due again.
    (tmp_path / "present").touch()
    second = sweep(SCENE, GIVEN, retry_failed=asked, **again)
    assert second.done == 8 and second.counts == {"passed": 7, "refused": 1}
    assert second.rows[kept] == stopped.rows[kept]
    assert begun(tmp_path)[8:].count(second.rows[kept]["number"]) == 1
    assert not (tmp_path / "s" / "again.json").exists()
    assert sweep(SCENE, GIVEN, retry_failed=True, **again).passed


def test_a_retry_that_is_killed_goes_on(team, tmp_path):
    options = {"log": str(tmp_path), "held": 4}
    (tmp_path / "go").touch()
    out = tmp_path / "s"
    sweep(SCENE, GIVEN, options=options, workers=team, out=out)
    old = {path.name: path.read_text() for path in (out / "runs").iterdir()}
    (tmp_path / "go").unlink()  # the fourth is held now
    (tmp_path / "present").touch()
    command = [sys.executable, "-m", "softcontact", "sweep", SCENE, "--param", "number=1,2,3,4"]
    command += ["--param", "fault=none,absent", "--set", f"log={tmp_path}", "--set", "held=4", "--out", out]
    command += ["--resume", "--retry-failed", "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60.0
        while len(begun(tmp_path)) < 12 or changed(out, old) != ["000001.json", "000003.json", "000005.json"]:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (tmp_path / "go").touch()
    result = sweep(SCENE, GIVEN, options=options, workers=team, out=out, resume=True, retry_failed=True)
    assert result.passed and result.columns["run"] == list(range(8)) and begun(tmp_path)[12:] == [4]


def test_a_damaged_list_of_runs_to_make_again_is_told(team, tmp_path):
    again = {"options": {"log": str(tmp_path)}, "workers": team, "out": tmp_path / "s", "resume": True}
    given = {"number": [1], "fault": ["absent"]}
    sweep(SCENE, given, **again)
    for text in ("[1]", "{", "[" * 100_000):
        (tmp_path / "s" / "again.json").write_text(text)
        with pytest.warns(UserWarning, match=r"again.json' is damaged.*--retry-failed once more"):
            assert sweep(SCENE, given, **again).counts == {"refused": 1}
    assert begun(tmp_path) == [1] and not (tmp_path / "s" / "again.json").exists()
    (tmp_path / "s" / "again.json").write_text(json.dumps({"0": "other", "7": 1, "x": []}))
    assert sweep(SCENE, given, **again).done == 1 and begun(tmp_path) == [1]
    (tmp_path / "t").mkdir()
    os.rename(tmp_path / "s" / "runs", tmp_path / "t" / "runs")
    with pytest.raises(OutputError, match="that no sweep wrote"):
        sweep(SCENE, given, **again | {"out": tmp_path / "t"})


def test_what_cannot_be_tried_again_is_told(tmp_path):
    with pytest.raises(SceneError, match="--retry-failed: of a sweep that is there already; add --resume"):
        sweep(SCENE, {"number": [1]}, retry_failed=True, out=tmp_path / "s")


ASKED = {
    "version": "2",
    "scene": "block",
    "scene_sha256": "ab",
    "engine": "embedded",
    "steps": None,
    "options": {"mass": 1.0},
    "parameters": {"friction": "1,2", "number": "3,4"},
    "design": "grid",
    "samples": None,
    "seed": None,
    "files": {"a.stl": "cd"},
}
DIFFERENCES = [
    ({"version": "1"}, "begun with softcontact 1, and this is 2; go on with that version"),
    ({"scene": "hand", "scene_sha256": "x"}, "its scene is hand, not block; give the command that began it"),
    ({"scene_sha256": "x"}, "the scene file of block has changed since it began; put the file back"),
    ({"engine": "sofa"}, "its --engine is sofa, not embedded"),
    ({"steps": 5}, "its --steps is 5, and is not given now"),
    ({"options": {}}, "its --set mass is not given, and is 1.0 now"),
    ({"options": {"mass": 2.0}}, "its --set mass is 2.0, not 1.0"),
    ({"options": {"mass": 1.0, "a": 1}}, "its --set a is 1, and is not given now"),
    ({"options": []}, "its --set mass is not given, and is 1.0 now"),
    ({"parameters": {"friction": "1,2"}}, "its --param number is not given, and is 3,4 now"),
    ({"parameters": {"number": "3,4", "friction": "1,2"}}, "in another order; give them as number, friction"),
    ({"seed": 3}, "its --seed is 3, and is not given now"),
    ({"files": {"a.stl": "x"}}, "the file a.stl has changed since it began"),
    ({"files": {}}, "the file a.stl was not there when it began"),
    ({"files": {"a.stl": "cd", "b": ""}}, "the file b is not there now; put it back, or go to the folder"),
    ({"files": None}, "the file a.stl was not there"),
    ({"parameters": 3}, "its --param friction is not given"),
]


@pytest.mark.parametrize("stored, said", DIFFERENCES, ids=[str(stored) for stored, _ in DIFFERENCES])
def test_another_sweep_is_told_in_the_words_of_the_command(stored, said):
    assert said in difference(ASKED | stored, ASKED) and difference(ASKED, ASKED) == ""
