# SPDX-License-Identifier: LGPL-2.1-or-later
"""A parametric human hand: anatomy, deformable phalanges, skin, motion and grasps."""

from .anatomy import FINGERS, JOINTS, LINKS, FingerParameters, HandParameters, joint_limits
from .description import HandCompliance, HandModel, HandTissue
from .fingertip import FingertipCoupling, FingertipModel, FingertipPath, fingertip_orientation
from .grasp import GraspPlan, plan_grasp
from .grasp_object import GraspObject
from .kinematics import HandKinematics
from .motion import POSTURES, HandMotion, closing_fingers, keyframe, posture
from .phalanx import Phalanx
from .skin import HandSkin

__all__ = [
    "FINGERS",
    "JOINTS",
    "LINKS",
    "POSTURES",
    "FingerParameters",
    "FingertipCoupling",
    "FingertipModel",
    "FingertipPath",
    "GraspObject",
    "GraspPlan",
    "HandCompliance",
    "HandKinematics",
    "HandModel",
    "HandMotion",
    "HandParameters",
    "HandSkin",
    "HandTissue",
    "Phalanx",
    "closing_fingers",
    "fingertip_orientation",
    "joint_limits",
    "keyframe",
    "plan_grasp",
    "posture",
]
