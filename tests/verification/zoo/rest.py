# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lies at rest stays at rest: every kind of body, contact mode, step and stiffness, for 60 s.

`python tests/verification/zoo/rest.py` runs them all and prints a line each; test_rest.py runs a sample for 2 s.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import zoo_runs
from zoo_scenes import BODY_KINDS, MODES, G, floor, resting_body, scene, soft_box

from softcontact.scene import Box, KinematicBody, RigidBody

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02)  # [s]
YOUNG = (1e3, 1e4, 1e5, 1e6, 1e7)  # [Pa]
SETTLED = 0.5  # of the run
SPEED = 1e-9  # [m/s]
LIMIT = 600.0  # of processor time, for a run [s]


@dataclass(frozen=True)
class Rest:
    """How still a body was.

    Attributes:
        creep: way of its centre over the last half of the run, over the time [m/s].
        wander: largest distance from where it ended, in that time [m].
        turn: likewise of its axes [rad].
        speed: largest speed of any point at the end [m/s].
        sunk: true overlap at the end, over its size [-].
        exit_code: of the run.
    """

    creep: float
    wander: float
    turn: float
    speed: float
    sunk: float
    exit_code: int

    @property
    def still(self) -> bool:
        """Whether it rests."""
        return self.exit_code == 0 and self.creep < SPEED and self.speed < SPEED and self.sunk < 0.01


def look(run: zoo_runs.Run, name: str = "b") -> Rest:
    """Judge a run of a body that should rest."""
    track, late = run[name], run.time >= SETTLED * run.time[-1]
    way = np.linalg.norm(track.centre[late] - track.centre[-1], axis=1)
    turn = track.tilt((0.0, 0.6, 0.8))[late]
    if track.node_velocities is not None:
        speed = np.linalg.norm(track.node_velocities[-1], axis=1).max()
    else:
        speed = np.linalg.norm(track.velocity[-1]) + 0.1 * np.linalg.norm(track.spin[-1])
    creep = way[0] / (run.time[-1] - run.time[late][0])
    return Rest(creep, way.max(), float(np.ptp(turn)), float(speed), run.overlap()[0], run.exit_code)


def on_the_floor(kind: str, mode: str, h: float, young: float, duration: float, slope: float = 0.0):
    """A body of 0.1 m let go just above the floor, level or inclined."""
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    # Below about ρ g H a soft body flattens under its own weight: it is smaller, the softer it is.
    size = 0.1 if kind != "soft" else min(0.1, 0.1 * young / 2e4)
    body = resting_body(kind, size, 1e-3 * size, young)
    made = scene([floor(), body], duration, h, mode, gravity=gravity)
    return zoo_runs.run(made, every=max(1, made.step_count // 400), limit=LIMIT)


def held(mode: str, h: float, young: float, duration: float, soft_pads: bool = False):
    """A soft cube squeezed between two plates that stand still, its weight borne by friction alone."""
    from softcontact.scene import Keyframes

    # Friction bears 2 μ E A 0.1, six times the weight of the softest. They fall until the plates have closed by a sixth
    # of their way, which takes less time the smaller they are.
    side = min(0.04, 0.04 * young / 2e4)
    closed = max(0.1 * (side / 0.04) ** 0.5, 2.0 * h)
    squeeze, gap = 0.05 * side, 1e-3 * side
    cube = soft_box("b", (side,) * 3, young, (4, 4, 4), friction=0.6)
    plates, ways = [], []
    for name, sign in (("l", -1), ("r", 1)):
        open_, shut = ((sign * (side / 2 + 0.25 * side + x), 0, 0) for x in (gap, -squeeze))
        plates.append(
            KinematicBody(
                name=name, shape=Box(size=(0.5 * side, 1.2 * side, 1.2 * side)), position=open_, friction=0.6
            )
        )
        ways.append(Keyframes(body=name, times=(0, closed), positions=(open_, shut)))
    made = scene([*plates, cube], duration, h, mode, motions=ways)
    return zoo_runs.run(made, every=max(1, made.step_count // 400), limit=LIMIT)


def weight_on_tissue(mode: str, h: float, young: float, duration: float):
    """A stiff weight off the middle of a soft block that lies on the floor, smaller the softer it is."""
    side = 0.08 * min(1.0, young / 2e4)
    block = soft_box(
        "s", (side, side, side / 2), young, (4, 4, 2), position=(0, 0, 0.2505 * side), friction=0.5
    )
    # Sinks in by about as much as the block does by its own weight.
    load = 0.025 * young * side**2 * 3 / 16 / G
    weight = RigidBody(
        name="b",
        shape=Box(size=(side / 2, 0.375 * side, side / 2)),
        mass=load,
        position=(side / 16, side / 20, 0.751 * side),
        friction=0.5,
    )
    made = scene([floor(), block, weight], duration, h, mode)
    return zoo_runs.run(made, every=max(1, made.step_count // 400), limit=LIMIT)


def cases(quick: bool):
    """(name, function of the duration) of the whole matrix, or of a sample."""
    steps, moduli = ((0.001, 0.005, 0.02), (1e4, 1e6)) if quick else (STEPS, YOUNG)
    for kind, mode, h in itertools.product(BODY_KINDS, MODES, steps):
        for young in moduli if kind == "soft" else (0.0,):
            what = f"{kind} on the floor, {mode}, h {1e3 * h:g} ms" + (f", E {young:g} Pa" if young else "")
            yield what, lambda t, k=kind, m=mode, s=h, e=young: on_the_floor(k, m, s, e or 5e4, t)
    for kind, mode, h in itertools.product(("box", "hull", "cylinder", "soft"), MODES, steps):
        what = f"{kind} on a slope of 15°, {mode}, h {1e3 * h:g} ms"
        yield what, lambda t, k=kind, m=mode, s=h: on_the_floor(k, m, s, 2e5, t, np.radians(15))
    for mode, h, young in itertools.product(MODES, steps, moduli):
        what = f"{mode}, h {1e3 * h:g} ms, E {young:g} Pa"
        yield f"soft cube held by plates, {what}", lambda t, a=(mode, h, young): held(*a, t)
        yield f"weight on tissue, {what}", lambda t, a=(mode, h, young): weight_on_tissue(*a, t)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--duration", type=float, default=60.0, help="of each run [s]")
    parser.add_argument("--quick", action="store_true", help="fewer steps and moduli")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    given = parser.parse_args(arguments)
    bad = count = 0
    for name, work in cases(given.quick):
        if given.only not in name:
            continue
        count += 1
        try:
            found = look(work(given.duration))
        except (zoo_runs.TooSlow, ValueError) as error:
            bad += 1
            print(f"{'STOPPED':8s} {name}: {str(error)[:100]}", flush=True)
            continue
        bad += not found.still
        print(
            f"{'rests' if found.still else 'MOVES':8s} {name}: exit {found.exit_code} creep {found.creep:.1e} m/s, "
            f"speed {found.speed:.1e} m/s, wander {found.wander:.1e} m, turn {found.turn:.1e} rad, overlap "
            f"{100 * found.sunk:.3f} %",
            flush=True,
        )
    print(f"{count - bad} of {count} rest")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
