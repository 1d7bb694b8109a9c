# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact bench`."""

import importlib
import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from softcontact.scene.errors import SceneError, nearest

NAMES = (
    "table1",
    "lifts",
    "rate",
    "uzawa",
    "solvers",
    "scale",
    "vademecum",
    "haptics",
    "avatar",
    "peers",
    "sofa",
    "sofa_vademecum",
)
ALL = "all"  # every one of them, and a page


def available() -> list[str]:
    """Benchmarks that this installation has."""
    return [name for name in NAMES if _module(name) is not None]


def command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="Benchmarks: "
            + ", ".join(NAMES)
            + "; or all, with one page of every paper's figures beside ours.",
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter runs.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for plots and reports.", show_default="none are kept")
    ] = None,
    bunny: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.h5", help="For vademecum, and all: judge this bunny instead of building one."
        ),
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="DIR", help="With all: folder with figures of earlier runs; repeatable."
        ),
    ] = None,
) -> int:
    """Measure as the papers did: their figure, ours, and the ratio."""
    if ALL in names:
        if len(names) > 1 or json_file is not None:
            raise SceneError("bench: 'all' stands alone and takes no --json; its figures are in --out")
        from softcontact.bench import page

        return page.main(quick, out, sources or (), bunny)
    if sources:
        raise SceneError("bench: --from goes with 'all' alone; it names figures of earlier runs for the page")
    here = available()
    for name in names:
        if name not in NAMES:
            raise SceneError(f"bench: no benchmark '{name}'" + nearest(name, (*NAMES, ALL)))
        if name not in here:
            raise SceneError(
                f"bench: '{name}' is not in this version of softcontact; it has: {', '.join(here) or 'none'}"
            )
    if json_file is not None and len(names) > 1:
        raise SceneError("bench: --json FILE takes the figures of one benchmark; run them one by one")
    if bunny is not None and "vademecum" not in names:
        raise SceneError(
            f"bench: --bunny {str(bunny)!r} is for the benchmark vademecum; name it, or leave it out"
        )
    from softcontact.bench import results

    code = 0
    with results.reserved([f"{name}.json" for name in dict.fromkeys(names)], json_file, out):
        for name in names:
            own = {"bunny": bunny} if name == "vademecum" else {}
            module = importlib.import_module(f"softcontact.bench.{name}")
            code = max(code, module.main(quick=quick, json=json_file, out=out, **own))
    return code


def _module(name: str) -> object | None:
    try:
        return importlib.util.find_spec(f"softcontact.bench.{name}")
    except ModuleNotFoundError:
        return None
