# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the time of a step grows with the number of bodies: boxes in towers, heaps and walls, balls, figures, soft hands
and cubes; rigid bodies beside MuJoCo.

Both sides get the same bodies at the same places, the same friction and time step, one after the other in this process.
MuJoCo runs with the settings that hold friction (elliptic cones, impratio 10) and its own tolerance. What a step of
ours leaves is told in m/s; MuJoCo relaxes contact and has no such figure, so for it only the deepest contact is told.
Memory is what the process has grown by while a scene was built and run.
"""

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from softcontact.bench import scale_yielding
from softcontact.bench.results import save_figure
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.extras import how_to_install
from softcontact.scene.bodies import KinematicBody, RigidBody
from softcontact.scene.model import Scene
from softcontact.scene.shapes import Box, Sphere

OURS = "SoftContact"
SIDE, MASS, FRICTION = 0.05, 0.125, 0.5  # [m], [kg], [-]
TIME_STEP = 0.002  # [s]
BRICK = (2 * SIDE, SIDE, SIDE)  # [m]
QUICK, FULL = (8, 27), (8, 64, 216, 512, 1000)
YIELDING = {True: (1, 2), False: (1, 2, 4, 8, 16, 32)}  # figures, soft hands and cubes
DURATION = {"quick": 0.3, "full": 0.8}  # [s] of motion: the fall, the impacts, and some rest
TOLERANCE = 1e-8  # [m/s] that a step of ours counts as solved to

Places = list[tuple[tuple[float, ...], tuple[float, ...]]]


def towers(count: int) -> Places:
    """Upright boxes over each other with gaps of 1 cm, towers 2.5 mm from in line: position and quaternion each."""
    random = np.random.default_rng(1)
    side = max(1, round(count ** (1 / 3)))
    places = []
    for i in range(count):
        level, at = divmod(i, side * side)
        x, y = (
            1.3 * SIDE * (k - 0.5 * (side - 1)) + random.uniform(-0.0025, 0.0025) for k in divmod(at, side)
        )
        places.append(((x, y, 0.6 * SIDE + level * (SIDE + 0.01)), (0.0, 0.0, 0.0, 1.0)))
    return places


def heap(count: int) -> Places:
    """Boxes turned any way, in layers of a square a quarter of their number."""
    from scipy.spatial.transform import Rotation

    random = np.random.default_rng(1)
    side = max(1, round((count / 4) ** 0.5))
    turns = Rotation.random(count, random_state=1).as_quat()
    places = []
    for i in range(count):
        level, at = divmod(i, side * side)
        x, y = (2.2 * SIDE * (k - 0.5 * (side - 1)) + random.uniform(-0.005, 0.005) for k in divmod(at, side))
        places.append(((x, y, 1.2 * SIDE + 2.0 * SIDE * level), tuple(turns[i].tolist())))
    return places


def wall(count: int) -> Places:
    """Bricks in courses, each shifted by half a brick, a wall as high as it is wide."""
    wide = max(1, round((0.5 * count) ** 0.5))
    places = []
    for i in range(count):
        level, at = divmod(i, wide)
        x = (BRICK[0] + 5e-4) * (at - 0.5 * (wide - 1) + 0.25 * (-1) ** level)
        places.append(((x, 0.0, 0.5 * BRICK[2] + 2.5e-4 + level * (BRICK[2] + 2.5e-4)), (0.0, 0.0, 0.0, 1.0)))
    return places


class Steps(Protocol):
    """What is timed."""

    def step(self) -> None: ...
    def statistics(self) -> dict[str, Any]: ...


class Layout(NamedTuple):
    """Bodies of one shape, and where they start."""

    named: str
    shape: Box | Sphere
    places: Callable[[int], Places]
    most: int  # bodies that a run within some minutes has


CUBE = Box(size=(SIDE, SIDE, SIDE))
LAYOUTS = {
    "towers": Layout("boxes in towers", CUBE, towers, 1000),
    "heap": Layout("boxes in a heap", CUBE, heap, 512),
    "balls": Layout("balls in a heap", Sphere(radius=0.5 * SIDE), heap, 1000),
    "wall": Layout("bricks in a wall", Box(size=BRICK), wall, 216),
}


NAMED = {name: layout.named for name, layout in LAYOUTS.items()} | {
    name: yielding.named for name, yielding in scale_yielding.LAYOUTS.items()
}


def measure(layout: str, count: int, duration: float) -> dict[str, Any]:
    """Time of our steps, and how well they are solved."""
    shape = LAYOUTS[layout].shape
    bodies = [
        RigidBody(name=f"body{i}", shape=shape, mass=MASS, position=p, orientation=q, friction=FRICTION)
        for i, (p, q) in enumerate(LAYOUTS[layout].places(count))
    ]
    ground = Box(size=(10, 10, 0.2))
    table = KinematicBody(name="table", shape=ground, position=(0, 0, -0.1), friction=FRICTION)
    scene = Scene(name=layout, duration=duration, time_step=TIME_STEP, bodies=[table, *bodies])
    return timed(layout, count, lambda: EmbeddedEngine(scene), scene.step_count)


def timed(layout: str, count: int, build: Callable[[], Steps], steps: int) -> dict[str, Any]:
    """Time and quality of so many steps of what is built."""
    before = _resident()
    engine = build()
    samples, times = [], []
    for _ in range(steps):
        start = time.process_time()
        engine.step()
        times.append(time.process_time() - start)
        samples.append(engine.statistics())
    residual = np.array([sample["residual"] for sample in samples])
    return {
        "tool": OURS,
        "layout": layout,
        "bodies": count,
        **_times(times),
        "contacts": max(sample["contacts"] for sample in samples),
        "solved": float(np.mean(residual <= TOLERANCE)),
        "residual": float(residual.max()),
        "deepest_m": float(samples[-1]["penetration_max"]),
        "memory_mb": None if before is None else (_resident() or 0.0) - before,
    }


def measure_mujoco(layout: str, count: int, duration: float) -> dict[str, Any] | None:
    """The same on MuJoCo; None where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    before = _resident()
    shape = LAYOUTS[layout].shape
    size = (
        str(shape.radius) if isinstance(shape, Sphere) else " ".join(str(0.5 * side) for side in shape.size)
    )
    kind = "sphere" if isinstance(shape, Sphere) else "box"
    boxes = "".join(
        f'<body pos="{p[0]} {p[1]} {p[2]}" quat="{q[3]} {q[0]} {q[1]} {q[2]}"><freejoint/>'
        f'<geom type="{kind}" size="{size}" mass="{MASS}" friction="{FRICTION}"/></body>'
        for p, q in LAYOUTS[layout].places(count)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{TIME_STEP}" cone="elliptic" impratio="10" integrator="implicitfast"/>'
        f'<size memory="256M"/><worldbody><geom type="plane" size="5 5 0.1" friction="{FRICTION}"/>{boxes}'
        "</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    times, contacts = [], 0
    for _ in range(round(duration / TIME_STEP)):
        start = time.process_time()
        mujoco.mj_step(model, data)
        times.append(time.process_time() - start)
        contacts = max(contacts, data.ncon)
    deepest = max((-contact.dist for contact in data.contact), default=0.0)
    return {
        "tool": f"MuJoCo {mujoco.__version__}",
        "layout": layout,
        "bodies": count,
        **_times(times),
        "contacts": int(contacts),
        "solved": None,
        "residual": None,
        "deepest_m": float(max(deepest, 0.0)),
        "memory_mb": None if before is None else (_resident() or 0.0) - before,
    }


def growth(results: list[dict[str, Any]]) -> float:
    """Exponent of the mean time of a step in the number of bodies, by least squares of logarithms."""
    bodies = np.log([r["bodies"] for r in results])
    times = np.log([r["step_ms"]["mean"] for r in results])
    return float(np.polyfit(bodies, times, 1)[0])


def markdown(results: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| bodies | tool | contacts | step, mean | median | longest | solved | residual, worst | deepest at the end "
        "| memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        step = r["step_ms"]
        solved = "" if r["solved"] is None else f"{100 * r['solved']:.1f} %"
        memory = "" if r["memory_mb"] is None else f"{r['memory_mb']:.0f} MB"
        residual = "" if r["residual"] is None else f"{r['residual']:.1e} m/s"
        lines.append(
            f"| {r['bodies']} {NAMED[r['layout']]} | {r['tool']} | {r['contacts']} "
            f"| {step['mean']:.2f} ms | {step['median']:.2f} ms | {step['max']:.1f} ms | {solved} | {residual} "
            f"| {1e6 * r['deepest_m']:.2f} µm | {memory} |"
        )
    return "\n".join(lines)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Measure up to 27 rigid bodies and 2 others with `quick`, else up to 1000 and 32.

    Returns 1 if some step of ours was not solved.
    """
    counts, duration = (QUICK, DURATION["quick"]) if quick else (FULL, DURATION["full"])
    results: list[dict[str, Any]] = []
    for layout, described in LAYOUTS.items():
        for count in [n for n in counts if n <= described.most]:
            results.append(measure(layout, count, duration))
            other = measure_mujoco(layout, count, duration)
            results.extend([other] if other is not None else [])
    for layout, yielding in scale_yielding.LAYOUTS.items():
        for count in [n for n in YIELDING[quick] if n <= yielding.most]:
            results.append(
                timed(layout, count, lambda y=yielding, n=count: y.build(n), yielding.steps(quick))
            )
    if all(r["tool"] == OURS for r in results):
        print(f"MuJoCo is not installed: no peer ({how_to_install('peers', 'mujoco')})")
    info = machine()
    table = markdown(results)
    print(f"{info['processor']}, one thread, {duration:g} s in steps of {1e3 * TIME_STEP:g} ms\n\n{table}\n")
    exponents = {}
    for layout in NAMED:
        for tool in dict.fromkeys(r["tool"] for r in results if r["layout"] == layout):
            own = [r for r in results if r["layout"] == layout and r["tool"] == tool]
            exponents[f"{layout}, {tool}"] = growth(own)
            print(f"{layout}, {tool}: time of a step grows with the bodies to the power of {growth(own):.2f}")
    document = {"benchmark": "scale", "machine": info, "results": results, "growth": exponents}
    write_results("scale", document, json, out, table)
    if out is not None:
        plot(results, out / "scale.png")
    return 0 if all(r["solved"] == 1.0 for r in results if r["solved"] is not None) else 1


def plot(results: list[dict[str, Any]], path: Path) -> None:
    """Mean time of a step over the number of bodies, a panel for each layout."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 7.2), layout="constrained")
    grid = figure.subplots(2, (len(NAMED) + 1) // 2, sharey=True)
    axes = list(grid.flat)
    for axis in axes[len(NAMED) :]:
        axis.remove()
    for axis, (name, named) in zip(axes, NAMED.items(), strict=False):
        for tool in dict.fromkeys(r["tool"] for r in results if r["layout"] == name):
            own = [r for r in results if r["layout"] == name and r["tool"] == tool]
            times = [r["step_ms"]["mean"] for r in own]
            axis.loglog([r["bodies"] for r in own], times, marker="o", label=tool)
        axis.set_title(named)
        axis.set_xlabel("how many")
        axis.grid(alpha=0.3, which="both")
    for axis in grid[:, 0]:
        axis.set_ylabel("time of a step, mean [ms]")
    axes[0].legend()
    save_figure(figure, path)


def _resident() -> float | None:
    """Memory of this process [MB]; None where the system does not tell."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _times(times: list[float]) -> dict[str, Any]:
    steps = 1e3 * np.array(times)
    return {
        "step_ms": {"mean": float(steps.mean()), "median": float(np.median(steps)), "max": float(steps.max())}
    }
