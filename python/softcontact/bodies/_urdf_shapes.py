# SPDX-License-Identifier: LGPL-2.1-or-later
"""Visual and collision shapes of URDF links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies import _urdf_xml as xml
from softcontact.mesh import primitives
from softcontact.mesh.errors import MeshError
from softcontact.mesh.formats import SUFFIXES
from softcontact.mesh.load import load_mesh

Array = NDArray[np.float64]

_SPHERE_FREQUENCY = 6  # 720 triangles


@dataclass(frozen=True)
class UrdfShape:
    """A ``<visual>`` or ``<collision>`` of a link."""

    link: str
    kind: str  #: visual or collision
    geometry: str  #: box, cylinder, sphere or mesh
    size: Array  #: box: sides; cylinder: radius, length; sphere: radius; mesh: scale (3,) [m] or factors
    path: Path | None  #: of a mesh
    position: Array  #: (3,) [m] in the link's axes
    rotation: Array  #: (3, 3), shape's axes to the link's
    line: int  #: in the file

    def surface(self) -> tuple[Array, NDArray[np.int32]]:
        """Vertices (n, 3) [m] in the link's axes and triangles (m, 3).

        Raises:
            ValueError: the mesh file is not what its ending says, or has no usable surface; names the line.
        """
        if self.path is not None:
            try:
                mesh = load_mesh(self.path, require_closed=False, size_range=None)
            except MeshError as error:
                raise ValueError(f"line {self.line}: <mesh> of link '{self.link}': {error}") from error
            vertices, triangles = mesh.vertices * self.size, mesh.triangles
            if np.prod(self.size) < 0.0:  # a mirror turns the surface inside out
                triangles = triangles[:, ::-1]
        elif self.geometry == "box":
            mesh = primitives.box(tuple(self.size))
            vertices, triangles = mesh.vertices, mesh.triangles
        elif self.geometry == "cylinder":
            mesh = primitives.cylinder(*self.size)
            vertices, triangles = mesh.vertices, mesh.triangles
        else:
            mesh = primitives.sphere(float(self.size[0]), _SPHERE_FREQUENCY)
            vertices, triangles = mesh.vertices, mesh.triangles
        return vertices @ self.rotation.T + self.position, np.asarray(triangles, dtype=np.int32)


def read_shapes(
    name: str, element: xml.Element, file: Path, packages: Sequence[str | PathLike[str]]
) -> list[UrdfShape]:
    """All shapes of a link; ValueError naming element and line where one cannot be had."""
    shapes = []
    for kind in ("visual", "collision"):
        for child in element.findall(kind):
            if child.find("geometry") is not None:
                shapes.append(_shape(name, kind, child, file, packages))
    return shapes


def _shape(
    name: str, kind: str, element: xml.Element, file: Path, packages: Sequence[str | PathLike[str]]
) -> UrdfShape:
    place = f"line {element.line}: <{kind}> of link '{name}'"
    position, rotation = xml.origin(element, place)
    geometry = xml.required(element, "geometry", place)
    form = next(iter(geometry), None)
    if form is None or form.tag not in ("box", "cylinder", "sphere", "mesh"):
        found = "nothing" if form is None else f"<{form.tag}>"
        raise ValueError(f"{place}: <geometry> holds {found}; use <box>, <cylinder>, <sphere> or <mesh>")
    path = None
    if form.tag == "box":
        size = xml.numbers(form, "size", "", 3, place)
    elif form.tag == "cylinder":
        size = np.array([xml.number(form, key, "", place) for key in ("radius", "length")])
    elif form.tag == "sphere":
        size = xml.numbers(form, "radius", "", 1, place)
    else:
        size = xml.numbers(form, "scale", "1 1 1", 3, place)
        path = _mesh_path(form, f"line {form.line}: <mesh> of link '{name}'", file, packages)
    if path is None:
        if not (size > 0.0).all():
            raise ValueError(f"{place}: <{form.tag}> has a size that is not > 0: {size}; correct it [m]")
        xml.check_length(float(size.max()), f"{place} <{form.tag}>")
    elif not (size != 0.0).all():
        raise ValueError(
            f"{place}: <mesh scale={form.get('scale')!r}> must not be zero; use 1 1 1 for metres"
        )
    return UrdfShape(name, kind, form.tag, size, path, position, rotation, form.line)


def _mesh_path(element: xml.Element, place: str, file: Path, packages: Sequence[str | PathLike[str]]) -> Path:
    filename = element.get("filename", "")
    if not filename:
        raise ValueError(f"{place} has no filename; add it, or give shapes=False for the motion alone")
    if filename.startswith("package://"):
        package, _, rest = filename.removeprefix("package://").partition("/")
        # The package's folder is one of those given, lies in one, or is around the URDF file.
        around = [*(Path(folder) for folder in packages), *file.resolve().parents]
        roots = [folder for folder in around if folder.name == package]
        roots += [folder / package for folder in around]
        candidates = [root / rest for root in roots]
        remedy = f"give the folder of '{package}' in packages, or shapes=False for the motion alone"
    else:
        candidates = [file.resolve().parent / filename.removeprefix("file://")]
        remedy = "put it there, or give shapes=False for the motion alone"
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        raise ValueError(f"{place}: file {filename!r} is missing; {remedy}")
    if found.suffix.lower() not in SUFFIXES:
        raise ValueError(
            f"{place}: {filename!r} is of a format that is not supported; convert it to one of "
            f"{' '.join(SUFFIXES)}, or give shapes=False for the motion alone"
        )
    return found
