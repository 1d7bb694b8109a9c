# SPDX-License-Identifier: LGPL-2.1-or-later
"""The whole soft hand at haptic rate: time of a step of 1 ms while the hand wraps a ball, stage by stage.

Both laws of the tissue run in one process, one after the other: corotational elements, and linear ones in the axes
of the bones, which need one factorisation in all. What the simpler law changes is told beside what it saves.
"""

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene.library import load

SCENE = "ball-close"
LAWS = ("corotational", "linear")
TIME_STEP = 0.001  # [s], and the aim for the time of a step
STAGES = ("free_ms", "detection_ms", "solve_ms", "position_ms")
# The ball is off the table from here on, while the hand still rises [s].
FROM = 2.2
PAPER = {
    "contacts": 84,
    "step_ms": 39.94,
}  # Table 1, rigid ball, close, aggregates; Intel i7-3770, one thread


def measure(law: str, steps: int) -> dict[str, Any]:
    """Times of `steps` steps with one law of the tissue, and where the ball and its forces end up."""
    scene = load(SCENE, {"time_step": TIME_STEP}).with_changes({"bodies.hand.tissue.elasticity": law})
    engine = EmbeddedEngine(scene)
    samples = []
    while engine.time < FROM:
        engine.step()
    for _ in range(steps):
        engine.step()
        samples.append(engine.statistics())
    step = np.array([sample["step_ms"] for sample in samples])
    result: dict[str, Any] = {
        "law": law,
        "contacts": float(np.mean([sample["contacts"] for sample in samples])),
        "rows": float(np.mean([sample["rows"] for sample in samples])),
        "step_ms": {
            "median": float(np.median(step)),
            "p99": float(np.percentile(step, 99)),
            "max": float(step.max()),
        },
        "within_1_ms": float(np.mean(step <= 1e3 * TIME_STEP)),
        "stages_ms": {
            stage.removesuffix("_ms"): float(np.median([sample[stage] for sample in samples]))
            for stage in STAGES
        },
        "converged": float(np.mean([sample["converged"] for sample in samples])),
        "position_m": engine.pose("object")[:3].tolist(),
        "normal_force_n": float(
            sum(
                patch["normal_force"]
                for patch in engine.patches()
                if "object" in (patch["body"], patch["other"])
            )
        ),
    }
    return result


def markdown(results: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| tissue | contacts | rows | step, median | p99 | steps within 1 ms "
        "| free motion | detection | solve | position |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        stages = " | ".join(f"{r['stages_ms'][stage.removesuffix('_ms')]:.3f}" for stage in STAGES)
        lines.append(
            f"| {r['law']} | {r['contacts']:.0f} | {r['rows']:.0f} | {r['step_ms']['median']:.2f} ms "
            f"| {r['step_ms']['p99']:.2f} ms | {100 * r['within_1_ms']:.1f} % | {stages} |"
        )
    return "\n".join(lines)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Time both laws; 400 steps with `quick`, else 2000. Returns 1 if some step was not solved."""
    steps = 400 if quick else 2000
    results = [measure(law, steps) for law in LAWS]
    info = machine()
    apart = float(np.linalg.norm(np.subtract(results[0]["position_m"], results[1]["position_m"])))
    forces = [result["normal_force_n"] for result in results]
    table = markdown(results)
    print(f"{info['processor']}, one thread, {steps} steps of 1 ms of the scene {SCENE}\n")
    print(table)
    print(
        f"\nPaper: {PAPER['contacts']} contacts, {PAPER['step_ms']} ms a step; here "
        f"{PAPER['step_ms'] / results[1]['step_ms']['median']:.0f} times as fast with linear tissue."
        f"\nLinear against corotational: the ball {1e3 * apart:.3f} mm apart, "
        f"sum of normal forces {forces[1]:.3f} N for {forces[0]:.3f} N."
    )
    document = {
        "benchmark": "rate",
        "machine": info,
        "paper": PAPER,
        "results": results,
        "apart_m": apart,
    }
    write_results("rate", document, json, out, table)
    return 0 if all(result["converged"] == 1.0 for result in results) else 1
