# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can be changed in a scene that runs: material, friction, coupling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Control:
    """A number that a running scene takes.

    Attributes:
        name: that `set` takes.
        label: for people.
        unit: of the numbers here.
        low, high: bounds, both allowed.
        value: at the start.
        apply: brings a value into the simulation; called between two of its steps.
    """

    name: str
    label: str
    unit: str
    low: float
    high: float
    value: float
    apply: Callable[[float], None]

    def check(self, value: float) -> float:
        """The value as a number.

        Raises:
            ValueError: not a finite number, or out of bounds; names the control and the bounds.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{self.name}: {value!r} is no finite number; {self._expected()}")
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name}: {value:g} is out of bounds; {self._expected()}")
        return float(value)

    def _expected(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        return f"give {self.low:g} to {self.high:g}{unit}"


def find(controls: tuple[Control, ...], name: str) -> Control:
    """The control of that name.

    Raises:
        ValueError: there is none; names those that there are.
    """
    for control in controls:
        if control.name == name:
            return control
    known = ", ".join(control.name for control in controls) or "none"
    raise ValueError(f"control: no {name!r} in this scene; there are: {known}")
