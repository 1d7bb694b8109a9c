# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars: humanoids in reduced coordinates that stand on their feet and give way where they are touched."""

from softcontact.avatar.balance import Balance
from softcontact.avatar.compliance import CompliantChain, transported
from softcontact.avatar.control import AvatarController
from softcontact.avatar.description import Avatar, LinkShape, Servo
from softcontact.avatar.human import human
from softcontact.avatar.robot import robot
from softcontact.avatar.standing import WORLD_OPTIONS, StandingAvatar, balanced_targets, standing_loads

__all__ = [
    "WORLD_OPTIONS",
    "Avatar",
    "AvatarController",
    "Balance",
    "CompliantChain",
    "LinkShape",
    "Servo",
    "StandingAvatar",
    "balanced_targets",
    "human",
    "robot",
    "standing_loads",
    "transported",
]
