# SPDX-License-Identifier: LGPL-2.1-or-later
"""What drives a scene: prescribed motions, joint targets and the closing of a grasp."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from softcontact.scene.avatars import HeldDevice
from softcontact.scene.fields import (
    ORIGIN,
    UPRIGHT,
    Integer,
    Length,
    Name,
    NonNegative,
    Orientations,
    Part,
    Points,
    Position,
    Positive,
    Quaternion,
    Reals,
    Table,
    Times,
    rising,
)
from softcontact.scene.vademecums import LoadMotion
from softcontact.tracking.files import find_track
from softcontact.tracking.udp import address
from softcontact.tracking.values import TrackError


class Keyframes(Part):
    """Poses that a kinematic body, a block's driven face, a tool's device or a vademecum's body passes through, or that
    a fingertip is pulled along.

    Straight lines and slerp between them.
    """

    kind: Literal["keyframes"] = "keyframes"
    body: Name
    """The kinematic body, the fingertip, the tool, the block or the vademecum's body."""
    times: Times
    """Times (k,), rising [s]."""
    positions: Annotated[Points, Field(min_length=1)]
    """Origins of the body, of a tool's device (k, 3) [m]."""
    orientations: Orientations = ()
    """Quaternions (k, 4), (x, y, z, w); by default the one at the start throughout."""

    @model_validator(mode="after")
    def _rows(self) -> "Keyframes":
        _same_rows(self, "positions")
        if self.orientations:
            _same_rows(self, "orientations")
        return self


class JointMotion(Part):
    """Targets of the joint springs of an articulated body; straight lines and slerp between them."""

    kind: Literal["joints"] = "joints"
    body: Name
    """The articulated body."""
    times: Times
    """Times (k,), rising [s]."""
    targets: Annotated[Table, Field(min_length=1)]
    """Joint positions (k, nq) [rad or m; spherical: quaternion]."""

    @model_validator(mode="after")
    def _rows(self) -> "JointMotion":
        _same_rows(self, "targets")
        return self


class HandMotion(Part):
    """Tracked joint angles and palm that the soft hand is pulled along; it starts at the first keyframe."""

    kind: Literal["hand"] = "hand"
    body: Name
    """The hand."""
    times: Times
    """Times (k,), rising [s]."""
    values: Annotated[Table, Field(min_length=1), Length(columns=slice(20, 23))]
    """Keyframes (k, 26): 20 joint angles [rad], palm position [m], palm rotation vector [rad]."""
    interpolation: Literal["minimum_jerk", "cubic"] = "minimum_jerk"
    """Between keyframes: come to rest at each (minimum_jerk) or pass through (cubic)."""

    @model_validator(mode="after")
    def _rows(self) -> "HandMotion":
        _same_rows(self, "values")
        _twenty_six(self.values)
        return self


class TrackMotion(Part):
    """A recording of a tracked hand, or a live stream of one, that the soft hand is pulled along.

    The hand starts at the first sample. Joint limits and rate limits hold whatever the source gives.
    """

    kind: Literal["track"] = "track"
    body: Name
    """The hand."""
    source: str | None = None
    """Recording: one of the package's by its name ("grasp"), or a .csv, .h5 or .jsonl file; or a live stream,
    udp://HOST:PORT."""
    calibration: str | None = None
    """YAML file with the minimum and maximum of each sensor, in place of the recording's own."""
    smoothing: Literal["none", "one-euro", "savgol"] = "none"
    """Filter over the samples: 1-Euro (from the past only) or Savitzky-Golay (recordings only)."""
    times: Reals = ()
    """Times (k,), rising [s], in place of a source; what a run leaves in its scene.json."""
    values: Annotated[Table, Length(columns=slice(20, 23))] = ()
    """Samples (k, 26) in place of a source: 20 joint angles [rad], palm position [m], rotation vector [rad]."""
    start: NonNegative = 0.0
    """Time in the recording at which the run starts [s]."""
    frame: Literal["world", "start"] = "world"
    """Whether the palm goes where the tracker says, or starts at the hand's own position and orientation and
    moves from there as tracked."""
    position: Position = ORIGIN
    """Origin of the tracker's axes in the world [m]."""
    orientation: Quaternion = UPRIGHT
    """The tracker's axes in the world, quaternion (x, y, z, w)."""
    joint_rate: Positive = 20.0
    """Fastest change of a joint's target [rad/s]."""
    palm_rate: Positive = 4.0
    """Fastest motion of the palm's target [m/s]."""
    turn_rate: Positive = 20.0
    """Fastest turn of the palm's target [rad/s]."""
    delay: NonNegative = 0.05
    """Stream: time that late and lost packets are waited for [s]."""
    freeze_after: NonNegative = 0.5
    """Stream: time without packets, the last pose held, after which the hand is frozen [s]."""
    timeout: Positive = 10.0
    """Stream: longest wait for the first packet [s]."""
    coupling: Literal["unilateral", "bilateral"] = "unilateral"
    """Unilateral: the hand follows, nothing is felt. Bilateral: wrenches at fingertips and palm go back."""
    feedback: str | None = None
    """Bilateral: udp://HOST:PORT that the wrenches are sent to; without it they are only recorded."""
    force_scale: NonNegative = 1.0
    """Bilateral: share of the contact wrench that is displayed [-]."""
    force_limit: Positive = 20.0
    """Bilateral: largest force displayed at a finger [N]."""

    @property
    def live(self) -> bool:
        """Whether it is a stream."""
        return self.source is not None and self.source.startswith("udp://")

    @field_validator("source", "calibration", "feedback")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return value
        if info.field_name == "feedback" or (info.field_name == "source" and value.startswith("udp://")):
            address(value)
            return value
        if info.field_name == "calibration":
            return _file(value, info)
        try:
            path = find_track(value, (info.context or {}).get("folder", "."))
        except TrackError as error:
            raise ValueError(
                str(error).removeprefix("source: ")
            ) from None  # which the path of the field tells
        return value if path.name.startswith(f"track_{value}.") else str(path.resolve())

    @model_validator(mode="after")
    def _one_source(self) -> "TrackMotion":
        if (self.source is None) == (not self.times):
            raise ValueError("source: give either a source, or times and values")
        if self.live and self.smoothing == "savgol":
            raise ValueError("smoothing: savgol needs what comes later; give one-euro or none for a stream")
        if self.feedback is not None and self.coupling == "unilateral":
            raise ValueError("feedback: coupling is unilateral, nothing is sent; give coupling bilateral")
        if self.times:
            rising(self.times)
            _same_rows(self, "values")
            _twenty_six(self.values)
        return self


class DeviceMotion(Part):
    """A block's driven face on a simulated haptic device, which a hand pulls along a path against the felt force.

    m a = k (x_hand − x) + b (v_hand − v) − c v + felt force; without mass, the device is where the path says.
    """

    kind: Literal["device"] = "device"
    body: Name
    """The block."""
    times: Times
    """Times (k,), rising [s]."""
    positions: Annotated[Points, Field(min_length=1)]
    """Origins of the block (k, 3) that the hand intends [m]; straight lines between."""
    mass: NonNegative = 0.1
    """Moving mass m [kg]; 0 prescribes the motion."""
    damping: NonNegative = 0.5
    """Damping of the device c [N s/m]."""
    hand_stiffness: NonNegative = 600.0
    """Stiffness of the hand k [N/m]."""
    hand_damping: NonNegative = 10.0
    """Damping of the hand b [N s/m]."""
    force_scale: NonNegative = 0.01
    """Share of the contact force that is fed back [-]."""
    force_limit: NonNegative = 7.9
    """Largest force of the device [N]; by default a PHANTOM Desktop's."""

    @model_validator(mode="after")
    def _rows(self) -> "DeviceMotion":
        _same_rows(self, "positions")
        return self


Motion = Annotated[
    Keyframes | JointMotion | HandMotion | TrackMotion | DeviceMotion | HeldDevice | LoadMotion,
    Field(discriminator="kind"),
]


FingerName = Literal["thumb", "index", "middle", "ring", "little"]
FINGERS: tuple[FingerName, ...] = ("thumb", "index", "middle", "ring", "little")


class Finger(Part):
    """One finger of an articulated body for a grasp."""

    name: Name
    """Name of the finger."""
    dofs: Annotated[tuple[Integer, ...], Field(min_length=1)]
    """Numbers of the degrees of freedom that close, from the base outward."""
    rates: Reals
    """Closing speed of each degree of freedom [rad/s]."""
    links: Annotated[tuple[str, ...], Field(min_length=1)]
    """Link that each degree of freedom moves, in the same order."""
    share: Positive = 1.0
    """Share of the grasp's force that this finger stops at [-]."""

    @model_validator(mode="after")
    def _rows(self) -> "Finger":
        if not len(self.dofs) == len(self.rates) == len(self.links):
            counts = f"{len(self.dofs)}, {len(self.rates)} and {len(self.links)}"
            raise ValueError(f"dofs, rates and links have {counts} entries; give one of each a joint")
        return self


class Grasp(Part):
    """Closes the fingers until each feels the wanted force, then keeps their targets.

    Between start and end each degree of freedom advances at its rate; it stops when the normal force on
    the phalanges that it moves, summed over its link and those beyond, reaches `force`.
    """

    body: Name
    """The hand, or an articulated body."""
    start: NonNegative = 0.0
    """Start of closing [s]."""
    end: Positive
    """End of closing [s]."""
    force: Positive
    """Normal force at which a joint stops closing [N]."""
    rate: Positive = 1.0
    """Closing speed of a hand's base joints [rad/s]; the joints beyond close at 0.8 and 0.5 of it."""
    hand_fingers: Annotated[tuple[FingerName, ...], Field(min_length=1)] = FINGERS
    """Fingers of a hand that close."""
    shares: tuple[Positive, ...] = ()
    """Share of `force` for each of hand_fingers [-]; by default 1, and for the thumb half of the others' sum."""
    fingers: tuple[Finger, ...] = ()
    """Joints that close, in place of hand_fingers; needed for an articulated body."""

    @model_validator(mode="after")
    def _window(self) -> "Grasp":
        if not self.end > self.start:
            raise ValueError(f"end ({self.end:g} s) must come after start ({self.start:g} s)")
        if len(self.shares) not in (0, len(self.hand_fingers)):
            raise ValueError(
                f"shares has {len(self.shares)} values for {len(self.hand_fingers)} fingers; give one a finger, or none"
            )
        return self


def _file(path: str, info: ValidationInfo) -> str:
    full = (Path((info.context or {}).get("folder", ".")) / Path(path).expanduser()).resolve()
    if not full.is_file():
        raise ValueError(f"no file {path!r}; give its name relative to the scene file")
    return str(full)


def _twenty_six(values: tuple[tuple[float, ...], ...]) -> None:
    for index, row in enumerate(values):
        if len(row) != 26:
            wanted = "26: 20 angles, position, rotation vector"
            raise ValueError(f"values: row {index} has {len(row)} numbers; give {wanted}")


def _same_rows(part: Part, field: str) -> None:
    rows, times = len(getattr(part, field)), len(part.times)
    if rows != times:
        raise ValueError(f"{field} has {rows} rows for {times} times; give one row a time")
