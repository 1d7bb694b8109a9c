# SPDX-License-Identifier: LGPL-2.1-or-later
"""Seeded lifts of a soft cube of 4 cm: object and hand a little aside from where the grasp was planned, each time anew.

A lift succeeds when every check of the scene passes: the cube is lifted and held for 2 s, neither creeping nor
slipping, nothing is deeper inside than the scene allows at any time, and the contacts of every step are solved. The
same seeds succeed on every launch; the hash of the final state tells.
"""

from pathlib import Path
from typing import Any

from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.runner import run
from softcontact.scene.library import load

SEEDS, QUICK_SEEDS = range(20), range(3)
SHARE = 0.95  # of the lifts that must succeed
OPTIONS = {"object": "soft-cube", "grasp": "power"}


def lift(seed: int) -> dict[str, Any]:
    """One lift: whether it succeeded, what failed, how far the cube rose [m], and the hash of its final state."""
    result = run(load("hand", {**OPTIONS, "seed": seed}), record=False, replay=False, progress=False)
    checks = {check["name"]: check for check in result.checks}
    rise = checks.get("lifted object", {}).get("value")
    failed = [name for name, check in checks.items() if not check["passed"]]
    return {
        "seed": seed,
        "succeeded": result.passed,
        "failed": failed,
        "message": result.message,
        "rise_m": rise,
        "state_hash": result.summary["state_hash"],
    }


def _kept(one: dict[str, Any]) -> bool:
    """Whether the cube was lifted and held, whatever else failed."""
    return not one["message"] and not {"lifted object", "held object"} & set(one["failed"])


def markdown(lifts: list[dict[str, Any]]) -> str:
    """The lifts as a Markdown table."""
    lines = ["| seed | succeeded | rise mm | what failed |", "|---|---|---|---|"]
    for one in lifts:
        rise = "" if one["rise_m"] is None else f"{1e3 * one['rise_m']:.1f}"
        why = one["message"] or ", ".join(one["failed"])
        lines.append(f"| {one['seed']} | {'yes' if one['succeeded'] else 'no'} | {rise} | {why} |")
    return "\n".join(lines)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Lift with each of 20 seeds, 3 with `quick`. Returns 1 if fewer than 95 % succeed."""
    lifts = []
    for seed in QUICK_SEEDS if quick else SEEDS:
        lifts.append(lift(seed))
        print(f"seed {seed}: {'lifted' if lifts[-1]['succeeded'] else 'failed'}", flush=True)
    succeeded = sum(one["succeeded"] for one in lifts)
    print(
        f"\n{markdown(lifts)}\n\n{succeeded} of {len(lifts)} lifts of a soft cube succeeded with every check of the "
        f"scene; {sum(_kept(one) for one in lifts)} were lifted and held"
    )
    document = {"benchmark": "lifts", "machine": machine(), "options": OPTIONS, "lifts": lifts}
    write_results("lifts", document, json, out, markdown(lifts))
    return 0 if succeeded >= SHARE * len(lifts) else 1
