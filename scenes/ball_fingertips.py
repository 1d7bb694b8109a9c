# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deformable hand lifts a rigid ball with its five fingertips."""

from softcontact.scene import Scene
from softcontact.scene.grasping import BallOptions, lift_ball


class Options(BallOptions):
    """Options of the scene."""


def scene(**options) -> Scene:
    return lift_ball(
        "ball-fingertips",
        "Five soft fingertips lift a rigid ball 10 cm and hold it 2 s.",
        "precision",
        Options(**options),
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
