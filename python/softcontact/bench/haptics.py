# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rendering of contact with a soft block (Otaduy and Gross 2007, Sec. 6): forces with the linear contact model and with
two couplings in a row at low visual rates, the cost of both threads over the number of contacts, and the impedance that
the hand feels.

The scene is `block`. Sessions for the forces and the impedance go in simulated time, the visual loop in step with the
fast thread and its data one visual period late, as those of a real slow thread; so they do not depend on the machine.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softcontact.bench import haptics_cost, haptics_forces, haptics_impedance
from softcontact.bench.haptics_cost import PAPER
from softcontact.bench.haptics_forces import AIM
from softcontact.bench.haptics_sessions import METHODS
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        drag: of the tool along the block [s].
        rates: of the visual loop in the forces [Hz].
        frames: of each tool that goes into the block.
        ticks: of the haptic tool for each number of contacts.
        session: by the wall clock [s].
        frequencies: of the impedance [Hz].
    """

    drag: float
    rates: tuple[int, ...]
    frames: int
    ticks: int
    session: float
    frequencies: tuple[float, ...]


FULL = Extent(1.6, haptics_forces.RATES, 60, 20_000, 10.0, haptics_impedance.FREQUENCIES)
QUICK = Extent(0.7, haptics_forces.RATES, 25, 5_000, 3.0, haptics_impedance.QUICK_FREQUENCIES)


def force_table(found: dict[str, Any]) -> str:
    """Figures of the forces as Markdown."""
    heads = ["visual rate", *(f"ripple, {method}" for method in METHODS), "ratio", "ripple of the frames"]
    heads += [f"{what}, {method}" for what in ("error", "mean along") for method in METHODS]
    heads += [*(f"ripple in a hand, {method}" for method in METHODS), "ratio"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in found["rates"]:
        told = [row["methods"][method] for method in METHODS]
        cells = [f"{row['rate_hz']} Hz", *(f"{1e3 * one['ripple_n']:.0f} mN" for one in told)]
        cells += [f"{row['ripple_ratio']:.1f}", f"{1e3 * row['frames']['ripple_n']:.0f} mN"]
        cells += [f"{100 * one['error']:.0f} %" for one in told]
        cells += [f"{one['tangential_n']:.2f} N" for one in told]
        cells += [f"{1e3 * row['hand'][method]['ripple_n']:.0f} mN" for method in METHODS]
        cells.append(f"{row['ripple_ratio_hand']:.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    true = found["true"]
    lines.append(
        f"| true, 1 kHz | {1e3 * true['ripple_n']:.0f} mN | | | | | | {true['tangential_n']:.2f} N | |"
    )
    return "\n".join(lines)


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
        "| contacts | mean | median | 99.9th percentile | changes of state a tick | failed ticks | largest force |",
        "|---" * 7 + "|",
    ]
    for row in rows:
        told = row["tick_us"]
        lines.append(
            f"| {row['contacts']} | {told['mean']:.2f} | {told['median']:.2f} | {told['p99_9']:.1f} "
            f"| {row['changes'] / row['ticks']:.2f} | {row['failed']} of {row['ticks']} "
            f"| {row['most_force_n']:.1f} N |"
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


def impedance_table(found: dict[str, Any]) -> str:
    """Impedances as Markdown."""
    heads = [f"{rate} Hz, {method}" for rate in found["rates_hz"] for method in METHODS]
    lines = [f"| frequency | true | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    for entry in found["frequencies"]:
        true = entry["true"]
        cells = [
            f"{entry['frequency_hz']:g} Hz",
            f"{true['stiffness_n_per_m']:.0f} N/m, {true['phase_deg']:.0f}°",
        ]
        cells += [f"× {m['over_true']:.2f}, {m['phase_off_deg']:+.0f}°" for m in entry["methods"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(extent: Extent) -> dict[str, Any]:
    """All of it; the series of the forces are kept beside their figures.

    Raises:
        RuntimeError: a world stopped.
    """

    def tell(text: str) -> None:
        print(f"{text} …", flush=True)

    tell("cost of a frame and of a tick")
    frames, ticks = haptics_cost.over_contacts(extent.frames, extent.ticks)
    session = haptics_cost.wall_clock(extent.session)
    forces = haptics_forces.compare(extent.drag, extent.rates, tell)
    impedance = haptics_impedance.compare(extent.frequencies, tell=tell)
    return {"frames": frames, "ticks": ticks, "session": session, "forces": forces, "impedance": impedance}


def report(found: dict[str, Any]) -> str:
    """The tables, with the paper's figures beside them."""
    frames = found["frames"]
    near = min(frames, key=lambda row: abs(row["contacts"] - PAPER["contacts"]))
    rates = found["forces"]["rates"]
    parts = [
        f"Forces while the tool is dragged: RMS of the tangential one above {haptics_forces.CUTOFF:g} Hz, and RMS of "
        "the difference of both to the true ones",
        force_table(found["forces"]),
        "Ripple of the double coupling over that of the linear model: "
        + ", ".join(f"{row['ripple_ratio']:.2g} at {row['rate_hz']} Hz" for row in rates)
        + f" (aim: {AIM:g} at {rates[-1]['rate_hz']} Hz).",
        "A frame of the visual loop [ms]",
        frame_table(frames),
        f"Paper: up to {PAPER['solve_ms']:g} ms for the contact response at {PAPER['contacts']} contacts, model "
        f"{PAPER['model_ms']:g} ms; here {near['total_ms']:.1f} ms for the whole frame at {near['contacts']} contacts, "
        f"{near['processor_ms']:.1f} ms of them on the processor, model {near['stages_ms']['model']:.2f} ms.",
        "A tick of the haptic tool [µs]",
        tick_table(found["ticks"]),
        session_text(found["session"]),
        "Impedance that the hand feels: the true one, and the others over it, with how far their phase is ahead",
        impedance_table(found["impedance"]),
    ]
    return "\n\n".join(parts)


def main(
    quick: bool = False, json: Path | None = None, out: Path | None = None, extent: Extent | None = None
) -> int:
    """Measure, print the tables, write JSON and plots.

    Args:
        quick: fewer frames and frequencies, shorter sessions.
        json: file for the figures.
        out: folder for figures, tables, plots.
        extent: how much is measured, in place of what `quick` says.
    Returns:
        0; a ripple ratio below the aim is told, as the forces are what is measured.
    """
    found = measure(extent or (QUICK if quick else FULL))
    info = machine()
    text = report(found)
    print(f"\n{info['processor']}\n\n{text}")
    series = ("times", "true_force", "forces", "hand_forces")
    figures = {**found, "forces": {k: v for k, v in found["forces"].items() if k not in series}}
    document = {"benchmark": "haptics", "machine": info, "paper": PAPER, "aim_ripple_ratio": AIM, **figures}
    write_results("haptics", document, json, out, f"{info['processor']}\n\n{text}", strict=True)
    if out is not None:
        from softcontact.bench import haptics_plots

        haptics_plots.forces(found["forces"], out / "haptics-forces.png")
        haptics_plots.impedance(found["impedance"], out / "haptics-impedance.png")
        haptics_plots.frame_cost(found["frames"], out / "haptics-frame.png")
        haptics_plots.tick_cost(found["ticks"], out / "haptics-tick.png")
    missed = [row["rate_hz"] for row in found["forces"]["rates"] if not row["ripple_ratio"] >= AIM]
    if missed:
        print(f"below the aim of {AIM:g} times less ripple: at {', '.join(map(str, missed))} Hz")
    return 0
