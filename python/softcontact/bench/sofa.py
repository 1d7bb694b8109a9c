# SPDX-License-Identifier: LGPL-2.1-or-later
"""AggregateVolume against SOFA's own point friction, in SOFA: a scene of SOFA's own, and rows of Table 1.

Every scene runs twice in this process, with the contact response as the only difference, and is timed over the
same simulated window: medians of the step and of the constraint solver.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import CASES, MODELS, compare, machine
from softcontact.bench.table1 import markdown as table
from softcontact.engines.sofa.availability import sofa_found, sofa_reason
from softcontact.scene.errors import SceneError

POINT, AGGREGATE = "FrictionContactConstraint", "AggregateVolume"
BEAM = Path("share/sofa/examples/Demos/fallingBeamLagrangianCollision.scn")
UNSEEN = ("Sofa.GL", "OglModel", "VisualMapping")  # what needs a screen
SOLVING = ("ConstraintSolver",)
SWEEPING = ("ConstraintsGaussSeidel",)
SPEEDUP_LEAST = 1.0
BALLS = tuple(
    case for case in CASES if case.scene.startswith("ball-")
)  # rows of the table that this engine runs
PATH_LIMIT = 1e-3  # [m] a stranger does not see a millimetre on a beam of half a metre


def beam(response: str, steps: int, path: Path) -> dict[str, Any]:
    """SOFA's falling beam with one word of its file changed.

    Args:
        response: the contact response.
        steps: how many to run.
        path: the scene file.
    Returns:
        rows, step_ms, constraint_ms (building and solving), solve_ms (sweeps alone), each a list a step, and the
        path of the centre of mass (steps, 3) [m].
    """
    import Sofa

    text = path.read_text(encoding="utf-8")
    if f'response="{POINT}"' not in text:
        raise SceneError(f"bench sofa: {path} does not use {POINT}; give SOFA_ROOT of SOFA v25.12 or later")
    text = "\n".join(line for line in text.splitlines() if not any(word in line for word in UNSEEN))
    text = text.replace(
        '<Node name="plugins">', '<Node name="plugins"><RequiredPlugin pluginName="SoftContact"/>', 1
    )
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / path.name
        changed.write_text(text.replace(POINT, response), encoding="utf-8")
        root = Sofa.Simulation.load(str(changed))
    Sofa.Simulation.initRoot(root)
    solver = next(o for o in root.objects if o.getClassName().endswith("ConstraintSolver"))
    result: dict[str, Any] = {"rows": [], "step_ms": [], "constraint_ms": [], "solve_ms": [], "path": []}
    for _ in range(steps):
        step_ms, records = _timed_step(root)
        result["step_ms"].append(step_ms)
        result["constraint_ms"].append(_total(records, SOLVING))
        result["solve_ms"].append(_total(records, SWEEPING))
        result["rows"].append(int(solver.currentNumConstraints.value))
        result["path"].append(np.array(root.FEM.mstate.position.value).mean(axis=0))
    result["path"] = np.array(result["path"])
    Sofa.Simulation.unload(root)
    return result


def _timed_step(root: Any) -> tuple[float, Any]:
    """Milliseconds of one step, and the records of SOFA's timers."""
    import Sofa
    from SofaRuntime import Timer

    Timer.setEnabled("bench", True)
    Timer.setInterval("bench", 1_000_000)  # SOFA prints its own table every so many steps
    Timer.begin("bench")
    start = time.perf_counter()
    Sofa.Simulation.animate(root, root.dt.value)
    step_ms = 1e3 * (time.perf_counter() - start)
    records = Timer.getRecords("bench")
    Timer.end("bench")
    return step_ms, records


def _total(records: Any, names: tuple[str, ...]) -> float:
    """Milliseconds in all timers of these names, wherever they are nested."""
    if isinstance(records, list):
        return sum(_total(entry, names) for entry in records)
    if not isinstance(records, dict):
        return 0.0
    total = 0.0
    for key, entry in records.items():
        if key in names:
            runs = entry if isinstance(entry, list) else [entry]
            total += sum(run.get("total_time", 0.0) for run in runs)
        else:
            total += _total(entry, names)
    return total


def compare_beam(steps: int) -> dict[str, Any]:
    """The falling beam with both responses, timed from its first contact on."""
    root = os.environ.get("SOFA_ROOT", "")
    path = Path(root) / BEAM
    if not root or not path.is_file():
        raise SceneError(f"bench sofa: SOFA's example {BEAM} was not found; set SOFA_ROOT to SOFA's folder")
    runs = {name: beam(name, steps, path) for name in (POINT, AGGREGATE)}
    first = next(i for i, rows in enumerate(runs[POINT]["rows"]) if rows)
    apart = np.linalg.norm(runs[POINT]["path"] - runs[AGGREGATE]["path"], axis=1)
    figures = {
        name: {
            key: float(np.median(run[key][first:]))
            for key in ("rows", "step_ms", "constraint_ms", "solve_ms")
        }
        for name, run in runs.items()
    }
    return {
        "scene": BEAM.name,
        "steps": steps,
        "timed_from": first,
        "responses": figures,
        "speedup": figures[POINT]["step_ms"] / figures[AGGREGATE]["step_ms"],
        "path_difference_max_m": float(apart.max()),
        "path_difference_end_m": float(apart[-1]),
    }


def beam_markdown(result: dict[str, Any]) -> str:
    """The falling beam as a Markdown table."""
    lines = [
        f"| {result['scene']} | rows | sweeps ms | constraint ms | step ms |",
        "|---|---|---|---|---|",
    ]
    for name, figures in result["responses"].items():
        values = " | ".join(f"{figures[key]:.2f}" for key in ("solve_ms", "constraint_ms", "step_ms"))
        lines.append(f"| `{name}` | {figures['rows']:.0f} | {values} |")
    apart = 1e3 * result["path_difference_max_m"]
    lines.append(
        f"\n{result['speedup']:.1f} times faster; centre of mass never more than {apart:.2f} mm apart."
    )
    return "\n".join(lines)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Run both parts; with `quick` the ball by fingertips alone and 60 timed steps, else both balls and 200.

    Returns:
        1 if an object drops, the beam goes elsewhere, or the aggregate is not faster.
    Raises:
        SceneError: SOFA, its Python modules, the plugin or its example scene are missing.
    """
    if not sofa_found():
        raise SceneError(sofa_reason())
    from softcontact.engines.sofa import make_sofa_engine
    from softcontact.engines.sofa.availability import import_sofa

    import_sofa()  # before SOFA's objects are seen: Python keeps the type that it knew then
    print("SOFA's falling beam: point contacts, then patches …", flush=True)
    beam_result = compare_beam(150 if quick else 300)
    steps = 60 if quick else 200
    results = []
    for case in BALLS[:1] if quick else BALLS:  # point contacts of the whole hand take a second a step
        print(f"{case.title}: point contacts, then aggregates …", flush=True)
        results.append(compare(case, steps, make_sofa_engine))
    info = machine()
    text = beam_markdown(beam_result) + "\n\n" + table(results)
    print(f"\n{info['processor']}, one thread, medians\n\n{text}")
    document = {"benchmark": "sofa", "machine": info, "beam": beam_result, "table1": results}
    write_results("sofa", document, json, out, text)
    failed = [f"not held: {r['case']} ({m})" for r in results for m in MODELS if not r["ours"][m]["held"]]
    if beam_result["path_difference_max_m"] > PATH_LIMIT:
        failed.append("the beam's path differs by more than 1 mm")
    if beam_result["speedup"] <= SPEEDUP_LEAST:
        failed.append("the beam is not faster with patches")
    for line in failed:
        print(line)
    return 1 if failed else 0
