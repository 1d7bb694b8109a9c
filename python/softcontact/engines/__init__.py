# SPDX-License-Identifier: LGPL-2.1-or-later
"""Engines that run a scene: `embedded` (the core's own World) and `sofa`."""

from softcontact.engines.base import Engine, SurfaceInfo
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.model import Scene

ENGINES = ("embedded", "sofa")

__all__ = ["ENGINES", "Engine", "SurfaceInfo", "make_engine"]


def make_engine(scene: Scene, name: str = "embedded") -> Engine:
    """The engine of that name with the scene built in it.

    Raises:
        SceneError: no such engine, the engine is not installed, or it refuses the scene.
    """
    if name == "embedded" and any(body.kind == "block" for body in scene.bodies):
        from softcontact.engines.blocks import BlocksEngine

        return BlocksEngine(scene)
    if name == "embedded" and any(body.kind == "avatar" for body in scene.bodies):
        from softcontact.engines.avatars import AvatarEngine

        return AvatarEngine(scene)
    if name == "embedded" and any(body.kind == "vademecum" for body in scene.bodies):
        from softcontact.engines.vademecums import VademecumEngine

        return VademecumEngine(scene)
    if name == "embedded":
        from softcontact.engines.embedded import EmbeddedEngine

        return EmbeddedEngine(scene)
    if name == "sofa":
        from softcontact.engines.sofa import make_sofa_engine

        return make_sofa_engine(scene)
    raise SceneError(f"engine: no engine '{name}'" + nearest(name, ENGINES))
