# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene without a tool, played on the wall clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from softcontact.engines import make_engine
from softcontact.engines.base import Engine, SurfaceInfo, Tracking
from softcontact.live.frame import Readings, summed_forces
from softcontact.live.scene import LiveScene
from softcontact.scene.model import Scene


class PlayedScene(LiveScene):
    """A scene that goes its own way from start to end, at most as fast as real time.

    Args:
        scene: without haptic tools.
    Raises:
        SceneError: the engine refuses it.
    """

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._done = 0
        self._build()

    @property
    def surfaces(self) -> tuple[SurfaceInfo, ...]:
        """What there is to draw."""
        return (*self._engine.surfaces, *self._engine.skins)

    @property
    def running(self) -> bool:
        """Whether time goes on."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    @property
    def finished(self) -> bool:
        """Whether the scene came to its end."""
        return self._done >= (self.scene.steps or self.scene.step_count)

    def read(self) -> Readings:
        """Figures of this moment."""
        return Readings(self.frame.time, self._speed(), self._step_ms(), self._contacts, *self.history.last)

    def _build(self) -> None:
        self._release()
        self._done = 0
        self._engine: Engine = make_engine(self.scene)
        self._tracking: Tracking | None = getattr(self._engine, "tracking", None)
        self._draw(self._engine)

    def _release(self) -> None:
        for part in (getattr(self, "_tracking", None), getattr(self, "_engine", None)):
            if hasattr(part, "close"):
                part.close()

    def _begin(self) -> None:
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name="softcontact-live", daemon=True)
        self._thread.start()

    def _end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _between_steps(self, call: Callable[[], None]) -> None:
        raise NotImplementedError("a scene without a tool has no controls")

    def _run(self) -> None:
        try:
            self._steps_in_time()
        except Exception as error:
            self._fail(error)

    def _steps_in_time(self) -> None:
        engine, period = self._engine, self.scene.time_step
        due = time.perf_counter()
        while not self._stop.is_set() and not self.finished:
            if self._tracking is not None:
                self._tracking.prepare()
            begun = time.perf_counter()
            engine.step()
            self._done += 1
            self._stepped(engine, time.perf_counter() - begun)
            status = engine.status()
            if not status["ok"]:
                raise ValueError(f"stopped at {engine.time:.4g} s: {status['message']}")
            due = max(due + period, time.perf_counter() - 10.0 * period)
            self._stop.wait(max(0.0, due - time.perf_counter()))
        self._draw(engine)

    def _stepped(self, engine: Engine, duration: float) -> None:
        super()._stepped(engine, duration)
        patches = engine.patches()
        self.history.add(time.perf_counter(), *summed_forces(patches))
        if self._tracking is not None:
            self._tracking.feedback(patches)
