# SPDX-License-Identifier: LGPL-2.1-or-later
"""A device that takes up the tool where the scene has it."""

from dataclasses import dataclass
from typing import Any

from softcontact import _core
from softcontact.haptics.device import Device


@dataclass(frozen=True)
class AnchoredDevice:
    """Another device, whose first reading counts as a given pose: p = p_start + (p_device − p_first) and
    q = q_device q_first⁻¹ q_start. Ways and forces keep their directions.

    Attributes:
        device: what the hand holds.
        position: (3,) [m].
        orientation: unit quaternion (x, y, z, w).
    """

    device: Device
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def open(self, period: float) -> Any:
        """See Device.open.

        Raises:
            ValueError: see the device; or the pose is not finite.
        """
        inner = self.device.open(period)
        try:
            core = _core.AnchoredDevice(inner, self.position, self.orientation)
        except BaseException:
            self.device.close(inner)
            raise
        core.inner = inner
        return core

    def close(self, core: Any) -> None:
        """Give the device back."""
        self.device.close(core.inner)
