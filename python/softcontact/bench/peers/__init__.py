# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same small cases on what else is installed, both sides in one run: times and errors side by side.

Every peer is optional; one that is absent is named with what would install it. A table says what both sides have
alike, what they cannot have, and where the other tool is better.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from softcontact.bench.peers import cases, drake, ipctk, mujoco, ours, pinocchio, siconos, sofa, zoo
from softcontact.bench.peers.record import FAULTS, Peer, Table, attempt, markdown, told
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine

__all__ = ["PEERS", "main", "measure"]

RIGID = (mujoco, drake)  # run the cases of cases.py
OTHERS = (siconos, ipctk, pinocchio, sofa)  # have cases of their own
PEERS = (*RIGID, *OTHERS)


def rigid(present: Sequence[Any], quick: bool, say: Callable[[str], None]) -> list[Table]:
    """The block and the pinch, ours and those of the modules that are present."""
    hold, chunks = (cases.QUICK_HOLD, 5) if quick else (cases.HOLD, 20)
    slide, pinch = cases.slide_table(), cases.pinch_table(hold)
    for module in (ours, *present):
        for setting in module.settings():
            say(f"{setting.tool}: {setting.name}")
            if setting.block is not None:
                attempt(slide, setting.tool, setting.name, lambda s=setting: [cases.slide(s, chunks)])
            if setting.pinch is not None:
                attempt(pinch, setting.tool, setting.name, lambda s=setting: [cases.pinch(s, hold, chunks)])
    return [slide, pinch]


def measure(
    quick: bool, say: Callable[[str], None] = lambda text: None, modules: Sequence[Any] = PEERS
) -> tuple[list[Peer], list[Table]]:
    """Every case of every peer that is installed.

    Args:
        quick: shorter and fewer.
        say: told what is being measured.
        modules: peers to look for.
    Returns:
        The peers, present or not, and the tables.
    """
    peers = [module.peer() for module in modules]
    here = [module for module, peer in zip(modules, peers, strict=True) if peer.version is not None]
    tables = rigid([module for module in here if module in RIGID], quick, say)
    tables.append(zoo.compare(mujoco in here, quick, say))
    for module in here:
        if module not in RIGID:
            say(module.NAME)
            try:
                tables += module.compare(quick)
            except FAULTS as error:
                at = modules.index(module)
                peers[at] = dataclasses.replace(
                    peers[at], version=None, unusable=f"{peers[at].version} is installed, {told(error)}"
                )
    return peers, tables


def report(peers: Sequence[Peer], tables: Sequence[Table]) -> str:
    """Who is compared, and the tables, as Markdown."""
    lines = ["| tool | version |", "|---|---|"]
    lines += [
        f"| {peer.name} | {peer.version if peer.version is not None else _missing(peer)} |" for peer in peers
    ]
    return "\n\n".join(["\n".join(lines), *(markdown(table) for table in tables)])


def _missing(peer: Peer) -> str:
    what = f"not usable: {peer.unusable}" if peer.unusable else "absent"
    return f"{what}; install: {peer.install}"


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Measure and print the tables. Returns 1 if ours stops in a case, or is not the exact one where it says so."""
    peers, tables = measure(quick, lambda text: print(f"{text} …", flush=True))
    info = machine()
    text = report(peers, tables)
    print(f"\n{info['processor']}, one thread, medians of processor time\n\n{text}")
    document = {
        "benchmark": "peers",
        "machine": info,
        "quick": quick,
        "peers": [vars(peer) for peer in peers],
        "tables": [table.document() for table in tables],
    }
    write_results("peers", document, json, out, text)
    failed = faults(tables)
    for line in failed:
        print(line)
    return 1 if failed else 0


def faults(tables: Sequence[Table]) -> list[str]:
    """What must not happen on our side: it stops, drops, creeps, or misses a closed form."""
    found = []
    for table in tables:
        for who, message in table.stopped.items():
            if who.startswith(ours.OURS):
                found.append(f"stopped: {table.name}, {who}: {message}")
        for row in table.rows:
            if row.tool != ours.OURS:
                continue
            if row.failed:
                found.append(f"{row.failed}: {table.name}, {row.setting}")
            for key, limit in LIMITS.items():
                figure = row.figures.get(key)
                if figure is not None and not abs(figure) <= limit:
                    found.append(f"{key} {figure:.3g} above {limit:g}: {table.name}, {row.setting}")
    return found


# What ours keeps, whatever the machine.
LIMITS = {
    "distance_error": 0.003,  # half a step, see the table
    "heading_error_rad": 1e-5,  # of a patch, whose solve is iterative; points keep 1e-9
    "acceleration_error": 1e-5,
    "creep_m_s": 1e-9,
    "residual": 1e-7,
    "mass_error": 1e-9,
    "error_m": 1e-9,
    "free_rotation": 1e-6,
    "rolling_down": 1e-3,
    "rolling_on": 1e-3,
    "tipping_rad": 0.005,
    "sliding": 0.02,
    "stack_m_s": 1e-7,
    "heavy_on_light": 1e-3,
    "restitution": 0.02,
    "heap_overlap": 0.01,
}
