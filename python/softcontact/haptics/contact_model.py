# SPDX-License-Identifier: LGPL-2.1-or-later
"""The linear contact model that the slow thread hands to the fast one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.haptics.coupling import RigidState, vector

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ModelContact:
    """One contact of a model, as its last use left it.

    Attributes:
        state: "open", "stick" or "slide".
        force: (n, t, s) on the tissue's or tool's side A [N].
        displacement: (n, t, s) [m]: gap, and what the contact moved sideways since it last began to stick.
        friction: coefficient.
        rows: (3, 6) force and torque on the tool per unit of `force`.
    """

    state: str
    force: FloatArray
    displacement: FloatArray
    friction: float
    rows: FloatArray


class LinearContactModel:
    """Contact with tissue as the tool will feel it until the next slow step.

    `wrench` is the linear law of the paper, F_c = F_c0 + dF_c/dF F + dF_c/dT T and T_c likewise (Eq. 13),
    bilateral on the contacts that were active. `solve` goes beyond it: the same contacts as unilateral rows with
    Coulomb friction on the tissue's condensed compliance, W = H_t A_t^-1 H_t^T + H_b A_b^-1 H_b^T.

    Args:
        force_offset: F_c0 (3,) [N].
        torque_offset: T_c0 (3,) [N m], about the tool's centre of mass.
        matrix: d(F_c, T_c)/d(F, T) (6, 6).
        capacity: contacts that there is room for as rows of the fast thread.

    Raises:
        ValueError: on wrong shapes, numbers that are not finite, a negative capacity.

    Source: Otaduy and Gross 2007, Sec. 5.3.
    """

    def __init__(
        self,
        force_offset: ArrayLike = (0.0, 0.0, 0.0),
        torque_offset: ArrayLike = (0.0, 0.0, 0.0),
        matrix: ArrayLike | None = None,
        *,
        capacity: int = 32,
    ) -> None:
        self.native = _core.LinearContactModel(capacity)
        gain = np.zeros((6, 6)) if matrix is None else np.asarray(matrix, dtype=np.float64)
        if gain.shape != (6, 6) or not np.isfinite(gain).all():
            raise ValueError(f"matrix: expected (6, 6) finite numbers, got shape {gain.shape}")
        self.native.offset = np.concatenate(
            [vector("force_offset", force_offset, 3), vector("torque_offset", torque_offset, 3)]
        )
        self.native.gain = gain

    @property
    def force_offset(self) -> FloatArray:
        """F_c0 (3,) [N]."""
        return self.native.offset[:3]

    @property
    def torque_offset(self) -> FloatArray:
        """T_c0 (3,) [N m]."""
        return self.native.offset[3:]

    @property
    def matrix(self) -> FloatArray:
        """d(F_c, T_c)/d(F, T) (6, 6)."""
        return self.native.gain

    @property
    def free_force(self) -> FloatArray:
        """Discrete-time force and torque (6,) that the tool had in the slow step."""
        return self.native.free_force

    @property
    def reference(self) -> RigidState:
        """The tool's frame at the start of the slow step, what displacements count from."""
        return RigidState(*self.native.reference)

    @property
    def contact_wrench(self) -> FloatArray:
        """Contact force and torque (6,) that the slow step found."""
        return self.native.contact

    @property
    def contacts(self) -> list[ModelContact]:
        """The rows of the fast thread."""
        return [
            ModelContact(c["state"], c["force"], c["displacement"], c["friction"], c["rows"])
            for c in self.native.contact_list()
        ]

    def wrench(self, force: ArrayLike, torque: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Contact force [N] and torque [N m] on the tool at a discrete-time force and torque (Eq. 13).

        Raises:
            ValueError: on wrong shapes and numbers that are not finite.
        """
        both = self.native.wrench(vector("force", force, 3), vector("torque", torque, 3))
        return both[:3], both[3:]

    def solve(self, displacement: ArrayLike, max_changes: int = 16) -> tuple[FloatArray, FloatArray]:
        """Contact force and torque on a tool that would end a fast step displaced by this much without contact.

        Contacts that would pull are released, those beyond their Coulomb bound slide.

        Args:
            displacement: of the centre of mass and rotation vector (6,) from the tool at the start of the slow
                step [m], [rad].
            max_changes: contacts that may change their state in this call.

        Raises:
            ValueError: on a wrong shape and numbers that are not finite.
        """
        both = self.native.solve(vector("displacement", displacement, 6), max_changes)
        return both[:3], both[3:]

    def copy(self) -> LinearContactModel:
        """A model that goes its own way."""
        other = LinearContactModel.__new__(LinearContactModel)
        other.native = self.native.copy()
        return other
