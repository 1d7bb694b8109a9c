# SPDX-License-Identifier: LGPL-2.1-or-later
"""Readers for STL, OBJ and OFF.

meshio 5.3 reads a subset of these formats: OBJ without negative indices, OFF with triangles only; and it
returns what is left of an STL file that was cut off. PLY and VTK PolyData have modules of their own; the
other formats are left to meshio.
"""

from __future__ import annotations

import re

import numpy as np

from .errors import MeshError
from .raw_mesh import TRUNCATED, RawMesh, group_polygons, numbers


def is_binary_stl(data: bytes) -> bool:
    """By size, not by the word "solid": many exporters start binary files with it."""
    if len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
        return True
    head = data[:1024].lstrip().lower()
    return not (head.startswith(b"solid") and (b"facet" in head or b"endsolid" in data.lower()))


def read_stl(data: bytes, name: str) -> RawMesh:
    """Read an STL file of either kind. Each facet has vertices of its own: merging comes later."""
    if is_binary_stl(data):
        return _read_binary_stl(data, name)
    text = data.lower()
    vertices = re.findall(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", text)
    started, ended = len(re.findall(rb"\bfacet\s+normal\b", text)), text.count(b"endfacet")
    if b"endsolid" not in text or started != ended or len(vertices) != 3 * ended:
        raise MeshError(
            name,
            f"text STL ends early: {started} facets begun, {ended} ended, {len(vertices)} vertices"
            + ("" if b"endsolid" in text else ", no endsolid"),
            TRUNCATED,
        )
    points = numbers([token for vertex in vertices for token in vertex], float, "a coordinate", name)
    return _facets(points.reshape(-1, 3))


def _read_binary_stl(data: bytes, name: str) -> RawMesh:
    if len(data) < 84:
        raise MeshError(name, f"{len(data)} bytes, less than the 84 of an STL header", TRUNCATED)
    count = int.from_bytes(data[80:84], "little")
    complete = (len(data) - 84) // 50
    if complete < count:
        raise MeshError(name, f"binary STL announces {count} facets and holds {complete}", TRUNCATED)
    facet = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets = np.frombuffer(data, facet, count, offset=84)
    return _facets(facets["corners"].reshape(-1, 3).astype(float))


def _facets(points: np.ndarray) -> RawMesh:
    return RawMesh(points, [np.arange(len(points)).reshape(-1, 3)])


def read_obj(text: str, name: str) -> RawMesh:
    """Read v and f lines of an OBJ file: polygons of any size, v/vt/vn triples, relative indices."""
    points: list[list[str]] = []
    polygons: list[list[int]] = []
    others = {"line": 0, "point": 0}
    for number, line in enumerate(text.replace("\\\n", " ").splitlines(), 1):
        key, *tokens = line.split("#", 1)[0].split() or [""]
        if key == "v":
            if len(tokens) < 3:
                raise MeshError(name, f"line {number}: vertex with {len(tokens)} coordinates", TRUNCATED)
            points.append(tokens[:3])
        elif key == "f":
            polygons.append(_obj_polygon(tokens, len(points), number, name))
        elif key in ("l", "p"):
            others["line" if key == "l" else "point"] += 1
    flat = numbers([token for point in points for token in point], float, "a coordinate", name)
    return RawMesh(
        flat.reshape(-1, 3), group_polygons(polygons), others={k: n for k, n in others.items() if n}
    )


def _obj_polygon(tokens: list[str], seen: int, number: int, name: str) -> list[int]:
    try:
        indices = [int(token.split("/", 1)[0]) for token in tokens]
    except ValueError:
        raise MeshError(
            name, f"line {number}: face {' '.join(tokens)!r} is not made of indices", TRUNCATED
        ) from None
    if len(indices) < 3:
        raise MeshError(name, f"line {number}: face with {len(indices)} corners", TRUNCATED)
    if 0 in indices or min(indices) < -seen:
        raise MeshError(
            name,
            f"line {number}: face index {min(indices, key=lambda i: (i != 0, i))} (indices count from 1, or"
            f" back from -1 over the {seen} vertices so far)",
            "correct the face or export again",
        )
    return [i - 1 if i > 0 else seen + i for i in indices]


def read_off(text: str, name: str) -> RawMesh:
    """Read an OFF file; normals, colours and texture coordinates (NOFF, COFF, STOFF) are skipped."""
    lines = [line for raw in text.splitlines() if (line := raw.split("#", 1)[0].strip())]
    header = re.match(r"(ST)?(C)?(N)?OFF\b", lines[0]) if lines else None
    if header is None:
        raise MeshError(
            name, "no OFF header", "check that this is an OFF file with three coordinates a vertex"
        )
    if "BINARY" in lines[0]:
        raise MeshError(name, "binary OFF", "save it as text OFF, PLY or STL")
    lines[0] = lines[0][header.end() :].strip()
    lines = lines if lines[0] else lines[1:]
    counts = numbers(lines[0].split()[:2] if lines else [], int, "a count", name)
    if len(counts) < 2:
        raise MeshError(name, "no vertex and face counts", TRUNCATED)
    vertex_count, face_count = (int(c) for c in counts)
    if len(lines) < 1 + vertex_count + face_count:
        raise MeshError(
            name,
            f"{vertex_count} vertices and {face_count} faces announced, {len(lines) - 1} lines of them there",
            TRUNCATED,
        )
    rows = [line.split()[:3] for line in lines[1 : 1 + vertex_count]]
    short = next((k for k, row in enumerate(rows) if len(row) < 3), None)
    if short is not None:
        raise MeshError(name, f"vertex {short} has {len(rows[short])} coordinates", TRUNCATED)
    points = numbers([token for row in rows for token in row], float, "a coordinate", name).reshape(-1, 3)
    polygons = []
    for k, line in enumerate(lines[1 + vertex_count : 1 + vertex_count + face_count]):
        tokens = line.split()
        size = int(numbers(tokens[:1], int, "a corner count", name)[0])
        if len(tokens) < 1 + size:
            raise MeshError(name, f"face {k} has {len(tokens) - 1} of {size} corners", TRUNCATED)
        polygons.append([int(i) for i in numbers(tokens[1 : 1 + size], int, "a vertex index", name)])
    return RawMesh(points, group_polygons(polygons))
