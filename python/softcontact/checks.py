# SPDX-License-Identifier: LGPL-2.1-or-later
"""The promises of a scene, judged on the history of its run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softcontact.energy import relative_rise
from softcontact.figures import force_jump
from softcontact.joint_limits import has_rigid_limits
from softcontact.record import History
from softcontact.scene.measures import (
    Check,
    NoEnergyGained,
    NotSelfCrossing,
    OverlapLimit,
    Solved,
    WithinLimits,
)
from softcontact.scene.model import Scene

FloatArray = NDArray[np.float64]

OVERLAPS = ("overlap_points", "overlap_patches")

# What holds for any part of a run.
ALWAYS = (
    "finite",
    "penetration",
    "overlap",
    "not_self_crossing",
    "no_energy_gained",
    "within_limits",
    "solved",
)


def evaluate(scene: Scene, history: History) -> tuple[list[dict[str, Any]], list[str]]:
    """Judge every check of a scene.

    Args:
        scene: the scene with its checks.
        history: the steps that were done.
    Returns:
        One {name, value, limit, unit, passed} a check, and the names of checks whose time was not reached. Whether the
        steps were solved and bodies stayed out of each other and of themselves is judged in any case.
    """
    results, skipped = [], []
    reached = float(history.time[-1]) + 0.5 * scene.time_step if len(history.time) else 0.0
    for check in (*scene.checks, *_unasked(scene)):
        end = getattr(check, "at", None) or getattr(check, "end", None) or scene.duration
        always = check.kind in ALWAYS
        if not len(history.time) or (reached < min(end, scene.step_count * scene.time_step) and not always):
            skipped.append(check.title())
            continue
        value, limit, unit, passed = _judge(check, history, _window(check, history, scene))
        value, limit = (x.item() if isinstance(x, np.generic) else x for x in (value, limit))
        value = value if np.isfinite(value) else None
        results.append(
            {"name": check.title(), "value": value, "limit": limit, "unit": unit, "passed": bool(passed)}
        )
    return results, skipped


def _unasked(scene: Scene) -> list[Check]:
    """What holds for every run: its steps are solved, bodies are not inside each other, no energy comes from nothing.

    Nothing of it where the scene itself has such a check over its whole time.
    """
    whole = scene.duration * (1 - 1e-9)
    judged = {
        c.kind for c in scene.checks if getattr(c, "start", None) == 0.0 and (c.end is None or c.end >= whole)
    }
    unasked: list[Check] = [OverlapLimit(), Solved()]
    if any(body.kind == "tetrahedral" for body in scene.bodies):
        unasked.insert(1, NotSelfCrossing())
    if any(b.kind == "articulated" and any(map(has_rigid_limits, b.links)) for b in scene.bodies):
        unasked.append(WithinLimits())
    if not scene.is_driven:
        unasked.append(NoEnergyGained())
    return [check for check in unasked if check.kind not in judged]


def _window(check: Check, history: History, scene: Scene) -> slice:
    """Rows that a check looks at: those that end after its start and not after its end."""
    start = getattr(check, "start", 0.0)
    end = getattr(check, "at", None) or getattr(check, "end", None) or scene.duration
    tolerance = 0.5 * scene.time_step
    last = int(np.searchsorted(history.time, end + tolerance))
    first = int(np.searchsorted(history.time, start + tolerance))
    return slice(min(first, max(last - 1, 0)), max(last, 1))


def _judge(check: Check, history: History, rows: slice) -> tuple[float, float, str, bool]:
    match check.kind:
        case "lifted":
            rise = float(history.height(check.body)[rows][-1])
            return rise, check.height, "m", rise >= check.height
        case "held":
            height = _with_start(history.height(check.body)[:, None], np.zeros(1), rows)[:, 0]
            drop = float(height[0] - height.min())
            touched = _touched(history, check.body, check.by, rows.stop - 1)
            return drop, check.drop, "m", drop <= check.drop and touched
        case "drift":
            points = _with_start(history.poses[check.body][:, :3], history.start[check.body][:3], rows)
            return _at_most(_farthest(points), check.limit, "m")
        case "slip":
            return _at_most(_farthest(_relative(history, check.body, check.other, rows)), check.limit, "m")
        case "turned" | "not_turned" | "level":
            return _turning(check, history, rows)
        case "penetration":
            return _at_most(float(history.series["penetration_max"][rows].max()), check.limit, "m")
        case "overlap":
            return _overlap(check, history, rows)
        case "not_self_crossing":
            return _at_most(
                float(np.nan_to_num(history.series["self_crossings"][rows]).max()), float(check.most), "1"
            )
        case "within_limits":
            return _at_most(float(history.series["beyond_limits"][rows].max()), check.limit, "rad or m")
        case "no_energy_gained":
            moving, total = history.energies()
            rise = relative_rise(total, moving, rows, history.weight_times_size, history.swing(rows))
            return _at_most(rise, check.limit, "1")
        case "finite":
            return _at_most(float(_not_finite(history)), 0.0, "1")
        case "solved":
            share = float(history.series["accepted"][rows].mean())
            return share, check.share, "1", share >= check.share
        case "contact_count":
            counts = history.series["contacts"][rows]
            if check.maximum is not None and counts.max() > check.maximum:
                return float(counts.max()), float(check.maximum), "1", False
            return float(counts.min()), float(check.minimum), "1", bool(counts.min() >= check.minimum)
        case "solve_time":
            time = 1e-3 * float(np.quantile(history.series["solve_ms"][rows], check.share))
            return _at_most(time, check.limit, "s")
        case "force_jump":
            return _at_most(force_jump(history.contact_force(check.body)[rows]), check.limit, "1")
        case "friction_cone":
            force = history.contact_force(check.body)[rows]
            normal = force @ history.up
            excess = np.linalg.norm(force - normal[:, None] * history.up, axis=1) - check.friction * normal
            size = float(np.linalg.norm(force, axis=1).max())
            return _at_most(float(excess.max()) / size if size > 0 else 0.0, check.excess, "1")
        case "probe_limit":
            return _probe(check, history.probes[check.probe][rows], history.probe_units[check.probe])


def _overlap(check: OverlapLimit, history: History, rows: slice) -> tuple[float, float, str, bool]:
    """The overlap that is largest against its limit; an engine that does not measure it has NaN, which is none."""
    points, patches = (float(np.nan_to_num(history.series[name][rows]).max()) for name in OVERLAPS)
    if points / check.limit >= patches / check.patches:
        return _at_most(points, check.limit, "1")
    return _at_most(patches, check.patches, "1")


def _at_most(value: float, limit: float, unit: str) -> tuple[float, float, str, bool]:
    return value, limit, unit, value <= limit


def _not_finite(history: History) -> int:
    """How many recorded numbers are not finite; a slip gauge or overlap that the engine does not tell, NaN, is none."""
    loads = [data for series in history.devices.values() for data in series.values()]
    told = [data for name, data in history.series.items() if name not in OVERLAPS or not np.isnan(data).all()]
    arrays = [*told, *history.poses.values(), *history.probes.values(), *loads]
    count = sum(np.count_nonzero(~np.isfinite(array)) for array in arrays)
    for part in history.parts.values():
        for name, data in part.items():
            bad = np.isinf(data) if name == "slip_gauge" else ~np.isfinite(data)
            count += np.count_nonzero(bad)
    return int(count)


def _with_start(values: FloatArray, start: FloatArray, rows: slice) -> FloatArray:
    """Values over a window and, first, the one just before it."""
    before = values[rows.start - 1] if rows.start > 0 else start
    return np.vstack([before[None, :], values[rows]])


def _farthest(points: FloatArray) -> float:
    return float(np.linalg.norm(points - points[0], axis=1).max())


def _relative(history: History, body: str, other: str, rows: slice) -> FloatArray:
    points = _with_start(history.poses[body], history.start[body], rows)[:, :3]
    frames = _with_start(history.poses[other], history.start[other], rows)
    if not np.isfinite(frames).all():
        return np.full_like(points, np.nan)
    return Rotation.from_quat(frames[:, 3:]).inv().apply(points - frames[:, :3])


def _turning(check: Any, history: History, rows: slice) -> tuple[float, float, str, bool]:
    """Checks of an orientation; one that is not finite fails."""
    names = [check.body] if getattr(check, "other", None) is None else [check.body, check.other]
    quaternions = [_with_start(history.poses[n], history.start[n], rows)[:, 3:] for n in names]
    if not np.isfinite(quaternions).all():
        return np.nan, check.minimum if check.kind == "turned" else check.limit, "rad", False
    turns = Rotation.from_quat(quaternions[0])
    match check.kind:
        case "turned":
            axis = np.array(check.axis) / np.linalg.norm(check.axis)
            angle = float((turns[1:] * turns[:-1].inv()).as_rotvec().sum(axis=0) @ axis)
            too_far = check.maximum is not None and angle > check.maximum
            inside = angle >= check.minimum and not too_far
            return angle, check.maximum if too_far else check.minimum, "rad", inside
        case "not_turned":
            if len(names) == 2:
                turns = Rotation.from_quat(quaternions[1]).inv() * turns
            return _at_most(float((turns * turns[0].inv()).magnitude().max()), check.limit, "rad")
        case _:
            rise = turns.apply(check.direction) @ history.up / np.linalg.norm(check.direction)
            return _at_most(float(np.abs(np.arcsin(np.clip(rise, -1.0, 1.0))).max()), check.limit, "rad")


def _touched(history: History, body: str, by: str | None, row: int) -> bool:
    owner = history.owner
    for (first, second), series in history.patches.items():
        owners = {owner[first], owner[second]}
        if body in owners and (by is None or by in owners) and series["normal_force"][row] > 0:
            return True
    return False


def _probe(check: Any, values: FloatArray, unit: str) -> tuple[float, float, str, bool]:
    reduce = {
        "final": lambda v: v[-1],
        "min": np.min,
        "max": np.max,
        "mean": np.mean,
        "largest": lambda v: np.abs(v).max(),
    }[check.reduce]
    value = float(reduce(values))
    low = check.minimum is None or value >= check.minimum
    high = check.maximum is None or value <= check.maximum
    limit = check.minimum if check.maximum is None or not low else check.maximum
    return value, limit, unit, low and high
