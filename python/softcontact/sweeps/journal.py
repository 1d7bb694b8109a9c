# SPDX-License-Identifier: LGPL-2.1-or-later
"""The folder of a sweep: its plan, one file for each finished run, and one process at a time that writes there.

A run's file is written beside its place and renamed, so that it is there whole or not at all, whenever the program
is killed. Runs that are made again are listed, each with a mark of the record that it had, before any of them is
begun; another record in its place tells that it is done.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from softcontact import outputs
from softcontact.outputs import OutputError
from softcontact.sweeps.identity import difference
from softcontact.sweeps.plan import FORMAT, Plan
from softcontact.sweeps.work import ENDED, whole_record
from softcontact.whole_file import remove_rests

PLAN, RUNS, AGAIN, LOCK = "sweep.json", "runs", "again.json", ".lock"
FILES = ("table.csv", "table.parquet", "report.md", AGAIN)


class Journal:
    """A sweep's folder, opened for writing; a context manager.

    Args:
        folder: made where it is missing.
        plan: of the sweep.
        resume: go on with what is there; False: there must be none.
        retry_failed: make the runs again, too, that neither passed nor failed a check. Where such a retry was
            interrupted, it goes on, whether asked for or not.
    Attributes:
        folder: the folder.
        plan: the plan.
        records: what is kept of the finished runs, by number.
        again: numbers of those among them that are to be made again, and whose record is then replaced.
    Raises:
        OutputError: the folder cannot be written, is used by another process, holds another sweep, or one without
            `resume`.
    """

    def __init__(self, folder: Path, plan: Plan, *, resume: bool, retry_failed: bool = False) -> None:
        self.folder, self.plan = folder, plan
        self.records: dict[int, dict[str, Any]] = {}
        self.again: set[int] = set()
        if not (folder / PLAN).exists():
            _check_free(folder)
        outputs.guarded(folder, (folder / RUNS).mkdir, 0o777, True, True)
        self._lock = _locked(folder)
        try:
            if (folder / PLAN).exists():
                self._resume(resume)
                self._retry(retry_failed)
            else:
                self._begin(resume)
        except BaseException:
            self.close()
            raise

    def add(self, record: dict[str, Any]) -> None:
        """Keep a finished run.

        Raises:
            OutputError: the disk does not take it.
        """
        outputs.guarded(self.folder, outputs.write_json, self._place(record["run"]), record)
        self.records[record["run"]] = record
        if record["run"] in self.again:
            self.again.remove(record["run"])
            if not self.again:
                outputs.guarded(self.folder, (self.folder / AGAIN).unlink, True)

    @property
    def done(self) -> int:
        """How many runs are done."""
        return len(self.records) - len(self.again)

    def missing(self) -> list[int]:
        """Numbers of the runs that are not done."""
        return [run for run in range(len(self.plan.points)) if run not in self.records or run in self.again]

    def close(self) -> None:
        """Let other processes use the folder."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _place(self, run: int) -> Path:
        return self.folder / RUNS / f"{run:06d}.json"

    def _begin(self, resume: bool) -> None:
        if resume:
            warnings.warn(
                f"{str(self.folder)!r} holds no sweep to go on with; a new one begins",
                UserWarning,
                stacklevel=2,
            )
        outputs.guarded(self.folder, outputs.write_json, self.folder / PLAN, self.plan.to_dict())

    def _resume(self, resume: bool) -> None:
        stored = read_plan(self.folder)
        done = len(list((self.folder / RUNS).glob("*.json")))
        if not resume:
            raise OutputError(
                f"{str(self.folder)!r} holds a sweep, {done} of {len(stored['points'])} runs done; go on with it by "
                "the same command with --resume, or choose another --out"
            )
        if other := difference(stored, self.plan.identity):
            raise OutputError(f"{str(self.folder)!r} holds another sweep: {other}")
        # The records are judged by the points, so these must be those of the design.
        if json.dumps(stored["points"]) != json.dumps(self.plan.to_dict()["points"]):
            raise OutputError(
                f"{str(self.folder / PLAN)!r}: its points are not those of its parameters: it is damaged, or another "
                "version of numpy or scipy drew them; choose another --out"
            )
        remove_rests(self.folder)
        remove_rests(self.folder / RUNS)
        self.records = read_records(self.folder, self.plan)

    def _retry(self, wanted: bool) -> None:
        """Go on with a retry that was interrupted; or, where one is wanted, list the runs of a new one."""
        path = self.folder / AGAIN
        if path.exists():
            marks = read_marks(path)
            self.again = {run for run, kept in self.records.items() if marks.get(str(run)) == _mark(kept)}
        if wanted and not self.again:
            self.again = {run for run, kept in self.records.items() if kept["status"] not in ENDED}
            marks = {str(run): _mark(self.records[run]) for run in sorted(self.again)}
            if marks:
                outputs.guarded(self.folder, outputs.write_json, path, marks)
        if not self.again:
            outputs.guarded(self.folder, path.unlink, True)


def _check_free(folder: Path) -> None:
    """See that nothing of a sweep's names is there that is not its own.

    Raises:
        OutputError: something is.
    """
    foreign = [name for name in FILES if (folder / name).exists()]
    foreign += [f"{RUNS}/{path.name}" for path in (folder / RUNS).glob("*.json")]
    if foreign:
        raise OutputError(f"{str(folder)!r} holds {foreign[0]} that no sweep wrote; choose another --out")


def read_plan(folder: Path) -> dict[str, Any]:
    """The plan in a sweep's folder.

    Raises:
        OutputError: there is none, or it is damaged.
    """
    try:
        stored = _read(folder / PLAN)
        if stored["format"] == FORMAT and isinstance(stored["points"], list):
            return stored
    except OSError as error:
        raise OutputError(f"cannot read {str(folder / PLAN)!r}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError):
        pass
    raise OutputError(f"{str(folder / PLAN)!r} is no plan of a sweep ({FORMAT}); choose another --out")


def read_records(folder: Path, plan: Plan) -> dict[int, dict[str, Any]]:
    """Finished runs of a sweep's folder, by number; a damaged file is told and counts as not done."""
    found = {}
    for path in sorted((folder / RUNS).glob("*.json")):
        run = int(path.stem) if re.fullmatch(r"[0-9]{6,7}", path.stem) else -1
        if path.stem != f"{run:06d}" or not 0 <= run < len(plan.points):
            warnings.warn(
                f"{str(path)!r} is of no run of this sweep; it is left out", UserWarning, stacklevel=2
            )
            continue
        try:
            record = _read(path)
        except (OSError, ValueError):
            record = None
        if whole_record(record, run, plan.values(run)):
            found[run] = record
        else:
            warnings.warn(f"{str(path)!r} is damaged; its run is made again", UserWarning, stacklevel=2)
    return found


def read_marks(path: Path) -> dict[str, str]:
    """Marks of the records of runs that are to be made again, by number; none where the file is damaged, with a
    warning."""
    try:
        marks = _read(path)
        if isinstance(marks, dict):
            return marks
    except (OSError, ValueError):
        pass
    warnings.warn(
        f"{str(path)!r} is damaged: which runs were to be made again is not known; give --retry-failed once more",
        UserWarning,
        stacklevel=2,
    )
    return {}


def _mark(record: dict[str, Any]) -> str:
    """What tells a record from those of other attempts at the run."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> Any:
    """What a JSON file holds.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON, or nested too deeply to be one of ours.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError(f"{str(path)!r} is nested too deeply") from None


def _locked(folder: Path) -> int:
    """Descriptor of the lock file, held by this process until it ends.

    Raises:
        OutputError: another process holds it.
    """
    path = folder / LOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise outputs.refused(folder, error) from None
    try:
        _lock(descriptor)
    except OSError:
        holder = os.read(descriptor, 100).decode(errors="replace").strip()
        os.close(descriptor)
        raise OutputError(
            f"{str(folder)!r}: another sweep works there{f' (process {holder})' if holder else ''}; wait for it, or "
            "choose another --out"
        ) from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
