# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices that need no hardware: one in a simulated hand, and one that plays a recording."""

from dataclasses import asdict, dataclass, field
from typing import Any

from softcontact import _core
from softcontact.haptics.recording import Recording
from softcontact.haptics.script import HandScript, press


@dataclass(frozen=True)
class HandAxis:
    """(m + m_h) ẍ = F − c ẋ − b (ẋ − ẋ_h) − k (x − x_h): a device in a hand, along or about an axis.

    Attributes:
        mass: m of the device [kg or kg m²], > 0.
        damping: c of the device [N s/m or N m s/rad].
        hand_mass: m_h of hand and arm, as far as they go along.
        hand_damping: b.
        hand_stiffness: k; 0 with b = 0: no hand.
    """

    mass: float = 0.1
    damping: float = 0.5
    hand_mass: float = 0.15
    hand_damping: float = 8.0
    hand_stiffness: float = 400.0


@dataclass(frozen=True)
class SimulatedDevice:
    """A device of six axes in a human hand that follows a script; no hardware.

    Attributes:
        script: what the hand intends.
        translation, rotation: of device and hand.
        position_step, rotation_step: of the encoders [m, rad]; 0: exact.
        velocity_cutoff: of the low-pass on differences of the readings [Hz]; 0: none.
        max_force: [N].
        max_torque: [N m]; 0: no motors for torques.
    """

    script: HandScript = field(default_factory=press)
    translation: HandAxis = HandAxis()
    rotation: HandAxis = HandAxis(5e-5, 1e-3, 2e-4, 0.02, 2.0)
    position_step: float = 2e-5
    rotation_step: float = 2e-4
    velocity_cutoff: float = 200.0
    max_force: float = 3.3
    max_torque: float = 0.2

    def open(self, period: float) -> Any:
        """See Device.open."""
        return _core.SimulatedHapticDevice(
            self.script.times.tolist(),
            self.script.positions,
            self.script.orientations,
            translation=asdict(self.translation),
            rotation=asdict(self.rotation),
            period=float(period),
            position_step=float(self.position_step),
            rotation_step=float(self.rotation_step),
            velocity_cutoff=float(self.velocity_cutoff),
            max_force=float(self.max_force),
            max_torque=float(self.max_torque),
        )

    def close(self, core: Any) -> None:
        """Nothing to give back."""


@dataclass(frozen=True)
class RecordedDevice:
    """Plays the poses of a recording, one a tick, whatever force it is sent; then nothing fresh comes any more.

    Attributes:
        recording: where they come from.
    """

    recording: Recording

    def open(self, period: float) -> Any:
        """See Device.open.

        Raises:
            ValueError: another period than the recording's.
        """
        own = 1.0 / self.recording.settings.rate_hz
        if abs(period - own) > 1e-9 * own:
            raise ValueError(
                f"rate_hz: {1 / period:g}; this recording was made at {self.recording.settings.rate_hz:g} Hz, give that"
            )
        return _core.RecordedDevice(self.recording.core(), self.recording.capabilities.as_dict())

    def close(self, core: Any) -> None:
        """Nothing to give back."""
