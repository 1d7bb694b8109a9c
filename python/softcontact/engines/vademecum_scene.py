# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a scene of vademecums says, for every engine: who touches whom, where bodies are, and what loads them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from softcontact.engines.base import FloatArray
from softcontact.scene.bodies import KinematicBody, VademecumBody
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.scene.motions import Keyframes
from softcontact.scene.vademecums import LoadMotion
from softcontact.vademecum import Vademecum
from softcontact.vademecum.loaded import LoadedBody, Placement


def roles(scene: Scene) -> tuple[VademecumBody, VademecumBody | KinematicBody | None]:
    """Who carries the distance, and who the pointshell."""
    solids = [body for body in scene.bodies if body.kind == "vademecum"]
    others = [body for body in scene.bodies if body.kind != "vademecum"]
    for body in others:
        if body.kind != "kinematic":
            raise SceneError(
                f"bodies.{body.name}: {body.kind}; beside a vademecum's body give a kinematic or a second such one"
            )
    if len(scene.bodies) > 2:
        raise SceneError(f"bodies: {len(scene.bodies)}; a scene of vademecums holds one body or two")
    return solids[0], (solids[1:] + others + [None])[0]


def rest_vertices(body: LoadedBody | Placement) -> FloatArray:
    """At rest, in body axes (n, 3) [m]."""
    return body.placement.vertices if isinstance(body, LoadedBody) else body.vertices


def pose_at(motion: Keyframes | None, at: float, position: Any, orientation: Any) -> tuple[Any, Any]:
    """Place [m] and quaternion at a time: those of the keyframes, or those given where there are none."""
    if motion is None:
        return position, orientation
    places = np.array(motion.positions)
    place = [np.interp(at, motion.times, places[:, axis]) for axis in range(3)]
    if not motion.orientations:
        return place, orientation
    turns = Rotation.from_quat(motion.orientations)
    if len(motion.times) == 1:
        return place, turns[0].as_quat()
    inside = float(np.clip(at, motion.times[0], motion.times[-1]))
    return place, Slerp(motion.times, turns)([inside])[0].as_quat()


def loads_at(motion: LoadMotion, at: float, vademecum: Vademecum) -> list[tuple[int, float]]:
    """(case, size) at a time: between two keyframes the force is shared by both nodes."""
    size = float(np.interp(at, motion.times, motion.sizes))
    last = int(np.clip(np.searchsorted(motion.times, at, side="right") - 1, 0, len(motion.times) - 1))
    after = min(last + 1, len(motion.times) - 1)
    first_case, next_case = (vademecum.case(motion.nodes[i], motion.family) for i in (last, after))
    if first_case == next_case:
        return [(first_case, size)]
    share = float(np.clip((at - motion.times[last]) / (motion.times[after] - motion.times[last]), 0.0, 1.0))
    parts = ((first_case, 1.0 - share), (next_case, share))
    return [(case, part * size) for case, part in parts if part > 0.0]


def contact_patch(
    names: Sequence[str],
    points: FloatArray,
    forces: FloatArray,
    normals: FloatArray,
    depths: FloatArray,
    areas: FloatArray,
    slides: bool,
) -> dict[str, Any]:
    """The patch of some points in contact, forces on the second body.

    Args:
        names: of the first body, which carries the distance, and the second.
        points, forces, normals: where they act, those on the second body, and out of the first one (c, 3) each.
        depths, areas: of the points and what they stand for (c,) each.
        slides: whether friction is at its bound at all of them.
    """
    along = np.einsum("ci,ci->c", forces, normals)
    normal = along @ normals
    total = float(along.sum())
    centre = along @ points / total
    area = float(areas.sum())
    return {
        "body": names[1],
        "other": names[0],
        "force": forces.sum(axis=0),
        "torque": np.cross(points - centre, forces).sum(axis=0),
        "centre": centre,
        "normal": normal / np.linalg.norm(normal),
        "normal_force": total,
        "area": area,
        "volume": float(areas @ depths),
        "pressure_mean": total / area,
        "pressure_max": float((along / areas).max()),
        "state": "slip" if slides else "stick",
        "contacts": len(points),
        "points": points,
        "point_forces": forces,
    }
