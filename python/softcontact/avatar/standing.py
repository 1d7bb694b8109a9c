# SPDX-License-Identifier: LGPL-2.1-or-later
"""An avatar in a World, position controlled, on its feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.description import Avatar

Array = NDArray[np.float64]

#: World settings that suit avatars: a foot on the ground has more contact points than it needs, so forces are
#: found to 1 µm/s, not further.
WORLD_OPTIONS = {"solver_tolerance": 1e-6, "friction_law": "contensou", "contact_offset": 5e-4}
_CONTACT_OFFSET = WORLD_OPTIONS["contact_offset"]


def sole_points(avatar: Avatar) -> tuple[list[str], Array]:
    """Links and positions (m, 3) [m], in link axes, of the contact points of both soles."""
    links, points = [], []
    for shape in avatar.shapes:
        if shape.role == "foot":
            heights = shape.vertices[:, 2]
            sole = shape.vertices[heights < heights.min() + 1e-9]
            links += [shape.link] * len(sole)
            points.append(sole)
    return links, np.vstack(points)


def standing_loads(avatar: Avatar, q: ArrayLike) -> tuple[Array, Array]:
    """Static loads of a configuration on both feet.

    Args:
        q: (nq,) with the soles flat on a plane z = const.
    Returns:
        vertical forces at the sole points (m,) [N], the least ones in the sense of squares, and the joint torques
        (nv,) [N·m] that balance them and gravity; 0 for the free joint.
    Raises:
        ValueError: the centre of mass is not over the feet far enough for all forces to push.
    """
    forces, torques = least_loads(avatar, q)
    if not forces.min() > 0.0:
        com = avatar.model.centre_of_mass(q)
        raise ValueError(
            f"posture of '{avatar.name}': the centre of mass at x = {com[0]:.3f}, y = {com[1]:.3f} m is too near the "
            "edge of the feet to stand; lean it inwards"
        )
    return forces, torques


def least_loads(avatar: Avatar, q: ArrayLike) -> tuple[Array, Array]:
    """As ``standing_loads``, even where some of the forces would have to pull."""
    model = avatar.model
    links, points = sole_points(avatar)
    vertical = np.empty((len(links), model.nv))
    for foot in avatar.feet:
        own = np.array([link == foot for link in links])
        arms = points[own] @ model.link_pose(q, foot)[0].T
        turning = model.angular_jacobian(q, foot)
        vertical[own] = (
            model.jacobian(q, foot)[2] + np.outer(arms[:, 1], turning[0]) - np.outer(arms[:, 0], turning[1])
        )
    gravity = model.bias_force(q, np.zeros(model.nv))
    forces = np.linalg.lstsq(vertical[:, :6].T, gravity[:6], rcond=None)[0]
    torques = gravity - vertical.T @ forces
    torques[:6] = 0.0
    return forces, torques


def balanced_targets(avatar: Avatar, q: ArrayLike) -> Array:
    """Targets q_d (nq,) of the servos that hold the configuration q (nq,) at rest: k_p (q_d − q) = static torques.

    Source: Keith et al. (2008), Eq. 21 at rest.
    """
    return avatar.model.integrate(q, static_offset(avatar, standing_loads(avatar, q)[1]))


def static_offset(avatar: Avatar, torques: Array) -> Array:
    """(nv,) how far targets have to lie from where their servos are to exert the torques (nv,) [N·m]."""
    stiffness, _ = avatar.gains()
    return np.divide(torques, stiffness, out=np.zeros_like(torques), where=stiffness > 0.0)


class StandingAvatar:
    """An avatar that stands in a World on a plane z = 0, its joints under position control.

    Γ = k_p (q_d − q) − k_v q̇, both terms implicit in the step, so that stiff servos are stable at 1 ms. The targets
    q_d are those that hold the posture against gravity; ``set_targets`` moves them. Joint limits are rigid.

    Args:
        world: of softcontact._core, with WORLD_OPTIONS or finer.
        avatar: see softcontact.avatar.
        roles: which of its surfaces can touch: "foot", "hand", "body". They never touch each other.
        friction: of all its surfaces.
        patches: which of the roles touch with one contact patch a surface, a foot or a hand, in worlds that
            aggregate; the others with one contact a point.
        lift: how far above the ground it starts [m].
        posture: configuration (nq,) to stand in, soles on z = 0; None: the avatar's own.
        contact_offset: of the world [m].
    Raises:
        ValueError: unknown role, or the posture cannot stand.
    Source: Keith et al. (2008), Eq. 21.
    """

    def __init__(
        self,
        world: Any,
        avatar: Avatar,
        *,
        roles: Sequence[str] = ("foot",),
        friction: float = 0.8,
        patches: Sequence[str] = (),
        lift: float = 0.0,
        posture: ArrayLike | None = None,
        contact_offset: float = _CONTACT_OFFSET,
    ) -> None:
        for argument, given in (("roles", roles), ("patches", patches)):
            unknown = sorted(set(given) - {"foot", "hand", "body"})
            if unknown:
                raise ValueError(f"{argument}: {unknown[0]!r} is unknown; use foot, hand, body")
        self.world, self.avatar = world, avatar
        posture = avatar.standing() if posture is None else np.array(posture, dtype=float)
        posture[2] += contact_offset
        self.posture = posture
        self._targets = balanced_targets(avatar, posture)
        start = posture.copy()
        start[2] += lift
        self.id = world.add_articulated_body(avatar.name, self._links(), start)
        self.set_targets(self._targets)
        self.surfaces = []
        for shape in avatar.shapes:
            if shape.role in roles:
                name = f"{avatar.name}_{shape.link}"
                index = avatar.model.index(shape.link)
                world.add_link_surface(
                    self.id,
                    index,
                    name,
                    shape.vertices,
                    shape.triangles,
                    friction,
                    shape.role in patches,
                )
                for other in self.surfaces:
                    world.disable_pair(other, name)
                self.surfaces.append(name)

    def _links(self) -> list[dict[str, Any]]:
        stiffness, damping = self.avatar.gains()
        links = []
        for link, record in zip(self.avatar.links, self.avatar.model.links, strict=True):
            own = self.avatar.coordinates(link["name"])
            limits = {"limit_stiffness": float("inf")} if "lower" in link else {}
            links.append(
                link
                | {"parent": record["parent"], "axis": record["axis"], "axis2": record["axis2"]}
                | {"stiffness": list(stiffness[own]), "damping": list(damping[own])}
                | limits
            )
        return links

    @property
    def targets(self) -> Array:
        """q_d, (nq,)."""
        return self._targets.copy()

    def set_targets(self, targets: ArrayLike) -> None:
        """New q_d (nq,) from the next step on; what it says of the free joint does not count."""
        self._targets = np.asarray(targets, dtype=float).copy()
        self.world.set_joint_motion(self.id, np.zeros(1), self._targets[None])

    @property
    def configuration(self) -> Array:
        """q, (nq,), at the end of the last step."""
        return np.asarray(self.world.joint_positions(self.id))

    def displacement(self) -> Array:
        """From the posture that it is to hold to where it is, (nv,): pelvis [m, rad], then joints [rad]."""
        return self.avatar.model.difference(self.posture, self.configuration)

    def centre_of_pressure(self) -> Array | None:
        """(2,) x and y [m] of the resultant of the last step's foot forces on the ground; None in the air."""
        feet = {f"{self.avatar.name}_{foot}" for foot in self.avatar.feet}
        moment, total = np.zeros(2), 0.0
        for patch in self.world.patches():
            if patch["body"] in feet or patch["other"] in feet:
                forces = np.abs(patch["point_forces"][:, 2])
                moment += forces @ patch["points"][:, :2]
                total += forces.sum()
        return moment / total if total > 0.0 else None

    def foot_forces(self) -> Array:
        """Force (2, 3) [N] that the world exerts on the right and the left foot in the last step."""
        forces = np.zeros((2, 3))
        feet = [f"{self.avatar.name}_{foot}" for foot in self.avatar.feet]
        for patch in self.world.patches():
            for index, foot in enumerate(feet):
                if patch["body"] == foot:
                    forces[index] += patch["force"]
                elif patch["other"] == foot:
                    forces[index] -= patch["force"]
        return forces
