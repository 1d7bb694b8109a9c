# SPDX-License-Identifier: LGPL-2.1-or-later
"""Surfaces of a SOFA graph: a node with positions and triangles that contact models are put on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray, SurfaceInfo
from softcontact.engines.sofa.components import add


@dataclass(frozen=True)
class GraphSurface:
    """A surface that takes part in contact.

    Attributes:
        info: name, body, role and triangles, as a run asks for them.
        node: its node; the contact models go below it.
        state: MechanicalObject with its vertices.
        friction: friction coefficient of the surface [-].
        aggregate: whether it gathers its contacts with another surface into one patch.
        soft: whether it deforms.
        moves: whether contact moves it.
        link: number of the link of the body that carries it.
        frame: link path of the Rigid3 state that carries deforming tissue, or "".
        frame_index: index in that state.
    """

    info: SurfaceInfo
    node: Any
    state: Any
    friction: float
    aggregate: bool
    soft: bool
    moves: bool
    link: int = 0
    frame: str = ""
    frame_index: int = 0

    @property
    def name(self) -> str:
        """Name of the surface."""
        return self.info.name

    def vertices(self) -> FloatArray:
        """Positions (k, 3) of the vertices in the world [m]."""
        return np.array(self.state.position.value, dtype=float)


def node_name(name: str) -> str:
    """A scene's name as SOFA takes it in paths."""
    return "".join(c if c.isalnum() or c in "_-" else "_" for c in name)


def surface_node(parent: Any, name: str, vertices: FloatArray, triangles: Any) -> tuple[Any, Any]:
    """A child node with a surface's vertices, in the world, and its triangles; without a mapping.

    Returns:
        The node and its MechanicalObject.
    """
    node = parent.addChild(name)
    add(
        node,
        "MeshTopology",
        name="topology",
        position=vertices.tolist(),
        triangles=np.asarray(triangles).tolist(),
    )
    state = add(node, "MechanicalObject", name="vertices", template="Vec3", position=vertices.tolist())
    return node, state


def rigid_surface(
    parent: Any, name: str, vertices: FloatArray, triangles: Any, pose: FloatArray, index: int = 0
) -> tuple[Any, Any]:
    """A surface that one frame of the parent's Rigid3 state carries.

    Args:
        parent: node below or at that of the Rigid3 state.
        name: of the new node.
        vertices: in the axes of the frame (k, 3) [m].
        triangles: vertex numbers (m, 3).
        pose: present pose of the frame (7,).
        index: of the frame in the state.
    """
    node, state = surface_node(parent, name, transformed(pose, vertices), triangles)
    add(
        node,
        "RigidMapping",
        index=index,
        initialPoints=vertices.tolist(),
        globalToLocalCoords=False,
    )
    return node, state


def transformed(pose: FloatArray, points: FloatArray) -> FloatArray:
    """Points (k, 3) in the axes of a frame, moved by its pose (x, y, z, qx, qy, qz, qw)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(pose[3:]).apply(np.array(points)) + pose[:3]
