# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact run`."""

import contextlib
import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from softcontact.cli.console import say, show_summary
from softcontact.scene.errors import SceneError


def command(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE", help="Name of a scene ('softcontact scenes' lists them) or a scene file."
        ),
    ],
    engine: Annotated[str, typer.Option(help="What computes: embedded, or sofa (needs SOFA).")] = "embedded",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="An option of the scene, see 'softcontact scenes SCENE'; may be repeated.",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps to do.", show_default="the scene's duration")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder.", show_default="out/SCENE-N, the first free N")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print summary.json, nothing else.")] = False,
    dump_problems: Annotated[
        int | None,
        typer.Option(
            "--dump-problems",
            metavar="EVERY",
            help="Write the contact problems of steps EVERY, 2 EVERY, … that have contacts as FCLIB files, "
            "problems/step-….hdf5.",
        ),
    ] = None,
    no_replay: Annotated[bool, typer.Option("--no-replay", help="Leave out replay.html.")] = False,
) -> int:
    """Run a scene and judge it by its checks.

    It writes replay.html, to be opened in a browser, report.md, summary.json, history.h5 and scene.json. Exit code 0:
    every check passed, 1: one failed, 2: wrong usage or input, 3: the simulation stopped, 130: interrupted.
    """
    from softcontact.outputs import OutputError
    from softcontact.runner import CHECK_FAILED, DONE, run
    from softcontact.scene.library import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with contextlib.redirect_stdout(sys.stderr):  # what a scene file prints is not the result
            description = load(scene, parse_options(set_ or []))
        for motion in description.motions:
            if getattr(motion, "live", False):
                say(
                    f"'{motion.body}' follows {motion.source}; waiting at most {motion.timeout:g} s for packets"
                )
        try:
            result = run(
                description,
                engine,
                out,
                steps=steps,
                progress=not as_json,
                replay=not no_replay,
                dump_problems=dump_problems,
            )
        except OutputError as error:
            if as_json and error.result is not None:
                print(json.dumps(error.result.summary, allow_nan=False))
            raise
    for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning)):
        say(f"warning: {text}")
    for text in _unsolved(result.summary, description.solver.accepted_residual):
        say(f"warning: {text}")
    ended = result.exit_code in (DONE, CHECK_FAILED)
    if dump_problems is not None and ended and not result.summary["problems"]["written"]:
        say(f"warning: no step that {dump_problems} divides had contacts; no contact problem was written")
    if result.message:
        say(result.message)
    if as_json:
        print(json.dumps(result.summary, allow_nan=False))
    else:
        show_summary(result.summary, result.out)
    return result.exit_code


def _unsolved(summary: dict[str, Any], accepted: float) -> list[str]:
    """What there is to say of steps that missed the solver's tolerance: nothing, or one line."""
    steps, worst = summary["steps"], summary["residual_max"]
    short = round((1 - summary["converged_fraction"]) * steps)
    failed = round((1 - summary["accepted_fraction"]) * steps)
    if not short:
        return []
    unit = "" if summary["residual_unit"] == "1" else f" {summary['residual_unit']}"
    extent = "without a finite residual" if worst is None else f"residual up to {worst:.3g}{unit}"
    if failed:
        return [f"{failed} of {steps} steps not solved, {extent}"]
    return [
        f"{short} of {steps} steps ended short of the solver's tolerance, {extent}; that is within "
        f"solver.accepted_residual, {accepted:g} m/s, and passes"
    ]


def parse_options(pairs: list[str]) -> dict[str, str]:
    """`key=value` texts as a dictionary.

    Raises:
        SceneError: one is not of that form, or a key comes twice.
    """
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise SceneError(
                f"--set {pair}: not of the form key=value; write for instance --set friction=0.3"
            )
        if key.strip() in options:
            raise SceneError(f"--set {key.strip()}: given twice; keep one")
        options[key.strip()] = value.strip()
    return options
