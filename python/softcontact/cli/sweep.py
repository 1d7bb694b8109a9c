# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact sweep`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcontact.cli.console import console, say, warnings_said
from softcontact.cli.run import parse_options

if TYPE_CHECKING:
    from softcontact.sweeps import SweepResult


def command(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE", help="Name of a scene ('softcontact scenes' lists them) or a scene file."
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="NAME=VALUES",
            help="What is varied: friction=0.1:1:10 (ten values from 0.1 to 1), object=ball,cube (a list), "
            "friction=0.1:1 (a range that a random design draws from); may be repeated.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of all runs; may be repeated."),
    ] = None,
    design: Annotated[
        str, typer.Option(help="grid (product of all values), random, or lhs (Latin hypercube).")
    ] = "grid",
    samples: Annotated[int | None, typer.Option(help="Runs of a random or lhs design.")] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of a random or lhs design: the same seed, the same runs.")
    ] = 0,
    engine: Annotated[str, typer.Option(help="What computes: embedded, or sofa (needs SOFA).")] = "embedded",
    steps: Annotated[
        int | None, typer.Option(help="Steps of each run.", show_default="the scene's duration")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes.", show_default="the cores there are")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers compute instead.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder.", show_default="out/sweep-SCENE-N, the first free N")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the sweep in the folder of --out; without it, the last one."
        ),
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="With --resume: also make runs again that were lost to a limit or a crash, stopped or refused.",
        ),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", help="Most that a run may take [s].", show_default="none"),
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option("--memory-limit", metavar="MB", help="Most memory of a run [MB].", show_default="none"),
    ] = None,
    retries: Annotated[
        int, typer.Option(help="Further attempts at a run that crashed, was killed or ran out of time.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")] = False,
) -> int:
    """Run a scene with many values of its options.

    Writes table.csv, a row a run, report.md and plots.

    After a stop, whatever stopped it, the same command with --resume goes on where it was. Exit code 1: some run did
    not pass.
    """
    from softcontact.sweeps import parse
    from softcontact.sweeps.parameters import parameters
    from softcontact.sweeps.running import sweep

    with warnings_said(UserWarning):
        result = sweep(
            scene,
            parameters([parse(text) for text in param or []]),
            options=parse_options(set_ or []),
            engine=engine,
            steps=steps,
            design=design,
            samples=samples,
            seed=seed,
            workers=workers,
            scheduler=scheduler,
            out=out,
            resume=resume,
            retry_failed=retry_failed,
            time_limit=time_limit,
            memory_limit=memory_limit,
            retries=retries,
            progress=not as_json,
        )
    if result.message:
        say(result.message)
    if as_json:
        print(json.dumps(_summary(result)))
    else:
        _show(result)
    return result.exit_code


def _summary(result: SweepResult) -> dict[str, Any]:
    return {
        "out": str(result.out),
        "runs": result.runs,
        "done": result.done,
        "counts": result.counts,
        "exit_code": result.exit_code,
        "message": result.message,
    }


def _show(result: SweepResult) -> None:
    from softcontact.sweeps.report import not_reached, why
    from softcontact.sweeps.table import parameter_columns
    from softcontact.sweeps.work import ENDED, PASSED

    screen = console()
    counts = ", ".join(f"{number} {status}" for status, number in result.counts.items())
    screen.print(f"{result.done} of {result.runs} runs done: {counts or 'none'}", markup=False)
    bad = [row for row in result.rows if row["status"] != PASSED]
    columns = parameter_columns(result.rows, result.parameters)
    for row in bad[:5]:
        pairs = zip(result.parameters, columns, strict=True)
        values = ", ".join(f"{name}={row[column]}" for name, column in pairs)
        screen.print(f"  {values}: {row['status']}: {why(row)}", markup=False, soft_wrap=True)
    if len(bad) > 5:
        screen.print(f"  … and {len(bad) - 5} more", markup=False)
    lost = sum(row["status"] not in ENDED for row in bad)
    if lost and result.done == result.runs:
        runs, them = ("1 run", "it") if lost == 1 else (f"{lost} runs", "them")
        how = "the same command with --resume --retry-failed"
        screen.print(f"{runs} gave no result; {how} makes {them} again", markup=False, soft_wrap=True)
    if late := not_reached(result.rows):
        screen.print(f"not reached: {', '.join(late)}", markup=False, soft_wrap=True)
    screen.print(f"written to {result.out}", markup=False, soft_wrap=True)
    sys.stdout.flush()
