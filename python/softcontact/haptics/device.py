# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every haptic device is to the rest: a description that opens, and a record of what it can do."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from softcontact.haptics.settings import check_kinds


@dataclass(frozen=True)
class Capabilities:
    """What a device can do; NaN where its driver does not tell.

    Attributes:
        model: its name.
        max_force: for a short time [N].
        max_continuous_force: [N].
        max_torque: for a short time [N m]; 0 without motors for torques.
        max_stiffness: largest wall that is stable without a hand [N/m].
        workspace_lower, workspace_upper: corners of the workspace (3,) [m].
        position_resolution: [m].
        position_axes, rotation_axes: measured.
        force_axes, torque_axes: driven.
    Raises:
        ValueError: a field of another kind.
    """

    model: str
    max_force: float = math.nan
    max_continuous_force: float = math.nan
    max_torque: float = math.nan
    max_stiffness: float = math.nan
    workspace_lower: tuple[float, float, float] = (math.nan,) * 3
    workspace_upper: tuple[float, float, float] = (math.nan,) * 3
    position_resolution: float = math.nan
    position_axes: int = 3
    rotation_axes: int = 0
    force_axes: int = 3
    torque_axes: int = 0

    def __post_init__(self) -> None:
        check_kinds(self)

    @classmethod
    def of(cls, core: Any) -> "Capabilities":
        """Those of the core's device."""
        told = core.capabilities
        for corner in ("workspace_lower", "workspace_upper"):
            told[corner] = tuple(np.asarray(told[corner]).tolist())
        return cls(**told)

    @property
    def has_torques(self) -> bool:
        """Whether the hand feels torques."""
        return self.torque_axes > 0

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the core and for files."""
        return asdict(self)


class Device(Protocol):
    """A description of a device that can be opened, as often as there are sessions."""

    def open(self, period: float) -> Any:
        """The core's device for ticks of `period` seconds.

        Raises:
            ValueError, OSError: it cannot be had; the message tells cause and remedy.
        """
        ...

    def close(self, core: Any) -> None:
        """Give back what open() took."""
        ...
