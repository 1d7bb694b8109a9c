# SPDX-License-Identifier: LGPL-2.1-or-later
"""Landmarks of a left hand given as a right one, and the other way round."""

import numpy as np
import pytest

from softcontact.hand import HandKinematics, HandParameters, joint_limits
from softcontact.hand.motion import posture
from softcontact.tracking import Track, TrackError
from softcontact.tracking.chirality import BACKWARDS, MirroredError, TrackWarning, mean_flexion
from softcontact.tracking.files import read_track, write_raw
from softcontact.tracking.landmarks import LandmarkFitter, landmarks_of
from softcontact.tracking.message import encode_landmarks
from softcontact.tracking.packets import packets_of, write_log
from softcontact.tracking.udp import LiveSource

MIRROR = np.array([1.0, -1.0, 1.0])


def kinematics(side):
    return HandKinematics.build(HandParameters(side=side))


def closing(count=60, reach=1.0):
    """A hand that closes from straight fingers: rows (count, 26)."""
    values = np.zeros((count, 26))
    values[:, :20] = np.linspace(0.0, reach, count)[:, None] * posture("fist")
    return values


POINTS = landmarks_of(closing(), kinematics("right"))
FIST, STRAIGHT = POINTS[-1], POINTS[0]


@pytest.mark.parametrize("side", ["right", "left"])
def test_flexion_is_that_of_the_joints_on_the_stated_side_and_its_opposite_on_the_other(side):
    lower, upper = joint_limits()
    values = np.random.default_rng(0).uniform(lower, upper, (300, 20))
    values = np.hstack([values, np.random.default_rng(1).normal(size=(300, 6))])
    other = "left" if side == "right" else "right"
    for row, points in zip(values, landmarks_of(values, kinematics(side)), strict=True):
        flexion = row[:20].reshape(5, 4)[1:, 2:].mean()
        assert abs(mean_flexion(points, side) - flexion) < 0.1
        assert mean_flexion(points, other) == pytest.approx(-mean_flexion(points, side))
        assert mean_flexion(points, side) > -0.5 * BACKWARDS  # what limits allow is far from refused


@pytest.mark.parametrize(("shown", "said"), [("left", "right"), ("right", "left")])
def test_a_bent_hand_of_the_other_side_is_refused_and_a_mirrored_camera_as_well(shown, said):
    fist = landmarks_of(closing(), kinematics(shown))[-1]
    fitter = LandmarkFitter(side=said)
    with pytest.raises(MirroredError, match=rf"bend \d+° backwards for a {said} hand; state side {shown}"):
        fitter.fit(fist)
    assert (fitter.fit(fist * MIRROR)[:20] > -1e-6).all()


def test_noise_of_a_camera_neither_hides_nor_makes_a_mirrored_hand():
    random = np.random.default_rng(0)
    noisy = [POINTS[0] + 0.003 * random.standard_normal((21, 3)) for _ in range(200)]
    assert all(abs(mean_flexion(points, "right")) < BACKWARDS for points in noisy)
    half = landmarks_of(closing(reach=0.5), kinematics("left"))[-1]
    noisy = [half + 0.003 * random.standard_normal((21, 3)) for _ in range(200)]
    assert np.mean([mean_flexion(points, "right") < -BACKWARDS for points in noisy]) > 0.9


def send(source, frames, start=0):
    """What became of frames that come 30 times a second."""
    return [
        source.push(encode_landmarks(start + k, (start + k) / 30, frame), (start + k) / 30)
        for k, frame in enumerate(frames)
    ]


def test_a_single_mirrored_frame_is_counted_and_the_hand_goes_on():
    source, frames = LiveSource(), list(POINTS)
    frames[50] = frames[50] * MIRROR
    became = send(source, frames)
    assert became.count("mirrored") == 1 and became[50] == "mirrored"
    counts = source.statistics()
    assert counts["mirrored"] == 1 and counts["malformed"] == 0
    assert counts["received"] == counts["used"] + counts["mirrored"]


def test_a_mirrored_stream_is_told_once_and_moves_the_hand_no_more_until_the_camera_is_turned():
    source = LiveSource()
    with pytest.warns(TrackWarning, match="state side left, or turn the sign of one axis") as told:
        send(source, POINTS * MIRROR)
        send(source, [FIST * MIRROR] * 20, start=60)
    assert len(told) == 1
    assert source.push_landmarks(STRAIGHT * MIRROR, 3.0) == "mirrored"  # straight fingers prove nothing
    turned = send(source, [FIST] * 25 + [STRAIGHT] * 5, start=100)
    assert turned == ["used"] * 30


@pytest.mark.filterwarnings("ignore::softcontact.tracking.chirality.TrackWarning")
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_mirrored_recording_is_refused_and_one_of_the_stated_side_read(tmp_path, suffix):
    def write(name, shown, said):
        path, times = tmp_path / f"{name}{suffix}", np.arange(60) / 30
        if suffix == ".jsonl":
            track = Track(times, closing(), side=said)
            return write_log(path, packets_of(track, kinematics(shown)))
        points = landmarks_of(closing(), kinematics(shown))
        return write_raw(path, {"time": times, "landmarks": points, "side": said})

    with pytest.raises(TrackError, match=r"in (\d+) of \1 frames .* a left hand; state side right"):
        read_track(write("a", "right", "left"))
    assert read_track(write("b", "left", "left")).side == "left"


def test_a_single_mirrored_frame_of_a_recording_is_left_out_and_told(tmp_path):
    points = POINTS.copy()
    points[50] *= MIRROR
    track = read_track(
        write_raw(tmp_path / "a.h5", {"time": np.arange(60) / 30, "landmarks": points, "side": "right"})
    )
    assert len(track.times) == 59 and "mirrored frames left out: 1" in track.note
    assert np.abs(track.at(50 / 30)[0][:20] - closing()[50, :20]).max() < 0.01
