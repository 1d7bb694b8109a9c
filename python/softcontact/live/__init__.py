# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes that run live: on the wall clock, moved by hand, changed while they run.

    with open_scene(load("block")) as live:
        live.start()
        live.move((0.0, 0.0, 0.045))
        print(live.read().normal)

The page in the browser (softcontact.live.page, which needs viser) shows and drives such a scene.
"""

from softcontact.live.frame import Frame, Readings
from softcontact.live.scene import LiveScene
from softcontact.scene.model import Scene
from softcontact.scene.resolve import resolve

__all__ = ["Frame", "LiveScene", "Readings", "open_scene"]


def open_scene(scene: Scene, device: str = "simulated", *, fit: bool = True) -> LiveScene:
    """A running scene, at its start and not started yet; close it at the end.

    Args:
        scene: with a haptic tool, or without.
        device: what moves the tool: "simulated", a steered hand (LiveScene.move), or "openhaptics".
        fit: let a scene with a tool take a longer time step where this machine is too slow for its own; see ToolScene.
    Raises:
        SceneError: the engine refuses the scene, a file of it cannot be read, or the device cannot be had.
    """
    scene = resolve(scene)
    if any(body.kind == "tool" for body in scene.bodies):
        from softcontact.live.tool_scene import ToolScene

        return ToolScene(scene, device, fit=fit)
    from softcontact.live.played_scene import PlayedScene

    return PlayedScene(scene)
