# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command `device` without hardware: probe, simulate, record, replay, and what it refuses."""

import json

import pytest

from softcontact.cli import main
from softcontact.haptics import Recording


def said(capsys, *words):
    code = main(list(words))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_simulated_session_is_recorded_and_replayed(tmp_path, capsys):
    file = tmp_path / "press.h5"
    words = ("device", "simulate", "--duration", "1", "--out", str(file), "--json")
    code, out, _ = said(capsys, *words)
    told = json.loads(out)
    assert code == 0 and told["replay_equal"] and told["ticks"] == 1000
    code, out, _ = said(capsys, "device", "replay", str(file), "--json")
    assert code == 0 and json.loads(out) == {"ticks": 1000, "differing_ticks": 0, "replay_equal": True}
    recording = Recording.load(file)
    # At rest: hand 400 N/m, 5 mm into a wall of 500 N/m, to an encoder step.
    assert recording.wrenches[-1, 2] == pytest.approx(5e-3 * 400 * 500 / 900, abs=0.012)
    assert told["force_max_n"] == pytest.approx(recording.wrenches[:, 2].max())
    recording.columns["wrench"][500, 2] += 1e-9
    recording.save(file)
    code, out, _ = said(capsys, "device", "replay", str(file), "--json")
    assert code == 1 and json.loads(out)["differing_ticks"] == 1


def test_real_thread_tells_its_times(capsys):
    words = ("device", "simulate", "--script", "tap", "--duration", "0.5", "--wall-clock", "--json")
    code, out, _ = said(capsys, *words)
    told = json.loads(out)
    assert code == 0 and told["clock"] == "wall" and told["ticks"] > 50 and told["replay_equal"]
    assert told["work_us"]["mean"] > 0 and told["interval_ms"]["p99_9"] > 0 and told["scheduling"]


def test_what_a_device_can_do(tmp_path, capsys):
    code, out, _ = said(capsys, "device", "probe", "simulated", "--json")
    told = json.loads(out)
    assert code == 0 and told["torque_axes"] == 3 and told["max_stiffness"] == pytest.approx(1000.0)
    assert said(capsys, "device", "list")[0] == 0


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("probe", "nothing"), "device: 'nothing'"),
        (("probe", "recorded:/no/such.h5"), "device: no file '/no/such.h5'; give"),
        (("simulate", "--script", "dance"), "script: 'dance'"),
        (("simulate", "--stiffness", "-1"), "stiffness: -1"),
        (("simulate", "--duration", "nan"), "duration"),
        (("simulate", "--duration", "1e-5"), "duration: 1e-05; give 0.001 to 600"),
        (("simulate", "--rate", "9000"), "rate: 9000 Hz; give 100 to 4000"),
        (("simulate", "--rate", "nan"), "rate: nan Hz"),
        (
            ("simulate", "--out", "/no/such/folder/x.h5"),
            "cannot write to '/no/such/folder/x.h5': '/no/such/folder' is no folder that can be written; choose a file",
        ),
        (("simulate", "--visual-rate", "0"), "visual_rate"),
        (("replay", "/no/such.h5"), "such.h5"),
    ],
)
def test_wrong_words_are_refused(capsys, words, part):
    code, out, errors = said(capsys, "device", *words)
    assert code == 2 and not out and part in errors and errors.strip().count("\n") == 0
