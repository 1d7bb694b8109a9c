# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of `softcontact bench haptics`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.haptics_cost import PAPER, STAGES
from softcontact.bench.haptics_forces import CUTOFF, NORMAL, TANGENTIAL
from softcontact.bench.haptics_sessions import METHODS
from softcontact.bench.results import save_figure

TRUE, COLOURS = "black", {METHODS[0]: "tab:blue", METHODS[1]: "tab:orange"}
LINES = {METHODS[0]: "-", METHODS[1]: "--"}


def forces(found: dict[str, Any], path: Path) -> None:
    """Normal and tangential force over time, a row for each visual rate.

    Args:
        found: what haptics_forces.compare gives.
        path: of the picture.
    """
    pyplot = _pyplot()
    rows = found["rates"]
    figure, axes = pyplot.subplots(
        len(rows),
        2,
        figsize=(12.0, 1.4 + 2.3 * len(rows)),
        sharex=True,
        sharey="col",
        squeeze=False,
        layout="constrained",
    )
    for row, pair in zip(rows, axes, strict=True):
        for axis, component in zip(pair, (NORMAL, TANGENTIAL), strict=True):
            for method in reversed(METHODS):
                force = found["forces"][row["rate_hz"]][method][:, component]
                axis.plot(found["times"], force, color=COLOURS[method], linewidth=0.9, label=method)
            force = found["true_force"][:, component]
            axis.plot(found["times"], force, color=TRUE, linewidth=0.7, label="true: one world at 1 kHz")
            axis.axvline(found["way"]["drag_s"], color="0.6", linewidth=0.8, linestyle=":")
            axis.grid(alpha=0.3)
        pair[0].set_ylabel(f"visual loop at {row['rate_hz']} Hz\nforce [N]")
        told = (f"{method} {1e3 * row['methods'][method]['ripple_n']:.0f} mN" for method in METHODS)
        pair[1].text(
            0.02,
            0.03,
            f"ripple above {CUTOFF:g} Hz in the drag: {', '.join(told)}",
            transform=pair[1].transAxes,
            fontsize=8,
        )
    axes[0, 0].set_title("normal force on the device, up")
    axes[0, 1].set_title("tangential force on the device, along the drag")
    for axis in axes[-1]:
        axis.set_xlabel("time [s]; the drag begins at the dotted line")
    axes[0, 0].legend(fontsize=8, loc="lower right")
    figure.suptitle("A tool presses on a soft block, then moves sideways")
    save_figure(figure, path)
    pyplot.close(figure)


def frame_cost(rows: list[dict[str, Any]], path: Path) -> None:
    """Time of a visual frame by stage over the number of contacts, beside the paper's."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(8.5, 4.8), layout="constrained")
    places = np.arange(len(rows))
    bottom = np.zeros(len(rows))
    for stage in STAGES:
        heights = np.array([row["stages_ms"][stage] for row in rows])
        axes.bar(places, heights, bottom=bottom, width=0.9, label=stage)
        bottom += heights
    axes.plot(places, [row["processor_ms"] for row in rows], "k.", label="on the processor")
    axes.set_xticks(places, [str(row["contacts"]) for row in rows])
    axes.axhline(
        PAPER["solve_ms"],
        color="black",
        linestyle="--",
        label=f"paper, {PAPER['contacts']} contacts: up to {PAPER['solve_ms']:g} ms for the contact response alone",
    )
    axes.set_ylim(0.0, 1.15 * max(PAPER["solve_ms"], bottom.max()))
    axes.set(
        xlabel="contacts", ylabel="median time [ms]", title="A frame of the visual loop, 2560 tetrahedra"
    )
    axes.tick_params(axis="x", labelsize=8)
    axes.legend(fontsize=8)
    save_figure(figure, path)
    pyplot.close(figure)


def tick_cost(rows: list[dict[str, Any]], path: Path) -> None:
    """Time of a tick of the fast thread over the number of contacts, beside the paper's."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(8.5, 4.8), layout="constrained")
    contacts = [row["contacts"] for row in rows]
    for name, label, marker in (
        ("mean", "mean", "o"),
        ("median", "median", "s"),
        ("p99_9", "99.9th percentile", "^"),
    ):
        axes.plot(contacts, [row["tick_us"][name] for row in rows], marker=marker, label=label)
    axes.axhline(
        PAPER["fast_tick_us"],
        color="black",
        linestyle="--",
        label=f"paper, mean of the whole haptic thread: {PAPER['fast_tick_us']:g} µs",
    )
    axes.axhline(1000.0, color="0.6", linestyle=":", label="the period of a tick")
    axes.set(
        yscale="log",
        xlabel="contacts of the model",
        ylabel="time [µs]",
        title="A tick of the haptic tool: coupling, free motion, contact model, device force",
    )
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
    save_figure(figure, path)
    pyplot.close(figure)


def impedance(found: dict[str, Any], path: Path) -> None:
    """Magnitude and phase of the rendered impedance over frequency, beside the true one."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(
        2,
        len(found["rates_hz"]),
        figsize=(12.0, 7.0),
        sharex=True,
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    entries = found["frequencies"]
    at = [entry["frequency_hz"] for entry in entries]
    quantities = (("stiffness_n_per_m", "|F / x| [N/m]"), ("phase_deg", "phase, force ahead [°]"))
    for column, rate in zip(axes.T, found["rates_hz"], strict=True):
        for axis, (name, label) in zip(column, quantities, strict=True):
            axis.plot(
                at,
                _unwrapped(name, [e["true"][name] for e in entries]),
                color=TRUE,
                marker="o",
                label="true: block and tool in one world at 1 kHz",
            )
            axis.plot(
                at,
                _unwrapped(name, [e["tissue"][name] for e in entries]),
                color="0.6",
                marker=".",
                linestyle=":",
                label="the block alone, without tool and coupling",
            )
            for method in METHODS:
                told = [
                    next(m for m in e["methods"] if m["rate_hz"] == rate and m["method"] == method)
                    for e in entries
                ]
                axis.plot(
                    at,
                    _unwrapped(name, [m[name] for m in told]),
                    color=COLOURS[method],
                    marker="s",
                    linestyle=LINES[method],
                    label=method,
                )
            axis.axvline(rate / 2, color="0.7", linewidth=0.8)
            axis.grid(alpha=0.3, which="both")
            axis.set(xscale="log", ylabel=label)
            axis.set_xticks(at, [f"{frequency:g}" for frequency in at])
            axis.set_xticks([], minor=True)
        column[0].set(yscale="log", title=f"visual loop at {rate} Hz (grey line: half of it)")
        column[0].yaxis.set_major_formatter("{x:.0f}")
        column[0].yaxis.set_minor_formatter("{x:.0f}")
        column[0].tick_params(axis="y", which="minor", labelsize=7)
        column[1].set_xlabel("frequency [Hz]")
    axes[0, 0].legend(fontsize=8)
    figure.suptitle(
        f"Impedance that the hand feels, sine of {1e3 * found['amplitude_m']:g} mm about {1e3 * found['depth_m']:g} mm "
        "in the block"
    )
    save_figure(figure, path)
    pyplot.close(figure)


def _unwrapped(name: str, values: list[float]) -> Any:
    return np.unwrap(values, period=360.0) if name == "phase_deg" else values


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
