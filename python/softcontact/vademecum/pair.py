# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two bodies in the world in contact, one or both answered by a vademecum and giving way to the forces between them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softcontact.vademecum.contact import ContactForces, PenaltyContact, PenaltyLaw
from softcontact.vademecum.loaded import LoadedBody, Placement
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.response import ContactResponse, PairResponse

__all__ = ["ContactPair", "PairState", "RestingPair"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class PairState:
    """How a question ended.

    Attributes:
        converged: forces and depths agree to the tolerance.
        iterations: Newton steps.
        residual: change of the loads in the last step against their size [-].
        detection_s: time in contact detection, all of it together [s].
        detections: how many that were.
        unknowns: loads that the contact puts on the bodies.
    """

    converged: bool
    iterations: int
    residual: float
    detection_s: float
    detections: int
    unknowns: int

    def after(self, other: PairState) -> PairState:
        """This one after another one, both as parts of a step."""
        return PairState(
            self.converged and other.converged,
            self.iterations + other.iterations,
            max(self.residual, other.residual),
            self.detection_s + other.detection_s,
            self.detections + other.detections,
            self.unknowns,
        )


class _Pair:
    """A pointshell on the second body pressed into the first one, and the forces in the world.

    Args:
        first: what the shell is pressed into.
        second: the shell's body; a Placement where it is rigid.
        shell: points on the second body.
        law: penalty forces.
    """

    forces: ContactForces

    def __init__(
        self, first: LoadedBody, second: LoadedBody | Placement, shell: Pointshell, law: PenaltyLaw
    ) -> None:
        self.first, self.second, self.shell, self.law = first, second, shell, law

    def points(self) -> FloatArray:
        """The shell in the world (k, 3) [m]."""
        return self.shell.points(self.second.positions())

    def _shell_in_first(self) -> FloatArray:
        return self.first.placement.to_body(self.points())

    @property
    def world(self) -> tuple[FloatArray, FloatArray]:
        """Where the contact forces act and those on the second body, in the world (c, 3) each [m], [N]."""
        return self.first.placement.to_world(self.forces.points), self.first.placement.turn(
            self.forces.forces
        )


class ContactPair(_Pair):
    """Both bodies give way, as far as they can: ContactResponse or PairResponse of the core.

    Args:
        first, second, shell, law: see above.
        tolerance: of the loads that contact puts on the bodies, their change in a Newton step against their size [-].
        most: Newton steps at most.
        capacity: loads of contact kept apart on each body.
    Source: González et al. 2015, Sec. 3; giving way beyond it.
    """

    def __init__(
        self,
        first: LoadedBody,
        second: LoadedBody | Placement,
        shell: Pointshell,
        law: PenaltyLaw,
        *,
        tolerance: float = 1e-8,
        most: int = 60,
        capacity: int = 96,
    ) -> None:
        super().__init__(first, second, shell, law)
        options = {"capacity": capacity, "max_iterations": most, "tolerance": tolerance}
        self._response: ContactResponse | PairResponse
        if isinstance(second, LoadedBody):
            modes = first.modes, second.modes
            self._response = PairResponse(
                first.vademecum, second.vademecum, shell, law, modes=modes, **options
            )
        else:
            self._response = ContactResponse(first.vademecum, len(shell), law, modes=first.modes, **options)
        self.forces = self._response.forces

    def solve(self) -> PairState:
        """Find the forces with the bodies' loads and places as they are now, and let the contact go on from there."""
        response = self._response
        response.hold_cases(self.first.loads)
        if isinstance(response, PairResponse):
            response.hold_cases(self.second.loads, 1)
            place, other = self.first.placement, self.second.placement
            turn = (place.rotation.inv() * other.rotation).as_quat()
            status = response.solve(place.to_body(other.position), turn)
            self._take(self.second, 1)
        else:
            status = response.solve(self._shell_in_first())
        self._take(self.first, 0)
        self.forces = response.forces
        return PairState(
            status.converged,
            status.iterations,
            status.residual,
            status.detection_s,
            status.detections,
            status.loads,
        )

    def _take(self, body: LoadedBody, number: int) -> None:
        body.displacement = self._response.displacements_of(number)
        body.contact_loads = self._response.loads_of(number)


class RestingPair(_Pair):
    """Nobody gives way to contact: the bodies answer to their own loads alone, as in the paper."""

    def __init__(
        self, first: LoadedBody, second: LoadedBody | Placement, shell: Pointshell, law: PenaltyLaw
    ) -> None:
        super().__init__(first, second, shell, law)
        self._contact = PenaltyContact(first.field, len(shell), law)
        self.forces = self._contact.forces

    def solve(self) -> PairState:
        """Forces with the bodies' loads and places as they are now."""
        for body in (self.first, self.second):
            if isinstance(body, LoadedBody):
                body.apply()
        points = self._shell_in_first()
        began = time.perf_counter()
        self._contact.evaluate(points)
        spent = time.perf_counter() - began
        self._contact.commit()
        self.forces = self._contact.forces
        return PairState(True, 0, 0.0, spent, 1, 0)
