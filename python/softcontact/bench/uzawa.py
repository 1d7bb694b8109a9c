# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 6 to 9 of the HapCo paper: sweeps, time and force of local and global Uzawa on its two benchmarks.

Both schemes go the same 25 steps, each from r = 0 as in the paper, and stop at the same "Uzawa error" |Δr| / ρ with
ρ = min 1/W_ii. The paper's error is read in its own unit, cm. What a scheme's forces are worth is judged against exact
block solves of the same path. Then the condensed problem runs at 1 kHz by the clock.
"""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.bench.uzawa_report import markdown, plots, statements, verdict
from softcontact.flexibility import benchmark
from softcontact.flexibility.benchmark import CENTIMETRE, STEPS_A_PHASE, hand_path, jab_path
from softcontact.flexibility.displacement import DisplacementSolver
from softcontact.flexibility.haptic import PRESCRIBED, Device, HapticSession, force_jump, percentiles
from softcontact.flexibility.simulator import ContactSolver, FlexibilitySimulator, named_solver
from softcontact.solver import ContactProblem, ContactSolution

BENCHMARKS = ("both", "left")
SCHEMES = ("local", "global")
FRICTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
ERRORS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)  # [cm]
QUICK_FRICTIONS = (0.0, 0.3, 0.6)
QUICK_ERRORS = (1e-2, 1e-4, 1e-6)
MOST_SWEEPS = 20000
TICK, PHASE_TIME, QUICK_PHASE_TIME = 1e-3, 0.5, 0.4  # [s]
BUDGET = 0.8e-3  # of a tick [s]


def scheme_solver(scheme: str, error: float) -> ContactSolver:
    """One of SCHEMES, stopped at an Uzawa error [m]; every tolerance of the paper is that error."""
    own = {"eps2": error, "inner_start": "zero"} if scheme == "local" else {"velocity": "fresh"}
    return named_solver(
        f"{scheme}_uzawa", tolerance=error, stop="uzawa_error", max_iterations=MOST_SWEEPS, **own
    )


@cache
def _condensed(name: str) -> tuple[DisplacementSolver, DisplacementSolver]:
    return benchmark.bodies(name)


def fresh(
    name: str, friction: float, solver: ContactSolver | None = None, **options: Any
) -> FlexibilitySimulator:
    """A benchmark at rest; its blocks are condensed once."""
    blocks = _condensed(name)
    for block in blocks:
        block.reset()
    return FlexibilitySimulator(*blocks, friction, solver, **options)


def exact_resultants(name: str, friction: float) -> np.ndarray:
    """Forces on the green block (25, 3) [N] by exact block solves to a residual of 1e-12."""
    simulator = fresh(name, friction)
    return np.array([simulator.step(drive).resultant for drive in benchmark.path()])


def go(name: str, friction: float, scheme: str, error_cm: float, repeats: int) -> dict[str, Any]:
    """The 25 steps with one scheme.

    Returns:
        Sweeps and projections of each step, whether all converged, the shortest processor time of `repeats` runs,
        resultants.
    """
    solver = scheme_solver(scheme, error_cm * CENTIMETRE)
    seconds: list[float] = []

    def timed(problem: ContactProblem, guess: np.ndarray) -> ContactSolution:
        before = time.thread_time()
        solution = solver(problem, guess)
        seconds.append(time.thread_time() - before)
        return solution

    for _ in range(repeats):
        simulator = fresh(name, friction, timed, warm_start=False)
        results = [simulator.step(drive) for drive in benchmark.path()]
    per_step = np.reshape(seconds, (repeats, -1)).min(axis=0)
    sweeps = np.array([result.iterations for result in results])
    return {
        "benchmark": name,
        "friction": friction,
        "scheme": scheme,
        "uzawa_error_cm": error_cm,
        "sweeps": sweeps.tolist(),
        "sweeps_by_phase": sweeps.reshape(-1, STEPS_A_PHASE).sum(axis=1).tolist(),
        "projections": [result.solution.inner_iterations for result in results],
        "converged": bool(all(result.converged for result in results)),
        "time_ms": float(1e3 * per_step.sum()),
        "step_ms_max": float(1e3 * per_step.max()),
        "resultants_n": [result.resultant.tolist() for result in results],
    }


def judged(run: dict[str, Any], exact: np.ndarray) -> dict[str, Any]:
    """A run with how far its force is from the exact one, as a share of the mean force."""
    away = (
        np.linalg.norm(np.array(run["resultants_n"]) - exact, axis=1) / np.linalg.norm(exact, axis=1).mean()
    )
    return run | {
        "force_error": away.tolist(),
        "force_error_rms": float(np.sqrt((away**2).mean())),
        "force_error_max": float(away.max()),
    }


def study(frictions: tuple[float, ...], errors: tuple[float, ...], repeats: int) -> Iterator[dict[str, Any]]:
    """Every benchmark, friction, Uzawa error and scheme."""
    for name in BENCHMARKS:
        for friction in frictions:
            exact = exact_resultants(name, friction)
            for error in errors:
                for scheme in SCHEMES:
                    yield judged(go(name, friction, scheme, error, repeats), exact)


def as_printed(friction: float = 0.3, error_cm: float = 1e-4, sweeps: int = 2000) -> dict[str, bool]:
    """Whether global Uzawa with the stored velocities of the paper's formula solves the first step, by benchmark."""
    found = {}
    for name in BENCHMARKS:
        solver = named_solver(
            "global_uzawa",
            tolerance=error_cm * CENTIMETRE,
            stop="uzawa_error",
            max_iterations=sweeps,
            velocity="stored",
        )
        problem = fresh(name, friction).problem(benchmark.path()[0])
        found[name] = bool(solver(problem, np.zeros(problem.q.size)).converged)
    return found


def haptic(
    name: str, method: str, drive: str, phase_time: float, clock: str = "wall", friction: float = 0.3
) -> dict[str, Any]:
    """The condensed problem at 1 kHz.

    Args:
        name: benchmark.
        method: contact solver of the loop.
        drive: "device", a simulated device with a hand on it; or "jab", 5 mm in 20 ms, prescribed.
        phase_time: of the device's path [s].
        clock: "wall" or "simulated".
        friction: Coulomb's μ.
    Returns:
        Figures of the loop, and how rough the force is against a solve to 1e-12 m of the same positions.
    """
    times, moves = hand_path(phase_time) if drive == "device" else jab_path()
    ticks = round(times[-1] / TICK)
    session = HapticSession(
        fresh(name, friction),
        times,
        moves,
        TICK,
        ticks,
        Device() if drive == "device" else PRESCRIBED,
        method=method,
        tolerance=1e-9 if method == "block_gauss_seidel" else 1e-8,
        budget=BUDGET if clock == "wall" else None,
        clock=clock,
    )
    log = session.run()
    exact = retraced(name, friction, log["position"])
    mean = np.linalg.norm(exact, axis=1).mean()
    away = np.linalg.norm(log["force"] - exact, axis=1) / mean
    found = session.figures() | {
        "benchmark": name,
        "method": method,
        "drive": drive,
        "contacts": int(session.simulator.contacts),
        "touching_max": int(log["touching"].max()),
        "force_error_max": float(away.max()),
        "force_jump_exact": force_jump(exact),
        "force_max_n": float(np.linalg.norm(log["force"], axis=1).max()),
        "late_and_tick_ms": percentiles(1e3 * (log["lateness_s"] + log["tick_s"])),
    }
    session.close()
    return found


def retraced(name: str, friction: float, positions: np.ndarray) -> np.ndarray:
    """Contact forces (k, 3) [N] at recorded positions of the device, solved to 1e-12 m without a budget."""
    session = HapticSession(
        fresh(name, friction),
        TICK * np.arange(1, len(positions) + 1),
        positions,
        TICK,
        len(positions),
        tolerance=1e-12,
        max_sweeps=20000,
    )
    return session.run()["force"]


def measure(quick: bool, say: Any = print) -> dict[str, Any]:
    """All runs of the benchmark, and what they say about the paper's statements."""
    frictions, errors = (QUICK_FRICTIONS, QUICK_ERRORS) if quick else (FRICTIONS, ERRORS)
    total = len(BENCHMARKS) * len(frictions) * len(errors) * len(SCHEMES)
    say(
        f"{total} runs of 25 steps: {len(frictions)} frictions × {len(errors)} Uzawa errors × 2 × 2 …",
        flush=True,
    )
    runs = list(study(frictions, errors, repeats=1 if quick else 3))
    loops = []
    for name in BENCHMARKS:
        for method in ("block_gauss_seidel", "local_uzawa", "global_uzawa"):
            for drive in ("device", "jab"):
                say(f"1 kHz by the clock: {name}, {method}, {drive} …", flush=True)
                loops.append(haptic(name, method, drive, QUICK_PHASE_TIME if quick else PHASE_TIME))
    result = {
        "benchmark": "uzawa",
        "machine": machine(),
        "quick": quick,
        "runs": runs,
        "as_printed_converges": as_printed(),
        "haptic": loops,
    }
    result["statements"] = statements(result)
    result["verdict"] = verdict(result)
    return result


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Measure and print. Returns 1 if a scheme does not converge, or a force at 1 kHz jumps by over 5 %."""
    result = measure(quick)
    text = markdown(result)
    print(f"\n{result['machine']['processor']}, one thread\n\n{text}")
    write_results("uzawa", result, json, out, text)
    if out is not None:
        plots(result, out)
    return 1 if faults(result) else 0


def faults(result: dict[str, Any]) -> list[str]:
    """What should hold on any machine and does not."""
    found = [
        f"{run['scheme']} Uzawa on {run['benchmark']}, μ {run['friction']}, error {run['uzawa_error_cm']:g} cm"
        for run in result["runs"]
        if not run["converged"]
    ]
    found += [
        f"force of {loop['method']} on {loop['benchmark']} jumps"
        for loop in result["haptic"]
        if loop["drive"] == "device" and loop["force_jump"] > 0.05
    ]
    for fault in found:
        print(f"not held: {fault}")
    return found
