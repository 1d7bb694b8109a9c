# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mesh files written by hand for the mesh tests, in the dialects that exporters use."""

from __future__ import annotations

import base64
import itertools
import json
import struct
from pathlib import Path

import numpy as np

# A cube with its six sides as outward quads; lengths in metres.
CUBE_POINTS = 0.05 * np.array(list(itertools.product((0.0, 1.0), repeat=3)))
CUBE_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def cube_triangles() -> np.ndarray:
    return np.array([t for a, b, c, d in CUBE_QUADS for t in ([a, b, c], [a, c, d])])


def text_stl(points: np.ndarray, triangles: np.ndarray, name: str = "cube") -> str:
    lines = [f"solid {name}"]
    for triangle in triangles:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex " + " ".join(f"{x:.9g}" for x in points[i]) for i in triangle]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, f"endsolid {name}", ""])


def binary_stl(
    points: np.ndarray, triangles: np.ndarray, header: bytes = b"solid made by an exporter"
) -> bytes:
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *points[t].ravel(), 0) for t in triangles)
    return header.ljust(80, b"\0") + struct.pack("<I", len(triangles)) + facets


def obj(points: np.ndarray, polygons: list, face: str = "{0}") -> str:
    """face: how a corner is written, from the 1-based index {0} and the relative index {1}."""
    lines = ["# exporter", "mtllib cube.mtl", "o cube"]
    lines += ["v " + " ".join(f"{x:.9g}" for x in p) for p in points]
    lines += ["vt 0 0", "vn 0 0 1", "s off"]
    for polygon in polygons:
        lines.append("f " + " ".join(face.format(i + 1, i - len(points)) for i in polygon))
    return "\n".join([*lines, ""])


def off(points: np.ndarray, polygons: list, header: str = "OFF\n# comment\n") -> str:
    lines = [" ".join(f"{x:.9g}" for x in p) for p in points]
    lines += [" ".join(str(i) for i in (len(p), *p)) + " 255 0 0" for p in polygons]
    return header + f"{len(points)} {len(polygons)} 0\n" + "\n".join(lines) + "\n"


def ply(
    points: np.ndarray, polygons: list, encoding: str = "ascii", index_name: str = "vertex_indices"
) -> bytes:
    header = [
        "ply", f"format {encoding} 1.0", "comment made by an exporter", "obj_info nothing",
        f"element vertex {len(points)}", "property float x", "property float y", "property float z",
        "property uchar red", f"element face {len(polygons)}", "property uchar flag",
        f"property list uchar int {index_name}", "end_header", "",
    ]  # fmt: skip
    head = "\n".join(header).encode()
    if encoding == "ascii":
        rows = [" ".join(f"{x:.9g}" for x in p) + " 200" for p in points]
        rows += [" ".join(str(i) for i in (7, len(p), *p)) for p in polygons]
        return head + "\n".join([*rows, ""]).encode()
    order = "<" if "little" in encoding else ">"
    body = b"".join(struct.pack(order + "3fB", *p, 200) for p in points)
    body += b"".join(struct.pack(f"{order}BB{len(p)}i", 7, len(p), *p) for p in polygons)
    return head + body


def vtk_polydata(points: np.ndarray, polygons: list, binary: bool = False, version: str = "4.2") -> bytes:
    flat = [i for p in polygons for i in p]
    kind = "BINARY" if binary else "ASCII"
    head = f"# vtk DataFile Version {version}\ncube\n{kind}\nDATASET POLYDATA\nPOINTS {len(points)} float\n"

    def block(values: np.ndarray, binary_type: str) -> bytes:
        values = np.asarray(values).ravel()
        return (
            values.astype(binary_type).tobytes() if binary else " ".join(map(repr, values.tolist())).encode()
        ) + b"\n"

    data = head.encode() + block(points, ">f4")
    if version == "5.1":
        offsets = np.cumsum([0, *map(len, polygons)])
        data += f"POLYGONS {len(offsets)} {len(flat)}\nOFFSETS vtktypeint64\n".encode() + block(
            offsets, ">i8"
        )
        return data + b"CONNECTIVITY vtktypeint64\n" + block(np.array(flat), ">i8")
    cells = np.array([i for p in polygons for i in (len(p), *p)])
    return (
        data + f"POLYGONS {len(polygons)} {len(cells)}\n".encode() + block(cells, ">i4") + b"POINT_DATA 8\n"
    )


class Gltf:
    """A glTF document under construction: accessors over one binary buffer."""

    def __init__(self) -> None:
        self.binary = b""
        self.document: dict = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}

    def view(self, data: bytes, **more: object) -> int:
        offset = len(self.binary)
        self.binary += data + b"\0" * (-len(data) % 4)
        self.document["bufferViews"].append(
            {"buffer": 0, "byteOffset": offset, "byteLength": len(data), **more}
        )
        return len(self.document["bufferViews"]) - 1

    def accessor(self, values: np.ndarray, kind: str = "<f4", **more: object) -> int:
        values = np.asarray(values)
        codes = {"<i1": 5120, "<u1": 5121, "<i2": 5122, "<u2": 5123, "<u4": 5125, "<f4": 5126}
        entry = {"componentType": codes[kind], "count": len(values)}
        entry["type"] = "VEC3" if values.ndim == 2 else "SCALAR"
        if "sparse" not in more:
            entry["bufferView"] = self.view(values.astype(kind).tobytes())
        self.document["accessors"].append(entry | more)
        return len(self.document["accessors"]) - 1

    def mesh(self, *primitives: dict, nodes: list | None = None) -> Gltf:
        self.document["meshes"] = [{"primitives": list(primitives)}]
        self.document["nodes"] = nodes or [{"mesh": 0}]
        self.document["buffers"] = [{"byteLength": len(self.binary)}]
        return self

    def glb(self) -> bytes:
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        chunks += struct.pack("<I4s", len(self.binary), b"BIN\0") + self.binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def gltf(self, uri: str | None = None) -> str:
        data = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        buffers = [{"byteLength": len(self.binary), "uri": data if uri is None else uri}]
        return json.dumps(self.document | {"buffers": buffers}, indent=1)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
