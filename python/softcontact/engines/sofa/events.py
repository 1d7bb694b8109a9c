# SPDX-License-Identifier: LGPL-2.1-or-later
"""The controller of a SOFA graph: drivers at the start of a step, readings where they are valid."""

from collections.abc import Sequence
from typing import Any

import Sofa.Core


class SceneController(Sofa.Core.Controller):
    """Calls what moves the graph and what reads it.

    Args:
        drivers: called with begin(time, step) at the start of each step, in this order.
        readout: told of the stages of a step.
        starters: called with set_weights() once the graph is initialised.
        step: time step [s].
    """

    def __init__(
        self, *, drivers: Sequence[Any], readout: Any, starters: Sequence[Any], step: float, name: str
    ) -> None:
        super().__init__(name=name)
        self.drivers, self.readout, self.starters = list(drivers), readout, list(starters)
        self.step, self.count = step, 0

    # SOFA finds the handlers by these names. A handler that returned a value would stop the event.

    def onSimulationInitDoneEvent(self, event: Any) -> None:
        """Finish what needs initialised components."""
        for starter in self.starters:
            starter.set_weights()

    def onAnimateBeginEvent(self, event: Any) -> None:
        """Move what is driven."""
        for driver in self.drivers:
            driver.begin(self.count * self.step, self.step)
        self.count += 1
        self.readout.begin()

    def onCollisionBeginEvent(self, event: Any) -> None:
        """Free motion is done."""
        self.readout.mark("free")

    def onCollisionEndEvent(self, event: Any) -> None:
        """Contacts are found."""
        self.readout.mark("detection")

    def onSolveConstraintSystemEndEvent(self, event: Any) -> None:
        """Contact forces are found."""
        self.readout.mark("solve")
        self.readout.solved()

    def onAnimateEndEvent(self, event: Any) -> None:
        """The step is done."""
        self.readout.mark("position")
        self.readout.end()
