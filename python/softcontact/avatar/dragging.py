# SPDX-License-Identifier: LGPL-2.1-or-later
"""A link of an avatar held by a haptic device: what a haptic session needs of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from softcontact.avatar.balance import Load
from softcontact.avatar.standing import StandingAvatar
from softcontact.haptics.coupling import RigidState, VirtualCoupling

Array = NDArray[np.float64]


def felt_mass(body: StandingAvatar, link: str, point: ArrayLike) -> float:
    """Mass [kg] that a hand feels at a point (3,) [m] of a link, in link axes, joints free: the mean over directions
    of the operational-space inertia 1 / (J M⁻¹ Jᵀ).

    Source: Khatib (1987), as in Keith et al. (2008), Eq. 16.
    """
    model, q = body.avatar.model, body.configuration
    return 3.0 / float(np.trace(model.contact_inertia(q, [link], [np.asarray(point, dtype=float)])))


class DraggedLink:
    """A link on a virtual coupling to a device, in place of softcontact.haptics.VisualTool in a VisualLoop with a
    DoubleCouplingLaw, whose second coupling is this one.

    f_e = k_p (x_device − x_contact) + k_v (ẋ_device − ẋ_contact) acts on the link: the loop's ``prepare`` is to give
    ``load()`` to AvatarController.apply in every step, so that the damper keeps up with the link.

    Args:
        body: in its World.
        link: that is held.
        point: where, in link axes (3,) [m].
        coupling: k_p, k_v; None: k_v = √(2 m k_p) with the mass felt there.
        stiffness: k_p [N/m] where no coupling is given.
    Source: Keith et al. (2008), Eq. 19 and 20.
    """

    def __init__(
        self,
        body: StandingAvatar,
        link: str,
        point: ArrayLike = (0.0, 0.0, 0.0),
        coupling: VirtualCoupling | None = None,
        *,
        stiffness: float = 300.0,
    ) -> None:
        self.body, self.link, self.point = body, link, np.array(point, dtype=float)
        self.world: Any = body.world
        if coupling is None:
            mass = felt_mass(body, link, point)
            coupling = VirtualCoupling(stiffness, float(np.sqrt(2.0 * mass * stiffness)), 0.0, 0.0)
        self.coupling = coupling
        self._device = self.state

    def set_device(self, device: RigidState) -> None:
        """Where the device is from now on, and how it moves."""
        self._device = device

    @property
    def state(self) -> RigidState:
        """The held point, with the link's orientation and twist."""
        model, q = self.body.avatar.model, self.body.configuration
        v = np.asarray(self.world.joint_velocities(self.body.id))
        rotation, origin = model.link_pose(q, self.link)
        return RigidState(
            rotation @ self.point + origin,
            Rotation.from_matrix(rotation).as_quat(),
            model.jacobian(q, self.link, self.point) @ v,
            model.angular_jacobian(q, self.link) @ v,
        )

    def load(self) -> Load:
        """Force and torque of the coupling on the link, as AvatarController takes it."""
        wrench = self.coupling.evaluate(self._device, self.state).tool
        return self.link, self.point, wrench[:3], wrench[3:]

    @property
    def device_load(self) -> Array:
        """Force and torque (6,) of the coupling on the device [N], [N m]."""
        return self.coupling.evaluate(self._device, self.state).device


def touched_links(body: StandingAvatar, tool: str) -> list[Load]:
    """What a tool's contacts exert on the avatar's links in the last step, for AvatarController.control.

    Args:
        body: in its World, which has the contact forces in it already.
        tool: name of the tool's surface.
    """
    own = {f"{body.avatar.name}_{shape.link}": shape.link for shape in body.avatar.shapes}
    loads: list[Load] = []
    for patch in body.world.patches():
        for mine, other, sign in (("body", "other", 1.0), ("other", "body", -1.0)):
            if patch[other] == tool and patch[mine] in own and patch["normal_force"] > 0.0:
                link = own[patch[mine]]
                rotation, origin = body.avatar.model.link_pose(body.configuration, link)
                point = rotation.T @ (np.asarray(patch["centre"]) - origin)
                loads.append((link, point, sign * patch["force"], sign * patch["torque"]))
    return loads
