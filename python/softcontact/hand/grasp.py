# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where to put the hand to grasp an object that lies on a table, and how to close it.

The plan is kinematic: rigid fingers close joint by joint on the object, as the closing controller does with
forces; the table, the palm, the other fingers and the balance of the contacts judge each pose. A pattern
search around a good first pose keeps the best. Simulation with soft fingers decides what the grasp then
holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .anatomy import FINGERS, LINKS, joint_limits
from .closing import RigidClosing, balanced_squeeze
from .description import HandModel
from .grasp_object import GraspObject
from .kinematics import matrix_from_rotation_vector, rotation_vector_from_matrix
from .motion import HandMotion, closing_fingers, keyframe, posture

__all__ = ["GraspObject", "GraspPlan", "plan_grasp"]

FloatArray = NDArray[np.float64]

_LEAST_SHARE = 0.3
# The palm is rigid: it must not press before the fingers do, but a squeeze may push the object to it.
_TOUCH, _PALM_GAP, _PALM_TOUCH = 0.0008, 0.002, 0.0035
# How much sooner than planned each joint arrives: wrapping begins at the base.
_LEAD = {"power": (1.5, 1.2, 0.9), "precision": (1.0, 1.0, 1.0)}
_FINGER_GAP = 0.002
_LEAST_TRAVEL = (0.15, 0.12, 0.08)
# How the fingers' abductions follow one spread, thumb left out.
_SPREAD = np.array([0.6, 0.15, -0.35, -0.9])


@dataclass(frozen=True)
class GraspPlan:
    """A grasp: palm pose, open and closed angles, and how well it is expected to hold.

    Attributes:
        kind: "power" or "precision".
        fingers: those that close: of the asked-for ones, those that reach the object.
        palm_position: [m], shape (3,).
        palm_rotation_vector: [rad], shape (3,).
        preshape: the 20 angles before closing [rad].
        closed: the 20 angles at which rigid fingers touch [rad].
        contacts: names of the links that touch.
        shares: how hard each of `fingers` presses in a balanced squeeze, over the mean of all but the thumb [-].
        imbalance: residual of the best balanced squeeze, 0 when the contacts can hold by themselves [-].
        table_clearance: least height of the fingers above the table while closing [m].
        score: what the search maximised [-].
    """

    kind: str
    fingers: tuple[str, ...]
    palm_position: FloatArray
    palm_rotation_vector: FloatArray
    preshape: FloatArray
    closed: FloatArray
    contacts: tuple[str, ...]
    shares: tuple[float, ...]
    imbalance: float
    table_clearance: float
    score: float = field(compare=False)

    def closing(self, duration: float = 1.0) -> list[dict[str, Any]]:
        """Fingers for World.add_grasp: each joint at the rate that takes it from `preshape` to `closed` in
        `duration` [s], so that all fingers arrive together; in a power grasp base joints come first. A joint
        that the plan hardly moves still presses.
        """
        if not (np.isfinite(duration) and duration > 0.0):
            raise ValueError(f"duration: {duration} s is not positive")
        fingers = closing_fingers(self.fingers, 1.0, self.shares)
        travel = (self.closed - self.preshape).reshape(5, 4)[:, 1:]
        for finger in fingers:
            way = travel[FINGERS.index(finger["name"])]
            finger["rates"] = [
                float(_LEAD[self.kind][k] * max(way[k], least)) / duration
                for k, least in enumerate(_LEAST_TRAVEL)
            ]
        return fingers

    def mirrored(self) -> GraspPlan:
        """The same grasp of the mirror image in the plane y = 0 by the other hand."""
        flip = np.array([1.0, -1.0, 1.0])
        return replace(
            self,
            palm_position=flip * self.palm_position,
            palm_rotation_vector=-flip * self.palm_rotation_vector,
        )

    def motion(
        self,
        *,
        start: float = 0.0,
        approach_height: float = 0.08,
        approach_time: float = 0.5,
        closing_time: float = 1.0,
        lift_height: float = 0.10,
        lift_time: float = 0.8,
        hold_time: float = 0.5,
    ) -> HandMotion:
        """Come open onto the object, palm ahead, wait while the fingers close, lift, hold. Lengths [m], times
        [s].
        """
        up = np.array([0.0, 0.0, 1.0])
        back = matrix_from_rotation_vector(self.palm_rotation_vector)[:, 2]
        places = [
            self.palm_position + approach_height * back,
            self.palm_position,
            self.palm_position,
            self.palm_position + lift_height * up,
            self.palm_position + lift_height * up,
        ]
        times = start + np.cumsum([0.0, approach_time, closing_time, lift_time, hold_time])
        rows = [keyframe(self.preshape, place, self.palm_rotation_vector) for place in places]
        return HandMotion(times, np.array(rows))


def _pose_from(search: FloatArray, kind: str, centre: FloatArray, mirror: float) -> tuple[FloatArray, ...]:
    """Palm position, palm rotation and preshape of one search point (see _FIRST_POSE)."""
    turn = matrix_from_rotation_vector([0.0, 0.0, mirror * search[5]])
    pitch = matrix_from_rotation_vector([0.0, search[3], 0.0])
    rotation = turn @ pitch @ matrix_from_rotation_vector([mirror * search[4], 0.0, 0.0])
    preshape = posture(kind)
    preshape[:2] = search[6:8]
    preshape[5::4] += search[8]
    preshape[4::4] = search[9] * _SPREAD
    lower, upper = joint_limits()
    return centre - rotation @ (search[:3] * [1.0, mirror, 1.0]), rotation, np.clip(preshape, lower, upper)


def _judge(closing: RigidClosing, kind: str, search: FloatArray) -> GraspPlan:
    """The plan that one search point gives, with its score."""
    target, mirror = closing.target, closing.model.kinematics.mirror
    position, rotation, preshape = _pose_from(search, kind, target.centre, mirror)
    for finger in range(5):  # a finger that takes no part keeps out of the way of the table
        if finger not in closing.used:
            preshape[4 * finger : 4 * finger + 4] = posture("open")[4 * finger : 4 * finger + 4]
    open_points = closing.surface(preshape, position, rotation)
    ways = np.outer((0.0, 0.015, 0.03, 0.05), rotation[:, 2])
    gap = min(float(target.distance(open_points + way)[0].min()) for way in ways)
    palm = closing.palm @ rotation.T + position
    palm_distances, palm_normals = target.distance(palm)
    palm_gap = float(palm_distances.min())
    closed = closing.close(preshape, position, rotation)
    lowest = min(closed.lowest, float(palm[:, 2].min()))
    angles = closed.angles
    positions, rotations = closing.model.kinematics.poses(angles, position, rotation)

    places, normals, touching, pads = [], [], [], []
    for link in range(1, 16):
        mine = np.flatnonzero((closing.links == link) & (closed.distance < _TOUCH))
        if len(mine) == 0 or (link - 1) // 3 not in closing.used:
            continue
        deepest = mine[closed.distance[mine].argmin()]
        places.append(positions[link] + rotations[link] @ closing.points[deepest])
        normals.append(closed.normal[deepest])
        touching.append(link)
        pads.append(float(rotations[link][:, 2] @ closed.normal[deepest]))
    heights = np.array(places).reshape(-1, 3)[:, 2]
    size = float(target.half_extents.max())
    imbalance, unevenness, totals = 1.0, 1.0, np.zeros(5)
    if places:
        links = list(touching)
        if palm_gap < _PALM_TOUCH:
            links.append(0)
            places.append(palm[palm_distances.argmin()])
            normals.append(palm_normals[palm_distances.argmin()])
        squeeze = balanced_squeeze(np.array(places), np.array(normals), links, target.centre, size)
        imbalance, unevenness, totals = squeeze.imbalance, squeeze.unevenness, squeeze.totals
    touching_fingers = {(link - 1) // 3 for link in touching}
    missing = [i for i in closing.used if i not in touching_fingers]
    for i in missing:  # a finger that would miss stays open
        angles[4 * i : 4 * i + 4] = preshape[4 * i : 4 * i + 4]
    crossing = max(closing.crossing(preshape + part * (angles - preshape)) for part in (0.0, 0.6, 1.0))

    score = -4.0 * imbalance - sum(0.5 + 20.0 * max(0.0, closed.nearest[i]) for i in missing)
    score -= 0.6 * unevenness + 800.0 * max(0.0, crossing + _FINGER_GAP)
    for clearance, wanted in ((gap, 0.004), (lowest, 0.005), (palm_gap, _PALM_GAP)):
        score -= 300.0 * max(0.0, wanted - clearance)
    distal = sum(link % 3 == 0 for link in touching)
    if kind == "power":
        score += 0.12 * len(touching) + 0.10 * distal - 20.0 * max(0.0, palm_gap - _PALM_GAP - 0.001)
    else:
        score += 0.3 * distal / len(closing.used) - 0.15 * (len(touching) - distal)
        score -= 10.0 * max(0.0, 0.015 - palm_gap)
    if len(heights):
        below = target.centre[2] - 0.15 * size
        thumb = np.array([(link - 1) // 3 == 0 for link in touching])
        score += 0.5 * float(np.mean(pads)) + 0.2 * float(
            np.mean(np.array(pads)[thumb] if thumb.any() else -1.0)
        )
        if kind == "precision":
            score -= 3.0 * abs(float(heights.mean()) - below) / size
        if thumb.any() and not thumb.all():
            # From above the thumb meets the others at one height.
            levels = 1.5 * max(0.0, float(rotation[2, 2]))
            facing = np.array(normals[: len(thumb)])
            against, along = facing[thumb].mean(axis=0), facing[~thumb].mean(axis=0)
            score -= 0.8 * float(against @ along / (np.linalg.norm(against) * np.linalg.norm(along) + 1e-9))
            score -= levels * abs(float(heights[thumb].min() - heights[~thumb].min())) / size
    used = tuple(i for i in closing.used if i in touching_fingers)
    return GraspPlan(
        kind,
        tuple(FINGERS[i] for i in used),
        position,
        rotation_vector_from_matrix(rotation),
        preshape,
        angles,
        tuple(LINKS[link] for link in touching),
        _shares(used, totals),
        imbalance,
        lowest,
        score,
    )


def _shares(used: Sequence[int], totals: FloatArray) -> tuple[float, ...]:
    """Share of each finger that touches, over the mean of all but the thumb."""
    mean = np.mean([totals[i] for i in used if i > 0] or [1.0])
    return tuple(float(max(_LEAST_SHARE, round(totals[i] / (mean or 1.0), 3))) for i in used)


# Object's centre in the palm frame of a reference hand [m] (y towards the thumb), pitch, roll, yaw, thumb
# abduction, thumb base flexion, what the other fingers' base flexion adds to the posture's, spread [rad].
_FIRST_POSE = {
    "side": (0.081, -0.012, -0.052, 0.0, 1.57, 0.0, 0.60, -0.30, 0.0, 0.06),
    "power": (0.081, 0.001, -0.050, -0.04, 0.25, 0.0, 0.64, -0.41, -0.11, 0.065),
    "precision": (0.079, 0.008, -0.069, -0.02, 0.25, 0.0, 0.80, -0.56, -0.02, 0.16),
}
_FIRST_RADIUS, _TALL, _FLAT = 0.036, 0.042, 0.022
_FIRST_STEP = np.array([0.010, 0.008, 0.008, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15, 0.1])
# How many more poses to try for something low, and how far about the first one.
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
_LOW_STARTS, _LOW_SPREAD = 64, np.array([0.02, 0.015, 0.02, 0.6, 0.4, 1.2, 0.3, 0.3, 0.3, 0.3])


def plan_grasp(
    model: HandModel,
    target: GraspObject,
    kind: str = "power",
    fingers: Sequence[str] = FINGERS,
    *,
    yaw: float = 0.0,
    rounds: int = 3,
    turns: bool = True,
) -> GraspPlan:
    """Plan a grasp from above of an object on the table z = 0.

    Args:
        model: the hand.
        target: the object's bounding shape.
        kind: "power" (fingers wrap around, palm close) or "precision" (fingertips, palm away).
        fingers: names of those that close; the thumb and at least one more.
        yaw: direction in which the fingers point, about z from x [rad]. A box is treated as aligned with it.
        rounds: of the search, each halving its steps; a round takes about half a second.
        turns: whether the search may turn the hand about the vertical; without, the fingers point along `yaw`.
    Returns:
        The best plan found. Its `table_clearance` and `contacts` tell whether it can work.
    """
    if kind not in ("power", "precision"):
        raise ValueError(f"kind: {kind!r} is unknown; give 'power' or 'precision'")
    closing_fingers(fingers)
    if "thumb" not in fingers or len(set(fingers)) < 2:
        raise ValueError("fingers: a grasp needs the thumb and at least one other finger")
    if not (isinstance(rounds, int) and rounds >= 0):
        raise ValueError(f"rounds: {rounds}; give an integer, 0 or more")
    closing = RigidClosing(model, target, [f for f in FINGERS if f in fingers], wrap=kind == "power")
    turns = turns and not target.turns_freely
    starts = _starts(target, kind, model.parameters.length_scale, turns)
    plans = [(_judge(closing, kind, start), start) for start in starts]
    plans.sort(key=lambda plan: -plan[0].score)
    searched = [_climbed(closing, kind, *plan, rounds, turns) for plan in plans[: 3 if _low(target) else 1]]
    best = max(searched, key=lambda plan: plan.score)
    return _turned(best, target.centre, yaw)


def _climbed(
    closing: RigidClosing, kind: str, best: GraspPlan, search: FloatArray, rounds: int, turns: bool
) -> GraspPlan:
    """The best plan that a pattern search from one search point finds."""
    step = _FIRST_STEP.copy()
    for _ in range(rounds):
        for i in range(len(search)):
            if i == 5 and not turns:
                continue
            for sign in (1.0, -1.0):
                trial = search.copy()
                trial[i] += sign * step[i]
                plan = _judge(closing, kind, trial)
                if plan.score > best.score:
                    best, search = plan, trial
                    break
        step *= 0.6
    return best


def _low(target: GraspObject) -> bool:
    """Whether an object lies so low on the table that fingers can hardly get beside it."""
    return target.half_extents[2] < _FLAT and target.foot < _FLAT


def _starts(target: GraspObject, kind: str, scale: float, turns: bool) -> list[FloatArray]:
    """First poses to search from: from above, and a power grasp of something tall from the side, of something flat
    on the table, which fingers cannot get under, with the palm away. There the table leaves little room and good
    poses lie apart: many more around the first one.
    """
    low = _low(target)
    poses = [np.array(_FIRST_POSE["precision" if low else kind])]
    # A larger object lies as much further from the palm and from the fingers' roots.
    poses[0][2] -= float(target.half_extents[2]) - _FIRST_RADIUS
    if kind == "power" and target.half_extents[2] > _TALL:
        poses.append(np.array(_FIRST_POSE["side"]))
        poses[1][2] -= float(target.half_extents[:2].min()) - _FIRST_RADIUS
    yaws = [0.0] if not turns else [0.0, -0.5, 0.5, -1.2, 1.2, np.pi]
    starts = []
    for pose, yaw in ((pose, yaw) for pose in poses for yaw in yaws):
        start = pose.copy()
        start[:3] *= scale
        start[5] += yaw
        starts.append(start)
    if low:
        # Evenly spread, as multiples of the roots of primes are (Richtmyer's sequence).
        for share in np.outer(np.arange(1, _LOW_STARTS + 1), np.sqrt(_PRIMES)) % 1.0:
            spread = (2.0 * share - 1.0) * _LOW_SPREAD
            spread[:3] *= scale
            if not turns:
                spread[5] = 0.0
            starts.append(starts[0] + spread)
    return starts


def _turned(plan: GraspPlan, centre: FloatArray, yaw: float) -> GraspPlan:
    """The plan turned about the vertical line through the object's centre."""
    if not np.isfinite(yaw):
        raise ValueError(f"yaw: {yaw} is not finite")
    turn = matrix_from_rotation_vector([0.0, 0.0, yaw])
    rotation = turn @ matrix_from_rotation_vector(plan.palm_rotation_vector)
    values = dict(plan.__dict__)
    values["palm_position"] = centre + turn @ (plan.palm_position - centre)
    values["palm_rotation_vector"] = rotation_vector_from_matrix(rotation)
    return GraspPlan(**values)
