# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reader for PLY, text and binary of both byte orders.

meshio 5.3 misses vertex_index (it knows vertex_indices only), elements other than vertex and face, unsigned
list counts above 127, and files that were cut off.
Source: Greg Turk 1994, The PLY Polygon File Format.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import MeshError
from .raw_mesh import TRUNCATED, RawMesh, group_polygons, numbers

_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "float": "f4", "double": "f8", "float32": "f4", "float64": "f8",
}  # fmt: skip


@dataclass
class _Property:
    name: str
    kind: str  # numpy type without byte order
    count_kind: str | None = None  # of a list


@dataclass
class _Element:
    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)


def read_ply(data: bytes, name: str) -> RawMesh:
    """Read vertices and faces of a PLY file; everything else in it is skipped."""
    end = data.find(b"end_header")
    newline = data.find(b"\n", end)
    if end < 0 or newline < 0:
        raise MeshError(name, "PLY header without end_header", TRUNCATED)
    encoding, elements = _parse_header(data[:end].decode("utf-8", "replace"), name)
    body = data[newline + 1 :]
    if encoding == "ascii":
        values = _read_text(body, elements, name)
    else:
        values = _read_binary(body, elements, "<" if "little" in encoding else ">", name)
    vertex, face = values.get("vertex", {}), values.get("face", {})
    if not {"x", "y", "z"} <= vertex.keys():
        raise MeshError(name, "PLY without vertex properties x, y, z", "export it with vertex coordinates")
    points = np.column_stack([np.asarray(vertex[k], dtype=float) for k in "xyz"])
    polygons = face.get("vertex_indices", face.get("vertex_index", []))
    others = {e.name: e.count for e in elements if e.name in ("edge", "tristrips") and e.count}
    if isinstance(polygons, np.ndarray):
        return RawMesh(points, [polygons.astype(np.int64)] if len(polygons) else [], others=others)
    return RawMesh(points, group_polygons(polygons), others=others)


def _parse_header(text: str, name: str) -> tuple[str, list[_Element]]:
    encoding, elements = "", []
    for line in text.splitlines()[1:]:
        key, *words = line.split() or [""]
        try:
            if key == "format":
                encoding = words[0]
            elif key == "element":
                elements.append(_Element(words[0], int(words[1])))
            elif key == "property" and words[0] == "list":
                elements[-1].properties.append(_Property(words[3], _TYPES[words[2]], _TYPES[words[1]]))
            elif key == "property":
                elements[-1].properties.append(_Property(words[1], _TYPES[words[0]]))
        except (IndexError, KeyError, ValueError):
            raise MeshError(name, f"PLY header line {line.strip()!r} is not understood", TRUNCATED) from None
    if encoding not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise MeshError(name, f"PLY format {encoding!r} is not known", "save it as text or binary PLY 1.0")
    return encoding, elements


def _short(name: str, element: _Element, complete: int) -> MeshError:
    return MeshError(name, f"PLY announces {element.count} x {element.name} and holds {complete}", TRUNCATED)


def _read_text(body: bytes, elements: list[_Element], name: str) -> dict[str, dict]:
    lines = [line for line in body.split(b"\n") if line.strip()]
    values, start = {}, 0
    for element in elements:
        rows = [line.split() for line in lines[start : start + element.count]]
        if len(rows) < element.count:
            raise _short(name, element, len(rows))
        start += element.count
        columns: dict[str, list] = {p.name: [] for p in element.properties}
        for k, row in enumerate(rows):
            position = 0
            for p in element.properties:
                size = 1
                if p.count_kind:
                    size = int(numbers(row[position : position + 1] or [b""], int, "a list count", name)[0])
                    position += 1
                if len(row) < position + size:
                    raise MeshError(name, f"PLY {element.name} {k} has {len(row)} numbers", TRUNCATED)
                columns[p.name].append(row[position : position + size] if p.count_kind else row[position])
                position += size
        values[element.name] = {
            p.name: [[int(i) for i in numbers(row, int, "a vertex index", name)] for row in columns[p.name]]
            if p.count_kind
            else numbers(columns[p.name], float, f"{element.name} {p.name}", name)
            for p in element.properties
            if element.name == "vertex" or p.name in ("vertex_index", "vertex_indices")
        }
    return values


def _read_binary(body: bytes, elements: list[_Element], order: str, name: str) -> dict[str, dict]:
    values, position = {}, 0
    for element in elements:
        if not element.count:
            continue
        # Nearly all files have lists of one length: read the rows at once as if, and look whether it is so.
        fields: list[tuple] = []
        offset = position
        for p in element.properties:
            if p.count_kind:
                count_type = np.dtype(order + p.count_kind)
                if offset + count_type.itemsize > len(body):
                    raise _short(name, element, 0)
                size = int(np.frombuffer(body, count_type, 1, offset)[0])
                fields += [(p.name + " count", count_type), (p.name, order + p.kind, (size,))]
            else:
                fields.append((p.name, order + p.kind))
            offset = position + np.dtype(fields).itemsize
        row = np.dtype(fields)
        complete = min(
            element.count, (len(body) - position) // row.itemsize if row.itemsize else element.count
        )
        table = np.frombuffer(body, row, complete, position)
        counts = [table[f] for f in row.names or () if f.endswith(" count")]
        if complete == element.count and all(np.all(c == c[0]) for c in counts):
            values[element.name] = {p.name: table[p.name] for p in element.properties}
            position += row.itemsize * element.count
        else:
            values[element.name], position = _read_rows(body, element, order, position, name)
    return values


def _read_rows(body: bytes, element: _Element, order: str, position: int, name: str) -> tuple[dict, int]:
    columns: dict[str, list] = {p.name: [] for p in element.properties}
    for k in range(element.count):
        for p in element.properties:
            size, kind = 1, np.dtype(order + p.kind)
            if p.count_kind:
                count_type = np.dtype(order + p.count_kind)
                if position + count_type.itemsize > len(body):
                    raise _short(name, element, k)
                size = int(np.frombuffer(body, count_type, 1, position)[0])
                position += count_type.itemsize
            if position + size * kind.itemsize > len(body) or size < 0:
                raise _short(name, element, k)
            items = np.frombuffer(body, kind, size, position).tolist()
            columns[p.name].append(items if p.count_kind else items[0])
            position += size * kind.itemsize
    return columns, position
