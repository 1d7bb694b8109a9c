# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact distances that fit the size of a scene."""

from collections.abc import Callable
from typing import Any

import numpy as np

from softcontact.scene import bodies
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

ALARM_PER_SIZE = 1.0 / 35.0  # 2 mm for a 70 mm ball
HAND_ALARM = 2e-3  # Talvas et al. 2015, Sec. 4: local minimum distances under about 2 mm
# Surfaces rest this far apart, so that the line between two of them has a direction: of no weight in a force or a fit.
OFFSET_PER_ALARM = 1e-3
PENETRATION_PER_ALARM = 5.0


def contact_distances(scene: Scene, mesh_of: Callable[[Any], Any]) -> dict[str, float]:
    """Alarm distance, contact offset and greatest penetration of a scene [m].

    Args:
        scene: what it gives counts; the rest follows from the smallest body that moves by itself.
        mesh_of: surface or tetrahedral mesh of a shape.
    Returns:
        Settings of the World by name.
    Raises:
        SceneError: a given contact offset does not fit the alarm distance that the scene's size asks for, or a given
            alarm distance is out of proportion to the bodies.
    """
    given = scene.contact
    sizes = _sizes(scene, mesh_of)
    hand = any(isinstance(body, bodies.Hand | bodies.Fingertip) for body in scene.bodies)
    alarm = given.alarm_distance or _alarm(sizes, hand)
    smallest = min(sizes, default=np.inf)
    if not alarm < 0.5 * smallest:
        raise SceneError(
            f"contact.alarm_distance: {alarm:g} m for a body of {smallest:g} m; give less than half its largest side"
        )
    offset = OFFSET_PER_ALARM * alarm if given.contact_offset is None else given.contact_offset
    if not offset < alarm:
        raise SceneError(
            f"contact.contact_offset: {offset:g} m must be less than the alarm distance, {alarm:g} m for bodies of "
            "this size; give contact.alarm_distance as well"
        )
    return {
        "alarm_distance": alarm,
        "contact_offset": offset,
        "max_penetration": given.max_penetration or PENETRATION_PER_ALARM * alarm,
    }


def _alarm(sizes: list[float], hand: bool) -> float:
    alarm = ALARM_PER_SIZE * min(sizes) if sizes else HAND_ALARM
    return min(alarm, HAND_ALARM) if hand else alarm


def _sizes(scene: Scene, mesh_of: Callable[[Any], Any]) -> list[float]:
    """Largest side of each shape that moves [m]."""
    sizes = []
    for index, body in enumerate(scene.bodies):
        for shape in _moving_shapes(body):
            try:
                low, high = np.asarray(mesh_of(shape).bounds)
            except ValueError as error:
                raise SceneError(f"bodies[{index}] ({body.name}): {error}") from None
            sizes.append(float(np.max(high - low)))
    return sizes


def _moving_shapes(body: bodies.Body) -> list[Any]:
    match body:
        case bodies.RigidBody() | bodies.TetrahedralBody() | bodies.Tool():
            return [body.shape]
        case bodies.ArticulatedBody():
            return [link.shape for link in body.links if link.shape is not None]
    return []
