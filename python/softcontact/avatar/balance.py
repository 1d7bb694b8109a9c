# SPDX-License-Identifier: LGPL-2.1-or-later
"""Balance: the pelvis shifts over the feet so that the centre of mass stays where the feet can bear it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.description import Avatar

Array = NDArray[np.float64]
Load = tuple[str, ArrayLike, ArrayLike, ArrayLike]

_SWEEPS = 3  # a shift of the pelvis moves most of the mass: each sweep leaves less than a third of the error


class Balance:
    """Moves the pelvis, its orientation and the feet held, so that an avatar that is led does not fall.

    Two things move the centre of pressure away from where it is at rest. Arms and trunk that give way carry mass
    along: the pelvis shifts until the centre of mass of the *desired* posture is where it was. A horizontal force f
    at height z carries it on by f z / (m g): the avatar leans against the share ``lean`` of that, through a low pass.
    Both are read from what the controller knows, the desired posture and the forces on its wrists, so that there is
    no feedback loop that could become unstable; ankles and hips, position controlled, do the rest.

    Args:
        avatar: see softcontact.avatar.
        rest: configuration (nq,) whose centre of mass is the one to keep.
        lean: share of the force's moment that is leaned against, 0 to 1. In the middle the centre of pressure moves
            as far when the force ends as when it began.
        lean_time: time constant of the low pass [s], > 0.
        reach: largest lean [m], > 0.
    Raises:
        ValueError: a parameter outside these bounds.
    Source: ours; the paper says only that the feet stay where position control keeps them.
    """

    def __init__(
        self,
        avatar: Avatar,
        rest: ArrayLike,
        *,
        lean: float = 0.5,
        lean_time: float = 0.2,
        reach: float = 0.04,
    ) -> None:
        if not 0.0 <= lean <= 1.0:
            raise ValueError(f"lean = {lean} must be 0 to 1")
        for name, value in (("lean_time", lean_time), ("reach", reach)):
            if not (value > 0.0 and np.isfinite(value)):
                raise ValueError(f"{name} = {value} must be finite and > 0")
        self.avatar = avatar
        self.lean_share, self.lean_time, self.reach = lean, lean_time, reach
        self._centre = avatar.model.centre_of_mass(rest)[:2]
        self.lean = np.zeros(2)  #: of the centre of mass, x and y [m]

    def step(self, desired: ArrayLike, loads: Sequence[Load], step: float) -> Array:
        """Desired configuration (nq,) with the pelvis shifted, after a control step of so many seconds.

        Args:
            desired: (nq,), feet where they are to stay.
            loads: forces on links, as those of CompliantChain.step.
            step: [s], > 0.
        """
        model = self.avatar.model
        wanted = self.lean_share * self._moment_arm(desired, loads)
        length = float(np.linalg.norm(wanted))
        if length > self.reach:
            wanted *= self.reach / length
        self.lean = self.lean + step / (self.lean_time + step) * (wanted - self.lean)
        q = np.asarray(desired, dtype=float)
        for _ in range(_SWEEPS):
            missing = self._centre + self.lean - model.centre_of_mass(q)[:2]
            q = model.integrate(q, self.shift(q, missing))
        return q

    def _moment_arm(self, q: ArrayLike, loads: Sequence[Load]) -> Array:
        """How far the centre of mass has to move, (2,) [m], for the loads to leave the centre of pressure."""
        model = self.avatar.model
        moment = np.zeros(2)
        for link, point, force, torque in loads:
            rotation, origin = model.link_pose(q, link)
            place = rotation @ np.asarray(point, dtype=float) + origin
            x, y, z = np.asarray(force, dtype=float)
            about_x, about_y, _ = np.asarray(torque, dtype=float)
            moment -= place[2] * np.array([x, y]) + np.array([about_y, -about_x])
            moment += z * (place[:2] - self._centre)
        return moment / (self.avatar.mass * -model.gravity[2])

    def shift(self, q: ArrayLike, distance: ArrayLike) -> Array:
        """Displacement (nv,) at q that moves the pelvis by ``distance`` (2,) [m], feet and orientation held."""
        model = self.avatar.model
        rotation, _ = model.link_pose(q, 0)
        along = np.append(np.asarray(distance, dtype=float), 0.0)
        displacement = np.zeros(model.nv)
        displacement[:3] = rotation.T @ along
        relative = np.concatenate([-along, np.zeros(3)])
        for foot in self.avatar.feet:
            jacobian = np.vstack([model.jacobian(q, foot), model.angular_jacobian(q, foot)])
            leg = np.flatnonzero(np.abs(jacobian).max(axis=0) > 0.0)
            leg = leg[leg >= 6]
            displacement[leg] = np.linalg.solve(jacobian[:, leg], relative)
        return displacement
