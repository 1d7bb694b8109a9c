# SPDX-License-Identifier: LGPL-2.1-or-later
"""The slow thread of a live scene: device in, world on, contact model out."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from softcontact.engines.held_tool import HeldTool
from softcontact.haptics import HapticSession, RigidState, ToolLaw

_LONGEST_PROMISE = 0.5  # s
_BEHIND = 0.1  # s, that the loop may catch up; what is more is given up


class SlowLoop:
    """Visual steps on the wall clock, in a thread of its own.

    A step puts the device of the fast thread's last tick to the tool, moves the world on, and publishes the contact
    model. The world steps without Python's lock. A failure withdraws the data, so that the force fades out, and is
    kept.

    Args:
        tool: of the world.
        session: whose device moves it; its law is a ToolLaw.
        period: of the steps [s].
        stepped: called after each step with its duration [s], in the loop's thread and under `lock`.
    Attributes:
        lock: held during each step.
        error: why the loop ended by itself; None while all is well.
    """

    def __init__(
        self, tool: HeldTool, session: HapticSession, period: float, stepped: Callable[[float], None]
    ) -> None:
        self.lock = threading.Lock()
        self.error: Exception | None = None
        self._tool, self._session, self._period, self._stepped = tool, session, period, stepped
        self._durations: deque[float] = deque(maxlen=10)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether the thread makes steps."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    def start(self) -> None:
        """Begin; the session has to run already."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name="softcontact-visual", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, with the data withdrawn; returns once the thread is gone."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def step(self) -> None:
        """One visual step.

        Raises:
            ValueError: the world failed; names body and reason.
        """
        world = self._tool.world
        told = self._session.readout()
        if told["tick"] > 0:
            self._tool.set_device(
                RigidState(
                    told["position"],
                    told["orientation"],
                    told["linear_velocity"],
                    told["angular_velocity"],
                )
            )
        if not world.step():
            status = world.status()
            raise ValueError(f"stopped at {status['time']:.4g} s: {status['message']}")
        self._session.publish(ToolLaw.data(self._tool.model()), self._promise())

    def _promise(self) -> float:
        """Within what time the next data come [s]: a machine that is too slow must not seem dead to the watchdog."""
        return max(self._period, min(_LONGEST_PROMISE, 2.0 * max(self._durations, default=0.0)))

    def _run(self) -> None:
        try:
            due = time.perf_counter()
            while not self._stop.is_set():
                with self.lock:
                    begun = time.perf_counter()
                    self.step()
                    duration = time.perf_counter() - begun
                    self._durations.append(duration)
                    self._stepped(duration)
                due = max(due + self._period, time.perf_counter() - _BEHIND)
                self._stop.wait(max(0.0, due - time.perf_counter()))
        except Exception as error:
            self.error = error
        finally:
            self._session.withdraw()
