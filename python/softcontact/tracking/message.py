# SPDX-License-Identifier: LGPL-2.1-or-later
"""The message of a live stream: one JSON object a UDP datagram.

    {"format": "softcontact-track-1",   layout and version; another is refused
     "sequence": 17,                    whole number, one more each message; tells loss, order and doubles
     "time": 0.17,                      when it was measured, on the sender's clock
     "joints": […],                     5, 14 or 20 values as in tracking.sensors
     "position": [x, y, z],             palm
     "orientation": […],                palm: rotation vector (3) or quaternion x, y, z, w (4)
     "units": {"time": "s", "angle": "rad", "length": "m"},
     "side": "right",
     "session": "a1"}

or `"landmarks": [[x, y, z], … 21 points]` in place of joints, position and orientation, with `"scale"`:
metres in one unit, a number or three. Units may be left out when they are those above; others are ms; deg,
and raw for sensors that the receiver calibrates; cm and mm. `side` and `session` may be left out: a sender
that starts anew should change its session. At most 8192 bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.hand.anatomy import HandParameters

from .chirality import SideWatch
from .files import LENGTHS, TIMES, values_from
from .landmarks import LandmarkFitter
from .sensors import SENSOR_COUNTS, Calibration
from .values import FORMAT, TrackError, check_values

__all__ = ["LARGEST", "Decoder", "OtherHandError", "Packet", "encode", "encode_landmarks"]

FloatArray = NDArray[np.float64]

LARGEST = 8192
"""Most bytes of a datagram."""


class OtherHandError(TrackError):
    """A message of the other hand."""


@dataclass(frozen=True)
class Packet:
    """One message, decoded.

    Attributes:
        sequence: its number.
        time: on the sender's clock [s].
        values: the row (26,).
        session: of the sender.
    """

    sequence: int
    time: float
    values: FloatArray
    session: str = ""


def encode(sequence: int, time: float, values: FloatArray, side: str = "right", session: str = "") -> bytes:
    """The datagram of a row of values (26,)."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "sequence": int(sequence),
        "time": float(time),
        "joints": [float(x) for x in values[:20]],
        "position": [float(x) for x in values[20:23]],
        "orientation": [float(x) for x in values[23:]],
        "side": side,
    }
    return json.dumps(data | ({"session": session} if session else {}), allow_nan=False).encode()


def encode_landmarks(
    sequence: int, time: float, points: FloatArray, side: str = "right", session: str = ""
) -> bytes:
    """The datagram of 21 points (21, 3) [m]."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "sequence": int(sequence),
        "time": float(time),
        "landmarks": [[round(float(x), 7) for x in point] for point in points],
        "side": side,
    }
    return json.dumps(data | ({"session": session} if session else {}), allow_nan=False).encode()


class Decoder:
    """Turns datagrams into packets; keeps the landmark fit of the frame before.

    Args:
        parameters: sizes and side of the hand that is driven.
        calibration: table of a calibration file, for raw sensors; see sensors.Calibration.from_dict.
    Raises:
        TrackError: the calibration is none.
    """

    def __init__(
        self, parameters: HandParameters | None = None, calibration: Mapping[str, Any] | None = None
    ) -> None:
        self.parameters = parameters or HandParameters()
        self.landmarks = False
        """Whether landmarks have come."""
        self.watch = SideWatch(self.parameters.side)
        """Tells landmarks of the other hand."""
        self._table = calibration
        self._calibrations: dict[int, Calibration] = {}
        if calibration is not None:
            given = np.size(calibration.get("minimum", ())) if isinstance(calibration, Mapping) else 0
            self._calibration(given if given in SENSOR_COUNTS else SENSOR_COUNTS[0])
        self._fitters: dict[Any, LandmarkFitter] = {}

    def __call__(self, data: bytes) -> Packet:
        """The packet in a datagram.

        Raises:
            OtherHandError: it is of the other hand.
            TrackError: it is malformed; says how.
        """
        if len(data) > LARGEST:
            raise TrackError(f"message: {len(data)} bytes; send at most {LARGEST}")
        try:
            message = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
        except TrackError:
            raise
        except (ValueError, RecursionError) as error:
            raise TrackError(f"message: not JSON ({error}); send one JSON object") from None
        if not isinstance(message, dict):
            raise TrackError("message: not a table; send one JSON object")
        if message.get("format") != FORMAT:
            raise TrackError(f"format: {str(message.get('format'))[:40]!r} is unknown; send {FORMAT!r}")
        sequence = message.get("sequence")
        if isinstance(sequence, bool) or not isinstance(sequence, int) or not 0 <= sequence < 2**63:
            raise TrackError("sequence: missing or no whole number; number the messages from 0")
        units = message.get("units", {})
        if not isinstance(units, dict):
            raise TrackError('units: not a table; send {"time": "s", "angle": "rad", "length": "m"}')
        for key in units:
            if key not in ("time", "angle", "length"):
                raise TrackError(f"units.{str(key)[:20]}: is unknown; send time, angle and length")
        if str(message.get("side", self.parameters.side)) != self.parameters.side:
            raise OtherHandError(
                f"side: a message of the other hand than the {self.parameters.side} one; "
                "send each hand to a port of its own"
            )
        time = _array(message.get("time"), "time", ((),)) * _factor(units, "time", TIMES, "s")
        if not abs(time) < 1e12:
            raise TrackError(f"time: {time:g} s; send seconds or milliseconds")
        values = self._values(message, units)
        check_values(values[None], "message")
        return Packet(sequence, float(time), values, str(message.get("session", ""))[:64])

    def _values(self, message: Mapping[str, Any], units: Mapping[str, Any]) -> FloatArray:
        length = _factor(units, "length", LENGTHS, "m")
        if "landmarks" in message:
            points = _array(message["landmarks"], "landmarks", ((21, 3),))
            scale = _array(message.get("scale", 1.0), "scale", ((), (3,)))
            self.landmarks = True
            return self.fitter(length * scale).fit(points)
        joints = _array(message.get("joints"), "joints", tuple((k,) for k in SENSOR_COUNTS))
        raw = {
            "joints": joints[None],
            "palm_position": length * _array(message.get("position"), "position", ((3,),))[None],
            "palm_orientation": _array(message.get("orientation"), "orientation", ((3,), (4,)))[None],
            "angle_unit": str(units.get("angle", "rad")),
        }
        if self._table is not None:
            raw["calibration"] = self._calibration(len(joints))
        return values_from(raw)[0]

    def _calibration(self, count: int) -> Calibration:
        if count not in self._calibrations:
            self._calibrations[count] = Calibration.from_dict(self._table, count)
        return self._calibrations[count]

    def fitter(self, scale: FloatArray) -> LandmarkFitter:
        """The fit of frames with that many metres a unit."""
        key = tuple(np.atleast_1d(scale).tolist())
        if key not in self._fitters:
            self._fitters.clear()  # one camera, one scale
            self._fitters[key] = LandmarkFitter(
                self.parameters, self.parameters.side, scale, watch=self.watch
            )
        return self._fitters[key]


def _no_constant(name: str) -> float:
    raise TrackError(f"message: {name} is no number; leave such samples out")


def _factor(units: Mapping[str, Any], key: str, known: Mapping[str, float], fallback: str) -> float:
    unit = str(units.get(key, fallback))
    if unit not in known:
        raise TrackError(f"units.{key}: {unit[:20]!r} is unknown; send one of {', '.join(known)}")
    return known[unit]


def _holds_truth(value: Any) -> bool:
    """Whether a truth value is in a number's place; NumPy takes true among numbers for 1."""
    return isinstance(value, bool) or (isinstance(value, list) and any(map(_holds_truth, value)))


def _array(value: Any, name: str, shapes: tuple[tuple[int, ...], ...]) -> FloatArray:
    """Finite numbers of one of the shapes; texts and truth values are none."""
    wanted = " or ".join("x".join(map(str, shape)) or "one number" for shape in shapes)
    if value is None:
        raise TrackError(f"{name}: missing; send {wanted}")
    try:
        if _holds_truth(value):
            raise ValueError
        array = np.array(value)
        if array.dtype.kind not in "if":
            raise ValueError
        array = array.astype(float)
    except (ValueError, TypeError, OverflowError):
        raise TrackError(f"{name}: not numbers; send {wanted}") from None
    if array.shape not in shapes or not np.isfinite(array).all():
        raise TrackError(f"{name}: shape {array.shape} or not finite; send {wanted}")
    return array
