# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a file to a RawMesh: recognise the content, refuse what is not what its name says, read."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import numpy as np

from softcontact.messages import closest, files_beside

from .errors import MeshError
from .gltf import read_gltf
from .ply import read_ply
from .raw_mesh import TRUNCATED, RawMesh
from .readers import read_obj, read_off, read_stl
from .vtk_polydata import is_polydata, read_vtk_polydata

SUFFIXES = {
    ".stl": "STL", ".obj": "OBJ", ".ply": "PLY", ".off": "OFF", ".vtk": "VTK", ".vtu": "VTU", ".msh": "Gmsh",
    ".glb": "glTF", ".gltf": "glTF",
}  # fmt: skip

_MAGIC = [
    (rb"ply\s", "PLY"),
    (rb"(ST)?C?N?4?n?OFF\s", "OFF"),
    (rb"# vtk DataFile", "VTK"),
    (rb"\$(MeshFormat|Comments|PhysicalNames)", "Gmsh"),
    (rb"(<\?xml[^>]*>\s*)?<VTKFile[^>]*UnstructuredGrid", "VTU"),
    (rb"(<\?xml[^>]*>\s*)?<VTKFile", "another VTK XML format"),
    (rb"glTF", "glTF"),
    (rb"PK\x03\x04", "a zip archive (3MF?)"),
    (rb"\x89HDF", "HDF5"),
    (rb"ISO-10303-21", "STEP"),
    (rb"<", "XML or HTML"),
]
_NUMBER_LINE = re.compile(
    rb"^[ \t]*(?:v|vn|vt|vertex|facet[ \t]+normal)?[ \t0-9eE+.,-]*\d,\d[ \t0-9eE+.,-]*\r?$", re.MULTILINE
)
_CORNERS = {"triangle": 3, "triangle6": 3, "triangle7": 3, "quad": 4, "quad8": 4, "quad9": 4}


def read_raw(path: str | Path) -> RawMesh:
    """Read a mesh file.

    Args:
        path: STL, OBJ, PLY, OFF, legacy VTK, VTU, Gmsh or glTF file; the ending must fit the content.
    Raises:
        MeshError: missing, empty, cut off, of another format, with decimal commas, or without usable cells.
    """
    path = Path(path)
    name = path.name
    data = _read_bytes(path)
    format_ = SUFFIXES.get(path.suffix.lower())
    if format_ is None:
        raise MeshError(
            name,
            f"ending {path.suffix!r} is not a known mesh format",
            f"convert it to one of {' '.join(SUFFIXES)}",
        )
    found = _recognise(data)
    if found is not None and found != format_:
        ending = next((s for s, f in SUFFIXES.items() if f == found), None)
        remedy = (
            f"rename the file to {path.stem}{ending}"
            if ending
            else f"convert it to one of {' '.join(SUFFIXES)}"
        )
        raise MeshError(name, f"the content is {found}, the ending says {format_}", remedy)
    text = _is_text(data) and format_ != "glTF"  # its JSON has commas between numbers
    comma = _NUMBER_LINE.search(data) if text and b"," in data else None
    if comma:
        line = data.count(b"\n", 0, comma.end()) + 1
        raise MeshError(
            name,
            f"decimal comma in line {line}: {comma.group().decode('ascii', 'replace').strip()[:60]!r}",
            "write numbers with a decimal point (export with an English locale)",
        )
    try:
        raw = _read_as(format_, path, data)
    except MeshError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise MeshError(name, f"cannot be read as {format_} ({error})", TRUNCATED) from None
    if not raw.polygons and raw.tetrahedra is None:
        held = [f"{len(raw.points)} points"] + [f"{n} {kind} cells" for kind, n in raw.others.items()]
        raise MeshError(
            name,
            f"{' and '.join(held)}, but no triangle, polygon or tetrahedron",
            "export the surface as triangles, or the body as tetrahedra",
        )
    return raw


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        meant = closest(path.name, [Path(name).name for name in files_beside(path, SUFFIXES)])
        remedy = f"did you mean '{meant}'?" if meant else "check the path"
        raise MeshError(path.name, f"no such file in {path.parent.resolve()}", remedy) from None
    except OSError as error:
        raise MeshError(
            path.name, f"cannot be opened: {error.strerror}", "check the path and its rights"
        ) from None
    if not data.strip():
        raise MeshError(path.name, f"the file is empty ({len(data)} bytes)", "export or copy it again")
    return data


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]


def _recognise(data: bytes) -> str | None:
    """Format by content, None when the content does not tell."""
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    for pattern, format_ in _MAGIC:
        if re.match(pattern, head):
            return format_
    if len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
        return "STL"
    if re.match(rb"solid\b", head) and b"facet" in head:
        return "STL"
    if _is_text(data) and re.search(rb"^(v|f)[ \t]+[-\d]", head, re.MULTILINE):
        return "OBJ"
    return None


def _read_as(format_: str, path: Path, data: bytes) -> RawMesh:
    name = path.name
    if format_ == "STL":
        return read_stl(data, name)
    if format_ == "glTF":
        return read_gltf(data, path)
    if format_ == "PLY":
        return read_ply(data, name)
    if format_ in ("OBJ", "OFF"):
        text = data.decode("utf-8-sig", "replace")
        return read_obj(text, name) if format_ == "OBJ" else read_off(text, name)
    if format_ == "VTK" and is_polydata(data):
        try:
            return read_vtk_polydata(data, name)
        except (IndexError, ValueError) as error:
            raise (
                error if isinstance(error, MeshError) else MeshError(name, f"VTK: {error}", TRUNCATED)
            ) from None
    if format_ == "Gmsh" and b"$EndElements" not in data:
        raise MeshError(name, "Gmsh file without the end of its $Elements", TRUNCATED)
    return _read_with_meshio(format_, path)


def _read_with_meshio(format_: str, path: Path) -> RawMesh:
    import meshio  # not at the top: it takes 0.1 s that a scene of primitives need not pay

    reader = {"VTK": meshio.vtk.read, "VTU": meshio.vtu.read, "Gmsh": meshio.gmsh.read}[format_]
    said = io.StringIO()
    try:
        # meshio prints its warnings; the reader of a one-line message does not need them.
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), np.errstate(all="ignore"):
            mesh = reader(str(path))
    except Exception as error:  # whatever the reader stumbles over in a damaged file
        reason = f"{type(error).__name__} {error}".strip()[:120]
        raise MeshError(path.name, f"cannot be read as {format_} ({reason})", TRUNCATED) from None
    points = np.asarray(mesh.points, dtype=float)
    if points.ndim == 2 and points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    if points.size and points.shape[1:] != (3,):
        raise MeshError(path.name, f"points of the shape {points.shape}, expected (n, 3)", TRUNCATED)
    raw = RawMesh(points)
    tetrahedra = []
    for block in mesh.cells:
        cells = np.asarray(block.data)
        if not len(cells):
            continue
        if block.type in _CORNERS:
            raw.polygons.append(cells[:, : _CORNERS[block.type]].astype(np.int64))
        elif block.type == "polygon":
            raw.polygons.append(cells.astype(np.int64))
        elif block.type in ("tetra", "tetra10"):
            tetrahedra.append(cells[:, :4].astype(np.int64))
        else:
            raw.others[block.type] = raw.others.get(block.type, 0) + len(cells)
    if tetrahedra:
        raw.tetrahedra = np.concatenate(tetrahedra)
    return raw
