# SPDX-License-Identifier: LGPL-2.1-or-later
"""Running a sweep: from its plan to the table, also after an interruption."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softcontact import outputs
from softcontact.outputs import OutputError
from softcontact.parallel import Limits, Workers, WorkersLost, available_cores
from softcontact.progress import count_progress
from softcontact.runner import CHECK_FAILED, DONE, INTERRUPTED, STOPPED
from softcontact.scene.errors import SceneError
from softcontact.sweeps import table
from softcontact.sweeps.journal import PLAN, Journal
from softcontact.sweeps.parameters import Parameter
from softcontact.sweeps.parameters import parameters as varied
from softcontact.sweeps.plan import Plan, plan
from softcontact.sweeps.source import SceneSource
from softcontact.sweeps.work import PASSED, Setting, record, run_one


@dataclass(frozen=True)
class SweepResult:
    """What a sweep gave.

    Attributes:
        out: its folder.
        parameters: names of what was varied.
        rows: the table, one dictionary a finished run, by run; see softcontact.sweeps.table.rows.
        runs: how many runs the sweep has.
        done: how many are done; rows may hold the earlier end of others, which are being made again.
        exit_code: 0 all done and passed, 1 some run did not pass, 3 its workers were lost, 130 interrupted.
        message: why the sweep ended early; empty otherwise.
    """

    out: Path
    parameters: tuple[str, ...]
    rows: list[dict[str, Any]] = field(repr=False)
    runs: int
    done: int
    exit_code: int
    message: str

    @property
    def passed(self) -> bool:
        """Whether every run was made and passed its checks."""
        return self.exit_code == DONE

    @property
    def counts(self) -> dict[str, int]:
        """Finished runs by their status."""
        found: dict[str, int] = {}
        for row in self.rows:
            found[row["status"]] = found.get(row["status"], 0) + 1
        return found

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table by columns."""
        return {name: [row[name] for row in self.rows] for name in self.rows[0]} if self.rows else {}


def sweep(
    scene: str | Path,
    parameters: Mapping[str, Any] | Sequence[Parameter],
    *,
    options: Mapping[str, Any] | None = None,
    engine: str = "embedded",
    steps: int | None = None,
    design: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    workers: int | Workers | None = None,
    scheduler: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    retry_failed: bool = False,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    retries: int = 1,
    progress: bool = True,
) -> SweepResult:
    """Run a scene with many values of its options, each run in a process of its own.

    Args:
        scene: name of a scene, or a scene file.
        parameters: what is varied, by name: a list of values, a softcontact.sweeps.Range, or a text as on the command
            line ("0.1:1:10", "ball,cube"). Fields of the scene go by their path, such as contact.friction.
        options: of the scene, shared by all runs.
        engine: "embedded" or "sofa".
        steps: of each run; None: the scene's duration.
        design: "grid": the product of all values; "random", "lhs": `samples` runs drawn from ranges and lists,
            independently or as a Latin hypercube.
        samples: runs of a random or Latin hypercube design.
        seed: of these; the same seed, the same runs.
        workers: processes; None: as many as there are cores; or Workers, which stay open.
        scheduler: address of a Dask scheduler whose workers compute instead.
        out: folder; None: out/sweep-SCENE-N with the first free N, or, resumed, the last one.
        resume: go on with the sweep in the folder; begin where there is none.
        retry_failed: with resume, make those runs again, too, that neither passed nor failed a check: lost to a
            limit or a crash, stopped, refused. What they gave before stays in the table until they are done.
        time_limit: of a run [s]; a run that takes longer is ended and reported.
        memory_limit: of a run [MB].
        retries: further attempts at a run whose process was lost or whose time was up.
        progress: whether to show progress, when the error stream is a terminal.
    Returns:
        The table and where it lies. What befell single runs is told there, not by exceptions.
    Raises:
        SceneError: something that is given cannot be used, or the folder holds another sweep (OutputError).
    """
    if retry_failed and not resume:
        raise SceneError("--retry-failed: of a sweep that is there already; add --resume")
    if not (isinstance(retries, int) and retries >= 0):
        raise SceneError(f"retries: {retries!r} is not a whole number ≥ 0")
    limits = _limits(time_limit, memory_limit)
    with SceneSource(scene, limits) as source:
        made = plan(
            source,
            varied(parameters),
            options=dict(options or {}),
            engine=engine,
            steps=steps,
            design=design,
            samples=samples,
            seed=seed,
        )
    with (
        _team(workers, scheduler) as team,
        Journal(_folder(out, source.name, resume), made, resume=resume, retry_failed=retry_failed) as journal,
    ):
        code, message = _work(journal, team, limits, retries, memory_limit, progress)
        result = _result(journal, code, message)
        outputs.guarded(journal.folder, _write, result, journal.plan)
    return result


def _limits(time_limit: float | None, memory_limit: float | None) -> Limits:
    for name, value, unit in (("time", time_limit, "s"), ("memory", memory_limit, "MB")):
        if value is not None and not 0 < value < float("inf"):
            raise SceneError(f"{name} limit: {value:g} {unit}, expected a number above 0")
    try:
        return Limits(time_limit, None if memory_limit is None else memory_limit * 1e6)
    except ValueError as error:
        raise SceneError(str(error)) from None


def _team(workers: int | Workers | None, scheduler: str | None) -> contextlib.AbstractContextManager[Workers]:
    if scheduler is not None and workers is not None:
        raise SceneError("workers: the scheduler has its own; leave out --workers or --scheduler")
    if isinstance(workers, Workers):
        return contextlib.nullcontext(workers)
    try:
        return Workers(available_cores() if workers is None else workers, scheduler=scheduler, quiet=True)
    except ValueError as error:
        raise SceneError(str(error)) from None


def _folder(out: str | Path | None, scene: str, resume: bool) -> Path:
    if out is not None:
        return Path(out).expanduser()
    parent, name = Path("out"), f"sweep-{scene}"
    if resume:
        number = re.compile(re.escape(name) + r"-(\d+)")
        there = {
            int(match[1]): path
            for path in parent.glob(f"{name}-*")
            if (match := number.fullmatch(path.name)) and (path / PLAN).is_file()
        }
        if there:
            return there[max(there)]
    try:
        return outputs.numbered(parent, name)
    except OSError as error:
        raise outputs.refused(parent, error) from None


def _work(
    journal: Journal, team: Workers, limits: Limits, retries: int, memory_mb: float | None, progress: bool
) -> tuple[int, str]:
    """Make the runs that are missing; exit code and message."""
    made = journal.plan
    setting = Setting(
        made.identity["scene"],
        made.identity["engine"],
        made.identity["steps"],
        made.identity["options"],
        made.identity["version"],
        os.getcwd(),
    )
    missing = journal.missing()
    failed = sum(
        kept["status"] != PASSED for run, kept in journal.records.items() if run not in journal.again
    )
    with count_progress("runs", len(made.points), journal.done, shown=progress) as tick:
        tick(journal.done, failed)
        try:
            ended = team.outcomes(
                run_one, (setting,), [made.values(run) for run in missing], limits=limits, retries=retries
            )
            with contextlib.closing(ended):
                for outcome in ended:
                    run = missing[outcome.index]
                    kept = record(run, made.values(run), outcome, memory_mb)
                    journal.add(kept)
                    failed += kept["status"] != PASSED
                    tick(journal.done, failed)
        except KeyboardInterrupt:
            return INTERRUPTED, f"interrupted; {_done(journal)}"
        except WorkersLost as error:
            return STOPPED, f"{error}; {_done(journal)}"
        except OutputError as error:
            raise OutputError(f"{error}; {_done(journal)}") from None
    return (CHECK_FAILED if failed else DONE), ""


def _done(journal: Journal) -> str:
    done, all_runs = journal.done, len(journal.plan.points)
    out = shlex.quote(str(journal.folder))
    return f"{done} of {all_runs} runs are done, go on by the same command with --resume --out {out}"


def _result(journal: Journal, code: int, message: str) -> SweepResult:
    found = table.rows(journal.records)
    return SweepResult(
        journal.folder,
        journal.plan.parameters,
        found,
        len(journal.plan.points),
        journal.done,
        code,
        message,
    )


def _write(result: SweepResult, made: Plan) -> None:
    from softcontact.sweeps.report import write_report

    table.write_csv(result.rows, result.out / "table.csv")
    if table.parquet_installed():
        table.write_parquet(result.rows, result.out / "table.parquet")
    write_report(result, made)
