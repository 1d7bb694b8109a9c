# SPDX-License-Identifier: LGPL-2.1-or-later
"""Picture of `softcontact bench avatar`."""

from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import save_figure

COLOURS = {"free": "0.6", "detection": "tab:orange", "solve": "tab:blue", "position": "tab:green"}
LINES = {"point": "-", "aggregate": "--"}
CALLED = {"point": "points", "aggregate": "patches"}


def draw(document: dict[str, Any], path: Path) -> None:
    """Time of a step by stage, the way of the pelvis on points and on patches, and what Λ⁻¹ costs.

    Args:
        document: what the benchmark measured.
        path: of the picture.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (steps, ways, cost) = pyplot.subplots(1, 3, figsize=(15.0, 4.8), layout="constrained")
    _steps(steps, document)
    _ways(ways, document)
    _cost(cost, document["scaling"])
    save_figure(figure, path)
    pyplot.close(figure)


def _steps(axis: Any, document: dict[str, Any]) -> None:
    runs = document["runs"]
    places, bottom = np.arange(len(runs)), np.zeros(len(runs))
    for stage, colour in COLOURS.items():
        height = np.array([run["stages_ms"][stage] for run in runs])
        axis.bar(places, height, bottom=bottom, color=colour, label=stage)
        bottom += height
    for place, run, top in zip(places, runs, bottom, strict=True):
        axis.annotate(f"{run['real_time_factor']:.1f} × real time", (place, top), ha="center", va="bottom")
    axis.axhline(1.0, color="black", linewidth=0.8)
    axis.annotate("real time", (len(runs) - 0.5, 1.0), ha="right", va="bottom")
    kinds = {"point": "", "aggregate": "2 patches of\n"}
    names = [f"{run['avatar']}\n{kinds[run['contact']]}{run['contacts']} points" for run in runs]
    axis.set_xticks(places, names)
    axis.set_xlim(-0.7, len(runs) - 0.3)
    axis.set_ylabel("step of 1 ms, median [ms]")
    axis.set_title("time of a step by stage")
    axis.legend()


def _ways(axis: Any, document: dict[str, Any]) -> None:
    for run in document["runs"]:
        pelvis = 1e3 * np.array(run["pelvis_m"])
        times = np.linspace(0.0, run["seconds"], len(pelvis))
        colour = "tab:blue" if run["avatar"] == "robot" else "tab:red"
        called = f"{run['avatar']} on {CALLED[run['contact']]}"
        axis.plot(times, pelvis[:, 0] - pelvis[0, 0], LINES[run["contact"]], color=colour, label=called)
    axis.set_xlabel("time [s]")
    axis.set_ylabel("way of the pelvis, ahead [mm]")
    axis.set_title("led by the hand with 20 N")
    axis.legend()


def _cost(axis: Any, scaling: dict[str, Any]) -> None:
    rows = np.array(scaling["links_points_us"])
    fit = scaling["fit_us"]
    for links in np.unique(rows[:, 0]):
        n, m, measured = rows[rows[:, 0] == links].T
        (line,) = axis.loglog(m, measured, "o", label=f"{links:.0f} links")
        model = fit["constant"] + fit["per_link_and_touched_link"] * n * np.minimum(n, m)
        axis.loglog(m, model + fit["per_point_squared"] * m**2, color=line.get_color(), linewidth=1.0)
    axis.set_xlabel("contact points m")
    axis.set_ylabel("Λ⁻¹ [µs]")
    axis.set_title("a + b n min(n, m) + c m², fitted")
    axis.legend()
