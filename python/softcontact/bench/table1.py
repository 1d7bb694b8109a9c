# SPDX-License-Identifier: LGPL-2.1-or-later
"""Table 1 of Talvas et al. 2015: point contacts against aggregates, contacts, rows, solve and step times.

Both contact models run the same scene in the same process, one after the other, and are timed over the same
simulated window while the object is held: medians and means of what the engine measures each step.
"""

import json as json_module
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene.library import load


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        title: as in the paper.
        scene: name of the scene.
        options: its options.
        paper: contacts, rows (point, aggregate), solve ms (point, aggregate), step ms (point, aggregate).
    """

    title: str
    scene: str
    options: dict[str, Any]
    paper: tuple[float, int, int, float, float, float, float]


CASES = (
    Case("Rigid ball, fingertips", "hand", {"grasp": "precision"}, (37, 86, 22, 37.78, 10.80, 59.13, 32.58)),
    Case("Rigid ball, close", "hand", {"grasp": "power"}, (84, 233, 32, 229.74, 15.33, 254.05, 39.94)),
)
MODELS = ("point", "aggregate")
LEAST_RISE = 0.02  # [m] at the end of the timed steps, or the object counts as dropped
# From here on the hand lifts the object: contacts change, a warm start does not do it all [s].
LIFTED_FROM = 2.3
STAGES = ("free_ms", "detection_ms", "solve_ms", "position_ms")


def measure(
    case: Case, model: str, steps: int, make_engine: Callable[[Any], Any] = EmbeddedEngine
) -> dict[str, Any]:
    """Run one case with one contact model and time `steps` steps while the object is held.

    Returns:
        Means and medians of counts and times, and whether the object was held.
    """
    scene = load(case.scene, {**case.options, "contact": model})
    engine = make_engine(scene)
    start = engine.pose("object")[2]
    lead = round(LIFTED_FROM / scene.time_step)
    for _ in range(lead):
        engine.step()
    samples = []
    for _ in range(steps):
        engine.step()
        samples.append(engine.statistics())
    rows: dict[str, Any] = {"model": model, "time_step_s": scene.time_step, "steps": steps}
    for key in ("contacts", "rows", "iterations", "step_ms", *STAGES):
        values = np.array([sample[key] for sample in samples], dtype=float)
        rows[key] = {"mean": float(values.mean()), "median": float(np.median(values))}
    rows["held"] = bool(engine.pose("object")[2] - start > LEAST_RISE)
    rows["converged"] = float(np.mean([sample["converged"] for sample in samples]))
    rows["object_contacts"] = _touching(engine)
    return rows


def _touching(engine: Any) -> dict[str, int]:
    patches = [patch for patch in engine.patches() if "object" in (patch["body"], patch["other"])]
    return {"phalanges": len(patches), "points": sum(patch["contacts"] for patch in patches)}


def compare(case: Case, steps: int, make_engine: Callable[[Any], Any] = EmbeddedEngine) -> dict[str, Any]:
    """Both contact models on one case, on the embedded engine or another."""
    ours = {model: measure(case, model, steps, make_engine) for model in MODELS}
    point, aggregate = ours["point"], ours["aggregate"]
    contacts, rows_point, rows_ours, solve_point, solve_ours, step_point, step_ours = case.paper
    return {
        "case": case.title,
        "ours": ours,
        "solve_saved": 1.0 - aggregate["solve_ms"]["median"] / point["solve_ms"]["median"],
        "step_saved": 1.0 - aggregate["step_ms"]["median"] / point["step_ms"]["median"],
        "paper": {
            "contacts": contacts,
            "rows": {"point": rows_point, "aggregate": rows_ours},
            "solve_ms": {"point": solve_point, "aggregate": solve_ours},
            "step_ms": {"point": step_point, "aggregate": step_ours},
            "solve_saved": 1.0 - solve_ours / solve_point,
            "step_saved": 1.0 - step_ours / step_point,
        },
    }


def machine() -> dict[str, str]:
    """Processor and Python that the figures belong to."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        processor = f"{names[0]} × {len(names)}" if names else processor
    return {"processor": processor, "python": platform.python_version(), "system": platform.system()}


def markdown(results: list[dict[str, Any]]) -> str:
    """The table as Markdown."""
    lines = [
        "| case | model | contacts | rows | solve ms | step ms | paper: contacts | rows | solve | step |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        paper = result["paper"]
        for model in MODELS:
            ours = result["ours"][model]
            lines.append(
                f"| {result['case']} | {model} | {ours['contacts']['mean']:.0f} | {ours['rows']['mean']:.0f} "
                f"| {ours['solve_ms']['median']:.3f} | {ours['step_ms']['median']:.2f} | {paper['contacts']} "
                f"| {paper['rows'][model]} | {paper['solve_ms'][model]} | {paper['step_ms'][model]} |"
            )
        saved = [100.0 * result[key] for key in ("solve_saved", "step_saved")]
        theirs = [100.0 * paper[key] for key in ("solve_saved", "step_saved")]
        lines.append(
            f"| {result['case']} | saved | | | {saved[0]:.0f} % | {saved[1]:.0f} % "
            f"| | | {theirs[0]:.0f} % | {theirs[1]:.0f} % |"
        )
    return "\n".join(lines)


def plot(results: list[dict[str, Any]], path: Path) -> None:
    """Bars of the step by stage, point beside aggregate."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(1.8 + 2.2 * len(results), 4.0), layout="constrained")
    labels = [f"{result['case']}\n{model}" for result in results for model in MODELS]
    bottom = np.zeros(len(labels))
    for stage in STAGES:
        heights = np.array([result["ours"][model][stage]["median"] for result in results for model in MODELS])
        axes.bar(labels, heights, bottom=bottom, label=stage.removesuffix("_ms"))
        bottom += heights
    axes.set_ylabel("median time of a step [ms]")
    axes.tick_params(axis="x", labelsize=8)
    axes.legend()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Run the table; 100 timed steps a row with `quick`, else 400. Returns 1 if an object drops."""
    steps = 100 if quick else 400
    results = []
    for case in CASES:
        print(f"{case.title}: point contacts, then aggregates …", flush=True)
        results.append(compare(case, steps))
    info = machine()
    print(f"\n{info['processor']}, one thread, medians over {steps} steps of the lift\n")
    print(markdown(results))
    document = {"benchmark": "table1", "machine": info, "results": results}
    if json is not None:
        json.write_text(json_module.dumps(document, indent=1), encoding="utf-8")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "table1.json").write_text(json_module.dumps(document, indent=1), encoding="utf-8")
        (out / "table1.md").write_text(markdown(results) + "\n", encoding="utf-8")
        plot(results, out / "table1.png")
    dropped = [
        f"{result['case']} ({model})"
        for result in results
        for model in MODELS
        if not result["ours"][model]["held"]
    ]
    for name in dropped:
        print(f"not held: {name}")
    return 1 if dropped else 0
