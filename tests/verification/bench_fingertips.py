# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two real fingertips for the grasping tests: the thumb's on the left, the index's on the right.

The pads face each other along x; gravity is -z. Each distal phalanx of the default hand is carried by a link
that slides along x and is pulled towards x = 0 by a spring, whose targets are the motion of the finger.
"""

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.hand import HandModel

THUMB, INDEX = 2, 5  # of HandModel.phalanges
FINGERS = (("thumb", THUMB, -1.0), ("index", INDEX, 1.0))
LINK_MASS = 0.02


@cache
def hand():
    return HandModel.build()


def turn(axis, angle):
    """Quaternion of a turn about a coordinate axis (0, 1, 2) [rad]."""
    return np.append(np.sin(0.5 * angle) * np.eye(3)[axis], np.cos(0.5 * angle))


def turned_by(quaternion, other):
    """Angle between two orientations [rad]."""
    return 2.0 * np.arccos(min(1.0, abs(float(np.dot(quaternion, other)))))


def pad_apex(index):
    """Where the palmar surface stands out most, in the link's frame, on the plane y = 0 of the bone [m]."""
    vertices = hand().phalanges[index].vertices
    lowest = vertices[vertices[:, 2].argmin()]
    return np.array([lowest[0], 0.0, lowest[2]])


def add_fingertip(
    world,
    finger,
    *,
    apart,
    travel,
    stiffness,
    friction,
    along=(0.0, 0.0, -1.0),
    shift=(0.0, 0.0, 0.0),
    closing=0.2,
):
    """A fingertip whose pad's apex starts at x = ±apart and is told to move by `travel` towards x = 0.

    finger: an entry of FINGERS. along: where the finger points, across x. shift: displaces the finger [m].
    closing: the time that the motion takes [s]. Returns the body of the link.
    """
    name, index, side = finger
    outward = np.array([side, 0.0, 0.0])  # the nail's side, the link's z
    rotation = np.column_stack([along, np.cross(outward, along), outward])
    link = {
        "name": name,
        "joint": "prismatic",
        "axis": [0.0, 0.0, 1.0],
        "position": outward * apart + np.array(shift) - rotation @ pad_apex(index),
        "orientation": Rotation.from_matrix(rotation).as_quat(),
        "mass": LINK_MASS,
        "inertia": LINK_MASS * 1e-4 * np.eye(3),
        "stiffness": [stiffness],
        "damping": [2.0 * np.sqrt(stiffness * LINK_MASS)],
    }
    body = world.add_articulated_body(f"{name}_arm", [link], gravity_compensated=True)
    world.set_joint_motion(body, [0.0, closing], np.array([[0.0], [-travel]]))
    arguments = hand().phalanx_arguments(index) | {"link": 0, "friction": friction}
    world.add_phalanx(body, name=f"{name}_tip", **arguments)
    return body


def spring_force(world, body, travel, stiffness):
    """Force of the link's spring towards x = 0 once the finger has closed [N]."""
    return stiffness * (travel + float(world.joint_positions(body)[0]))


def tip_patches(world):
    """The patches of the fingertips by name."""
    return {patch["body"]: patch for patch in world.patches() if patch["body"].endswith("_tip")}
