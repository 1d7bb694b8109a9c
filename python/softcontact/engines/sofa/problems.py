# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contact problem of a step, copied while SOFA's constraint solver still holds it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray, StepProblem
from softcontact.engines.sofa.contact import SurfacePair
from softcontact.engines.sofa.point_contacts import PointContacts
from softcontact.scene.errors import SceneError
from softcontact.solver import ContactProblem

_MEANING = (
    "u [m/s] relative velocities at the end of the step, gap/h of its start added to the normal ones as SOFA's "
    "FrictionContactConstraint does; r [N] contact forces, SOFA's multipliers over h; W = h H A^-1 H^T [m/(N s)]"
)


class KeptProblem:
    """W, q, μ and the forces of the velocity pass; the position pass overwrites what the solver holds.

    Args:
        solver: SOFA's constraint solver.
        points: reads which rows are whose; None where the scene has no point contacts.
        pairs: all pairs of surfaces that meet.
        step: time step [s].
    Raises:
        SceneError: some contacts are patches, or have one row only.
    """

    def __init__(
        self, solver: Any, points: PointContacts | None, pairs: Sequence[SurfacePair], step: float
    ) -> None:
        self._solver, self._points, self._step = solver, points, step
        self._last: tuple[FloatArray, ...] | None = None
        if any(pair.aggregated for pair in pairs):
            raise SceneError(
                "contact.model: patches make no problem of point contacts; use contact.model=point"
            )
        if any(not pair.friction > 0.0 for pair in pairs):
            raise SceneError(
                "friction: 0 leaves SOFA's contacts with one row each, which FCLIB's problems of three rows cannot "
                "hold; use a small coefficient such as 1e-9, or --engine embedded"
            )

    def clear(self) -> None:
        """Forget the last step."""
        self._last = None

    def read(self, impulses: FloatArray) -> None:
        """Copy the problem whose impulses [N s] these are.

        Raises:
            RuntimeError: rows that no pair of surfaces owns.
        """
        owned = self._points.rows
        order = np.concatenate([rows for _, rows in owned]) if owned else np.zeros(0, dtype=int)
        if len(order) != len(impulses):
            raise RuntimeError(f"{len(impulses)} constraint rows, of which {len(order)} belong to contacts")
        mu = np.concatenate([np.full(len(rows) // 3, pair.friction) for pair, rows in owned])
        # SOFA stores rows, its binding shows columns.
        delassus = np.array(self._solver.W(), dtype=float).T[np.ix_(order, order)]
        free = np.array(self._solver.dfree(), dtype=float)[order]
        self._last = (self._step * delassus, free, mu, impulses[order] / self._step)

    def problem(self) -> StepProblem | None:
        """The problem of the last step; None where it had no contacts."""
        if self._last is None:
            return None
        delassus, free, mu, force = self._last
        return StepProblem(ContactProblem(delassus, free, mu), force, _MEANING)
