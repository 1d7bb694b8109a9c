# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where to put the hand to grasp an object that lies on a table, and how to close it.

The plan is kinematic: rigid fingers close joint by joint on the object's bounding shape, as the closing
controller does with forces; the table, the palm and the balance of the contacts judge each pose. A pattern
search around a good first pose keeps the best. Simulation with soft fingers decides what the grasp then
holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from .anatomy import FINGERS, LINKS, joint_limits
from .description import HandModel
from .kinematics import matrix_from_rotation_vector, rotation_vector_from_matrix
from .motion import HandMotion, closing_fingers, keyframe, posture

__all__ = ["GraspObject", "GraspPlan", "plan_grasp"]

FloatArray = NDArray[np.float64]

_CLOSING_STEP = 0.035
_PLANNED_FRICTION = 0.4
_CONE_EDGES = 6
_LEAST_SHARE = 0.3
_TOUCH = 0.0005


@dataclass(frozen=True)
class GraspObject:
    """Bounding shape of what is to be grasped.

    Attributes:
        shape: "ellipsoid" (a ball has equal half extents), "box" or "cylinder" (axis z).
        half_extents: [m], shape (3,).
        centre: [m], shape (3,); z at least half_extents[2] above the table's 0 when it lies on it.
    """

    shape: str
    half_extents: FloatArray
    centre: FloatArray

    def __post_init__(self) -> None:
        if self.shape not in ("ellipsoid", "box", "cylinder"):
            raise ValueError(f"shape: {self.shape!r} is unknown; give 'ellipsoid', 'box' or 'cylinder'")
        half, centre = np.asarray(self.half_extents, dtype=float), np.asarray(self.centre, dtype=float)
        if half.shape != (3,) or not ((half > 0.002) & (half < 0.2)).all():
            raise ValueError(f"half_extents: {half} m; give three values between 2 and 200 mm")
        if centre.shape != (3,) or not np.isfinite(centre).all():
            raise ValueError(f"centre: {centre}; give three finite values")
        object.__setattr__(self, "half_extents", half)
        object.__setattr__(self, "centre", centre)

    @classmethod
    def ball(cls, radius: float, centre: ArrayLike | None = None) -> GraspObject:
        """A ball, by default resting on the table at the origin."""
        return cls("ellipsoid", np.full(3, radius), np.array([0, 0, radius] if centre is None else centre))

    @classmethod
    def around(cls, vertices: ArrayLike, shape: str = "ellipsoid") -> GraspObject:
        """Bounding shape of a mesh by its axis-aligned extents, vertices (n, 3) [m]."""
        vertices = np.asarray(vertices, dtype=float)
        lower, upper = vertices.min(axis=0), vertices.max(axis=0)
        return cls(shape, 0.5 * (upper - lower), 0.5 * (upper + lower))

    def distance(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Approximate signed distance (n,) [m] and outward unit normals (n, 3) at points (n, 3)."""
        p, half = points - self.centre, self.half_extents
        if self.shape == "ellipsoid":
            scaled = np.linalg.norm(p / half, axis=1)
            gradient = p / half**2
            size = np.maximum(np.linalg.norm(gradient, axis=1), 1e-9)
            return scaled * (scaled - 1.0) / size, gradient / size[:, None]
        if self.shape == "cylinder":
            radial = np.maximum(np.hypot(p[:, 0], p[:, 1]), 1e-9)
            excess = np.column_stack([radial - half[0], np.abs(p[:, 2]) - half[2]])
            axes = np.zeros((len(p), 2, 3))
            axes[:, 0, :2] = p[:, :2] / radial[:, None]
            axes[:, 1, 2] = np.sign(p[:, 2])
        else:
            excess = np.abs(p) - half
            axes = np.sign(p)[:, :, None] * np.eye(3)[None]
        outside = np.maximum(excess, 0.0)
        length = np.linalg.norm(outside, axis=1)
        normal = np.einsum("nk,nkd->nd", outside, axes) / np.maximum(length, 1e-12)[:, None]
        inner = axes[np.arange(len(p)), excess.argmax(axis=1)]
        inside = length <= 1e-12
        return np.where(inside, excess.max(axis=1), length), np.where(inside[:, None], inner, normal)


@dataclass(frozen=True)
class GraspPlan:
    """A grasp: palm pose, open and closed angles, and how well it is expected to hold.

    Attributes:
        fingers: those that close: of the asked-for ones, those that reach the object.
        palm_position: [m], shape (3,).
        palm_rotation_vector: [rad], shape (3,).
        preshape: the 20 angles before closing [rad].
        closed: the 20 angles at which rigid fingers touch [rad].
        contacts: names of the links that touch.
        shares: how hard each finger presses in a balanced squeeze, over the mean of all but the thumb [-].
        imbalance: residual of the best balanced squeeze, 0 when the contacts can hold by themselves [-].
        table_clearance: least height of the fingers above the table while closing [m].
        score: what the search maximised [-].
    """

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

    def closing(self, rate: float = 1.0) -> list[dict[str, Any]]:
        """Fingers for World.add_grasp, closing at `rate` [rad/s] at their base joints."""
        return closing_fingers(self.fingers, rate, self.shares)

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
        """Come down open onto the object, wait while the fingers close, lift, hold. Lengths [m], times
        [s].
        """
        up = np.array([0.0, 0.0, 1.0])
        places = [
            self.palm_position + approach_height * up,
            self.palm_position,
            self.palm_position,
            self.palm_position + lift_height * up,
            self.palm_position + lift_height * up,
        ]
        times = start + np.cumsum([0.0, approach_time, closing_time, lift_time, hold_time])
        rows = [keyframe(self.preshape, place, self.palm_rotation_vector) for place in places]
        return HandMotion(times, np.array(rows))


class _Closing:
    """Rigid closing of a hand on an object, at any palm pose."""

    def __init__(self, model: HandModel, target: GraspObject, fingers: Sequence[str]) -> None:
        self.model, self.target = model, target
        self.used = np.array([FINGERS.index(f) for f in fingers])
        self.links = np.concatenate(
            [np.full(len(p.vertices[::2]), 1 + k) for k, p in enumerate(model.phalanges)]
        )
        self.points = np.concatenate([p.vertices[::2] for p in model.phalanges])
        self.upper = joint_limits()[1]
        shares = closing_fingers(("index",))[0]["rates"]
        self.increment = np.zeros((5, 4))
        self.increment[self.used, 1:] = _CLOSING_STEP * np.array(shares)

    def surface(self, angles: FloatArray, position: FloatArray, rotation: FloatArray) -> FloatArray:
        positions, rotations = self.model.kinematics.poses(angles, position, rotation)
        return np.einsum("nij,nj->ni", rotations[self.links], self.points) + positions[self.links]

    def close(
        self, preshape: FloatArray, position: FloatArray, rotation: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, float, FloatArray]:
        """Closed angles, distance and normal of each point, least height on the way, least distance of each
        finger.
        """
        angles, lowest, nearest = preshape.copy(), np.inf, np.full(5, np.inf)
        for _ in range(80):
            points = self.surface(angles, position, rotation)
            lowest = min(lowest, float(points[:, 2].min()))
            distance, normal = self.target.distance(points)
            np.minimum.at(nearest, (self.links - 1) // 3, distance)
            touching = np.zeros(16, dtype=bool)
            touching[self.links[distance < 0.0]] = True
            chains = touching[1:].reshape(5, 3)
            # A touching segment stops its own joint and those before it.
            blocked = np.cumsum(chains[:, ::-1], axis=1)[:, ::-1] > 0
            step = self.increment.copy()
            step[:, 1:][blocked] = 0.0
            following = np.minimum(angles + step.ravel(), np.maximum(self.upper, angles))
            if np.array_equal(following, angles):
                break
            angles = following
        return angles, distance, normal, lowest, nearest


def _squeeze(
    places: FloatArray, normals: FloatArray, centre: FloatArray, size: float
) -> tuple[float, FloatArray]:
    """Least residual wrench of a unit total squeeze within friction cones, and the normal force of each contact.

    Non-negative least squares over the edges of the cones; a little weight on the forces themselves spreads
    them over the contacts.
    """
    columns = []
    for place, normal in zip(places, normals, strict=True):
        tangent = np.cross(normal, [1.0, 0.0, 0.0] if abs(normal[0]) < 0.7 else [0.0, 1.0, 0.0])
        tangent /= np.linalg.norm(tangent)
        other = np.cross(normal, tangent)
        for angle in np.arange(_CONE_EDGES) * 2.0 * np.pi / _CONE_EDGES:
            force = -normal + _PLANNED_FRICTION * (np.cos(angle) * tangent + np.sin(angle) * other)
            columns.append([*force, *(np.cross(place - centre, force) / size), 1.0])
    # The squeeze carries a tenth of itself as weight.
    wanted = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0])
    matrix = np.array(columns).T
    spread = np.vstack([matrix, 0.03 * np.eye(matrix.shape[1])])
    forces = nnls(spread, np.concatenate([wanted, np.zeros(matrix.shape[1])]))[0]
    residual = float(np.linalg.norm(matrix @ forces - wanted))
    return residual, forces.reshape(len(places), _CONE_EDGES).sum(axis=1)


def _finger_shares(closing: _Closing, touching: list[int], presses: FloatArray) -> tuple[float, ...]:
    """Share of each finger that touches, in the order of FINGERS."""
    total = np.zeros(len(FINGERS))
    for link, press in zip(touching, presses, strict=True):
        total[(link - 1) // 3] += press
    used = [i for i in closing.used if any((link - 1) // 3 == i for link in touching)]
    mean = np.mean([total[i] for i in used if i > 0] or [1.0]) or 1.0
    return tuple(float(max(_LEAST_SHARE, round(total[i] / mean, 3))) for i in used)


def _pose_from(search: FloatArray, kind: str, centre: FloatArray, mirror: float) -> tuple[FloatArray, ...]:
    """Palm position, palm rotation and preshape of one search point (see _FIRST_POSE)."""
    pitch = matrix_from_rotation_vector([0.0, search[3], 0.0])
    rotation = pitch @ matrix_from_rotation_vector([mirror * search[4], 0.0, 0.0])
    preshape = posture(kind)
    preshape[:2] = search[5:7]
    preshape[5::4] += search[7]
    lower, upper = joint_limits()
    return centre - rotation @ (search[:3] * [1.0, mirror, 1.0]), rotation, np.clip(preshape, lower, upper)


def _judge(closing: _Closing, kind: str, search: FloatArray) -> GraspPlan:
    """The plan that one search point gives, with its score."""
    target, mirror = closing.target, closing.model.kinematics.mirror
    position, rotation, preshape = _pose_from(search, kind, target.centre, mirror)
    open_points = closing.surface(preshape, position, rotation)
    rises = np.array([[0.0, 0.0, rise] for rise in (0.0, 0.02, 0.05)])
    gap = min(float(target.distance(open_points + rise)[0].min()) for rise in rises)
    palm = closing.model.palm_vertices @ rotation.T + position
    palm_gap = float(target.distance(palm)[0].min())
    angles, distance, normal, lowest, nearest = closing.close(preshape, position, rotation)
    lowest = min(lowest, float(palm[:, 2].min()))
    positions, rotations = closing.model.kinematics.poses(angles, position, rotation)

    places, normals, touching, pads = [], [], [], []
    for link in range(1, 16):
        mine = np.flatnonzero((closing.links == link) & (distance < _TOUCH))
        if len(mine) == 0 or (link - 1) // 3 not in closing.used:
            continue
        deepest = mine[distance[mine].argmin()]
        places.append(positions[link] + rotations[link] @ closing.points[deepest])
        normals.append(normal[deepest])
        touching.append(link)
        pads.append(float(rotations[link][:, 2] @ normal[deepest]))
    size = float(target.half_extents.max())
    imbalance, presses = 1.0, np.zeros(0)
    if places:
        imbalance, presses = _squeeze(np.array(places), np.array(normals), target.centre, size)
    touching_fingers = {(link - 1) // 3 for link in touching}
    missing = [i for i in closing.used if i not in touching_fingers]
    for i in missing:  # a finger that would miss stays open
        angles[4 * i : 4 * i + 4] = preshape[4 * i : 4 * i + 4]

    score = -4.0 * imbalance - sum(0.5 + 20.0 * max(0.0, nearest[i]) for i in missing)
    for clearance, wanted in ((gap, 0.005), (lowest, 0.006), (palm_gap, 0.004)):
        score -= 300.0 * max(0.0, wanted - clearance)
    distal = sum(link % 3 == 0 for link in touching)
    if kind == "power":
        score += 0.06 * min(len(touching), 10) - 10.0 * max(0.0, palm_gap - 0.012)
    else:
        score += 0.3 * distal / len(closing.used) - 0.15 * (len(touching) - distal)
        score -= 10.0 * max(0.0, 0.015 - palm_gap)
    if places:
        below = target.centre[2] - 0.15 * size
        heights = np.array(places)[:, 2]
        thumb = np.array([(link - 1) // 3 == 0 for link in touching])
        score += 0.5 * float(np.mean(pads))
        score -= 3.0 * abs(float(heights.mean()) - below) / size
        if thumb.any() and not thumb.all():
            score -= 1.5 * abs(float(heights[thumb].mean() - heights[~thumb].mean())) / size
    return GraspPlan(
        tuple(FINGERS[i] for i in closing.used if i in touching_fingers),
        position,
        rotation_vector_from_matrix(rotation),
        preshape,
        angles,
        tuple(LINKS[link] for link in touching),
        _finger_shares(closing, touching, presses),
        imbalance,
        lowest,
        score,
    )


# Object's centre in the palm frame of a reference hand [m] (y towards the thumb), pitch, roll, thumb
# abduction, thumb base flexion, and what the other fingers' base flexion adds to the posture's [rad].
_FIRST_POSE = {
    "power": (0.076, 0.007, -0.066, 0.0, 0.15, 0.50, 0.10, 0.45),
    "precision": (0.089, 0.021, -0.069, 0.26, -0.13, 0.66, 0.15, -0.26),
}
_FIRST_STEP = np.array([0.012, 0.010, 0.010, 0.20, 0.20, 0.20, 0.15, 0.15])


def plan_grasp(
    model: HandModel,
    target: GraspObject,
    kind: str = "power",
    fingers: Sequence[str] = FINGERS,
    *,
    yaw: float = 0.0,
    rounds: int = 3,
) -> GraspPlan:
    """Plan a grasp from above of an object on the table z = 0.

    Args:
        model: the hand.
        target: the object's bounding shape.
        kind: "power" (fingers wrap around, palm close) or "precision" (fingertips, palm away).
        fingers: names of those that close; the thumb and at least one more.
        yaw: direction in which the fingers point, about z from x [rad]. A box is treated as aligned with it.
        rounds: of the search, each halving its steps; a round takes about half a second.
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
    closing = _Closing(model, target, [f for f in FINGERS if f in fingers])
    search = np.array(_FIRST_POSE[kind])
    search[:3] *= model.parameters.length_scale
    # A larger object lies as much further from the palm and from the fingers' roots.
    search[2] -= float(target.half_extents[2]) - 0.035
    best = _judge(closing, kind, search)
    step = _FIRST_STEP.copy()
    for _ in range(rounds):
        for i in range(len(search)):
            for sign in (1.0, -1.0):
                trial = search.copy()
                trial[i] += sign * step[i]
                plan = _judge(closing, kind, trial)
                if plan.score > best.score:
                    best, search = plan, trial
                    break
        step *= 0.6
    return _turned(best, target.centre, yaw)


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
