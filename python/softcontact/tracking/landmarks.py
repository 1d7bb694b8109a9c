# SPDX-License-Identifier: LGPL-2.1-or-later
"""The 26 values from 21 points of a hand, as hand-tracking cameras give them.

Order of the points (MediaPipe's): 0 wrist; 1–4 thumb (base, middle and distal joint, tip); 5–8 index finger;
9–12 middle; 13–16 ring; 17–20 little finger. Of each finger the points are its base, middle and distal joint
and its tip.

The palm's pose is the rigid motion that best takes the hand's wrist and finger bases to the points
(Kabsch 1976). A finger's points, seen from the palm and chained anew with the hand's own bone lengths, give
its four angles by damped least squares inside the joint limits, started from the frame before. So a person's
hand of another size drives this one by its angles, not by its reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.hand.anatomy import HandParameters, joint_limits
from softcontact.hand.kinematics import (
    HandKinematics,
    matrix_from_rotation_vector,
    rotation_vector_from_matrix,
)
from softcontact.hand.motion import posture

from .chirality import SideWatch
from .values import TrackError

__all__ = ["BONES", "LandmarkFitter", "kabsch", "landmarks_of"]

FloatArray = NDArray[np.float64]

BONES = np.array(
    [[0, k] for k in (1, 5, 9, 13, 17)] + [[k, k + 1] for f in range(5) for k in range(4 * f + 1, 4 * f + 4)]
)
"""Pairs of points (20, 2) that bones join."""

_BASES = np.array([1, 5, 9, 13, 17])
_RIGID = np.array([0, 1, 5, 9, 13, 17])
_CHAIN = _BASES[:, None] + np.arange(4)


def landmarks_of(values: ArrayLike, kinematics: HandKinematics) -> FloatArray:
    """The 21 points (n, 21, 3) [m] in the world of a hand at rows of values (n, 26)."""
    values = np.atleast_2d(np.asarray(values, dtype=float))
    points = np.empty((len(values), 21, 3))
    rotations = matrix_from_rotation_vector(values[:, 23:])
    for row, turn, out in zip(values, rotations, points, strict=True):
        chains = _chains(row[:20].reshape(5, 4), kinematics)[0]
        out[0] = 0.0
        out[_CHAIN] = chains
        out[:] = out @ turn.T + row[20:23]
    return points


def kabsch(model: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotation (3, 3) and translation (3,) with the least Σ |R model + t − points|², rows (k, 3).

    Raises:
        TrackError: the points lie on one line or in one place.
    Source: Kabsch 1976, "A solution for the best rotation to relate two sets of vectors"; differs by: none.
    """
    centre, target = model.mean(axis=0), points.mean(axis=0)
    u, singular, vt = np.linalg.svd((points - target).T @ (model - centre))
    if not singular[1] > 1e-3 * singular[0]:
        raise TrackError("landmarks: wrist and finger bases lie on one line; give the 21 points of a hand")
    sign = np.sign(np.linalg.det(u @ vt))
    rotation = u @ np.diag([1.0, 1.0, sign]) @ vt
    return rotation, target - rotation @ centre


def _chains(angles: FloatArray, kinematics: HandKinematics) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of all fingers in the palm's frame: points (5, 4, 3), abduction and flexion axes (5, 3)."""
    base, mirror = kinematics.base_rotations, kinematics.mirror
    abduction, flexion = mirror * angles[:, 0], np.cumsum(angles[:, 1:], axis=1)
    c, s = np.cos(abduction), np.sin(abduction)
    # Bone directions in the base frame: R(z, abduction) R(y, flexion) e_x
    cf, sf = np.cos(flexion), np.sin(flexion)
    local = np.stack([c[:, None] * cf, s[:, None] * cf, -sf], axis=-1)
    bones = np.einsum("fij,fkj->fki", base, local) * kinematics.lengths[:, :, None]
    points = np.empty((5, 4, 3))
    points[:, 0] = kinematics.base_positions
    points[:, 1:] = kinematics.base_positions[:, None] + np.cumsum(bones, axis=1)
    side = np.einsum("fij,fj->fi", base, np.stack([-s, c, np.zeros(5)], axis=-1))
    return points, mirror * base[:, :, 2], side


@dataclass
class LandmarkFitter:
    """Fits a hand to frames of landmarks, each from the one before.

    Attributes:
        parameters: sizes of the hand that is driven.
        side: "right" or "left": the hand that the points show; it must be the driven hand's side.
        scale: metres in one unit of the points, a number or one an axis; MediaPipe's normalised points have
            the image's width, height and width at the hand's distance.
        damping: of the least squares, as a share of the squared length of a bone [-].
        iterations: most Gauss-Newton steps a frame.
        watch: counts the frames of the other hand; None begins to count with this fit.
    """

    parameters: HandParameters | None = None
    side: str = "right"
    scale: ArrayLike = 1.0
    damping: float = 1e-6
    iterations: int = 20
    watch: SideWatch | None = None
    kinematics: HandKinematics = field(init=False)
    residual: float = field(init=False, default=0.0)
    """Root mean square distance of the last frame's points from the fitted fingers' [m]."""

    def __post_init__(self) -> None:
        scale = np.asarray(self.scale, dtype=float)
        if scale.shape not in ((), (3,)) or not (np.isfinite(scale).all() and (scale > 0).all()):
            raise TrackError(f"scale: {self.scale}; give one positive number of metres a unit, or three")
        if self.side not in ("right", "left"):
            raise TrackError(f"side: {self.side!r} is no hand; give right or left")
        parameters = self.parameters or HandParameters(side=self.side)
        if parameters.side != self.side:
            raise TrackError(f"side: landmarks of a {self.side} hand cannot drive a {parameters.side} one")
        self.watch = self.watch or SideWatch(self.side)
        self._scale, self.kinematics = scale, HandKinematics.build(parameters)
        self._angles = posture("rest").reshape(5, 4)
        lower, upper = joint_limits()
        self._lower, self._upper = lower.reshape(5, 4), upper.reshape(5, 4)

    def fit(self, points: ArrayLike) -> FloatArray:
        """Values (26,) of one frame.

        Args:
            points: the 21 landmarks (21, 3) in units of `scale`; the palm's position is theirs.
        Raises:
            MirroredError: the points are of the other hand; see chirality.
            TrackError: not 21 finite points, or points that no hand makes: see kabsch, bones of no length.
        """
        points = np.asarray(points, dtype=float)
        if points.shape != (21, 3) or not np.isfinite(points).all():
            raise TrackError(f"landmarks: shape {points.shape}; give 21 finite points (21, 3)")
        points = points * self._scale
        lengths = np.linalg.norm(points[BONES[:, 1]] - points[BONES[:, 0]], axis=1)
        if not (lengths > 1e-4).all() or lengths.max() > 1.0:
            raise TrackError(
                "landmarks: a bone is shorter than 0.1 mm or longer than 1 m; check order and scale"
            )
        rotation, position = self._palm(points)
        self.watch.look(points)
        seen = (points - position) @ rotation  # in the palm's frame
        bones = np.diff(seen[_CHAIN], axis=1)
        bones *= (self.kinematics.lengths / np.linalg.norm(bones, axis=2))[:, :, None]
        targets = self.kinematics.base_positions[:, None] + np.cumsum(bones, axis=1)
        self._angles = self._fingers(targets)
        return np.concatenate([self._angles.ravel(), position, rotation_vector_from_matrix(rotation)])

    def _palm(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pose of the palm; the wrist's own place counts, whatever the size of the person's hand."""
        model = np.vstack([np.zeros(3), self.kinematics.base_positions])
        seen = points[_RIGID]
        size = np.linalg.norm(seen - seen[0], axis=1).sum() / np.linalg.norm(model, axis=1).sum()
        return kabsch(size * model, seen)

    def _fingers(self, targets: FloatArray) -> FloatArray:
        """Angles (5, 4) within limits that bring joints and tips (5, 3, 3) [m] of all fingers nearest."""
        angles = np.clip(self._angles, self._lower, self._upper)
        damping = np.full(5, self.damping * float((self.kinematics.lengths**2).mean()))
        points, first, side = _chains(angles, self.kinematics)
        error = targets - points[:, 1:]
        cost = (error**2).sum(axis=(1, 2))
        for _ in range(self.iterations):
            trial = self._descend(angles, error, points, first, side, damping)
            new_points, new_first, new_side = _chains(trial, self.kinematics)
            new_error = targets - new_points[:, 1:]
            new_cost = (new_error**2).sum(axis=(1, 2))
            better = new_cost <= cost
            done = np.abs(trial - angles).max() < 1e-9
            damping = np.where(better, np.maximum(0.1 * damping, 1e-14), 100.0 * damping)
            pick = better[:, None]
            angles = np.where(pick, trial, angles)
            points, error = (
                np.where(pick[..., None], new_points, points),
                np.where(pick[..., None], new_error, error),
            )
            first, side = np.where(pick, new_first, first), np.where(pick, new_side, side)
            cost = np.where(better, new_cost, cost)
            if done:
                break
        self.residual = float(np.sqrt(cost.sum() / 15.0))
        return angles

    def _descend(
        self,
        angles: FloatArray,
        error: FloatArray,
        points: FloatArray,
        first: FloatArray,
        side: FloatArray,
        damping: FloatArray,
    ) -> FloatArray:
        """One damped Gauss-Newton step; an angle at its limit that would go beyond it stays out of the step."""
        jacobian = np.zeros((5, 3, 3, 4))  # finger, point, coordinate, angle
        arms = points[:, 1:] - points[:, :1]
        jacobian[..., 0] = np.cross(first[:, None], arms)
        for joint in range(3):
            arms = points[:, joint + 1 :] - points[:, joint : joint + 1]
            jacobian[:, joint:, :, joint + 1] = np.cross(side[:, None], arms)
        flat = jacobian.reshape(5, 9, 4)
        gradient = np.einsum("fij,fi->fj", flat, error.reshape(5, 9))
        normal = np.einsum("fij,fik->fjk", flat, flat)
        stuck = ((angles <= self._lower) & (gradient < 0.0)) | ((angles >= self._upper) & (gradient > 0.0))
        normal[stuck[:, :, None] | stuck[:, None, :]] = 0.0
        normal += np.eye(4) * (damping[:, None, None] + np.where(stuck, 1.0, 0.0)[:, :, None])
        step = np.linalg.solve(normal, np.where(stuck, 0.0, gradient)[:, :, None])[:, :, 0]
        return np.clip(angles + np.clip(step, -0.5, 0.5), self._lower, self._upper)
