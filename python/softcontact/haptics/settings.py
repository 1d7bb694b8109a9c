# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of the fast thread and of what stands between it and the hand."""

import math
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import Any

import numpy as np

_KINDS = {
    float: (Real, "a number"),
    int: (Integral, "a whole number"),
    bool: ((bool, np.bool_), "True or False"),
    str: (str, "a text"),
}


def check_kinds(settings: Any) -> None:
    """See that the plain fields of a dataclass hold what they are annotated with; ranges are the core's to judge.

    Raises:
        ValueError: one does not; names it.
    """
    for entry in fields(settings):
        value = getattr(settings, entry.name)
        kind, wanted = _KINDS.get(entry.type, (object, ""))  # type: ignore[arg-type]
        if not isinstance(value, kind) or (entry.type in (float, int) and isinstance(value, bool)):
            raise ValueError(f"{entry.name}: {str(value)[:40]!r}, expected {wanted}")


@dataclass(frozen=True)
class SafetySettings:
    """Limits that are always on; see the core's force_safety.hpp.

    Attributes:
        max_force: [N]; the smaller one of this and the device's own holds.
        max_torque: [N m], likewise.
        max_force_rate: [N/s].
        max_torque_rate: [N m/s].
        fade_in: from zero to the whole force at the first touch and after each stop [s].
        fade_out: length of the watchdog's fade [s].
        watchdog: age of the slow thread's data at which the force is zero [s], at most 0.05. Where the slow thread
            promises data less often than every 40 ms, this time counts from when they were due.
        pose_fade: age of the pose at which the force is zero [s].
        pose_timeout: age of the pose that is an error [s].
        max_speed, max_angular_speed: a pose that asks for more has jumped [m/s, rad/s].
        settle_time: how long the place after a jump has to hold [s].
        energy_reserve: energy that may go to the hand beyond what it has put in [J]; inf: it is not looked at. With 0
            the session is passive whatever the law does, late models of a slow visual loop included: a force that
            would give more is reduced (time-domain passivity control: Hannaford and Ryu 2002).
    Raises:
        ValueError: a field is no number.
    """

    max_force: float = 3.3
    max_torque: float = 0.2
    max_force_rate: float = 1000.0
    max_torque_rate: float = 60.0
    fade_in: float = 0.05
    fade_out: float = 0.02
    watchdog: float = 0.05
    pose_fade: float = 0.05
    pose_timeout: float = 1.0
    max_speed: float = 10.0
    max_angular_speed: float = 200.0
    settle_time: float = 0.1
    energy_reserve: float = math.inf

    def __post_init__(self) -> None:
        check_kinds(self)


@dataclass(frozen=True)
class ThreadSettings:
    """The fast thread.

    Attributes:
        rate_hz: 100 to 4000 Hz.
        real_time: ask the system for SCHED_FIFO; HapticSession.scheduling tells what came of it.
        priority: among its real-time threads, 1 to 99.
        safety: the limits.
    Raises:
        ValueError: a field of another kind.
    """

    rate_hz: float = 1000.0
    real_time: bool = True
    priority: int = 50
    safety: SafetySettings = field(default_factory=SafetySettings)

    def __post_init__(self) -> None:
        check_kinds(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the core and for files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> "ThreadSettings":
        """The inverse of as_dict()."""
        return cls(**{**given, "safety": SafetySettings(**given["safety"])})
