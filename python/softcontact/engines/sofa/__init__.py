# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine that runs a scene as a SOFA graph; `add` and `create_scene` serve users' own SOFA scenes too."""

from typing import Any

from softcontact.engines.sofa.availability import sofa_found, sofa_reason
from softcontact.engines.sofa.components import add

__all__ = [
    "add",
    "create_haptic_scene",
    "create_scene",
    "create_vademecum_scene",
    "linear_tissue",
    "make_sofa_engine",
    "sofa_found",
    "sofa_reason",
]


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
    if any(body.kind == "vademecum" for body in scene.bodies):
        from softcontact.engines.sofa.vademecum_engine import SofaVademecumEngine

        return SofaVademecumEngine(scene)
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
    if any(body.kind == "vademecum" for body in scene.bodies):
        from softcontact.engines.sofa.vademecum_graph import VademecumGraph

        VademecumGraph(root, scene).drive()
        return root
    from softcontact.engines.sofa.graph import build_graph

    build_graph(root, scene)
    return root


def create_haptic_scene(root: Any, scene: Any, device: str = "simulated", **data: Any) -> Any:
    """Fill a SOFA root node with a scene with tools that are felt: each has a device, whose thread runs at its own
    rate, and SoftContact's LinearContactModel.

    Args:
        root: SOFA's root node.
        scene: as for create_scene; its keyframes are what the hand of a simulated device intends.
        device: "simulated", without hardware, or "geomagic", SOFA's GeomagicDriver. Where SOFA has no GeomagicDriver,
            a warning says so, and the tool stays where it starts.
        data: Data of SimulatedHapticDevice or GeomagicDriver, and as `feedback` those of LinearContactModel.
    Returns:
        The root node.
    Raises:
        SceneError: no such scene or device, a scene without a tool, or something that SOFA cannot express.
    """
    from softcontact.engines.sofa.availability import import_sofa
    from softcontact.scene.errors import SceneError
    from softcontact.scene.library import load
    from softcontact.scene.model import Scene
    from softcontact.scene.resolve import resolve

    import_sofa()
    scene = resolve(scene if isinstance(scene, Scene) else load(scene))
    from softcontact.engines.sofa.graph import SceneGraph
    from softcontact.engines.sofa.haptics import add_devices

    feedback = data.pop("feedback", None)
    graph = SceneGraph(root, scene, drive_tools=False)
    try:
        add_devices(root, graph, device, data, feedback)
    except ValueError as error:
        raise SceneError(str(error)) from None
    return root


def create_vademecum_scene(root: Any, vademecum: Any, **options: Any) -> Any:
    """Fill a SOFA root node with a rigid block that is pressed on a solid and dragged over it.

    Args:
        root: SOFA's root node.
        vademecum: of the solid, or its file.
        options: see engines.sofa.vademecum_scene.create_vademecum_scene; with solid="hyperelastic" SOFA's own elements
            take the vademecum's place.
    Returns:
        The root node.
    Raises:
        SceneError: an option that there is not, or something that this SOFA has no component for.
        VademecumFileError: no such file, not whole, or of another version.
    """
    from softcontact.engines.sofa.vademecum_scene import create_vademecum_scene

    return create_vademecum_scene(root, vademecum, **options)


def linear_tissue(scene: Any) -> Any:
    """A scene without what SOFA's corotational elements have none of: tissue that stiffens with strain.

    Args:
        scene: a softcontact.scene.Scene, or the name of one.
    Returns:
        The scene with linear tissue.
    Raises:
        SceneError: no such scene.
    """
    from softcontact.scene.library import load
    from softcontact.scene.model import Scene

    description = (scene if isinstance(scene, Scene) else load(scene)).to_dict()
    for body in description["bodies"]:
        body.get("material", {}).pop("stiffening", None)
    return Scene.from_dict(description)
