# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings and messages that no tracker made are refused, with the row, the value and the remedy."""

import json

import numpy as np
import pytest

from softcontact.cli.app import main
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.hand import _targets as hand_targets
from softcontact.hand import HandModel
from softcontact.scene import Hand, Scene, TrackMotion
from softcontact.scene.errors import SceneError
from softcontact.scene.library import load
from softcontact.tracking import Track, TrackError
from softcontact.tracking.drive import Placement, track_targets
from softcontact.tracking.files import read_landmarks, read_track, write_raw
from softcontact.tracking.message import Decoder, encode
from softcontact.tracking.udp import LiveSource
from softcontact.tracking.values import RateLimits

HEAD = ",".join(
    ("time", *(f"s{k}" for k in range(5)), "palm_x", "palm_y", "palm_z", "palm_rx", "palm_ry", "palm_rz")
)


def csv(path, times, *head):
    rows = [f"{t}," + ",".join(["0.1"] * 11) for t in times]
    path.write_text("\n".join(["# softcontact-track-1", *head, HEAD, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ([0.0, 0.01, 0.02, 1e9], "row 3, 1e\\+09 s, is 1e\\+09 s after the row before, more than 60 s; mend"),
        (np.arange(0.0, 6500.0, 10.0), "rows are 10 s apart.*time_unit: ms"),
        (np.arange(0.0, 1e-3, 1e-5), "rows are 1e-05 s apart"),
        (np.arange(0.0, 3700.0, 1.0), "lasts 3699 s, more than 3600 s"),
    ],
)
def test_times_that_no_recording_has_are_refused(tmp_path, times, why):
    with pytest.raises(TrackError, match=why):
        read_track(csv(tmp_path / "a.csv", times))


def test_milliseconds_with_their_unit_and_a_pause_are_read(tmp_path):
    assert read_track(csv(tmp_path / "a.csv", range(0, 650, 10), "# time_unit: ms")).duration == 0.64
    assert read_track(csv(tmp_path / "b.csv", [0.0, 0.01, 0.02, 30.0])).duration == 30.0


def test_a_log_with_one_bad_arrival_or_bytes_is_refused_at_once(tmp_path):
    path = tmp_path / "a.jsonl"
    packets = [(t, encode(k, t, np.zeros(26)).decode()) for k, t in enumerate((0.0, 0.01, 1e9))]
    path.write_text("\n".join(json.dumps({"arrival": t, "packet": p}) for t, p in packets))
    with pytest.raises(TrackError, match=r"a\.jsonl: arrival: packet 2, 1e\+09 s"):
        read_track(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TrackError, match=r"a\.jsonl: not UTF-8 text at byte 0"):
        read_track(path)


def test_only_the_steps_that_are_wanted_are_expanded():
    track = Track(np.array([0.0, 1.0, 1e9]), np.zeros((3, 26)))
    times, targets = track_targets(track, Placement(), RateLimits(), 0.01, steps=3)
    assert len(times) == len(targets) == 4


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (["# angleunit: deg"], "angleunit: no key of a recording; write angle_unit"),
        (["# angle_unit: deg", "# angle_unit: rad"], "angle_unit: given twice, 'deg' and 'rad'"),
    ],
)
def test_keys_of_the_head_that_are_unknown_or_contradict_are_refused(tmp_path, head, why):
    with pytest.raises(TrackError, match=why):
        read_track(csv(tmp_path / "a.csv", [0.0, 0.01], *head))


@pytest.mark.parametrize(
    "change", [{"units": {"lenght": "mm"}}, {"joints": [0.1] * 19 + [True]}, {"time": True}]
)
def test_messages_with_unknown_units_or_truth_values_are_malformed(change):
    message = json.loads(encode(0, 0.0, np.zeros(26))) | change
    with pytest.raises(TrackError, match=f"{next(iter(change))}"):
        Decoder()(json.dumps(message).encode())


def test_landmarks_keep_their_unit_and_take_no_calibration(tmp_path):
    points = np.random.default_rng(0).normal(size=(3, 21, 3))
    path = write_raw(tmp_path / "a.csv", {"time": np.arange(3) * 0.01, "landmarks": 1000.0 * points})
    path.write_text(path.read_text().replace("-1\n", "-1\n# length_unit: mm\n", 1))
    assert np.allclose(read_landmarks(path)[1], points)
    table = tmp_path / "c.yaml"
    table.write_text("{minimum: [0, 0, 0, 0, 0], maximum: [1, 1, 1, 1, 1]}")
    with pytest.raises(TrackError, match="calibration: landmarks are points"):
        read_track(path, table)


@pytest.mark.parametrize("jump", [-0.9, -0.3, 0.3, 0.9])
def test_a_sender_that_sets_its_clock_is_followed_within_a_fraction_of_a_second(jump):
    source, stale = LiveSource(), 0
    for k in range(300):
        now = 0.01 * k
        row = np.full(26, 0.001 * k)
        source.push(encode(k, now + (jump if k >= 100 else 0.0), row), now)
        sample = source.sample(now)
        stale += k >= 100 and abs(sample.values[0] - 0.1 * now) > 0.01
    assert stale < 40 and source.statistics()["restarts"] == 1


def test_a_queue_that_empties_is_no_new_clock():
    source = LiveSource()
    for k in range(300):
        sent = 0.01 * k
        now = max(sent, 1.5) if 1.0 < sent < 1.5 else sent  # half a second of packets comes at once
        source.push(encode(k, sent, np.zeros(26)), now)
        source.sample(now)
    assert source.statistics()["restarts"] == 0


def test_of_two_senders_the_one_that_began_last_is_followed_until_it_falls_silent():
    source = LiveSource()
    for k in range(300):  # the first one goes on while the second one sends
        now = 0.01 * k
        source.push(encode(k, now, np.full(26, 0.1), session="first"), now)
        if 100 <= k < 200:
            source.push(encode(k, now, np.full(26, 0.2), session="second"), now)
        sample = source.sample(now)
        if 120 <= k < 200:
            assert sample.values[0] == pytest.approx(0.2)
    assert sample.state == "fresh" and sample.values[0] == pytest.approx(0.1)
    counts = source.statistics()
    assert counts["restarts"] == 2 and counts["other_sender"] == pytest.approx(150, abs=3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"force": 9.0},
            "force: 9 has no effect with track=grasp; leave one of them out",
        ),
        ({"grasp": "precision"}, "grasp: precision has no effect with track=grasp"),
        ({"fingers": ("thumb", "index")}, "fingers: thumb,index has no effect with track"),
        ({"acceleration": 5.0}, "acceleration: 5 has no effect with track"),
    ],
)
def test_options_of_the_planned_grasp_are_refused_beside_a_track(options, told):
    with pytest.raises(SceneError, match=told):
        load("hand", {"track": "grasp", **options})


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["record", "no/such/folder.csv", "--duration", "5"], "is no folder that can be written"),
        (["record", ".csv/../a.csv", "--rate", "0.001"], "rate: 0.001 Hz; give 1 to 10000"),
        (["simulate", "a.csv", "--landmarks", "--point-noise", "nan"], "point_noise: nan m; give 0 to 0.1"),
        (["simulate", "a.csv", "--point-noise", "0.01"], "point_noise: 0.01 m; for --landmarks"),
        (
            ["simulate", "a.csv", "--landmarks", "--sensors", "5"],
            "sensors: 5; a frame has landmarks or sensors",
        ),
        (["simulate", "a.csv", "--side", "up"], "side: 'up' is no hand; give right or left"),
        (["simulate", "a.csv", "--seed", "-1"], "seed: -1; give 0 or more"),
        (["replay", "--seed", "-1"], "seed: -1; give 0 or more"),
    ],
)
def test_wrong_words_to_track_are_told_before_anything_is_done(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".csv").mkdir()
    assert main(["track", *words]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [".csv"]


def test_no_more_of_a_recording_is_expanded_than_the_run_takes():
    times = np.linspace(0.0, 3000.0, 3001)  # most of an hour
    motion = TrackMotion(body="hand", times=times.tolist(), values=np.zeros((3001, 26)).tolist())
    scene = Scene(name="long", duration=3000.0, steps=3, bodies=[Hand(name="hand")], motions=[motion])
    assert len(EmbeddedEngine(scene).joint_positions("hand")) == 27
    found, targets = hand_targets(HandModel.build(), scene.bodies[0], motion, 0.005, 3)
    assert len(found) == len(targets) == 4
