# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the engines share on a scene of two elastic blocks: who is driven, how, and the patch between them."""

from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.flexibility.hexahedra import BlockGrid
from softcontact.scene.bodies import ElasticBlock
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.scene.motions import Keyframes

_YOUNG = (1.0, 1e13)  # [Pa]; beyond, no material and no digits left
_SLIPS = 1e-9  # [m]; pairs that moved less count as sticking


def upper_and_lower(scene: Scene) -> tuple[ElasticBlock, ElasticBlock]:
    """The driven block and the other.

    Raises:
        SceneError: the scene is not two elastic blocks of which one is driven.
    """
    others = [body for body in scene.bodies if body.kind != "block"]
    if others:
        raise SceneError(
            f"bodies: {others[0].name!r} is {others[0].kind}; a scene of elastic blocks holds two of them, nothing else"
        )
    if len(scene.bodies) != 2:
        raise SceneError(f"bodies: {len(scene.bodies)} elastic blocks; give two, one on the other")
    driven = [body for body in scene.bodies if body.driven is not None]
    if len(driven) != 1:
        raise SceneError(
            f"bodies: {len(driven)} blocks have a driven face; drive one of the two, the upper one"
        )
    for body in scene.bodies:
        if not _YOUNG[0] <= body.young <= _YOUNG[1]:
            raise SceneError(
                f"bodies.{body.name}.young: {body.young:.3g} Pa; give {_YOUNG[0]:g} to {_YOUNG[1]:g} Pa"
            )
    lower = next(body for body in scene.bodies if body.driven is None)
    for index, motion in enumerate(scene.motions):
        if motion.body != driven[0].name:
            raise SceneError(f"motions[{index}]: {motion.body!r} has no driven face; move {driven[0].name!r}")
        if isinstance(motion, Keyframes) and motion.orientations:
            raise SceneError(
                f"motions[{index}].orientations: a block's face moves without turning; leave them out"
            )
    return driven[0], lower


def friction_of(scene: Scene, first: Any, second: Any) -> float:
    """Coulomb's μ between two bodies of a scene."""
    for pair in reversed(scene.pair_friction):
        if {pair.a, pair.b} == {first.name, second.name}:
            return pair.friction
    own = [scene.contact.friction if body.friction is None else body.friction for body in (first, second)]
    return own[0] if own[0] == own[1] else float(np.sqrt(own[0] * own[1]))


def tributary_areas(grid: BlockGrid, nodes: Any) -> FloatArray:
    """Area of each node of a horizontal face (n,) [m²]: a quarter of each quad around it."""
    dx, dy, _ = grid.element_size
    place = grid.nodes[nodes] - grid.origin
    edges = np.zeros(len(nodes))
    area = np.full(len(nodes), dx * dy)
    for axis, step in ((0, dx), (1, dy)):
        edges = (place[:, axis] < 0.5 * step) | (place[:, axis] > grid.size[axis] - 0.5 * step)
        area[edges] *= 0.5
    return area


def prescribed(motion: Any, start: FloatArray, at: float) -> FloatArray:
    """Displacement (3,) of the driven face from `start` at a time [s]; none without a motion."""
    if motion is None:
        return np.zeros(3)
    positions = np.array(motion.positions)
    moved = [np.interp(at, motion.times, positions[:, axis]) for axis in range(3)]
    return np.array(moved) - start


def contact_patches(
    names: tuple[str, str], force: FloatArray, points: FloatArray, areas: FloatArray, slip: FloatArray
) -> list[dict[str, Any]]:
    """The contact patch with the keys of World.patches(), forces on the upper block; none while apart.

    Args:
        names: of the upper and the lower block.
        force: on the upper block's contact nodes (n, 3) [N].
        points: positions of these nodes (n, 3) [m].
        areas: of these nodes (n,) [m²].
        slip: how far the pairs slid in the step (n,) [m].
    """
    normal = force[:, 2]
    total = float(normal.sum())
    if not total > 0.0:
        return []
    touching = normal > 0.0
    centre = normal @ points / total
    pressure = normal / areas
    area = float(areas[touching].sum())
    return [
        {
            "body": names[0],
            "other": names[1],
            "force": force.sum(axis=0),
            "torque": np.cross(points - centre, force).sum(axis=0),
            "centre": centre,
            "normal": np.array([0.0, 0.0, 1.0]),
            "normal_force": total,
            "area": area,
            "volume": 0.0,
            "pressure_mean": total / area,
            "pressure_max": float(pressure.max()),
            "state": "slip" if bool((slip[touching] > _SLIPS).all()) else "stick",
            "contacts": int(touching.sum()),
            "points": points[touching],
            "point_forces": force[touching],
        }
    ]
