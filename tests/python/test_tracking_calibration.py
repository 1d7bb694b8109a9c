# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calibrations of sensors that no hand can have are refused with sensor, value and remedy."""

import numpy as np
import pytest

from softcontact.hand import joint_limits
from softcontact.tracking import Calibration, TrackError
from softcontact.tracking.message import Decoder
from softcontact.tracking.sensors import default_range, sensor_columns, sensor_limits, sensors_of


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"minimum": [0] * 5}, "maximum: missing"),
        ({"minimum": [0] * 5, "maximum": [1] * 4}, "4 values for 5"),
        ({"minimum": [0] * 5, "maximum": [1, 1, 0, 1, 1]}, "sensor 2 has minimum = maximum"),
        ({"minimum": [0] * 5, "maximum": ["x"] * 5}, "not numbers"),
        ({"minimum": [0] * 5, "maximum": [float("inf")] * 5}, "not finite"),
        ({"minimum": [0] * 4 + [float("nan")], "maximum": [1] * 5}, "minimum: sensor 4, nan: not finite"),
        ({"minimum": [0] * 5, "maximum": ["1"] * 5}, "maximum: not numbers"),
        (
            {"minimum": [0] * 5, "maximum": [1] * 5, "low": [0] * 5, "high": [1, 1, 0, 1, 1]},
            r"low: sensor 2 \(middle",
        ),
        (
            {"minimum": [0] * 5, "maximum": [1] * 5, "low": [1.2] * 5},
            r"sensor 0 \(thumb_flexion\), 1.2 .* exchange",
        ),
        (
            {"minimum": [0] * 5, "maximum": [1] * 5, "high": [1, 90, 1, 1, 1]},
            r"high: sensor 1 \(index_flexion\), 90 rad: .* -0.1 to 1.9; .* angle_unit",
        ),
        (
            {"minimum": [0] * 5, "maximum": [1] * 5, "low": [0, 0, 0, 0, -1]},
            r"low: sensor 4 \(little_flexion\), -1",
        ),
        ({"minimum": [0] * 5, "maximum": [1] * 5, "min": 3}, "unknown field 'min'"),
        ([1, 2], "not a table"),
    ],
)
def test_a_wrong_calibration_is_refused(table, message):
    with pytest.raises(TrackError, match=message):
        Calibration.from_dict(table, 5)
    with pytest.raises(TrackError, match=message):  # of a stream before anything has come
        Decoder(calibration=table)


@pytest.mark.parametrize("count", [5, 14, 20])
def test_sensor_limits_are_what_sensors_measure_of_postures_within_the_joint_limits(count):
    lower, upper = joint_limits()
    postures = np.where(np.random.default_rng(0).random((4000, 20)) < 0.5, lower, upper)
    measured = sensors_of(postures, count)
    low, high = sensor_limits(count)
    assert np.allclose(measured.min(axis=0), low) and np.allclose(measured.max(axis=0), high)
    assert (default_range(count)[0] >= low).all() and (default_range(count)[1] <= high).all()


@pytest.mark.parametrize("count", [5, 14, 20])
def test_raw_values_far_outside_their_calibration_are_refused_by_sensor(count):
    raw = np.full((4, count), 600.0)
    table = {"minimum": [100] * count, "maximum": [1100] * count}
    calibration = Calibration.from_dict(table, count)
    raw[3, 2] = 3000.0  # 1.9 ranges beyond
    assert np.isfinite(calibration.angles(raw)).all()
    table["maximum"][2] = 101
    name = sensor_columns(count)[2]
    with pytest.raises(
        TrackError, match=rf"row 0, sensor 2 \({name}\): raw value 600 .* 100 to 101; measure"
    ):
        Calibration.from_dict(table, count).angles(raw)
