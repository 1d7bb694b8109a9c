# SPDX-License-Identifier: LGPL-2.1-or-later
"""The haptic rate: the condensed contact problem solved tick by tick, in simulated time or paced by the clock.

The loop itself is the core's (softcontact/condensed); Python builds its model, starts it and reads its log.
"""

import contextlib
import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.figures import force_jump, spread
from softcontact.flexibility.displacement import Response
from softcontact.flexibility.simulator import (
    FRAME,
    FlexibilitySimulator,
    contact_frame,
    delassus,
    world_frame,
)

FloatArray = NDArray[np.float64]
METHODS = ("block_gauss_seidel", "local_uzawa", "global_uzawa")
_PRIORITY = 50  # of the loop among real-time threads, where the system grants one


@dataclass(frozen=True)
class Device:
    """A simulated haptic device with a hand on it; see the core's SimulatedDevice.

    Attributes:
        mass: moving mass [kg]; 0 prescribes the motion.
        damping: of the device [N s/m].
        hand_stiffness: spring of the hand [N/m].
        hand_damping: damper of the hand [N s/m].
        force_scale: share of the contact force that is fed back.
        force_limit: largest force of the device [N].
    """

    mass: float = 0.1
    damping: float = 0.5
    hand_stiffness: float = 600.0
    hand_damping: float = 10.0
    force_scale: float = 0.01
    force_limit: float = 7.9


PRESCRIBED = Device(mass=0.0)


@dataclass(frozen=True)
class Condensed:
    """Both blocks, linear about a state: u = W r + drive x + offset, and the same for each body's contact nodes.

    Attributes:
        compliance: W (3n, 3n) [m/N] in (n, t, s).
        drive: (3n, 3).
        offset: (3n,) [m].
        upper, lower: responses of the bodies at `at`.
        at: displacement of the driven face that they were taken at (3,) [m].
    """

    compliance: FloatArray
    drive: FloatArray
    offset: FloatArray
    upper: Response
    lower: Response
    at: FloatArray

    def contact_positions(self, x: FloatArray, force: FloatArray) -> FloatArray:
        """Displacements of the upper contact nodes (n, 3) [m] under forces (n, 3) [N] on them."""
        upper = self.upper
        moved = upper.free + upper.drive @ (x - self.at) + upper.flexibility @ force.ravel()
        return moved.reshape(-1, 3)


def condensed(simulator: FlexibilitySimulator, at: ArrayLike = (0.0, 0.0, 0.0)) -> Condensed:
    """The simulator's two bodies about their present state, driven to `at` (3,) [m]."""
    at = np.array(at, dtype=float)
    upper, lower = simulator.upper.predict(at), simulator.lower.predict(np.zeros(3))
    drive = np.stack([contact_frame(upper.drive[:, axis]) for axis in range(3)], axis=1)
    offset = contact_frame(upper.free - lower.free) + simulator.rest_gap - drive @ at
    return Condensed(delassus(upper, lower), drive, offset, upper, lower, at)


class HapticSession:
    """A hand that moves the upper block of a simulator at a haptic rate and feels the contact.

    Args:
        simulator: the bodies and friction; its state is moved by `synchronise`.
        times: of the hand's path (k,) [s], rising.
        path: displacement of the driven face that the hand intends (k, 3) [m].
        period: of a tick [s].
        ticks: how many there will be.
        device: the device; by default without dynamics, exactly along the path.
        method: one of METHODS.
        tolerance: what the last sweep of a tick may move [m].
        max_sweeps: most sweeps of a tick.
        budget: time after which a tick takes its forces as they are [s]; None: no limit.
        clock: "simulated", a tick whenever `row` asks for one, or "wall", paced by the clock.
        refresh: ticks between two linearisations of corotational bodies.
    Raises:
        ValueError: an argument out of range.
    """

    def __init__(
        self,
        simulator: FlexibilitySimulator,
        times: ArrayLike,
        path: ArrayLike,
        period: float,
        ticks: int,
        device: Device = PRESCRIBED,
        *,
        method: str = "block_gauss_seidel",
        tolerance: float = 1e-9,
        max_sweeps: int = 2000,
        budget: float | None = None,
        clock: Literal["simulated", "wall"] = "simulated",
        refresh: int = 40,
    ) -> None:
        if clock not in ("simulated", "wall"):
            raise ValueError(f"clock: {clock!r}, expected simulated or wall")
        self.simulator, self.clock, self.period, self.budget = simulator, clock, period, budget
        self.priority = "normal"
        self._refresh, self._refreshed, self._ticks = refresh, 0, int(ticks)
        self._exact = simulator.upper.exact and simulator.lower.exact
        self.model = condensed(simulator)
        frame = np.zeros((3, 3))
        frame[FRAME, np.arange(3)] = 1.0
        model = self.model
        self._contact = _core.CondensedContact(
            model.compliance,
            model.drive,
            model.offset,
            simulator.mu,
            frame,
            method=method,
            tolerance=float(tolerance),
            max_sweeps=int(max_sweeps),
            budget_s=float(budget or 0.0),
            blend_ticks=int(refresh),
        )
        self._loop = _core.HapticLoop(
            self._contact,
            np.asarray(times, dtype=float).tolist(),
            np.asarray(path, dtype=float),
            float(period),
            int(ticks),
            **vars(device),
        )
        self._thread: threading.Thread | None = None

    @property
    def done(self) -> int:
        """Ticks done."""
        return self._loop.done

    def start(self) -> None:
        """Start the thread of a session by the wall clock."""
        self._thread = threading.Thread(target=self._run, name="haptic loop", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        # Not every system lets a process ask for this; the log says what came of it.
        with contextlib.suppress(OSError, AttributeError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
            self.priority = "real-time"
        self._loop.run()

    def row(self, number: int) -> dict[str, Any]:
        """The log of one tick; does it first (simulated time) or waits for it (wall clock).

        Raises:
            RuntimeError: the loop has ended before this tick.
        """
        if self.clock == "wall" and self._thread is None:
            self.start()
        while self._loop.done <= number:
            if self.clock == "simulated":
                if not self._loop.tick():
                    raise RuntimeError(f"the haptic loop has room for {self._loop.done} ticks only")
            elif self._thread is not None and not self._thread.is_alive() and self._loop.done <= number:
                raise RuntimeError(f"the haptic loop ended after {self._loop.done} ticks")
            else:
                time.sleep(0.2 * self.period)
        row = self._loop.log(number, 1)
        if not self._exact:
            self._refresh_from_newest()
        return row

    def _refresh_from_newest(self) -> None:
        """Hand over a new linearisation where the last one is old: about where the loop is by now."""
        newest = self._loop.done - 1
        if newest - self._refreshed >= self._refresh and newest + 1 < self._ticks:
            row = self._loop.log(newest, 1)
            self.refresh(row["position"][0], world_frame(row["forces"][0]))
            self._refreshed = newest

    def refresh(self, x: ArrayLike, force: FloatArray) -> None:
        """Linearise the bodies anew about the driven face at `x` and contact forces (n, 3) [N], and hand it over."""
        self.synchronise(x, force)
        self.model = condensed(self.simulator, x)
        self._contact.publish(self.model.compliance, self.model.drive, self.model.offset)

    def synchronise(self, x: ArrayLike, force: FloatArray) -> None:
        """Move all nodes to where the driven face at `x` and contact forces put them (one Newton step)."""
        simulator = self.simulator
        simulator.upper.predict(x)
        simulator.lower.predict(np.zeros(3))
        simulator.upper.correct(force)
        simulator.lower.correct(-force)

    def run(self) -> dict[str, Any]:
        """All ticks, then the whole log."""
        if self.clock == "wall":
            self.start()
            while self._thread.is_alive():
                self._thread.join(0.1)
        else:
            while self._loop.tick():
                pass
        return self.log()

    def log(self) -> dict[str, Any]:
        """Columns of the ticks done: lateness_s, tick_s, error, residual, sweeps, converged, position, force, …"""
        return self._loop.log()

    def close(self) -> None:
        """Stop the thread, if there is one."""
        self._loop.stop()
        if self._thread is not None:
            self._thread.join()

    def figures(self) -> dict[str, Any]:
        """Rate, jitter and how the budget was kept, over the ticks done."""
        log = self.log()
        count = len(log["tick_s"])
        figures: dict[str, Any] = {
            "clock": self.clock,
            "rate_hz": 1.0 / self.period,
            "ticks": count,
            "budget_ms": None if self.budget is None else 1e3 * self.budget,
            "tick_ms": percentiles(1e3 * log["tick_s"]),
            "unsolved_ticks": int(count - log["converged"].sum()),
            "sweeps": percentiles(log["sweeps"]),
            "force_jump": force_jump(log["force"]),
            "felt_max_n": float(np.linalg.norm(log["felt"], axis=1).max(initial=0.0)),
        }
        if self.clock == "wall":
            figures["lateness_ms"] = percentiles(1e3 * log["lateness_s"])
            figures["missed_ticks"] = int(self._loop.missed)
            figures["thread"] = self.priority
        return figures


def percentiles(values: ArrayLike) -> dict[str, float]:
    """mean, p50, p99, p99_9 and max; zeros without values."""
    return spread(values, {"p50": 50, "p99": 99, "p99_9": 99.9})
