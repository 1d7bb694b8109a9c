# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of `softcontact bench vademecum`: first modes, errors by number of modes, their times beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import save_figure
from softcontact.vademecum import Vademecum

__all__ = ["figures", "modes"]

_SHOWN = 4  # modes of each solid
_THEIRS, _OURS, _BEST, _AIM = "tab:gray", "tab:blue", "tab:green", "tab:red"


def modes(solids: dict[str, Vademecum], path: Path) -> None:
    """Draw the first modes on the boundary of each solid seen from the side, coloured by their vertical part."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 2.6 * len(solids) + 0.4), constrained_layout=True)
    FigureCanvasAgg(figure)
    rows = figure.subplots(len(solids), _SHOWN, squeeze=False)
    for row, (name, made) in zip(rows, solids.items(), strict=True):
        rest, (nodes, triangles) = made.mesh.nodes, made.mesh.boundary
        extent = float(np.ptp(rest, axis=0).max())
        # the far side first, so that the near one, at small y, covers it
        order = np.argsort(-rest[triangles, 1].mean(axis=1))
        for k, axes in enumerate(row):
            axes.set_axis_off()
            if k >= made.solution.count:
                continue
            mode = made.solution.modes[k]
            mode = mode / np.linalg.norm(mode[nodes], axis=1).max()
            bent = 1e3 * (rest + 0.12 * extent * mode)
            axes.triplot(1e3 * rest[:, 0], 1e3 * rest[:, 2], triangles, color="0.85", linewidth=0.3)
            drawn = axes.tripcolor(
                bent[:, 0],
                bent[:, 2],
                triangles[order],
                mode[triangles[order], 2].mean(axis=1),
                cmap="coolwarm",
                vmin=-1.0,
                vmax=1.0,
            )
            axes.set_aspect("equal")
            axes.set_title(f"{name}, mode {k + 1}", fontsize=10)
        figure.colorbar(drawn, ax=row[-1], label="vertical part of X", shrink=0.8)
    save_figure(figure, path)


def figures(document: dict[str, Any], path: Path) -> None:
    """Draw errors by number of modes, and times, the paper's beside ours."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    found, paper = document["results"], document["paper"]
    figure = Figure(figsize=(13, 5.0), constrained_layout=True)
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2 if found["bunny"] is None else 3)
    beam, times = panels[0], panels[-1]
    _errors(beam, "beam", found["errors"], "best_nodal_full", "best possible, full load, without dents")
    for row in found["errors"]:
        if row["limit"] is not None:
            beam.plot(row["modes"], row["limit"], "v", color=_AIM, label="aim")
    if found["bunny"] is not None:
        best = "best possible, small loads, without dents"
        _errors(panels[1], "bunny", found["bunny"]["errors"], "best_nodal_small", best)
    for axes in panels[:-1]:
        _legend_once(axes)
    _times(times, _pairs(found, paper))
    figure.suptitle(f"Vademecums: {document['machine']['processor']}", fontsize=10)
    save_figure(figure, path)


def _errors(axes: Any, name: str, rows: list[dict[str, Any]], best: str, what: str) -> None:
    counts = [row["modes"] for row in rows]
    axes.plot(counts, [row["nodal_max"] for row in rows], "o-", color=_OURS, label="largest nodal error")
    axes.plot(counts, [row["overall_full"] for row in rows], "s--", color=_OURS, label="overall, full load")
    axes.plot(counts, [row[best] for row in rows], "d:", color=_BEST, label=f"largest nodal, {what}")
    axes.set(title=f"{name}: error against full elements", xlabel="modes", yscale="log", xscale="log")
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.minorticks_off()
    axes.set_ylabel("share of the largest displacement")
    axes.grid(True, alpha=0.3)


def _legend_once(axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    if unique:
        axes.legend(
            list(unique.values()), list(unique), fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14)
        )


def _pairs(found: dict[str, Any], paper: dict[str, Any]) -> list[tuple[str, float, float]]:
    """What is timed there and here: label, the paper's and our seconds."""
    pairs = []
    if found["positions"] > 160:  # fewer positions are another problem
        pairs.append(("beam, offline", paper["offline_s"], found["offline"]["wall_s"]))
    if found["bunny"] is not None and found["bunny"]["offline"] is not None:
        pairs.append(("bunny, offline", paper["bunny"]["offline_s"], found["bunny"]["offline"]["wall_s"]))
    distance = found["distance"]
    pairs.append(("beam, detection", paper["beam_s"], distance["detection"]["exact"]["median"]))
    for row in distance["bunny"]:
        if row["contacts"] == max(other["contacts"] for other in distance["bunny"]):
            pairs.append((f"bunny, {row['contacts']} contacts", paper["bunny_s"], row["exact"]["median"]))
    return pairs


def _times(axes: Any, pairs: list[tuple[str, float, float]]) -> None:
    places = np.arange(len(pairs))[::-1]
    for offset, column, color, label in ((0.2, 1, _THEIRS, "paper"), (-0.2, 2, _OURS, "here")):
        values = [pair[column] for pair in pairs]
        axes.barh(places + offset, values, height=0.38, color=color, label=label)
        for place, value in zip(places, values, strict=True):
            axes.annotate(f" {_told(value)}", (value, place + offset), va="center", fontsize=8)
    axes.set_yticks(places, [pair[0] for pair in pairs])
    axes.set(title="times, the paper's beside ours", xlabel="s", xscale="log")
    low, high = axes.get_xlim()
    axes.set_xlim(low, 20.0 * high)
    axes.legend(fontsize=8)


def _told(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1.0 else f"{seconds:.0f} s"
