# SPDX-License-Identifier: LGPL-2.1-or-later
"""URDF files as descriptions of articulated bodies. Format: http://wiki.ros.org/urdf/XML"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies import _urdf_xml as xml
from softcontact.bodies._links import JOINT_SIZES
from softcontact.bodies._urdf_checks import check_inertias
from softcontact.bodies._urdf_shapes import UrdfShape, read_shapes
from softcontact.messages import one_line

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
    shapes: tuple[UrdfShape, ...]
    lines: dict[str, int]  #: where each link is in the file
    ignored: tuple[str, ...]  #: elements that say something that is not taken, "line 12: <gazebo>"


@dataclass
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    element: xml.Element
    q_index: int = -1
    v_index: int = -1


def read(
    path: str | PathLike[str],
    *,
    floating_base: bool = False,
    shapes: bool = True,
    packages: Sequence[str | PathLike[str]] = (),
) -> Description:
    """Read a URDF file; see ArticulatedModel.from_urdf for what is taken and what is refused."""
    try:
        return _read(Path(path), floating_base, shapes, packages)
    except ValueError as error:
        raise ValueError(one_line(f"{path}: {error}")) from error


def located(path: str | PathLike[str], description: Description, error: ValueError) -> ValueError:
    """An error of ArticulatedModel about a link, with file and line."""
    named = (name for name in description.lines if f"'{name}'" in str(error))
    line = next((f"line {description.lines[name]}: " for name in named), "")
    return ValueError(one_line(f"{path}: {line}{error}"))


def _read(
    path: Path, floating_base: bool, with_shapes: bool, packages: Sequence[str | PathLike[str]]
) -> Description:
    robot = xml.parse(path)
    if robot.tag != "robot":
        raise ValueError(
            f"line {robot.line}: <{robot.tag}>: a URDF file has the root element <robot>; convert it to one"
        )
    for element in robot.iter():
        if "xacro" in element.tag:
            raise ValueError(
                f"line {element.line}: <{element.tag}>: xacro is not supported; expand the file with the "
                "xacro tool first"
            )
    elements = _named(robot, "link")
    if not elements:
        raise ValueError(f"line {robot.line}: <robot> has no <link>; add one")
    joints = [_joint(element, elements) for element in _named(robot, "joint").values()]
    root, order = _tree(elements, joints)

    links = [_link(root, elements[root], "free" if floating_base else "fixed")]
    nq, nv = JOINT_SIZES[links[0]["joint"]]
    for joint in order:
        link = _link(joint.child, elements[joint.child], _JOINTS[joint.kind])
        position, rotation = xml.origin(joint.element, xml.where(joint.element))
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
    shapes = [
        shape
        for name, element in elements.items()
        for shape in (read_shapes(name, element, path, packages) if with_shapes else ())
    ]
    check_inertias(links, elements, shapes)
    ignored = (element for element in robot if element.tag not in ("link", "joint", "material"))
    return Description(
        links,
        _joint_data(order, nv),
        tuple(shapes),
        {name: element.line for name, element in elements.items()},
        (
            *(f"line {element.line}: <{element.tag}>" for element in ignored),
            *(line for joint in order for line in _ignored_of(joint)),
        ),
    )


def _ignored_of(joint: _Joint) -> list[str]:
    """Elements of a joint that describe a controller, not the mechanism."""
    return [
        f"line {element.line}: <{element.tag}> of joint {joint.name!r}"
        for element in joint.element
        if element.tag in ("calibration", "safety_controller")
    ]


def _named(robot: xml.Element, tag: str) -> dict[str, xml.Element]:
    found: dict[str, xml.Element] = {}
    for element in robot.findall(tag):
        name = element.get("name")
        if not name:
            raise ValueError(f"line {element.line}: <{tag}> without a name; give it one")
        if name in found:
            raise ValueError(f"{xml.where(element)} appears twice; rename one of them")
        found[name] = element
    return found


def _quaternion(rotation: Array) -> Array:
    """(x, y, z, w) as the eigenvector of Bar-Itzhack's symmetric matrix: accurate at half turns too."""
    m = rotation
    k = np.empty((4, 4))
    k[:3, :3] = m + m.T - np.trace(m) * np.eye(3)
    k[3, :3] = k[:3, 3] = (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
    k[3, 3] = np.trace(m)
    return np.linalg.eigh(k)[1][:, 3]


def _link(name: str, element: xml.Element, joint: str) -> dict[str, Any]:
    link: dict[str, Any] = {"name": name, "joint": joint}
    inertial = element.find("inertial")
    if inertial is None:
        return link
    where = xml.where(element)
    com, rotation = xml.origin(inertial, where)
    mass = xml.required(inertial, "mass", where)
    if mass.get("value") is None:
        raise ValueError(f"{where}: <mass> has no value; add it [kg]")
    tensor = xml.required(inertial, "inertia", where)
    xx, xy, xz, yy, yz, zz = (
        xml.number(tensor, key, "0", where) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return {
        **link,
        "mass": xml.number(mass, "value", "", where),
        "com": com,
        "inertia": rotation @ inertia @ rotation.T,
    }


def _joint(element: xml.Element, links: dict[str, xml.Element]) -> _Joint:
    where = xml.where(element)
    kind = element.get("type", "")
    if kind not in _JOINTS:
        raise ValueError(f"{where}: type {kind!r} is not supported; supported are {', '.join(_JOINTS)}")
    ends = []
    for tag in ("parent", "child"):
        name = xml.required(element, tag, where).get("link", "")
        if name not in links:
            raise ValueError(f"{where}: <{tag} link={name!r}> is not a link of the robot; name one that is")
        ends.append(name)
    return _Joint(element.get("name", ""), kind, ends[0], ends[1], element)


def _axis(joint: _Joint) -> dict[str, Array]:
    if JOINT_SIZES[_JOINTS[joint.kind]][1] != 1:
        return {}
    element = joint.element.find("axis")
    where = xml.where(joint.element)
    axis = np.array([1.0, 0.0, 0.0]) if element is None else xml.numbers(element, "xyz", "1 0 0", 3, where)
    if not np.linalg.norm(axis) > 1e-9:
        raise ValueError(f"{where}: <axis> has no direction; give a vector that is not zero")
    return {"axis": axis}


def _tree(links: dict[str, xml.Element], joints: list[_Joint]) -> tuple[str, list[_Joint]]:
    """Root link and the joints, parents first, in the order of the file among siblings."""
    children: dict[str, list[_Joint]] = {name: [] for name in links}
    carried: set[str] = set()
    for joint in joints:
        if joint.child in carried:
            raise ValueError(
                f"{xml.where(joint.element)}: link '{joint.child}' has two parents; loops are not "
                "supported, remove a joint"
            )
        carried.add(joint.child)
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in carried]
    if len(roots) != 1:
        places = [f"{name} (line {links[name].line})" for name in roots]
        found = ", ".join(places) or "none: its joints form a loop"
        raise ValueError(f"<robot> must have one root link, found {found}; join the others to one")
    order: list[_Joint] = []
    stack = list(reversed(children[roots[0]]))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(children[joint.child]))
    if len(order) != len(joints):
        reached = {joint.name for joint in order}
        lost = next(joint for joint in joints if joint.name not in reached)
        raise ValueError(
            f"{xml.where(lost.element)} belongs to a loop; loops are not supported, remove a joint"
        )
    return roots[0], order


def _joint_data(order: list[_Joint], nv: int) -> JointData:
    unlimited = np.full(nv, np.inf)
    data = JointData(
        -unlimited, unlimited.copy(), unlimited.copy(), unlimited.copy(), np.zeros(nv), np.zeros(nv), ()
    )
    for joint in order:
        if JOINT_SIZES[_JOINTS[joint.kind]][1] != 1:
            continue
        where, i = xml.where(joint.element), joint.v_index
        limit = joint.element.find("limit")
        if limit is None and joint.kind in ("revolute", "prismatic"):
            raise ValueError(f"{where}: a {joint.kind} joint needs <limit>; use continuous for none")
        if limit is not None:
            if joint.kind != "continuous":
                data.lower[i] = xml.number(limit, "lower", "0", where)
                data.upper[i] = xml.number(limit, "upper", "0", where)
                if joint.kind == "revolute":
                    xml.check_angles(np.array([data.lower[i], data.upper[i]]), f"{where} <limit>")
                if not data.lower[i] <= data.upper[i]:
                    raise ValueError(
                        f"{where}: <limit> has lower {data.lower[i]} > upper {data.upper[i]}; exchange them"
                    )
            for key, array in (("velocity", data.velocity), ("effort", data.effort)):
                if limit.get(key) is not None:
                    array[i] = xml.number(limit, key, "", where)
        dynamics = joint.element.find("dynamics")
        if dynamics is not None:
            data.damping[i] = xml.number(dynamics, "damping", "0", where)
            data.friction[i] = xml.number(dynamics, "friction", "0", where)
    return JointData(**{**data.__dict__, "mimics": _mimics(order)})


def _mimics(order: list[_Joint]) -> tuple[Mimic, ...]:
    by_name = {joint.name: joint for joint in order}
    mimics = []
    for joint in order:
        element = joint.element.find("mimic")
        if element is None:
            continue
        where = xml.where(joint.element)
        source = by_name.get(element.get("joint", ""))
        if source is None:
            raise ValueError(
                f"{where}: <mimic joint={element.get('joint')!r}> is not a joint of the robot; name one that is"
            )
        if any(JOINT_SIZES[_JOINTS[end.kind]][1] != 1 for end in (joint, source)):
            raise ValueError(f"{where}: <mimic> is supported between joints of one freedom; remove it")
        if source.element.find("mimic") is not None:
            raise ValueError(
                f"{where}: <mimic> of '{source.name}', itself a mimic, is not supported; "
                "name the joint that this one follows"
            )
        mimics.append(
            Mimic(
                joint.name,
                source.name,
                xml.number(element, "multiplier", "1", where),
                xml.number(element, "offset", "0", where),
                joint.q_index,
                joint.v_index,
                source.q_index,
                source.v_index,
            )
        )
    return tuple(mimics)
