# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracked hands in runs: three inputs, live repeated, wrenches felt; and `softcontact track`."""

import errno
import json
import socket
import threading
import time
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from softcontact.cli.app import main
from softcontact.engines import live, make_engine, tracked
from softcontact.hand import HandKinematics, HandParameters, joint_limits
from softcontact.hand.kinematics import matrix_from_quaternion
from softcontact.live import open_scene
from softcontact.record import Recorder
from softcontact.runner import run
from softcontact.scene import Box, Grasp, Hand, KinematicBody, Scene, SceneError, TrackMotion
from softcontact.scene.following import follow
from softcontact.scene.resolve import resolve
from softcontact.tracking import Track
from softcontact.tracking.feedback import decode_wrench
from softcontact.tracking.files import find_track, read_track
from softcontact.tracking.packets import disturbed, packets_of
from softcontact.tracking.udp import open_sender

DEGREE = np.pi / 180.0
FROM, TO = 1.1, 1.75


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"udp://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture(scope="module")
def closing():
    """The part of the shipped recording in which the fingers close."""
    grasp = read_track(find_track("grasp"))
    part = (grasp.times >= FROM - 1e-9) & (grasp.times <= TO + 1e-9)
    return Track(grasp.times[part] - FROM, grasp.values[part])


class Stage:
    """A clock that only waiting moves on, and a sender that sends by it; the first packet until the run begins."""

    def __init__(self, monkeypatch, packets, url):
        self.now, self.packets, self.sent, self.begun = 50.0, packets, 0, None
        self.send = open_sender(url)
        clock = SimpleNamespace(monotonic=self.monotonic, sleep=self.sleep)
        monkeypatch.setattr(tracked, "time", clock)
        monkeypatch.setattr(live, "time", clock)

    def monotonic(self):
        if self.begun is None:
            self.send(self.packets[0][1])
        return self.now

    def sleep(self, duration):
        self.begun = self.now if self.begun is None else self.begun
        self.now += duration
        while self.sent < len(self.packets) and self.packets[self.sent][0] <= self.now - self.begun + 1e-9:
            self.send(self.packets[self.sent][1])
            self.sent += 1


def hand_alone(step=0.01, duration=0.6, **motion):
    return Scene(
        name="tracked",
        duration=duration,
        time_step=step,
        bodies=[Hand(name="hand")],
        motions=[TrackMotion(body="hand", **motion)],
    )


@pytest.mark.parametrize("way", ["recorded", "udp", "landmarks"])
def test_the_same_hand_follows_every_input_within_a_degree(monkeypatch, tmp_path, closing, way):
    delay = 0.0
    if way == "recorded":
        source = str(closing.save(tmp_path / "closing.csv"))
    else:
        source, delay = free_port(), 0.05
        kinematics = HandKinematics.build(HandParameters()) if way == "landmarks" else None
        Stage(monkeypatch, packets_of(closing, kinematics), source)
    engine = make_engine(resolve(hand_alone(source=source)))
    errors, lower, upper = [], *joint_limits()
    for _ in range(60):
        engine.tracking.prepare()
        engine.step()
        joints = engine.joint_positions("hand")[7:]
        # A live hand shows what came `delay` ago; its first step shows the first pose.
        wanted = closing.at(max(0.0, engine.time - (delay + 0.01 if delay else 0.0)))[0, :20]
        errors.append(np.abs(joints - wanted).max())
        assert (joints > lower - DEGREE).all() and (joints < upper + DEGREE).all()
    assert engine.tracking.feedback(engine.patches()) == {}  # unilateral: nothing is felt
    engine.tracking.close()
    assert np.abs(closing.values[-1] - closing.values[0])[:20].max() > 0.5
    assert max(errors) < DEGREE


def test_a_hand_that_is_watched_sends_wrenches_as_in_a_run():
    back = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", int(back.rpartition(":")[2])))
        listener.settimeout(5.0)
        scene = hand_alone(source="grasp", coupling="bilateral", feedback=back, position=(0.1, 0.0, 0.0))
        with open_scene(scene) as live:
            live.start()
            messages = [decode_wrench(listener.recv(8192)) for _ in range(20)]
        assert live.error is None
    assert [m[0] for m in messages] == list(range(20)) and messages[-1][1] == pytest.approx(0.2)


def test_a_live_run_is_repeated_by_what_it_left(monkeypatch, tmp_path, closing):
    url, back = free_port(), free_port()
    packets = disturbed(packets_of(closing), loss=0.05, reorder=0.1, malformed=0.05, jitter=0.01, seed=5)
    Stage(monkeypatch, packets, url)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", int(back.rpartition(":")[2])))
        listener.settimeout(2.0)
        scene = hand_alone(source=url, coupling="bilateral", feedback=back, position=(0.1, 0.0, 0.0))
        result = run(scene, out=tmp_path / "live", progress=False, replay=False)
        messages = [decode_wrench(listener.recv(8192)) for _ in range(60)]
    figures = result.summary["tracking"]["hand"]
    assert result.exit_code == 0 and figures["malformed"] > 0 and figures["lost"] > 0
    assert figures["fresh_steps"] >= 55
    assert [m[0] for m in messages] == list(range(60)) and messages[-1][1] == pytest.approx(0.6)
    with h5py.File(tmp_path / "live" / "history.h5") as file:
        assert file["feedback/hand/thumb/force"].shape == (60, 3)
        assert file["feedback/hand/palm/torque"].attrs["unit"] == "N m"
    for again in (
        tmp_path / "live" / "scene.json",
        hand_alone(source=str(tmp_path / "live" / "track-hand.h5")),
    ):
        repeated = run(again, record=False, progress=False, replay=False)
        assert repeated.summary["state_hash"] == result.summary["state_hash"]


def test_a_network_that_goes_away_ends_no_run(monkeypatch, tmp_path, closing):
    """Forces go to one that does not read, then to nobody."""
    url, back = free_port(), free_port()
    Stage(monkeypatch, packets_of(closing), url)
    sent, sendto = [], socket.socket.sendto

    def leave(channel, data, target):
        sent.append(target)
        if target[1] == int(back.rpartition(":")[2]) and len(sent) > 30:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return sendto(channel, data, target)

    class Channel(socket.socket):
        sendto = leave

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        listener.bind(("127.0.0.1", int(back.rpartition(":")[2])))
        monkeypatch.setattr("softcontact.tracking.udp.socket.socket", Channel)
        scene = hand_alone(source=url, coupling="bilateral", feedback=back, position=(0.1, 0.0, 0.0))
        with pytest.warns(UserWarning, match="hand.feedback: .*Network is unreachable.* is lost") as told:
            result = run(scene, out=tmp_path / "live", progress=False, replay=False)
    assert result.exit_code == 0 and result.summary["steps"] == 60
    assert len([warning for warning in told if "feedback" in str(warning.message)]) == 1


def test_a_live_run_that_is_interrupted_is_repeated_as_far_as_it_came(monkeypatch, tmp_path, closing):
    url = free_port()
    stage = Stage(monkeypatch, packets_of(closing), url)
    steps, add = [], Recorder.add

    def interrupted(recorder, step_ms):
        steps.append(step_ms)
        if len(steps) == 20:  # after the step, before it is recorded
            raise KeyboardInterrupt
        add(recorder, step_ms)

    monkeypatch.setattr(Recorder, "add", interrupted)
    result = run(hand_alone(source=url), out=tmp_path / "live", progress=False, replay=False)
    monkeypatch.setattr(Recorder, "add", add)
    stage.send.close()
    assert result.exit_code == 130 and result.summary["steps"] == 19
    repeated = run(tmp_path / "live" / "scene.json", record=False, progress=False, replay=False)
    assert repeated.summary["steps"] == 20
    assert repeated.summary["state_hash"] == result.summary["state_hash"]


def test_a_wrench_balances_the_springs_of_the_coupling():
    """At rest the springs of a finger's base hold what the fingertip feels: k (q* − q) = −Jᵀ (force, torque)."""
    times = np.array([0.0, 0.3, 2.0])
    values = np.zeros((3, 26))
    values[1:, 5], values[1:, 4] = 0.5, 0.05  # the index finger's base
    values[:, 1] = -0.3
    scene = Scene(
        name="press",
        duration=1.0,
        time_step=0.01,
        gravity=(0.0, 0.0, 0.0),
        bodies=[
            KinematicBody(name="plate", shape=Box(size=(0.3, 0.3, 0.02)), position=(0.15, 0.0, -0.045)),
            Hand(name="hand"),
        ],
        motions=[
            TrackMotion(body="hand", times=times.tolist(), values=values.tolist(), coupling="bilateral")
        ],
    )
    engine = make_engine(scene)
    for _ in range(100):
        engine.step()
    force, torque, tip = engine.tracking.feedback(engine.patches())["hand"][1]
    assert force[2] > 0.3
    hand = engine._hands["hand"]
    base, orientation = engine.world.body_pose(hand.id, 4)
    moment = torque + np.cross(tip - np.array(base), force)
    rotation = matrix_from_quaternion(np.array(orientation))
    q = engine.joint_positions("hand")[7:]
    springs = 2.0 * (0.5 - q[5])
    assert springs > 0.02
    assert springs == pytest.approx(-rotation[:, 1] @ moment, rel=0.02)


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ({"source": "udp://127.0.0.1:1", "smoothing": "savgol"}, "savgol"),
        ({"source": "grasp", "feedback": "udp://127.0.0.1:1"}, "coupling is unilateral"),
        ({"source": "udp://127.0.0.1"}, "udp://HOST:PORT"),
    ],
)
def test_a_wrong_live_motion_is_refused(motion, message):
    with pytest.raises((SceneError, ValueError), match=message):
        hand_alone(**motion)


def test_a_run_without_a_sender_ends_with_one_line(tmp_path, capsys):
    scene = hand_alone(source=free_port(), timeout=0.05).save(tmp_path / "s.json")
    assert main(["run", str(scene), "--no-replay", "--out", str(tmp_path / "o")]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 2 and "waiting at most" in lines[0] and "no packets within 0.05 s" in lines[1]


def test_engine_sofa_refuses_what_is_live_or_felt():
    from softcontact.engines.sofa.support import check_support

    for motion in ({"source": "udp://127.0.0.1:26000"}, {"source": "grasp", "coupling": "bilateral"}):
        with pytest.raises(SceneError, match="engine 'sofa' cannot express"):
            check_support(resolve(hand_alone(**motion)))
    check_support(resolve(hand_alone(source="grasp")))


def test_a_scene_with_a_hand_follows_a_track_in_place_of_its_plan():
    planned = hand_alone(source="grasp").model_copy(update={"grasp": Grasp(body="hand", end=1.0, force=1.0)})
    recorded = follow(planned, "grasp")
    assert recorded.duration == pytest.approx(6.5) and recorded.grasp is None
    assert Scene.from_dict(recorded.to_dict()) == recorded
    assert follow(planned, "udp://127.0.0.1:26000").duration == planned.duration
    for wrong in ("nowhere", "udp://x"):
        with pytest.raises(SceneError, match="track: source: "):
            follow(planned, wrong)


# --- softcontact track ------------------------------------------------------------------------------


def test_simulate_makes_the_shipped_recording_and_its_variants(tmp_path, capsys):
    assert main(["track", "simulate", str(tmp_path / "a.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == find_track("grasp").read_bytes()
    assert main(["track", "simulate", str(tmp_path / "b.h5"), "--sensors", "14", "--rate", "50"]) == 0
    assert read_track(tmp_path / "b.h5").values.shape == (326, 26)
    assert main(["track", "simulate", str(tmp_path / "c.jsonl"), "--loss", "0.05", "--reorder", "0.1"]) == 0
    assert 580 < len((tmp_path / "c.jsonl").read_text().splitlines()) < 650
    assert main(["track", "simulate", str(tmp_path / "d.csv"), "--loss", "0.05"]) == 2
    assert main(["track", "simulate", str(tmp_path / "e.csv"), "--radius", "1"]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert "radius" in error and "0.02 to 0.06" in error


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_what_is_replayed_is_recorded(tmp_path, closing, suffix):
    source, out, url = closing.save(tmp_path / "a.csv"), tmp_path / f"b{suffix}", free_port()
    codes = []
    recorder = ["track", "record", str(out), "--listen", url, "--idle", "0.3", "--timeout", "20"]
    thread = threading.Thread(target=lambda: codes.append(main(recorder)))
    thread.start()
    while codes == [] and not _bound(url):
        time.sleep(0.01)
    assert main(["track", "replay", str(source), "--to", url, "--landmarks"]) == 0
    thread.join(20)
    assert codes == [0]
    got = read_track(out)
    assert got.duration == pytest.approx(TO - FROM, abs=0.15)
    # Somewhere it shows each posture of the original.
    for row in closing.values[::10]:
        assert np.abs(got.values - row)[:, :20].max(axis=1).min() < 2 * DEGREE


def _bound(url):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", int(url.rpartition(":")[2])))
        except OSError:
            return True
        return False


def test_record_gives_up_on_silence_with_one_line(tmp_path, capsys):
    code = main(["track", "record", str(tmp_path / "a.csv"), "--listen", free_port(), "--timeout", "0.05"])
    assert code == 2
    assert "no packets within 0.05 s" in capsys.readouterr().err.strip().splitlines()[-1]
    assert main(["track", "record", str(tmp_path / "a.txt")]) == 2
    assert main(["track", "replay", "nowhere"]) == 2
    assert main(["track", "replay", "grasp", "--to", "127.0.0.1"]) == 2


def test_tracks_of_an_earlier_run_are_replaced(tmp_path):
    from softcontact.outputs import prepare

    folder = prepare(tmp_path / "o", "x")
    (folder / "scene.json").write_text(json.dumps({"format": "softcontact-scene-1"}))
    (folder / "track-hand.h5").write_bytes(b"")
    with pytest.warns(UserWarning, match="earlier run"):
        prepare(folder, "x")
    assert not (folder / "track-hand.h5").exists()
