# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a touched avatar gives way with: the chain of joints from the touched body to the waist."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.description import Avatar

Array = NDArray[np.float64]


class CompliantChain:
    """Desired joint positions of the chain that a force is on: M q̈_d + B q̇_d + K (q_d − q_0) = J_eᵀ f_e.

    The chain runs from the touched link to the pelvis, which is not part of it; all other joints keep their targets.
    With K = 0, as in the paper, it stays where it was led; with K > 0 it returns.

    Args:
        avatar: see softcontact.avatar.
        rest: q_0, (nq,).
        inertia: M, on every freedom [kg m²], > 0.
        damping: B [N·m·s/rad], > 0.
        stiffness: K [N·m/rad], ≥ 0.
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
        inertia: float = 1.0,
        damping: float = 20.0,
        stiffness: float = 0.0,
        speed_limit: float = 2.0,
    ) -> None:
        for name, value in (("inertia", inertia), ("damping", damping), ("speed_limit", speed_limit)):
            if not (value > 0.0 and np.isfinite(value)):
                raise ValueError(f"{name} = {value} must be finite and > 0")
        if not (stiffness >= 0.0 and np.isfinite(stiffness)):
            raise ValueError(f"stiffness = {stiffness} must be finite and ≥ 0")
        self.avatar = avatar
        self.rest = np.array(rest, dtype=float)
        self.inertia, self.damping, self.stiffness = inertia, damping, stiffness
        self.speed_limit = speed_limit
        self._lower, self._upper = avatar.limits()
        self.desired = self.rest.copy()  #: q_d, (nq,)
        self.rate = np.zeros(avatar.model.nv)  #: q̇_d

    def chain(self, link: str) -> Array:
        """Mask (nv,) of the freedoms from the link to the pelvis, without those of the pelvis itself."""
        mask = np.zeros(self.avatar.model.nv, dtype=bool)
        index = self.avatar.model.index(link)
        while index > 0:
            record = self.avatar.model.links[index]
            mask[self.avatar.coordinates(record["name"])] = True
            index = record["parent"]
        return mask

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
        implicit = self.inertia + step * self.damping + step**2 * self.stiffness
        rate = (self.inertia * self.rate + step * load) / implicit
        rate = np.clip(rate, -self.speed_limit, self.speed_limit)
        if self.stiffness == 0.0:
            rate[~touched & (np.abs(self.rate) < 1e-12)] = 0.0
        # Up to the limits of plain joints; spherical ones have none.
        room_above, room_below = self._upper - self._plain(), self._lower - self._plain()
        self.rate = np.clip(rate, np.minimum(room_below / step, 0.0), np.maximum(room_above / step, 0.0))
        self.desired = self.avatar.model.integrate(self.desired, step * self.rate)
        return self.desired.copy()

    def _plain(self) -> Array:
        """Angles of q_d (nv,); 0 for the freedoms of spherical and free joints."""
        angles = np.zeros(self.avatar.model.nv)
        for record in self.avatar.model.links:
            if record["joint"] in ("revolute", "universal", "prismatic"):
                count = 2 if record["joint"] == "universal" else 1
                v, q = record["v_offset"], record["q_offset"]
                angles[v : v + count] = self.desired[q : q + count]
        return angles


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
