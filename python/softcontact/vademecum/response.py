# SPDX-License-Identifier: LGPL-2.1-or-later
"""A vademecum's body pressed by a pointshell: contact and deformation in equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.vademecum.contact import ContactForces, PenaltyLaw
from softcontact.vademecum.online import separated_field
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["ContactResponse", "ResponseStatus", "response_arguments"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ResponseStatus:
    """How a question for an equilibrium ended.

    Attributes:
        converged: whether the last step was within the tolerance.
        iterations: Newton steps.
        residual: change of the loads in the last step against their size [-].
        contacts: points of the shell inside.
        loads: load cases of contact.
    """

    converged: bool
    iterations: int
    residual: float
    contacts: int
    loads: int


class ContactResponse:
    """Contact forces of a pointshell and the displacements that a vademecum predicts under them, in equilibrium.

    The sizes t of the loads are those that the forces of contact make at the displacements u(t): Newton's method from
    where the last question ended, so contact may be far stiffer than the body. Forces go to the loaded nodes at the
    corners of the triangle that is touched, or to those nearest to them; forces on clamped nodes go to the ground.
    Families of opposite directions make one axis; parts of a force that no axis carries do not move the body.

    Args:
        vademecum: the body.
        points: how many the shell has.
        law: stiffness and friction.
        modes: how many to use; None means all.
        capacity: loads kept apart at most; more are joined to their nearest.
        max_iterations: Newton steps a question may take; what is left is for the next. Few are needed where the shell
            moves by little from one question to the next, as at a haptic rate; many where points slide all at once.
        tolerance: of the loads' change in a step against their size.
    Raises:
        ValueError: a number out of range, or directions that are not independent.
    """

    def __init__(
        self,
        vademecum: Vademecum,
        points: int,
        law: PenaltyLaw,
        *,
        modes: int | None = None,
        capacity: int = 48,
        max_iterations: int = 40,
        tolerance: float = 1e-6,
    ) -> None:
        self.vademecum, self.points, self.law = vademecum, int(points), law
        self._core = _core.ContactResponse(
            separated_field(vademecum, modes),
            response_arguments(vademecum, self.points, law, capacity, max_iterations, tolerance),
        )

    def hold(self, nodes: Sequence[int], scales: ArrayLike = 1.0, family: int = 0) -> None:
        """Load the body besides contact, instead of what it was loaded with before.

        Args:
            nodes: loaded nodes (k,), at most 16.
            scales: shares of the largest force, one or (k,).
            family: which direction.
        Raises:
            ValueError: a node that cannot be loaded, a scale that is not finite, too many loads; those before stay.
        """
        cases = [self.vademecum.case(node, family) for node in nodes]
        self._core.hold(cases, np.broadcast_to(np.asarray(scales, dtype=float), len(cases)).tolist())

    def solve(self, points: ArrayLike) -> ResponseStatus:
        """Equilibrium with the shell here; what sticks goes on from the question before.

        Args:
            points: of the shell (points, 3) [m]; one that is not finite touches nothing.
        Raises:
            ValueError: points of another shape.
        """
        cloud = np.ascontiguousarray(points, dtype=float)
        if cloud.shape != (self.points, 3):
            raise ValueError(f"points: shape {cloud.shape}, expected ({self.points}, 3) [m]")
        return ResponseStatus(*self._core.solve(cloud))

    def release(self) -> None:
        """Forget contact and its loads."""
        self._core.release()

    @property
    def forces(self) -> ContactForces:
        """Contact of the last `solve`."""
        return ContactForces(**self._core.contacts())

    def wrench(self, centre: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Force and moment (6,) [N, N m] on the shell about a centre (3,) [m]."""
        return np.asarray(self._core.wrench(np.asarray(centre, dtype=float)))

    @property
    def loads(self) -> list[tuple[int, float]]:
        """Load cases of contact and their sizes [-]."""
        return list(self._core.loads())

    @property
    def displacements(self) -> FloatArray:
        """Of all nodes (n, 3) [m] under the loads that are held and those of contact."""
        return np.asarray(self._core.displacements())


def response_arguments(
    vademecum: Vademecum, points: int, law: PenaltyLaw, capacity: int, max_iterations: int, tolerance: float
) -> dict[str, Any]:
    """What the core's response asks for, by name."""
    cases, mesh = vademecum.cases, vademecum.mesh
    return {
        "nodes": mesh.nodes,
        "triangles": mesh.boundary[1],
        "loaded": cases.nodes.tolist(),
        "clamped": cases.solid.clamped.tolist(),
        "directions": np.ascontiguousarray(cases.directions),
        "magnitude": float(cases.magnitude),
        "points": points,
        "stiffness": float(law.stiffness),
        "friction": float(law.friction),
        "tangential_stiffness": float(law.tangential_stiffness),
        "capacity": int(capacity),
        "max_iterations": int(max_iterations),
        "tolerance": float(tolerance),
    }
