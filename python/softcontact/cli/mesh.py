# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands on mesh files: softcontact mesh check, tetrahedralise and wrap."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from softcontact import outputs
from softcontact.cli.console import say
from softcontact.mesh.check import length_text
from softcontact.mesh.load import HAND_HOLDABLE, load_mesh, load_soup, load_tetrahedra
from softcontact.mesh.mesher import tetrahedralise as tetrahedralise_surface
from softcontact.mesh.surface_mesh import SurfaceMesh
from softcontact.mesh.tetrahedral_mesh import TetrahedralMesh
from softcontact.mesh.wrap import wrap_surface

_SOLIDS, _SKINS = (".vtu", ".vtk", ".msh"), (".stl", ".obj", ".ply")

app = typer.Typer(help="Check mesh files and make tetrahedra.", no_args_is_help=True)

Unit = Annotated[str, typer.Option(help="Length unit of the file: m, cm, mm or in.")]
AnySize = Annotated[
    bool,
    typer.Option("--any-size", help="Accept bodies that no hand could hold, under 15 mm and over 25 cm."),
]


@app.command()
def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="STL, OBJ, PLY, OFF, VTK, VTU, Gmsh or glTF file.")
    ],
    unit: Unit = "m",
    any_size: AnySize = False,
    tetrahedra: Annotated[
        bool, typer.Option("--tetrahedra", help="Check the tetrahedra in the file, not the surface.")
    ] = False,
) -> None:
    """Tell whether a mesh file can be used.

    It is read as a scene reads it, and what was repaired and found is told. Exit code 2: it is refused.
    """
    size_range = None if any_size else HAND_HOLDABLE
    with _one_line_errors():
        if tetrahedra:
            _print_table(file.name, tetrahedra_rows(load_tetrahedra(file, unit=unit, size_range=size_range)))
        else:
            _print_table(file.name, surface_rows(load_mesh(file, unit=unit, size_range=size_range)))


@app.command()
def tetrahedralise(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Closed surface.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write, in metres: .vtu, .vtk or .msh.")],
    unit: Unit = "m",
    edge_length: Annotated[
        float | None, typer.Option(help="Wanted edge length [m].", show_default="a thirtieth of the diagonal")
    ] = None,
    envelope: Annotated[
        float | None,
        typer.Option(
            help="How far the boundary may leave the surface [m].",
            show_default="a thousandth of the diagonal",
        ),
    ] = None,
    any_size: AnySize = False,
) -> None:
    """Fill a closed surface with tetrahedra.

    The quality of what goes to OUT is told.
    """
    with _one_line_errors():
        _ending(out, _SOLIDS, "tetrahedra are")
        with outputs.reserved(out, ""):
            surface = load_mesh(file, unit=unit, size_range=None if any_size else HAND_HOLDABLE)
            start = time.perf_counter()
            mesh = tetrahedralise_surface(surface, edge_length, envelope)
            outputs.guarded(out, mesh.save, out, option="", what="file")
        rows = tetrahedra_rows(mesh)
        rows["volume against the surface"] = f"{100.0 * (mesh.volume / surface.volume - 1.0):+.2f} %"
        rows["meshing time"] = f"{time.perf_counter() - start:.1f} s"
        _print_table(out.name, rows)


@app.command()
def wrap(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Surface in any state.")],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write, in metres: .vtu, .vtk or .msh, or a surface as .stl, .obj or .ply.",
        ),
    ],
    unit: Unit = "m",
    cell: Annotated[
        float | None,
        typer.Option(help="Edge of the lattice's cells [m].", show_default="a 20th of the largest side"),
    ] = None,
    gap: Annotated[
        float | None, typer.Option(help="Widest opening that is bridged [m].", show_default="a cell")
    ] = None,
    any_size: AnySize = False,
) -> None:
    """Lay a new surface around an open or crossing one.

    It is filled with tetrahedra; how far off it lies is told.
    """
    with _one_line_errors():
        solid = _ending(out, _SOLIDS + _SKINS, "the result is") in _SOLIDS
        with outputs.reserved(out, ""):
            surface = load_soup(file, unit=unit, size_range=None if any_size else HAND_HOLDABLE)
            size = float(surface.extent.max()) / 20.0 if cell is None else cell
            mesh, report = wrap_surface(surface, size, gap)
            made = mesh if solid else mesh.surface()[0]
            outputs.guarded(out, made.save, out, option="", what="file")
        _print_table(out.name, tetrahedra_rows(mesh) | {"made": report.text()})


def surface_rows(mesh: SurfaceMesh) -> dict[str, str]:
    """What a report says about a surface: quantity and value."""
    rows = {
        "vertices, triangles": f"{len(mesh.vertices)}, {len(mesh.triangles)}",
        "size": " × ".join(length_text(x) for x in mesh.extent),
        "area": f"{1e4 * mesh.area:.4g} cm²",
        "closed": "yes" if mesh.is_closed else "no",
    }
    if mesh.is_closed:
        rows["volume"] = f"{1e6 * mesh.volume:.4g} cm³"
        rows["centre of mass"] = (
            "(" + ", ".join(f"{round(1e3 * x, 4) + 0.0:.4g}" for x in mesh.center_of_mass) + ") mm"
        )
    rows["repaired"] = "; ".join(mesh.report.changes()) or "nothing to repair"
    rows["found"] = "; ".join(mesh.report.findings()) or "one clean piece"
    return rows


def tetrahedra_rows(mesh: TetrahedralMesh) -> dict[str, str]:
    """What a report says about tetrahedra: quantity and value."""
    surface, _ = mesh.surface()
    quality = mesh.quality
    return {
        "nodes, tetrahedra": f"{len(mesh.nodes)}, {len(mesh.tetrahedra)}",
        "boundary": f"{len(surface.vertices)} vertices, {len(surface.triangles)} triangles,"
        f" {'closed' if surface.is_closed else 'not a closed manifold'}",
        "size": " × ".join(length_text(x) for x in surface.extent),
        "volume": f"{1e6 * mesh.volume:.4g} cm³",
        "mean edge": length_text(mesh.mean_edge_length),
        "quality (mean ratio, 1 = regular)": f"worst {quality.min():.3f}, mean {quality.mean():.3f},"
        f" {int(np.sum(quality < 0.2))} below 0.2",
    }


def _ending(out: Path, endings: tuple[str, ...], what: str) -> str:
    """The ending of a file to write, one of those given."""
    ending = out.suffix.lower()
    if ending not in endings:
        names = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise ValueError(f"{out.name}: {what} written as {names}, not {out.suffix!r}")
    return ending


def _print_table(title: str, rows: dict[str, str]) -> None:
    table = Table(title=Text(title), show_header=False, title_justify="left")
    for quantity, value in rows.items():
        table.add_row(Text(quantity), Text(value))
    Console().print(table)


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    """Print an expected error as one line on stderr and exit with code 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, ModuleNotFoundError, OSError) as error:
        say(str(error))
        raise typer.Exit(2) from None
