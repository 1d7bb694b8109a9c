# SPDX-License-Identifier: LGPL-2.1-or-later
"""Touching soft tissue at haptic rates: a tool on a virtual coupling, and the linear contact model.

Source: Otaduy and Gross, Transparent Rendering of Tool Contact with Compliant Environments, WHC 2007; damping for
dragging: Keith et al., Sec. 3.
"""

from softcontact.haptics.contact_model import LinearContactModel
from softcontact.haptics.coupling import RigidState, VirtualCoupling
from softcontact.haptics.tool import HapticTool, Tool, ToolTrace, VisualTool

__all__ = [
    "HapticTool",
    "LinearContactModel",
    "RigidState",
    "Tool",
    "ToolTrace",
    "VirtualCoupling",
    "VisualTool",
]
