# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine that runs a scene as a SOFA graph; `add` and `create_scene` serve users' own SOFA scenes too."""

from typing import Any

from softcontact.engines.sofa.availability import sofa_found, sofa_reason
from softcontact.engines.sofa.components import add

__all__ = ["add", "create_scene", "make_sofa_engine", "sofa_found", "sofa_reason"]


def make_sofa_engine(scene: Any) -> Any:
    """The scene built in SOFA, ready to step.

    Args:
        scene: a softcontact.scene.Scene.
    Raises:
        SceneError: SOFA or SoftContact's plugin cannot be loaded, or SOFA cannot express the scene.
    """
    from softcontact.engines.sofa.availability import import_sofa

    import_sofa()
    if any(body.kind == "block" for body in scene.bodies):
        from softcontact.engines.sofa.blocks_engine import SofaBlocksEngine

        return SofaBlocksEngine(scene)
    from softcontact.engines.sofa.engine import SofaEngine

    return SofaEngine(scene)


def create_scene(root: Any, scene: Any) -> Any:
    """Fill a SOFA root node with a scene, as `createScene(root)` of a Python scene does.

    Args:
        root: SOFA's root node.
        scene: a softcontact.scene.Scene, the name of one, or a .py, .json or .yaml scene file.
    Returns:
        The root node.
    Raises:
        SceneError: no such scene, or SOFA cannot express it.
    """
    from softcontact.engines.sofa.availability import import_sofa
    from softcontact.scene.library import load
    from softcontact.scene.model import Scene
    from softcontact.scene.resolve import resolve

    import_sofa()
    scene = resolve(scene if isinstance(scene, Scene) else load(scene))
    if any(body.kind == "block" for body in scene.bodies):
        from softcontact.engines.sofa.blocks import BlocksGraph

        BlocksGraph(root, scene)
        return root
    from softcontact.engines.sofa.graph import build_graph

    build_graph(root, scene)
    return root
