# SPDX-License-Identifier: LGPL-2.1-or-later
"""The written report of a run: report.md with tables, and plots as PNG beside it."""

import atexit
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.messages import limit_text, option_text
from softcontact.record import History
from softcontact.scene.measures import PROBE_UNITS
from softcontact.scene.model import Scene
from softcontact.whole_file import temporary_folder, write_figure, write_whole

_MOST_CURVES = 12  # more would not be told apart; the strongest are drawn
_MOST_ROWS = 40
_SIDES = (
    "Force and torque along x, y, z, as what is touched exerts them on the body; it takes the opposite. The torque is "
    "about the patch's centre of pressure."
)


def write_report(history: History, summary: dict[str, Any], scene: Scene, folder: str | Path) -> Path:
    """Write report.md and its plots.

    Args:
        history: time series of the run.
        summary: figures of the run, as in summary.json.
        scene: the scene that was run.
        folder: existing folder that they go to.
    Returns:
        Path of report.md.
    """
    folder = Path(folder)
    plots = _plots(history, scene, folder) if len(history.time) > 1 else []
    path = folder / "report.md"
    write_whole(path, _text(summary, scene, plots).encode())
    return path


def _text(summary: dict[str, Any], scene: Scene, plots: list[tuple[str, str]]) -> str:
    lines = [f"# {scene.name}", ""]
    lines += [scene.description, ""] if scene.description else []
    lines += [f"**{summary['message']}**", ""] if summary.get("message") else []
    lines += markdown_table(("", ""), _figures(summary))
    if summary["checks"] or summary.get("checks_not_reached"):
        lines += ["## Checks", ""]
        rows = [
            ("✓" if c["passed"] else "✗", c["name"], _number(c["value"]), limit_text(c), c["unit"])
            for c in summary["checks"]
        ]
        rows += [("–", name, "time not reached", "", "") for name in summary.get("checks_not_reached", [])]
        lines += markdown_table(("", "check", "value", "limit", "unit"), rows)
    if summary["patches"]:
        lines += ["## Contact patches of the last step", "", _SIDES, ""]
        lines += markdown_table(
            (
                "body",
                "touches",
                "force on body [N]",
                "torque on body [mN·m]",
                "area [mm²]",
                "mean pressure [kPa]",
            ),
            [
                (
                    p["body"],
                    p["other"],
                    ", ".join(f"{round(x, 3) + 0.0:.3f}" for x in p["force_n"]),  # no -0.000
                    ", ".join(f"{1e3 * x:.2f}" for x in p["torque_nm"]),
                    f"{1e6 * p['area_m2']:.1f}",
                    f"{1e-3 * p['pressure_mean_pa']:.2f}",
                )
                for p in summary["patches"][:_MOST_ROWS]
            ],
        )
    for name, title in plots:
        lines += [f"## {title}", "", f"![{title}]({name})", ""]
    lines += [f"State: `{summary['state_hash']}`", "", "Run it again: `softcontact run scene.json`", ""]
    return "\n".join(lines)


def _figures(summary: dict[str, Any]) -> list[tuple[str, str]]:
    step, solve = summary["step_ms"], summary["solve_ms"]
    given = {key: value for key, value in summary["options"].items() if value is not None}
    options = ", ".join(f"{key}={option_text(value)}" for key, value in given.items())
    rows = [
        ("engine", summary["engine"]),
        ("options", options or "defaults"),
        *(("note", note) for note in summary.get("notes", ())),
        ("steps", f"{summary['steps']} ({summary['simulated_time_s']:.4g} s)"),
        ("real-time factor", f"{summary['real_time_factor']:.3g}"),
        ("step time mean / median / p99 / max", _times(step)),
        ("solver time mean / median / p99 / max", _times(solve)),
        ("contacts mean / max", f"{summary['contacts']['mean']:.1f} / {summary['contacts']['max']}"),
        ("constraint rows mean / max", f"{summary['rows']['mean']:.1f} / {summary['rows']['max']}"),
        ("steps solved to tolerance", f"{100 * summary['converged_fraction']:.2f} %"),
        ("steps solved or accepted", f"{100 * summary['accepted_fraction']:.2f} %"),
        ("largest solver residual", f"{_number(summary['residual_max'])} {summary['residual_unit']}"),
        ("largest penetration", f"{_number(summary['penetration_max_m'])} m"),
    ]
    return rows


def _times(spread: dict[str, float]) -> str:
    return " / ".join(f"{spread[key]:.3g}" for key in ("mean", "p50", "p99", "max")) + " ms"


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"


def markdown_table(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lines of a Markdown table, an empty one at the end."""

    def line(cells: Sequence[Any]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(head), "|" + "---|" * len(head), *(line(row) for row in rows), ""]


def new_figure() -> Any:
    """A matplotlib figure that draws to files, also where the home folder cannot be written."""
    if "MPLCONFIGDIR" not in os.environ and not _home_is_writable():
        # matplotlib would warn on the error stream and make such a folder itself.
        folder, _ = temporary_folder("matplotlib")
        os.environ["MPLCONFIGDIR"] = str(folder)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    from matplotlib.figure import Figure

    return Figure(figsize=(7.5, 3.6), layout="tight")


def _home_is_writable() -> bool:
    folder = (
        Path(os.environ.get("XDG_CONFIG_HOME") or Path(os.path.expanduser("~")) / ".config") / "matplotlib"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _plots(history: History, scene: Scene, folder: Path) -> list[tuple[str, str]]:
    drawn = []
    for name, title, draw in (
        ("plot-forces.png", "Normal force between bodies that touch", _draw_forces),
        ("plot-heights.png", "Height of the moving bodies above their start", _draw_heights),
        ("plot-contacts.png", "Contacts and constraint rows", _draw_contacts),
        ("plot-times.png", "Time of a step", _draw_times),
        ("plot-probes.png", "Probes", _draw_probes),
    ):
        figure = new_figure()
        axes = figure.add_subplot()
        if draw(axes, history, scene):
            axes.grid(True, alpha=0.3)
            write_figure(folder / name, figure)
            drawn.append((name, title))
    return drawn


def _draw_forces(axes: Any, history: History, scene: Scene) -> bool:
    curves = {f"{a} and {b}": s["normal_force"] for (a, b), s in history.patches.items()}
    strongest = sorted(curves, key=lambda name: -float(np.nan_to_num(curves[name]).max()))[:_MOST_CURVES]
    for name in strongest:
        axes.plot(history.time, curves[name], label=name, linewidth=1)
    axes.set(xlabel="time [s]", ylabel="normal force [N]")
    return _legend(axes, len(strongest))


def _draw_heights(axes: Any, history: History, scene: Scene) -> bool:
    moving = [body.name for body in scene.bodies if body.kind in ("rigid", "tetrahedral")][:_MOST_CURVES]
    for name in moving:
        axes.plot(history.time, 1e3 * history.height(name), label=name, linewidth=1)
    axes.set(xlabel="time [s]", ylabel="height [mm]")
    return _legend(axes, len(moving))


def _draw_contacts(axes: Any, history: History, scene: Scene) -> bool:
    for name, label in (("contacts", "contact points"), ("rows", "constraint rows"), ("patches", "patches")):
        axes.plot(history.time, history.series[name], label=label, linewidth=1)
    axes.set(xlabel="time [s]", ylabel="count")
    return _legend(axes, 3)


def _draw_times(axes: Any, history: History, scene: Scene) -> bool:
    times = history.series["step_ms"]
    # A few slow steps would squeeze all others into one bar.
    shown = np.minimum(times, np.percentile(times, 99.5))
    axes.hist(shown, bins=min(60, max(5, len(times) // 5)))
    if np.ptp(shown) > 0:
        axes.axvline(1e3 * scene.time_step, linestyle="--", linewidth=1, label="time step")
        axes.set_xlim(0, max(1.05 * float(shown.max()), 1e-3))
    axes.set(xlabel="time of a step [ms]", ylabel="steps")
    return True


def _draw_probes(axes: Any, history: History, scene: Scene) -> bool:
    names = list(history.probes)[:_MOST_CURVES]
    labels = {probe.name: _probe_label(probe) for probe in scene.probes}
    for name in names:
        axes.plot(history.time, history.probes[name], label=labels.get(name, name), linewidth=1)
    units = sorted({history.probe_units[name] for name in names if name in history.probe_units})
    axes.set(xlabel="time [s]", ylabel=", ".join(units) or "SI units")
    return _legend(axes, len(names))


def _probe_label(probe: Any) -> str:
    """A probe's name, its unit, and of a force the body that it acts on."""
    unit = PROBE_UNITS[probe.kind]
    if probe.kind == "contact_force":
        return f"{probe.name} [{unit}], on {probe.body}" + (f" by {probe.other}" if probe.other else "")
    if probe.kind == "device_force":
        return f"{probe.name} [{unit}], on the device of {probe.body}"
    return f"{probe.name} [{unit}]"


def _legend(axes: Any, count: int) -> bool:
    if count:
        axes.legend(fontsize=7, ncols=1 + count // 7)
    return count > 0
