# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene that runs on the wall clock, without a page: what the page, a test or a program of one's own drives."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from softcontact.engines.base import Engine, SurfaceInfo
from softcontact.live.controls import Control, find
from softcontact.live.frame import Frame, History, Readings, contact_forces
from softcontact.live.views import view_of
from softcontact.scene.model import Scene

FRAME_PERIOD = 1.0 / 30.0  # s, between two frames at least
DRAWING_SHARE = 0.25  # of the time, that taking frames may cost


class LiveScene(ABC):
    """A running scene; open_scene() makes one. A context manager, closed at the end.

    Every method may be called from any thread. The simulation runs in threads of its own; when it fails, `error` tells
    why, the rest goes on, and restart() makes a new one.

    Args:
        scene: the scene.
    Attributes:
        scene: as it runs.
        tool: name of the tool that a device or move() moves, if there is one.
        controls: what set() takes.
        history: the force of the last seconds.
        values: of the controls, by name.
    """

    tool: str | None = None

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.controls: tuple[Control, ...] = ()
        self.values: dict[str, float] = {}
        self.history = History()
        self._lock = threading.RLock()  # of start, pause, restart, close
        self._frame: Frame | None = None
        self._frame_due = 0.0
        self._frames = 0
        self._steps: deque[tuple[float, float]] = deque(maxlen=100)  # wall clock, simulated time
        self._durations: deque[float] = deque(maxlen=50)  # of the last steps [s]
        self._contacts = 0
        self._error: str | None = None
        self._closed = False

    # To be made by those who derive from this.

    @property
    @abstractmethod
    def surfaces(self) -> tuple[SurfaceInfo, ...]:
        """What there is to draw."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """Whether time goes on."""

    @abstractmethod
    def _begin(self) -> None:
        """Start the threads; the lock is held."""

    @abstractmethod
    def _end(self) -> None:
        """Stop the threads and wait for them; the lock is held. A failure goes to _fail()."""

    @abstractmethod
    def _build(self) -> None:
        """Make the simulation anew, at its start; the lock is held and nothing runs."""

    @abstractmethod
    def _release(self) -> None:
        """Give back what is held; the lock is held and nothing runs."""

    @abstractmethod
    def read(self) -> Readings:
        """Figures of this moment."""

    @abstractmethod
    def _between_steps(self, call: Callable[[], None]) -> None:
        """Do something with the simulation while it takes no step."""

    # The same for all.

    @property
    def error(self) -> str | None:
        """Why the simulation stopped; None while all is well."""
        return self._error

    @property
    def finished(self) -> bool:
        """Whether the scene came to its end."""
        return False

    @property
    def frame(self) -> Frame:
        """The newest picture of the scene."""
        assert self._frame is not None
        return self._frame

    def start(self) -> None:
        """Let time go on, from the start or from a pause; nothing where it does, has failed or is at its end."""
        with self._lock:
            self._check_open()
            if not self.running and self._error is None and not self.finished:
                self._steps.clear()
                self._begin()

    def pause(self) -> None:
        """Stop time; the force on the hand fades out."""
        with self._lock:
            self._end()

    def restart(self) -> None:
        """Go back to the start, with the controls as they are, and let time go on."""
        with self._lock:
            self._check_open()
            self._end()
            self._error = None
            self.history.clear()
            self._steps.clear()
            self._durations.clear()
            self._build()
            for control in self.controls:
                self._apply(control, self.values[control.name])
            self._begin()

    def close(self) -> None:
        """Stop everything; no thread is left."""
        with self._lock:
            if not self._closed:
                self._end()
                self._closed = True
                self._release()

    def set(self, name: str, value: float) -> None:
        """Change a control of the running simulation.

        Raises:
            ValueError: no such control, or a value out of its bounds.
        """
        with self._lock:
            self._check_open()
            control = find(self.controls, name)
            checked = control.check(value)
            self.values[name] = checked
            self._apply(control, checked)

    def move(self, position: Any) -> None:
        """Bring the hand that holds the tool's device somewhere; see Steering.

        Raises:
            ValueError: this scene has no tool that can be moved so.
        """
        raise ValueError("move: nothing in this scene is moved by hand")

    def __enter__(self) -> LiveScene:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _apply(self, control: Control, value: float) -> None:
        self._between_steps(lambda: control.apply(value))

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("live scene: it is closed; open it again")

    def _fail(self, error: BaseException) -> None:
        self._error = " ".join(str(error).split()) or type(error).__name__

    def _stepped(self, engine: Engine, duration: float) -> None:
        """After each step, in the thread that makes them: figures, and now and then a frame."""
        now = time.perf_counter()
        self._steps.append((now, engine.time))
        self._durations.append(duration)
        if now >= self._frame_due:
            self._draw(engine)
            took = time.perf_counter() - now
            self._frame_due = max(self._frame_due + FRAME_PERIOD, now + took / DRAWING_SHARE)

    def _draw(self, engine: Engine) -> None:
        """Take a frame; nothing may step meanwhile."""
        pushed = contact_forces(engine.patches(), self.tool)
        self._contacts = len(pushed[0])
        self._frames += 1
        shown = (*engine.surfaces, *engine.skins)
        vertices = {surface.name: np.array(engine.vertices(surface.name)) for surface in shown}
        views = {camera.name: view_of(camera, engine) for camera in self.scene.record.cameras}
        self._frame = Frame(self._frames, engine.time, vertices, *pushed, self._device_pose(), views)

    def _device_pose(self) -> Any:
        return None

    def _speed(self) -> float:
        rows = list(self._steps.copy())
        if not self.running or len(rows) < 2 or not rows[-1][0] > rows[0][0]:
            return 0.0
        return (rows[-1][1] - rows[0][1]) / (rows[-1][0] - rows[0][0])

    def _step_ms(self) -> float:
        durations = list(self._durations.copy())
        return 1e3 * float(np.median(durations)) if durations else 0.0
