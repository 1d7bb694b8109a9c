# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hands that follow a track: live ones by the wall clock; wrenches to display."""

import time
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.engines.hand import HandInWorld
from softcontact.hand.kinematics import matrix_from_quaternion
from softcontact.scene.motions import TrackMotion
from softcontact.tracking.feedback import WrenchSender, wrenches
from softcontact.tracking.track import Track
from softcontact.tracking.udp import open_sender


class TrackedHands:
    """The hands of a world that follow a track.

    Args:
        world: the World.
        hands: every hand by name, with its motion or None.
    """

    def __init__(self, world: Any, hands: dict[str, tuple[HandInWorld, Any]]) -> None:
        self._world = world
        tracked = {name: pair for name, pair in hands.items() if isinstance(pair[1], TrackMotion)}
        self._live = {name: hand for name, (hand, _) in tracked.items() if hand.live is not None}
        self._felt = {name: pair for name, pair in tracked.items() if pair[1].coupling == "bilateral"}
        self._senders = {
            name: WrenchSender(open_sender(motion.feedback), name)
            for name, (_, motion) in self._felt.items()
            if motion.feedback is not None
        }
        self._started: float | None = None

    def prepare(self) -> None:
        """Before a step: wait until its time has come on the wall, and pull live hands to where they are then.

        A step that takes longer than it simulates is not caught up: the hand follows the person, and the world
        goes slower than real time.
        """
        if not self._live:
            return
        now = time.monotonic()
        if self._started is None:
            self._started = now - self._world.time
        ahead = self._started + self._world.time - now
        if ahead > 0.0:
            time.sleep(ahead)
        else:
            self._started -= ahead  # late: the world's clock stays behind
        now = time.monotonic()
        for hand in self._live.values():
            hand.live.advance(now)
            self._world.set_joint_motion(hand.id, *hand.live.table())

    def feedback(self, patches: list[dict[str, Any]]) -> dict[str, FloatArray]:
        """After a step: wrenches (6, 3, 3) of each hand with bilateral coupling, sent where an address is given."""
        result = {}
        for name, (hand, motion) in self._felt.items():
            points = fingertips(hand)
            values = wrenches(patches, name, points, scale=motion.force_scale, limit=motion.force_limit)
            result[name] = values
            if name in self._senders:
                self._senders[name](float(self._world.time), values)
        return result

    def recorded(self) -> dict[str, Track]:
        """What drove the live hands so far, by hand."""
        return {name: hand.live.track() for name, hand in self._live.items()}

    def report(self) -> dict[str, dict[str, Any]]:
        """Figures of the live streams, by hand."""
        return {name: hand.live.report() for name, hand in self._live.items()}

    def close(self) -> None:
        """Free ports and sockets."""
        for hand in self._live.values():
            hand.live.source.close()
        for sender in self._senders.values():
            sender.close()


def fingertips(hand: HandInWorld) -> FloatArray:
    """Ends of the five distal bones and the palm's origin in the world (6, 3) [m]."""
    points = np.empty((6, 3))
    for finger, length in enumerate(hand.model.kinematics.lengths[:, 2]):
        position, orientation = hand.world.body_pose(hand.id, 3 * finger + 3)
        points[finger] = position + length * matrix_from_quaternion(np.array(orientation))[:, 0]
    points[5] = hand.world.body_pose(hand.id, 0)[0]
    return points
