# SPDX-License-Identifier: LGPL-2.1-or-later
"""Postures in which an avatar's palms are where they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.avatar.description import Avatar, Palm

Array = NDArray[np.float64]

_SWEEPS = 200
_DAMPING = 1e-3  # of the least squares, by m²: what keeps a step finite near a stretched arm
_LARGEST_STEP = 0.2  # [rad]
_TOLERANCE = 1e-10


def palm_pose(avatar: Avatar, q: ArrayLike, palm: Palm) -> tuple[Array, Array]:
    """Centre (3,) [m] of a palm in the world, and its axes (3, 3): normal, fingers and their cross product, by
    columns."""
    rotation, origin = avatar.model.link_pose(q, palm.link)
    return rotation @ np.array(palm.centre) + origin, rotation @ _own_axes(palm)


def reach(
    avatar: Avatar,
    q: ArrayLike,
    targets: Sequence[tuple[Palm, ArrayLike, ArrayLike, ArrayLike]],
    *,
    fixed: Sequence[str] = (),
) -> Array:
    """Configuration (nq,) near q whose palms have the wanted places; the arms move, trunk and legs stay.

    Args:
        avatar: see softcontact.avatar.
        q: (nq,) to begin with.
        targets: palm, its centre (3,) [m], its normal (3,) and the direction of its fingers (3,), at right angles to
            each other, in the world.
        fixed: links whose joints stay as they are.
    Raises:
        ValueError: a place out of reach, by more than 1 µm or 1 µrad, or only past a joint limit.
    """
    model = avatar.model
    lower, upper = avatar.limits()
    free = np.zeros(model.nv, dtype=bool)
    for palm, *_ in targets:
        free |= arm(avatar, palm.link)
    for link in fixed:
        free[avatar.coordinates(link)] = False
    q = np.asarray(q, dtype=float)
    error = np.zeros(0)
    for _ in range(_SWEEPS):
        rows, errors = [], []
        for palm, centre, normal, fingers in targets:
            place, axes = palm_pose(avatar, q, palm)
            errors += [
                np.asarray(centre, dtype=float) - place,
                rotation_vector(_axes(normal, fingers) @ axes.T),
            ]
            rows += [model.jacobian(q, palm.link, palm.centre), model.angular_jacobian(q, palm.link)]
        error, jacobian = np.concatenate(errors), np.vstack(rows)[:, free]
        if np.abs(error).max() < _TOLERANCE:
            break
        damped = jacobian @ jacobian.T + _DAMPING * float(error @ error) * np.eye(len(error))
        step = np.zeros(model.nv)
        step[free] = jacobian.T @ np.linalg.solve(damped, error)
        q = model.integrate(q, step * min(1.0, _LARGEST_STEP / max(np.abs(step).max(), 1e-300)))
    angles = plain_angles(avatar, q)
    outside = (angles < lower) | (angles > upper)
    if not np.abs(error).max() < 1e-6 or outside.any():
        names = ", ".join(f"{palm.link} to {np.round(centre, 3).tolist()} m" for palm, centre, *_ in targets)
        raise ValueError(f"'{avatar.name}' does not reach {names}; bring it nearer to the chest")
    return q


def arm(avatar: Avatar, link: str) -> NDArray[np.bool_]:
    """Mask (nv,) of the freedoms from a link of an arm up to its shoulder: what is not on the other arm's way too."""
    masks = [chain_of(avatar, link), *(chain_of(avatar, palm.link) for palm in avatar.palms)]
    shared = np.logical_and.reduce(masks[1:])
    return masks[0] & ~shared


def plain_angles(avatar: Avatar, q: ArrayLike) -> Array:
    """Joint angles (nv,) [rad]; 0 for the freedoms of spherical and free joints."""
    q = np.asarray(q, dtype=float)
    angles = np.zeros(avatar.model.nv)
    for record in avatar.model.links:
        if record["joint"] in ("revolute", "universal", "prismatic"):
            count = 2 if record["joint"] == "universal" else 1
            v, at = record["v_offset"], record["q_offset"]
            angles[v : v + count] = q[at : at + count]
    return angles


def chain_of(avatar: Avatar, link: str) -> NDArray[np.bool_]:
    """Mask (nv,) of the freedoms from a link to the pelvis, without those of the pelvis itself."""
    mask = np.zeros(avatar.model.nv, dtype=bool)
    index = avatar.model.index(link)
    while index > 0:
        record = avatar.model.links[index]
        mask[avatar.coordinates(record["name"])] = True
        index = record["parent"]
    return mask


def _axes(normal: ArrayLike, fingers: ArrayLike) -> Array:
    first, second = np.asarray(normal, dtype=float), np.asarray(fingers, dtype=float)
    return np.column_stack([first, second, np.cross(first, second)])


@cache
def _own_axes(palm: Palm) -> Array:
    return _axes(palm.normal, palm.fingers)


def rotation_vector(rotation: Array) -> Array:
    """(3,) [rad] of a rotation matrix (3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_rotvec()
