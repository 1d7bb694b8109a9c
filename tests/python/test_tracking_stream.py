# SPDX-License-Identifier: LGPL-2.1-or-later
"""Live streams: the message, the jitter buffer, landmarks, UDP sockets; all three inputs drive one hand."""

import json
import socket

import numpy as np
import pytest

from softcontact.hand import HandKinematics, HandParameters, joint_limits
from softcontact.hand.kinematics import matrix_from_rotation_vector
from softcontact.tracking import Track, TrackError
from softcontact.tracking.drive import Driver, Placement
from softcontact.tracking.feedback import decode_wrench, encode_wrench, wrenches
from softcontact.tracking.files import find_track, read_track, write_raw
from softcontact.tracking.jitter import JitterBuffer, JitterSettings, PlayoutClock
from softcontact.tracking.landmarks import LandmarkFitter, kabsch, landmarks_of
from softcontact.tracking.message import Decoder, OtherHandError, Packet, encode
from softcontact.tracking.packets import disturbed, packets_of, read_log, write_log
from softcontact.tracking.recorder import record_stream
from softcontact.tracking.source import RecordedSource, Source
from softcontact.tracking.udp import LiveSource, UdpSource, address, open_sender
from softcontact.tracking.values import RateLimits

DEGREE = np.pi / 180.0
STEP = 0.005
RIGHT = HandKinematics.build(HandParameters())


@pytest.fixture(scope="module")
def grasp():
    return read_track(find_track("grasp"))


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"udp://127.0.0.1:{probe.getsockname()[1]}"


def play(source, give, duration, step=STEP, started=1000.0):
    """Targets of each step, the source's times and states; `give(now)` delivers what has arrived by then."""
    driver, times, states = Driver(Placement(), RateLimits(), step), [], []
    for number in range(int(duration / step)):
        now = number * step
        give(now)
        sample = source.sample(started + now)
        if sample.state == "waiting":
            continue
        driver.step(sample.values, interrupted=sample.state != "fresh")
        times.append(sample.time)
        states.append(sample.state)
    return np.array(driver.rows), np.array(times), states, driver


def deliver(source, arrivals, started=1000.0):
    """Puts arrivals into a source by virtual time."""
    upcoming = iter(arrivals)
    pending = [next(upcoming, None)]

    def give(now):
        while pending[0] is not None and pending[0][0] <= now:
            source.push(pending[0][1], started + pending[0][0])
            pending[0] = next(upcoming, None)

    return give


def largest_step(rows):
    return np.abs(np.diff(rows[:, :20], axis=0)).max()


def joint_error(rows, times, track):
    return np.abs(rows - track.at(times))[:, :20].max() / DEGREE


# --- all inputs, one hand ---------------------------------------------------------------------------


def test_recorded_udp_and_landmark_input_agree_within_a_degree(grasp):
    """The recording, its packets over a real socket, and its landmarks over another."""
    errors = {}
    source = RecordedSource(grasp)
    rows, times, _, _ = play(source, lambda now: None, 6.5, started=0.0)
    errors["recorded"] = joint_error(rows, times, grasp)
    for name, kinematics in (("udp", None), ("landmarks", RIGHT)):
        url = free_port()
        source, send = UdpSource(url), open_sender(url)
        packets = packets_of(grasp.resampled(50.0 if kinematics else 100.0), kinematics)
        upcoming = [0]

        def give(now, packets=packets, send=send, upcoming=upcoming):
            while upcoming[0] < len(packets) and packets[upcoming[0]][0] <= now:
                send(packets[upcoming[0]][1])
                upcoming[0] += 1

        rows, times, states, _ = play(source, give, 6.55)
        counts = source.statistics()
        source.close()
        send.close()
        assert counts["malformed"] == counts["lost"] == 0 and counts["used"] == len(packets)
        assert times[-1] > 6.3 and states.count("fresh") > 0.99 * len(states)
        errors[name] = joint_error(rows, times, grasp)
    assert all(error < 1.0 for error in errors.values()), errors
    assert errors["recorded"] < 1e-9 and errors["udp"] < 0.2 and errors["landmarks"] < 0.3, errors


@pytest.mark.parametrize("jitter", [0.0, 0.02])
@pytest.mark.parametrize("seed", range(2))
def test_lost_and_reordered_packets_leave_no_jump(grasp, seed, jitter):
    arrivals = disturbed(packets_of(grasp), loss=0.05, reorder=0.10, duplicate=0.02, jitter=jitter, seed=seed)
    source = LiveSource()
    rows, times, _, _ = play(source, deliver(source, arrivals), 6.5)
    own = largest_step(grasp.at(np.arange(0.0, 6.5, STEP)))
    counts = source.statistics()
    assert counts["lost"] > 15 and counts["reordered"] > 40 and counts["duplicates"] > 3
    assert largest_step(rows) <= 1.10 * own
    assert joint_error(rows, times, grasp) < 1.0
    lower, upper = joint_limits()
    assert (rows[:, :20] >= lower - DEGREE).all() and (rows[:, :20] <= upper + DEGREE).all()


def test_without_the_buffer_there_would_be_jumps(grasp):
    """The measure of the test above finds what it is to find."""
    arrivals = disturbed(packets_of(grasp), loss=0.05, reorder=0.10, seed=0)
    decode = Decoder()
    rows = np.array([decode(data).values for _, data in arrivals])
    assert largest_step(rows) > 1.5 * largest_step(grasp.values)


def test_a_gap_ends_in_a_slow_return_without_a_jump(grasp):
    arrivals = [(at, data) for at, data in packets_of(grasp) if not 1.3 < at < 1.6]
    source = LiveSource(settings=JitterSettings(freeze_after=0.1))
    rows, times, states, driver = play(source, deliver(source, arrivals), 6.5)
    assert "held" in states and "frozen" in states and driver.limiter.limited > 0
    assert largest_step(rows) <= 1.10 * largest_step(grasp.at(np.arange(0.0, 6.5, STEP)))
    frozen = np.flatnonzero(np.array(states) == "frozen")
    assert np.array_equal(rows[frozen[0]], rows[frozen[5]])
    late = times > 3.0  # it has caught up
    assert np.abs(rows[late] - grasp.at(times[late])).max() < DEGREE


# --- hold, freeze, restart ----------------------------------------------------------------------------


def constant(number, time, value=0.1, session=""):
    return Packet(number, time, np.concatenate([np.full(20, value), np.zeros(6)]), session)


def test_the_last_pose_is_held_and_frozen_after_the_stated_time():
    buffer = JitterBuffer(JitterSettings(delay=0.05, freeze_after=0.3, resume=3))
    assert buffer.sample(0.0).state == "waiting"
    for k in range(11):
        buffer.insert(constant(k, 0.01 * k, 0.01 * k), 5.0 + 0.01 * k)
    assert buffer.sample(5.10).state == "fresh"
    last = buffer.sample(5.2)
    assert last.state == "held" and last.values[0] == pytest.approx(0.10)
    assert buffer.sample(5.39).state == "held"
    assert buffer.sample(5.41).state == "frozen"
    for k in (60, 61):  # two stray packets move nothing
        buffer.insert(constant(k, 0.01 * k, 0.9), 5.0 + 0.01 * k)
    assert buffer.sample(5.62).state == "frozen" and buffer.sample(5.62).values[0] == pytest.approx(0.10)
    for k in range(62, 70):
        buffer.insert(constant(k, 0.01 * k, 0.9), 5.0 + 0.01 * k)
    sample = buffer.sample(5.70)
    assert sample.state == "fresh" and sample.values[0] == pytest.approx(0.9)


@pytest.mark.parametrize("session", ["", "b"])
def test_a_sender_that_starts_anew_is_followed(session):
    buffer = JitterBuffer()
    for k in range(300):
        buffer.insert(constant(k, 0.01 * k, 0.1), 0.01 * k)
        buffer.sample(0.01 * k)
    for k in range(30):
        buffer.insert(constant(k, 0.01 * k, 0.7, session), 10.0 + 0.01 * k)
        sample = buffer.sample(10.0 + 0.01 * k)
    assert sample.state == "fresh" and sample.values[0] == pytest.approx(0.7)
    counts = buffer.statistics
    assert counts.restarts == 1 and counts.lost == 0
    assert counts.received == counts.used + counts.late + counts.duplicates


def test_one_packet_of_another_time_does_not_start_anew():
    buffer = JitterBuffer()
    for k in range(100):
        buffer.insert(constant(k, 0.01 * k), 0.01 * k)
    assert buffer.insert(constant(100, 500.0, 0.9), 1.0) == "late"
    assert buffer.insert(constant(101, 1.01), 1.01) == "used"
    assert buffer.statistics.restarts == 0


@pytest.mark.parametrize("number", [2**62, 100_000])
def test_a_number_far_ahead_is_one_packet_out_of_place_and_no_loss(number):
    buffer = JitterBuffer()
    for k in range(100):
        buffer.insert(constant(k, 0.01 * k), 0.01 * k)
    assert buffer.insert(constant(number, 1.0, 0.9), 1.0) == "late"
    for k in range(101, 200):
        assert buffer.insert(constant(k, 0.01 * k), 0.01 * k) == "used"
    assert buffer.statistics.restarts == 0 and buffer.statistics.lost == 1


def test_a_sender_that_numbers_anew_far_ahead_is_followed_and_a_long_outage_counts_as_lost():
    buffer = JitterBuffer()
    for k in range(100):
        buffer.insert(constant(k, 0.01 * k), 0.01 * k)
    for k in range(100, 200):
        buffer.insert(constant(k + 2**62, 0.01 * k, 0.7), 0.01 * k)
        buffer.sample(0.01 * k)
    counts = buffer.statistics
    assert counts.restarts == 1 and counts.lost == 0 and counts.late == 2
    assert buffer.sample(2.0).values[0] == pytest.approx(0.7)
    for k in range(6200, 6300):  # a minute without packets
        buffer.insert(constant(k + 2**62, 0.01 * k), 0.01 * k)
    assert buffer.statistics.restarts == 1 and buffer.statistics.lost == 6000


def test_the_playout_clock_follows_the_quickest_packets_without_jumping():
    clock = PlayoutClock(0.05)
    random = np.random.default_rng(0)
    shown, asked = [], []
    for k in range(1000):
        sent = 0.01 * k
        way = 0.06 + 0.02 * random.random() - (0.04 if k > 500 else 0.0)  # it becomes quicker
        clock.observe(7.0 + 0.01 * k + way, sent)
        shown.append(clock.at(7.0 + 0.01 * k + way))
        asked.append(7.0 + 0.01 * k + way)
    quickest = np.array(asked) - 7.0 - 0.05 - np.where(np.arange(1000) > 500, 0.02, 0.06)
    assert np.abs(shown - quickest)[[490, 999]].max() < 1e-3
    assert np.abs(np.diff(np.array(shown) - asked)).max() < 0.05 * 0.03


def test_counts_add_up_on_a_bad_network(grasp):
    arrivals = disturbed(
        packets_of(grasp), loss=0.2, reorder=0.2, duplicate=0.1, malformed=0.1, jitter=0.1, seed=1
    )
    source = LiveSource()
    play(source, deliver(source, arrivals), 7.0)
    c = source.statistics()
    assert c["received"] == len(arrivals)
    assert c["received"] == c["used"] + c["duplicates"] + c["late"] + c["malformed"] + c["other_hand"]
    assert c["late"] > 0 and c["malformed"] > 30
    assert c["lost"] == len(grasp.times) - len(
        {json.loads(d)["sequence"] for _, d in arrivals if d[-1:] == b"}"}
    )


# --- the message ------------------------------------------------------------------------------------


def message(**changes):
    row = np.concatenate([np.full(20, 0.1), [0.1, 0.2, 0.3], [0.0, 0.1, 0.0]])
    return json.dumps(json.loads(encode(7, 1.5, row)) | changes).encode()


def test_a_message_comes_back_bit_for_bit():
    row = np.random.default_rng(0).normal(size=26) * 0.3
    packet = Decoder()(encode(3, 0.25, row, session="x"))
    assert (packet.sequence, packet.time, packet.session) == (3, 0.25, "x")
    assert np.array_equal(packet.values, row)


def test_units_sensors_and_quaternions_of_a_message():
    packet = Decoder()(
        message(
            joints=[30.0] * 5,
            time=1500,
            position=[100, 200, 300],
            orientation=[0, 0, np.sin(0.2), np.cos(0.2)],
            units={"time": "ms", "angle": "deg", "length": "mm"},
        )
    )
    assert packet.time == pytest.approx(1.5)
    assert packet.values[6] == pytest.approx(30 * DEGREE) and packet.values[20] == pytest.approx(0.1)
    assert packet.values[25] == pytest.approx(0.4)
    table = {"minimum": [100] * 5, "maximum": [1100] * 5}
    raw = Decoder(calibration=table)(message(joints=[600] * 5, units={"angle": "raw"}))
    assert raw.values[6] == pytest.approx(0.5 * 1.9)


MALFORMED = {
    "no JSON": b"\x00\xff{",
    "cut short": message()[:200],
    "no table": b"[1, 2]",
    "too deep": b"[" * 5000 + b"]" * 1,
    "too long": b"{" + b" " * 9000 + b"}",
    "another format": message(format="softcontact-track-2"),
    "no sequence": message(sequence=None),
    "a truth value as sequence": message(sequence=True),
    "a huge sequence": message(sequence=10**30),
    "no time": message(time=None),
    "a text as time": message(time="1.5"),
    "a far time": message(time=1e300),
    "19 joints": message(joints=[0.1] * 19),
    "texts as joints": message(joints=["0.1"] * 20),
    "truth values as joints": message(joints=[True] * 20),
    "degrees called radians": message(joints=[30.0] * 20),
    "not finite": message().replace(b"0.2", b"NaN"),
    "infinite": message().replace(b"0.2", b"1e999"),
    "ragged": message(position=[1, [2], 3]),
    "a palm far away": message(position=[1e6, 0, 0]),
    "no unit quaternion": message(orientation=[0, 0, 0, 2]),
    "unknown unit": message(units={"length": "ft"}),
    "units no table": message(units=[1]),
    "raw without calibration": message(units={"angle": "raw"}),
    "20 landmarks": message(landmarks=[[0, 0, 0]] * 20),
    "landmarks in one place": message(landmarks=[[0, 0, 0]] * 21),
    "landmarks on a line": message(landmarks=[[0.01 * k, 0, 0] for k in range(21)]),
    "no scale": message(landmarks=[[0.1 * k, k % 3, k % 2] for k in range(21)], scale=-1),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_packet_is_counted_and_ignored(what):
    source = LiveSource()
    source.push(message(), 1.0)
    before = source.sample(1.02).values
    assert source.push(MALFORMED[what], 1.03) == "malformed"
    assert source.last_error and "\n" not in source.last_error
    assert source.statistics()["malformed"] == 1
    assert np.array_equal(source.sample(1.04).values, before)


def test_messages_of_the_other_hand_are_left_out():
    with pytest.raises(OtherHandError):
        Decoder()(message(side="left"))
    source = LiveSource()
    assert source.push(message(side="left"), 1.0) == "other hand"
    assert source.statistics()["other_hand"] == 1 and source.sample(1.1).state == "waiting"


# --- landmarks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["right", "left"])
def test_landmarks_of_any_posture_give_its_angles_and_palm(side):
    kinematics = HandKinematics.build(HandParameters(side=side))
    random = np.random.default_rng(0)
    lower, upper = joint_limits()
    values = np.concatenate(
        [lower + (upper - lower) * random.random((40, 20)), random.normal(size=(40, 6))], axis=1
    )
    fitter = LandmarkFitter(side=side)
    for row, points in zip(values, landmarks_of(values, kinematics), strict=True):
        fitted = fitter.fit(points)
        assert np.abs(fitted - row)[:23].max() < 1e-6
        turn = matrix_from_rotation_vector(fitted[23:]).T @ matrix_from_rotation_vector(row[23:])
        assert np.abs(turn - np.eye(3)).max() < 1e-6
        assert fitter.residual < 1e-8


def test_landmarks_are_the_joints_and_tips_in_mediapipes_order(grasp):
    row = grasp.values[250]
    points = landmarks_of(row, RIGHT)[0]
    positions, rotations = RIGHT.poses(row[:20], row[20:23], matrix_from_rotation_vector(row[23:]))
    assert np.allclose(points[0], positions[0])
    assert np.allclose(points[[4, 8, 12, 16, 20]], RIGHT.fingertips(positions, rotations))
    for finger in range(5):
        assert np.allclose(
            points[4 * finger + 1 : 4 * finger + 4], positions[3 * finger + 1 : 3 * finger + 4]
        )


def test_another_persons_bones_and_scale_leave_the_angles(grasp):
    """Bones of one finger 15 % longer, of another 10 % shorter, everything 8 % smaller, in a camera's units."""
    points = landmarks_of(grasp.values[::60], RIGHT)
    for base, factor in ((5, 1.15), (13, 0.9)):
        bones = np.diff(points[:, base : base + 4], axis=1) * factor
        points[:, base + 1 : base + 4] = points[:, base : base + 1] + np.cumsum(bones, axis=1)
    fitter = LandmarkFitter(scale=0.25)
    for row, frame in zip(grasp.values[::60], 0.92 * points / 0.25, strict=True):
        fitted = fitter.fit(frame)
        assert np.abs(fitted - row)[:20].max() < 0.1 * DEGREE
        assert np.allclose(fitted[20:23], 0.92 * row[20:23])


def test_postures_beyond_the_limits_are_fitted_inside_them():
    _, upper = joint_limits()
    values = np.zeros((1, 26))
    values[0, :20] = upper + 0.3
    fitted = LandmarkFitter().fit(landmarks_of(values, RIGHT)[0])
    assert (fitted[:20] <= upper).all()
    assert np.abs(fitted[1:20:4] - upper[1::4]).max() < 0.35  # near where it would be


def test_noisy_landmarks_are_smoothed(grasp):
    random = np.random.default_rng(0)
    errors = {}
    part = Track(grasp.times[100:220], grasp.values[100:220])
    points = landmarks_of(part.values, RIGHT)
    noisy = points + 5e-4 * random.standard_normal(points.shape)
    for smoothing in ("none", "one-euro"):
        source = LiveSource(smoothing=smoothing)
        rows = []
        for k, frame in enumerate(noisy[:80]):
            source.push_landmarks(frame, 0.01 * k)
            rows.append(source.sample(0.01 * k).values[:20])
        errors[smoothing] = np.std(np.diff(rows, n=2, axis=0))
    assert errors["one-euro"] < 0.5 * errors["none"]


def test_kabsch_gives_the_rigid_motion_and_no_mirror_image():
    random = np.random.default_rng(3)
    model = random.normal(size=(6, 3))
    rotation = matrix_from_rotation_vector([0.3, -2.0, 1.0])
    found, shift = kabsch(model, model @ rotation.T + [1, 2, 3])
    assert np.allclose(found, rotation) and np.allclose(shift, [1, 2, 3])
    assert np.linalg.det(kabsch(model, model * [1, 1, -1])[0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"scale": 0.0}, "scale"), ({"scale": [1, 2]}, "scale"), ({"side": "both"}, "side")],
)
def test_wrong_landmark_settings_are_refused(arguments, message):
    with pytest.raises(TrackError, match=message):
        LandmarkFitter(**arguments)


# --- files of packets and landmarks, sockets --------------------------------------------------------


def test_a_log_of_packets_is_a_recording(tmp_path, grasp):
    arrivals = disturbed(packets_of(grasp), loss=0.05, reorder=0.1, malformed=0.02, seed=2)
    path = write_log(tmp_path / "a.jsonl", arrivals)
    assert [d for _, d in read_log(path)] == [d for _, d in arrivals]
    track, again = read_track(path), read_track(path)
    assert np.array_equal(track.values, again.values)
    assert np.abs(track.values - grasp.at(track.times))[:, :20].max() < DEGREE
    path.write_text('{"arrival": 0.1}\n')
    with pytest.raises(TrackError, match="line 1: no packet"):
        read_track(path)


@pytest.mark.parametrize("suffix", [".csv", ".h5"])
def test_a_file_of_landmarks_is_a_recording(tmp_path, grasp, suffix):
    part = grasp.resampled(20.0)
    path = write_raw(
        tmp_path / f"a{suffix}", {"time": part.times, "landmarks": landmarks_of(part.values, RIGHT)}
    )
    assert np.abs(read_track(path).values - part.values)[:, :23].max() < 1e-6


def test_sources_have_one_interface(grasp):
    url = free_port()
    udp = UdpSource(url)
    for source in (RecordedSource(grasp), LiveSource(), udp):
        assert isinstance(source, Source)
        source.sample(0.0)
        assert source.statistics() is not None
        source.close()
        source.close()


def test_a_taken_port_and_wrong_addresses_are_refused():
    url = free_port()
    source = UdpSource(url)
    with pytest.raises(TrackError, match="free"):
        UdpSource(url)
    source.close()
    for wrong in ("127.0.0.1:5", "udp://127.0.0.1", "udp://:5", "udp://h:0", "udp://h:70000", "udp://h:x"):
        with pytest.raises(TrackError, match="udp://HOST:PORT"):
            address(wrong)


def test_waiting_for_a_silent_or_wrong_sender_ends():
    url = free_port()
    source, send = UdpSource(url), open_sender(url)
    with pytest.raises(TrackError, match=r"no packets within 0.05 s; start"):
        source.wait(0.05)
    send(b"hello")
    with pytest.raises(TrackError, match="1 malformed: message: not JSON"):
        source.wait(0.05)
    source.close()


def test_what_queued_up_before_the_run_is_left_out():
    url = free_port()
    source, send = UdpSource(url), open_sender(url)
    for k in range(30):
        send(encode(k, 0.01 * k, np.full(26, 0.01 * k)))
    source.catch_up(50.0)
    counts = source.statistics()
    assert counts["skipped"] == 29 and counts["used"] == 1
    assert source.sample(50.0).values[0] == pytest.approx(0.29)
    source.close()


def test_datagrams_that_come_while_others_are_decoded_wait_for_the_next_call():
    url = free_port()
    send, taken = open_sender(url), []

    def answer(at, data):  # for each that is taken another one comes
        taken.append(at)
        send(message(sequence=len(taken), time=1.5 + 0.01 * len(taken)))

    source = UdpSource(url, log=answer)
    try:
        send(message(sequence=0))
        for call in range(1, 4):
            source.receive(0.01 * call)
            assert len(taken) == call
    finally:
        source.close()
        send.close()


def test_recording_a_stream_stops_when_it_ends(grasp):
    url = free_port()
    source, send = UdpSource(url), open_sender(url)
    packets, clock, upcoming = packets_of(grasp), [0.0], [0]

    def sleep(duration):
        clock[0] += duration
        while upcoming[0] < 150 and packets[upcoming[0]][0] <= clock[0]:
            send(packets[upcoming[0]][1])
            upcoming[0] += 1

    sleep(0.01)
    track, interrupted = record_stream(source, idle=0.5, clock=lambda: clock[0], sleep=sleep)
    source.close()
    assert not interrupted
    assert track.duration == pytest.approx(1.5, abs=0.1)
    lag = 0.05 - 0.01  # delay, less the time of the first row
    assert np.abs(track.values[20:] - grasp.at(track.times[20:] - lag))[:, :20].max() < 2 * DEGREE


# --- wrenches ---------------------------------------------------------------------------------------


def patch(body, other, force, centre, torque=(0.0, 0.0, 0.0)):
    return {
        "body": body,
        "other": other,
        "force": np.array(force),
        "torque": np.array(torque),
        "centre": np.array(centre),
    }


def test_wrenches_sum_contacts_about_the_fingertip():
    points = np.arange(18.0).reshape(6, 3)
    patches = [
        patch("hand.index_distal", "ball", [0, 0, 2.0], points[1] + [0.01, 0, 0], [0.1, 0, 0]),
        patch("ball", "hand.index_middle", [0, 3.0, 0], points[1]),
        patch("hand.thumb_distal", "hand.index_distal", [1.0, 0, 0], points[0]),
        patch("hand.index_distal", "hand.index_proximal", [9.0, 0, 0], points[0]),
        patch("hand.palm_thenar", "ball", [0, 0, 5.0], points[5]),
        patch("table", "ball", [7.0, 0, 0], points[0]),
    ]
    felt = wrenches(patches, "hand", points)
    assert felt[1, 0] == pytest.approx([-1.0, -3.0, 2.0])
    arm = points[0] - points[1]
    assert felt[1, 1] == pytest.approx(np.array([0.1, -0.02, 0]) + np.cross(arm, [-1.0, 0, 0]))
    assert felt[0, 0] == pytest.approx([1.0, 0, 0]) and felt[5, 0] == pytest.approx([0, 0, 5.0])
    assert not felt[2:5, :2].any()


def test_a_large_wrench_is_cut_in_its_direction():
    patches = [patch("hand.ring_distal", "ball", [3.0, 0, 4.0], [0, 0, 0], [0.5, 0, 0])]
    felt = wrenches(patches, "hand", np.zeros((6, 3)), scale=2.0, limit=5.0)
    assert felt[3, 0] == pytest.approx([3.0, 0, 4.0]) and felt[3, 1, 0] == pytest.approx(0.5)
    assert wrenches(patches, "hand", np.zeros((6, 3)), scale=0.5)[3, 0] == pytest.approx([1.5, 0, 2.0])


def test_a_wrench_message_comes_back():
    values = np.random.default_rng(0).normal(size=(6, 3, 3))
    sequence, time, body, back = decode_wrench(encode_wrench(4, 0.3, "hand", values))
    assert (sequence, time, body) == (4, 0.3, "hand") and np.array_equal(back, values)
    for wrong in (b"{}", b"x", b'{"format": "softcontact-wrench-9"}'):
        with pytest.raises(TrackError):
            decode_wrench(wrong)
