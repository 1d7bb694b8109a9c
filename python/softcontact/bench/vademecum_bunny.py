# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's bunny offline: time, memory, modes against error on a sample of the load positions."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from softcontact.parallel import Workers, available_cores
from softcontact.progress import peak_memory
from softcontact.vademecum import build, models

__all__ = ["markdown", "measure"]

# González et al. 2015, Sec. 4.3: "more than three hours" in Matlab on one Xeon core at 3.5 GHz.
PAPER = {"nodes": 4285, "modes": 143, "offline_s": 3 * 3600.0}
COUNTS = (25, 81)  # mode counts judged besides all
SIZES = (0.25, 0.5, 1.0)


def measure(model: models.Model | None = None, judged: int = 40) -> dict[str, Any]:
    """Build on all cores, and compare with full finite elements.

    Args:
        model: the solid; None means the bunny.
        judged: load cases compared, spread evenly; each takes up to some ten seconds.
    """
    model = models.bunny() if model is None else model
    count = available_cores()
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    with Workers(count) as workers:
        made = build(
            model.mesh,
            model.material,
            model.load,
            clamped=model.clamped,
            options=model.options,
            workers=workers,
        )
    offline = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": sum(os.times()[:4]) - cpu,
        "processes": count,
    }
    chosen = np.unique(np.linspace(0, made.cases.count - 1, judged).round().astype(int))
    made = made.certified(sizes=SIZES, chosen=chosen, modes=[n for n in COUNTS if n < made.solution.count])
    assert made.certificate is not None
    return {
        "nodes": len(made.mesh.nodes),
        "positions": made.cases.count,
        "modes": made.solution.count,
        "offline": offline,
        "peak_memory_bytes": peak_memory(count if count > 1 else 0),
        "solution_bytes": made.solution.nbytes,
        "judged": len(made.certificate.cases),
        "largest_displacement_m": made.certificate.largest,
        "errors": made.certificate.rows(),
    }


def markdown(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    offline = figures["offline"]
    lines = [
        "| bunny offline | paper | here | ratio |",
        "|---|---|---|---|",
        f"| nodes | {PAPER['nodes']} | {figures['nodes']} | |",
        f"| modes | {PAPER['modes']} | {figures['modes']} | |",
        f"| time, {figures['positions']} positions | > {PAPER['offline_s']:.0f} s | {offline['wall_s']:.0f} s "
        f"({offline['cpu_s']:.0f} s of one core, {offline['processes']} at work) "
        f"| {PAPER['offline_s'] / offline['wall_s']:.0f} |",
        f"| memory | | {(figures['peak_memory_bytes'] or np.nan) / 1e6:.0f} MB at most offline, "
        f"solution {figures['solution_bytes'] / 1e6:.1f} MB | |",
        "",
        f"Against full finite elements at {figures['judged']} of the positions; nodal errors as shares of "
        f"{1e3 * figures['largest_displacement_m']:.2f} mm:",
        "",
        "| modes | overall, full load | largest nodal | energy, mean | change of volume, full load |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['modes']} | {row['overall_full']:.2e} | {row['nodal_max']:.2e} | {row['energy_mean']:.2e} "
        f"| {row['volume_full']:.2e} |"
        for row in figures["errors"]
    ]
    return "\n".join(lines)
