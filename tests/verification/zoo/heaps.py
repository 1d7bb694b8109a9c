# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random heaps of bodies in a bin, judged by their geometry: `python tests/verification/zoo/heaps.py --count 500`.

Each heap has its own shapes, sizes (5 mm to 0.5 m), materials, time step (1 to 10 ms) and friction (0 to 1). A heap is
right where it ends without overlap above 1 % of the smaller body, within its bin, without more energy than at the
start or than it had come down to, and with finite positions; where it is not and the run said so (exit code), it is
honest; otherwise it is green and wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import zoo_runs
from scipy.spatial.transform import Rotation

from softcontact.scene import (
    Box,
    Capsule,
    Cylinder,
    KinematicBody,
    Material,
    Mesh,
    PairOff,
    RigidBody,
    Scene,
    SceneError,
    Sphere,
    TetrahedralBall,
    TetrahedralBody,
    TetrahedralBox,
)

RIGID = ("box", "sphere", "cylinder", "capsule", "hull")
SOFT = ("soft box", "soft ball")
LIMIT = 0.01  # of the smaller body's size
OTHER_LIMITS = {"gain": 1e-3, "rise": 1e-2, "out": 0.5}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of a heap.

    Attributes:
        seed: it was made from.
        kinds: of its bodies.
        settings: size [m], time step [s], friction, contact mode, in words.
        exit_code: of the run; -1 where it was refused, -2 where it took too long, -3 where the process died.
        message: of the run.
        overlap: at the end, over the size of the smaller body [-].
        worst: largest during the run [-].
        gain: of energy over that of the start [-], see Run.gain.
        rise: of energy over what it had come down to [-], see Run.rise.
        out: how far a body's centre lies outside the bin [-], over its size.
        finite: whether all positions are.
        seconds: processor time.
        wrong: what is wrong by geometry.
    """

    seed: int
    kinds: str
    settings: str
    exit_code: int
    message: str = ""
    overlap: float = 0.0
    worst: float = 0.0
    gain: float = 0.0
    rise: float = 0.0
    out: float = 0.0
    finite: bool = True
    seconds: float = 0.0
    wrong: str = ""

    @property
    def outcome(self) -> str:
        """right, honest, slow or GREEN AND WRONG."""
        if self.exit_code == -2:
            return "slow"
        if self.exit_code != 0:
            return "honest"
        return "GREEN AND WRONG" if self.wrong else "right"


def random_hull(rng: np.random.Generator, size: float) -> Mesh:
    """The hull of some random points, about `size` large."""
    from scipy.spatial import ConvexHull

    points = rng.normal(size=(rng.integers(6, 14), 3))
    points *= (
        0.5 * size * rng.uniform(0.7, 1.0, (len(points), 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    )
    made = ConvexHull(points)
    numbers = {old: new for new, old in enumerate(made.vertices)}
    triangles = []
    for (a, b, c), equation in zip(made.simplices, made.equations, strict=True):
        outward = np.cross(points[b] - points[a], points[c] - points[a]) @ equation[:3] > 0
        triangles.append(tuple(numbers[k] for k in ((a, b, c) if outward else (a, c, b))))
    return Mesh(vertices=points[made.vertices].tolist(), triangles=triangles)


def body(rng: np.random.Generator, name: str, kind: str, size: float, **place):
    """A body of a kind whose largest side is about `size`, at a random orientation."""
    turn = tuple(Rotation.random(random_state=int(rng.integers(2**31))).as_quat())
    density = float(rng.choice([300.0, 1000.0, 3000.0]))
    if kind in SOFT:
        # Stiff enough to bear ten of its like: sag of some per cent.
        young = float(10 ** rng.uniform(0.0, 1.5)) * 30 * 1000 * 9.81 * size
        material = Material(young=young, poisson=0.4, rayleigh_mass=0.0, rayleigh_stiffness=0.005)
        divisions = tuple(int(k) for k in rng.integers(2, 4, 3))
        sides = tuple(size * rng.uniform(0.5, 1.0, 3))
        shape = (
            TetrahedralBox(size=sides, divisions=divisions)
            if kind == "soft box"
            else TetrahedralBall(radius=size / 2, divisions=2)
        )
        return TetrahedralBody(name=name, shape=shape, material=material, orientation=turn, **place)
    match kind:
        case "box":
            shape = Box(size=tuple(size * rng.uniform(0.35, 1.0, 3)))
        case "sphere":
            shape = Sphere(radius=size * rng.uniform(0.25, 0.5))
        case "cylinder":
            shape = Cylinder(radius=size * rng.uniform(0.15, 0.4), height=size * rng.uniform(0.3, 0.9))
        case "capsule":
            radius = size * rng.uniform(0.15, 0.25)
            shape = Capsule(radius=radius, height=size * rng.uniform(0.3, 0.9) - radius)
        case _:
            shape = random_hull(rng, size)
    return RigidBody(name=name, shape=shape, density=density, orientation=turn, **place)


def bin_of(width: float, friction: float) -> tuple[list[KinematicBody], list[PairOff]]:
    """Floor and four walls around width × width, thick for what falls."""
    thick, high = width, 6 * width
    parts = [
        KinematicBody(
            name="floor",
            shape=Box(size=(3 * width, 3 * width, thick)),
            position=(0, 0, -thick / 2),
            friction=friction,
        )
    ]
    for i, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = (thick, 3 * width, high) if x else (width, thick, high)
        place = ((width + thick) / 2 * x, (width + thick) / 2 * y, high / 2)
        parts.append(KinematicBody(name=f"wall{i}", shape=Box(size=size), position=place, friction=friction))
    return parts, []


def heap(seed: int, kinds: tuple[str, ...] = (*RIGID, *SOFT)) -> tuple[Scene, str]:
    """A random heap and its settings in words; bodies fall one above another into the bin."""
    rng = np.random.default_rng(seed)
    largest = float(10 ** rng.uniform(np.log10(0.005), np.log10(0.5)))
    spread = float(rng.choice([1.0, 2.0, 4.0]))  # largest over smallest
    largest = max(largest, 0.005 * spread)
    h = float(rng.choice([0.001, 0.002, 0.005, 0.01]))
    friction, mode = float(rng.uniform(0, 1)), str(rng.choice(["points", "aggregate"]))
    if rng.random() < 0.1:
        friction = 0.0
    soft = rng.random() < 0.35
    allowed = [k for k in kinds if soft or k in RIGID] or list(kinds)
    if rng.random() < 0.3:
        allowed = [allowed[rng.integers(len(allowed))]]
    count = int(rng.integers(3, 6 if soft else 11))
    width = 1.6 * largest if count < 6 else 2.2 * largest
    bodies, off = bin_of(width, friction)
    z = 0.0
    for i in range(count):
        kind = allowed[rng.integers(len(allowed))]
        size = largest * float(spread ** -rng.uniform(0, 1))
        reach = 0.9 * size  # half a diagonal at most
        z += reach
        side = max(0.0, width / 2 - reach)
        place = (rng.uniform(-side, side), rng.uniform(-side, side), z + 0.02 * largest)
        made = body(rng, f"o{i}", kind, size, position=tuple(map(float, place)), friction=friction)
        bodies.append(made.model_copy(update={"aggregate": mode == "aggregate"}))
        z += reach
    # All have fallen, and some time to come to rest.
    duration = float(np.clip(np.sqrt(2 * z / 9.81) + 12 * np.sqrt(largest / 9.81) + 0.1, 0.3, 2.5))
    scene = Scene(
        name=f"heap-{seed}", duration=h * round(duration / h), time_step=h, bodies=bodies, pairs_off=off
    )
    words = f"{1e3 * largest:.0f} mm / {spread:g}, h {1e3 * h:g} ms, μ {friction:.2f}, {mode}"
    return scene, words


def assess(seed: int, kinds: tuple[str, ...] = (*RIGID, *SOFT), limit: float = 20.0) -> Verdict:
    """Make, run and judge a heap."""
    scene, words = heap(seed, kinds)
    loose = [b for b in scene.bodies if b.kind != "kinematic"]
    counts = Counter(getattr(b.shape, "kind", "") for b in loose)
    names = " ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
    began = time.process_time()
    steps = scene.step_count
    try:
        run = zoo_runs.run(scene, every=max(1, steps // 40), limit=limit)
    except SceneError as error:
        return Verdict(seed, names, words, -1, str(error))
    except zoo_runs.TooSlow as error:
        return Verdict(seed, names, words, -2, str(error), seconds=limit)
    seconds = time.process_time() - began
    finite = all(np.isfinite(t.centre).all() and np.isfinite(t.velocity).all() for t in run.tracks.values())
    if not finite:
        return Verdict(
            seed, names, words, run.exit_code, run.message, finite=False, seconds=seconds, wrong="not finite"
        )
    overlap, depth, who = run.overlap()
    worst = run.worst_overlap(12)[0]
    gain, rise, out = run.gain(), run.rise(), outside(run)
    wrong = []
    if overlap > LIMIT:
        wrong.append(f"overlap {100 * overlap:.2g} % ({1e3 * depth:.3g} mm) of {who}")
    if gain > OTHER_LIMITS["gain"]:
        wrong.append(f"energy +{gain:.2g} since the start")
    if rise > OTHER_LIMITS["rise"]:
        wrong.append(f"energy rises by {rise:.2g}")
    if out > OTHER_LIMITS["out"]:
        wrong.append(f"left the bin by {out:.2g} sizes")
    return Verdict(
        seed,
        names,
        words,
        run.exit_code,
        run.message,
        overlap,
        worst,
        gain,
        rise,
        out,
        True,
        seconds,
        ", ".join(wrong),
    )


def outside(run: zoo_runs.Run) -> float:
    """How far the worst body's centre lies in floor or walls at the end, over its size [-]."""
    floor = next(b for b in run.scene.bodies if b.name == "floor")
    half = floor.shape.size[0] / 6
    found = 0.0
    for placed in run.placed():
        if placed.name not in run.still:
            x, y, z = run[placed.name].centre[-1]
            found = max(found, max(abs(x) - half, abs(y) - half, -z) / placed.size)
    return found


def _work(job: tuple[int, tuple[str, ...], float]) -> Verdict:
    try:
        return assess(*job)
    except Exception as error:  # a heap that the judge cannot judge must not stop the others
        return Verdict(job[0], "", "", -3, f"{type(error).__name__}: {error}")


def assess_apart(job: tuple[int, tuple[str, ...], float]) -> Verdict:
    """The same in a process of its own, so that a crash or an endless step costs one heap."""
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=lambda: send.send(_work(job)))
    process.start()
    send.close()
    verdict = None
    try:
        if receive.poll(3 * job[2] + 5):
            verdict = receive.recv()
    except EOFError:
        pass
    if verdict is None:
        died = not process.is_alive()
        process.kill()
        code, text = (-3, "the process died") if died else (-2, "one step took too long")
        words = heap(job[0], job[1])[1]
        verdict = Verdict(job[0], "", words, code, text)
    process.join()
    return verdict


def line(verdict: Verdict) -> str:
    """One line of the table."""
    v = verdict
    what = v.wrong or v.message[:70]
    return (
        f"{v.seed:5d} {v.outcome:15s} exit {v.exit_code:2d} end {100 * v.overlap:7.3f} % during {100 * v.worst:7.3f} % "
        f"energy {v.rise:+8.1e} {v.seconds:5.1f} s | {v.settings} | {v.kinds} | {what}"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20, help="number of heaps")
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    parser.add_argument("--kinds", nargs="*", default=[*RIGID, *SOFT], help="kinds of bodies")
    parser.add_argument("--limit", type=float, default=20.0, help="processor time of a heap [s]")
    parser.add_argument("--all", action="store_true", help="a line for those that are right, too")
    parser.add_argument("--json", type=Path, help="write all verdicts to this file")
    given = parser.parse_args(arguments)
    verdicts = []
    for seed in range(given.seed, given.seed + given.count):
        verdicts.append(assess_apart((seed, tuple(given.kinds), given.limit)))
        if given.all or verdicts[-1].outcome != "right":
            print(line(verdicts[-1]), flush=True)
    counts = Counter(v.outcome for v in verdicts)
    died = sum(v.exit_code == -3 for v in verdicts)
    right = [v for v in verdicts if v.exit_code == 0]
    print(f"{given.count} heaps: " + ", ".join(f"{n} {name}" for name, n in counts.most_common()))
    if right:
        print(
            f"with exit code 0: largest overlap at the end {100 * max(v.overlap for v in right):.3f} %, "
            f"during the run {100 * max(v.worst for v in right):.3f} %, gain of energy "
            f"{max(v.gain for v in right):.1e}, rise {max(v.rise for v in right):.1e}"
        )
    if given.json:
        given.json.write_text(
            json.dumps([dataclasses.asdict(v) | {"outcome": v.outcome} for v in verdicts], indent=1)
        )
    return 1 if counts["GREEN AND WRONG"] or died else 0


if __name__ == "__main__":
    raise SystemExit(main())
