# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact device soak`: an hour of a live scene with nobody at the device."""

import json
from pathlib import Path
from typing import Annotated

import typer

from softcontact import outputs
from softcontact.cli.console import console, mark, tell_and_keep
from softcontact.progress import count_progress
from softcontact.scene.errors import SceneError

_MOST_MINUTES = 7 * 24 * 60.0


def command(
    what: Annotated[
        str, typer.Argument(metavar="SCENE", help="A scene with a haptic tool, name or file.")
    ] = "block",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="An option of the scene, see 'softcontact scenes SCENE'; may be repeated.",
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(help="How long, by the wall clock [min].")] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random motion.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write it there as well, with the memory each second."),
    ] = None,
) -> int:
    """Check that this machine keeps up with a haptic scene.

    A random hand leads the tool about; memory, forces and watchdog are judged. Exit code 1: one of them failed.
    """
    from softcontact.cli.run import parse_options
    from softcontact.live.soak import soak
    from softcontact.live.tool_scene import ToolScene
    from softcontact.scene.library import load

    if not 0.0 < minutes <= _MOST_MINUTES:
        raise SceneError(f"minutes: {minutes}; give more than 0, at most {_MOST_MINUTES:g}")
    options = parse_options(settings or [])
    with outputs.reserved(out):
        with (
            ToolScene(load(what, options), fit="time_step" not in options) as live,
            count_progress("seconds", round(60.0 * minutes), shown=not as_json) as show,
        ):
            report = soak(live, 60.0 * minutes, seed=seed, progress=lambda done: show(round(done), 0))
        told = {"scene": what, "minutes": minutes, "seed": seed, **report.as_dict()}
        kept = told | {"memory": report.memory}
        tell_and_keep(
            lambda: print(json.dumps(told)) if as_json else _show(told),
            lambda: None if out is None else outputs.guarded(out, outputs.write_json, out, kept, what="file"),
        )
    if report.seconds < 60.0 * minutes:
        return 130
    return 0 if all(check["passed"] for check in report.checks) else 1


def _show(told: dict) -> None:
    screen = console()
    for key in (
        "seconds",
        "ticks",
        "overruns",
        "steps",
        "targets",
        "stalls",
        "stalled_ticks",
        "touched",
    ):
        screen.print(f"{key.replace('_', ' ')}: {told[key]:.6g}", markup=False)
    for stop in dict.fromkeys(told["world_stops"]):
        screen.print(f"stopped: {stop}", markup=False, soft_wrap=True)
    for check in told["checks"]:
        screen.print(
            f"{mark(check['passed'])} {check['name'].replace('_', ' ')}: {check['value']:.4g}, "
            f"at most {check['limit']:g}{'' if check['unit'] == '1' else ' ' + check['unit']}"
        )
    if not any(check["name"] == "memory_growth" for check in told["checks"]):
        screen.print("memory: judged from four minutes on")
