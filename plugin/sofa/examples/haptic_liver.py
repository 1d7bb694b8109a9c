# SPDX-License-Identifier: LGPL-2.1-or-later
"""A probe on a haptic device presses a liver and is drawn over it.

    runSofa -l SofaPython3 haptic_liver.py

The device is simulated, in a hand that follows the scene's keyframes; with --argv geomagic it is one of 3D Systems
through SOFA's plugin Geomagic. The device feels SoftContact's LinearContactModel. The tissue
is linear: SOFA's corotational elements have none of the stiffening of the scene.
"""

import sys
from typing import Any


def createScene(root: Any) -> Any:
    """Fill the root node; the first argument names the device."""
    from softcontact.engines.sofa import create_haptic_scene, linear_tissue

    return create_haptic_scene(root, linear_tissue("liver"), *sys.argv[1:2])
