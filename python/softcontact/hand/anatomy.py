# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sizes, joint placement and joint limits of a parametric human hand.

Palm frame: origin at the centre of the wrist, x towards the fingers, z out of the back of the hand (the palm
faces -z), y = z × x, which is the thumb side of a right hand and the little-finger side of a left hand.
Every segment's frame has its origin at its joint, x along the bone, z out of its nail side, so that a
positive flexion, a turn about +y, curls it towards the palm. A positive abduction turns a finger towards the
thumb side and the thumb out of the plane of the palm.

Source of the default lengths: the published hand lengths, breadths, knuckle-based finger sums and joint
distances of men (ANSUR II and joint-centre studies). The joints' places in the palm, breadths and
thicknesses are typical values of the same population.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "FINGERS",
    "JOINTS",
    "LINKS",
    "SEGMENTS",
    "FingerParameters",
    "HandParameters",
    "finger_bases",
    "joint_limits",
]

FloatArray = NDArray[np.float64]

FINGERS = ("thumb", "index", "middle", "ring", "little")
SEGMENTS = ("proximal", "middle", "distal")
JOINTS = ("base_abduction", "base_flexion", "middle_flexion", "distal_flexion")
LINKS = ("palm", *(f"{finger}_{segment}" for finger in FINGERS for segment in SEGMENTS))
"""Link names in order. The thumb's three segments are its metacarpal, proximal and distal bones, so that each
finger has the same four angles; they keep the names proximal, middle and distal here."""

REFERENCE_LENGTH, REFERENCE_BREADTH, REFERENCE_PALM_LENGTH = 0.1933, 0.0883, 0.1165

# Millimetres at the reference size: joint distances, knuckle-based sum (thumb: from its second joint),
# distance from the joint's centre to the knuckle of the closed fist at which that sum starts, breadths and
# thicknesses at the three joints.
_REFERENCE_FINGERS = {
    "thumb": ((35.9, 31.1), 72.5, 9.5, (26.0, 21.5, 20.5), (25.0, 20.5, 17.0)),
    "index": ((42.6, 25.1), 104.2, 11.0, (20.5, 19.0, 17.0), (21.0, 18.0, 14.6)),
    "middle": ((44.7, 29.1), 115.0, 11.0, (20.5, 19.2, 17.2), (21.5, 18.4, 15.0)),
    "ring": ((40.4, 24.9), 109.1, 11.0, (19.5, 18.0, 16.2), (20.5, 17.4, 14.2)),
    "little": ((36.1, 21.0), 88.5, 11.0, (17.5, 15.6, 14.4), (18.0, 15.2, 12.8)),
}
# Joint centres in the palm frame at the reference size [mm] (x of the middle finger follows from the hand's
# length), natural splay [rad] about z.
_REFERENCE_BASES = {
    "index": ((-2.5, 29.5, -1.0), 0.07),
    "middle": ((0.0, 8.5, 1.5), 0.0),
    "ring": ((-6.0, -12.0, 0.5), -0.07),
    "little": ((-16.0, -30.5, -3.5), -0.16),
}
_THUMB_BASE = (21.0, 21.0, -9.0)
_THUMB_DIRECTION, _THUMB_BACK = (0.72, 0.60, -0.36), (-0.61, 0.755, -0.04)

# Lower and upper limit of each of the four joints [rad].
_FINGER_LIMITS = ((-0.35, 0.35), (-0.40, 1.60), (-0.10, 1.90), (-0.15, 1.40))
_THUMB_LIMITS = ((-0.60, 0.80), (-0.60, 0.90), (-0.30, 1.10), (-0.40, 1.40))

Length = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class FingerParameters(BaseModel):
    """One finger's segments. Every length in metres.

    Attributes:
        lengths: joint to joint, joint to joint, joint to fingertip, each 5 to 80 mm.
        breadths: across the finger at its three joints, each 5 to 50 mm.
        thicknesses: from back to palmar side at its three joints, each 5 to 50 mm.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lengths: tuple[Length, Length, Length]
    breadths: tuple[Length, Length, Length]
    thicknesses: tuple[Length, Length, Length]

    @model_validator(mode="after")
    def _plausible(self) -> FingerParameters:
        for name, low, high in (
            ("lengths", 0.005, 0.080),
            ("breadths", 0.005, 0.050),
            ("thicknesses", 0.005, 0.050),
        ):
            for value in getattr(self, name):
                if not low <= value <= high:
                    raise ValueError(
                        f"{name}: {value} m is not a finger's; give metres between {low} and {high}"
                    )
        return self


class HandParameters(BaseModel):
    """A hand's size and side. Every length in metres.

    A breadth or palm length that is not given scales with the hand length, and so do fingers that are not
    given (their breadths and thicknesses with the breadth).

    Attributes:
        side: "right" or "left" (the mirror image).
        hand_length: wrist crease to middle fingertip, 0.10 to 0.26.
        breadth: across the knuckles, 0.045 to 0.13.
        palm_length: wrist crease to the middle finger's base crease, 45 to 70 % of the hand length.
        fingers: sizes that replace the scaled defaults, by finger name.
        density: of the whole tissue, for the links' masses [kg/m³].
        resolution: of the contact surfaces; 1 is 2.5–3.5 mm between palmar vertices, 2 halves that.
        tissue_resolution: of the tetrahedra: "coarse", "normal" (1515 in all) or "fine".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: Literal["right", "left"] = "right"
    hand_length: float = Field(REFERENCE_LENGTH, ge=0.10, le=0.26)
    breadth: float = Field(REFERENCE_BREADTH, ge=0.045, le=0.13)
    palm_length: float = Field(REFERENCE_PALM_LENGTH, gt=0.0)
    fingers: Mapping[Literal["thumb", "index", "middle", "ring", "little"], FingerParameters] = Field(
        default_factory=dict
    )
    density: float = Field(1100.0, ge=500.0, le=2000.0)
    resolution: float = Field(1.0, ge=0.5, le=4.0)
    tissue_resolution: Literal["coarse", "normal", "fine"] = "normal"

    @model_validator(mode="before")
    @classmethod
    def _scale_defaults(cls, data: object) -> object:
        if isinstance(data, dict) and isinstance(data.get("hand_length"), int | float):
            scale = data["hand_length"] / REFERENCE_LENGTH
            data = {
                "breadth": REFERENCE_BREADTH * scale,
                "palm_length": REFERENCE_PALM_LENGTH * scale,
                **data,
            }
        return data

    @model_validator(mode="after")
    def _plausible(self) -> HandParameters:
        if not 0.45 * self.hand_length <= self.palm_length <= 0.70 * self.hand_length:
            raise ValueError(
                f"palm_length: {self.palm_length} m does not suit hand_length {self.hand_length} m; "
                "give 45 to 70 % of the hand length, or leave it out"
            )
        if not 0.30 * self.hand_length <= self.breadth <= 0.65 * self.hand_length:
            raise ValueError(
                f"breadth: {self.breadth} m does not suit hand_length {self.hand_length} m; "
                "give 30 to 65 % of the hand length, or leave it out"
            )
        return self

    @property
    def length_scale(self) -> float:
        """Hand length over the reference length [-]."""
        return self.hand_length / REFERENCE_LENGTH

    @property
    def breadth_scale(self) -> float:
        """Breadth over the reference breadth [-]."""
        return self.breadth / REFERENCE_BREADTH

    def finger(self, name: str) -> FingerParameters:
        """Sizes of one finger: those given, else the scaled defaults."""
        if name not in FINGERS:
            raise ValueError(f"name: {name!r} is not a finger; give one of {', '.join(FINGERS)}")
        if name in self.fingers:
            return self.fingers[name]
        distances, total, knuckle, breadths, thicknesses = _REFERENCE_FINGERS[name]
        free = distances if name != "thumb" else distances[1:]
        lengths = (*distances, total - sum(free) - knuckle)
        along, across = 1e-3 * self.length_scale, 1e-3 * self.breadth_scale
        return FingerParameters(
            lengths=tuple(along * v for v in lengths),
            breadths=tuple(across * v for v in breadths),
            thicknesses=tuple(across * v for v in thicknesses),
        )


def finger_bases(parameters: HandParameters) -> tuple[FloatArray, FloatArray]:
    """Frames of the five finger bases in the palm frame of a right hand.

    Returns:
        Positions [m], shape (5, 3), and rotation matrices base to palm, shape (5, 3, 3), of the base joints
        with every angle zero, in the order of FINGERS.
    """
    scale = 1e-3 * np.array([parameters.length_scale, parameters.breadth_scale, parameters.breadth_scale])
    middle_x = parameters.hand_length - sum(parameters.finger("middle").lengths)
    positions, rotations = np.empty((5, 3)), np.empty((5, 3, 3))
    positions[0] = scale * np.array(_THUMB_BASE)
    along = np.array(_THUMB_DIRECTION) / np.linalg.norm(_THUMB_DIRECTION)
    back = np.array(_THUMB_BACK) - along * np.dot(_THUMB_BACK, along)
    back /= np.linalg.norm(back)
    rotations[0] = np.column_stack([along, np.cross(back, along), back])
    for i, name in enumerate(FINGERS[1:], start=1):
        offset, splay = _REFERENCE_BASES[name]
        positions[i] = scale * np.array(offset) + [middle_x, 0.0, 0.0]
        c, s = np.cos(splay), np.sin(splay)
        rotations[i] = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    return positions, rotations


def joint_limits() -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits of the 20 angles [rad], shape (20,) each, finger by finger as in JOINTS."""
    limits = np.array([_THUMB_LIMITS, *([_FINGER_LIMITS] * 4)]).reshape(20, 2)
    return limits[:, 0].copy(), limits[:, 1].copy()
