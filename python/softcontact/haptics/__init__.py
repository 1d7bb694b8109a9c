# SPDX-License-Identifier: LGPL-2.1-or-later
"""Touching soft tissue at haptic rates: a tool on a virtual coupling, the linear contact model, devices, and the
fast thread between them.

A session joins a device and a force law. The fast thread runs in C++; Python publishes the law's data and reads what
happens:

    with HapticSession(SimulatedDevice(script=press()), VirtualWall()) as session:
        session.start()
        session.publish(VirtualWall.data(stiffness=500.0), period=0.04)
        print(session.readout()["wrench"])

Source: Otaduy and Gross, Transparent Rendering of Tool Contact with Compliant Environments, WHC 2007; damping for
dragging: Keith et al., Sec. 3.
"""

from softcontact.haptics.anchored import AnchoredDevice
from softcontact.haptics.contact_model import LinearContactModel
from softcontact.haptics.coupling import RigidState, VirtualCoupling
from softcontact.haptics.device import Capabilities, Device
from softcontact.haptics.double_coupling import DoubleCouplingLaw
from softcontact.haptics.laws import ForceLaw, VirtualWall
from softcontact.haptics.recording import Recording
from softcontact.haptics.script import HandScript, drag, press, sine, tap
from softcontact.haptics.session import HapticSession
from softcontact.haptics.settings import SafetySettings, ThreadSettings
from softcontact.haptics.simulated import HandAxis, RecordedDevice, SimulatedDevice
from softcontact.haptics.stability import WallVerdict, judge_wall
from softcontact.haptics.tool import HapticTool, Tool, ToolTrace, VisualTool
from softcontact.haptics.tool_law import ToolLaw
from softcontact.haptics.visual_loop import VisualLoop

__all__ = [
    "AnchoredDevice",
    "Capabilities",
    "Device",
    "DoubleCouplingLaw",
    "ForceLaw",
    "HandAxis",
    "HandScript",
    "HapticSession",
    "HapticTool",
    "LinearContactModel",
    "RecordedDevice",
    "Recording",
    "RigidState",
    "SafetySettings",
    "SimulatedDevice",
    "ThreadSettings",
    "Tool",
    "ToolLaw",
    "ToolTrace",
    "VirtualCoupling",
    "VirtualWall",
    "VisualLoop",
    "VisualTool",
    "WallVerdict",
    "drag",
    "judge_wall",
    "press",
    "sine",
    "tap",
]
