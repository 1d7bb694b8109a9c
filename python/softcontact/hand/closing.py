# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rigid closing of a hand on an object, and how its contacts can share a balanced squeeze."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from .anatomy import FINGERS, SEGMENTS, joint_limits
from .description import HandModel
from .grasp_object import GraspObject

__all__ = ["ClosedHand", "RigidClosing", "Squeeze", "balanced_squeeze"]

FloatArray = NDArray[np.float64]

_CLOSING_STEP = 0.04
# Base, middle and distal flexion close in turn, so that fingers wrap, or together, so that tips meet.
_WRAPPING = np.eye(3)
_PINCHING = np.array([[1.0, 0.8, 0.5]])
_PLANNED_FRICTION = 0.3
_CONE_EDGES = 6
_SPHERES_A_SEGMENT = 4
_DISJOINT = 0.85


@dataclass(frozen=True)
class ClosedHand:
    """A hand that has closed on an object.

    Attributes:
        angles: the 20 joint angles [rad].
        distance, normal: of each surface point to the object [m], and the object's outward normal there.
        lowest: least height of the fingers on the way [m].
        nearest: least distance of each finger on the way [m], shape (5,).
    """

    angles: FloatArray
    distance: FloatArray
    normal: FloatArray
    lowest: float
    nearest: FloatArray


class RigidClosing:
    """Closes rigid fingers joint by joint, as the closing controller does with forces.

    Args:
        model: the hand.
        target: the object.
        fingers: names of those that close.
        wrap: close base, middle and distal joints in turn instead of together.
    """

    def __init__(self, model: HandModel, target: GraspObject, fingers: Sequence[str], wrap: bool) -> None:
        self.model, self.target, self.wrap = model, target, wrap
        self.used = np.array([FINGERS.index(f) for f in fingers])
        self.links = np.concatenate(
            [np.full(len(p.vertices[::2]), 1 + k) for k, p in enumerate(model.phalanges)]
        )
        self.points = np.concatenate([p.vertices[::2] for p in model.phalanges])
        palm = model.palm_vertices[model.palm_triangles]
        self.palm = np.concatenate([model.palm_vertices, palm.mean(axis=1), 0.5 * (palm[:, 0] + palm[:, 1])])
        self.upper = joint_limits()[1]
        self._prepare_spheres()

    def surface(self, angles: FloatArray, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """Surface points of the phalanges in the world (n, 3) [m]."""
        positions, rotations = self.model.kinematics.poses(angles, position, rotation)
        return np.einsum("nij,nj->ni", rotations[self.links], self.points) + positions[self.links]

    def close(self, preshape: FloatArray, position: FloatArray, rotation: FloatArray) -> ClosedHand:
        """Close from `preshape` (20,) with the palm at a pose until every joint is stopped."""
        angles, lowest, nearest = preshape.copy(), np.inf, np.full(5, np.inf)
        for rates in _WRAPPING if self.wrap else _PINCHING:
            increment = np.zeros((5, 4))
            increment[self.used, 1:] = _CLOSING_STEP * rates
            for _ in range(60):
                points = self.surface(angles, position, rotation)
                lowest = min(lowest, float(points[:, 2].min()))
                distance, normal = self.target.distance(points)
                np.minimum.at(nearest, (self.links - 1) // 3, distance)
                touching = np.zeros(16, dtype=bool)
                touching[self.links[distance < 0.0]] = True
                # A touching segment stops its own joint and those before it.
                blocked = np.cumsum(touching[1:].reshape(5, 3)[:, ::-1], axis=1)[:, ::-1] > 0
                step = increment.copy()
                step[:, 1:][blocked] = 0.0
                following = np.minimum(angles + step.ravel(), np.maximum(self.upper, angles))
                if np.array_equal(following, angles):
                    break
                angles = following
        return ClosedHand(angles, distance, normal, lowest, nearest)

    def crossing(self, angles: FloatArray) -> float:
        """How deep fingers run into each other at most [m]: segments as rows of spheres."""
        positions, rotations = self.model.kinematics.poses(angles)
        along = rotations[self._sphere_links][:, :, 0]
        centres = positions[self._sphere_links] + along * self._sphere_places[:, None]
        between = np.linalg.norm(centres[self._pairs[0]] - centres[self._pairs[1]], axis=1)
        return float((self._pair_sizes - between).max())

    def _prepare_spheres(self) -> None:
        parameters = self.model.parameters
        links, places, radii = [], [], []
        fractions = (np.arange(_SPHERES_A_SEGMENT) + 0.5) / _SPHERES_A_SEGMENT
        for i, finger in enumerate(FINGERS):
            sizes = parameters.finger(finger)
            widths = 0.25 * (np.array(sizes.breadths) + np.array(sizes.thicknesses))
            ends = [widths[1], widths[2], 0.6 * widths[2]]
            for k in range(len(SEGMENTS)):
                links += [1 + 3 * i + k] * len(fractions)
                places += list(fractions * sizes.lengths[k])
                radii += list(widths[k] + fractions * (ends[k] - widths[k]))
        self._sphere_links, self._sphere_places = np.array(links), np.array(places)
        first, second = np.triu_indices(len(links), 1)
        a, b = self._sphere_links[first], self._sphere_links[second]
        # Neighbouring fingers share their web; the thumb's root lies in the palm.
        apart = ((a - 1) // 3 != (b - 1) // 3) & ~((a % 3 == 1) & (b % 3 == 1))
        self._pairs = first[apart], second[apart]
        sizes = np.array(radii)
        self._pair_sizes = _DISJOINT * (sizes[self._pairs[0]] + sizes[self._pairs[1]])


@dataclass(frozen=True)
class Squeeze:
    """A squeeze of unit total normal force that leaves the object in balance.

    Attributes:
        imbalance: the wrench that remains, forces over the total [-].
        presses: normal force of each contact over the total [-].
        unevenness: standard deviation over mean of what the fingers but the thumb press with [-].
        totals: what each finger presses with [-], shape (5,).
    """

    imbalance: float
    presses: FloatArray
    unevenness: float
    totals: FloatArray


def balanced_squeeze(
    places: FloatArray, normals: FloatArray, links: Sequence[int], centre: FloatArray, size: float
) -> Squeeze:
    """Normal forces that hold a light object by contacts with Coulomb friction, as even as can be.

    Non-negative least squares over the edges of the friction cones: balance first, then equal forces of the
    fingers that oppose the thumb, then small forces.

    Args:
        places: contact points (k, 3) [m].
        normals: the object's outward normals (k, 3).
        links: link of each contact, 0 for the palm.
        centre: of the object [m]; `size` makes moments comparable with forces [m].
    """
    count = len(places)
    axis = np.where(np.abs(normals[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    tangents = np.cross(normals, axis)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    others = np.cross(normals, tangents)
    angles = np.arange(_CONE_EDGES) * 2.0 * np.pi / _CONE_EDGES
    forces = -normals[:, None] + _PLANNED_FRICTION * (
        np.cos(angles)[:, None] * tangents[:, None] + np.sin(angles)[:, None] * others[:, None]
    )
    moments = np.cross((places - centre)[:, None], forces) / size
    wrench = np.concatenate([forces, moments], axis=2).reshape(-1, 6).T
    owners = np.array([(link - 1) // 3 if link > 0 else -1 for link in links])
    opposed = sorted({int(i) for i in owners if i > 0})
    equal = np.array([np.repeat(owners == i, _CONE_EDGES) for i in opposed], dtype=float)
    equal = equal - equal.mean(axis=0) if len(opposed) else np.zeros((0, wrench.shape[1]))
    columns = wrench.shape[1]
    matrix = np.vstack([10.0 * wrench, 10.0 * np.ones((1, columns)), equal, 0.05 * np.eye(columns)])
    # The squeeze carries a tenth of itself as weight.
    wanted = np.zeros(len(matrix))
    wanted[2], wanted[6] = 1.0, 10.0
    solution = nnls(matrix, wanted)[0]
    residual = wrench @ solution - np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    presses = solution.reshape(count, _CONE_EDGES).sum(axis=1)
    totals = np.array([presses[owners == i].sum() for i in range(len(FINGERS))])
    mean = totals[opposed].mean() if opposed else 0.0
    unevenness = float(totals[opposed].std() / mean) if mean > 1e-9 else 1.0
    return Squeeze(float(np.linalg.norm(residual)), presses, unevenness, totals)
