# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes of bodies: surfaces (box, sphere, capsule, cylinder, plane, mesh, file) and solids of tetrahedra."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from softcontact.messages import closest, files_beside
from softcontact.scene.fields import (
    Integer,
    Length,
    Part,
    Points,
    Position,
    Positive,
    Tetrahedra,
    Triangles,
)

Unit = Literal["m", "cm", "mm", "in"]
_Count = Annotated[Integer, Field(ge=1, le=512)]


class Box(Part):
    """A box centred at the body's origin."""

    kind: Literal["box"] = "box"
    size: Annotated[Position, Field(description="edge lengths along x, y, z [m]")]
    divisions: tuple[_Count, _Count, _Count] = (1, 1, 1)
    """Squares along each edge; each is cut into two triangles."""

    @field_validator("size")
    @classmethod
    def _positive(cls, size: tuple[float, float, float]) -> tuple[float, float, float]:
        if not min(size) > 0:
            raise ValueError(f"edge lengths must be > 0, not {min(size):g}; give three positive lengths")
        return size


class Sphere(Part):
    """A sphere centred at the body's origin; contact takes it as it is, patches on soft bodies its picture."""

    kind: Literal["sphere"] = "sphere"
    radius: Annotated[Positive, Length(), Field(description="radius [m]")]
    frequency: Annotated[Integer, Field(ge=1, le=64)] = 8
    """Triangles along an edge of the icosahedron, f, in the picture: 10 f² + 2 vertices; at least 4 are drawn."""


class Cylinder(Part):
    """A cylinder along z, centred at the origin; contact takes it as it is, patches on soft bodies its picture."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Annotated[Positive, Length(), Field(description="radius [m]")]
    height: Annotated[Positive, Length(), Field(description="height along z [m]")]
    segments: Annotated[Integer, Field(ge=3, le=4096)] = 32
    """Sides in the picture; at least 16 are drawn."""
    layers: _Count = 4
    """Strips along the side, in the picture."""
    rings: _Count = 2
    """Rings of triangles on each cap, in the picture."""


class Capsule(Part):
    """A cylinder along z with a half ball on either end, centred at the body's origin."""

    kind: Literal["capsule"] = "capsule"
    radius: Annotated[Positive, Length(), Field(description="radius [m]")]
    height: Annotated[
        Positive, Length(), Field(description="length between the centres of the end balls [m]")
    ]
    segments: Annotated[Integer, Field(ge=3, le=512)] = 32
    """Sides in the picture, of which at least 16 are drawn. Contact takes the shape, patches on soft bodies that."""


class Plane(Part):
    """The half-space below z = 0 in the axes of a kinematic body: a floor or wall without end."""

    kind: Literal["plane"] = "plane"
    size: Annotated[tuple[Positive, Positive], Length()] = (1.0, 1.0)
    """Edge lengths along x and y of what is drawn [m]."""


class Mesh(Part):
    """A triangle surface written into the scene, in body axes."""

    kind: Literal["mesh"] = "mesh"
    vertices: Annotated[Points, Field(min_length=3, description="vertices (n, 3) [m]")]
    triangles: Annotated[Triangles, Field(min_length=1, description="vertex numbers (m, 3), outward")]

    @model_validator(mode="after")
    def _in_range(self) -> "Mesh":
        _check_numbers("triangles", self.triangles, len(self.vertices))
        return self


class _InFile(Part):
    path: str
    """File name, relative to the scene file; in Python, to where the program runs."""
    unit: Unit
    """Length unit of the numbers in the file: m, cm, mm or in."""
    scale: Positive = 1.0
    """Factor on top of the unit [-]."""

    @field_validator("path")
    @classmethod
    def _exists(cls, path: str, info: ValidationInfo) -> str:
        return existing_file(path, info)


class MeshFile(_InFile):
    """A surface read from a file: STL, OBJ, PLY, OFF, VTK, VTU, Gmsh, glTF."""

    kind: Literal["file"] = "file"


class Bunny(Part):
    """The bunny's closed surface, z up, its centre of mass at the body's origin."""

    kind: Literal["bunny"] = "bunny"
    height: Annotated[Positive, Length(), Field(description="extent along z [m]")] = 0.08
    coarse: bool = False
    """1200 triangles instead of 3674."""


class TetrahedralBox(Part):
    """A box cut into a regular grid of tetrahedra, centred at the body's origin."""

    kind: Literal["tetrahedral-box"] = "tetrahedral-box"
    size: Annotated[Position, Field(description="edge lengths along x, y, z [m]")]
    divisions: tuple[_Count, _Count, _Count] = (4, 4, 4)
    """Cells along x, y, z; each is cut into tetrahedra."""
    pattern: Literal[5, 6, 24] = 5
    """Tetrahedra a cell: 5, mirrored from cell to cell; 6, all alike, which lean along one diagonal; or 24 about the
    centres of cells and faces, symmetric for any divisions."""

    _positive = field_validator("size")(Box._positive.__func__)


class TetrahedralBall(Part):
    """A ball cut into tetrahedra in shells, centred at the body's origin."""

    kind: Literal["tetrahedral-ball"] = "tetrahedral-ball"
    radius: Annotated[Positive, Length(), Field(description="radius [m]")]
    divisions: Annotated[Integer, Field(ge=1, le=64)] = 5
    """Shells, n; it gives 20 n³ tetrahedra."""


class TetrahedralCylinder(Part):
    """A cylinder or disc along z cut into tetrahedra, centred at the body's origin."""

    kind: Literal["tetrahedral-cylinder"] = "tetrahedral-cylinder"
    radius: Annotated[Positive, Length(), Field(description="radius [m]")]
    height: Annotated[Positive, Length(), Field(description="height along z [m]")]
    rings: _Count = 4
    """Rings of cells around the axis."""
    layers: _Count = 3
    """Cells along z."""


class TetrahedralBunny(Part):
    """The bunny's body in 19515 tetrahedra, placed like its surface."""

    kind: Literal["tetrahedral-bunny"] = "tetrahedral-bunny"
    height: Annotated[Positive, Length(), Field(description="extent along z [m]")] = 0.08


class TetrahedralMesh(Part):
    """Tetrahedra written into the scene, in body axes."""

    kind: Literal["tetrahedra"] = "tetrahedra"
    nodes: Annotated[Points, Field(min_length=4, description="nodes (n, 3) [m]")]
    tetrahedra: Annotated[Tetrahedra, Field(min_length=1, description="node numbers (m, 4), any order")]

    @model_validator(mode="after")
    def _in_range(self) -> "TetrahedralMesh":
        _check_numbers("tetrahedra", self.tetrahedra, len(self.nodes))
        return self


class TetrahedralFile(_InFile):
    """Tetrahedra read from a file: VTK, VTU, Gmsh."""

    kind: Literal["tetrahedral-file"] = "tetrahedral-file"


SURFACES = (Box, Sphere, Capsule, Cylinder, Plane, Mesh, MeshFile, Bunny)
Surface = Annotated[Box | Sphere | Capsule | Cylinder | Mesh | MeshFile | Bunny, Field(discriminator="kind")]
KinematicSurface = Annotated[
    Box | Sphere | Capsule | Cylinder | Plane | Mesh | MeshFile | Bunny, Field(discriminator="kind")
]


class FilledSurface(Part):
    """The inside of a closed surface, cut into tetrahedra when the scene is built."""

    kind: Literal["filled"] = "filled"
    surface: Surface
    """The closed surface to fill."""
    cell_size: Annotated[Positive | None, Length()] = None
    """Wanted edge length of the tetrahedra [m]; by default a twelfth of the largest extent."""


Solid = Annotated[
    TetrahedralBox
    | TetrahedralBall
    | TetrahedralCylinder
    | TetrahedralBunny
    | TetrahedralMesh
    | TetrahedralFile
    | FilledSurface,
    Field(discriminator="kind"),
]


def existing_file(path: str, info: ValidationInfo) -> str:
    """`path` as an absolute file name, looked up beside the scene file; in Python, where the program runs.

    Raises:
        ValueError: there is no such file.
    """
    folder = Path((info.context or {}).get("folder", "."))
    full = (folder / Path(path).expanduser()).resolve()
    if not full.is_file():
        meant = closest(path, files_beside(path, within=folder))
        remedy = f"did you mean '{meant}'?" if meant else "give its name relative to this folder"
        raise ValueError(f"no file {path!r} in {str(folder.resolve())!r}; {remedy}")
    return str(full)


def _check_numbers(name: str, rows: tuple[tuple[int, ...], ...], count: int) -> None:
    largest = max(map(max, rows))
    if largest >= count:
        raise ValueError(f"{name} name point {largest}, but the points are numbered 0 to {count - 1}")
