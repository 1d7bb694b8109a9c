# SPDX-License-Identifier: LGPL-2.1-or-later
"""A hand that a live stream drives."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.scene.bodies import Hand
from softcontact.scene.motions import TrackMotion
from softcontact.tracking.drive import Driver, Placement
from softcontact.tracking.files import read_calibration
from softcontact.tracking.jitter import JitterSettings
from softcontact.tracking.message import Decoder
from softcontact.tracking.track import Track
from softcontact.tracking.udp import UdpSource
from softcontact.tracking.values import RateLimits


class LiveHand:
    """Targets of one hand from a stream, step by step.

    Args:
        motion: where the stream comes from and how it is played.
        body: the hand.
        time_step: of the simulation [s].
        clock: local time [s]; None means the system's monotonic one.
    Raises:
        TrackError: the address is wrong or taken, or nothing comes within `motion.timeout`.
    """

    def __init__(
        self,
        motion: TrackMotion,
        body: Hand,
        time_step: float,
        clock: Callable[[], float] | None = None,
    ) -> None:
        table = read_calibration(motion.calibration) if motion.calibration is not None else None
        settings = JitterSettings(delay=motion.delay, freeze_after=motion.freeze_after)
        decoder = Decoder(body.sizes, table)
        self.source = UdpSource(str(motion.source), decoder, settings, motion.smoothing)
        self.driver = Driver(placement(motion, body), rate_limits(motion), time_step)
        self.states = {"fresh": 0, "held": 0, "frozen": 0}
        self._side = body.sizes.side
        self._targets: list[FloatArray] = []
        try:
            first = self.source.wait(motion.timeout, clock or time.monotonic)
        except BaseException:
            self.source.close()
            raise
        self._targets.append(self.driver.step(first.values))
        self._begun = False

    def table(self) -> tuple[FloatArray, FloatArray]:
        """The last times (n,) [s] and targets (n, 27): those that the next step looks at."""
        return np.array(self.driver.times[-3:]), np.array(self._targets[-3:])

    def advance(self, now: float) -> None:
        """Add the target of the next step from what the stream shows at `now` [s]."""
        if not self._begun:  # making the world ready took its time
            self.source.catch_up(now)
        sample = self.source.sample(now)
        self.states[sample.state] += 1
        interrupted = sample.state != "fresh" or not self._begun
        self._begun = True
        self._targets = [*self._targets[-2:], self.driver.step(sample.values, interrupted=interrupted)]

    def track(self) -> Track:
        """The targets given so far, one a step: driven by them, the hand moves alike to the last bit."""
        return Track(
            np.array(self.driver.times), np.array(self.driver.rows), self._side, f"live {self.source.url}"
        )

    def report(self) -> dict[str, Any]:
        """Steps by state of the source, steps held back by rate limits, and what became of the datagrams."""
        return {
            "source": self.source.url,
            **{f"{state}_steps": count for state, count in self.states.items()},
            "limited_steps": self.driver.limiter.limited,
            **self.source.statistics(),
        }


def placement(motion: TrackMotion, body: Hand) -> Placement:
    """Where the tracked palm goes in the world."""
    start = (np.array(body.position), np.array(body.orientation)) if motion.frame == "start" else None
    return Placement(np.array(motion.position), np.array(motion.orientation), start)


def rate_limits(motion: TrackMotion) -> RateLimits:
    """The fastest motion of the targets."""
    return RateLimits(motion.joint_rate, motion.palm_rate, motion.turn_rate)
