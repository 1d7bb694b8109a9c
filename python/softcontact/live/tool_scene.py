# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene with a haptic tool, live: the fast thread at 1 kHz and the slow loop on the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from softcontact.engines.base import SurfaceInfo
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.haptics import (
    AnchoredDevice,
    HandAxis,
    HandScript,
    HapticSession,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    ToolLaw,
    VirtualCoupling,
    VisualLoop,
)
from softcontact.haptics.openhaptics import OpenHaptics
from softcontact.live.controls import Control
from softcontact.live.frame import Readings, split
from softcontact.live.scene import LiveScene
from softcontact.live.steering import FloatArray, Steering, pivot_of
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

DEVICES = ("simulated", "openhaptics")
# A firm hand: with a mouse, the tool is to be where it was drawn to, give or take a few millimetres.
# It pulls no harder than that, or it could crush the tissue; a real device sets its own limit.
PULL = 6.0  # N
HAND = HandAxis(mass=0.1, damping=0.5, hand_mass=0.15, hand_damping=40.0, hand_stiffness=1500.0)
_GAINS = ("stiffness", "damping", "angular_stiffness", "angular_damping", "max_force", "max_torque")
_REACH = 1.5  # alarm distances that the steered hand goes in a step, 1.5 mm where the scene gives none
_LONGEST_PROMISE = 0.5  # s, between two publications
_TRIAL_STEPS = 4
_SHARE = 0.6  # of a period, that steps without contact may take
_LONGEST_STEP = 0.02  # s; with longer ones contact is lost at the speed of a hand
_TURN_TOLERANCE = 0.05  # rad; factorising at each step takes most of its time


class ToolScene(LiveScene):
    """The product's pair at work: HapticSession (the core's own thread) with the linear contact model, and VisualLoop.

    The scene's script of the device is left out: the hand does what move() says (`simulated`), or what somebody does
    with a real device (`openhaptics`).

    Args:
        scene: with one tool, and contact.model = "point".
        device: one of DEVICES.
        fit: take a longer time step than the scene's, at most 20 ms, where this machine is too slow for it; else a
            step that takes longer than its period makes the tissue slower than real.
    Raises:
        SceneError: the scene is not for this, or the device cannot be had.
    """

    def __init__(self, scene: Scene, device: str = "simulated", *, fit: bool = True) -> None:
        if device not in DEVICES:
            raise SceneError(f"device: {device!r}; give one of {', '.join(DEVICES)}")
        tools = [body.name for body in scene.bodies if body.kind == "tool"]
        if len(tools) != 1:
            raise SceneError(f"{scene.name}: holds {len(tools)} tools; a live scene takes one")
        if scene.contact.model != "point":
            raise SceneError(
                f'{scene.name}: contact.model is {scene.contact.model!r}; a live tool needs "point"'
            )
        self.tool: str = tools[0]
        script = [motion for motion in scene.motions if motion.body == self.tool]
        rest = tuple(motion for motion in scene.motions if motion.body != self.tool)
        super().__init__(scene.model_copy(update={"motions": rest}))
        self.device = device
        self._session: HapticSession | None = None
        self._loop: VisualLoop | None = None
        self._core: Any = None  # the open device
        self._engine = self._fitting() if fit else self._new_engine()
        self._steering = self._steer(script)
        self._reach = _REACH * (scene.contact.alarm_distance or 1e-3)
        self._body = self._engine.held_tool(self.tool)
        self.coupling = self._felt(self._body.coupling)
        self.controls = self._make_controls()
        self.values = {control.name: control.value for control in self.controls}
        self._join()

    @property
    def surfaces(self) -> tuple[SurfaceInfo, ...]:
        """What there is to draw."""
        return (*self._engine.surfaces, *self._engine.skins)

    @property
    def running(self) -> bool:
        """Whether time goes on."""
        return self._loop is not None and self._loop.running

    @property
    def error(self) -> str | None:
        """Why the simulation stopped; None while all is well."""
        if self._error is None and self._loop is not None and self._loop.error is not None:
            self._fail(self._loop.error)
        return self._error

    @property
    def steered(self) -> bool:
        """Whether move() moves the tool: no device is held."""
        return self.device == "simulated"

    @property
    def target(self) -> tuple[FloatArray, FloatArray]:
        """Position (3,) [m] and quaternion of where the steered hand goes."""
        return self._target

    @property
    def steering(self) -> Steering:
        """Where the hand can go."""
        return self._steering

    def move(self, position: Any) -> None:
        """Bring the steered hand somewhere, no faster than the tissue can be followed: 1.5 alarm distances a step.

        Args:
            position: of the device (3,) [m]; see Steering.pose for what becomes of it.
        Raises:
            ValueError: not finite; or a real device moves the tool.
        """
        if not self.steered:
            raise ValueError("move: a device moves this tool; move that")
        self._target = self._steering.pose(position)

    def nudge(self, step: Any) -> None:
        """Move the steered hand on by a step (3,) [m]; see move."""
        self.move(self._target[0] + np.asarray(step, dtype=float))

    def read(self) -> Readings:
        """Figures of this moment."""
        session = self._session
        told, times = session.readout(), session.times()
        force = np.asarray(told["wrench"][:3])
        normal, tangential = split(force, self.frame.normal)
        fast = {
            "rate_hz": session.settings.rate_hz,
            "work_us": 1e6 * times["work"]["p50"],
            "late_us": (1e6 * times["lateness"]["p50"], 1e6 * times["lateness"]["p99_9"]),
            "overruns": times["overruns"],
            "state": told["state"],
            "data_age_ms": 1e3 * told["data_age"],
        }
        return Readings(
            float(self._engine.time), self._speed(), self._step_ms(), self._contacts, normal, tangential, fast
        )

    @property
    def force_limit(self) -> float:
        """Most force that the hand can feel [N]."""
        return self._session.limits["max_force"]

    @property
    def tissue_box(self) -> tuple[FloatArray, FloatArray]:
        """Corners of the box of what can be touched, as it lies at the start (3,) [m]."""
        return self._tissue_box

    def tally(self) -> dict[str, Any]:
        """What all ticks of the fast thread came to, since the start or the last restart; see HapticSession.tally."""
        return self._session.tally()

    def counts(self) -> tuple[int, int, int]:
        """Ticks and overruns of the fast thread and steps of the slow loop, since the start or the last restart."""
        return self._session.ticks, self._session.times()["overruns"], self._loop.done

    @contextmanager
    def stalled(self) -> Iterator[float]:
        """Hold the slow loop up, as a machine does that is too busy; gives the age of the data at which the fast
        thread's force has to be zero [s]."""
        with self._loop.lock:
            yield self._session.zero_from(self._loop.promised)

    def _build(self) -> None:
        self._leave()
        self._engine = self._new_engine()
        self._body = self._engine.held_tool(self.tool)
        self._join()

    def _join(self) -> None:
        """Device, law and world to one pair."""
        settings = self._settings()
        self._target = self._steering.pose(self._steering.start)
        self._hand = self._target[0]
        self._engine.world.set_coupling(self._body.body, self.coupling.native)
        law = ToolLaw(self._body.tool, self.coupling, 1.0 / settings.rate_hz)
        self._session = HapticSession(self._description(), law, settings)
        self._core = self._session.device
        self._loop = VisualLoop(self._body, self._session, stepped=self._after_step)
        self._draw(self._engine)

    def _leave(self) -> None:
        if self._session is not None:
            self._session.close()  # it stays until there is another: somebody may be reading it

    def _felt(self, coupling: VirtualCoupling, **gains: float) -> VirtualCoupling:
        """A coupling that pulls no harder than the hand can feel."""
        kept = {name: getattr(coupling, name) for name in _GAINS} | gains
        kept["max_force"] = min(kept["max_force"], self._settings().safety.max_force)
        return VirtualCoupling(
            **kept, handle_position=coupling.handle_position, handle_orientation=coupling.handle_orientation
        )

    def _settings(self) -> ThreadSettings:
        """Those of the fast thread; a steered hand has no motors to be careful with."""
        return ThreadSettings(safety=SafetySettings(max_force=PULL)) if self.steered else ThreadSettings()

    def _description(self) -> Any:
        place, turn = self._steering.start, self._steering.orientation
        if self.device == "openhaptics":
            return AnchoredDevice(OpenHaptics(), place, turn)
        return SimulatedDevice(HandScript([0.0], [place], [turn]), translation=HAND, max_force=PULL)

    def _begin(self) -> None:
        self._session.start()
        self._loop.start()

    def _end(self) -> None:
        if self._loop is not None:
            try:
                self._loop.stop()
            except Exception as error:
                self._fail(error)
        if self._session is not None:
            self._session.stop()

    def _release(self) -> None:
        self._leave()

    def _between_steps(self, call: Callable[[], None]) -> None:
        with self._loop.lock:
            call()

    def _after_step(self, duration: float) -> None:
        self._follow(duration)
        self._stepped(self._engine, duration)
        # A machine that is too slow must not seem dead to the watchdog.
        longest = max(list(self._durations)[-10:], default=0.0)
        self._loop.promise = max(self._loop.period, min(_LONGEST_PROMISE, 2.0 * longest))
        force = np.asarray(self._session.readout()["wrench"][:3])
        self.history.add(time.perf_counter(), *split(force, self.frame.normal))

    def _follow(self, duration: float) -> None:
        """Bring the steered hand nearer to where it is wanted, within the time of a step."""
        way = self._target[0] - self._hand
        length = float(np.linalg.norm(way))
        if self.steered and length > 0.0:
            self._hand = self._hand + way * min(1.0, self._reach / length)
            self._core.steer(*self._steering.pose(self._hand), max(self.scene.time_step, duration))

    def _device_pose(self) -> FloatArray:
        told = self._session.readout()
        return np.concatenate(self._target if told["tick"] == 0 else (told["position"], told["orientation"]))

    def _new_engine(self) -> EmbeddedEngine:
        return EmbeddedEngine(self.scene, turn_tolerance=_TURN_TOLERANCE)

    def _fitting(self) -> EmbeddedEngine:
        """The engine at its start, with a time step that this machine keeps up with."""
        while True:
            engine = self._new_engine()
            begun = time.perf_counter()
            for _ in range(_TRIAL_STEPS):
                engine.step()
            took = (time.perf_counter() - begun) / _TRIAL_STEPS
            step = self.scene.time_step
            if took <= _SHARE * step or step >= _LONGEST_STEP:
                return self._new_engine()
            longer = min(_LONGEST_STEP, max(2.0 * step, took / _SHARE))
            self.scene = self.scene.model_copy(update={"time_step": longer})

    def _steer(self, script: list[Any]) -> Steering:
        others = [s.name for s in self._engine.surfaces if s.body != self.tool]
        tissue = np.vstack([self._engine.vertices(name) for name in others])
        self._tissue_box = (tissue.min(axis=0), tissue.max(axis=0))
        body = self.scene.body(self.tool)
        turns = script[0].orientations if script else None
        pivot = pivot_of(script[0].positions, turns) if turns else None
        return Steering.around(self._tissue_box, body.position, body.orientation, pivot)

    def _make_controls(self) -> tuple[Control, ...]:
        found = [self._stiffness_control(b) for b in self.scene.bodies if b.kind == "tetrahedral"]
        found.append(self._friction_control())
        for name, label, unit, value, most in (
            ("coupling_stiffness", "coupling stiffness", "N/m", self.coupling.stiffness, 4.0),
            ("coupling_damping", "coupling damping", "N s/m", self.coupling.damping, 5.0),
        ):
            found.append(
                Control(name, label, unit, 0.1 * value, most * value, value, self._coupling_setter(name))
            )
        return tuple(found)

    def _stiffness_control(self, body: Any) -> Control:
        """Young's modulus: multiplied in the running World, whose state stays as it is."""
        name = f"young_{body.name}"
        given = float(body.material.young)
        present = {"engine": self._engine, "young": given}

        def apply(value: float) -> None:
            if present["engine"] is not self._engine:  # a new one has what the scene gives
                present.update(engine=self._engine, young=given)
            self._engine.world.scale_stiffness(self._engine.number(body.name), value / present["young"])
            present["young"] = value

        return Control(name, f"Young's modulus, {body.name}", "Pa", 0.2 * given, 5.0 * given, given, apply)

    def _friction_control(self) -> Control:
        mine = [s.name for s in self._engine.surfaces if s.body == self.tool]
        others = [s.name for s in self._engine.surfaces if s.body != self.tool]

        def apply(value: float) -> None:
            for a in mine:
                for b in others:
                    self._engine.world.set_pair_friction(a, b, value)

        return Control("friction", "friction", "1", 0.0, 2.0, self._friction(), apply)

    def _friction(self) -> float:
        """What the scene gives for the tool and the first other body."""
        default = self.scene.contact.friction
        bodies = [self.scene.body(self.tool), *[b for b in self.scene.bodies if b.name != self.tool][:1]]
        for pair in reversed(self.scene.pair_friction):
            if {pair.a, pair.b} == {body.name for body in bodies}:
                return min(2.0, pair.friction)
        return min(
            2.0, float(np.sqrt(np.prod([default if b.friction is None else b.friction for b in bodies])))
        )

    def _coupling_setter(self, name: str) -> Callable[[float], None]:
        field = name.removeprefix("coupling_")

        def apply(value: float) -> None:
            self.coupling = self._felt(self.coupling, **{field: value})
            self._engine.world.set_coupling(self._body.body, self.coupling.native)
            self._session.law.set_coupling(self.coupling.native)

        return apply
