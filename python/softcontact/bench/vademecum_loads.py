# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several loads at once on a vademecum's body: superposed, predicted and corrected, against full finite elements."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from softcontact.bench.vademecum_distance import times
from softcontact.vademecum import CorrectedField, FullOrderSolver, OnlineField, Vademecum, choose_cubature

__all__ = ["ANSWERS", "markdown", "measure"]

ANSWERS = ("superposed", "predicted", "corrected")
_COUNTS = (2, 3)  # loads at once
_STATES = 12  # with as many
_SEED = 7


def measure(made: Vademecum, quick: bool) -> dict[str, Any]:
    """Errors, as shares of the largest displacement, and times of an answer, for loads at random nodes.

    Each load is of half the largest force at most, all of them together of the largest one. Full-order solutions judge
    alone; the cubature is chosen without them.

    Args:
        made: the body; with fewer positions than loads, as many loads as there are positions.
        quick: two states of each kind.
    """
    cases = made.cases
    random, solver = np.random.default_rng(_SEED), FullOrderSolver(cases.solid)
    positions = len(cases.nodes)
    started = time.process_time()
    cubature = choose_cubature(made)
    chosen = time.process_time() - started
    field = OnlineField(made)
    corrected = CorrectedField(field, cubature)
    rows = []
    for count in sorted({min(count, positions) for count in _COUNTS}):
        errors: dict[str, list[float]] = {name: [] for name in ANSWERS}
        converged, asked = 0, []
        for _ in range(2 if quick else _STATES):
            places = random.choice(positions, count, replace=False)
            sizes = random.uniform(0.2, 1.0, count) / count
            nodes = cases.nodes[places].tolist()
            force = sum(size * cases.forces([place])[0] for place, size in zip(places, sizes, strict=True))
            exact = cases.solid.expand(solver.solve(force))
            largest = float(np.linalg.norm(exact, axis=1).max())
            for name in ANSWERS:
                if name == "corrected":
                    converged += corrected.load(nodes, sizes).converged
                else:
                    field.load(
                        nodes, sizes, predictor="superposition" if name == "superposed" else "deflection"
                    )
                missed = np.linalg.norm(field.displacements() - exact, axis=1).max()
                errors[name].append(float(missed) / largest)
            asked.append((nodes, sizes))
        rows.append(
            {
                "loads": count,
                "states": len(asked),
                "converged": int(converged),
                "errors": {
                    name: {"mean": float(np.mean(found)), "max": float(np.max(found))}
                    for name, found in errors.items()
                },
                "predicted_s": _timed(field, asked, quick),
                "corrected_s": _timed(corrected, asked, quick),
            }
        )
    return {"cubature_points": len(cubature.points), "cubature_cpu_s": chosen, "rows": rows}


def _timed(what: OnlineField | CorrectedField, asked: list[Any], quick: bool) -> dict[str, float]:
    """An answer as one of the loads moves by little from question to question, as at a haptic rate."""
    nodes, sizes = asked[0]
    options = {"predictor": "deflection"} if isinstance(what, OnlineField) else {}

    def ask(k: int) -> None:
        what.load(nodes, sizes * (0.9 + 0.1 * np.sin(0.01 * k)), **options)

    return times(ask, 20 if quick else 400)


def markdown(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        "Several loads, largest nodal error against full finite elements, as a share of the largest displacement "
        "(mean, worst), and the time of an answer from Python as sizes change by little:",
        "",
        "| loads | states | superposed, as in the paper | predicted | corrected | predicting | correcting |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        told = (
            f"{100 * row['errors'][name]['mean']:.2f} %, {100 * row['errors'][name]['max']:.2f} %"
            for name in ANSWERS
        )
        spent = (
            f"{1e6 * row[name]['median']:.0f} µs (99.9 %: {1e6 * row[name]['p99.9']:.0f} µs)"
            for name in ("predicted_s", "corrected_s")
        )
        lines.append(f"| {row['loads']} | {row['states']} | {' | '.join([*told, *spent])} |")
    lines.append("")
    lines.append(
        f"Corrected at {figures['cubature_points']} points of a cubature that took {figures['cubature_cpu_s']:.0f} s "
        f"to choose; an equilibrium was found for {sum(row['converged'] for row in figures['rows'])} of "
        f"{sum(row['states'] for row in figures['rows'])} states."
    )
    return "\n".join(lines)
