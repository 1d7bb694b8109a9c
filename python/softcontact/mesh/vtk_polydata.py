# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reader for legacy VTK files with DATASET POLYDATA, which meshio 5.3 does not read.

Source: VTK File Formats, "Simple Legacy Formats"; version 5.1 splits cells into OFFSETS and CONNECTIVITY.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from .errors import MeshError
from .raw_mesh import TRUNCATED, RawMesh, group_polygons, numbers

_TYPES = {
    "float": ">f4",
    "double": ">f8",
    "int": ">i4",
    "vtktypeint64": ">i8",
    "vtktypeint32": ">i4",
    "long": ">i8",
}


def is_polydata(data: bytes) -> bool:
    """Whether a legacy VTK file holds surfaces (POLYDATA) rather than a grid."""
    return re.search(rb"^DATASET\s+POLYDATA\b", data[:4096], re.MULTILINE | re.IGNORECASE) is not None


def read_vtk_polydata(data: bytes, name: str) -> RawMesh:
    """Read points, polygons and triangle strips of a legacy VTK PolyData file, text or binary, up to 5.1."""
    return _Parser(data, name).parse()


class _Parser:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name, self.position = data, name, 0
        self._line()
        self._line()
        self.binary = self._line().strip().upper() == "BINARY"

    def parse(self) -> RawMesh:
        points = np.empty((0, 3))
        polygons: list[list[int]] = []
        others: dict[str, int] = {}
        while self.position < len(self.data):
            words = self._line().split()
            key = words[0].upper() if words else ""
            if key == "POINTS":
                points = self._values(3 * int(words[1]), words[2], float).astype(float).reshape(-1, 3)
            elif key in ("POLYGONS", "TRIANGLE_STRIPS", "VERTICES", "LINES"):
                cells = self._cells(int(words[1]), int(words[2]))
                if key == "POLYGONS":
                    polygons += cells
                elif key == "TRIANGLE_STRIPS":
                    polygons += [t for strip in cells for t in _strip_triangles(strip)]
                else:
                    others[key.lower()] = len(cells)
            elif key in ("POINT_DATA", "CELL_DATA"):
                break
        return RawMesh(points, group_polygons(polygons), others=others)

    def _cells(self, count: int, size: int) -> list[list[int]]:
        start = self.position
        words = self._line().split()
        if words and words[0].upper() == "OFFSETS":
            offsets = self._values(count, words[1], int)
            words = self._line().split() or self._line().split()
            items = self._values(size, words[1], int)
            return [items[a:b].tolist() for a, b in itertools.pairwise(offsets)]
        self.position = start
        items = self._values(size, "int", int).tolist()
        cells, k = [], 0
        while k < len(items):
            if items[k] < 0:
                raise MeshError(self.name, f"a cell of {items[k]} corners", TRUNCATED)
            cells.append(items[k + 1 : k + 1 + items[k]])
            k += 1 + items[k]
        if len(cells) != count or k != len(items):
            raise MeshError(self.name, f"{count} cells announced, {len(cells)} found", TRUNCATED)
        return cells

    def _line(self) -> str:
        end = self.data.find(b"\n", self.position)
        end = len(self.data) if end < 0 else end
        line, self.position = self.data[self.position : end], end + 1
        return line.decode("utf-8", "replace")

    def _values(self, count: int, kind: str, dtype: type) -> np.ndarray:
        if count < 0:
            raise MeshError(self.name, f"{count} numbers announced", TRUNCATED)
        if self.binary:
            if kind.lower() not in _TYPES:
                raise MeshError(
                    self.name, f"VTK number type {kind!r} is not known here", "save it with float or int"
                )
            binary_type = np.dtype(_TYPES[kind.lower()])
            if self.position + count * binary_type.itemsize > len(self.data):
                complete = (len(self.data) - self.position) // binary_type.itemsize
                raise MeshError(
                    self.name, f"{count} numbers announced, {complete} left in the file", TRUNCATED
                )
            values = np.frombuffer(self.data, binary_type, count, self.position)
            self.position += count * binary_type.itemsize
            if self.data[self.position : self.position + 1] == b"\n":
                self.position += 1
            return values
        tokens: list[str] = []
        while len(tokens) < count and self.position < len(self.data):
            tokens += self._line().split()
        if len(tokens) != count:
            raise MeshError(self.name, f"{count} numbers announced, {len(tokens)} found", TRUNCATED)
        return numbers(tokens, dtype, "a number", self.name)


def _strip_triangles(strip: list[int]) -> list[list[int]]:
    return [
        [strip[k], strip[k + 1], strip[k + 2]] if k % 2 == 0 else [strip[k + 1], strip[k], strip[k + 2]]
        for k in range(len(strip) - 2)
    ]
