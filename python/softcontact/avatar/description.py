# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an avatar is: its links and joints, its surfaces, its servo gains and the posture it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.bodies._links import JOINT_SIZES
from softcontact.bodies.articulated import ArticulatedModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinkShape:
    """Surface of a link, in the link's axes."""

    link: str
    vertices: Array  #: (n, 3) [m]
    triangles: NDArray[np.int32]  #: (m, 3)
    role: str = "body"  #: foot, hand or body


@dataclass(frozen=True)
class Servo:
    """Position control of one joint, Γ = k_p (q_d − q) − k_v q̇ (Keith et al. 2008, Eq. 21)."""

    stiffness: float  #: k_p [N·m/rad], on each freedom of the joint
    damping: float  #: k_v [N·m·s/rad]


@dataclass(frozen=True)
class Palm:
    """Where a hand holds what it holds, in the axes of a link."""

    link: str
    centre: tuple[float, float, float]  #: [m], on the link's surface
    normal: tuple[float, float, float]  #: out of the palm, unit
    fingers: tuple[float, float, float]  #: where the fingers point, unit, at right angles to it


@dataclass(frozen=True)
class Avatar:
    """A humanoid on a free joint, SI units, x forwards, y to the left, z up.

    The first link is the pelvis. ``links`` are those of ``ArticulatedModel``; each may also have ``lower`` and
    ``upper`` limits, (nv of the joint,) [rad].
    """

    name: str
    links: tuple[dict[str, Any], ...]
    shapes: tuple[LinkShape, ...]
    servos: Mapping[str, Servo]  #: by link
    angles: Mapping[
        str, ArrayLike
    ]  #: posture: by link, (nv of the joint,) [rad], a rotation vector if spherical
    feet: tuple[str, str]  #: right and left
    hands: tuple[str, str]
    sole_height: float  #: of the soles below the ankle joints [m]
    wrists: tuple[str, str] = field(default=("", ""))  #: links that the forces on the hands are taken to
    palms: tuple[Palm, ...] = ()  #: right and left, of an avatar that can hold something
    grippers: tuple[str, ...] = ()  #: links of the hands whose joints take no part in reaching

    @cached_property
    def model(self) -> ArticulatedModel:
        """The dynamics, with standard gravity."""
        keys = ("lower", "upper")
        return ArticulatedModel([{k: v for k, v in link.items() if k not in keys} for link in self.links])

    @property
    def mass(self) -> float:
        """[kg]"""
        return sum(float(link["mass"]) for link in self.links)

    def coordinates(self, link: str) -> slice:
        """Where the joint of a link is in v."""
        record = self.model.links[self.model.index(link)]
        return slice(record["v_offset"], record["v_offset"] + JOINT_SIZES[record["joint"]][1])

    def gains(self) -> tuple[Array, Array]:
        """k_p and k_v, (nv,) each; 0 for the free joint."""
        stiffness, damping = np.zeros((2, self.model.nv))
        for link, servo in self.servos.items():
            stiffness[self.coordinates(link)] = servo.stiffness
            damping[self.coordinates(link)] = servo.damping
        return stiffness, damping

    def limits(self) -> tuple[Array, Array]:
        """Lower and upper joint limits, (nv,) each [rad]; infinite where there is none."""
        lower, upper = np.full((2, self.model.nv), np.inf)
        lower = -lower
        for link in self.links:
            if "lower" in link:
                lower[self.coordinates(link["name"])] = link["lower"]
                upper[self.coordinates(link["name"])] = link["upper"]
        return lower, upper

    def standing(self) -> Array:
        """Configuration (nq,) of the posture ``angles`` with both soles flat on the plane z = 0.

        The pelvis is turned and lifted so that the right foot is level; both are where the legs are alike.
        """
        model = self.model
        displacement = np.zeros(model.nv)
        for link, angle in self.angles.items():
            displacement[self.coordinates(link)] = angle
        q = model.integrate(model.neutral(), displacement)
        rotation, _ = model.link_pose(q, self.feet[0])
        turn = np.zeros(model.nv)
        turn[3:6] = _rotation_vector(rotation.T)
        q = model.integrate(q, turn)
        q[2] -= min(model.link_pose(q, foot)[1][2] for foot in self.feet) - self.sole_height
        return q


def _rotation_vector(rotation: Array) -> Array:
    """Of a rotation matrix, angle under 180°."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_rotvec()
