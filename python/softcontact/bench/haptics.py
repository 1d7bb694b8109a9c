# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rendering of contact with a soft block (Otaduy and Gross 2007, Sec. 6): the cost of the visual loop and of the fast
thread over the number of contacts. The scene is `block`.
"""

import json as json_module
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softcontact.bench import haptics_cost
from softcontact.bench.haptics_cost import PAPER
from softcontact.bench.table1 import machine


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        frames: of each tool that goes into the block.
        ticks: of the haptic tool for each number of contacts.
        session: by the wall clock [s].
    """

    frames: int
    ticks: int
    session: float


FULL = Extent(60, 20_000, 10.0)
QUICK = Extent(25, 5_000, 3.0)


def frame_table(rows: list[dict[str, Any]]) -> str:
    """Median times of a visual frame as Markdown [ms]."""
    stages = haptics_cost.STAGES
    lines = [
        f"| contacts | frames | {' | '.join(stages)} | frame | processor |",
        "|---" * (len(stages) + 4) + "|",
    ]
    for row in rows:
        cells = " | ".join(f"{row['stages_ms'][stage]:.3f}" for stage in stages)
        lines.append(
            f"| {row['contacts']} | {row['frames']} | {cells} | {row['total_ms']:.2f} | {row['processor_ms']:.2f} |"
        )
    return "\n".join(lines)


def tick_table(rows: list[dict[str, Any]]) -> str:
    """Times of a tick as Markdown [us]."""
    lines = [
        "| contacts | mean | median | 99.9th percentile | changes of state a tick | failed ticks |",
        "|---" * 6 + "|",
    ]
    for row in rows:
        told = row["tick_us"]
        lines.append(
            f"| {row['contacts']} | {told['mean']:.2f} | {told['median']:.2f} | {told['p99_9']:.1f} "
            f"| {row['changes'] / row['ticks']:.2f} | {row['failed']} of {row['ticks']} |"
        )
    return "\n".join(lines)


def session_text(told: dict[str, Any]) -> str:
    """The wall-clock session in words."""
    interval, work = told["interval_us"], told["work_us"]
    return (
        f"Wall clock, {told['seconds']:.1f} s with the visual loop at {told['visual_rate_hz']:.0f} Hz: interval of the "
        f"ticks 0.1th percentile {interval['p0_1']:.0f}, median {interval['p50']:.0f}, 99.9th {interval['p99_9']:.0f}, "
        f"most {interval['max']:.0f} µs; work of a tick, device, law and limits: mean {work['mean']:.1f}, 99.9th "
        f"{work['p99_9']:.0f} µs (paper: {PAPER['fast_tick_us']:.0f} µs); {told['overruns']} overruns in "
        f"{told['ticks']} ticks.\nMachine: {told['load']['text']}; scheduling: {told['scheduling']}."
    )


def measure(extent: Extent) -> dict[str, Any]:
    """All of it.

    Raises:
        RuntimeError: a world stopped, a session failed.
    """
    print("cost of a frame and of a tick …", flush=True)
    frames, ticks = haptics_cost.over_contacts(extent.frames, extent.ticks)
    session = haptics_cost.wall_clock(extent.session)
    return {"frames": frames, "ticks": ticks, "session": session}


def report(found: dict[str, Any]) -> str:
    """The tables, with the paper's figures beside them."""
    frames = found["frames"]
    near = min(frames, key=lambda row: abs(row["contacts"] - PAPER["contacts"]))
    parts = [
        "A frame of the visual loop [ms]",
        frame_table(frames),
        f"Paper: up to {PAPER['solve_ms']:g} ms for the contact response at {PAPER['contacts']} contacts, model "
        f"{PAPER['model_ms']:g} ms; here {near['total_ms']:.1f} ms for the whole frame at {near['contacts']} contacts, "
        f"{near['processor_ms']:.1f} ms of them on the processor, model {near['stages_ms']['model']:.2f} ms.",
        "A tick of the haptic tool [µs]",
        tick_table(found["ticks"]),
        session_text(found["session"]),
    ]
    return "\n\n".join(parts)


def main(
    quick: bool = False, json: Path | None = None, out: Path | None = None, extent: Extent | None = None
) -> int:
    """Measure, print the tables, write JSON and plots.

    Args:
        quick: fewer frames, a shorter session.
        json: file for the figures.
        out: folder for figures, tables, plots.
        extent: how much is measured, in place of what `quick` says.
    Returns:
        0.
    """
    found = measure(extent or (QUICK if quick else FULL))
    info = machine()
    text = report(found)
    print(f"\n{info['processor']}\n\n{text}")
    document = {"benchmark": "haptics", "machine": info, "paper": PAPER, **found}
    written = json_module.dumps(document, indent=1, allow_nan=False)
    if json is not None:
        json.write_text(written, encoding="utf-8")
    if out is not None:
        from softcontact.bench import haptics_plots

        out.mkdir(parents=True, exist_ok=True)
        (out / "haptics.json").write_text(written, encoding="utf-8")
        (out / "haptics.md").write_text(f"{info['processor']}\n\n{text}\n", encoding="utf-8")
        haptics_plots.frame_cost(found["frames"], out / "haptics-frame.png")
        haptics_plots.tick_cost(found["ticks"], out / "haptics-tick.png")
    return 0
