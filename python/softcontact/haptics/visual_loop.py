# SPDX-License-Identifier: LGPL-2.1-or-later
"""The slow side of a haptic session: a world with a tool, stepped at the visual rate."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from softcontact.haptics.double_coupling import DoubleCouplingLaw
from softcontact.haptics.session import HapticSession
from softcontact.haptics.tool import VisualTool
from softcontact.haptics.tool_law import ToolLaw

STAGES = ("read", "step", "build", "publish")
_KEPT = 1000  # visual steps whose durations are kept
_BEHIND = 0.1  # s, that the thread may catch up; what is more is given up


class VisualLoop:
    """Visual steps for a session: device in, world on, the law's data out.

    A step reads the session's last tick, pulls the tool of the world there, moves the world on, and publishes what the
    law needs. By the wall clock it runs in a thread of its own (start, stop; the world steps without Python's lock);
    in simulated time in lock step with the session's ticks (run).

    Args:
        tool: in its world.
        session: whose device moves it.
        law: what tells where the tool of the world is pulled and what is published: ToolLaw, the linear contact
            model, or DoubleCouplingLaw; None: the session's.
        period: of the visual steps [s]; None: the time that the world's steps cover. A longer period makes the tissue
            slower than it is.
        steps: of the world in a visual step, all of them towards the same place of the device.
        delay: in simulated time, data come to the fast thread a period after the device was read, as with a world
            whose steps take as long as they may. False: at once. The wall clock has its own delay.
        promise: within what time of each publication the next one will come, for the watchdog [s]; None: the period. A
            machine that cannot keep the period needs a longer one, or the force fades between the steps.
        prepare: called in each step once the device has pulled the tool, before the world moves on: what controls the
            world's bodies, such as an avatar. None: nothing does.
        stepped: called after each step, in the thread that made it and under `lock`, with its duration [s].
    Attributes:
        lock: held during each step: whoever changes the world meanwhile takes it.
        error: why the thread ended by itself; None while all is well.
        done: visual steps so far.
        promised: what the last publication promised [s].
    Raises:
        ValueError: a period, promise or number of steps that is not positive; a law that takes nothing from a tool; a
            step of the law or fast_step of the tool that is not the session's tick.

    Source: Otaduy and Gross 2007, Sec. 3, visual thread.
    """

    def __init__(
        self,
        tool: VisualTool,
        session: HapticSession,
        law: ToolLaw | DoubleCouplingLaw | None = None,
        *,
        period: float | None = None,
        steps: int = 1,
        delay: bool = True,
        promise: float | None = None,
        prepare: Callable[[], None] | None = None,
        stepped: Callable[[float], None] | None = None,
    ) -> None:
        if steps < 1:
            raise ValueError(f"steps: {steps}; give 1 or more")
        self.period = float(steps * tool.world.time_step if period is None else period)
        self.promise = self.period if promise is None else float(promise)
        for name in ("period", "promise"):
            given = getattr(self, name)
            if not (np.isfinite(given) and given > 0.0):
                raise ValueError(f"{name}: {given} s; give a finite number > 0")
        given_law = session.description if law is None else law
        if not isinstance(given_law, ToolLaw | DoubleCouplingLaw):
            raise ValueError(f"law: {type(given_law).__name__}; give ToolLaw or DoubleCouplingLaw")
        self.law: ToolLaw | DoubleCouplingLaw = given_law
        tick = 1.0 / session.settings.rate_hz
        if abs(given_law.step - tick) > 1e-9 * tick:
            raise ValueError(f"step: {given_law.step} s of the law; give the session's tick, {tick:.6g} s")
        if isinstance(given_law, ToolLaw) and abs(tool.fast_step - tick) > 1e-9 * tick:
            raise ValueError(
                f"fast_step: {tool.fast_step} s of the tool; give the session's tick, {tick:.6g} s"
            )
        self.tool, self.session, self.delay = tool, session, delay
        self.lock = threading.Lock()
        self.error: Exception | None = None
        self.done = 0
        self.promised = self.promise
        self._steps = steps
        self._prepare = prepare
        self._stepped = stepped
        self._durations: deque[tuple[float, ...]] = deque(maxlen=_KEPT)
        self._pending: NDArray[np.float64] | None = None
        self._ticks = 0  # of run(), since its first one
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def step(self) -> None:
        """One visual step, its data published at once. Where it fails the last data are withdrawn: the force fades.

        Raises:
            ValueError: the world failed, with the body and the reason; contact was aggregated into patches.
        """
        data, marks = self._compute()
        self._publish(data)
        marks.append(time.perf_counter())
        self._durations.append(tuple(np.diff(marks)))
        self.done += 1

    def run(self, seconds: float) -> None:
        """Visual steps and fast ticks in simulated time, from where the last call ended.

        Raises:
            ValueError: a session by the wall clock; a period that is no multiple of the tick; see step().
        """
        rate = self.session.settings.rate_hz
        if self.session.clock != "simulated":
            raise ValueError("clock: this session goes by the wall clock; call start()")
        every = round(self.period * rate)
        if every < 1 or abs(every - self.period * rate) > 1e-6 * every:
            raise ValueError(
                f"period: {self.period} s is no multiple of the tick, {1.0 / rate} s; give one that is"
            )
        for _ in range(round(seconds * rate)):
            if self._ticks % every == 0:
                self._simulated_step()
            self.session.tick()
            self._ticks += 1

    def start(self) -> None:
        """Begin the thread; the session has to run already. Nothing where it runs.

        Raises:
            ValueError: a session in simulated time.
        """
        if self.session.clock != "wall":
            raise ValueError("clock: simulated time has no thread; call run()")
        if not self.running:
            self.stop()
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="softcontact-visual", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread, with the data withdrawn: the force fades out. Returns once it is gone.

        Raises:
            ValueError: why the thread had ended by itself, once.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    @property
    def running(self) -> bool:
        """Whether the thread makes steps."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    @property
    def times(self) -> dict[str, NDArray[np.float64]]:
        """Durations of the last steps by stage, each (n,) [s]: read the device, step the world, build the law's data,
        publish them; and their total."""
        rows = np.array(list(self._durations)).reshape(-1, len(STAGES))
        return {**dict(zip(STAGES, rows.T, strict=True)), "total": rows.sum(axis=1)}

    def __enter__(self) -> VisualLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:  # what is under way already matters more than what the thread says
            self._stop.set()
            if self._thread is not None:
                self._thread.join()

    def _compute(self) -> tuple[NDArray[np.float64], list[float]]:
        """A step up to its data, and the times at which each stage began or ended."""
        try:
            return self._advance()
        except BaseException:
            self.session.withdraw()
            raise

    def _advance(self) -> tuple[NDArray[np.float64], list[float]]:
        marks = [time.perf_counter()]
        world = self.tool.world
        read = self.session.readout()
        if read["tick"] > 0:  # before the first one nobody knows where the device is
            self.law.pull(self.tool, read)
        if self._prepare is not None:
            self._prepare()
        marks.append(time.perf_counter())
        if not world.step(self._steps):
            status = world.status()
            raise ValueError(f"stopped at {world.time:.4g} s: {status['message']}")
        marks.append(time.perf_counter())
        data = self.law.publication(self.tool)
        marks.append(time.perf_counter())
        return data, marks

    def _publish(self, data: NDArray[np.float64]) -> None:
        self.session.publish(data, self.promise)
        self.promised = self.promise

    def _simulated_step(self) -> None:
        if not self.delay:
            self.step()
            return
        if self._pending is not None:
            self._publish(self._pending)
        self._pending, marks = self._compute()
        self._durations.append((*np.diff(marks), 0.0))
        self.done += 1

    def _run(self) -> None:
        try:
            due = time.perf_counter()
            while not self._stop.is_set():
                with self.lock:
                    begun = time.perf_counter()
                    self.step()
                    if self._stepped is not None:
                        self._stepped(time.perf_counter() - begun)
                due = max(due + self.period, time.perf_counter() - _BEHIND)
                self._stop.wait(max(0.0, due - time.perf_counter()))
        except Exception as error:
            self.error = error
        finally:
            self.session.withdraw()
