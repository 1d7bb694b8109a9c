# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks before the first step: bodies that overlap, since contact cannot know how they came in, and narrow gaps."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from softcontact.engines.base import SurfaceInfo
from softcontact.scene.errors import SceneError, SceneWarning

TOUCHING = 1e-2  # share of the offset that counts as no clearance, and as the whole of it


def check_start(
    world: Any,
    surfaces: Iterable[SurfaceInfo],
    ignored: set[frozenset[str]],
    still: set[str],
    limit: float,
    offset: float,
    exact: frozenset[str] = frozenset(),
    overlaps: Iterable[tuple[int, int, float]] = (),
) -> None:
    """Refuse a scene in which two bodies overlap by more than contact could undo.

    Args:
        world: softcontact._core.World with all surfaces in place.
        surfaces: the surfaces to look at.
        ignored: pairs of bodies that do not collide.
        still: bodies that move by prescription alone; two of them may overlap.
        limit: greatest depth of a vertex in the other body that is borne [m].
        offset: distance at which surfaces come to rest [m]; a warning tells of a clearance below it.
        exact: bodies that contact takes as exact shapes: between two of them there is no offset.
        overlaps: numbers of two surfaces that touch each other in the run, and how deep they overlap [m].
    Raises:
        SceneError: names both bodies and the depth.
    """
    from softcontact._core import Surface, find_box_pairs

    body_of = {info.name: info.body for info in surfaces}
    for first, second, depth in overlaps:
        a, b = (body_of[world.surface_names[number]] for number in sorted((first, second)))
        if depth > limit:
            raise SceneError(_overlap(a, b, depth))
    placed = []
    number_of = {name: number for number, name in enumerate(world.surface_names)}
    for info in surfaces:
        number = number_of[info.name]
        surface = Surface(
            np.array(world.surface_local_vertices(number)), np.array(world.surface_triangles(number))
        )
        surface.set_pose(*world.surface_pose(number))
        placed.append((info, surface, np.array(world.surface_vertices(number))))
    if not placed:
        return
    lower = np.array([vertices.min(axis=0) for _, _, vertices in placed])
    upper = np.array([vertices.max(axis=0) for _, _, vertices in placed])
    for second, first in sorted((j, i) for i, j in find_box_pairs(lower, upper, offset)):
        a, surface_a, vertices_a = placed[second]
        b, surface_b, vertices_b = placed[first]
        pair = frozenset((a.body, b.body))
        if a.body == b.body or pair in ignored or pair <= still:
            continue
        gap = min(
            _gap(vertices_a, surface_b, vertices_b, offset),
            _gap(vertices_b, surface_a, vertices_a, offset),
        )
        if -gap > limit:
            raise SceneError(_overlap(b.body, a.body, -gap))
        if not pair <= exact and TOUCHING * offset < gap < (1.0 - TOUCHING) * offset:
            warnings.warn(
                f"bodies: '{b.body}' and '{a.body}' are {1e3 * gap:.3g} mm apart at the start, less than the "
                f"contact offset of {1e3 * offset:.3g} mm, which pushes them further apart; "
                "give a smaller contact.contact_offset",
                SceneWarning,
                stacklevel=3,
            )


def _overlap(a: str, b: str, depth: float) -> str:
    return (
        f"bodies: '{a}' and '{b}' overlap by {1e3 * depth:.3g} mm at the start; move them apart, or list them in "
        "pairs_off"
    )


def _gap(points: np.ndarray, surface: Any, other: np.ndarray, offset: float) -> float:
    """Least signed distance of points from a closed surface with vertices `other` [m]; inf beyond the offset."""
    near = ((points >= other.min(axis=0) - offset) & (points <= other.max(axis=0) + offset)).all(axis=1)
    if not surface.is_closed or not near.any():
        return np.inf
    return float(np.nanmin(np.asarray(surface.signed_distance(points[near])[0])))
