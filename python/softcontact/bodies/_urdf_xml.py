# SPDX-License-Identifier: LGPL-2.1-or-later
"""XML with line numbers, and the values of URDF elements with errors that name element and line."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Element(ElementTree.Element):
    """An element that knows its line in the file, counted from 1."""

    line: int = 0


def parse(path: str | PathLike[str]) -> Element:
    """Root element of an XML file; ValueError naming the line where it is not XML."""
    builder = ElementTree.TreeBuilder(element_factory=Element)
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag, attributes).line = parser.CurrentLineNumber

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}; give a file that can") from error
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ValueError(
            f"line {error.lineno}: is not XML: {error}; correct it, or export the file anew"
        ) from error
    root: Element = builder.close()
    return root


def where(element: ElementTree.Element) -> str:
    """Line, tag and name of an element, for messages."""
    return f"line {element.line}: <{element.tag} name={element.get('name', '')!r}>"


def numbers(element: ElementTree.Element, key: str, default: str, count: int, place: str) -> Array:
    """Attribute of ``count`` finite numbers."""
    text = element.get(key, default)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ValueError(f"{place} <{element.tag} {key}={text!r}>: expected {count} finite number(s)")
    return values


def number(element: ElementTree.Element, key: str, default: str, place: str) -> float:
    """Attribute of one finite number."""
    return float(numbers(element, key, default, 1, place)[0])


def required(element: ElementTree.Element, tag: str, place: str) -> Element:
    """First child with that tag."""
    child = element.find(tag)
    if child is None:
        raise ValueError(f"{place}: <{tag}> is missing; add it")
    return child


def origin(element: ElementTree.Element, place: str) -> tuple[Array, Array]:
    """Position (3,) and rotation (3, 3): rpy turns about the fixed x, then y, then z."""
    child = element.find("origin")
    if child is None:
        return np.zeros(3), np.eye(3)
    angles = numbers(child, "rpy", "0 0 0", 3, place)
    position = numbers(child, "xyz", "0 0 0", 3, place)
    check_angles(angles, f"{place} <origin rpy={child.get('rpy')!r}>")
    check_length(np.abs(position).max(), f"{place} <origin xyz={child.get('xyz')!r}>")
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in angles)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return position, about_z @ about_y @ about_x


_LONGEST = 50.0  # [m] no robot has a link so long; one in millimetres soon has
_WIDEST = 4.0 * np.pi  # [rad] more than two turns are degrees


def check_length(length: float, place: str) -> None:
    """Refuse a length that only another unit explains [m]."""
    if length > _LONGEST:
        raise ValueError(f"{place}: {length:g} m is no length of a robot; URDF lengths are metres, not mm")


def check_angles(angles: Array, place: str) -> None:
    """Refuse angles that only degrees explain [rad]."""
    if np.abs(angles).max() > _WIDEST:
        raise ValueError(f"{place}: {np.abs(angles).max():g} rad is over two turns; URDF angles are radians")
