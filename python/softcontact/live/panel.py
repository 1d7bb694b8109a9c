# SPDX-License-Identifier: LGPL-2.1-or-later
"""The panel of the live page: figures, force plot, buttons, keys, sliders; and the mouse on the tool."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from softcontact.live.controls import Control
from softcontact.live.scene import LiveScene
from softcontact.live.stage import Stage

STEP = 1e-3  # m, that a key or a click moves the hand by
TEXT_PERIOD, PLOT_PERIOD = 0.2, 0.1  # s
MOVES = (  # axis, what its two ends are called, their keys
    (0, ("left", "right"), ("J", "L")),
    (1, ("near", "away"), ("K", "I")),
    (2, ("down", "up"), ("O", "U")),
)
COLORS = ("#2060dc", "#e07b1a")  # normal, tangential
HEADROOM = 1.08  # of the plot, where the label of a bound would be cut off


class Panel:
    """What stands beside the view.

    Args:
        server: viser's.
        live: the scene.
        stage: the view.
    """

    def __init__(self, server: Any, live: LiveScene, stage: Stage) -> None:
        self._server, self._live, self._stage = server, live, stage
        self._text_due = self._plot_due = 0.0
        self._message = ""  # of an input that was refused
        self._limits = (0.0, 1.0)  # of the plotted forces [N]
        gui = server.gui
        gui.set_panel_label(f"SoftContact: {live.scene.name}")
        gui.add_markdown(live.scene.description or live.scene.name)
        self._state = gui.add_markdown(self._state_text())
        self._add_run_buttons()
        self._force = gui.add_markdown(self._force_text())
        self._plot = self._add_plot()
        self._figures = gui.add_markdown(self._figures_text())
        if getattr(live, "steered", False):
            self._add_moves()
        if live.controls:
            with gui.add_folder("Change while it runs"):
                for control in live.controls:
                    self._add_slider(control)

    def update(self) -> None:
        """Bring texts and plot up to date, as often as one can read them."""
        now = time.perf_counter()
        if now >= self._plot_due:
            self._plot_due = now + PLOT_PERIOD
            data = self._plot_data()
            self._plot.data = data
            limits = _limits(data[1:])
            if limits != self._limits:
                self._limits = limits
                self._plot.scales = self._scales()
        if now >= self._text_due:
            self._text_due = now + TEXT_PERIOD
            for part, text in (
                (self._state, self._state_text()),
                (self._force, self._force_text()),
                (self._figures, self._figures_text()),
            ):
                if part.content != text:
                    part.content = text
            self._update_pause()

    def _update_pause(self) -> None:
        live, button = self._live, self._pause
        label = "Pause" if live.running else "Go on"
        if button.label != label:
            button.label = label
        ended = not live.running and (live.finished or live.error is not None)
        if button.disabled != ended:
            button.disabled = ended  # only a restart helps

    # Texts.

    def _state_text(self) -> str:
        live = self._live
        if live.error is not None:
            return f"**Stopped:** {_plain(live.error)}. *Restart* begins anew."
        if self._message:
            return f"**Refused:** {_plain(self._message)}"
        if live.finished:
            return "**At its end.** *Restart* plays it again."
        return "**Running**" if live.running else "**Paused**"

    def _force_text(self) -> str:
        read = self._live.read()
        name = "Force on the hand" if self._live.tool is not None else "Contact forces"
        return f"{name}: **{read.normal:.2f} N** normal, **{read.tangential:.2f} N** tangential"

    def _figures_text(self) -> str:
        read = self._live.read()
        pace = f", {read.speed:.2f} × real time" if self._live.running else ""
        rows = [
            ("simulated time", f"{read.time:.2f} s{pace}"),
            ("a visual step", f"{read.step_ms:.1f} ms, {read.contacts} contacts"),
        ]
        if read.fast is not None:
            late = read.fast["late_us"]
            rows += [
                (
                    "fast thread",
                    f"{read.fast['rate_hz']:.0f} Hz, {_number(read.fast['work_us'])} µs a tick, {read.fast['state']}",
                ),
                ("its latency", f"{_number(late[0])} µs, 99.9 %: {_number(late[1])} µs"),
                ("contact data", f"{_number(read.fast['data_age_ms'])} ms old"),
            ]
        return "\n".join(["| | |", "|:--|:--|", *(f"| {name} | {text} |" for name, text in rows)])

    # Plot.

    def _plot_data(self) -> tuple[np.ndarray, ...]:
        times, normal, tangential = self._live.history.arrays()
        if not len(times):
            return np.array([-1.0, 0.0]), np.zeros(2), np.zeros(2)
        return times - times[-1], normal, tangential

    def _add_plot(self) -> Any:
        from viser import uplot

        axis, points = {"size": 42}, uplot.Series_Points(show=False)
        return self._server.gui.add_uplot(
            self._plot_data(),
            (
                uplot.Series(label="s"),
                uplot.Series(label="normal [N]", stroke=COLORS[0], width=2, points=points),
                uplot.Series(label="tangential [N]", stroke=COLORS[1], width=2, points=points),
            ),
            scales=self._scales(),
            axes=(uplot.Axis(label="time [s]", **axis), uplot.Axis(label="force [N]", **axis)),
            legend=uplot.Legend(show=True, live=False),
            height=220,
        )

    def _scales(self) -> dict[str, Any]:
        window = self._live.history.window
        return {
            "x": {"time": False, "auto": False, "range": (-window, 0.0)},
            "y": {"auto": False, "range": tuple(HEADROOM * limit for limit in self._limits)},
        }

    # Buttons, keys, mouse.

    def _add_run_buttons(self) -> None:
        gui, live = self._server.gui, self._live
        self._pause = gui.add_button("Pause", hint="key P")
        restart = gui.add_button("Restart", hint="key R")

        def toggle(_: Any) -> None:
            self._guarded(live.pause if live.running else live.start)

        def again(_: Any) -> None:
            self._guarded(live.restart)

        self._pause.on_click(toggle)
        restart.on_click(again)
        gui.add_command("Pause or go on", hotkey="P").on_trigger(toggle)
        gui.add_command("Restart", hotkey="R").on_trigger(again)

    def _add_moves(self) -> None:
        gui = self._server.gui
        with gui.add_folder("Move the tool"):
            gui.add_markdown(
                "Drag the tool or the arrows of its handle with the mouse, or use the buttons or the keys in brackets."
            )
            for axis, words, keys in MOVES:
                self._add_moves_along(axis, words, keys)
        self._handle = self._server.scene.add_transform_controls(
            "/handle",
            scale=0.25 * self._stage.size,
            disable_rotations=True,
            disable_sliders=True,
            depth_test=False,
            position=tuple(self._live.target[0]),
        )

        @self._handle.on_update
        async def _(event: Any) -> None:
            self._guarded(lambda: self._live.move(event.target.position))
            if event.phase == "end":  # back from where the hand cannot go
                self._handle.position = tuple(self._live.target[0])

        grabbed: dict[str, np.ndarray] = {}

        @self._stage.meshes[self._live.tool].on_drag("left")
        async def _(event: Any) -> None:
            if event.phase == "start":
                grabbed.update(hand=self._live.target[0], at=np.array(event.start_position))
            if event.phase != "end" and grabbed:
                self._go(grabbed["hand"] + np.array(event.end_position) - grabbed["at"])

    def _add_moves_along(self, axis: int, words: tuple[str, str], keys: tuple[str, str]) -> None:
        """Two buttons and their keys, backwards and forwards along an axis."""
        labels = tuple(f"{word} ({key})" for word, key in zip(words, keys, strict=True))
        steps = {
            label: sign * STEP * np.eye(3)[axis] for label, sign in zip(labels, (-1.0, 1.0), strict=True)
        }
        buttons = self._server.gui.add_button_group("xyz"[axis], labels)

        @buttons.on_click
        async def _(event: Any) -> None:
            self._go(self._live.target[0] + steps[event.target.value])

        for label, word, key in zip(labels, words, keys, strict=True):

            async def move(_: Any, step: np.ndarray = steps[label]) -> None:
                self._go(self._live.target[0] + step)

            self._server.gui.add_command(f"Move the tool {word}", hotkey=key).on_trigger(move)

    def _go(self, position: np.ndarray) -> None:
        self._guarded(lambda: self._live.move(position))
        self._handle.position = tuple(self._live.target[0])

    def _add_slider(self, control: Control) -> None:
        scale, unit = (1e-3, "kPa") if control.unit == "Pa" else (1.0, control.unit)
        step = _step(scale * (control.high - control.low))
        low, high = (
            step * math.ceil(scale * control.low / step - 1e-9),
            step * math.floor(scale * control.high / step + 1e-9),
        )
        slider = self._server.gui.add_slider(
            control.label if unit == "1" else f"{control.label} [{unit}]",
            min=low,
            max=high,
            step=step,
            initial_value=min(high, max(low, scale * control.value)),
        )

        @slider.on_update
        def _(event: Any) -> None:
            self._guarded(lambda: self._live.set(control.name, float(event.target.value) / scale))

    def _guarded(self, call: Any) -> None:
        """What cannot be done is said in the page."""
        try:
            call()
            self._message = ""
        except Exception as error:
            self._message = str(error) or type(error).__name__


def _step(width: float) -> float:
    """A round step, 100 to 250 of them for the whole width."""
    power = 10.0 ** math.floor(math.log10(width / 100.0))
    return power


def _limits(forces: tuple[np.ndarray, ...]) -> tuple[float, float]:
    """Round bounds of a plot that hold all forces, and zero."""
    least = min(float(values.min()) for values in forces)
    most = max(float(values.max()) for values in forces)
    return (-_round_up(-least) if least < -0.02 else 0.0), max(0.5, _round_up(most))


def _round_up(value: float) -> float:
    """The next round number."""
    if not value > 0.0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        share * power for share in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if value <= share * power
    )


def _number(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{value:.3g}"


def _plain(text: str) -> str:
    """Without letters that Markdown and HTML take for their own."""
    return "".join(f"&#{ord(c)};" if c in "<>&*_`[]|#\\" else c for c in text)
