# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything that moves an avatar's targets: the compliant chain, balance, and the static load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softcontact.avatar.balance import Balance, Load
from softcontact.avatar.compliance import CompliantChain
from softcontact.avatar.holding import bearing_torques
from softcontact.avatar.standing import StandingAvatar, least_loads, static_offset

Array = NDArray[np.float64]


class AvatarController:
    """Steps a World that an avatar stands in, forces on its links included.

    Every control period: q_d of the compliant chain, the pelvis shifted for balance, and on top the offset with which
    the servos bear gravity there and what ``bearing`` says.

    Args:
        body: in its World.
        chain: how the touched chain gives way; None: CompliantChain at the body's posture with its defaults.
        balance: None for none.
        period: of control [s], a multiple of the World's step.
    Attributes:
        bearing: loads on the hands that the servos are to bear, such as those of holding.borne_loads.
    Raises:
        ValueError: a period that is not.
    """

    def __init__(
        self,
        body: StandingAvatar,
        *,
        chain: CompliantChain | None = None,
        balance: Balance | None = None,
        period: float = 0.01,
    ) -> None:
        steps = period / body.world.time_step
        if not (steps >= 1.0 - 1e-9 and abs(steps - round(steps)) < 1e-6):
            raise ValueError(f"period = {period} s must be a multiple of the step, {body.world.time_step} s")
        self.body, self.balance, self.period = body, balance, period
        self.chain = CompliantChain(body.avatar, body.posture) if chain is None else chain
        self.bearing: Sequence[Load] = ()
        self._steps = round(steps)

    def run(self, seconds: float, loads: Sequence[Load] = ()) -> None:
        """Advance by whole control periods under constant loads, as those of CompliantChain.step.

        Raises:
            RuntimeError: the World stopped; the message is its own.
        """
        world = self.body.world
        for _ in range(max(1, round(seconds / self.period))):
            self.apply(loads)
            self.control(loads)
            if not world.step(self._steps):
                raise RuntimeError(world.status()["message"])

    def apply(self, loads: Sequence[Load]) -> None:
        """Loads on the links in the World, from its next step on, in place of the last ones."""
        model, q = self.body.avatar.model, self.body.configuration
        applied = np.zeros(model.nv)
        for link, point, force, torque in loads:
            applied += model.generalized_force(q, link, point, force, torque)
        self.body.world.set_applied_force(self.body.id, applied)

    def control(self, loads: Sequence[Load] = ()) -> None:
        """Move the targets on by one control period.

        Args:
            loads: that the avatar gives way to, as those of CompliantChain.step; whether the World has them from its
                contacts or from ``apply``.
        """
        avatar, model = self.body.avatar, self.body.avatar.model
        desired = self.chain.step(self.body.configuration, list(loads), self.period)
        if self.balance is not None:
            desired = self.balance.step(desired, loads, self.period)
        torques = least_loads(avatar, desired)[1] + bearing_torques(avatar, desired, self.bearing)
        self.body.set_targets(model.integrate(desired, static_offset(avatar, torques)))
