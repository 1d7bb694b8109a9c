# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of `softcontact bench haptics`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.haptics_cost import PAPER, STAGES


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
    figure.savefig(path, dpi=110)
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
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
