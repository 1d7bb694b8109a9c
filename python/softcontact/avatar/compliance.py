# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a touched avatar gives way with: the chain of joints from the touched body to the waist."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.description import Avatar
from softcontact.avatar.reaching import chain_of, plain_angles

Array = NDArray[np.float64]


class CompliantChain:
    """Desired joint positions of the chain that a force is on: M q̈_d + B q̇_d + K (q_d − q_0) = J_eᵀ f_e.

    The chain runs from the touched link to the pelvis, which is not part of it; all other joints keep their targets.
    With K = 0, as in the paper, it stays where it was led; with K > 0 it returns.

    Args:
        avatar: see softcontact.avatar.
        rest: q_0, (nq,).
        inertia: M [kg m²], > 0, one value or one a freedom (nv,).
        damping: B [N·m·s/rad], > 0, likewise.
        stiffness: K [N·m/rad], ≥ 0, likewise.
        speed_limit: of every freedom of q̇_d [rad/s], > 0.
    Raises:
        ValueError: a parameter outside these bounds.
    Source: Keith et al. (2008), Eq. 22.
    """

    def __init__(
        self,
        avatar: Avatar,
        rest: ArrayLike,
        *,
        inertia: ArrayLike = 1.0,
        damping: ArrayLike = 20.0,
        stiffness: ArrayLike = 0.0,
        speed_limit: float = 2.0,
    ) -> None:
        for name, value in (("inertia", inertia), ("damping", damping), ("speed_limit", speed_limit)):
            if not np.all((np.asarray(value) > 0.0) & np.isfinite(value)):
                raise ValueError(f"{name} = {value} must be finite and > 0")
        if not np.all((np.asarray(stiffness) >= 0.0) & np.isfinite(stiffness)):
            raise ValueError(f"stiffness = {stiffness} must be finite and ≥ 0")
        self.avatar = avatar
        self.rest = np.array(rest, dtype=float)
        self.inertia = np.broadcast_to(np.asarray(inertia, dtype=float), avatar.model.nv)
        self.damping = np.broadcast_to(np.asarray(damping, dtype=float), avatar.model.nv)
        self.stiffness = np.broadcast_to(np.asarray(stiffness, dtype=float), avatar.model.nv)
        self.speed_limit = speed_limit
        self._lower, self._upper = avatar.limits()
        self.desired = self.rest.copy()  #: q_d, (nq,)
        self.rate = np.zeros(avatar.model.nv)  #: q̇_d

    def chain(self, link: str) -> NDArray[np.bool_]:
        """Mask (nv,) of the freedoms from the link to the pelvis, without those of the pelvis itself."""
        return chain_of(self.avatar, link)

    def step(
        self, q: ArrayLike, loads: list[tuple[str, ArrayLike, ArrayLike, ArrayLike]], step: float
    ) -> Array:
        """Advance q_d by one control step.

        Args:
            q: present configuration, (nq,), that J_e is taken at.
            loads: (link, point in link axes (3,) [m], force (3,) [N], torque (3,) [N·m], both in world axes), one
                for each body that is touched. A force on a held object is to be given on the wrist: see
                ``transported``.
            step: [s], > 0.
        Returns:
            q_d, (nq,), inside the joint limits.
        """
        push = np.zeros(self.avatar.model.nv)
        touched = np.zeros(self.avatar.model.nv, dtype=bool)
        for link, point, force, torque in loads:
            chain = self.chain(link)
            push[chain] += self.avatar.model.generalized_force(q, link, point, force, torque)[chain]
            touched |= chain
        error = self.avatar.model.difference(self.rest, self.desired)
        load = push - self.stiffness * error
        weight = self.inertia + step * self.damping + step**2 * self.stiffness
        rate = (self.inertia * self.rate + step * load) / weight
        rate[~touched & (self.stiffness == 0.0) & (np.abs(self.rate) < 1e-12)] = 0.0
        self.rate = self._bounded(rate, weight, step)
        self.desired = self.avatar.model.integrate(self.desired, step * self.rate)
        return self.desired.copy()

    def _bounded(self, rate: Array, weight: Array, step: float) -> Array:
        """The rate nearest to the given one, by the weights, that keeps speed and joint limits and the chain's
        constraints."""
        angles = plain_angles(self.avatar, self.desired)  # 0 for spherical joints, which have no limits
        highest = np.clip((self._upper - angles) / step, 0.0, self.speed_limit)
        lowest = np.clip((self._lower - angles) / step, -self.speed_limit, 0.0)
        bound = np.zeros(len(rate), dtype=bool)
        found = rate
        while True:  # each round binds one more freedom or ends
            found = self._constrained(np.where(bound, np.clip(found, lowest, highest), rate), weight, bound)
            beyond = ~bound & ((found < lowest) | (found > highest))
            if not beyond.any():
                return np.clip(found, lowest, highest)
            bound |= beyond

    def _constrained(self, rate: Array, weight: Array, bound: NDArray[np.bool_]) -> Array:
        """The rate nearest to the given one that keeps the chain's constraints, bound freedoms as they are; a single
        chain has none."""
        return rate


def transported(
    avatar: Avatar, q: ArrayLike, link: str, point: ArrayLike, force: ArrayLike, torque: ArrayLike
) -> tuple[str, Array, Array, Array]:
    """A force at a world point (3,), as of a held object, taken to the origin of a link such as the wrist.

    Returns:
        link, its origin in its own axes (0), force and torque about that origin: an entry of
        ``CompliantChain.step``.
    Source: Keith et al. (2008), Sec. 4.
    """
    _, origin = avatar.model.link_pose(q, link)
    force = np.asarray(force, dtype=float)
    moment = np.asarray(torque, dtype=float) + np.cross(np.asarray(point, dtype=float) - origin, force)
    return link, np.zeros(3), force, moment
