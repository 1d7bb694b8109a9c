# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of a sweep over one and over two parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.report.report import new_figure
from softcontact.sweeps.work import PASSED
from softcontact.whole_file import write_figure

_MOST_MEASURES = 8
_MOST_FORCES = 2  # patches whose forces are drawn: of more, each is a part of little meaning by itself
_MOST_PAIRS = 6
_MOST_GROUPS = 6  # values of another parameter that curves are told apart by
_MOST_TICKS = 24  # values of a list that an axis names
_MOST_LETTERS = 36  # of all names along an axis that stand beside each other
SHARE = "share passed"
_FORCE = re.compile(r"patches\.(.*)\.normal_force_n")

Rows = Sequence[dict[str, Any]]


def measures(table: Rows) -> list[str]:
    """Columns worth a plot: values of the checks that differ between runs, forces, contacts and penetration, speed."""
    names = list(table[0]) if table else []
    checks = [name for name in names if re.fullmatch(r"checks\..*\.value", name)]
    forces = [name for name in names if _FORCE.fullmatch(name)]
    more = [
        *forces[: _MOST_FORCES if len(forces) <= _MOST_FORCES else 0],
        "contacts.mean",
        "penetration_max_m",
    ]
    found: dict[
        tuple[Any, ...], str
    ] = {}  # by their values: a figure that a check has looked at is not drawn twice
    for name in [*checks, *more]:
        if name in names and _varies(table, name):
            found.setdefault(tuple(row[name] for row in table), name)
    chosen = list(found.values())[: _MOST_MEASURES - 1]
    return [*chosen, "real_time_factor"] if "real_time_factor" in names else chosen


def title(table: Rows, measure: str) -> str:
    """What a measure is called beside an axis, with its unit."""
    if measure.startswith("checks."):
        name = measure.removeprefix("checks.").removesuffix(".value")
        unit = next((u for row in table if (u := row.get(f"checks.{name}.unit"))), "")
        return f"{name} [{unit}]" if unit not in ("", "1") else name
    if match := _FORCE.fullmatch(measure):
        return f"{match[1]}: normal force at the end [N]"
    known = {
        "penetration_max_m": "largest penetration [m]",
        "contacts.mean": "contacts, mean",
        "real_time_factor": "real-time factor",
    }
    return known.get(measure, measure)


def draw(
    table: Rows, parameters: Sequence[str], folder: Path, units: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Draw the measures over every parameter that varies and every two of them.

    Args:
        table: rows of the sweep.
        parameters: columns of what was varied.
        folder: plots are written there, plot-….png.
        units: of the parameters; "" and none: not known, or without one.
    Returns:
        (file name, title) of each plot.
    """
    chosen = measures(table)
    if len({row["status"] == PASSED for row in table}) > 1:
        chosen = [SHARE, *chosen]
    if not chosen:  # no run gave any figure
        return []
    varied = [name for name in parameters if _varies(table, name)]
    called = {
        name: f"{name} [{unit}]" if unit else name
        for name, unit in itertools.zip_longest(parameters, units, fillvalue="")
    }
    drawn = []
    for name in varied:
        file = f"plot-{_plain(name)}.png"
        _over_one(table, name, called, varied, chosen, folder / file)
        drawn.append((file, f"Over {name}"))
    for a, b in list(itertools.combinations(varied, 2))[:_MOST_PAIRS]:
        file = f"plot-{_plain(a)}-{_plain(b)}.png"
        _over_two(table, a, b, called, chosen, folder / file)
        drawn.append((file, f"Over {a} and {b}"))
    return drawn


def _over_one(
    table: Rows,
    name: str,
    called: Mapping[str, str],
    parameters: Sequence[str],
    chosen: list[str],
    path: Path,
) -> None:
    figure, panels = _panels(len(chosen))
    places, labels = _axis(table, name)
    places_shown = _spread(places, labels)
    passed = np.array([row["status"] == PASSED for row in table])
    told_apart, groups = _groups(table, name, parameters)
    for axes, measure in zip(panels, chosen, strict=True):
        values = _values(table, measure)
        for k, (label, those) in enumerate(groups):
            shown = those & np.isfinite(values)
            colour = f"C{k}" if label else "k"
            if measure != SHARE:
                dots = {"s": 12, "alpha": 0.5, "color": colour if label else "C0"}
                axes.scatter(places_shown[shown & passed], values[shown & passed], **dots)
                crosses = dots | {"marker": "x", "alpha": 0.8, "color": colour if label else "C3"}
                axes.scatter(places_shown[shown & ~passed], values[shown & ~passed], **crosses)
            x, y = _middle(places[shown], values[shown], measure == SHARE)
            line = "-" if labels is None else "_"
            axes.plot(x, y, line, color=colour, markersize=18, label=label)
        _mark_axis(axes.xaxis, called[name], labels)
        axes.set_title(title(table, measure), fontsize=9)
        axes.grid(True, alpha=0.3)
        if measure == SHARE:
            axes.set_ylim(-0.05, 1.05)
    if len(groups) > 1:
        panels[0].legend(fontsize=7, title=called[told_apart], title_fontsize=7)
    _save(
        figure,
        path,
        "line: median of the runs" if passed.all() else "dots: passed; crosses: not passed; line: median",
    )


def _groups(table: Rows, name: str, parameters: Sequence[str]) -> tuple[str, list[tuple[str, NDArray[Any]]]]:
    """Another parameter that has few values, and the runs by these; all together without one. Names go first."""
    found = []
    for other in parameters:
        places, labels = _axis(table, other)
        values = np.unique(places)
        if other != name and 1 < len(values) <= _MOST_GROUPS:
            texts = map(_number, values) if labels is None else map(_short, labels)
            groups = [(text, places == value) for text, value in zip(texts, values, strict=True)]
            found.append((labels is None, other, groups))
    if not found:
        return "", [("", np.ones(len(table), dtype=bool))]
    _, other, groups = min(found, key=lambda one: one[0])
    return other, groups


def _middle(x: NDArray[Any], y: NDArray[Any], mean: bool) -> tuple[list[float], list[float]]:
    """Middle of the runs at each place, or in each tenth of a range drawn from."""
    places = np.unique(x)
    if len(places) > _MOST_TICKS:
        edges = np.linspace(x.min(), x.max(), 11)
        which = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, 9)
        groups = [(0.5 * (edges[k] + edges[k + 1]), y[which == k]) for k in range(10) if (which == k).any()]
    else:
        groups = [(place, y[x == place]) for place in places]
    found = [float(np.mean(those) if mean else np.median(those)) for _, those in groups]
    return [place for place, _ in groups], found


def _over_two(table: Rows, a: str, b: str, called: Mapping[str, str], chosen: list[str], path: Path) -> None:
    figure, panels = _panels(len(chosen))
    across, a_labels = _axis(table, a)
    along, b_labels = _axis(table, b)
    grid = len(np.unique(across)) <= _MOST_TICKS and len(np.unique(along)) <= _MOST_TICKS
    for axes, measure in zip(panels, chosen, strict=True):
        values = _values(table, measure)
        limits = {"vmin": 0.0, "vmax": 1.0, "cmap": "RdYlGn"} if measure == SHARE else {"cmap": "viridis"}
        if grid:
            shown = _map(axes, across, along, values, measure == SHARE, limits)
            _mark_cells(axes.xaxis, called[a], np.unique(across), a_labels)
            _mark_cells(axes.yaxis, called[b], np.unique(along), b_labels)
        else:
            good = np.isfinite(values)
            x, y = _spread(across, a_labels)[good], _spread(along, b_labels)[good]
            shown = axes.scatter(x, y, c=values[good], s=18, **limits)
            _mark_axis(axes.xaxis, called[a], a_labels)
            _mark_axis(axes.yaxis, called[b], b_labels)
        axes.set_title(title(table, measure), fontsize=9)
        figure.colorbar(shown, ax=axes)
    _save(figure, path, "each cell: median of its runs; white: none" if grid else "")


def _map(
    axes: Any,
    across: NDArray[Any],
    along: NDArray[Any],
    values: NDArray[Any],
    mean: bool,
    limits: dict[str, Any],
) -> Any:
    x, y = np.unique(across), np.unique(along)
    cells = np.full((len(y), len(x)), np.nan)
    for i, j in itertools.product(range(len(y)), range(len(x))):
        those = values[(along == y[i]) & (across == x[j]) & np.isfinite(values)]
        if len(those):
            cells[i, j] = np.mean(those) if mean else np.median(those)
    return axes.imshow(cells, origin="lower", aspect="auto", interpolation="nearest", **limits)


def _axis(table: Rows, name: str) -> tuple[NDArray[Any], list[str] | None]:
    """Places along an axis (n,), and the names of the places where they are not numbers."""
    values = [row[name] for row in table]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=float), None
    labels = list(dict.fromkeys(map(str, values)))
    return np.array([labels.index(str(value)) for value in values], dtype=float), labels


def _spread(places: NDArray[Any], labels: list[str] | None) -> NDArray[Any]:
    """Points at the same name side by side; a fixed pattern, so that the same table gives the same picture."""
    if labels is None:
        return places
    return places + 0.3 * (np.arange(len(places)) * 0.6180339887 % 1.0 - 0.5)


def _values(table: Rows, measure: str) -> NDArray[Any]:
    if measure == SHARE:
        return np.array([float(row["status"] == PASSED) for row in table])
    found = [row.get(measure) for row in table]
    return np.array([np.nan if value is None else float(value) for value in found])


def _varies(table: Rows, name: str) -> bool:
    return len({str(row[name]) for row in table if row.get(name) is not None}) > 1


def _mark_axis(axis: Any, name: str, labels: list[str] | None) -> None:
    axis.set_label_text(name)
    if labels is not None and len(labels) <= _MOST_TICKS:
        axis.set_ticks(range(len(labels)), [_short(label) for label in labels], fontsize=7)


def _mark_cells(axis: Any, name: str, places: NDArray[Any], labels: list[str] | None) -> None:
    texts = [_number(place) for place in places] if labels is None else [_short(label) for label in labels]
    axis.set_label_text(name)
    crowded = axis.axis_name == "x" and sum(map(len, texts)) > _MOST_LETTERS
    axis.set_ticks(range(len(places)), texts, fontsize=7, rotation=90 if crowded else 0)


def _number(value: float) -> str:
    """A number as a user writes it: 1000 rather than 1e+03."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e6 else f"{value:.3g}"


def _short(text: str) -> str:
    text = text.rsplit("/", 1)[-1]
    return text if len(text) <= 14 else text[:13] + "…"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)


def _panels(count: int) -> tuple[Any, list[Any]]:
    across = 2 if count == 4 else min(3, count)
    down = -(-count // across)
    figure = new_figure()
    figure.set_size_inches(4.0 * across, 3.0 * down + 0.3)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for axes in grid[count:]:
        axes.set_axis_off()
    return figure, list(grid[:count])


def _save(figure: Any, path: Path, note: str) -> None:
    if note:
        figure.supxlabel(note, fontsize=8, color="0.4")
    write_figure(path, figure)
