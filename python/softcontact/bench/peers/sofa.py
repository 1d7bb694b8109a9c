# SPDX-License-Identifier: LGPL-2.1-or-later
"""SOFA: a hand that lifts a ball, and a tool that presses a soft block, on SOFA's mechanics and on ours."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softcontact.bench import sofa, table1
from softcontact.bench.peers.record import OURS, Column, Peer, Row, Table, attempt
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.sofa.availability import sofa_found
from softcontact.scene.library import load

NAME = "SOFA"
INSTALL = "SOFA v25.12 or later with SofaPython3 and this project's plugin; softcontact doctor tells more"
HAND = sofa.BALLS[0]
STEPS, QUICK_STEPS = 100, 30  # timed
BLOCK_SECONDS = 1.6  # the tool has come down, and is dragged
BLOCK_FROM = 1.0


def peer() -> Peer:
    """What is installed; the modules tell the version."""
    if not sofa_found():
        return Peer(NAME, None, INSTALL)
    from softcontact.engines.sofa.availability import import_sofa

    try:
        return Peer(
            NAME, str(getattr(import_sofa(), "__version__", "found; its modules do not tell")), INSTALL
        )
    except ValueError as error:  # found, but not to be used: it says why
        return Peer(NAME, None, str(error))


def tables() -> tuple[Table, Table]:
    """The hand and the block, without rows."""
    columns = (
        Column("step_s", "step ms", 1e3, 0.0),
        Column("solve_s", "building and solving contacts, wall clock ms", 1e3, 0.0),
        Column("rows", "rows"),
    )
    same = "the scene: bodies, meshes, materials, time step, friction, motions; one thread"
    hand = Table(
        "hand",
        f"Hand lifts a ball ({HAND.scene}), timed while it rises",
        same,
        "mechanics and solver. SOFA: its own tetrahedra, articulated mapping, detection and block Gauss-Seidel, with "
        "its own point friction (FrictionContactConstraint) and with this project's AggregateVolume in it. Ours: the "
        "embedded engine.",
        (*columns, Column("rise_m", "ball risen mm", 1e3)),
    )
    block = Table(
        "soft block",
        f"A tool presses a soft block and is dragged over it (block), timed from {BLOCK_FROM:g} to {BLOCK_SECONDS:g} s",
        same,
        "mechanics and solver, as for the hand; point contacts on both sides.",
        (*columns, Column("force_n", "force of the tool N")),
    )
    return hand, block


def compare(quick: bool) -> list[Table]:
    """Both scenes on both engines; SOFA's own points in the hand take a second a step and are left out when quick."""
    from softcontact.engines.sofa import make_sofa_engine
    from softcontact.engines.sofa.availability import import_sofa

    import_sofa()  # before SOFA's objects are seen: Python keeps the type that it knew then
    hand, block = tables()
    steps = QUICK_STEPS if quick else STEPS
    engines: dict[str, Callable[[Any], Any]] = {OURS: EmbeddedEngine, NAME: make_sofa_engine}
    for tool, make in engines.items():
        for model in table1.MODELS:
            if quick and (tool, model) == (NAME, "point"):
                continue
            setting = _CALLED[tool][model]
            attempt(hand, tool, setting, lambda one=(tool, setting, model, make): [hold(*one, steps)])
        attempt(block, tool, "points", lambda one=(tool, make): [press(*one)])
    return [hand, block]


_CALLED = {
    OURS: {"point": "points", "aggregate": "patches"},
    NAME: {"point": "its own point friction", "aggregate": "with AggregateVolume"},
}


def hold(tool: str, setting: str, model: str, make: Callable[[Any], Any], steps: int) -> Row:
    """The hand's row on one engine."""
    scene = load(HAND.scene, HAND.options).with_changes({"contact.model": model})
    engine = make(scene)
    start = engine.pose(HAND.body)[2]
    figures, _ = _timed(engine, round(HAND.start / scene.time_step), steps)
    rise = float(engine.pose(HAND.body)[2] - start)
    return Row(tool, setting, {**figures, "rise_m": rise}, "" if rise > HAND.rise else "dropped")


def press(tool: str, make: Callable[[Any], Any]) -> Row:
    """The block's row on one engine."""
    scene = load("block")
    lead, count = (round(seconds / scene.time_step) for seconds in (BLOCK_FROM, BLOCK_SECONDS - BLOCK_FROM))
    figures, forces = _timed(make(scene), lead, count)
    return Row(tool, "points", {**figures, "force_n": float(np.median(forces))})


def _timed(engine: Any, lead: int, count: int) -> tuple[dict[str, float | None], list[float]]:
    """Medians over `count` steps after the first `lead` ones, and the sum of the forces of each step's patches [N]."""
    for _ in range(lead):
        engine.step()
    times, samples, forces = [], [], []
    for _ in range(count):
        began = time.process_time()
        engine.step()
        times.append(time.process_time() - began)
        samples.append(engine.statistics())
        forces.append(float(np.linalg.norm(np.sum([patch["force"] for patch in engine.patches()], axis=0))))
    solve, rows = (float(np.median([one[key] for one in samples])) for key in ("solve_ms", "rows"))
    return {"step_s": float(np.median(times)), "solve_s": 1e-3 * solve, "rows": rows}, forces
