# SPDX-License-Identifier: LGPL-2.1-or-later
"""A human avatar: spherical spine, neck, shoulders, elbows and hips, built from anthropometric tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.avatar.anthropometry import (
    ANKLE_HEIGHT,
    FOOT_BREADTH,
    HIP_HALF_WIDTH,
    MEAN_MASS,
    MEAN_STATURE,
    SEGMENTS,
    SHOULDER_HALF_WIDTH,
    SHOULDER_HEIGHT,
    Segment,
)
from softcontact.avatar.description import Avatar, LinkShape, Palm, Servo
from softcontact.avatar.shapes import Surface, grid_box, limb, loft

Array = NDArray[np.float64]

PALM_THICKNESS = 0.012  # half of a flat hand's, by scale [m]
_HEEL_BEHIND_ANKLE = 0.25  # of the foot's length
_SIDES = {"right": -1.0, "left": 1.0}


def human(
    *, stature: float = MEAN_STATURE, mass: float = MEAN_MASS, sole_points: tuple[int, int] = (9, 6)
) -> Avatar:
    """A standing man with 43 freedoms: pelvis free, 9 spherical joints, universal wrists and ankles, knees.

    Elbows are spherical as in the paper. The actuator of a spherical joint is a torque with three components
    (Keith et al. 2008, Eq. 12).

    Args:
        stature: [m], 1 to 2.5; lengths scale with it.
        mass: [kg], 20 to 250; segment masses scale with it.
        sole_points: contact points of each sole along its length and breadth, ≥ 2: 2 × 9 × 6 = 108 in all.
    Raises:
        ValueError: an argument outside these bounds.
    Source: Keith et al. (2008), Sec. 2.2 and 4; de Leva (1996).
    """
    if not 1.0 <= stature <= 2.5:
        raise ValueError(f"stature = {stature} m must be 1 to 2.5 m")
    if not 20.0 <= mass <= 250.0:
        raise ValueError(f"mass = {mass} kg must be 20 to 250 kg")
    if len(sole_points) != 2 or min(sole_points) < 2:
        raise ValueError(f"sole_points = {sole_points} must be two numbers ≥ 2")
    return _Body(stature, mass, sole_points).avatar()


class _Body:
    """Collects the links and the surfaces, part by part; every frame is upright at neutral()."""

    def __init__(self, stature: float, mass: float, sole_points: tuple[int, int]) -> None:
        self.stature = stature
        self.scale = stature / MEAN_STATURE
        self.mass = mass
        self.sole_points = sole_points
        self.links: list[dict[str, Any]] = []
        self.shapes: list[LinkShape] = []

    def length(self, name: str) -> float:
        return self.scale * SEGMENTS[name].length

    def add(
        self,
        name: str,
        segment: str,
        parent: str | int,
        joint: str,
        position: tuple[float, float, float],
        com: tuple[float, float, float],
        surface: Surface,
        *,
        along_x: bool = False,
        role: str = "body",
        **details: Any,
    ) -> None:
        part: Segment = SEGMENTS[segment]
        mass = self.mass * part.mass_fraction
        x, y, z = mass * (np.array(part.gyration) * self.scale * part.length) ** 2
        self.links.append(
            {
                "name": name,
                "parent": parent,
                "joint": joint,
                "position": np.array(position),
                "mass": mass,
                "com": np.array(com),
                "inertia": np.diag([z, y, x] if along_x else [x, y, z]),
                **details,
            }
        )
        self.shapes.append(LinkShape(name, *surface, role=role))

    def trunk(self) -> None:
        s = self.scale
        lower, middle, upper = (self.length(f"{part}_trunk") for part in ("lower", "middle", "upper"))
        # A trunk segment hangs below its upper end point: its centre is so far above its lower one.
        above = {
            part: (1.0 - SEGMENTS[f"{part}_trunk"].centre_fraction) * self.length(f"{part}_trunk")
            for part in ("lower", "middle", "upper")
        }
        pelvis = [(-0.08, 0.06, 0.09), (-0.03, 0.10, 0.16), (0.06, 0.10, 0.165), (lower / s, 0.09, 0.14)]
        self.add("pelvis", "lower_trunk", -1, "free", (0, 0, 0), (0, 0, above["lower"]), _scaled(pelvis, s))
        abdomen = [(0.0, 0.09, 0.14), (0.10, 0.095, 0.145), (middle / s, 0.11, 0.16)]
        self.add(
            "abdomen", "middle_trunk", "pelvis", "spherical", (0, 0, lower), (0, 0, above["middle"]),
            _scaled(abdomen, s),
        )  # fmt: skip
        thorax = [(0.0, 0.11, 0.16), (0.10, 0.115, 0.17), (0.18, 0.09, 0.16), (0.22, 0.06, 0.08)]
        self.add(
            "thorax", "upper_trunk", "abdomen", "spherical", (0, 0, middle), (0, 0, above["upper"]),
            _scaled(thorax, s),
        )  # fmt: skip
        # The head's end points do not lie above each other: what is left of the stature is its height.
        legs = self.length("thigh") + self.length("shank") + ANKLE_HEIGHT * self.stature
        height = self.stature - legs - lower - middle - upper
        head = [(0.0, 0.05, 0.05), (0.05, 0.05, 0.05), (0.08, 0.095, 0.07), (0.14, 0.10, 0.078)]
        head += [(0.18, 0.085, 0.065), (height / s, 0.03, 0.03)]
        centre = height - SEGMENTS["head"].centre_fraction * self.length("head")
        self.add("head", "head", "thorax", "spherical", (0, 0, upper), (0, 0, centre), _scaled(head, s))
        self.neck_height = legs + lower + middle + upper
        self.upper = upper

    def hanging(self, segment: str) -> tuple[float, float, float]:
        return (0.0, 0.0, -SEGMENTS[segment].centre_fraction * self.length(segment))

    def arm(self, side: str) -> None:
        s, y = self.scale, _SIDES[side] * SHOULDER_HALF_WIDTH * self.stature
        upper, fore, palm = (self.length(part) for part in ("upper_arm", "forearm", "hand"))
        height = self.upper - (self.neck_height - SHOULDER_HEIGHT * self.stature)
        self.add(
            f"{side}_upper_arm", "upper_arm", "thorax", "spherical", (0, y, height),
            self.hanging("upper_arm"), limb(upper, 0.052 * s, 0.040 * s),
        )  # fmt: skip
        self.add(
            f"{side}_forearm", "forearm", f"{side}_upper_arm", "spherical", (0, 0, -upper),
            self.hanging("forearm"), limb(fore, 0.043 * s, 0.028 * s),
        )  # fmt: skip
        thick = PALM_THICKNESS * s
        hand = [(-2.1 * palm, 0.025 * s, thick), (-1.6 * palm, 0.038 * s, thick)]
        hand += [(-palm, 0.042 * s, thick), (-0.4 * palm, 0.036 * s, thick), (0.0, 0.028 * s, thick)]
        self.add(
            f"{side}_hand", "hand", f"{side}_forearm", "universal", (0, 0, -fore), self.hanging("hand"),
            loft(hand, 8, flat=True), role="hand", axis=(0.0, 1.0, 0.0), axis2=(1.0, 0.0, 0.0),
            lower=np.radians([-70, -80]), upper=np.radians([70, 80]),
        )  # fmt: skip

    def palm(self, side: str) -> Palm:
        inwards = -_SIDES[side]
        centre = (0.0, inwards * PALM_THICKNESS * self.scale, -1.2 * self.length("hand"))
        return Palm(f"{side}_hand", centre, (0.0, inwards, 0.0), (0.0, 0.0, -1.0))

    def leg(self, side: str) -> None:
        s, y = self.scale, _SIDES[side] * HIP_HALF_WIDTH * self.stature
        thigh, shank, foot = (self.length(part) for part in ("thigh", "shank", "foot"))
        ankle, half = ANKLE_HEIGHT * self.stature, 0.5 * FOOT_BREADTH * self.stature
        self.add(
            f"{side}_thigh", "thigh", "pelvis", "spherical", (0, y, 0), self.hanging("thigh"),
            limb(thigh, 0.075 * s, 0.052 * s),
        )  # fmt: skip
        self.add(
            f"{side}_shank", "shank", f"{side}_thigh", "revolute", (0, 0, -thigh), self.hanging("shank"),
            limb(shank, 0.054 * s, 0.036 * s), axis=(0.0, 1.0, 0.0),
            lower=np.radians([0]), upper=np.radians([140]),
        )  # fmt: skip
        heel = -_HEEL_BEHIND_ANKLE * foot
        sole = grid_box((heel, -half, -ankle), (heel + foot, half, -0.4 * ankle), self.sole_points)
        centre = (heel + SEGMENTS["foot"].centre_fraction * foot, 0.0, -0.6 * ankle)
        self.add(
            f"{side}_foot", "foot", f"{side}_shank", "universal", (0, 0, -shank), centre, sole,
            along_x=True, role="foot", axis=(0.0, 1.0, 0.0), axis2=(1.0, 0.0, 0.0),
            lower=np.radians([-30, -35]), upper=np.radians([50, 35]),
        )  # fmt: skip

    def avatar(self) -> Avatar:
        self.trunk()
        for side in _SIDES:
            self.arm(side)
        for side in _SIDES:
            self.leg(side)
        servos = {"abdomen": Servo(1500, 60), "thorax": Servo(1500, 60), "head": Servo(100, 4)}
        angles: dict[str, Any] = {}
        for side, sign in _SIDES.items():
            servos |= {f"{side}_upper_arm": Servo(200, 10), f"{side}_forearm": Servo(120, 5)}
            servos |= {f"{side}_hand": Servo(30, 1), f"{side}_thigh": Servo(3000, 100)}
            servos |= {f"{side}_shank": Servo(3000, 100), f"{side}_foot": Servo(2000, 60)}
            knee, lean = np.radians((12.0, 2.0))  # the centre of mass over the middle of the feet
            angles |= {f"{side}_thigh": (0.0, lean - 0.5 * knee, 0.0), f"{side}_shank": (knee,)}
            angles |= {f"{side}_foot": (-lean - 0.5 * knee, 0.0)}
            angles |= {f"{side}_upper_arm": (sign * np.radians(8.0), 0.0, 0.0)}
            angles |= {f"{side}_forearm": (0.0, -np.radians(60.0), 0.0)}
        return Avatar(
            "human", tuple(self.links), tuple(self.shapes), servos, angles,
            feet=("right_foot", "left_foot"), hands=("right_hand", "left_hand"),
            sole_height=ANKLE_HEIGHT * self.stature, wrists=("right_hand", "left_hand"),
            palms=tuple(self.palm(side) for side in _SIDES),
        )  # fmt: skip


def _scaled(rings: list[tuple[float, float, float]], scale: float) -> Surface:
    return loft([tuple(scale * value for value in ring) for ring in rings])
