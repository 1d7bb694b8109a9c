# SPDX-License-Identifier: LGPL-2.1-or-later
"""A synthetic recording: a hand grasps a ball on the table, lifts it, moves it, puts it down and lets go."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.hand import (
    FINGERS,
    GraspObject,
    HandKinematics,
    HandModel,
    HandMotion,
    HandParameters,
    joint_limits,
    plan_grasp,
)

from .landmarks import landmarks_of
from .sensors import Calibration, sensors_of
from .track import Track
from .values import TrackError, clip_to_limits, values_of

__all__ = ["BALL_RADIUS", "raw_recording", "simulate"]

FloatArray = NDArray[np.float64]

BALL_RADIUS = 0.0375
"""Radius of the ball that the shipped recording grasps [m]; it lies on z = 0 below the origin's z axis."""

# Time of each keyframe [s]: above, there, closing, closed, lifted, moved, down, settled, open, gone.
_TIMES = (0.0, 0.8, 0.9, 1.9, 2.1, 3.0, 4.0, 4.9, 5.1, 5.8, 6.5)
_LIFT, _MOVE, _TURN, _APPROACH = 0.10, 0.08, 0.35, 0.08
# Flexion beyond the first touch, in parts of `squeeze`, for base, middle and distal joint.
_SQUEEZE = (1.0, 0.6, 0.4)


def simulate(
    *,
    rate: float = 100.0,
    seed: int = 0,
    radius: float = BALL_RADIUS,
    squeeze: float = 0.20,
    tremor: float = 1.0,
    noise: float = 0.0,
    side: str = "right",
) -> Track:
    """Grasp, lift by 10 cm, move by 8 cm with a turn, put down, release and leave, in 6.5 s.

    The postures are those of hand.plan_grasp for the ball; between them the hand comes to rest (minimum jerk),
    as people's hands do. Equal arguments give equal bits.

    Args:
        rate: samples a second [Hz], 20 to 1000.
        seed: of tremor and noise.
        radius: of the ball [m].
        squeeze: flexion of the base joints beyond the first touch [rad]; the other joints' is a part of it.
        tremor: size of a physiological tremor at 8 to 12 Hz, 1 is 0.05° at the joints and 0.05 mm at the palm.
        noise: standard deviation of white sensor noise at the joints [rad].
        side: right or left hand.
    Returns:
        The track, in the hand's limits but for noise.
    """
    for name, value, low, high in (
        ("rate", rate, 20.0, 1000.0),
        ("radius", radius, 0.02, 0.06),
        ("squeeze", squeeze, 0.0, 1.0),
        ("tremor", tremor, 0.0, 20.0),
        ("noise", noise, 0.0, 0.2),
    ):
        if not low <= value <= high:
            raise TrackError(f"{name}: {value:g} is out of range; give {low:g} to {high:g}")
    keys = _keyframes(radius, squeeze, side)
    count = round(_TIMES[-1] * rate) + 1
    times = np.arange(count) / rate
    values = values_of(HandMotion(np.array(_TIMES), keys).joint_targets(times))
    random = np.random.default_rng(seed)
    values += tremor * _tremor(times, random)
    values = clip_to_limits(values)
    if noise > 0.0:
        values[:, :20] += noise * random.standard_normal((count, 20))
    note = f"synthetic: grasp, lift, move, release a ball of radius {radius:g} m (seed {seed})"
    return Track(times, values, side, note)


def raw_recording(
    track: Track, *, sensors: int = 20, landmarks: bool = False, point_noise: float = 0.0, seed: int = 0
) -> dict[str, Any]:
    """What a glove's sensors or a hand-tracking camera record of a motion, as files.write_raw takes it.

    Args:
        track: the motion.
        sensors: 20 joint angles [rad]; 14 or 5 give raw counts between about 200 and 3900, with their calibration.
        landmarks: 21 points [m] instead, of a hand of the default size.
        point_noise: standard deviation of each point's coordinates [m].
        seed: of noise and of the sensors' ranges.
    """
    random = np.random.default_rng(seed + 1)
    raw: dict[str, Any] = {"time": track.times, "side": track.side, "note": track.note}
    if landmarks:
        points = landmarks_of(track.values, HandKinematics.build(HandParameters(side=track.side)))
        return raw | {"landmarks": points + point_noise * random.standard_normal(points.shape)}
    joints = sensors_of(track.values[:, :20], sensors)
    raw |= {"palm_position": track.values[:, 20:23], "palm_orientation": track.values[:, 23:]}
    if sensors == 20:
        return raw | {"joints": joints}
    table = {"minimum": random.uniform(200, 900, sensors), "maximum": random.uniform(2800, 3900, sensors)}
    calibration = Calibration.from_dict(table, sensors)
    return raw | {"joints": calibration.raw(joints).round(), "calibration": calibration, "angle_unit": "raw"}


@lru_cache(maxsize=8)  # planning the grasp takes seconds
def _keyframes(radius: float, squeeze: float, side: str) -> FloatArray:
    plan = plan_grasp(HandModel.build(HandParameters(side=side)), GraspObject.ball(radius), "power", FINGERS)
    closed = plan.closed.reshape(5, 4).copy()
    closed[:, 1:] += squeeze * np.array(_SQUEEZE)
    upper = joint_limits()[1].reshape(5, 4)
    closed = np.minimum(closed, upper - 0.02).ravel()
    away = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0)  # back over the wrist, clear of the ball
    lift, move = np.array([0.0, 0.0, _LIFT]), np.array([0.0, _MOVE, 0.0])
    place, turn = plan.palm_position, plan.palm_rotation_vector
    from scipy.spatial.transform import Rotation

    about_z = Rotation.from_rotvec([0.0, 0.0, _TURN])
    # The turn is about the ball's vertical axis, so that the ball keeps its place.
    moved = about_z.apply(place * [1.0, 1.0, 0.0]) + place * [0.0, 0.0, 1.0] + move
    turned = (about_z * Rotation.from_rotvec(turn)).as_rotvec()
    open_ = plan.preshape
    rows = [
        (open_, place + _APPROACH * away, turn),
        (open_, place, turn),
        (open_, place, turn),
        (closed, place, turn),
        (closed, place, turn),
        (closed, place + lift, turn),
        (closed, moved + lift, turned),
        (closed, moved, turned),
        (closed, moved, turned),
        (open_, moved, turned),
        (open_, moved + _APPROACH * away, turned),
    ]
    return np.array([np.concatenate(row) for row in rows])


def _tremor(times: FloatArray, random: np.random.Generator) -> FloatArray:
    """Rows (n, 26): three sines between 8 and 12 Hz in each value."""
    size = np.concatenate([np.full(20, np.deg2rad(0.05)), np.full(3, 5e-5), np.full(3, np.deg2rad(0.02))])
    frequency = random.uniform(8.0, 12.0, (3, 26))
    phase = random.uniform(0.0, 2.0 * np.pi, (3, 26))
    waves = np.sin(2.0 * np.pi * frequency * times[:, None, None] + phase)
    return size * waves.sum(axis=1) / np.sqrt(3.0)
