# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two Stanford bunnies, both as one vademecum has them, their ears bent: one comes to the other and into it.

    softcontact vademecum build bunny --out bunny.h5
    runSofa -l SofaPython3 -g batch -n 80 vademecum_bunny.py --argv bunny.h5

It is softcontact's scene `bunny`; without a file a coarse bunny is built in seconds, and kept.
"""

import sys
from typing import Any


def createScene(root: Any) -> Any:
    """Fill the root node; the first argument is the vademecum's file."""
    import Sofa.Helper

    from softcontact.engines.sofa import create_scene
    from softcontact.scene import load

    options = {"file": sys.argv[1]} if len(sys.argv) > 1 else {"quality": "quick"}
    try:
        return create_scene(root, load("bunny", options))
    except ValueError as error:
        Sofa.Helper.msg_error(root, str(error))
        return root
