# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmarks' tables as Markdown, made again of the documents that they left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softcontact.bench import (
    haptics,
    lifts,
    rate,
    scale,
    sofa,
    sofa_vademecum,
    solvers,
    table1,
    uzawa_report,
    vademecum,
)
from softcontact.bench.peers import report as peers_report
from softcontact.bench.peers.record import Column, Peer, Row, Table

Document = dict[str, Any]


def markdown(name: str, document: Document) -> str:
    """The tables of a benchmark.

    Raises:
        KeyError, IndexError, TypeError, ValueError: figures of another version.
    """
    return MARKDOWN[name](document)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _avatar(document: Document) -> str:
    stages = list(document["runs"][0]["stages_ms"])
    rows = [
        [
            run["avatar"],
            run["contact"],
            str(run["contacts"]),
            str(run["rows"]),
            f"{run['step_ms']['median']:.3f}",
        ]
        + [f"{run['stages_ms'][stage]:.3f}" for stage in stages]
        + [f"{run['real_time_factor']:.2f}", f"{run['paper_real_time_factor']:.3f}"]
        + [f"{run['real_time_factor'] / run['paper_real_time_factor']:.0f}"]
        for run in document["runs"]
    ]
    heads = ["avatar", "contact", "points", "rows", "step ms", *stages, "times real time", "paper", "ratio"]
    fit = document["scaling"]["fit_us"]
    pushes = [
        [row["avatar"], row["place"], row["direction"], f"{row['chain_rad']:.3f}", f"{row['elsewhere_rad']:.4f}",
         f"{row['returned_rad']:.4f}", f"{1e3 * row['returned_m']:.2f}", "yes" if row["passed"] else "no"]
        for row in document.get("pushes", ())
    ]  # fmt: skip
    told = (
        f"Λ⁻¹ of m points on k of n links [µs]: {fit['constant']:.2f} + {fit['per_link_and_touched_link']:.4f} n k + "
        f"{fit['per_point_squared']:.4f} m²"
    )
    pushed = [
        "avatar",
        "place",
        "to",
        "chain rad",
        "elsewhere rad",
        "back to rad",
        "back to mm",
        "within limits",
    ]
    return "\n\n".join([_table(heads, rows), told, *([_table(pushed, pushes)] if pushes else [])])


def _solvers(document: Document) -> str:
    problems = document["problems"]
    methods = list(problems[0]["results"])
    rows = []
    for problem in problems:
        cells = [
            f"{1e3 * one['time_s']:.3g}" if one["solved"] else "unsolved"
            for one in problem["results"].values()
        ]
        rows.append([problem["name"], str(problem["contacts"]), *cells])
    unsolved = [str(sum(not p["results"][m]["solved"] for p in problems)) for m in methods]
    rows.append(["unsolved", "", *unsolved])
    told = f"Times in ms to a residual of {document['tolerance']:g}, the least of up to {solvers.REPEATS}."
    return f"{_table(['problem', 'contacts', *methods], rows)}\n\n{told}"


def peer_tables(document: Document) -> list[Table]:
    """Tables of `bench peers`, as they were before they were written."""
    found = []
    for one in document["tables"]:
        own = {key: value for key, value in one.items() if key != "judged"}
        own["columns"] = tuple(Column(**column) for column in one["columns"])
        own["rows"] = [Row(**row) for row in one["rows"]]
        found.append(Table(**own))
    return found


def _peers(document: Document) -> str:
    peers = [Peer(**one) for one in document["peers"]]
    return peers_report(peers, peer_tables(document))


def _sofa(document: Document) -> str:
    return f"{sofa.beam_markdown(document['beam'])}\n\n{table1.markdown(document['table1'])}"


MARKDOWN: dict[str, Callable[[Document], str]] = {
    "table1": lambda d: f"{table1.markdown(d['results'])}\n\n{table1.paths_markdown(d['results'])}",
    "rate": lambda d: rate.markdown(d["results"]),
    "lifts": lambda d: lifts.markdown(d["lifts"]),
    "uzawa": uzawa_report.markdown,
    "haptics": haptics.report,
    "vademecum": lambda d: vademecum.markdown(d["results"]),
    "avatar": _avatar,
    "solvers": _solvers,
    "scale": lambda d: scale.markdown(d["results"]),
    "peers": _peers,
    "sofa": _sofa,
    "sofa_vademecum": lambda d: sofa_vademecum.markdown(d["solids"]),
}
