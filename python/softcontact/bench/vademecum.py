# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's beam: offline time, errors by number of modes, and the time of a question, beside the paper's."""

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench import vademecum_bunny, vademecum_distance, vademecum_loads, vademecum_plots
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.bench.vademecum_distance import times
from softcontact.parallel import Workers, available_cores
from softcontact.progress import peak_memory
from softcontact.vademecum import (
    BuildOptions,
    FullOrderSolver,
    OnlineField,
    Vademecum,
    build,
    models,
)

# González et al. 2015, Sec. 4.1: Matlab on an Intel Core i7 at 3 GHz; "less than half an hour" on a laptop.
PAPER = {
    "modes": [25, 81],
    "offline_s": 1800.0,
    "grid": [42, 26, 61],
    "positions": 170,
}
# What is asked of us: largest nodal errors as shares of the largest displacement.
LIMITS = {25: 0.02, 81: 0.005}
DRAWN = (5, 10, 50)  # further mode counts that are judged, for the plot
QUICK_EVERY = 12  # of the positions
SIZES = tuple(0.1 * k for k in range(1, 11))


def measure(quick: bool) -> tuple[Vademecum, dict[str, Any]]:
    """Build the beam's vademecum, judge it, and time its answers."""
    model = models.beam()
    free = np.setdiff1d(model.mesh.boundary[0], model.clamped)
    chosen = tuple(int(n) for n in free[QUICK_EVERY - 1 :: QUICK_EVERY]) if quick else None
    load = dataclasses.replace(model.load, nodes=chosen)
    count = 1 if quick else available_cores()  # starting others takes longer than all of the quick one's work
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    with Workers(count) as workers:
        made = build(
            model.mesh,
            model.material,
            load,
            clamped=model.clamped,
            options=BuildOptions(),
            workers=workers,
        )
    peak = peak_memory(count if count > 1 else 0)
    offline = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": sum(os.times()[:4]) - cpu,
        "processes": count,
    }
    counts = [n for n in sorted({*DRAWN, *LIMITS}) if n < made.solution.count]
    timed = [n for n in counts if n in LIMITS]
    made = made.certified(sizes=(0.5, 1.0) if quick else SIZES, modes=counts)
    started = time.process_time()
    made = made.with_distance((42, 26, 61))
    tabulated = time.process_time() - started
    assert made.certificate is not None and made.distance_field is not None
    return made, {
        "positions": len(made.cases.nodes),
        "sizes": made.certificate.sizes.tolist(),
        "offline": offline,
        "peak_memory_bytes": peak,
        "solution_bytes": made.solution.nbytes,
        "largest_displacement_m": made.certificate.largest,
        "errors": _errors(made),
        "tabulation_s": tabulated,
        "distance_bytes": made.distance_field.nbytes,
        "displacement_s": {n: _displacement_time(made, n) for n in (*timed, made.solution.count)},
        "distance": vademecum_distance.measure(made, quick),
        "loads": vademecum_loads.measure(made, quick),
        "bunny": None,
    }


def _errors(made: Vademecum) -> list[dict[str, Any]]:
    """Certified errors, beside the best that as many modes can do at full load (of full solutions, to judge)."""
    assert made.certificate is not None
    solver = FullOrderSolver(made.cases.solid)
    exact = np.array([solver.solve(force) for force in made.cases.forces()])
    left, values, right = np.linalg.svd(exact, full_matrices=False)
    rows = []
    for row in made.certificate.rows():
        count = int(row["modes"])
        missed = made.cases.solid.expand((left[:, count:] * values[count:]) @ right[count:])
        best = {
            "best_overall_full": float(np.linalg.norm(missed) / np.linalg.norm(exact)),
            "best_nodal_full": float(np.linalg.norm(missed, axis=-1).max() / made.certificate.largest),
        }
        rows.append({**row, **best, "limit": LIMITS.get(count)})
    return rows


def _displacement_time(made: Vademecum, modes: int) -> dict[str, float]:
    """A load is changed and all nodes are asked, in the core but called from Python."""
    field = OnlineField(made, modes=modes)
    nodes = made.cases.nodes.tolist()
    sizes = np.random.default_rng(0).uniform(0.0, 1.0, 512)

    def ask(k: int) -> None:
        field.load([nodes[k % len(nodes)]], sizes[k % 512])
        field.displacements()

    return times(ask, 20000)


def markdown(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        "| modes | overall, full load | best possible | largest nodal, all sizes | best possible, full load "
        "| aim | energy, mean | change of volume, full load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in figures["errors"]:
        aim = "" if row["limit"] is None else f"{row['limit']:.1e}"
        lines.append(
            f"| {row['modes']} | {row['overall_full']:.2e} | {row['best_overall_full']:.2e} "
            f"| {row['nodal_max']:.2e} | {row['best_nodal_full']:.2e} | {aim} | {row['energy_mean']:.2e} "
            f"| {row['volume_full']:.2e} |"
        )
    offline = figures["offline"]
    # fewer positions are another problem
    ratio = f"{PAPER['offline_s'] / offline['wall_s']:.0f}" if figures["positions"] > 160 else ""
    lines += [
        "",
        "| | paper | here | ratio |",
        "|---|---|---|---|",
        f"| offline, {PAPER['positions']} positions there, {figures['positions']} here | < {PAPER['offline_s']:.0f} s "
        f"| {offline['wall_s']:.0f} s ({offline['cpu_s']:.0f} s of one core, {offline['processes']} at work) "
        f"| {ratio} |",
        *(
            f"| displacement of all nodes, {modes} modes | | {1e6 * t['median']:.1f} µs "
            f"(99.9 %: {1e6 * t['p99.9']:.0f} µs) | |"
            for modes, t in figures["displacement_s"].items()
        ),
        f"| distances, {'×'.join(map(str, PAPER['grid']))} a position | | {figures['tabulation_s']:.0f} s, "
        f"{figures['distance_bytes'] / 1e6:.0f} MB | |",
        f"| memory | | {(figures['peak_memory_bytes'] or np.nan) / 1e6:.0f} MB at most offline, "
        f"solution {figures['solution_bytes'] / 1e6:.1f} MB | |",
        "",
        vademecum_distance.markdown(figures["distance"]),
        "",
        vademecum_loads.markdown(figures["loads"]),
    ]
    if figures["bunny"] is not None:
        lines += ["", vademecum_bunny.markdown(figures["bunny"])]
    return "\n".join(lines)


def main(
    quick: bool = False, json: Path | None = None, out: Path | None = None, bunny: Path | None = None
) -> int:
    """Measure; with `quick` every twelfth position only, and no bunny. Returns 1 if an error is above what is asked.

    Args:
        bunny: a built vademecum of the bunny, to be judged instead of one built here.
    """
    made, figures = measure(quick)
    solids = {"beam": made}
    if not quick or bunny is not None:
        solids["bunny"], figures["bunny"] = vademecum_bunny.measure(file=bunny)
    info = machine()
    table = markdown(figures)
    print(f"{info['processor']}, beam of {len(made.mesh.nodes)} nodes\n\n{table}")
    document = {
        "benchmark": "vademecum",
        "machine": info,
        "paper": {**PAPER, **vademecum_distance.PAPER, "bunny": vademecum_bunny.PAPER},
        "quick": quick,
        "results": figures,
    }
    write_results("vademecum", document, json, out, table)
    if out is not None:
        vademecum_plots.modes(solids, out / "modes.png")
        vademecum_plots.figures(document, out / "figures.png")
    judged = [row for row in figures["errors"] if row["limit"] is not None]
    good = all(row["nodal_max"] <= row["limit"] for row in judged)
    if figures["bunny"] is not None:
        good = good and vademecum_bunny.judge(figures["bunny"])
    return 0 if good and vademecum_distance.judge(figures["distance"], quick) else 1
