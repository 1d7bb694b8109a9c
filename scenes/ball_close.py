# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deformable hand wraps all its phalanges around a rigid ball and lifts it."""

from softcontact.scene import Scene
from softcontact.scene.grasping import BallOptions, lift_ball


class Options(BallOptions):
    """Options of the scene."""


def scene(**options) -> Scene:
    return lift_ball(
        "ball-close",
        "A soft hand wraps around a rigid ball, lifts it 10 cm and holds it 2 s.",
        "power",
        Options(**options),
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
