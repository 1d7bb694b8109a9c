# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ten seconds of an avatar at steps of 1 ms, on points and on one patch a foot; and how the cost grows.

The avatar stands, is led by a hand with 20 N for two seconds, and comes back: half of the paper's experiment, whose
object on a table adds no contact point to the feet that the paper counts.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcontact import _core
from softcontact.avatar import (
    WORLD_OPTIONS,
    AvatarController,
    Balance,
    CompliantChain,
    StandingAvatar,
    human,
    robot,
)
from softcontact.bench.avatar_pushes import DIRECTIONS, LIMITS, PLACES, PUSHED, push
from softcontact.bench.avatar_pushes import FORCE as FORCE_OF_PUSH
from softcontact.bench.results import load
from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.bodies import ArticulatedModel
from softcontact.mesh import primitives

TIME_STEP = 1e-3
AVATARS = {"robot": robot, "human": human}
CONTACTS = ("point", "aggregate")
STAGES = ("free_ms", "detection_ms", "solve_ms", "position_ms")
# Keith et al. (2008), Sec. 4: seconds for 10 s of simulation, contact points; 1.66 GHz notebook.
PAPER = {"robot": {"seconds": 92.0, "points": 32}, "human": {"seconds": 300.0, "points": 100}}
SECONDS, QUICK_SECONDS = 10.0, 1.0
LED_FROM, LED_TO, FORCE = 0.2, 0.4, np.array([20.0, 0.0, 0.0])  # shares of the run; [N]
LINKS, POINTS = (8, 16, 32, 64, 128), (4, 8, 16, 32, 64, 128)


def measure(name: str, contact: str, seconds: float) -> dict[str, Any]:
    """Times of a run by stage, the motion of the pelvis, and what the feet bear."""
    world = _core.World(TIME_STEP, (0.0, 0.0, -9.81), {**WORLD_OPTIONS, "contact": contact})
    ground = primitives.table((4.0, 4.0), 0.1)
    pose = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    world.add_kinematic_body("ground", ground.vertices, ground.triangles, *pose, 0.8)
    body = StandingAvatar(world, AVATARS[name](), patches=("foot",) if contact == "aggregate" else ())
    chain = CompliantChain(body.avatar, body.posture, damping=30.0, stiffness=60.0)
    control = AvatarController(body, chain=chain, balance=Balance(body.avatar, body.posture))
    load = [(body.avatar.hands[0], np.zeros(3), FORCE, np.zeros(3))]
    samples, pelvis, period = [], [], control.period
    started, worked = time.perf_counter(), time.process_time()
    for index in range(round(seconds / period)):
        led = LED_FROM <= index * period / seconds < LED_TO
        control.run(period, load if led else ())
        samples.append(world.statistics())
        pelvis.append(body.configuration[:3])
    wall, processor = time.perf_counter() - started, time.process_time() - worked
    weight = body.avatar.mass * 9.81
    step = np.array([sample["step_ms"] for sample in samples])
    return {
        "avatar": name,
        "contact": contact,
        "seconds": seconds,
        "contacts": samples[-1]["contacts"],
        "rows": samples[-1]["rows"],
        "wall_s": wall,
        "processor_s": processor,
        "step_ms": {
            "p10": float(np.percentile(step, 10)),
            "median": float(np.median(step)),
            "p99": float(np.percentile(step, 99)),
        },
        "stages_ms": {
            stage.removesuffix("_ms"): float(np.median([sample[stage] for sample in samples]))
            for stage in STAGES
        },
        "real_time_factor": 1e3 * TIME_STEP / float(np.median(step)),
        "wall_real_time_factor": seconds / wall,
        "processor_real_time_factor": seconds / processor,
        "paper_real_time_factor": 10.0 / PAPER[name]["seconds"],
        "weight_error": float(body.foot_forces()[:, 2].sum() / weight - 1.0),
        "pelvis_m": np.array(pelvis).tolist(),
    }


def scaling(repetitions: int) -> dict[str, Any]:
    """Time [µs] of Λ⁻¹ for m points on a chain of n links, all points on links all along it; least squares fit
    t = a + b n k + c m²,
    k = min(n, m) the links touched: within O(n m + m²)."""
    rng = np.random.default_rng(4)
    rows = []
    for links in LINKS:
        inertia = 0.01 * np.eye(3)
        segment = {
            "joint": "revolute",
            "axis": (0, 1, 0),
            "mass": 1.0,
            "inertia": inertia,
            "next": (0, 0, -0.2),
        }
        model = ArticulatedModel.chain([dict(segment) for _ in range(links)])
        q = model.integrate(model.neutral(), rng.normal(size=model.nv))
        for points in POINTS:
            carriers = [int(link) for link in np.linspace(0, links - 1, points)]
            places = 0.1 * rng.normal(size=(points, 3))
            rows.append((links, points, 1e6 * _one_pass(model, q, carriers, places, repetitions)))
    table = np.array(rows)
    n, m, measured = table.T
    terms = np.column_stack([np.ones_like(n), n * np.minimum(n, m), m**2])
    weights = 1.0 / measured
    fit = np.linalg.lstsq(terms * weights[:, None], measured * weights, rcond=None)[0]
    error = np.abs(terms @ fit / measured - 1.0)
    return {
        "links_points_us": [list(map(float, row)) for row in rows],
        "fit_us": {"constant": fit[0], "per_link_and_touched_link": fit[1], "per_point_squared": fit[2]},
        "fit_error": {"median": float(np.median(error)), "max": float(error.max())},
    }


def _one_pass(
    model: ArticulatedModel, q: np.ndarray, links: list[int], points: np.ndarray, repetitions: int
) -> float:
    """Processor seconds of one Λ⁻¹, kinematics and factorisation included: the least of five rounds."""
    arguments = (model._model, model._data, q, np.zeros(model.nv), links, points, repetitions)
    times = []
    for _ in range(5):
        started = time.thread_time()
        _core.articulated.contact_inertia(*arguments)
        times.append((time.thread_time() - started) / repetitions)
    return min(times)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Print the tables; the code is 0."""
    seconds = QUICK_SECONDS if quick else SECONDS
    runs = [measure(name, contact, seconds) for name in AVATARS for contact in CONTACTS]
    info = machine()
    burden = load()
    told = "unknown" if burden is None else f"{burden:.1f}"
    print(f"{seconds:g} s at h = 1 ms, {info['processor']}, one thread; load {told}")
    print(
        "factor: simulated time by the time of the steps, median; quiet: by that of the tenth least disturbed by other "
        "processes; all: by processor time, control in Python too"
    )
    print(
        f"{'avatar':7}{'contact':>11}{'points':>8}{'rows':>6}{'step ms':>9}{'free':>7}{'detect':>8}{'solve':>7}"
        f"{'correct':>9}{'factor':>8}{'quiet':>7}{'all':>7}{'paper':>8}{'ratio':>7}"
    )
    for run in runs:
        stages = run["stages_ms"]
        ours, theirs = run["real_time_factor"], run["paper_real_time_factor"]
        quiet = 1e3 * TIME_STEP / run["step_ms"]["p10"]
        print(
            f"{run['avatar']:7}{run['contact']:>11}{run['contacts']:8d}{run['rows']:6d}"
            f"{run['step_ms']['median']:9.3f}{stages['free']:7.3f}{stages['detection']:8.3f}"
            f"{stages['solve']:7.3f}{stages['position']:9.3f}{ours:8.2f}{quiet:7.2f}{run['processor_real_time_factor']:7.2f}"
            f"{theirs:8.3f}{ours / theirs:7.0f}"
        )
    for name in AVATARS:
        points, patches = (np.array(run["pelvis_m"]) for run in runs if run["avatar"] == name)
        apart = 1e3 * np.linalg.norm(points - patches, axis=1).max()
        step = {run["contact"]: run["step_ms"]["median"] for run in runs if run["avatar"] == name}
        print(
            f"{name}: steps on patches {step['point'] / step['aggregate']:.1f} times as fast as on points, pelvis at "
            f"most {apart:.2f} mm apart"
        )
    cost = scaling(20 if quick else 200)
    fit = cost["fit_us"]
    print(
        f"Λ⁻¹ of m points on k of n links [µs]: {fit['constant']:.2f} + {fit['per_link_and_touched_link']:.4f} n k + "
        f"{fit['per_point_squared']:.4f} m², within {100 * cost['fit_error']['median']:.0f} % (median)"
    )
    document = {
        "benchmark": "avatar",
        "machine": info,
        "load": burden,
        "paper": PAPER,
        "runs": runs,
        "scaling": cost,
        "pushes": pushed(("ahead",) if quick else tuple(DIRECTIONS)),
    }
    write_results("avatar", document, json, out)
    if out is not None:
        from softcontact.bench.avatar_plots import draw

        draw(document, out / "avatar.png")
    return 0


def pushed(directions: Sequence[str]) -> list[dict[str, Any]]:
    """Push both avatars everywhere, in these directions, and print a line for each place."""
    rows = [push(name, place, to) for name in AVATARS for place in PLACES[name] for to in directions]
    print(
        f"pushed with {FORCE_OF_PUSH:g} N for {PUSHED:g} s, on patches; largest over {len(directions)} directions"
    )
    print(
        f"{'avatar':7}{'place':>8}{'chain rad':>11}{'elsewhere':>11}{'back to rad':>13}{'back to mm':>12}{'feet mm':>9}"
    )
    for name in AVATARS:
        for place in PLACES[name]:
            own = [row for row in rows if (row["avatar"], row["place"]) == (name, place)]
            most = {key: max(row[key] for row in own) for key in ("chain_rad", *LIMITS)}
            print(
                f"{name:7}{place:>8}{most['chain_rad']:11.4f}{most['elsewhere_rad']:11.4f}{most['returned_rad']:13.4f}"
                f"{1e3 * most['returned_m']:12.2f}{1e3 * most['slid_m']:9.2f}"
                f"{'' if all(row['passed'] for row in own) else '  beyond the limits'}"
            )
    return rows
