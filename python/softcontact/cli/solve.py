# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact solve`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcontact import outputs
from softcontact.cli.console import console, mark, say, tell_and_keep

if TYPE_CHECKING:
    from softcontact.solver import ContactProblem, ContactSolution, GlobalContactProblem

NOT_CONVERGED = 1


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE.hdf5", help="FCLIB problem, local or global.")],
    method: Annotated[
        str,
        typer.Option(
            help="auto, anderson, newton, nncg, block_gauss_seidel, projection, local_uzawa or global_uzawa."
        ),
    ] = "auto",
    tolerance: Annotated[
        float, typer.Option(help="Tolerance of the natural-map residual, and of the same without units.")
    ] = 1e-8,
    max_iterations: Annotated[int, typer.Option(help="Most sweeps and Newton steps.")] = 10000,
    time_budget: Annotated[
        float | None,
        typer.Option(help="Time after which the best force met is given [s].", show_default="none"),
    ] = None,
    compare_all: Annotated[
        bool, typer.Option("--compare-all", help="Also solve by every other method.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.hdf5", help="Write problem and solution there (FCLIB).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")] = False,
) -> int:
    """Solve a frictional contact problem in a file of FCLIB.

    Exit code 0: solved, 1: not to the tolerance.
    """
    from softcontact.solver import read_fclib

    problem = read_fclib(file)
    settings: dict[str, Any] = {
        "tolerance": tolerance,
        "max_iterations": max_iterations,
        "time_budget": time_budget,
    }
    with outputs.reserved(out):
        return _solve(file, problem, method, settings, compare_all, out, as_json)


def _solve(
    file: Path,
    problem: ContactProblem | GlobalContactProblem,
    method: str,
    settings: dict[str, Any],
    compare_all: bool,
    out: Path | None,
    as_json: bool,
) -> int:
    """Solve, tell and write; the exit code."""
    from softcontact.solver import GlobalContactProblem, solve, write_fclib

    local = problem.local if isinstance(problem, GlobalContactProblem) else problem
    tolerance = settings["tolerance"]
    solution, refusal = None, None
    try:
        solution = solve(local, method=method, **settings)  # type: ignore[arg-type]
        results = {method: _figures(local, solution)}
    except ValueError as error:
        refusal, results = error, {method: _refusal(error)}
    if compare_all:
        for other in _applicable(local):
            if other not in results:
                results[other] = _tried(local, other, settings)
    if refusal is not None and all(result["method_used"] is None for result in results.values()):
        raise refusal
    summary = {
        "file": str(file),
        "kind": "global" if problem is not local else "local",
        "contacts": local.contacts,
        "tolerance": tolerance,
        **{"method": method, **results[method]},
    }
    if compare_all:
        summary["comparison"] = results
    tell_and_keep(
        lambda: print(json.dumps(summary, allow_nan=False)) if as_json else _show(problem, summary, results),
        lambda: (
            None
            if out is None or solution is None
            else outputs.guarded(out, write_fclib, out, problem, solution, what="file")
        ),
    )
    if solution is None:
        assert refusal is not None
        raise refusal
    if solution.converged:
        return 0
    say(
        f"{file}: not solved to {tolerance:g} ({solution.reason}), residual {solution.residual:.3g} "
        f"({solution.scaled_residual:.3g} without units) after "
        f"{solution.iterations} iterations; try another method, or more iterations or time"
    )
    return NOT_CONVERGED


def _tried(problem: ContactProblem, method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Figures of one of all methods; one that does not take this problem says why."""
    from softcontact.solver import solve

    try:
        return _figures(problem, solve(problem, method=method, **settings))  # type: ignore[arg-type]
    except ValueError as error:
        return _refusal(error)


def _refusal(error: ValueError) -> dict[str, Any]:
    """What is told of a method that does not take the problem."""
    return {
        "converged": False,
        "reason": f"refused: {error}",
        "method_used": None,
        "residual": None,
        "scaled_residual": None,
    }


def _applicable(problem: ContactProblem) -> list[str]:
    from typing import get_args

    from softcontact.solver import Method

    return ["auto", "projection"] if hasattr(problem.W, "matvec") else list(get_args(Method))


def _figures(problem: ContactProblem, solution: ContactSolution) -> dict[str, Any]:
    """What is told of a solve; the residual is measured here, outside the solver."""
    from softcontact.solver import residual, scaled_residual

    finite = bool(math.isfinite(float(abs(solution.force).sum())))
    measured = residual(problem, solution.force) if finite else math.inf
    scaled = scaled_residual(problem, solution.force) if finite else math.inf
    return {
        "converged": solution.converged,
        "reason": solution.reason,
        "method_used": solution.method,
        "residual": measured if math.isfinite(measured) else None,
        "scaled_residual": scaled if math.isfinite(scaled) else None,
        "iterations": solution.iterations,
        "inner_iterations": solution.inner_iterations,
        "wall_time_s": solution.wall_time_s,
    }


def _show(
    problem: ContactProblem | GlobalContactProblem, summary: dict[str, Any], results: dict[str, Any]
) -> None:
    from rich.markup import escape
    from rich.table import Table

    screen = console()
    screen.print(f"{summary['file']}: {summary['kind']}, {summary['contacts']} contacts", markup=False)
    table = Table("", "method", "used", "residual", "iterations", "time", "", box=None, pad_edge=False)
    for name, result in results.items():
        if result["method_used"] is None:
            table.add_row(mark(False), name, "", "", "", "", escape(result["reason"]))
            continue
        value = "not finite" if result["residual"] is None else f"{result['residual']:.2e}"
        table.add_row(
            mark(result["converged"]),
            name,
            result["method_used"],
            value,
            str(result["iterations"]),
            f"{1e3 * result['wall_time_s']:.3g} ms",
            "" if result["converged"] else result["reason"],
        )
    screen.print(table)
