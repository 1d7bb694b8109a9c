# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions of the fast thread from Python: safety, recording and replay, real threads."""

import dataclasses
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from softcontact.haptics import (
    Capabilities,
    HandAxis,
    HandScript,
    HapticSession,
    RecordedDevice,
    Recording,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    VirtualWall,
    drag,
    press,
    tap,
)

WALL = VirtualWall.data(500.0, 1.0)


def pressed(depth=4e-3, **more):
    return SimulatedDevice(HandScript([0.0, 0.1], [[0, 0, 1e-3], [0, 0, -depth]]), **more)


def run(session, seconds, every=0.02, wall=WALL):
    ticks = round(seconds * session.settings.rate_hz)
    step = round(every * session.settings.rate_hz)
    for tick in range(ticks):
        if tick % step == 0:
            session.publish(wall, every)
        session.tick()


def test_hand_and_wall_find_their_balance():
    with HapticSession(pressed(), VirtualWall(), clock="simulated") as session:
        run(session, 3.0)
        read = session.readout()
    # k (x - x_h) = F, F = -K x with hand 400 N/m at -4 mm and wall 500 N/m: x = -4 mm · 400 / 900, to an encoder step.
    assert read["position"][2] == pytest.approx(-4e-3 * 400 / 900, abs=2e-5)
    assert read["wrench"][2] == pytest.approx(500 * 4e-3 * 400 / 900, abs=0.012)
    assert read["state"] == "touching" and read["gain"] == 1.0


def test_a_turned_hand_turns_the_device():
    angle = 0.6
    turned = [[0, 0, 0, 1], [0, np.sin(angle / 2), 0, np.cos(angle / 2)]]
    script = HandScript([0.0, 0.2], np.zeros((2, 3)), turned)
    with HapticSession(
        SimulatedDevice(script, rotation_step=0.0), VirtualWall(), clock="simulated"
    ) as session:
        run(session, 1.0)
        read = session.readout()
    assert read["orientation"] == pytest.approx(turned[1], abs=1e-6)
    assert np.abs(read["angular_velocity"]).max() < 1e-4


@pytest.mark.parametrize("script", [press(), drag(), tap()])
def test_a_recorded_session_replays_to_the_same_bits(script, tmp_path):
    device = SimulatedDevice(script)
    rng = np.random.default_rng(3)
    with HapticSession(device, VirtualWall(), clock="simulated", record=2.0) as session:
        for tick in range(1500):
            if tick % 25 == 0 and not 600 < tick < 800:  # the watchdog as well
                session.publish(VirtualWall.data(rng.uniform(100, 900), rng.uniform(0, 2)), 0.03)
            if tick == 1000:
                session.withdraw()
            if tick == 1200:
                session.device.plug(False)
            session.tick()
        recording = session.recording()
    recording.save(tmp_path / "session.h5")
    loaded = Recording.load(tmp_path / "session.h5")
    again = loaded.replay()
    assert np.abs(loaded.wrenches).max() > 0.5 and not loaded.full
    assert {"touching", "stalled", "waiting", "pose_lost"} <= set(loaded.states())
    for name in recording.columns:
        assert again.columns[name].tobytes() == recording.columns[name].tobytes(), name


def test_a_recording_is_a_device(tmp_path):
    with HapticSession(pressed(), VirtualWall(), clock="simulated", record=1.0) as session:
        run(session, 1.0)
        recording = session.recording()
    with HapticSession(RecordedDevice(recording), VirtualWall(), clock="simulated", record=3.0) as session:
        run(session, 3.0, wall=VirtualWall.data(250.0))
        played = session.recording()
    assert np.array_equal(played.columns["position"][:1000], recording.columns["position"])
    soft, hard = played.wrenches[900, 2], recording.wrenches[900, 2]
    assert soft == pytest.approx(0.5 * hard, abs=0.02) and hard > 0.5
    assert played.states()[-1] == "error" and not played.wrenches[-1].any()  # nothing fresh for 1 s
    with pytest.raises(ValueError, match="rate_hz"):
        HapticSession(
            RecordedDevice(recording), VirtualWall(), ThreadSettings(rate_hz=2000.0), clock="simulated"
        )


def test_an_unplugged_device_is_an_error_until_reset():
    with HapticSession(pressed(), VirtualWall(), clock="simulated") as session:
        run(session, 0.5)
        session.device.plug(False)
        run(session, 0.06)
        assert session.readout()["state"] == "pose_lost" and not session.readout()["wrench"].any()
        run(session, 1.0)
        assert session.readout()["state"] == "error"
        session.device.plug(True)
        run(session, 0.2)
        assert session.readout()["state"] == "error" and not session.readout()["wrench"].any()
        session.reset()
        run(session, 0.3)
        assert session.readout()["state"] == "touching" and session.readout()["wrench"][2] > 0.5


def test_two_devices_at_once_each_with_its_own_force():
    threads = len(os.listdir("/proc/self/task")) if Path("/proc").exists() else None
    with (
        HapticSession(pressed(2e-3), VirtualWall(), record=2.0) as left,
        HapticSession(pressed(6e-3), VirtualWall(), ThreadSettings(rate_hz=500.0), record=2.0) as right,
    ):
        stop = threading.Event()

        def slow():
            while not stop.wait(0.004):
                left.publish(WALL, 0.02)
                right.publish(WALL, 0.02)

        for _ in range(20):  # the slow thread comes and goes in contact
            left.start()
            right.start()
            stop.clear()
            thread = threading.Thread(target=slow)
            thread.start()
            time.sleep(0.02)
            stop.set()
            thread.join()
            left.withdraw()
            left.stop()
            right.stop()
        assert threads is None or len(os.listdir("/proc/self/task")) == threads
        assert left.scheduling
        times = left.times()
        assert times["work"]["count"] == left.ticks > 100
        assert left.histogram("interval").sum() == times["interval"]["count"]
        recordings = left.recording(), right.recording()
    for recording in recordings:
        again = recording.replay()
        assert again.wrenches.tobytes() == recording.wrenches.tobytes()
    heights = [recording.columns["position"][-1, 2] for recording in recordings]
    assert heights[1] < heights[0]


def test_numbers_do_not_depend_on_the_locale(in_locales, tmp_path):
    """Under locales with a decimal comma, and with a dotless i, session and file give the same bytes."""
    code = """
import hashlib, locale, sys
locale.setlocale(locale.LC_ALL, "")
from softcontact.haptics import HapticSession, Recording, SimulatedDevice, VirtualWall, press
with HapticSession(SimulatedDevice(press()), VirtualWall(), clock="simulated", record=0.5) as session:
    for tick in range(500):
        if tick % 25 == 0:
            session.publish(VirtualWall.data(432.1, 0.7), 0.03)
        session.tick()
    session.recording().save(sys.argv[1])
again = Recording.load(sys.argv[1]).replay()
print(locale.localeconv()["decimal_point"], hashlib.sha256(again.wrenches.tobytes()).hexdigest(),
      hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest(), again.settings, again.capabilities)
"""
    in_locales(code, lambda name: str(tmp_path / f"{name}.h5"))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: pressed(translation=HandAxis(mass=0.0)), "translation mass"),
        (lambda: pressed(translation=HandAxis(hand_stiffness=-1.0)), "hand_stiffness"),
        (lambda: pressed(rotation=HandAxis(mass=float("nan"))), "rotation mass"),
        (lambda: pressed(max_force=0.0), "max_force"),
        (lambda: SimulatedDevice(HandScript([0.0, 0.0], np.zeros((2, 3)))), "times"),
        (lambda: SimulatedDevice(HandScript([0.0], [[np.nan, 0, 0]])), "positions"),
        (lambda: SimulatedDevice(HandScript([0.0], [[0, 0, 0]], [[0, 0, 0, 2]])), "orientations"),
    ],
)
def test_impossible_devices_are_refused(make, word):
    with pytest.raises(ValueError, match=word):
        HapticSession(make(), VirtualWall(), clock="simulated")


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        (ThreadSettings(rate_hz=float("nan")), "rate_hz"),
        (ThreadSettings(rate_hz=8000.0), "rate_hz"),
        (ThreadSettings(priority=0), "priority"),
        *[
            (ThreadSettings(safety=SafetySettings(**{f.name: value})), f.name)
            for f in dataclasses.fields(SafetySettings)
            for value in (-1.0 if f.name == "energy_reserve" else 0.0, float("nan"))
        ],
    ],
)
def test_impossible_settings_are_refused(settings, word):
    with pytest.raises(ValueError, match=word):
        HapticSession(pressed(), VirtualWall(), settings, clock="simulated")


def test_wrong_data_and_files_are_refused(tmp_path):
    with HapticSession(pressed(), VirtualWall(), clock="simulated") as session:
        with pytest.raises(ValueError, match="parameters"):
            session.publish(WALL[:7], 0.02)
        with pytest.raises(ValueError, match="finite"):
            session.publish([*WALL[:7], np.nan], 0.02)
        with pytest.raises(ValueError, match="data_period"):
            session.publish(WALL, 0.0)
        with pytest.raises(ValueError, match="record"):
            session.recording()
        with pytest.raises(ValueError, match="clock"):
            session.start()
    (tmp_path / "no.h5").write_bytes(b"no recording")
    with pytest.raises(ValueError, match="record one first"):
        Recording.load(tmp_path / "no.h5")
    for name, make in (("folder.h5", Path.mkdir), ("pipe.h5", getattr(os, "mkfifo", Path.mkdir))):
        make(tmp_path / name)
        with pytest.raises(FileNotFoundError, match=re.escape(f"{name}: no such file; give the recording")):
            Recording.load(tmp_path / name)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ThreadSettings(rate_hz="fast"), "rate_hz: 'fast', expected a number"),
        (lambda: ThreadSettings(priority=1.5), "priority: '1.5', expected a whole number"),
        (lambda: ThreadSettings(real_time="no"), "real_time: 'no', expected True or False"),
        (lambda: SafetySettings(max_force=None), "max_force: 'None', expected a number"),
        (lambda: SafetySettings(watchdog=True), "watchdog: 'True', expected a number"),
        (lambda: Capabilities("a", force_axes="3"), "force_axes: '3', expected a whole number"),
    ],
)
def test_settings_of_another_kind_are_refused(make, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        make()
