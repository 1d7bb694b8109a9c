# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cylindrical tool on a haptic device presses a soft block and is dragged over it.

    runSofa -l SofaPython3 haptic_block.py

The device is simulated, in a hand that follows the scene's keyframes; with --argv geomagic it is one of 3D Systems
through SOFA's plugin Geomagic. The device feels SoftContact's LinearContactModel.
"""

import sys
from typing import Any


def createScene(root: Any) -> Any:
    """Fill the root node; the first argument names the device."""
    from softcontact.engines.sofa import create_haptic_scene

    return create_haptic_scene(root, "block", *sys.argv[1:2])
