# SPDX-License-Identifier: LGPL-2.1-or-later
"""An object between both palms: the closed chain of the arms that are led by it, and what it puts on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.balance import Load
from softcontact.avatar.compliance import CompliantChain, transported
from softcontact.avatar.description import Avatar
from softcontact.avatar.reaching import chain_of, palm_pose, reach, rotation_vector

Array = NDArray[np.float64]

_RETURN_RATE = 10.0  # [1/s] with which the palms come back to the relative pose that they are to have
_LARGEST_RETURN = 0.5  # [m/s, rad/s]
_REGULAR = 1e-9  # share of the constraint's matrix, against arms that are stretched out


def holding_posture(
    avatar: Avatar, q: ArrayLike, centre: ArrayLike, width: float, *, droop: float = 0.2
) -> Array:
    """Configuration (nq,) near q whose palms lie on both sides of an object in front of the chest.

    Args:
        avatar: with palms.
        q: (nq,) to begin with.
        centre: of the object (3,) [m].
        width: between the palms, along y [m].
        droop: how far the fingers point down from straight ahead [rad].
    Raises:
        ValueError: out of reach; an avatar without palms.
    """
    if len(avatar.palms) != 2:
        raise ValueError(f"'{avatar.name}' has no palms; give it two to hold something with")
    fingers = np.array([np.cos(droop), 0.0, -np.sin(droop)])
    targets = []
    for palm, side in zip(avatar.palms, (-1.0, 1.0), strict=True):
        place = np.asarray(centre, dtype=float) + np.array([0.0, 0.5 * side * width, 0.0])
        targets.append((palm, place, (0.0, -side, 0.0), fingers))
    return reach(avatar, q, targets, fixed=avatar.grippers)


def offering_posture(avatar: Avatar, q: ArrayLike, place: ArrayLike, *, droop: float = 0.2) -> Array:
    """Configuration (nq,) near q that holds out the right hand, as to be shaken: its palm at a place (3,) [m], facing
    left, the fingers ahead and ``droop`` [rad] down.

    Raises:
        ValueError: out of reach; an avatar without palms.
    """
    if not avatar.palms:
        raise ValueError(f"'{avatar.name}' has no palms; give it one to offer")
    fingers = np.array([np.cos(droop), 0.0, -np.sin(droop)])
    return reach(avatar, q, [(avatar.palms[0], place, (0.0, 1.0, 0.0), fingers)], fixed=avatar.grippers)


class HoldingChain(CompliantChain):
    """The chains of both arms, closed by the object between the palms: Eq. 22 of Keith et al. under the constraint
    that the palms keep their pose to each other.

    Without it two arms that each follow their own half of the force would squeeze the object or lose it. Among the
    rates that keep the constraint, that one is taken which is nearest to the chains' own.

    Args:
        avatar: with palms; see CompliantChain for the others.
    Attributes:
        spread: how much farther apart than at rest the palms are to be [m]; they open and close with it.
    """

    def __init__(self, avatar: Avatar, rest: ArrayLike, **details: Any) -> None:
        super().__init__(avatar, rest, **details)
        self.spread = 0.0
        self._masks = np.array([self.chain(wrist) for wrist in avatar.wrists])
        self._wanted = self._relative()

    def loads(self, q: ArrayLike, point: ArrayLike, force: ArrayLike, torque: ArrayLike) -> list[Load]:
        """A force (3,) [N] at a world point (3,) [m] and a torque (3,) [N·m] on the object, taken to both wrists, half
        to each."""
        half = 0.5 * np.asarray(force, dtype=float), 0.5 * np.asarray(torque, dtype=float)
        return [transported(self.avatar, q, wrist, point, *half) for wrist in self.avatar.wrists]

    def _relative(self) -> tuple[Array, Array]:
        """Pose of the left palm in the axes of the right one."""
        (first, turn), (second, other) = (palm_pose(self.avatar, self.desired, p) for p in self.avatar.palms)
        return turn.T @ (second - first), turn.T @ other

    def _constrained(self, rate: Array, weight: Array, bound: NDArray[np.bool_]) -> Array:
        model, (right, left) = self.avatar.model, self.avatar.palms
        _, turn = palm_pose(self.avatar, self.desired, right)
        other, _ = palm_pose(self.avatar, self.desired, left)
        rotation, origin = model.link_pose(self.desired, right.link)
        beside = rotation.T @ (other - origin)
        rows = np.vstack(
            [
                model.jacobian(self.desired, left.link, left.centre)
                - model.jacobian(self.desired, right.link, beside),
                model.angular_jacobian(self.desired, left.link)
                - model.angular_jacobian(self.desired, right.link),
            ]
        )
        offset, axes = self._relative()
        apart = self._wanted[0] * (1.0 + self.spread / np.linalg.norm(self._wanted[0]))
        error = np.concatenate([turn @ (apart - offset), turn @ rotation_vector(self._wanted[1] @ axes.T)])
        back = np.clip(_RETURN_RATE * error, -_LARGEST_RETURN, _LARGEST_RETURN)
        free = self._masks.any(axis=0) & ~bound
        yields = rows[:, free] / weight[free]
        matrix = yields @ rows[:, free].T
        matrix += _REGULAR * np.trace(matrix) * np.eye(6)
        out = rate.copy()
        out[free] += yields.T @ np.linalg.solve(matrix, back - rows @ rate)
        return out


def borne_loads(avatar: Avatar, q: ArrayLike, weight: float, squeeze: float) -> list[Load]:
    """What an object at rest between the palms puts on them: half of its weight each [N], and the squeeze [N]."""
    loads: list[Load] = []
    for palm in avatar.palms:
        _, axes = palm_pose(avatar, q, palm)
        force = -squeeze * axes[:, 0] - (0.0, 0.0, 0.5 * weight)
        loads.append((palm.link, np.array(palm.centre), force, np.zeros(3)))
    return loads


def bearing_torques(avatar: Avatar, q: ArrayLike, loads: Sequence[Load]) -> Array:
    """Joint torques (nv,) [N·m] of the arms and the trunk that balance loads on the hands."""
    torques, upper = np.zeros(avatar.model.nv), np.zeros(avatar.model.nv, dtype=bool)
    for link, point, force, torque in loads:
        upper |= chain_of(avatar, link)
        torques -= avatar.model.generalized_force(q, link, point, force, torque)
    return np.where(upper, torques, 0.0)
