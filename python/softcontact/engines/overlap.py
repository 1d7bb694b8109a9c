# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies that lie inside each other before the first step: contact cannot tell which way they came in."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from softcontact.engines.base import SurfaceInfo
from softcontact.scene.errors import SceneError


def check_start(
    world: Any, surfaces: Iterable[SurfaceInfo], ignored: set[frozenset[str]], still: set[str], limit: float
) -> None:
    """Refuse a scene in which two bodies overlap by more than contact could undo.

    Args:
        world: softcontact._core.World with all surfaces in place.
        surfaces: the surfaces to look at.
        ignored: pairs of bodies that do not collide.
        still: bodies that move by prescription alone; two of them may overlap.
        limit: greatest depth of a vertex in the other body that is borne [m].
    Raises:
        SceneError: names both bodies and the depth.
    """
    from softcontact._core import Surface

    placed = []
    for info in surfaces:
        number = world.surface_names.index(info.name)
        surface = Surface(
            np.array(world.surface_local_vertices(number)), np.array(world.surface_triangles(number))
        )
        surface.set_pose(*world.surface_pose(number))
        placed.append((info, surface, np.array(world.surface_vertices(number))))
    for i, (a, surface_a, vertices_a) in enumerate(placed):
        for b, surface_b, vertices_b in placed[:i]:
            pair = frozenset((a.body, b.body))
            if a.body == b.body or pair in ignored or pair <= still:
                continue
            depth = max(_depth(vertices_a, surface_b, vertices_b), _depth(vertices_b, surface_a, vertices_a))
            if depth > limit:
                raise SceneError(
                    f"bodies: '{b.body}' and '{a.body}' overlap by {1e3 * depth:.3g} mm at the start; move them apart, "
                    "or list them in pairs_off"
                )


def _depth(points: np.ndarray, surface: Any, other: np.ndarray) -> float:
    """How deep the deepest of the points lies inside a closed surface with vertices `other` [m]; 0 outside."""
    inside_box = ((points >= other.min(axis=0)) & (points <= other.max(axis=0))).all(axis=1)
    if not surface.is_closed or not inside_box.any():
        return 0.0
    distance = np.asarray(surface.signed_distance(points[inside_box])[0])
    return max(0.0, -float(np.nanmin(distance)))
