# SPDX-License-Identifier: LGPL-2.1-or-later
"""Table 1 of Talvas et al. 2015: point contacts against aggregates, contacts, rows, solve and step times.

Both contact models run the same scene in the same process, one after the other, and are timed over the same
simulated window while the object is held: medians and means of what the engine measures each step. Both run the
same block Gauss-Seidel: the same sweeps, extrapolation between them, tolerance and limit of sweeps, starting from
the last step's forces (a point's if it touched then too, a patch's if its pair did). The blocks differ: a point has
three rows and Coulomb's cone, solved by a Newton on one slip ratio; a patch has four rows and the Coulomb-Contensou
limit surface, solved by a joint Newton, and with nonuniform pressure two more rows for its tilt, which are eliminated
before the sweeps. The solve time of either is that of assembling its rows, eliminating, and sweeping. Iterations and
residual are told beside the times. Where the object goes is compared step by step.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.bench.results import save_figure
from softcontact.bench.results import write as write_results
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene.library import load
from softcontact.scene.model import Scene


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        title: as in the paper.
        scene: name of the scene.
        paper: contacts, rows (point, aggregate), solve ms (point, aggregate), step ms (point, aggregate).
        options: of the scene.
        body: the object.
        start: when the timed steps begin, while the hand lifts the object: contacts change, a warm start does not
            do it all [s].
        rise: of the object at the end of the timed steps, or it counts as dropped [m].
        put_down: whether the scene ends with the object on the table again; else it must be up there at the end too.
    """

    title: str
    scene: str
    paper: tuple[float, int, int, float, float, float, float]
    options: dict[str, Any] = field(default_factory=dict)
    body: str = "object"
    start: float = 2.3
    rise: float = 0.02
    put_down: bool = False


_EDGE = {"scene": "edge-cube", "body": "cube", "start": 0.9, "rise": 0.01}
CASES = (
    Case(
        "Pencil spinning",
        "pencil",
        (33, 52, 12, 14.91, 4.85, 25.21, 15.30),
        body="pencil",
        start=2.5,
        rise=0.05,
        put_down=True,
    ),
    Case("Edge grasping 1", paper=(19, 49, 8, 14.01, 4.28, 22.76, 13.05), options={"grasp": 1}, **_EDGE),
    Case("Edge grasping 2", paper=(23, 62, 8, 22.52, 5.26, 32.45, 14.53), options={"grasp": 2}, **_EDGE),
    Case("Rigid ball, fingertips", "ball-fingertips", (37, 86, 22, 37.78, 10.80, 59.13, 32.58)),
    Case("Rigid ball, close", "ball-close", (84, 233, 32, 229.74, 15.33, 254.05, 39.94)),
    Case("Bimanual dumbbell", "dumbbell", (93, 283, 70, 350.91, 53.42, 408.26, 116.53)),
)
MODELS = ("point", "aggregate")
HEIGHT_LIMIT = 2e-3  # [m] between the final heights of the two models
STAGES = ("free_ms", "detection_ms", "solve_ms", "position_ms")


def measure(
    case: Case,
    scene: Scene,
    model: str,
    steps: int,
    make_engine: Callable[[Any], Any] = EmbeddedEngine,
    to_end: bool = False,
) -> tuple[dict[str, Any], np.ndarray]:
    """Run one case with one contact model and time `steps` steps while the object is held.

    Args:
        case: the row.
        scene: its scene; the contact model is set here.
        model: "point" or "aggregate".
        steps: to time.
        make_engine: the engine.
        to_end: whether to go on to the end of the scene, for the object's path.
    Returns:
        Means and medians of counts and times, and whether the object was held; its pose after each step (n, 7).
    """
    engine = make_engine(scene.with_changes({"contact.model": model}))
    start = engine.pose(case.body)[2]
    lead = round(case.start / scene.time_step)
    count = max(lead + steps, scene.step_count) if to_end else lead + steps
    samples, path = [], np.zeros((count, 7))
    for number in range(count):
        engine.step()
        path[number] = engine.pose(case.body)
        if lead <= number < lead + steps:
            samples.append(engine.statistics())
        if number == lead + steps - 1:
            touching = _touching(engine, case.body)
    rows: dict[str, Any] = {"model": model, "time_step_s": scene.time_step, "steps": steps}
    for key in ("contacts", "rows", "iterations", "residual", "step_ms", *STAGES):
        values = np.array([sample[key] for sample in samples], dtype=float)
        rows[key] = {"mean": float(values.mean()), "median": float(np.median(values))}
    heights = path[[lead + steps - 1] if case.put_down else [lead + steps - 1, -1], 2]
    rows["held"] = bool(heights.min() - start > case.rise)
    rows["converged"] = float(np.mean([sample["converged"] for sample in samples]))
    rows["object_contacts"] = touching
    return rows, path


def _touching(engine: Any, body: str) -> dict[str, int]:
    patches = [patch for patch in engine.patches() if body in (patch["body"], patch["other"])]
    return {"phalanges": len(patches), "points": sum(patch["contacts"] for patch in patches)}


def path_difference(one: np.ndarray, two: np.ndarray) -> dict[str, float]:
    """How far two paths of poses (n, 7) lie apart: at most over the run, and at its end."""
    places = np.linalg.norm(one[:, :3] - two[:, :3], axis=1)
    turns = (Rotation.from_quat(one[:, 3:]).inv() * Rotation.from_quat(two[:, 3:])).magnitude()
    return {
        "place_max_m": float(places.max()),
        "place_end_m": float(places[-1]),
        "height_end_m": float(abs(one[-1, 2] - two[-1, 2])),
        "turn_max_rad": float(turns.max()),
    }


def compare(
    case: Case, steps: int, make_engine: Callable[[Any], Any] = EmbeddedEngine, to_end: bool = False
) -> dict[str, Any]:
    """Both contact models on one case, on the embedded engine or another; see `measure`."""
    scene = load(case.scene, case.options)
    runs = {model: measure(case, scene, model, steps, make_engine, to_end) for model in MODELS}
    ours = {model: rows for model, (rows, _) in runs.items()}
    point, aggregate = ours["point"], ours["aggregate"]
    contacts, rows_point, rows_ours, solve_point, solve_ours, step_point, step_ours = case.paper
    return {
        "case": case.title,
        "ours": ours,
        "difference": path_difference(runs["point"][1], runs["aggregate"][1]),
        "solve_saved": 1.0 - aggregate["solve_ms"]["median"] / point["solve_ms"]["median"],
        "step_saved": 1.0 - aggregate["step_ms"]["median"] / point["step_ms"]["median"],
        "step_over_paper": aggregate["step_ms"]["median"] / step_ours,
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


def paths_markdown(results: list[dict[str, Any]]) -> str:
    """How far the object's path with points lies from that with aggregates, and the sweeps of both solves."""
    lines = [
        "| case | apart at most mm | turned at most ° | final height apart mm | sweeps: point | aggregate "
        "| aggregate step over the paper's |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        apart, ours = result["difference"], result["ours"]
        lines.append(
            f"| {result['case']} | {1e3 * apart['place_max_m']:.2f} | {np.degrees(apart['turn_max_rad']):.2f} "
            f"| {1e3 * apart['height_end_m']:.3f} | {ours['point']['iterations']['mean']:.1f} "
            f"| {ours['aggregate']['iterations']['mean']:.1f} | 1/{1.0 / result['step_over_paper']:.0f} |"
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
    save_figure(figure, path, dpi=130)
    pyplot.close(figure)


def failures(results: list[dict[str, Any]]) -> list[str]:
    """What a table must not show: a dropped object, or another final height with aggregates."""
    lines = [
        f"not held: {result['case']} ({model})"
        for result in results
        for model in MODELS
        if not result["ours"][model]["held"]
    ]
    for result in results:
        height = result["difference"]["height_end_m"]
        if not height <= HEIGHT_LIMIT:
            lines.append(
                f"another result: {result['case']}, final heights {1e3 * height:.2f} mm apart, more than "
                f"{1e3 * HEIGHT_LIMIT:g} mm"
            )
    return lines


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Run the table; 100 timed steps a row with `quick`, else 200 and on to the scenes' ends.

    Returns:
        1 if an object drops, or ends at another height with aggregates.
    """
    steps = 100 if quick else 200
    results = []
    for case in CASES:
        print(f"{case.title}: point contacts, then aggregates …", flush=True)
        results.append(compare(case, steps, to_end=not quick))
    info = machine()
    print(f"\n{info['processor']}, one thread, medians over {steps} steps of the lift\n")
    text = markdown(results) + "\n\n" + paths_markdown(results)
    print(text)
    document = {"benchmark": "table1", "machine": info, "results": results}
    write_results("table1", document, json, out, text)
    if out is not None:
        plot(results, out / "table1.png")
    for result in results:
        if result["solve_saved"] < result["paper"]["solve_saved"]:
            print(f"less saved in the solve than in the paper: {result['case']}")
    failed = failures(results)
    for line in failed:
        print(line)
    return 1 if failed else 0
