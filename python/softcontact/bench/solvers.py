# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact solvers against each other, and against Siconos where it is installed, on a collection of real problems.

Every solver starts from zero and stops at the same natural-map residual, which is measured again outside of it; ours
go on to the same in the residual without units, within the time that is told.
Times are the shortest of a few solves in one thread, with matrices set up. A performance profile gives the fraction
of the problems that a solver solves within τ times the time of the best (Dolan and Moré 2002).
"""

import statistics
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from softcontact.bench import siconos
from softcontact.bench.results import save_figure
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.solver import ContactProblem, residual, scaled_residual, solve

FOLDER = Path(__file__).parent / "problems"
METHODS = ("auto", "anderson", "newton", "nncg", "block_gauss_seidel", "local_uzawa", "projection")
OURS, PEER = "auto", "siconos_nsgs"
TOLERANCE = 1e-8
TIME_BUDGET, QUICK_TIME_BUDGET = 20.0, 1.0  # [s] a solve
MOST_ITERATIONS = {"siconos_nsgs": 10000, "siconos_nsn_ac": 200}
QUICK_MOST_CONTACTS = 60
SHORT = 0.2  # [s]; a solve that takes less is repeated
REPEATS = 5
FACTORS = tuple(float(x) for x in np.geomspace(1.0, 1000.0, 31))


def names() -> list[str]:
    """Problems of the collection."""
    return sorted(path.stem for path in FOLDER.glob("*.npz"))


def load(name: str) -> tuple[ContactProblem, np.ndarray]:
    """A problem of the collection, and a force that solves it."""
    with np.load(FOLDER / f"{name}.npz") as z:
        rows = z["q"].size
        W = scipy.sparse.csr_matrix((z["W_data"], z["W_indices"], z["W_indptr"]), shape=(rows, rows))
        return ContactProblem(W, z["q"], z["mu"]), z["r_ref"]


def measure(problem: ContactProblem, method: str, reference: np.ndarray, budget: float) -> dict[str, Any]:
    """Time and residual of one solver on one problem.

    Returns:
        time_s, residual and scaled_residual (measured here), solved, iterations, reason.
    """
    tolerances = [TOLERANCE]
    if method in siconos.SOLVERS:
        # Siconos measures against |q|. It is made as strict as ours, and stricter only where that is not enough.
        sizes = (problem.q, reference, problem.velocity(reference))
        scale = max(float(np.linalg.norm(x)) for x in sizes) / max(float(np.linalg.norm(problem.q)), 1e-300)
        tolerances = [TOLERANCE * scale, 0.3 * TOLERANCE * scale, min(1.0, 0.1 * scale) * TOLERANCE]
    for tolerance in tolerances:
        found = _measure(problem, method, tolerance, budget)
        if found["solved"] or found["iterations"] >= MOST_ITERATIONS.get(method, 0):
            break
    return found


def _measure(problem: ContactProblem, method: str, tolerance: float, budget: float) -> dict[str, Any]:
    def once() -> Any:
        if method in siconos.SOLVERS:
            return siconos.solve(problem, method, tolerance, MOST_ITERATIONS[method])
        return solve(problem, method=method, tolerance=tolerance, time_budget=budget)  # type: ignore[arg-type]

    result = once()
    times = [result.wall_time_s]
    while len(times) < REPEATS and times[0] < SHORT:
        times.append(once().wall_time_s)
    finite = bool(np.isfinite(result.force).all())
    measured = residual(problem, result.force) if finite else float("inf")
    scaled = scaled_residual(problem, result.force) if finite else float("inf")
    return {
        "time_s": min(times),
        "residual": measured if np.isfinite(measured) else None,
        "scaled_residual": scaled if np.isfinite(scaled) else None,
        "solved": bool(measured <= TOLERANCE * (1.0 + 1e-6)),
        "iterations": result.iterations,
        "reason": getattr(result, "reason", ""),
    }


def profiles(problems: list[dict[str, Any]], methods: list[str]) -> dict[str, list[float]]:
    """Per method, the fraction of the problems solved within each of FACTORS times the best time."""
    found: dict[str, list[float]] = {}
    best = {}
    for problem in problems:
        times = [r["time_s"] for r in problem["results"].values() if r["solved"]]
        best[problem["name"]] = min(times) if times else None
    for method in methods:
        ratios = [
            problem["results"][method]["time_s"] / best[problem["name"]]
            for problem in problems
            if problem["results"][method]["solved"]
        ]
        found[method] = [sum(r <= factor for r in ratios) / len(problems) for factor in FACTORS]
    return found


def against_peer(problems: list[dict[str, Any]]) -> dict[str, Any] | None:
    """How many times longer the peer takes than ours, where the peer solves; None without the peer."""
    if not problems or PEER not in problems[0]["results"]:
        return None
    ratios = {
        p["name"]: p["results"][PEER]["time_s"] / p["results"][OURS]["time_s"]
        for p in problems
        if p["results"][PEER]["solved"] and p["results"][OURS]["solved"]
    }
    return {
        "peer": PEER,
        "least": min(ratios.values()),
        "median": statistics.median(ratios.values()),
        "ratios": ratios,
        "unsolved_by_peer": [p["name"] for p in problems if not p["results"][PEER]["solved"]],
    }


def main(*, quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Measure, print the table, write JSON and the plot; 1 if ours leaves a problem unsolved."""
    methods = [*METHODS, *(siconos.SOLVERS if siconos.library() is not None else ())]
    if len(methods) == len(METHODS):
        print("Siconos is not installed: no peer (Debian: apt-get install libsiconos-numerics7)")
    problems = []
    print("problem".ljust(38), "contacts", *(m.rjust(18) for m in methods))
    for name in names():
        problem, reference = load(name)
        if quick and problem.contacts > QUICK_MOST_CONTACTS:
            continue
        budget = QUICK_TIME_BUDGET if quick else TIME_BUDGET
        results = {m: measure(problem, m, reference, budget) for m in methods}
        problems.append({"name": name, "contacts": problem.contacts, "results": results})
        cells = (f"{1e3 * r['time_s']:.4g} ms" if r["solved"] else "unsolved" for r in results.values())
        print(name.ljust(38), str(problem.contacts).rjust(8), *(c.rjust(18) for c in cells), flush=True)
    found = {
        "machine": machine(),
        "tolerance": TOLERANCE,
        "problems": problems,
        "factors": FACTORS,
        "profiles": profiles(problems, methods),
        "against_peer": against_peer(problems),
    }
    comparison = found["against_peer"]
    if comparison is not None:
        print(
            f"{PEER} takes {comparison['median']:.3g} times as long as {OURS} in the median, at least "
            f"{comparison['least']:.3g} times; it leaves {len(comparison['unsolved_by_peer'])} problems unsolved"
        )
    write_results("solvers", found, json, out, strict=True)
    if out is not None:
        plot(found, out / "solvers.png")
    unsolved = [p["name"] for p in problems if not p["results"][OURS]["solved"]]
    if unsolved:
        print(f"{OURS} leaves unsolved: {', '.join(unsolved)}")
    return 1 if unsolved else 0


def plot(found: dict[str, Any], path: Path) -> None:
    """The performance profiles as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), constrained_layout=True)
    for name, fractions in found["profiles"].items():
        axes.step(
            found["factors"],
            fractions,
            where="post",
            label=name,
            linestyle="--" if "siconos" in name else "-",
        )
    axes.set(
        xscale="log",
        xlabel="τ: time against the best",
        ylabel="fraction of problems solved within τ",
        ylim=(0.0, 1.02),
        title=f"{len(found['problems'])} problems to a residual of {found['tolerance']:g}",
    )
    axes.legend(fontsize="small")
    save_figure(figure, path, dpi=150)
    pyplot.close(figure)
