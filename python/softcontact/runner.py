# SPDX-License-Identifier: LGPL-2.1-or-later
"""Running a scene: the loop, its results, and the folder that they go to."""

import hashlib
import math
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact import outputs
from softcontact.checks import evaluate
from softcontact.engines import Engine, make_engine
from softcontact.figures import spread
from softcontact.problems import ProblemWriter, check_problems, keep_problems
from softcontact.progress import run_progress
from softcontact.record import History, Recorder
from softcontact.scene.errors import SceneError
from softcontact.scene.library import load
from softcontact.scene.model import Scene
from softcontact.scene.resolve import resolve, with_recordings

DONE, CHECK_FAILED, WRONG_INPUT, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130
MOST_STEPS = 2_000_000  # a run remembers each of them, about a kilobyte apiece


@dataclass(frozen=True)
class RunResult:
    """What a run gave.

    Attributes:
        scene: the scene as it was run, with files read in.
        summary: figures, checks and last patches: the object of `--json` and summary.json.
        checks: one {name, value, limit, unit, passed} for each check whose time was reached.
        history: time series of every step.
        recording: frames of the replay, or None.
        out: output folder, or None.
        exit_code: 0 done and checks passed, 1 a check failed, 2 a contact problem could not be written, 3 stopped,
            130 interrupted.
        message: why the run ended early; empty otherwise.
        timings: seconds spent outside the steps, by what.
        patches: contact patches of the last step, with the keys of World.patches(): body, other, number (of the patch
            within the pair), force (3,) [N] on `body`, torque (3,) [N m] about centre (3,) [m], normal (3,),
            normal_force [N], area [m²], volume [m³], pressure_mean, pressure_max [Pa], state ("stick" or "slip"),
            slip_gauge (0 without friction load, 1 where it slips), contacts, points, point_forces, point_areas.
    """

    scene: Scene
    summary: dict[str, Any]
    checks: list[dict[str, Any]]
    history: History
    recording: Any
    out: Path | None
    exit_code: int
    message: str
    timings: dict[str, float] = field(default_factory=dict)
    patches: list[dict[str, Any]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether the run came to its end and every check held."""
        return self.exit_code == DONE

    def contact_force(self, body: str, by: str | None = None) -> NDArray[np.float64]:
        """Contact force on a body at each step (n, 3) [N]; see History.contact_force."""
        return self.history.contact_force(body, by)


def run(
    scene: Scene | str | Path,
    engine: str = "embedded",
    out: str | Path | None = None,
    *,
    steps: int | None = None,
    progress: bool = True,
    record: bool = True,
    replay: bool = True,
    dump_problems: int | None = None,
) -> RunResult:
    """Run a scene to its end and write what happened.

    Args:
        scene: a Scene, the name of one, or a scene file.
        engine: "embedded" or "sofa".
        out: output folder; None means out/<scene>-<n> with the first free n.
        steps: number of steps instead of the scene's duration; checks of later times are left out.
        progress: whether to show progress, when the error stream is a terminal.
        record: whether to write the output folder; False keeps everything in memory.
        replay: whether to write replay.html (and keep frames for it).
        dump_problems: write the contact problems of steps n, 2n, … of this n that have contacts as FCLIB files into
            the output folder, problems/step-000120.hdf5 for instance; None writes none.
    Returns:
        The result; an early end is told by `exit_code` and `message`, not by an exception.
    Raises:
        SceneError: wrong scene, engine or number of steps, an output folder that cannot be written, or contact
            problems asked for that FCLIB's format cannot hold.
    """
    scene = scene if isinstance(scene, Scene) else load(scene)
    if steps is not None and not (isinstance(steps, int | np.integer) and steps >= 1):
        raise SceneError(f"steps: {steps!r} is not a whole number ≥ 1; give how many steps to do")
    if steps is not None:
        scene = scene.model_copy(update={"steps": int(steps)})
    if dump_problems is not None:
        check_problems(scene, dump_problems, record)
    count = scene.steps or scene.step_count
    if count > MOST_STEPS:
        raise SceneError(
            f"duration: {scene.duration:g} s are {count:.4g} steps of {scene.time_step:g} s, more than {MOST_STEPS}; "
            "shorten it, or give a larger time_step"
        )
    scene = resolve(scene)
    started = time.perf_counter()
    world = make_engine(scene, engine)
    build_s = time.perf_counter() - started
    if dump_problems is not None:
        keep_problems(world)
    recorder = Recorder(scene, world, count, frames=replay)
    with outputs.opened(out, scene.name) if record else nullcontext() as folder:
        return _run_in(
            folder, scene, engine, world, recorder, count, progress, replay, dump_problems, build_s
        )


def _run_in(
    folder: Path | None,
    scene: Scene,
    engine: str,
    world: Engine,
    recorder: Recorder,
    count: int,
    progress: bool,
    replay: bool,
    dump_problems: int | None,
    build_s: float,
) -> RunResult:
    """Take the steps, and write what happened into the folder."""
    if folder is not None:
        outputs.guarded(folder, outputs.write_json, folder / "scene.json", scene.to_dict())
    writer = None
    if dump_problems is not None and folder is not None:
        writer = ProblemWriter(scene, engine, folder / outputs.PROBLEMS, dump_problems)

    exit_code, message, wall_s = _loop(world, recorder, count, progress, writer)
    if hasattr(world, "close"):
        world.close()
    tracking = getattr(world, "tracking", None)
    live = tracking.recorded() if tracking is not None else {}
    if live:
        # Ctrl-C may come between a step and its recording.
        done = round(world.time / scene.time_step) if exit_code == INTERRUPTED else None
        scene = with_recordings(scene, live, done)
        if folder is not None:
            outputs.guarded(folder, outputs.write_json, folder / "scene.json", scene.to_dict())
            for name, track in live.items():
                outputs.guarded(folder, track.save, folder / f"track-{name}.h5")
    history = recorder.finish()
    checks, skipped = evaluate(scene, history)
    if exit_code == DONE and not all(check["passed"] for check in checks):
        exit_code = CHECK_FAILED
    summary = _summary(scene, engine, world, recorder, history, checks, wall_s)
    summary |= {
        "checks_not_reached": skipped,
        "exit_code": exit_code,
        "message": message,
        "build_time_s": build_s,
    }
    if live:
        summary["tracking"] = tracking.report()
    if writer is not None:
        summary["problems"] = {"every": int(writer.every), "written": writer.written}
    haptics = world.haptics() if hasattr(world, "haptics") else None
    if haptics is not None:
        summary["haptics"] = finite(haptics)
    if tracking is not None:
        tracking.close()
    recording = recorder.frames.recording(scene.name, summary) if recorder.frames is not None else None
    result = RunResult(
        scene, summary, checks, history, recording, folder, exit_code, message, patches=recorder.last_patches
    )
    return result if folder is None else _keep(result, replay)


def _loop(
    world: Engine, recorder: Recorder, count: int, progress: bool, writer: ProblemWriter | None
) -> tuple[int, str, float]:
    """Step and record until the end, a failure or an interruption."""
    started = time.perf_counter()
    code, message = DONE, ""
    tracking = getattr(world, "tracking", None)
    with run_progress(count, recorder.scene.time_step, shown=progress) as tick:
        try:
            for done in range(1, count + 1):
                if tracking is not None:
                    tracking.prepare()
                before = time.perf_counter()
                try:
                    world.step()
                except (RuntimeError, ArithmeticError) as error:
                    code, message = STOPPED, _why({"message": str(error)}, world.time)
                    break
                recorder.add(1e3 * (time.perf_counter() - before))
                status = world.status()
                if not status["ok"]:
                    code, message = STOPPED, _why(status, world.time)
                    break
                if writer is not None:
                    writer.step_done(done, world)
                tick(done)
        except outputs.OutputError as error:
            code, message = WRONG_INPUT, f"stopped at {world.time:.6g} s: {error}"
        except KeyboardInterrupt:
            code, message = INTERRUPTED, f"interrupted at {world.time:.6g} s; what was done so far is kept"
    return code, message, time.perf_counter() - started


def _why(status: dict[str, Any], at: float) -> str:
    reason = str(status.get("message") or "the state cannot be used")
    material = "a stiffer material (or stiffening)" if "inverted" in reason else "a softer material"
    return f"stopped at {at:.6g} s: {reason}; try a smaller time_step, slower motion or {material}"


def _summary(
    scene: Scene,
    engine: str,
    world: Engine,
    recorder: Recorder,
    history: History,
    checks: list[dict[str, Any]],
    wall_s: float,
) -> dict[str, Any]:
    series, steps = history.series, len(history.time)
    simulated = float(history.time[-1]) if steps else 0.0
    return finite(
        {
            "scene": scene.name,
            "engine": engine,
            "options": scene.options,
            "notes": list(scene.notes),
            "steps": steps,
            "simulated_time_s": simulated,
            "wall_time_s": wall_s,
            "real_time_factor": simulated / wall_s if wall_s > 0 else 0.0,
            "contacts": _mean_max(series["contacts"]),
            "rows": _mean_max(series["rows"]),
            "step_ms": spread(series["step_ms"], {"p50": 50, "p95": 95, "p99": 99}),
            "solve_ms": spread(series["solve_ms"], {"p50": 50, "p95": 95, "p99": 99}),
            "converged_fraction": float(series["converged"].mean()) if steps else 1.0,
            "accepted_fraction": float(series["accepted"].mean()) if steps else 1.0,
            "residual_max": float(series["residual"].max(initial=0.0)),
            "residual_unit": history.residual_unit,
            "penetration_max_m": float(series["penetration_max"].max(initial=0.0)),
            "checks": checks,
            "patches": [_patch(patch) for patch in recorder.last_patches],
            "state_hash": state_hash(world),
        }
    )


def state_hash(world: Engine) -> str:
    """SHA-256 of all positions and velocities, as little-endian doubles in the engine's order."""
    return hashlib.sha256(np.ascontiguousarray(world.state(), dtype="<f8").tobytes()).hexdigest()


def finite(value: Any) -> Any:
    """Plain data with NaN and infinity as None, for JSON has neither."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _mean_max(values: NDArray[np.float64]) -> dict[str, float]:
    if not len(values):
        return {"mean": 0.0, "max": 0}
    return {"mean": float(values.mean()), "max": int(values.max())}


def _patch(patch: dict[str, Any]) -> dict[str, Any]:
    return {
        "body": patch["body"],
        "other": patch["other"],
        "force_n": [float(x) for x in patch["force"]],
        "torque_nm": [float(x) for x in patch["torque"]],
        "centre_m": [float(x) for x in patch["centre"]],
        "area_m2": float(patch["area"]),
        "pressure_mean_pa": float(patch["pressure_mean"]),
        "pressure_max_pa": float(patch["pressure_max"]),
        "number": int(patch.get("number", 0)),
        "normal_force_n": float(patch["normal_force"]),
        "contacts": int(patch["contacts"]),
        "state": patch["state"],
        "slip_gauge": float(patch.get("slip_gauge", math.nan)),
    }


def _keep(result: RunResult, replay: bool) -> RunResult:
    """Write the results, summary.json last: where it lies, it tells how everything ended.

    Returns:
        The result; interrupted, where the writing was.
    Raises:
        OutputError: the folder cannot take them; its `result` is the run's.
    """
    folder = result.out
    assert folder is not None
    try:
        _write(result, replay)
    except KeyboardInterrupt:
        text = "interrupted while the results were written; files in the folder are missing or cut short"
        result = _ended(result, INTERRUPTED, text)
    except outputs.OutputError as error:
        error.result = result = _ended(result, WRONG_INPUT, str(error))
        with suppress(outputs.OutputError):
            outputs.guarded(folder, outputs.write_json, folder / "summary.json", result.summary)
        raise
    try:
        outputs.guarded(folder, outputs.write_json, folder / "summary.json", result.summary)
    except outputs.OutputError as error:
        error.result = _ended(result, WRONG_INPUT, str(error))
        raise
    return result


def _ended(result: RunResult, exit_code: int, text: str) -> RunResult:
    """The result with another end; what was told before stays told."""
    message = f"{result.message}; {text}" if result.message else text
    summary = result.summary | {"exit_code": exit_code, "message": message}
    return replace(result, exit_code=exit_code, message=message, summary=summary)


def _write(result: RunResult, replay: bool) -> None:
    """Write everything but the summary; the most wanted first, in case the disk fills up."""
    from softcontact.report.report import write_report

    folder = result.out
    assert folder is not None
    outputs.guarded(folder, result.history.save, folder / "history.h5")
    outputs.guarded(folder, write_report, result.history, result.summary, result.scene, folder)
    if replay and result.recording is not None:
        from softcontact.report.replay import write_replay

        outputs.guarded(folder, write_replay, result.recording, folder / "replay.html")
