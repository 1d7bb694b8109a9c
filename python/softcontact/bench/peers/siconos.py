# SPDX-License-Identifier: LGPL-2.1-or-later
"""Siconos: frictional contact problems of its own test collection, solved on both sides to one residual."""

from __future__ import annotations

import ctypes.util
import statistics
from typing import Any

from softcontact.bench import siconos, solvers
from softcontact.bench.peers.record import OURS, Column, Peer, Row, Table, attempt

NAME = "Siconos"
METHODS = ("auto", "block_gauss_seidel")
BUDGET, QUICK_BUDGET = 5.0, 1.0  # [s] a solve of ours


def peer() -> Peer:
    """What is installed; Debian's library does not tell its version, its soname does."""
    found = siconos.library()
    version = None if found is None else str(ctypes.util.find_library("siconos_numerics") or found._name)
    return Peer(NAME, version, "apt-get install libsiconos-numerics7")


def table(problems: int, most: int) -> Table:
    """The table, without rows."""
    most_sweeps = solvers.MOST_ITERATIONS["siconos_nsgs"]
    return Table(
        "contact problems",
        f"Contact problems: {problems} of Siconos's collection, up to {most} contacts, each to a residual of "
        f"{solvers.TOLERANCE:g}",
        "W, q and μ in memory, start from zero, one thread, and the residual, which is measured outside of either: "
        "‖r − P_K(r − û)‖ over the largest of ‖q‖, ‖r‖, ‖u‖.",
        "tolerances. Siconos stops by |q| alone; its tolerance is made as strict as ours, and stricter where that "
        f"is not enough. Limits: ours {BUDGET:g} s a solve, Siconos's {most_sweeps} iterations. Both are set up "
        "before the clock. Times are of the wall clock, the least of up to five.",
        (
            Column("unsolved", "unsolved", 1.0, 0.5),
            Column("median_s", "median ms where all solve", 1e3, 0.0),
            Column("total_s", "sum ms where all solve", 1e3, 0.0),
            Column("worst_s", "slowest solved ms", 1e3),
            Column("residual", "largest residual where solved"),
        ),
    )


def compare(quick: bool) -> list[Table]:
    """Both sides on every problem; the quick ones have few contacts."""
    problems = {name: solvers.load(name) for name in solvers.names()}
    if quick:
        problems = {k: v for k, v in problems.items() if v[0].contacts <= solvers.QUICK_MOST_CONTACTS}
    made = table(len(problems), max(problem.contacts for problem, _ in problems.values()))
    attempt(made, NAME, "", lambda: measure(problems, QUICK_BUDGET if quick else BUDGET))
    return [made]


def measure(problems: dict[str, Any], budget: float) -> list[Row]:
    """A row a solver."""
    methods = [*METHODS, *siconos.SOLVERS]
    results = {
        method: {
            name: solvers.measure(problem, method, force, budget)
            for name, (problem, force) in problems.items()
        }
        for method in methods
    }
    common = [name for name in problems if all(results[method][name]["solved"] for method in methods)]
    rows = []
    for method, found in results.items():
        solved = [one for one in found.values() if one["solved"]]
        times = [found[name]["time_s"] for name in common]
        rows.append(
            Row(
                NAME if method in siconos.SOLVERS else OURS,
                method.removeprefix("siconos_"),
                {
                    "unsolved": float(len(found) - len(solved)),
                    "median_s": statistics.median(times) if times else None,
                    "total_s": sum(times) if times else None,
                    "worst_s": max((one["time_s"] for one in solved), default=None),
                    "residual": max((one["residual"] for one in solved), default=None),
                },
            )
        )
    return rows
