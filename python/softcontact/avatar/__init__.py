# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars: humanoids in reduced coordinates that stand on their feet and give way where they are touched."""

from softcontact.avatar.balance import Balance
from softcontact.avatar.compliance import CompliantChain, transported
from softcontact.avatar.control import AvatarController
from softcontact.avatar.description import Avatar, LinkShape, Palm, Servo
from softcontact.avatar.dragging import DraggedLink, felt_mass, touched_links
from softcontact.avatar.holding import HoldingChain, borne_loads, holding_posture, offering_posture
from softcontact.avatar.human import human
from softcontact.avatar.reaching import palm_pose, reach
from softcontact.avatar.robot import robot
from softcontact.avatar.standing import WORLD_OPTIONS, StandingAvatar, balanced_targets, standing_loads

__all__ = [
    "WORLD_OPTIONS",
    "Avatar",
    "AvatarController",
    "Balance",
    "CompliantChain",
    "DraggedLink",
    "HoldingChain",
    "LinkShape",
    "Palm",
    "Servo",
    "StandingAvatar",
    "balanced_targets",
    "borne_loads",
    "felt_mass",
    "holding_posture",
    "human",
    "offering_posture",
    "palm_pose",
    "reach",
    "robot",
    "standing_loads",
    "touched_links",
    "transported",
]
