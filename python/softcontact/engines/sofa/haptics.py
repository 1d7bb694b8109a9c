# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes with a tool as SOFA scenes that are felt: a device's thread at its own rate beside SOFA's steps."""

from typing import Any

import numpy as np

from softcontact.engines.sofa.components import add, registered
from softcontact.engines.sofa.graph import SceneGraph
from softcontact.engines.sofa.tools import ToolInGraph
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

DEVICES = ("simulated", "geomagic")
GEOMAGIC = "GeomagicDriver"
NO_GEOMAGIC = (
    "device 'geomagic': this SOFA has no component GeomagicDriver; the tool stays where it starts. Build SOFA with "
    "PLUGIN_GEOMAGIC=ON and 3D Systems' OpenHaptics, or take device 'simulated'"
)


def add_devices(
    root: Any,
    graph: SceneGraph,
    device: str,
    options: dict[str, Any] | None = None,
    feedback: dict[str, Any] | None = None,
) -> None:
    """Give each tool of a graph a device and SoftContact's LinearContactModel.

    Args:
        root: SOFA's root node.
        graph: a scene whose tools nothing pulls yet.
        device: "simulated", a hand in the scene's keyframes, or "geomagic", a device of 3D Systems.
        options: Data of SimulatedHapticDevice or GeomagicDriver besides those of the scene.
        feedback: Data of LinearContactModel.
    Raises:
        SceneError: no such device, a scene without a tool, or Data that a component does not have.
    """
    if device not in DEVICES:
        raise SceneError(f"device: {device!r}; give one of {', '.join(DEVICES)}")
    tools = [body for body in graph.bodies.values() if isinstance(body, ToolInGraph)]
    if not tools:
        raise SceneError(
            f"scene '{graph.scene.name}' has no tool to put into a hand; add a body of kind 'tool'"
        )
    add(root, "RequiredPlugin", name="Sofa_Component_Haptics", pluginName="Sofa.Component.Haptics")
    if device == "geomagic" and not _load_geomagic(root):
        import Sofa.Helper

        Sofa.Helper.msg_warning(root, NO_GEOMAGIC)
    for number, tool in enumerate(tools):
        made = add(tool.node, "LinearContactModel", name="feedback", **(feedback or {}))
        link = "@" + made.getPathName()
        if device == "simulated":
            given = _simulated(root, graph.scene, tool, link, options or {})
            tool.coupling.deviceVelocity.setParent(given.velocityDevice)
        elif registered(GEOMAGIC):
            given = _geomagic(root, tool, link, number, options or {})
        else:
            continue
        tool.coupling.device.setParent(given.positionDevice)


def _simulated(root: Any, scene: Scene, tool: ToolInGraph, link: str, options: dict[str, Any]) -> Any:
    start = np.array(tool.coupling.device.value, dtype=float)
    motion = next((m for m in scene.motions if m.body == tool.body.name), None)
    times, poses = np.zeros(1), start[None]
    if motion is not None:
        turns = motion.orientations or [tool.body.orientation] * len(motion.times)
        times, poses = np.array(motion.times), np.hstack([motion.positions, turns])
    return add(
        root,
        "SimulatedHapticDevice",
        name=f"{tool.node.name.value}_device",
        forceFeedBack=link,
        times=times.tolist(),
        poses=poses.tolist(),
        **options,
    )


def _geomagic(root: Any, tool: ToolInGraph, link: str, number: int, options: dict[str, Any]) -> Any:
    name = "Default Device" if number == 0 else f"Device {number + 1}"
    # The driver's numbers are centimetres times `scale`; its axes are x right, y up, z to the user.
    data = {
        "deviceName": name,
        "scale": 0.01,
        "positionBase": np.array(tool.coupling.device.value, dtype=float)[:3].tolist(),
        "orientationBase": [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)],
        "forceScale": 1.0,
    }
    return add(root, GEOMAGIC, name=f"{tool.node.name.value}_device", forceFeedBack=link, **(data | options))


def _load_geomagic(root: Any) -> bool:
    if registered(GEOMAGIC):
        return True
    import SofaRuntime

    try:
        SofaRuntime.importPlugin("Geomagic")
    except (RuntimeError, ValueError):
        return False
    return registered(GEOMAGIC)
