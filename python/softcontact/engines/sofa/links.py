# SPDX-License-Identifier: LGPL-2.1-or-later
"""Links of an articulated body as ArticulatedSystemMapping takes them.

The mapping gives a child its parent's orientation where all joint coordinates are zero. So each link has a frame
of SOFA's that is parallel to the root's there, and a constant rotation from that frame to the link's own axes. A
link on a fixed joint shares the frame of the link that it hangs on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray

_SIZES = {"revolute": 1, "prismatic": 1, "universal": 2, "fixed": 0}
_TETRAHEDRON = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


@dataclass(frozen=True)
class LinkFrame:
    """Where a link is in the Rigid3 state of the mapping.

    Attributes:
        index: of its frame in that state.
        rotation: from the link's axes to the frame's.
        offset: the link's origin in the frame [m].
    """

    index: int
    rotation: Rotation
    offset: FloatArray


@dataclass(frozen=True)
class Joint:
    """A joint of the mapping.

    Attributes:
        link: number of the link that it moves.
        parent: index of the parent's frame.
        child: index of the frame that it moves.
        place: the joint in the parent's frame [m].
        axes: one unit vector a coordinate, in the child's frame.
        slides: whether it translates.
        first: number of its first coordinate.
    """

    link: int
    parent: int
    child: int
    place: FloatArray
    axes: tuple[FloatArray, ...]
    slides: bool
    first: int


class LinkTree:
    """Frames and joints of an articulated body.

    Args:
        links: dictionaries as World.add_articulated_body takes them.
    Attributes:
        free: whether the first link moves freely; its frame is then frame 0, else that is the fixed base.
        frames: one LinkFrame a link.
        joints: those with coordinates, parents first.
        count: number of coordinates of these joints.
        base: pose of the base (7,), or placement of the free link at joint position zero.
    Raises:
        ValueError: a joint that the mapping cannot express.
    """

    def __init__(self, links: Sequence[dict[str, Any]]) -> None:
        self.links = list(links)
        self.free = self.links[0]["joint"] == "free"
        self.frames: list[LinkFrame] = []
        self.joints: list[Joint] = []
        self.count = 0
        frames = 1
        for number, link in enumerate(self.links):
            place = np.array(link["position"], dtype=float)
            turn = Rotation.from_quat(link["orientation"])
            if number == 0 and self.free:
                self._base = np.concatenate([place, turn.as_quat()])
                self.frames.append(LinkFrame(0, Rotation.identity(), np.zeros(3)))
                continue
            kind, parent = link["joint"], link["parent"]
            if kind not in _SIZES or (parent < 0 and self.free):
                raise ValueError(_refusal(link, kind))
            carrier = self.frames[parent] if parent >= 0 else LinkFrame(0, Rotation.identity(), np.zeros(3))
            rotation, place = carrier.rotation * turn, carrier.offset + carrier.rotation.apply(place)
            if kind == "fixed":
                self.frames.append(LinkFrame(carrier.index, rotation, place))
                continue
            axes = [link["axis"], link.get("axis2")] if kind == "universal" else [link["axis"]]
            turned = tuple(rotation.apply(np.array(a) / np.linalg.norm(a)) for a in axes)
            self.joints.append(
                Joint(number, carrier.index, frames, place, turned, kind == "prismatic", self.count)
            )
            self.frames.append(LinkFrame(frames, rotation, np.zeros(3)))
            self.count += len(turned)
            frames += 1
        self.frame_count = frames

    @property
    def root_size(self) -> tuple[int, int]:
        """Position and velocity coordinates before those of the joints: (7, 6) of a free link, or none."""
        return (7, 6) if self.free else (0, 0)

    def base_pose(self, q: FloatArray) -> FloatArray:
        """Pose (7,) of frame 0 at joint positions q (nq,)."""
        if not self.free:
            return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        turn = Rotation.from_quat(self._base[3:])
        return np.concatenate(
            [self._base[:3] + turn.apply(q[:3]), (turn * Rotation.from_quat(q[3:7])).as_quat()]
        )

    def root_positions(self, pose: FloatArray) -> FloatArray:
        """The free link's joint positions (7,) at a pose of frame 0."""
        back = Rotation.from_quat(self._base[3:]).inv()
        return np.concatenate(
            [back.apply(pose[:3] - self._base[:3]), (back * Rotation.from_quat(pose[3:])).as_quat()]
        )

    def poses(self, q: FloatArray) -> FloatArray:
        """Poses (frame_count, 7) of SOFA's frames at joint positions q (nq,)."""
        coordinates = q[self.root_size[0] :]
        result = np.zeros((self.frame_count, 7))
        result[0] = self.base_pose(q)
        for joint in self.joints:
            parent = result[joint.parent]
            turn, centre = Rotation.from_quat(parent[3:]), parent[:3].copy()
            centre += turn.apply(joint.place)
            for k, axis in enumerate(joint.axes):
                value = coordinates[joint.first + k]
                if joint.slides:
                    centre += turn.apply(axis) * value
                else:
                    turn = turn * Rotation.from_rotvec(axis * value)
            result[joint.child] = np.concatenate([centre, turn.as_quat()])
        return result

    def link_pose(self, poses: FloatArray, link: int) -> FloatArray:
        """Pose (7,) of a link's own frame, from the poses of SOFA's frames."""
        frame = self.frames[link]
        pose = poses[frame.index]
        turn = Rotation.from_quat(pose[3:])
        return np.concatenate([pose[:3] + turn.apply(frame.offset), (turn * frame.rotation).as_quat()])

    def in_frame(self, link: int, points: FloatArray) -> FloatArray:
        """Points (k, 3) of a link's own axes in those of its frame of SOFA's."""
        frame = self.frames[link]
        return frame.rotation.apply(np.array(points)) + frame.offset

    def point_masses(self) -> tuple[FloatArray, FloatArray, list[int]]:
        """Four points a link that have its mass, centre of mass and inertia, whichever way it turns.

        Returns:
            Positions (4 n, 3) in SOFA's frames [m], masses (4 n,) [kg], index of the frame of each point.
        """
        points, masses, owners = [], [], []
        for number, link in enumerate(self.links):
            own = np.array(link["com"]) + spread_of(link["mass"], np.array(link["inertia"]))
            points.append(self.in_frame(number, own))
            masses += [link["mass"] / 4.0] * 4
            owners += [self.frames[number].index] * 4
        return np.concatenate(points), np.array(masses), owners

    def values(self, key: str, default: float) -> FloatArray:
        """A property of the joints' coordinates (count,), such as "stiffness"; without those of a free root."""
        result = np.full(self.count, default)
        for joint in self.joints:
            given = self.links[joint.link].get(key)
            if given is not None and np.size(given):
                result[joint.first : joint.first + len(joint.axes)] = given
        return result


def spread_of(mass: float, inertia: FloatArray) -> FloatArray:
    """Four points (4, 3) about the centre of mass [m] that, with a quarter of the mass each, have an inertia."""
    second_moment = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    values, vectors = np.linalg.eigh(second_moment / mass)
    return _TETRAHEDRON @ (vectors * np.sqrt(np.maximum(values, 0.0))).T


def _refusal(link: dict[str, Any], kind: str) -> str:
    if link["parent"] < 0 and kind not in _SIZES:
        what = f"a {kind} joint at the base, but for the first link's free one"
    elif kind in _SIZES:
        what = "a second link on the world beside a free one"
    else:
        what = f"a {kind} joint"
    return (
        f"links ({link['name']}).joint: SOFA's ArticulatedSystemMapping cannot express {what}; use revolute, "
        "prismatic, universal or fixed joints, or --engine embedded"
    )
