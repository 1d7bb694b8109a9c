# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's bunny offline: time, memory, modes against error at some of the load positions."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.parallel import Workers, available_cores
from softcontact.progress import peak_memory
from softcontact.vademecum import Vademecum, build, models
from softcontact.vademecum.solid import factorised

__all__ = ["judge", "markdown", "measure"]

# González et al. 2015, Sec. 4.3: "more than three hours" in Matlab on one Xeon core at 3.5 GHz.
PAPER = {"nodes": 4285, "modes": 143, "offline_s": 3 * 3600.0}
COUNTS = (10, 25, 81)  # mode counts judged besides all
SIZES = (0.25, 0.5, 1.0)
LIMIT = 0.005  # asked of all modes: largest nodal error as a share of the largest displacement
AIM_S = 900.0  # of the build, on two cores


def measure(
    model: models.Model | None = None, judged: int = 40, file: Path | None = None
) -> tuple[Vademecum, dict[str, Any]]:
    """Build on all cores, or read what was built, and compare with full finite elements.

    Args:
        model: the solid; None means the bunny.
        judged: load cases compared, spread evenly, and the one that gives way most; each takes up to some ten seconds.
        file: of a vademecum that is judged instead of one built here, by its certificate if it has one.
    Raises:
        VademecumFileError: the file is none, or for another mesh.
    """
    model = models.bunny() if model is None else model
    if file is None:
        made, offline, peak = _built(model)
    else:
        made, offline, peak = Vademecum.load(file, model.mesh), None, None
    linear = _linear(made)
    if made.certificate is None:
        spread = np.linspace(0, made.cases.count - 1, judged).round().astype(int)
        chosen = np.union1d(spread, [np.linalg.norm(linear, axis=1).argmax()])
        counts = [n for n in COUNTS if n < made.solution.count]
        made = made.certified(sizes=SIZES, chosen=chosen, modes=counts)
    certificate = made.certificate
    assert certificate is not None
    best = _best(made, linear, certificate.modes.tolist())
    return made, {
        "nodes": len(made.mesh.nodes),
        "positions": made.cases.count,
        "sampled": made.options.sample,
        "modes": made.solution.count,
        "offline": offline,
        "peak_memory_bytes": peak,
        "solution_bytes": made.solution.nbytes,
        "judged": len(certificate.cases),
        "largest_displacement_m": certificate.largest,
        "errors": [{**row, **some} for row, some in zip(certificate.rows(), best, strict=True)],
    }


def judge(figures: dict[str, Any]) -> bool:
    """Whether all modes err no more than asked."""
    return bool(figures["errors"][-1]["nodal_max"] <= LIMIT)


def _built(model: models.Model) -> tuple[Vademecum, dict[str, Any], int | None]:
    """The vademecum, the time that it took, and the memory."""
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
    return made, offline, peak_memory(count if count > 1 else 0)


def _linear(made: Vademecum) -> np.ndarray:
    """Full solutions of all cases (c, f) [m], as if loads were small: only to judge."""
    solid = made.cases.solid
    stiffness = factorised(solid.tangent(np.zeros(solid.size)))
    return np.asarray(stiffness.solve(made.cases.forces().T).T)


def _best(made: Vademecum, linear: np.ndarray, counts: list[int]) -> list[dict[str, float]]:
    """Errors of the best so many modes without dents (SVD), of small loads."""
    solid = made.cases.solid
    axes = np.linalg.eigh(linear @ linear.T)[1][:, ::-1]
    whole = np.linalg.norm(linear)
    largest = np.linalg.norm(solid.expand(linear), axis=-1).max()
    rows = []
    for count in counts:
        kept = axes[:, :count]
        missed = linear - kept @ (kept.T @ linear)
        nodal = np.linalg.norm(solid.expand(missed), axis=-1).max()
        rows.append(
            {
                "best_overall_small": float(np.linalg.norm(missed) / whole),
                "best_nodal_small": float(nodal / largest),
            }
        )
    return rows


def markdown(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    offline, peak = figures["offline"], figures["peak_memory_bytes"]
    if offline is None:
        took, ratio = "built before", ""
    else:
        took = f"{offline['wall_s']:.0f} s ({offline['cpu_s']:.0f} s of one core, {offline['processes']} at work)"
        ratio = f"{PAPER['offline_s'] / offline['wall_s']:.0f}"
    memory = "" if peak is None else f"{peak / 1e6:.0f} MB at most offline, "
    lines = [
        "| bunny offline | paper | aim | here | ratio |",
        "|---|---|---|---|---|",
        f"| nodes | {PAPER['nodes']} | | {figures['nodes']} | |",
        f"| modes | {PAPER['modes']} | | {figures['modes']} | |",
        f"| time, {figures['positions']} positions | > {PAPER['offline_s']:.0f} s | {AIM_S:.0f} s | {took} | {ratio} |",
        f"| memory | | | {memory}solution {figures['solution_bytes'] / 1e6:.1f} MB | |",
        "",
        f"Against full finite elements at {figures['judged']} of the positions; nodal errors as shares of "
        f"{1e3 * figures['largest_displacement_m']:.2f} mm. Best: that many modes of full solutions under small "
        "loads, without dents.",
        "",
        "| modes | overall, full load | best | largest nodal | best | aim | energy, mean "
        "| change of volume, full load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['modes']} | {row['overall_full']:.2e} | {row['best_overall_small']:.2e} | {row['nodal_max']:.2e} "
        f"| {row['best_nodal_small']:.2e} | {LIMIT if row is figures['errors'][-1] else ''} "
        f"| {row['energy_mean']:.2e} | {row['volume_full']:.2e} |"
        for row in figures["errors"]
    ]
    return "\n".join(lines)
