# SPDX-License-Identifier: LGPL-2.1-or-later
"""A humanoid robot of 32 joints with the proportions and the mass of HRP-2."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcontact.avatar.description import Avatar, LinkShape, Palm, Servo
from softcontact.avatar.shapes import box, box_inertia, grid_box

# Kaneko et al., Humanoid robot HRP-2, ICRA 2004: 1.539 m tall, 0.621 m wide, 58 kg with batteries; thigh and
# shank 0.30 m, upper arm and forearm 0.25 m, ankle 0.105 m high. How the mass is divided among the links is not
# published: it is ours, with the batteries in the chest, and puts the centre of mass of the half-sitting robot
# 0.81 m high.
THIGH = SHANK = 0.30
UPPER_ARM = FOREARM = 0.25
ANKLE_HEIGHT = 0.105
_SIDES = {"right": -1.0, "left": 1.0}
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# (name, parent, axis, joint in the parent's axes [m], mass [kg], box from [m], to [m], limits [deg])
_TRUNK = [
    ("waist_yaw", "pelvis", _Z, (0.032, 0, 0.3507), 1.0, (-0.06, -0.06, -0.10), (0.06, 0.06, 0.0), (-45, 45)),
    ("chest", "waist_yaw", _Y, (0, 0, 0), 17.0, (-0.18, -0.17, 0.01), (0.10, 0.17, 0.26), (-5, 60)),
    ("neck", "chest", _Z, (-0.007, 0, 0.2973), 0.5, (-0.03, -0.03, -0.03), (0.03, 0.03, 0.03), (-45, 45)),
    ("head", "neck", _Y, (0, 0, 0), 1.5, (-0.08, -0.08, 0.04), (0.11, 0.08, 0.186), (-30, 45)),
]
_ARM = [
    ("shoulder_pitch", "chest", _Y, (0.008, 0.25, 0.181), 1.0, (-0.05, -0.06, -0.05), (0.05, 0.03, 0.05),
     (-180, 60)),
    ("shoulder_roll", "shoulder_pitch", _X, (0, 0, 0), 0.6, (-0.04, -0.04, -0.06), (0.04, 0.04, 0.04),
     (-10, 95)),
    ("upper_arm", "shoulder_roll", _Z, (0, 0, 0), 1.3, (-0.045, -0.045, -0.24), (0.045, 0.045, -0.06),
     (-92, 92)),
    ("forearm", "upper_arm", _Y, (0, 0, -UPPER_ARM), 1.0, (-0.04, -0.04, -0.17), (0.04, 0.04, 0.03), (-137, 2)),
    ("wrist_yaw", "forearm", _Z, (0, 0, -FOREARM), 0.5, (-0.035, -0.035, -0.03), (0.035, 0.035, 0.06),
     (-92, 92)),
    ("wrist_pitch", "wrist_yaw", _Y, (0, 0, 0), 0.3, (-0.025, -0.03, -0.03), (0.025, 0.03, 0.03), (-92, 36)),
    ("hand", "wrist_pitch", _X, (0, 0, 0), 0.6, (-0.04, -0.015, -0.13), (0.04, 0.025, -0.03), (-60, 60)),
    ("gripper", "hand", _X, (0, -0.015, -0.07), 0.2, (-0.03, -0.02, -0.08), (0.03, 0.0, 0.0), (-16, 60)),
]  # fmt: skip
_LEG = [
    ("hip_yaw", "pelvis", _Z, (0, 0.06, 0), 0.7, (-0.05, -0.04, 0.0), (0.05, 0.04, 0.10), (-30, 45)),
    ("hip_roll", "hip_yaw", _X, (0, 0, 0), 1.6, (-0.07, -0.03, -0.06), (0.07, 0.05, 0.04), (-20, 35)),
    ("thigh", "hip_roll", _Y, (0, 0.035, 0), 2.8, (-0.07, -0.06, -0.27), (0.07, 0.06, -0.03), (-125, 42)),
    ("shank", "thigh", _Y, (0, 0, -THIGH), 2.3, (-0.06, -0.05, -0.26), (0.07, 0.05, 0.04), (0, 150)),
    ("ankle", "shank", _Y, (0, 0, -SHANK), 0.3, (-0.04, -0.03, -0.03), (0.04, 0.03, 0.03), (-75, 42)),
    ("foot", "ankle", _X, (0, 0, 0), 1.3, (-0.1, -0.0675, -ANKLE_HEIGHT), (0.14, 0.0675, -0.06), (-35, 20)),
]
_SEEN_FROM = {"waist_yaw": (-0.06, -0.06, -0.18)}  # down into the pelvis; its mass is in the box of the table
_SERVOS = {
    "waist_yaw": (4000, 120), "chest": (4000, 120), "neck": (100, 4), "head": (100, 4),
    "shoulder_pitch": (800, 30), "shoulder_roll": (800, 30), "upper_arm": (400, 15), "forearm": (600, 20),
    "wrist_yaw": (100, 4), "wrist_pitch": (100, 4), "hand": (100, 4), "gripper": (50, 1),
    "hip_yaw": (4000, 120), "hip_roll": (6000, 160), "thigh": (6000, 160), "shank": (6000, 160),
    "ankle": (4000, 100), "foot": (4000, 100),
}  # fmt: skip
# Half-sitting, HRP-2's initial posture [deg].
_POSTURE = {
    "thigh": -26, "shank": 50, "ankle": -24, "shoulder_pitch": 10, "shoulder_roll": 10, "forearm": -30,
    "gripper": 10,
}  # fmt: skip


def robot(*, sole_points: tuple[int, int] = (4, 4)) -> Avatar:
    """The robot on a free pelvis: 12 leg, 2 waist, 2 neck, 14 arm and 2 gripper joints, 38 freedoms in all.

    Args:
        sole_points: contact points of each sole along its length and breadth, ≥ 2: 2 × 4 × 4 = 32 in all.
    Raises:
        ValueError: fewer than two points.
    Source: Keith et al. (2008), Sec. 4 (32 joints, 32 contact points); the comment above the tables.
    """
    if len(sole_points) != 2 or min(sole_points) < 2:
        raise ValueError(f"sole_points = {sole_points} must be two numbers ≥ 2")
    lower, upper = (-0.09, -0.12, -0.02), (0.09, 0.12, 0.18)
    links = [_body("pelvis", -1, 9.0, lower, upper) | {"joint": "free"}]
    shapes = [LinkShape("pelvis", *box(lower, upper))]
    servos, angles = {}, {}
    rows = [(entry, "") for entry in _TRUNK]
    rows += [(entry, side) for side in _SIDES for entry in _ARM]
    rows += [(entry, side) for side in _SIDES for entry in _LEG]
    for (name, parent, axis, position, mass, low, high, limits), side in rows:
        prefix, mirrored = f"{side}_" if side else "", side == "right"
        if mirrored:  # the tables are of the left side
            position = np.multiply(position, (1, -1, 1))
            low, high = (low[0], -high[1], low[2]), (high[0], -low[1], high[2])
            if axis != _Y:
                limits = (-limits[1], -limits[0])
        full = prefix + name
        own = parent in ("pelvis", "chest", "waist_yaw", "neck")
        link = _body(full, parent if own else prefix + parent, mass, low, high)
        bounds = np.radians(limits)
        link |= {"joint": "revolute", "axis": axis, "position": np.array(position, dtype=float)}
        links.append(link | {"lower": bounds[:1], "upper": bounds[1:]})
        role = {"foot": "foot", "hand": "hand", "gripper": "hand"}.get(name, "body")
        surface = grid_box(low, high, sole_points) if name == "foot" else box(_SEEN_FROM.get(name, low), high)
        shapes.append(LinkShape(full, *surface, role=role))
        servos[full] = Servo(*map(float, _SERVOS[name]))
        angle = np.radians(_POSTURE.get(name, 0))
        angles[full] = np.array([-angle if mirrored and axis != _Y else angle])
    return Avatar(
        "robot", tuple(links), tuple(shapes), servos, angles,
        feet=("right_foot", "left_foot"), hands=("right_hand", "left_hand"), sole_height=ANKLE_HEIGHT,
        wrists=("right_wrist_pitch", "left_wrist_pitch"),
        palms=tuple(_palm(side) for side in _SIDES), grippers=("right_gripper", "left_gripper"),
    )  # fmt: skip


def _palm(side: str) -> Palm:
    inwards = -_SIDES[side]
    return Palm(f"{side}_gripper", (0.0, inwards * 0.02, -0.04), (0.0, inwards, 0.0), (0.0, 0.0, -1.0))


def _body(name: str, parent: str | int, mass: float, low: Any, high: Any) -> dict[str, Any]:
    size = np.subtract(high, low)
    return {
        "name": name,
        "parent": parent,
        "mass": mass,
        "com": 0.5 * np.add(low, high),
        "inertia": box_inertia(mass, size),
    }
