# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a JSON, YAML or named scene in SOFA: runSofa -l SofaPython3 .../scene_file.py --argv my_scene.yaml."""

import sys
from typing import Any


def createScene(root: Any) -> Any:
    """Fill the root node with the scene that the first argument names.

    Raises:
        SceneError: no scene is named, there is none of that name, or SOFA cannot express it.
    """
    from softcontact.engines.sofa import create_scene
    from softcontact.scene.errors import SceneError

    if len(sys.argv) < 2:
        raise SceneError("no scene named; give one with --argv my_scene.yaml")
    return create_scene(root, sys.argv[1])
