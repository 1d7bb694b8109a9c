# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars: humanoids in reduced coordinates that stand on their feet."""

from softcontact.avatar.description import Avatar, LinkShape, Servo
from softcontact.avatar.human import human
from softcontact.avatar.robot import robot

__all__ = ["Avatar", "LinkShape", "Servo", "human", "robot"]
