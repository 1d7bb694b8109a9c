# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact vademecum build|certify|distance|info|export-web`."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcontact import outputs
from softcontact.cli.console import console, say
from softcontact.messages import closest, files_beside

if TYPE_CHECKING:
    from softcontact.vademecum import LogRow, Vademecum

FAILED = 1
STOPPED = 3
_MOST = 10**6  # of whole numbers

app = typer.Typer(help="Nonlinear solids whose answers are worked out beforehand.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")]
File = Annotated[Path, typer.Argument(metavar="FILE.h5", help="A vademecum.")]


@app.command()
def build(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="`beam`, `bunny`, or a file of tetrahedra (VTU, VTK, Gmsh)."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.h5", help="File to write; FILE.h5.partial underway.")],
    modes: Annotated[
        int | None, typer.Option(help="Modes kept at most.", show_default="81, of the bunny 143")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Share of the energy norm a mode must promise.", show_default="6e-4")
    ] = None,
    sizes: Annotated[
        int | None,
        typer.Option(help="Terms of the series in the load's size.", show_default="8, of the bunny 3"),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(help="Load cases that modes are found from.", show_default="all, of the bunny 480"),
    ] = None,
    force: Annotated[
        float | None, typer.Option(help="Largest force [N].", show_default="1e6, of the bunny 2e6")
    ] = None,
    direction: Annotated[
        list[str] | None,
        typer.Option(metavar="X,Y,Z", help="Direction of the force; may be repeated.", show_default="0,0,-1"),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Length unit of a mesh file: m, cm, mm or in.", show_default="m")
    ] = None,
    young: Annotated[float | None, typer.Option(help="Young's modulus of a mesh file's solid [Pa].")] = None,
    poisson: Annotated[float | None, typer.Option(help="Its Poisson ratio.", show_default="0.3")] = None,
    clamped: Annotated[
        str | None, typer.Option(metavar="CONDITION", help='Its clamped nodes, such as "x < 0.01" [m].')
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes.", show_default="the cores there are")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers compute instead.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Build a vademecum.

    After a stop, the same command goes on from what is done. The file is the same to the last bit, whoever computes.
    Exit code 3: a load case has no equilibrium.
    """
    from softcontact.parallel import available_cores
    from softcontact.progress import peak_memory

    with outputs.reserved(out):
        directions = tuple(_vector(text) for text in direction or ["0,0,-1"])
        solid = _model(model, unit, young, poisson, clamped, force, directions)
        given = {"modes": modes, "tolerance": tolerance, "sizes": sizes, "sample": sample}
        options = dataclasses.replace(solid.options, **{k: v for k, v in given.items() if v is not None})
        started, busy = time.perf_counter(), sum(os.times()[:4])
        count = available_cores() if workers is None else workers
        made = _built(solid, options, out, count, scheduler, None if as_json else _told())
    if made is None:
        return STOPPED
    wall, cpu = time.perf_counter() - started, sum(os.times()[:4]) - busy
    others = count if count > 1 and scheduler is None else 0
    spent = {"wall_time_s": wall, "cpu_time_s": cpu, "peak_memory_bytes": peak_memory(others)}
    _print({**_summary(out, made), **spent}, as_json)
    return 0


def _built(
    solid: Any, options: Any, out: Path, count: int, scheduler: str | None, progress: Any
) -> Vademecum | None:
    """The vademecum, written to `out`; None where a load case has no equilibrium or the workers are lost.

    Raises:
        OutputError: it, or what is done so far, cannot be written.
    """
    from softcontact.parallel import Workers, WorkersLost
    from softcontact.vademecum import BuildError
    from softcontact.vademecum import build as build_vademecum

    checkpoint = out.with_name(out.name + ".partial")
    try:
        with Workers(count, scheduler=scheduler) as team:
            return build_vademecum(
                solid.mesh,
                solid.material,
                solid.load,
                clamped=solid.clamped,
                options=options,
                progress=progress,
                checkpoint=checkpoint,
                out=out,
                workers=team,
            )
    except (BuildError, WorkersLost) as error:
        say(str(error))
        return None
    except OSError as error:
        told = outputs.refused(Path(error.filename or out), error, what="file")
        if checkpoint.exists():
            told = outputs.OutputError(f"{told}; the same command goes on from {str(checkpoint)!r}")
        raise told from None


@app.command()
def certify(
    file: File,
    sizes: Annotated[
        str, typer.Option(metavar="T1,T2,…", help="Shares of the largest force.")
    ] = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
    every: Annotated[int, typer.Option(help="Only every so many load positions.")] = 1,
    modes: Annotated[str | None, typer.Option(metavar="N1,N2,…", help="Judge these mode counts too.")] = None,
    limit: Annotated[
        float | None, typer.Option(help="Exit code 1 where the largest nodal error is above this share.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Tell the errors of a vademecum.

    They are those against full finite element solutions, and are kept in the file.
    """
    if every < 1:
        raise ValueError(f"--every: {every}, expected 1 or more")
    if limit is not None and not 0.0 <= limit < math.inf:
        raise ValueError(f"--limit: {limit}, expected a share >= 0 of the largest displacement, such as 0.01")
    counts = None if modes is None else _whole("--modes", modes)
    told = not as_json and sys.stderr.isatty()
    with _changed(file) as read:
        judged = read.certified(
            sizes=_numbers("--sizes", sizes),
            chosen=range(0, read.cases.count, every),
            modes=counts,
            tell=lambda done, total: (
                say(f"{done} of {total} load cases") if told and done % 20 == 0 else None
            ),
        )
        outputs.guarded(file, judged.save, file, option="", what="file")
    _print(_summary(file, judged), as_json)
    assert judged.certificate is not None
    worst = float(judged.certificate.nodal[-1].max())
    return FAILED if limit is not None and not worst <= limit else 0


@app.command()
def distance(
    file: File,
    grid: Annotated[str, typer.Option(metavar="NX,NY,NZ", help="Grid points along x, y and z.")],
    sizes: Annotated[str, typer.Option(metavar="T1,T2,…", help="Shares of the largest force.")] = "1",
    compress: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Separated form, errors up to this share of a cell's diagonal."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Tabulate distances to the deformed boundary.

    Those of every deformed state, kept in the file.
    """
    counts = _whole("--grid", grid)
    if len(counts) != 3:
        raise ValueError(f"--grid: {grid!r}, expected three whole numbers such as 42,26,61")
    started = time.perf_counter()
    with _changed(file) as read:
        made = read.with_distance(
            (counts[0], counts[1], counts[2]),
            sizes=_numbers("--sizes", sizes),
            compress=compress,
            copies=3 if compress is None else 1,
        )
        outputs.guarded(file, made.save, file, option="", what="file")
    _print({**_summary(file, made), "wall_time_s": time.perf_counter() - started}, as_json)
    return 0


@app.command()
def info(file: File, as_json: AsJson = False) -> int:
    """Tell what it was built for, and how good it is."""
    from softcontact.vademecum import Vademecum

    _print(_summary(file, Vademecum.load(file)), as_json)
    return 0


@app.command("export-web")
def export_web(
    file: File,
    out: Annotated[Path, typer.Option(metavar="PAGE.html", help="Page to write.")],
    title: Annotated[
        str | None, typer.Option(help="Title that people see.", show_default="the file's name")
    ] = None,
    modes: Annotated[int | None, typer.Option(help="Modes to take along.", show_default="all")] = None,
    as_json: AsJson = False,
) -> int:
    """Write one page that shows it in any browser.

    The page evaluates the vademecum itself, without a server or network.
    """
    from softcontact.report.vademecum_web import write_vademecum_page
    from softcontact.vademecum import Vademecum

    with outputs.reserved(out):
        read, title = Vademecum.load(file), title or file.stem
        page = partial(write_vademecum_page, read, out, title=title, modes=modes)
        outputs.guarded(out, page, what="file")
    told = {"file": str(file), "page": str(out), "bytes": out.stat().st_size}
    print(json.dumps(told) if as_json else f"{out} ({told['bytes'] / 1e6:.1f} MB)")
    return 0


@contextmanager
def _changed(file: Path) -> Iterator[Vademecum]:
    """The vademecum in a file that is written anew: no other process may change it meanwhile, or its work was lost.

    Raises:
        VademecumFileError: it cannot be read.
        OutputError: it cannot be written, or another process does at this moment.
    """
    from softcontact.vademecum import Vademecum

    if not file.is_file():
        Vademecum.load(file)  # says what is wrong
    with outputs.reserved(file, ""):
        yield Vademecum.load(file)


def _summary(path: Path, made: Vademecum) -> dict[str, Any]:
    solid, certificate = made.cases.solid, made.certificate
    return {
        "file": str(path),
        "mesh": {"kind": solid.mesh.kind, "nodes": len(solid.mesh.nodes), "cells": len(solid.mesh.cells)},
        "mesh_hash": solid.mesh.hash,
        "young_modulus_pa": solid.material.young_modulus,
        "poisson_ratio": solid.material.poisson_ratio,
        "clamped_nodes": len(solid.clamped),
        "force_n": made.cases.magnitude,
        "directions": made.cases.directions.tolist(),
        "positions": len(made.cases.nodes),
        "modes": made.solution.count,
        "terms_in_size": made.solution.terms,
        "solution_bytes": made.solution.nbytes,
        "estimated_energy_error": made.log[-1].energy_error if made.log else None,
        "distance": None
        if made.distance_field is None
        else {
            "grid": list(made.distance_field.grid),
            "spacing_m": made.distance_field.spacing.tolist(),
            "sizes": made.distance_field.sizes.tolist(),
            "bytes": made.distance_field.nbytes,
            "bound_m": float(made.distance_field.bound),
        },
        "certificate": None
        if certificate is None
        else {
            "cases": len(certificate.cases),
            "sizes": certificate.sizes.tolist(),
            "largest_displacement_m": certificate.largest,
            "largest_error_m": certificate.error,
            "by_modes": certificate.rows(),
        },
    }


def _print(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(summary, allow_nan=False))
        return
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for key, value in summary.items():
        if key == "certificate":
            continue
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        table.add_row(key.replace("_", " "), text)
    console().print(table)
    certificate = summary["certificate"]
    if certificate is None:
        console().print("not certified: softcontact vademecum certify FILE")
        return
    table = Table("modes", "overall, full load", "largest nodal", "energy, mean", "energy, worst", "volume")
    for row in certificate["by_modes"]:
        keys = ("overall_full", "nodal_max", "energy_mean", "energy_max", "volume_max")
        table.add_row(str(row["modes"]), *(f"{row[key]:.2e}" for key in keys))
    console().print(table)
    console().print(
        f"against full finite elements at {certificate['cases']} load cases and {len(certificate['sizes'])} sizes; "
        f"nodal errors as shares of {certificate['largest_displacement_m']:.4g} m"
    )


def _told() -> Any:
    """Says on a terminal how far the build is; None where there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None

    def tell(done: int, total: int, row: LogRow | None) -> None:
        more = f": load {row.size:.2f}, {row.modes} modes, energy error {row.energy_error:.1e}" if row else ""
        say(f"{done} of {total} pieces{more}")

    return tell


def _model(
    name: str,
    unit: str | None,
    young: float | None,
    poisson: float | None,
    clamped: str | None,
    force: float | None,
    directions: tuple[tuple[float, float, float], ...],
) -> Any:
    from softcontact.vademecum import models

    own = {"beam": models.beam, "bunny": models.bunny}.get(name)
    chosen = {"directions": directions} if force is None else {"directions": directions, "force": force}
    if own is not None:
        others = {"--unit": unit, "--young": young, "--poisson": poisson, "--clamped": clamped}
        given = [f"{option} {value}" for option, value in others.items() if value is not None]
        if given:
            raise ValueError(f"{', '.join(given)}: for mesh files alone, `{name}` has its own; leave it out")
        return own(**chosen)
    if not Path(name).exists():
        meant = closest(name, ["beam", "bunny", *files_beside(name, (".vtu", ".vtk", ".msh"))])
        remedy = f"did you mean '{meant}'?" if meant else "give `beam`, `bunny` or a file of tetrahedra"
        raise ValueError(f"{name}: no such model or file; {remedy}")
    if young is None or clamped is None:
        missing = "--young" if young is None else "--clamped"
        raise ValueError(f"{missing}: needed with a mesh file (or give the model `beam` or `bunny`)")
    return models.from_file(
        Path(name),
        unit=unit or "m",
        young_modulus=young,
        poisson_ratio=0.3 if poisson is None else poisson,
        clamped=clamped,
        **chosen,
    )


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option}: {text!r}, expected numbers separated by commas") from None


def _whole(option: str, text: str) -> list[int]:
    values = _numbers(option, text)
    if not all(value.is_integer() and 1.0 <= value <= _MOST for value in values):
        raise ValueError(f"{option}: {text!r}, expected whole numbers from 1 to {_MOST}, separated by commas")
    return [int(value) for value in values]


def _vector(text: str) -> tuple[float, float, float]:
    values = _numbers("--direction", text)
    if len(values) != 3:
        raise ValueError(f"--direction: {text!r}, expected three numbers such as 0,0,-1")
    return (values[0], values[1], values[2])
