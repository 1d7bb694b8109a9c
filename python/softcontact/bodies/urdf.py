# SPDX-License-Identifier: LGPL-2.1-or-later
"""URDF files as descriptions of articulated bodies. Format: http://wiki.ros.org/urdf/XML"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies._links import JOINT_SIZES

Array = NDArray[np.float64]

_JOINTS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "floating": "free",
}


@dataclass(frozen=True)
class Mimic:
    """Joint coordinate = multiplier × source coordinate + offset; indices into q and v."""

    joint: str
    source: str
    multiplier: float
    offset: float  #: rad or m
    q_index: int
    v_index: int
    source_q_index: int
    source_v_index: int


@dataclass(frozen=True)
class JointData:
    """What a URDF file says of its joints, (nv,) each, in the order of v; infinite where it sets no limit."""

    lower: Array  #: rad or m
    upper: Array  #: rad or m
    velocity: Array  #: rad/s or m/s
    effort: Array  #: N·m or N
    damping: Array  #: N·m·s/rad or N·s/m
    friction: Array  #: N·m or N
    mimics: tuple[Mimic, ...]

    def mimic_matrix(self) -> Array:
        """G (nv, nv − mimics) with v = G × (velocities of the joints that are not mimics)."""
        matrix = np.eye(self.lower.size)
        for mimic in self.mimics:
            matrix[mimic.v_index] = mimic.multiplier * matrix[mimic.source_v_index]
        return np.delete(matrix, [mimic.v_index for mimic in self.mimics], axis=1)


@dataclass(frozen=True)
class Description:
    """Links for ArticulatedModel, parents first, and the joints' data."""

    links: list[dict[str, Any]]
    joints: JointData


@dataclass
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    element: ElementTree.Element
    q_index: int = -1
    v_index: int = -1


def read(path: str | PathLike[str], *, floating_base: bool = False) -> Description:
    """Read a URDF file; see ArticulatedModel.from_urdf for what is taken and what is refused."""
    try:
        robot = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} is not XML: {error}") from error
    if robot.tag != "robot":
        raise ValueError(f"<{robot.tag}>: a URDF file has the root element <robot>")
    for element in robot.iter():
        if "xacro" in element.tag:
            raise ValueError(
                f"<{element.tag}>: xacro is not supported; expand the file with the xacro tool first"
            )
    elements = _named(robot, "link")
    if not elements:
        raise ValueError("<robot> has no <link>")
    joints = [_joint(element, elements) for element in _named(robot, "joint").values()]
    root, order = _tree(elements, joints)

    links = [_link(root, elements[root], "free" if floating_base else "fixed")]
    nq, nv = JOINT_SIZES[links[0]["joint"]]
    for joint in order:
        link = _link(joint.child, elements[joint.child], _JOINTS[joint.kind])
        position, rotation = _origin(joint.element, _where(joint.element))
        axis = _axis(joint)
        links.append(
            {
                **link,
                "parent": joint.parent,
                "position": position,
                "orientation": _quaternion(rotation),
                **axis,
            }
        )
        joint.q_index, joint.v_index = nq, nv
        nq += JOINT_SIZES[link["joint"]][0]
        nv += JOINT_SIZES[link["joint"]][1]
    return Description(links, _joint_data(order, nv))


def _where(element: ElementTree.Element) -> str:
    return f"<{element.tag} name={element.get('name', '')!r}>"


def _named(robot: ElementTree.Element, tag: str) -> dict[str, ElementTree.Element]:
    found: dict[str, ElementTree.Element] = {}
    for element in robot.findall(tag):
        name = element.get("name")
        if not name:
            raise ValueError(f"<{tag}> without a name")
        if name in found:
            raise ValueError(f"{_where(element)} appears twice")
        found[name] = element
    return found


def _numbers(element: ElementTree.Element, key: str, default: str, count: int, where: str) -> Array:
    text = element.get(key, default)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ValueError(f"{where} <{element.tag} {key}={text!r}>: expected {count} finite number(s)")
    return values


def _number(element: ElementTree.Element, key: str, default: str, where: str) -> float:
    return float(_numbers(element, key, default, 1, where)[0])


def _required(element: ElementTree.Element, tag: str, where: str) -> ElementTree.Element:
    child = element.find(tag)
    if child is None:
        raise ValueError(f"{where}: <{tag}> is missing")
    return child


def _origin(element: ElementTree.Element, where: str) -> tuple[Array, Array]:
    """Position (3,) and rotation (3, 3): rpy turns about the fixed x, then y, then z."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    roll, pitch, yaw = _numbers(origin, "rpy", "0 0 0", 3, where)
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return _numbers(origin, "xyz", "0 0 0", 3, where), about_z @ about_y @ about_x


def _quaternion(rotation: Array) -> Array:
    """(x, y, z, w) as the eigenvector of Bar-Itzhack's symmetric matrix: accurate at half turns too."""
    m = rotation
    k = np.empty((4, 4))
    k[:3, :3] = m + m.T - np.trace(m) * np.eye(3)
    k[3, :3] = k[:3, 3] = (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
    k[3, 3] = np.trace(m)
    return np.linalg.eigh(k)[1][:, 3]


def _link(name: str, element: ElementTree.Element, joint: str) -> dict[str, Any]:
    link: dict[str, Any] = {"name": name, "joint": joint}
    inertial = element.find("inertial")
    if inertial is None:
        return link
    where = _where(element)
    com, rotation = _origin(inertial, where)
    mass = _required(inertial, "mass", where)
    if mass.get("value") is None:
        raise ValueError(f"{where}: <mass> has no value")
    tensor = _required(inertial, "inertia", where)
    xx, xy, xz, yy, yz, zz = (
        _number(tensor, key, "0", where) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return {
        **link,
        "mass": _number(mass, "value", "", where),
        "com": com,
        "inertia": rotation @ inertia @ rotation.T,
    }


def _joint(element: ElementTree.Element, links: dict[str, ElementTree.Element]) -> _Joint:
    where = _where(element)
    kind = element.get("type", "")
    if kind not in _JOINTS:
        raise ValueError(f"{where}: type {kind!r} is not supported; supported are {', '.join(_JOINTS)}")
    ends = []
    for tag in ("parent", "child"):
        name = _required(element, tag, where).get("link", "")
        if name not in links:
            raise ValueError(f"{where}: <{tag} link={name!r}> is not a link of the robot")
        ends.append(name)
    return _Joint(element.get("name", ""), kind, ends[0], ends[1], element)


def _axis(joint: _Joint) -> dict[str, Array]:
    if JOINT_SIZES[_JOINTS[joint.kind]][1] != 1:
        return {}
    element = joint.element.find("axis")
    where = _where(joint.element)
    axis = np.array([1.0, 0.0, 0.0]) if element is None else _numbers(element, "xyz", "1 0 0", 3, where)
    if not np.linalg.norm(axis) > 1e-9:
        raise ValueError(f"{where}: <axis> has no direction")
    return {"axis": axis}


def _tree(links: dict[str, ElementTree.Element], joints: list[_Joint]) -> tuple[str, list[_Joint]]:
    """Root link and the joints, parents first, in the order of the file among siblings."""
    children: dict[str, list[_Joint]] = {name: [] for name in links}
    carried: set[str] = set()
    for joint in joints:
        if joint.child in carried:
            raise ValueError(
                f"{_where(joint.element)}: link '{joint.child}' has two parents; loops are not supported"
            )
        carried.add(joint.child)
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in carried]
    if len(roots) != 1:
        raise ValueError(f"<robot> must have one root link, found {roots or 'none: its joints form a loop'}")
    order: list[_Joint] = []
    stack = list(reversed(children[roots[0]]))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(children[joint.child]))
    if len(order) != len(joints):
        reached = {joint.name for joint in order}
        lost = next(joint for joint in joints if joint.name not in reached)
        raise ValueError(f"{_where(lost.element)} belongs to a loop; loops are not supported")
    return roots[0], order


def _joint_data(order: list[_Joint], nv: int) -> JointData:
    unlimited = np.full(nv, np.inf)
    data = JointData(
        -unlimited, unlimited.copy(), unlimited.copy(), unlimited.copy(), np.zeros(nv), np.zeros(nv), ()
    )
    for joint in order:
        if JOINT_SIZES[_JOINTS[joint.kind]][1] != 1:
            continue
        where, i = _where(joint.element), joint.v_index
        limit = joint.element.find("limit")
        if limit is None and joint.kind in ("revolute", "prismatic"):
            raise ValueError(f"{where}: a {joint.kind} joint needs <limit>; use continuous for none")
        if limit is not None:
            if joint.kind != "continuous":
                data.lower[i] = _number(limit, "lower", "0", where)
                data.upper[i] = _number(limit, "upper", "0", where)
                if not data.lower[i] <= data.upper[i]:
                    raise ValueError(f"{where}: <limit> has lower {data.lower[i]} > upper {data.upper[i]}")
            for key, array in (("velocity", data.velocity), ("effort", data.effort)):
                if limit.get(key) is not None:
                    array[i] = _number(limit, key, "", where)
        dynamics = joint.element.find("dynamics")
        if dynamics is not None:
            data.damping[i] = _number(dynamics, "damping", "0", where)
            data.friction[i] = _number(dynamics, "friction", "0", where)
    return JointData(**{**data.__dict__, "mimics": _mimics(order)})


def _mimics(order: list[_Joint]) -> tuple[Mimic, ...]:
    by_name = {joint.name: joint for joint in order}
    mimics = []
    for joint in order:
        element = joint.element.find("mimic")
        if element is None:
            continue
        where = _where(joint.element)
        source = by_name.get(element.get("joint", ""))
        if source is None:
            raise ValueError(f"{where}: <mimic joint={element.get('joint')!r}> is not a joint of the robot")
        if any(JOINT_SIZES[_JOINTS[end.kind]][1] != 1 for end in (joint, source)):
            raise ValueError(f"{where}: <mimic> is supported between joints of one freedom")
        if source.element.find("mimic") is not None:
            raise ValueError(f"{where}: <mimic> of '{source.name}', itself a mimic, is not supported")
        mimics.append(
            Mimic(
                joint.name,
                source.name,
                _number(element, "multiplier", "1", where),
                _number(element, "offset", "0", where),
                joint.q_index,
                joint.v_index,
                source.q_index,
                source.v_index,
            )
        )
    return tuple(mimics)
