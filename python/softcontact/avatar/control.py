# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything that moves an avatar's targets: the compliant chain, balance, and the static load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softcontact.avatar.balance import Balance, Load
from softcontact.avatar.compliance import CompliantChain
from softcontact.avatar.standing import StandingAvatar, least_loads, static_offset

Array = NDArray[np.float64]


class AvatarController:
    """Steps a World that an avatar stands in, forces on its links included.

    Every control period: q_d of the compliant chain, the pelvis shifted for balance, and on top the offset with which
    the servos bear gravity there. The forces act in the World as well as on the chain.

    Args:
        body: in its World.
        chain: how the touched chain gives way; None: CompliantChain at the body's posture with its defaults.
        balance: None for none.
        period: of control [s], a multiple of the World's step.
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
        self._steps = round(steps)

    def run(self, seconds: float, loads: Sequence[Load] = ()) -> None:
        """Advance by whole control periods under constant loads, as those of CompliantChain.step.

        Raises:
            RuntimeError: the World stopped; the message is its own.
        """
        world, model = self.body.world, self.body.avatar.model
        for _ in range(max(1, round(seconds / self.period))):
            q = self.body.configuration
            applied = np.zeros(model.nv)
            for link, point, force, torque in loads:
                applied += model.generalized_force(q, link, point, force, torque)
            world.set_applied_force(self.body.id, applied)
            desired = self.chain.step(q, list(loads), self.period)
            if self.balance is not None:
                desired = self.balance.step(desired, loads, self.period)
            self.body.set_targets(
                model.integrate(
                    desired, static_offset(self.body.avatar, least_loads(self.body.avatar, desired)[1])
                )
            )
            if not world.step(self._steps):
                raise RuntimeError(world.status()["message"])
