# SPDX-License-Identifier: LGPL-2.1-or-later
"""How deep surfaces of a SOFA graph lie in each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.surface import GraphSurface


class StartView:
    """The surfaces of a graph as check_start reads those of a World: all in world axes."""

    def __init__(self, surfaces: Sequence[GraphSurface]) -> None:
        self._surfaces = list(surfaces)
        self.surface_names = [surface.name for surface in surfaces]

    def surface_vertices(self, number: int) -> FloatArray:
        """Vertices (k, 3) in the world [m]."""
        return self._surfaces[number].vertices()

    surface_local_vertices = surface_vertices

    def surface_triangles(self, number: int) -> Any:
        """Vertex numbers (m, 3)."""
        return self._surfaces[number].info.triangles

    def surface_pose(self, number: int) -> tuple[FloatArray, FloatArray]:
        """Position and quaternion: those of the world."""
        return np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])


class OverlapMeter:
    """Measures how deep surfaces that touch lie in each other.

    Args:
        surfaces: all contact surfaces.
    """

    def __init__(self, surfaces: Sequence[GraphSurface]) -> None:
        self._surfaces = {surface.name: surface for surface in surfaces}
        self._geometry: dict[str, Any] = {}

    def deepest(self, patches: Sequence[dict[str, Any]]) -> tuple[float, tuple[str, str]]:
        """Depth of the deepest vertex of a patch's surface inside the other one [m], and the names of both."""
        deepest, names = 0.0, ("", "")
        vertices = {
            name: self._surfaces[name].vertices() for p in patches for name in (p["body"], p["other"])
        }
        moved: set[str] = set()
        for patch in patches:
            for inner, outer in ((patch["body"], patch["other"]), (patch["other"], patch["body"])):
                points, other = vertices[inner], vertices[outer]
                inside = ((points > other.min(axis=0)) & (points < other.max(axis=0))).all(axis=1)
                if not inside.any() or not np.isfinite(other).all():
                    continue
                geometry = self._placed(outer, other, moved)
                if not geometry.is_closed:
                    continue
                depth = -float(np.nanmin(geometry.signed_distance(points[inside])[0]))
                if depth > deepest:
                    deepest, names = depth, (inner, outer)
        return deepest, names

    def _placed(self, name: str, vertices: FloatArray, moved: set[str]) -> Any:
        from softcontact._core import Surface

        if name not in self._geometry:
            self._geometry[name] = Surface(vertices, self._surfaces[name].info.triangles)
        elif name not in moved:
            self._geometry[name].update(vertices)
        moved.add(name)
        return self._geometry[name]
