# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Uzawa benchmark says: tables, plots, and the paper's statements judged on the figures."""

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import save_figure

PHASE_NAMES = ("down", "forth", "back", "aside", "up")
TITLES = {"both": "clamped at both ends", "left": "clamped at the left"}
HAPTIC_RATE = 300.0  # [Hz] that the paper asks of a haptic force


def pick(result: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    """Runs with these values."""
    return [run for run in result["runs"] if all(run[key] == value for key, value in wanted.items())]


def shown(result: dict[str, Any]) -> tuple[float, float]:
    """Friction and Uzawa error [cm] of the detailed tables: 0.3 and 1e-4, or the nearest that were run."""
    frictions = sorted({run["friction"] for run in result["runs"]})
    errors = sorted({run["uzawa_error_cm"] for run in result["runs"]})
    return (
        min(frictions, key=lambda x: abs(x - 0.3)),
        min(errors, key=lambda x: abs(np.log10(x) + 4)),
    )


def matched(result: dict[str, Any], benchmark: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of a local and a global run that differ in nothing else."""
    other = {
        (run["friction"], run["uzawa_error_cm"]): run
        for run in pick(result, benchmark=benchmark, scheme="global")
    }
    return [
        (run, other[run["friction"], run["uzawa_error_cm"]])
        for run in pick(result, benchmark=benchmark, scheme="local")
    ]


def _statement(claim: str, benchmark: str, count: int, of: int, evidence: str) -> dict[str, Any]:
    holds = "holds" if count == of else "fails" if count == 0 else "holds in part"
    return {
        "claim": claim,
        "benchmark": benchmark,
        "verdict": holds,
        "cases": count,
        "of": of,
        "evidence": evidence,
    }


def statements(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The paper's statements, each judged on each benchmark's figures.

    Returns:
        One {claim, benchmark, verdict, cases, of, evidence} a statement and benchmark; verdict is "holds", "holds in
        part" or "fails" as all, some or none of the cases agree with the claim.
    """
    friction, error = shown(result)
    found = []
    for name in sorted({run["benchmark"] for run in result["runs"]}):
        pairs = matched(result, name)
        here = [
            pair for pair in pairs if (pair[0]["friction"], pair[0]["uzawa_error_cm"]) == (friction, error)
        ]
        local, other = here[0]
        below = [a < b for a, b in zip(local["sweeps_by_phase"], other["sweeps_by_phase"], strict=True)]
        found.append(
            _statement(
                "local Uzawa needs fewer iterations than global in each of the five phases (Fig. 6)",
                name,
                sum(below),
                len(below),
                f"μ {friction:g}, error {error:g} cm: local {local['sweeps_by_phase']}, "
                f"global {other['sweeps_by_phase']}",
            )
        )
        fewer = [sum(a["sweeps"]) < sum(b["sweeps"]) for a, b in pairs]
        ratios = [sum(a["sweeps"]) / max(sum(b["sweeps"]), 1) for a, b in pairs]
        found.append(
            _statement(
                "so it is for other frictions and Uzawa errors (Fig. 7)",
                name,
                sum(fewer),
                len(fewer),
                f"sweeps local / global {min(ratios):.2f} to {max(ratios):.2f}, median {np.median(ratios):.2f}",
            )
        )
        rises = _rises(result, name)
        found.append(
            _statement(
                "a smaller Uzawa error costs more processor time (Fig. 8)",
                name,
                sum(rises),
                len(rises),
                "time from the largest error to the smallest, each scheme and friction",
            )
        )
        faster = [a["time_ms"] < b["time_ms"] for a, b in pairs]
        times = [a["time_ms"] / b["time_ms"] for a, b in pairs]
        found.append(
            _statement(
                "local Uzawa tends to be faster than global (Fig. 8)",
                name,
                sum(faster),
                len(faster),
                f"time local / global {min(times):.2f} to {max(times):.2f}, median {np.median(times):.2f}",
            )
        )
        steadier = [a["force_error_rms"] < b["force_error_rms"] for a, b in pairs]
        worst = [max(run["force_error_max"] for run in pair) for pair in zip(*here[0:1], strict=True)]
        found.append(
            _statement(
                "the force of local Uzawa is steadier: global shows instabilities (Fig. 9)",
                name,
                sum(steadier),
                len(steadier),
                f"μ {friction:g}, error {error:g} cm: force off by up to {100 * worst[0]:.2g} % (local), "
                f"{100 * worst[-1]:.2g} % (global) of the mean; all runs converged: "
                f"{'yes' if all(run['converged'] for pair in pairs for run in pair) else 'no'}",
            )
        )
        at_rate = [run["step_ms_max"] < 1e3 / HAPTIC_RATE for pair in here for run in pair]
        found.append(
            _statement(
                "a step is solved within the 300 Hz of haptic rendering",
                name,
                sum(at_rate),
                len(at_rate),
                f"slowest step {local['step_ms_max']:.2f} ms (local), {other['step_ms_max']:.2f} ms (global), cold",
            )
        )
    return found


def _rises(result: dict[str, Any], name: str) -> list[bool]:
    found = []
    for scheme in ("local", "global"):
        for friction in sorted({run["friction"] for run in result["runs"]}):
            runs = sorted(
                pick(result, benchmark=name, scheme=scheme, friction=friction),
                key=lambda r: -r["uzawa_error_cm"],
            )
            if len(runs) > 1:
                found.append(runs[-1]["time_ms"] > runs[0]["time_ms"])
    return found


def verdict(result: dict[str, Any]) -> str:
    """A paragraph on which of the paper's statements hold here, made of the statements."""
    parts = []
    for name, title in TITLES.items():
        mine = [s for s in result["statements"] if s["benchmark"] == name]
        for kind, words in (
            ("holds", "these statements of the paper hold"),
            ("holds in part", "these hold in part"),
            ("fails", "these do not hold"),
        ):
            chosen = [s for s in mine if s["verdict"] == kind]
            if chosen:
                listed = "; ".join(
                    f"{s['claim']} ({s['cases']} of {s['of']}; {s['evidence']})" for s in chosen
                )
                parts.append(f"With the red block {title}, {words}: {listed}.")
    printed = result["as_printed_converges"]
    fails = [TITLES[name] for name, converged in printed.items() if not converged]
    if fails:
        parts.append(
            "Global Uzawa as printed, with velocities kept from the last sweep, does not converge on the benchmark "
            + " nor on the one ".join(fails)
            + "; all figures here are with fresh velocities."
        )
    else:
        parts.append("Global Uzawa as printed, with velocities kept from the last sweep, converges too.")
    device = [loop for loop in result["haptic"] if loop["drive"] == "device"]
    if device:
        best = min(device, key=lambda loop: loop["tick_ms"]["p99_9"])
        slow = [loop for loop in device if loop["tick_ms"]["p99_9"] > 1.0]
        jump = max(loop["force_jump"] for loop in device)
        parts.append(
            f"At 1 kHz with the simulated device, 25 contacts take {best['tick_ms']['p99_9']:.2f} ms at the 99.9th "
            f"percentile with the fastest solver ({best['method']}, {TITLES[best['benchmark']]}); "
            + (
                f"{len(slow)} of {len(device)} loops exceed 1 ms there"
                if slow
                else f"all {len(device)} loops stay below 1 ms"
            )
            + f"; the force changes by at most {100 * jump:.1f} % of its mean between ticks."
        )
    return " ".join(parts)


def markdown(result: dict[str, Any]) -> str:
    """Tables and the verdict as Markdown."""
    friction, error = shown(result)
    lines = [
        f"Sweeps by phase, μ {friction:g}, Uzawa error {error:g} cm (Fig. 6; the paper: local below global throughout)",
        "",
        "| benchmark | scheme | "
        + " | ".join(PHASE_NAMES)
        + " | all | projections | time ms | force off by |",
        "|---|---|" + "---|" * 9,
    ]
    for run in pick(result, friction=friction, uzawa_error_cm=error):
        lines.append(
            f"| {run['benchmark']} | {run['scheme']} | "
            + " | ".join(str(count) for count in run["sweeps_by_phase"])
            + f" | {sum(run['sweeps'])} | {sum(run['projections'])} | {run['time_ms']:.2f} "
            f"| {100 * run['force_error_max']:.2g} % |"
        )
    lines += [
        "",
        "Over all frictions (Fig. 7 and 8): sweeps and processor time of the 25 steps, medians; ratio local / global",
        "",
        "| benchmark | error cm | sweeps local | global | ratio | ms local | global | ratio | off by local | global |",
        "|" + "---|" * 10,
    ]
    for name in sorted({run["benchmark"] for run in result["runs"]}):
        for value in sorted({run["uzawa_error_cm"] for run in result["runs"]}, reverse=True):
            pairs = [pair for pair in matched(result, name) if pair[0]["uzawa_error_cm"] == value]
            sweeps = [np.median([sum(pair[k]["sweeps"]) for pair in pairs]) for k in (0, 1)]
            times = [np.median([pair[k]["time_ms"] for pair in pairs]) for k in (0, 1)]
            off = [np.median([pair[k]["force_error_max"] for pair in pairs]) for k in (0, 1)]
            lines.append(
                f"| {name} | {value:g} | {sweeps[0]:.0f} | {sweeps[1]:.0f} | {sweeps[0] / max(sweeps[1], 1):.2f} "
                f"| {times[0]:.2f} | {times[1]:.2f} | {times[0] / times[1]:.2f} "
                f"| {100 * off[0]:.2g} % | {100 * off[1]:.2g} % |"
            )
    lines += [
        "",
        "At 1 kHz by the clock",
        "",
        "| benchmark | solver | drive | tick ms p50 | p99.9 | max | late p99.9 | unsolved | sweeps | jump | off by |",
        "|" + "---|" * 11,
    ]
    for loop in result["haptic"]:
        tick = loop["tick_ms"]
        late = loop.get("lateness_ms", {"p99_9": 0.0})
        lines.append(
            f"| {loop['benchmark']} | {loop['method']} | {loop['drive']} | {tick['p50']:.3f} | {tick['p99_9']:.3f} "
            f"| {tick['max']:.3f} | {late['p99_9']:.3f} | {loop['unsolved_ticks']} of {loop['ticks']} "
            f"| {loop['sweeps']['p50']:.0f} | {100 * loop['force_jump']:.2f} % "
            f"| {100 * loop['force_error_max']:.2g} % |"
        )
    return "\n".join([*lines, "", result["verdict"]])


def plots(result: dict[str, Any], folder: Path) -> list[Path]:
    """Figures 6 to 9 as PNG files."""
    drawn = []
    for number, draw in ((6, _phases), (7, _frictions), (8, _errors), (9, _forces)):
        path = folder / f"uzawa-figure{number}.png"
        figure = _figure()
        axes = figure.subplots(1, 2)
        for axis, name in zip(axes, TITLES, strict=True):
            draw(axis, result, name)
            axis.set_title(f"red block {TITLES[name]}", fontsize=9)
            axis.grid(True, alpha=0.3)
            axis.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2))
        save_figure(figure, path, dpi=130)
        drawn.append(path)
    return drawn


def _figure() -> Any:
    from softcontact.report.report import new_figure

    figure = new_figure()
    figure.set_size_inches(10.0, 3.8)
    return figure


COLORS = {"local": "tab:blue", "global": "tab:orange"}


def _phases(axes: Any, result: dict[str, Any], name: str) -> None:
    friction, error = shown(result)
    for run in pick(result, benchmark=name, friction=friction, uzawa_error_cm=error):
        steps = np.arange(1, len(run["sweeps"]) + 1)
        axes.plot(
            steps,
            run["sweeps"],
            "o-",
            ms=3,
            lw=1,
            color=COLORS[run["scheme"]],
            label=f"{run['scheme']} Uzawa",
        )
    for edge in range(5, 25, 5):
        axes.axvline(edge + 0.5, color="grey", lw=0.6)
    axes.set(xlabel=f"step (μ {friction:g}, Uzawa error {error:g} cm)", ylabel="sweeps", ylim=(0, None))


def _frictions(axes: Any, result: dict[str, Any], name: str) -> None:
    errors = sorted({run["uzawa_error_cm"] for run in result["runs"]}, reverse=True)
    for scheme, color in COLORS.items():
        for index, error in enumerate(errors):
            runs = sorted(
                pick(result, benchmark=name, scheme=scheme, uzawa_error_cm=error), key=lambda r: r["friction"]
            )
            axes.plot(
                [run["friction"] for run in runs],
                [sum(run["sweeps"]) for run in runs],
                "o-",
                ms=2,
                lw=1,
                color=color,
                alpha=0.35 + 0.65 * index / max(len(errors) - 1, 1),
                label=f"{scheme}, {errors[0]:g} (pale) to {errors[-1]:g} cm"
                if index == len(errors) - 1
                else None,
            )
    axes.set(xlabel="friction coefficient", ylabel="sweeps of the 25 steps", yscale="log")


def _errors(axes: Any, result: dict[str, Any], name: str) -> None:
    friction = max(run["friction"] for run in result["runs"])
    for scheme, color in COLORS.items():
        runs = sorted(
            pick(result, benchmark=name, scheme=scheme, friction=friction), key=lambda r: r["uzawa_error_cm"]
        )
        errors = [run["uzawa_error_cm"] for run in runs]
        axes.plot(
            errors, [run["time_ms"] for run in runs], "o-", ms=3, lw=1, color=color, label=f"{scheme} Uzawa"
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel=f"Uzawa error [cm] (μ {friction:g})",
        ylabel="processor time [ms]",
    )
    axes.invert_xaxis()


def _forces(axes: Any, result: dict[str, Any], name: str) -> None:
    friction, shown_error = shown(result)
    errors = sorted({run["uzawa_error_cm"] for run in result["runs"]}, reverse=True)
    chosen = dict.fromkeys((errors[0], shown_error, errors[-1]))
    for error, style in zip(chosen, ("--", "-", ":"), strict=False):
        for scheme, color in COLORS.items():
            for run in pick(result, benchmark=name, scheme=scheme, friction=friction, uzawa_error_cm=error):
                off = np.maximum(run["force_error"], 1e-12)
                axes.plot(np.arange(1, 26), off, style, lw=1, color=color, label=f"{scheme}, {error:g} cm")
    axes.set(xlabel=f"step (μ {friction:g})", ylabel="force error / mean force", yscale="log")
