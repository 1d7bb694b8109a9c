# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reader for glTF 2.0, as one .glb file or as .gltf with its buffers inside or beside it.

Triangles, strips and fans of every node of the scene, with the nodes' transforms. Source: Khronos glTF 2.0.1.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import urllib.parse
from pathlib import Path
from typing import Any

import numpy as np

from .errors import MeshError
from .raw_mesh import TRUNCATED, RawMesh

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_LOOKS_ONLY = ("KHR_mesh_quantization", "KHR_materials", "KHR_texture", "EXT_texture", "KHR_lights")
_LINES_AND_POINTS = {0: "point", 1: "line", 2: "line", 3: "line"}
_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def read_gltf(data: bytes, path: Path) -> RawMesh:
    """Read the triangles of a glTF file's scene; y, which is up in glTF, becomes z.

    Args:
        data: the file.
        path: names it, and tells where buffers in files of their own lie.
    Raises:
        MeshError: no glTF 2, cut off, compressed, or a buffer that is not there.
    """
    document, binary = _parts_of(data, path.name)
    version = str(document.get("asset", {}).get("version", "none"))
    if not version.startswith("2"):
        raise MeshError(path.name, f"glTF of version {version}", "export it as glTF 2.0")
    for extension in document.get("extensionsRequired", ()):
        if not extension.startswith(_LOOKS_ONLY):
            raise MeshError(
                path.name, f"needs the glTF extension {extension}", "export it without compression"
            )
    return _Reader(document, binary, path).read()


def _parts_of(data: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    """JSON and binary part of the file."""
    if not data.startswith(b"glTF"):
        return _json(data, name), b""
    parts: dict[bytes, bytes] = {}
    length = struct.unpack("<I", data[8:12])[0] if len(data) >= 12 else 0
    if length > len(data) or length < 20:
        raise MeshError(name, f"GLB announces {length} bytes and holds {len(data)}", TRUNCATED)
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack("<I4s", data[at : at + 8])
        if at + 8 + size > length:
            raise MeshError(name, f"GLB chunk of {size} bytes, {length - at - 8} of them there", TRUNCATED)
        parts.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    return _json(parts.get(b"JSON", b""), name), parts.get(b"BIN\0", b"")


def _json(text: bytes, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except ValueError as error:
        raise MeshError(name, f"glTF without readable JSON ({error})", TRUNCATED) from None
    if not isinstance(document, dict):
        raise MeshError(name, "glTF whose JSON is no object", TRUNCATED)
    return document


class _Reader:
    def __init__(self, document: dict[str, Any], binary: bytes, path: Path) -> None:
        self._document, self._binary, self._path = document, binary, path
        self._buffers: dict[int, bytes] = {}
        self._points: list[np.ndarray] = []
        self._triangles: list[np.ndarray] = []
        self._others: dict[str, int] = {}
        self._count = self._still = 0

    def read(self) -> RawMesh:
        nodes = self._document.get("nodes", [])
        for node in self._roots(nodes):
            self._visit(node, np.eye(4), len(nodes))
        notes = ["y, which is up in glTF, turned to z"]
        if len(self._points) > 1:
            notes.append(f"{len(self._points)} parts taken together")
        if self._still:
            notes.append(f"{self._still} parts with joints or morph targets taken as they are stored")
        points = np.concatenate([np.empty((0, 3)), *self._points]) @ _Z_UP.T
        polygons = [np.concatenate(self._triangles)] if self._triangles else []
        return RawMesh(points, polygons, others=self._others, notes=tuple(notes))

    def _roots(self, nodes: list[dict[str, Any]]) -> list[int]:
        scenes = self._document.get("scenes")
        if scenes:
            return scenes[self._document.get("scene", 0)].get("nodes", [])
        children = {child for node in nodes for child in node.get("children", ())}
        return [k for k in range(len(nodes)) if k not in children]

    def _visit(self, number: int, above: np.ndarray, depth: int) -> None:
        if depth < 0:
            raise MeshError(self._path.name, "glTF nodes that are their own descendants", "export it again")
        node = self._document["nodes"][number]
        transform = above @ _transform(node)
        if "mesh" in node:
            mesh = self._document["meshes"][node["mesh"]]
            for primitive in mesh["primitives"]:
                self._still += "skin" in node or bool(primitive.get("targets"))
                # A skinned mesh does not follow the node that it hangs at.
                self._add(primitive, np.eye(4) if "skin" in node else transform)
        for child in node.get("children", ()):
            self._visit(child, transform, depth - 1)

    def _add(self, primitive: dict[str, Any], transform: np.ndarray) -> None:
        mode = primitive.get("mode", 4)
        points = self._accessor(primitive["attributes"]["POSITION"]).astype(float)
        if "indices" in primitive:
            corners = self._accessor(primitive["indices"]).ravel().astype(np.int64)
        else:
            corners = np.arange(len(points))
        if mode in _LINES_AND_POINTS:
            kind = _LINES_AND_POINTS[mode]
            self._others[kind] = self._others.get(kind, 0) + len(corners)
            return
        triangles = _triangles(corners, mode)
        if len(triangles) and triangles.max() >= len(points):
            raise MeshError(
                self._path.name, f"index {triangles.max()} into {len(points)} positions", TRUNCATED
            )
        if np.linalg.det(transform[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]  # a mirrored part faces the other way
        self._points.append(points @ transform[:3, :3].T + transform[:3, 3])
        self._triangles.append(triangles + self._count)
        self._count += len(points)

    def _accessor(self, number: int) -> np.ndarray:
        """Values (count, width) of an accessor; integers that stand for fractions as such."""
        accessor = self._document["accessors"][number]
        count, width = accessor["count"], _WIDTHS[accessor["type"]]
        kind = np.dtype(_TYPES[accessor["componentType"]])
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), count, width, kind)
        else:
            values = np.zeros((count, width), kind)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            at, new = sparse["indices"], sparse["values"]
            index_kind = np.dtype(_TYPES[at["componentType"]])
            rows = self._view(at["bufferView"], at.get("byteOffset", 0), sparse["count"], 1, index_kind)
            values = values.copy()
            values[rows.ravel()] = self._view(
                new["bufferView"], new.get("byteOffset", 0), sparse["count"], width, kind
            )
        if accessor.get("normalized") and kind.kind in "iu":
            return np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def _view(self, number: int, offset: int, count: int, width: int, kind: np.dtype) -> np.ndarray:
        view = self._document["bufferViews"][number]
        buffer = self._buffer(view["buffer"])
        stride = view.get("byteStride", width * kind.itemsize)
        start = view.get("byteOffset", 0) + offset
        need = start + max(0, count - 1) * stride + width * kind.itemsize if count else start
        if need > len(buffer):
            raise MeshError(self._path.name, f"glTF buffer of {len(buffer)} bytes, {need} needed", TRUNCATED)
        return np.ndarray((count, width), kind, buffer, start, (stride, kind.itemsize))

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self._document["buffers"][number].get("uri")
            self._buffers[number] = self._binary if uri is None else self._from_uri(uri)
        return self._buffers[number]

    def _from_uri(self, uri: str) -> bytes:
        name = self._path.name
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except binascii.Error:
                raise MeshError(name, "glTF buffer that is no base64", TRUNCATED) from None
        beside = self._path.parent / urllib.parse.unquote(uri)
        try:
            return beside.read_bytes()
        except OSError:
            raise MeshError(
                name, f"its buffer {uri!r} is not there", "keep it beside the file, or export as .glb"
            ) from None


def _transform(node: dict[str, Any]) -> np.ndarray:
    """(4, 4) from the node's axes to those above it."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    from scipy.spatial.transform import Rotation

    transform = np.eye(4)
    turn = Rotation.from_quat(node.get("rotation", (0.0, 0.0, 0.0, 1.0))).as_matrix()
    transform[:3, :3] = turn * np.array(node.get("scale", (1.0, 1.0, 1.0)))
    transform[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return transform


def _triangles(corners: np.ndarray, mode: int) -> np.ndarray:
    if mode == 4:
        if len(corners) % 3:
            raise ValueError(f"{len(corners)} corners of triangles")
        return corners.reshape(-1, 3)
    number = np.arange(max(0, len(corners) - 2))
    if mode == 5:  # every second triangle of a strip is turned
        odd = number % 2
        return np.column_stack([corners[number], corners[number + 1 + odd], corners[number + 2 - odd]])
    return np.column_stack([np.full(len(number), corners[0]), corners[number + 1], corners[number + 2]])
