# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rigid block is pressed on a steel beam, dragged over it and lifted; the beam stands as its vademecum has it.

    softcontact vademecum build beam --out beam.h5
    runSofa -l SofaPython3 -g batch -n 500 vademecum_beam.py --argv beam.h5

A second argument puts elements of SOFA's own in its place: hyperelastic or corotational.
"""

import sys
from typing import Any


def createScene(root: Any) -> Any:
    """Fill the root node; the first argument is the vademecum's file, the second what the solid is made of."""
    import Sofa.Helper

    from softcontact.engines.sofa import create_vademecum_scene

    if len(sys.argv) < 2:
        Sofa.Helper.msg_error(root, "no vademecum named; give its file with --argv beam.h5")
        return root
    options = {"solid": sys.argv[2]} if len(sys.argv) > 2 else {}
    try:
        return create_vademecum_scene(root, sys.argv[1], **options)
    except ValueError as error:
        Sofa.Helper.msg_error(root, str(error))
        return root
