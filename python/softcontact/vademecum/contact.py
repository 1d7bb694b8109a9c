# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact of a pointshell with a vademecum's body: penalty forces on both, and friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.vademecum.online import OnlineField

__all__ = ["ContactForces", "PenaltyContact", "PenaltyLaw"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class PenaltyLaw:
    """How a point of the shell that is inside is pushed out.

    Attributes:
        stiffness: k_c of each point [N/m], > 0.
        friction: Coulomb's μ [-], >= 0.
        tangential_stiffness: k_t of each point while it sticks [N/m], >= 0; 0 means as `stiffness`.
    """

    stiffness: float
    friction: float = 0.0
    tangential_stiffness: float = 0.0


@dataclass(frozen=True)
class ContactForces:
    """The points of a shell that are inside the body, in their order.

    Attributes:
        numbers: of the points in the shell (c,).
        points: where the forces on both bodies act, on the boundary of the body (c, 3) [m].
        depths: (c,) [m], > 0.
        normals: unit, out of the body: gradient of the distance (c, 3).
        slips: what the tangential springs are stretched by (c, 3) [m].
        forces: on the shell (c, 3) [N]; their opposites on the body.
        slides: whether friction is at its bound (c,).
        triangles, shares: the place on the boundary: triangle (c,) and weights of its corners (c, 3).
    """

    numbers: IntArray
    points: FloatArray
    depths: FloatArray
    normals: FloatArray
    slips: FloatArray
    forces: FloatArray
    slides: NDArray[np.bool_]
    triangles: IntArray
    shares: FloatArray


class PenaltyContact:
    """Contact of a pointshell with the body that an OnlineField deforms.

    At each point of the shell that is inside by a depth d the shell is pushed by F = k_c d n − k_t ξ and the body by
    the opposite, at the nearest place of its boundary; ξ is the way along the boundary from where the point first
    touched the material, and |k_t ξ| never more than μ k_c d. Where it would be, the point slides.

    The shell may be rigid, move, or be deformed by a vademecum of its own: its points come anew with each question.

    Args:
        field: displaces the body; what it is loaded with when `evaluate` is called counts.
        points: how many the shell has.
        law: stiffness and friction.
    Raises:
        ValueError: a number out of range.
    Source: González et al. 2015, Sec. 3; friction beyond it.
    """

    def __init__(self, field: OnlineField, points: int, law: PenaltyLaw) -> None:
        self.field, self.law, self.points = field, law, int(points)
        mesh = field.vademecum.mesh
        self._core = _core.PenaltyContact(
            mesh.nodes,
            mesh.boundary[1],
            field.native,
            float(law.stiffness),
            float(law.friction),
            float(law.tangential_stiffness),
            self.points,
        )

    def evaluate(self, points: ArrayLike) -> int:
        """Forces with the shell here and the body as it is: a trial, which `commit` makes true.

        Args:
            points: of the shell (points, 3) [m]; one that is not finite touches nothing.
        Returns:
            Number of points in contact.
        Raises:
            ValueError: points of another shape.
        """
        cloud = np.ascontiguousarray(points, dtype=float)
        if cloud.shape != (self.points, 3):
            raise ValueError(f"points: shape {cloud.shape}, expected ({self.points}, 3) [m]")
        return int(self._core.evaluate(cloud))

    def commit(self) -> None:
        """The last trial came true: what slides has slid, what is apart has let go."""
        self._core.commit()

    def release(self) -> None:
        """Forget what sticks where."""
        self._core.release()

    @property
    def forces(self) -> ContactForces:
        """Those of the last `evaluate`."""
        return ContactForces(**self._core.contacts())

    def wrench(self, centre: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Force and moment (6,) [N, N m] on the shell about a centre (3,) [m]."""
        return np.asarray(self._core.wrench(np.asarray(centre, dtype=float)))

    def nodal_forces(self) -> FloatArray:
        """Forces (n, 3) [N] on the body's nodes: those of `forces`, at the corners of the triangles they act on."""
        return np.asarray(self._core.nodal_forces())
