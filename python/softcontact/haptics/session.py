# SPDX-License-Identifier: LGPL-2.1-or-later
"""A haptic session: a device, a force law, and the fast thread between them."""

from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.haptics.device import Capabilities, Device
from softcontact.haptics.laws import ForceLaw
from softcontact.haptics.recording import Recording
from softcontact.haptics.settings import ThreadSettings

_MOST_ROOM = 50_000_000  # numbers of a recording's publications


class HapticSession:
    """A device that feels a force law at a haptic rate.

    The fast thread is the core's: no Python runs in it. This object is the slow side: it publishes the law's data
    and reads what happens, from any thread.

    Args:
        device: what is held; see softcontact.haptics.SimulatedDevice, RecordedDevice, openhaptics.OpenHaptics.
        law: what it feels.
        settings: rate, scheduling, limits.
        clock: "wall", start() begins a thread paced by the clock, or "simulated", tick() moves time on.
        record: seconds of the session to write down; 0: none.
        publications: room for so many publications in the recording; None: 100 a second.
    Raises:
        ValueError: an argument out of range, or a device that cannot be had.
    """

    def __init__(
        self,
        device: Device,
        law: ForceLaw,
        settings: ThreadSettings | None = None,
        *,
        clock: Literal["wall", "simulated"] = "wall",
        record: float = 0.0,
        publications: int | None = None,
    ) -> None:
        if clock not in ("wall", "simulated"):
            raise ValueError(f"clock: {clock!r}; give wall or simulated")
        if not (np.isfinite(record) and 0.0 <= record <= 3600.0):
            raise ValueError(f"record: {record} s; give 0 to 3600")
        self.settings = settings or ThreadSettings()
        if not (np.isfinite(self.settings.rate_hz) and self.settings.rate_hz > 0.0):
            raise ValueError(f"rate_hz: {self.settings.rate_hz}; give 100 to 4000")
        self.clock, self._description, self._law_description = clock, device, law
        self._clock = _core.SystemTickClock() if clock == "wall" else _core.ManualTickClock()
        self._period_ns = round(1e9 / self.settings.rate_hz)
        if clock == "simulated":
            self._clock.advance(self._period_ns)  # time 0 is "never" to no one
        self._law = law.build()
        self._trace = None
        if record > 0.0:
            room = publications if publications is not None else int(100 * record) + 100
            numbers = min(room * max(1, self._law.parameter_count), _MOST_ROOM)
            self._trace = _core.HapticTrace(int(np.ceil(record * self.settings.rate_hz)), room, numbers)
        self._device = device.open(1.0 / self.settings.rate_hz)
        try:
            self._thread = _core.HapticThread(
                self._device, self._law, self.settings.as_dict(), self._clock, self._trace
            )
        except BaseException:
            device.close(self._device)
            raise
        self._closed = False

    @property
    def device(self) -> Any:
        """The core's device."""
        return self._device

    @property
    def law(self) -> Any:
        """The core's law; not to be called while the thread runs."""
        return self._law

    @property
    def description(self) -> ForceLaw:
        """The law as it was given."""
        return self._law_description

    @property
    def capabilities(self) -> Capabilities:
        """What the device can do."""
        return Capabilities.of(self._device)

    @property
    def limits(self) -> dict[str, float]:
        """The limits in force: the settings', or the device's where those are smaller."""
        return self._thread.limits

    def zero_from(self, period: float) -> float:
        """Age of data [s] at which the force is zero, where publish() promised the next ones within `period` [s]."""
        return self._thread.watchdog_end(float(period))

    @property
    def scheduling(self) -> str:
        """What the system granted the thread, and if less than asked for, why and what helps."""
        return self._thread.scheduling

    @property
    def ticks(self) -> int:
        """Ticks done."""
        return self._thread.ticks

    def publish(self, parameters: ArrayLike, period: float) -> None:
        """Hand over new data of the law.

        Args:
            parameters: (n,) numbers as the law takes them.
            period: within which the next ones will come [s]; the watchdog holds the session to it.
        Raises:
            ValueError: wrong length, not finite, period not positive.
        """
        self._thread.publish(np.ascontiguousarray(parameters, dtype=float).ravel(), float(period))

    def withdraw(self) -> None:
        """Tell that no more data will come: the force fades out at once."""
        self._thread.withdraw()

    def reset(self) -> None:
        """Leave the error state."""
        self._thread.reset()

    def start(self) -> None:
        """Start the fast thread.

        Raises:
            ValueError: a session in simulated time.
        """
        if self.clock != "wall":
            raise ValueError(
                "clock: simulated time has no thread; call tick(), or make the session with clock='wall'"
            )
        self._thread.start()

    def stop(self) -> None:
        """End the fast thread, with zero force on the device."""
        self._thread.stop()

    def tick(self, count: int = 1) -> None:
        """So many ticks in simulated time.

        Raises:
            ValueError: a session by the wall clock.
        """
        if self.clock != "simulated":
            raise ValueError(
                "clock: this session goes by the wall clock; call start(), or make it with clock='simulated'"
            )
        for _ in range(count):
            self._thread.tick()
            self._clock.advance(self._period_ns)

    def readout(self) -> dict[str, Any]:
        """The last tick: tick, time [s], state, position, orientation (x, y, z, w), linear_velocity,
        angular_velocity, buttons, wanted (6,) what the law asked for, wrench (6,) what the device got [N, N m], gain,
        energy that the hand has put in and not got back [J], data_age, pose_age [s], publication, fault, law (what the
        law tells)."""
        return self._thread.readout()

    def times(self) -> dict[str, Any]:
        """Lateness, interval and work of the ticks: count, mean, p0_1, p50, p99, p99_9, max [s]; and overruns."""
        return self._thread.times()

    def tally(self) -> dict[str, Any]:
        """What all ticks so far came to: ticks by state; watchdog_missed, those with overdue data and a force all the
        same; not_finite; force_max [N], torque_max [N m], the largest that went to the device."""
        return self._thread.tally()

    def histogram(self, name: str) -> NDArray[np.uint32]:
        """Counts by microseconds (8192,), the last one for everything longer; of lateness, interval or work.

        Raises:
            ValueError: another name.
        """
        return self._thread.histogram(name)

    def recording(self) -> Recording:
        """What was written down so far.

        Raises:
            ValueError: the session was made without `record`.
        """
        if self._trace is None:
            raise ValueError("record: 0; make the session with the number of seconds to record")
        law = self._law_description
        return Recording(
            self._trace.columns(),
            self.settings,
            (law.kind, law.options()),
            self.capabilities,
            self._trace.full,
        )

    def close(self) -> None:
        """Stop, and give the device back."""
        if not self._closed:
            self._closed = True
            self._thread.stop()
            self._description.close(self._device)

    def __enter__(self) -> "HapticSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
