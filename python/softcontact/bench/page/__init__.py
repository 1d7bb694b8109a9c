# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact bench all`: every benchmark, and one page with the five papers' figures beside ours.

A benchmark that fails, or that cannot run here, is told in the page; the others go on. Figures that were measured
before are taken from where they were left, so that a page can be made of several runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import softcontact
from softcontact import outputs
from softcontact.bench import results
from softcontact.bench.page import html, tables
from softcontact.bench.page.claims import claims
from softcontact.bench.page.gathering import Result, gather
from softcontact.scene.errors import SceneError

__all__ = ["main"]

PAGE = "index.html"


def main(quick: bool, out: Path | None, sources: Sequence[Path] = (), bunny: Path | None = None) -> int:
    """Measure what is not in a source, and write index.html with the figures, pictures and logs beside it.

    Args:
        quick: of the benchmarks that run now.
        out: folder.
        sources: folders with figures of earlier runs; the first that has a benchmark's counts.
        bunny: vademecum that the benchmark vademecum judges.
    Returns:
        1 if a benchmark failed or left figures that cannot be read.
    Raises:
        SceneError: no folder for the page, or none that can be written; or a source that is not there.
    """
    if out is None:
        raise SceneError("bench all: --out is missing; give the folder for the page")
    for source in sources:
        if not source.is_dir():
            raise SceneError(
                f"bench all: --from {source} is no folder; give one with figures of earlier runs"
            )
    options = {} if bunny is None else {"vademecum": ["--bunny", str(bunny)]}
    with results.reserved([PAGE], None, out):
        return _make(quick, out, sources, options)


def _make(quick: bool, out: Path, sources: Sequence[Path], options: dict[str, list[str]]) -> int:
    gathered = gather(out, sources, quick, lambda text: print(text, flush=True), options)
    made, problems = _tables(gathered)
    problems += [line for result in gathered for line in result.unread]
    found, unread = claims({result.name: result.document for result in gathered})
    page = out / PAGE
    outputs.guarded(page, html.write, page, _facts(gathered), gathered, found, [*problems, *unread], made)
    failed = [result.name for result in gathered if result.problem and result.run.get("exit")]
    judged = [claim for claim in found if claim.reached is not None and not claim.statement]
    print(f"{page}: {sum(bool(c.reached) for c in judged)} of {len(judged)} reached")
    for line in (*problems, *unread):
        print(line)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed or problems or unread else 0


def _tables(gathered: Sequence[Result]) -> tuple[dict[str, str], list[str]]:
    made, problems = {}, []
    for result in gathered:
        if result.document is None:
            continue
        try:
            made[result.name] = tables.markdown(result.name, result.document)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            problems.append(f"{result.name}: figures of another version, {type(error).__name__}: {error}")
    return made, problems


def _facts(gathered: Sequence[Result]) -> dict[str, str]:
    """Version, commits, machines, dates and load of the runs."""
    runs = [result.run for result in gathered if result.document is not None]

    def each(values: Sequence[object]) -> str:
        return ", ".join(dict.fromkeys(str(value) for value in values if value))

    dates = sorted(str(run["started"])[:16].replace("T", " ") for run in runs if run.get("started"))
    loads = [run[key] for run in runs for key in ("load_before", "load_after") if run.get(key) is not None]
    extent = each([{True: "quick", False: "full"}.get(run.get("quick"), "") for run in runs])
    facts = {
        "version": softcontact.__version__,
        "commit": each([run.get("commit") for run in runs]) or "not known",
        "machine": each([(run.get("machine") or {}).get("processor") for run in runs]),
        "measured": f"{dates[0]} to {dates[-1]} UTC" if dates else "nothing",
        "extent": extent,
    }
    if loads:
        facts["load (processes that wanted a core)"] = f"{min(loads):.1f} to {max(loads):.1f}"
    return facts
