# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of link descriptions on their way to the core."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

JOINT_SIZES = {  # (nq, nv)
    "fixed": (0, 0),
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "universal": (2, 2),
    "spherical": (4, 3),
    "free": (7, 6),
}
_SHARED_KEYS = frozenset({"name", "joint", "axis", "axis2", "mass", "com", "inertia", "armature"})
_LINK_KEYS = _SHARED_KEYS | {"parent", "position", "orientation"}
_BODY_KEYS = _SHARED_KEYS | {"next"}
_NORM_TOLERANCE = 1e-3  # a quaternion further from unit norm is a mistake, not round-off


def finite_array(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """``value`` as a float64 array of that shape; ValueError naming it if it is not, or not finite."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers of shape {shape}, got {value!r}") from error
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array}")
    return array


def quaternions(links: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, str], ...]:
    """Where each quaternion of these link records starts in q, and its link's name."""
    return tuple(
        (link["q_offset"] + (3 if link["joint"] == "free" else 0), link["name"])
        for link in links
        if link["joint"] in ("spherical", "free")
    )


def configuration(name: str, value: ArrayLike, nq: int, places: Sequence[tuple[int, str]]) -> Array:
    """Checked configuration (nq,) of a model with these `quaternions`."""
    q = finite_array(name, value, (nq,))
    numbers = q.tolist()  # quicker than small arrays, in every call of an algorithm that takes microseconds
    for start, link in places:
        norm = math.hypot(*numbers[start : start + 4])
        if not abs(norm - 1.0) <= _NORM_TOLERANCE:
            raise ValueError(
                f"{name}[{start}:{start + 4}], the quaternion of link '{link}', has norm {norm}; normalise it"
            )
    return q


def rotation_matrix(quaternion: Array) -> Array:
    """Rotation (3, 3) of a quaternion (x, y, z, w) of any non-zero norm."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _number(where: str, value: Any) -> float:
    return float(finite_array(where, value, ()))


def _check_keys(
    where: str, given: Mapping[str, Any], allowed: frozenset[str], required: Sequence[str]
) -> None:
    unknown = sorted(set(given) - allowed)
    if unknown:
        raise ValueError(f"{where}: unknown key {unknown[0]!r}; the keys are {', '.join(sorted(allowed))}")
    for key in required:
        if key not in given:
            raise ValueError(f"{where}: key '{key}' is missing")


def _unit(where: str, value: ArrayLike) -> Array:
    axis = finite_array(where, value, (3,))
    norm = np.linalg.norm(axis)
    if not norm > 1e-9:
        raise ValueError(f"{where} = {axis} has no direction")
    return axis / norm


def _axes(where: str, link: Mapping[str, Any]) -> tuple[Array, Array]:
    joint = link["joint"]
    unused = np.array([0.0, 0.0, 1.0])
    if joint in ("revolute", "prismatic"):
        if link.get("axis") is None:
            raise ValueError(f"{where}: a {joint} joint needs 'axis'")
        return _unit(f"{where}: axis", link["axis"]), unused
    if joint == "universal":
        pair = link.get("axis"), link.get("axis2")
        if pair[1] is None and pair[0] is not None and np.ndim(pair[0]) == 2:
            pair = tuple(finite_array(f"{where}: axis", pair[0], (2, 3)))
        if pair[0] is None and pair[1] is None:
            pair = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        if pair[0] is None or pair[1] is None:
            raise ValueError(f"{where}: a universal joint needs both 'axis' and 'axis2', or neither (x, y)")
        return _unit(f"{where}: axis", pair[0]), _unit(f"{where}: axis2", pair[1])
    return unused, unused


def _parent_index(where: str, parent: int | str, index: int, names: Mapping[str, int]) -> int:
    if isinstance(parent, str):
        if parent not in names:
            raise ValueError(f"{where}: parent '{parent}' is not an earlier link")
        return names[parent]
    if not -1 <= parent < index:
        raise ValueError(f"{where}: parent = {parent} must be an earlier link, or -1 for the world")
    return int(parent)


def link_arguments(link: Mapping[str, Any], index: int, names: Mapping[str, int]) -> tuple[Any, ...]:
    """Arguments of the core's add_link for one description; ``names`` maps the earlier links to indices."""
    name = str(link.get("name", f"link{index}"))
    where = f"links[{index}] ('{name}')"
    _check_keys(where, link, _LINK_KEYS, ["joint"])
    joint = link["joint"]
    if joint not in JOINT_SIZES:
        raise ValueError(f"{where}: joint {joint!r} is unknown; use {', '.join(JOINT_SIZES)}")
    axis, axis2 = _axes(where, link)
    orientation = finite_array(f"{where}: orientation", link.get("orientation", (0, 0, 0, 1)), (4,))
    if not abs(np.linalg.norm(orientation) - 1.0) <= _NORM_TOLERANCE:
        raise ValueError(f"{where}: orientation = {orientation} must be a unit quaternion (x, y, z, w)")
    armature = link.get("armature")
    return (
        name,
        _parent_index(where, link.get("parent", -1), index, names),
        joint,
        axis,
        axis2,
        rotation_matrix(orientation),
        finite_array(f"{where}: position", link.get("position", (0, 0, 0)), (3,)),
        _number(f"{where}: mass", link.get("mass", 0.0)),
        finite_array(f"{where}: com", link.get("com", (0, 0, 0)), (3,)),
        finite_array(f"{where}: inertia", link.get("inertia", np.zeros((3, 3))), (3, 3)),
        np.zeros(0)
        if armature is None
        else finite_array(f"{where}: armature", armature, (JOINT_SIZES[joint][1],)),
    )


def links_of_chain(bodies: Sequence[Mapping[str, Any]], base: Array) -> list[dict[str, Any]]:
    """Link descriptions of an unbranched chain: see ArticulatedModel.chain."""
    links: list[dict[str, Any]] = []
    position = base
    for index, body in enumerate(bodies):
        where = f"bodies[{index}]"
        _check_keys(where, body, _BODY_KEYS, ["joint", "mass", "inertia"])
        link = {key: value for key, value in body.items() if key != "next"}
        links.append({"name": f"body{index}", **link, "parent": index - 1, "position": position})
        position = finite_array(f"{where}: next", body.get("next", (0, 0, 0)), (3,))
    return links
