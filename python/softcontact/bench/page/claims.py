# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the five papers state in figures, ours beside it, out of the benchmarks' documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from softcontact.bench import vademecum_bunny
from softcontact.bench.vademecum_distance import AIMS

PAPERS = {
    "talvas": "Talvas et al. 2015, Aggregate Constraints for Virtual Manipulation with Soft Fingers",
    "talbi": "Talbi and Joli, HapCo: Real Time Simulation of Interaction between Deformable Objects",
    "otaduy": "Otaduy and Gross 2007, Transparent Rendering of Tool Contact with Compliant Environments",
    "gonzalez": "González et al. 2015, Computational Vademecums for the Real-Time Simulation of Haptic Collision",
    "keith": "Keith et al. 2008, Haptic Interaction with Virtual Avatars",
}


@dataclass(frozen=True)
class Claim:
    """One figure of a paper and ours.

    Attributes:
        paper: a key of PAPERS.
        place: table, figure or section of it.
        what: the quantity.
        theirs: the paper's figure with its unit; empty where only we ask for it.
        ours: ours; empty where it was not measured.
        ratio: theirs over ours where less is better, else ours over theirs; None where it has no meaning.
        reached: whether ours is as good as the paper's or as what is asked; None where that is not a question.
        statement: whether it is a statement of the paper's, which holds here or does not, and no figure to reach.
    """

    paper: str
    place: str
    what: str
    theirs: str
    ours: str
    ratio: float | None = None
    reached: bool | None = None
    statement: bool = False


Document = dict[str, Any]


def at(document: Any, *keys: Any) -> Any:
    """An entry of nested mappings and lists; None where it is missing."""
    for key in keys:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def number(value: float) -> str:
    """Three figures, without an exponent where that is shorter to read."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def less(paper: str, place: str, what: str, theirs: float, ours: float | None, unit: str) -> Claim:
    """A claim where less is better."""
    if ours is None:
        return Claim(paper, place, what, f"{number(theirs)} {unit}", "")
    ratio = theirs / ours if ours > 0.0 else None
    return Claim(
        paper, place, what, f"{number(theirs)} {unit}", f"{number(ours)} {unit}", ratio, ours <= theirs
    )


def talvas(results: dict[str, Document | None]) -> Iterator[Claim]:
    """Table 1, and what the paper's hand does."""
    engines = {"": at(results.get("table1"), "results"), "in SOFA: ": at(results.get("sofa"), "table1")}
    for engine, row in ((engine, row) for engine, rows in engines.items() for row in rows or ()):
        paper, ours = row["paper"], row["ours"]
        name = f"{engine}{row['case']}"
        for key, what in (("solve_ms", "solve"), ("step_ms", "step")):
            yield less(
                "talvas",
                "Table 1",
                f"{name}: {what}, aggregates",
                paper[key]["aggregate"],
                at(ours, "aggregate", key, "median"),
                "ms",
            )
        theirs, saved = paper["solve_saved"], row["solve_saved"]
        yield Claim(
            "talvas",
            "Table 1",
            f"{name}: saved in the solve by aggregates",
            f"{100 * theirs:.0f} %",
            f"{100 * saved:.0f} %",
            saved / theirs,
            saved >= theirs,
        )
    linear = next((r for r in at(results.get("rate"), "results") or () if r["law"] == "linear"), None)
    if linear is not None:
        step = linear["step_ms"]["median"]
        yield less(
            "talvas",
            "Table 1",
            "rigid ball, close, whole soft hand in steps of 1 ms: step",
            39.94,
            step,
            "ms",
        )
        share = linear["within_1_ms"]
        yield Claim(
            "talvas",
            "Table 1",
            "rigid ball, close, whole soft hand in steps of 1 ms: steps within 1 ms",
            "asked of us: 99 %",
            f"{100 * share:.1f} %",
            share / 0.99,
            share >= 0.99,
        )
    lifts = at(results.get("lifts"), "lifts")
    if lifts:
        good = sum(bool(one["succeeded"]) for one in lifts)
        yield Claim(
            "talvas",
            "Sec. 5",
            "lifts of a soft cube from places a little aside, that succeed",
            "asked of us: 95 %",
            f"{good} of {len(lifts)}",
            None,
            good >= 0.95 * len(lifts),
        )


def talbi(results: dict[str, Document | None]) -> Iterator[Claim]:
    """The paper's statements; which scheme is faster depends on the problem, so a statement that fails is told."""
    for one in at(results.get("uzawa"), "statements") or ():
        title = {"both": "red block clamped at both ends", "left": "red block clamped at the left"}
        yield Claim(
            "talbi",
            "Figs. 6 to 9",
            f"{one['claim']}; {title.get(one['benchmark'], one['benchmark'])}",
            "stated",
            f"{one['verdict']}: {one['cases']} of {one['of']}",
            None,
            one["verdict"] == "holds",
            statement=True,
        )
    loops = [one for one in at(results.get("uzawa"), "haptic") or () if one["drive"] == "device"]
    if loops:
        best = min(loops, key=lambda one: one["tick_ms"]["p99_9"])
        yield less(
            "talbi",
            "Sec. 1",
            f"haptic tick with 25 contacts, 99.9th percentile ({best['method']}; 300 Hz asked)",
            1e3 / 300.0,
            best["tick_ms"]["p99_9"],
            "ms",
        )


def otaduy(results: dict[str, Document | None]) -> Iterator[Claim]:
    """Fig. 3: forces and timings on the deformable block."""
    document = results.get("haptics")
    if document is None:
        return
    paper = document["paper"]
    frames = document["frames"]
    near = min(frames, key=lambda row: abs(row["contacts"] - paper["contacts"]))
    where = f"{near['contacts']} contacts (paper: {paper['contacts']})"
    yield less(
        "otaduy",
        "Fig. 3",
        f"whole frame, paper the contact response alone; {where}",
        paper["solve_ms"],
        near["total_ms"],
        "ms",
    )
    yield less(
        "otaduy",
        "Fig. 3",
        "linear contact model of a frame",
        paper["model_ms"],
        near["stages_ms"]["model"],
        "ms",
    )
    yield less(
        "otaduy",
        "Fig. 3",
        "tick of the fast thread, mean",
        paper["fast_tick_us"],
        at(document, "session", "work_us", "mean"),
        "µs",
    )
    aim = document.get("aim_ripple_ratio")
    for row in at(document, "forces", "rates") or ():
        yield Claim(
            "otaduy",
            "Fig. 3",
            f"ripple of the force with two couplings over that with the linear model, {row['rate_hz']} Hz visual",
            f"asked of us: {aim:g}",
            f"{row['ripple_ratio']:.2g}",
            row["ripple_ratio"] / aim,
            row["ripple_ratio"] >= aim,
        )


def gonzalez(results: dict[str, Document | None]) -> Iterator[Claim]:
    """The beam and the bunny."""
    figures = at(results.get("vademecum"), "results")
    paper = at(results.get("vademecum"), "paper")
    if figures is None or paper is None:
        return
    whole = figures["positions"] > 160
    wall = figures["offline"]["wall_s"]
    place = f"offline, {figures['positions']} of {paper['positions']} load positions"
    yield Claim(
        "gonzalez",
        "Sec. 4.1",
        f"beam: {place}",
        f"< {paper['offline_s']:.0f} s",
        f"{wall:.3g} s",
        paper["offline_s"] / wall if whole else None,
        wall <= paper["offline_s"] if whole else None,
    )
    for row in figures["errors"]:
        if row["limit"] is not None:
            yield Claim(
                "gonzalez",
                "Fig. 3",
                f"beam: largest nodal error with {row['modes']} modes",
                f"asked of us: {100 * row['limit']:.2g} %",
                f"{100 * row['nodal_max']:.2g} %",
                row["limit"] / row["nodal_max"],
                row["nodal_max"] <= row["limit"],
            )
    for name, what, took in _detections(figures["distance"]):
        place = "Sec. 4.1" if name == "beam" else "Sec. 4.3"
        micro = 1e6 * took
        yield less("gonzalez", place, f"{what}: detection, median", 1e6 * paper[f"{name}_s"], micro, "µs")
        aim = 1e6 * AIMS[f"{name}_s"]
        if "exact" in what:
            yield Claim(
                "gonzalez",
                place,
                f"{what}: detection, median",
                f"asked of us: {aim:g} µs",
                f"{number(micro)} µs",
                aim / micro,
                micro <= aim,
            )
    bunny = figures.get("bunny")
    hours = vademecum_bunny.PAPER["offline_s"]
    wall = at(bunny, "offline", "wall_s")
    yield less("gonzalez", "Sec. 4.3", "bunny: offline, more than three hours there", hours, wall, "s")
    errors = at(bunny, "errors")
    worst = at(errors, -1, "nodal_max")
    yield Claim(
        "gonzalez",
        "Sec. 4.3",
        f"bunny: largest nodal error with {at(bunny, 'modes') or 'all'} modes (paper: 143)",
        f"asked of us: {100 * vademecum_bunny.LIMIT:g} %",
        "" if worst is None else f"{100 * worst:.2g} %",
        None if not worst else vademecum_bunny.LIMIT / worst,
        None if worst is None else worst <= vademecum_bunny.LIMIT,
    )


def _detections(distance: Any) -> Iterator[tuple[str, str, float]]:
    """Body, words and median time [s] of the detections: the beam's, and the bunny's with the most contacts."""
    for way, times in (at(distance, "detection") or {}).items():
        if at(times, "median") is not None:
            yield "beam", f"beam, {way}", times["median"]
    rows = at(distance, "bunny") or []
    most = max(rows, key=lambda row: row["contacts"], default={})
    for way, times in most.items():
        if at(times, "median") is not None:
            yield "bunny", f"bunny, {most['contacts']} points in contact, {way}", times["median"]


def keith(results: dict[str, Document | None]) -> Iterator[Claim]:
    """Sec. 4: seconds for 10 s of simulation."""
    document = results.get("avatar")
    for run in at(document, "runs") or ():
        theirs = at(document, "paper", run["avatar"], "seconds")
        ours = 10.0 / run["real_time_factor"]
        called = "patches" if run["contact"] == "aggregate" else f"{run['contacts']} points"
        yield less("keith", "Sec. 4", f"{run['avatar']} on {called}: steps of 10 s", theirs, ours, "s")
    pushes = at(document, "pushes")
    if pushes:
        good = sum(bool(row["passed"]) for row in pushes)
        yield Claim(
            "keith",
            "Sec. 4",
            "pushes that the avatar gives way to and returns from",
            "asked of us: all",
            f"{good} of {len(pushes)}",
            None,
            good == len(pushes),
        )


CLAIMS: tuple[Callable[[dict[str, Document | None]], Iterator[Claim]], ...] = (
    talvas,
    talbi,
    otaduy,
    gonzalez,
    keith,
)
SOURCES = {
    "talvas": ("table1", "rate", "lifts"),  # and sofa, which stands with the other tools
    "talbi": ("uzawa",),
    "otaduy": ("haptics",),
    "gonzalez": ("vademecum",),
    "keith": ("avatar",),
}


def claims(results: dict[str, Document | None]) -> tuple[list[Claim], list[str]]:
    """All claims, and what could not be read of documents of another version."""
    found: list[Claim] = []
    problems = []
    for read in CLAIMS:
        try:
            found += read(results)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            problems.append(
                f"{', '.join(SOURCES[read.__name__])}: figures of another version, {type(error).__name__}: {error}"
            )
    return found, problems
