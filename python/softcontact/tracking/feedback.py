# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wrench to display at each finger and at the palm of a person whose hand is tracked.

Two sources are at hand: the springs of the virtual coupling (tracked against simulated joint) and the contact
patches. The patches are taken: a finger's four joint springs cannot tell the six components of a wrench, and
they pull in free motion as well, with the hand's inertia; the patches give force and torque in full, and
nothing while nothing is touched. At rest both agree: a joint's spring balances the wrench beyond it.

The force is what the finger feels (N, world axes), summed over its contacts with everything but itself; the torque
is about its tip, the end of the distal bone (N m, world axes). The palm's is about the palm frame's origin.

A message of it is one JSON object a UDP datagram:

    {"format": "softcontact-wrench-1", "body": "hand", "sequence": 12, "time": 0.06,
     "units": {"time": "s", "force": "N", "torque": "N m", "length": "m"},
     "wrenches": {"thumb": {"force": [x, y, z], "torque": [x, y, z], "point": [x, y, z]}, "index": …,
                  "middle": …, "ring": …, "little": …, "palm": …}}
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.hand.anatomy import FINGERS

from .chirality import TrackWarning
from .values import FORMAT, TrackError

__all__ = ["SITES", "WRENCH_FORMAT", "WrenchSender", "decode_wrench", "encode_wrench", "wrenches"]

FloatArray = NDArray[np.float64]

SITES = (*FINGERS, "palm")
"""Where wrenches are displayed, in order."""
WRENCH_FORMAT = FORMAT.replace("track", "wrench")


def wrenches(
    patches: Sequence[Mapping[str, Any]],
    body: str,
    points: FloatArray,
    *,
    scale: float = 1.0,
    limit: float = np.inf,
) -> FloatArray:
    """Force [N], torque [N m] and point [m] at each of SITES, world axes, shape (6, 3, 3).

    Args:
        patches: of the step, as World.patches() gives them.
        body: name of the hand; its surfaces are called body.finger_segment and body.palm….
        points: fingertips and origin of the palm (6, 3) [m] that torques are about.
        scale: share that is displayed [-].
        limit: largest force [N]; a larger one is cut together with its torque.
    """
    result = np.zeros((6, 3, 3))
    result[:, 2] = points
    for patch in patches:
        sites = _site(patch["body"], body), _site(patch["other"], body)
        if sites[0] == sites[1]:
            continue  # within one finger: nothing that its tip would feel as a whole
        for site, sign in zip(sites, (1.0, -1.0), strict=True):
            if site is None:
                continue
            force, torque = np.asarray(patch["force"]), np.asarray(patch["torque"])
            arm = np.asarray(patch["centre"]) - points[site]
            result[site, 0] += sign * force
            result[site, 1] += sign * (torque + np.cross(arm, force))
    sizes = scale * np.linalg.norm(result[:, 0], axis=1)
    factor = scale * np.where(sizes > limit, limit / np.where(sizes > 0.0, sizes, 1.0), 1.0)
    result[:, :2] *= factor[:, None, None]
    return result


def _site(surface: str, body: str) -> int | None:
    if not surface.startswith(f"{body}."):
        return None
    part = surface[len(body) + 1 :].split("_")[0]
    return SITES.index(part) if part in FINGERS else len(FINGERS)


def encode_wrench(sequence: int, time: float, body: str, values: FloatArray) -> bytes:
    """The datagram of the wrenches (6, 3, 3) of `wrenches`."""
    table = {
        site: {name: row.tolist() for name, row in zip(("force", "torque", "point"), rows, strict=True)}
        for site, rows in zip(SITES, values, strict=True)
    }
    units = {"time": "s", "force": "N", "torque": "N m", "length": "m"}
    message = {"format": WRENCH_FORMAT, "body": body, "sequence": sequence, "time": time}
    return json.dumps(message | {"units": units, "wrenches": table}, allow_nan=False).encode()


def decode_wrench(data: bytes) -> tuple[int, float, str, FloatArray]:
    """Sequence number, time [s], body and wrenches (6, 3, 3) of a datagram.

    Raises:
        TrackError: it is none of this format.
    """
    try:
        message = json.loads(data)
        if message["format"] != WRENCH_FORMAT:
            raise TrackError(f"format: {message['format']!r} is unknown; expected {WRENCH_FORMAT!r}")
        table = message["wrenches"]
        values = np.array(
            [[table[site][k] for k in ("force", "torque", "point")] for site in SITES], dtype=float
        )
        return int(message["sequence"]), float(message["time"]), str(message["body"]), values.reshape(6, 3, 3)
    except (ValueError, TypeError, KeyError) as error:
        raise error if isinstance(error, TrackError) else TrackError(f"wrench: malformed ({error})") from None


class WrenchSender:
    """Sends a hand's wrenches, one datagram a step.

    Args:
        send: takes a datagram; see udp.open_sender.
        body: name of the hand.
    Attributes:
        count: steps so far; the next datagram's number.
        lost: datagrams that the system did not take.
    """

    def __init__(self, send: Callable[[bytes], None], body: str) -> None:
        self._send, self._body, self.count, self.lost = send, body, 0, 0

    def __call__(self, time: float, values: FloatArray) -> None:
        """Send the wrenches (6, 3, 3) of the step that ended at `time` [s]; wrong numbers are not sent.

        A network that goes away does not end a run: its datagrams are lost, which is told once.
        """
        if np.isfinite(values).all():
            try:
                self._send(encode_wrench(self.count, time, self._body, values))
            except TrackError as error:
                if not self.lost:
                    told = f"{self._body}.feedback: {error}; what is not taken from {time:g} s on is lost"
                    warnings.warn(told, TrackWarning, stacklevel=2)
                self.lost += 1
        self.count += 1

    def close(self) -> None:
        """Give the socket back."""
        getattr(self._send, "close", lambda: None)()
