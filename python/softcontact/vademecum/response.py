# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums' bodies in contact: a rigid pointshell presses one, or two press each other, in equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.vademecum.contact import ContactForces, PenaltyLaw
from softcontact.vademecum.online import separated_field
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["ContactResponse", "PairResponse", "ResponseStatus", "body_arguments", "response_arguments"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ResponseStatus:
    """How a question for an equilibrium ended.

    Attributes:
        converged: whether the last step was within the tolerance.
        iterations: Newton steps.
        residual: change of the loads in the last step against their size [-].
        contacts: points of the shells inside.
        loads: load cases of contact, on both bodies.
        detections, detection_s: how often contact was looked for, and the time that took, all together [s].
    """

    converged: bool
    iterations: int
    residual: float
    contacts: int
    loads: int
    detections: int
    detection_s: float


class _Response:
    """What both kinds share: the bodies, their loads and displacements."""

    def __init__(self, bodies: Sequence[Vademecum], core: Any) -> None:
        self._bodies, self._core = tuple(bodies), core

    def hold_cases(self, loads: Sequence[tuple[int, float]], body: int = 0) -> None:
        """Load a body besides contact, instead of what it was loaded with before.

        Args:
            loads: (case, size) each, at most 16; sizes as shares of the largest force.
            body: its number.
        Raises:
            ValueError: no such case, a size that is not finite, too many loads; those before stay.
        """
        self._core.hold([case for case, _ in loads], [float(size) for _, size in loads], body)

    def hold(self, nodes: Sequence[int], scales: ArrayLike = 1.0, family: int = 0, *, body: int = 0) -> None:
        """Load a body besides contact, instead of what it was loaded with before.

        Args:
            nodes: loaded nodes (k,), at most 16.
            scales: shares of the largest force, one or (k,).
            family: which direction.
            body: its number.
        Raises:
            ValueError: a node that cannot be loaded, a scale that is not finite, too many loads, no such body; those
                before stay.
        """
        if body not in range(len(self._bodies)):
            raise ValueError(f"body: {body}, expected its number, 0 … {len(self._bodies) - 1}")
        cases = [self._bodies[body].case(node, family) for node in nodes]
        sizes = np.broadcast_to(np.asarray(scales, dtype=float), len(cases))
        self.hold_cases(list(zip(cases, sizes.tolist(), strict=True)), body)

    def release(self) -> None:
        """Forget contact and its loads."""
        self._core.release()

    @property
    def forces(self) -> ContactForces:
        """Contact of the last `solve`, in the first body's axes; forces on what is pressed into it."""
        return ContactForces(**self._core.contacts(0))

    def wrench(self, centre: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Force and moment (6,) [N, N m] about a centre (3,) [m] on what presses the first body, in its axes."""
        return np.asarray(self._core.wrench(np.asarray(centre, dtype=float)))

    def loads_of(self, body: int) -> list[tuple[int, float]]:
        """Load cases of contact on a body and their sizes [-]."""
        return list(self._core.loads(body))

    def displacements_of(self, body: int) -> FloatArray:
        """Of all nodes of a body (n, 3) [m] in its axes, under the loads that are held and those of contact."""
        return np.asarray(self._core.displacements(body))


class ContactResponse(_Response):
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
        given = response_arguments(law, capacity, max_iterations, tolerance, self.points)
        core = _core.ContactResponse([separated_field(vademecum, modes)], [body_arguments(vademecum)], given)
        super().__init__([vademecum], core)

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

    @property
    def loads(self) -> list[tuple[int, float]]:
        """Load cases of contact and their sizes [-]."""
        return self.loads_of(0)

    @property
    def displacements(self) -> FloatArray:
        """Of all nodes (n, 3) [m] under the loads that are held and those of contact."""
        return self.displacements_of(0)


class PairResponse(_Response):
    """Two vademecums' bodies that press each other and both give way: as ContactResponse, with loads on both.

    A pointshell on the second body is pressed into the first. With `first_shell` one on the first is pressed into the
    second too, so that neither comes before the other; forces of both add up.

    Args:
        first, second: the bodies.
        shell: points on the second one.
        law: stiffness and friction, of each point.
        first_shell: points on the first one, or None.
        modes: how many of each to use; None means all.
        capacity: loads kept apart on each body at most; more are joined to their nearest.
        max_iterations, tolerance: see ContactResponse.
    Raises:
        ValueError: a number out of range, or directions that are not independent.
    """

    def __init__(
        self,
        first: Vademecum,
        second: Vademecum,
        shell: Pointshell,
        law: PenaltyLaw,
        *,
        first_shell: Pointshell | None = None,
        modes: tuple[int | None, int | None] = (None, None),
        capacity: int = 48,
        max_iterations: int = 40,
        tolerance: float = 1e-6,
    ) -> None:
        self.first, self.second, self.shell, self.law = first, second, shell, law
        fields = [separated_field(body, count) for body, count in zip((first, second), modes, strict=True)]
        bodies = [body_arguments(first, first_shell), body_arguments(second, shell)]
        given = response_arguments(law, capacity, max_iterations, tolerance)
        super().__init__([first, second], _core.ContactResponse(fields, bodies, given))

    def solve(self, position: ArrayLike, orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0)) -> ResponseStatus:
        """Equilibrium with the second body's axes here in those of the first; what sticks goes on.

        Args:
            position: of their origin (3,) [m].
            orientation: second to first axes, quaternion (x, y, z, w).
        Raises:
            ValueError: numbers that are not finite, or a quaternion that is zero.
        """
        place, turn = np.asarray(position, dtype=float), np.asarray(orientation, dtype=float)
        if (
            place.shape != (3,)
            or turn.shape != (4,)
            or not np.isfinite([*place, *turn]).all()
            or not turn.any()
        ):
            raise ValueError(
                "position, orientation: expected 3 finite numbers, and a quaternion that is not zero"
            )
        return ResponseStatus(*self._core.solve_pose(place, turn))

    @property
    def back_forces(self) -> ContactForces:
        """Contact of the first body's shell, in the second body's axes; forces on the first.

        Raises:
            ValueError: the first body has no shell.
        """
        return ContactForces(**self._core.contacts(1))


def body_arguments(vademecum: Vademecum, shell: Pointshell | None = None) -> dict[str, Any]:
    """What the core's response asks about a body, by name."""
    cases, mesh = vademecum.cases, vademecum.mesh
    told: dict[str, Any] = {
        "nodes": mesh.nodes,
        "triangles": mesh.boundary[1],
        "loaded": cases.nodes.tolist(),
        "clamped": cases.solid.clamped.tolist(),
        "directions": np.ascontiguousarray(cases.directions),
        "magnitude": float(cases.magnitude),
    }
    if shell is not None:
        told["shell_corners"] = shell.corners.astype(np.int32)
        told["shell_shares"] = np.ascontiguousarray(shell.shares, dtype=float)
    return told


def response_arguments(
    law: PenaltyLaw, capacity: int, max_iterations: int, tolerance: float, points: int = 0
) -> dict[str, Any]:
    """What the core's response asks besides, by name; `points` of a rigid shell."""
    return {
        "points": points,
        "stiffness": float(law.stiffness),
        "friction": float(law.friction),
        "tangential_stiffness": float(law.tangential_stiffness),
        "capacity": int(capacity),
        "max_iterations": int(max_iterations),
        "tolerance": float(tolerance),
    }
