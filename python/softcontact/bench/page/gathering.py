# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of the benchmarks for a page: each measured in a process of its own, or taken from where it was left."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import softcontact
from softcontact import outputs
from softcontact.bench.results import load
from softcontact.bench.table1 import machine
from softcontact.engines.sofa.availability import sofa_found
from softcontact.whole_file import write_by

# Every benchmark, in the order of the page. The second word is what it cannot do without.
BENCHMARKS = {
    "table1": None,
    "rate": None,
    "lifts": None,
    "uzawa": None,
    "haptics": None,
    "vademecum": None,
    "avatar": None,
    "solvers": None,
    "scale": None,
    "peers": None,
    "sofa": "SOFA",
    "sofa_vademecum": "SOFA",
}
SOFA_ABSENT = "SOFA was not found; `softcontact doctor` tells what it needs"
_PARENT_DEATH = 1  # Linux's PR_SET_PDEATHSIG
PICTURES = {"vademecum": ("modes.png", "figures.png")}


@dataclass(frozen=True)
class Result:
    """What there is of one benchmark.

    Attributes:
        name: of the benchmark.
        document: its figures; None where there are none.
        run: how they were made: quick, date, commit, load, seconds, exit, as far as known.
        problem: why there are none, or what the benchmark itself says is wrong.
        pictures: PNG files that it drew.
        reused: whether they were made by an earlier run.
        unread: entries of its files that are not what they must be, a line each.
    """

    name: str
    document: dict[str, Any] | None
    run: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    pictures: tuple[Path, ...] = ()
    reused: bool = False
    unread: tuple[str, ...] = ()


def gather(
    out: Path,
    sources: Sequence[Path],
    quick: bool,
    say: Callable[[str], None],
    options: Mapping[str, list[str]] = MappingProxyType({}),
) -> list[Result]:
    """Every benchmark: what a source holds, or else a new run that leaves its files in `out`.

    A benchmark that fails, or cannot run here, is told in its result; the others go on.
    """
    found = []
    for name, needs in BENCHMARKS.items():
        kept = next((folder for folder in sources if _readable(folder / f"{name}.json", say)), None)
        if kept is not None:
            say(f"{name}: as measured before, {kept}")
            _copy(name, kept, out)
            found.append(_read(name, out, reused=True))
        elif needs == "SOFA" and not sofa_found():
            found.append(Result(name, None, problem=f"not measured: {SOFA_ABSENT}"))
        else:
            say(f"{name} …")
            measure(name, out, quick, options.get(name, ()))
            found.append(_read(name, out, reused=False))
            say(
                f"{name}: {found[-1].run['seconds']:.0f} s{', ' if found[-1].problem else ''}{found[-1].problem}"
            )
    return found


def commit() -> str | None:
    """The commit that the package is at where it is run from its repository, with a + where files are changed."""
    folder = Path(__file__).parent
    try:
        head = subprocess.run(
            ["git", "-C", folder, "log", "-1", "--format=%h", "--", "."],
            capture_output=True,
            text=True,
            check=False,
        )
        if head.returncode or not head.stdout.strip():
            return None
        head = subprocess.run(
            ["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            ["git", "-C", folder, "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            text=True,
            check=False,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def measure(name: str, out: Path, quick: bool, options: Sequence[str] = ()) -> None:
    """Run a benchmark in a process of its own; figures, pictures, what it printed and how it ran go to `out`."""
    for stale in (f"{name}.json", f"{name}.run.json"):
        (out / stale).unlink(missing_ok=True)
    run: dict[str, Any] = {
        "name": name,
        "version": softcontact.__version__,
        "commit": commit(),
        "machine": machine(),
        "cores": os.cpu_count(),
        "quick": quick,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "load_before": load(),
    }
    command = [sys.executable, "-m", "softcontact", "bench", name, "--out", str(out), *options]
    if quick:
        command.append("--quick")
    began = time.perf_counter()
    with (out / f"{name}.log").open("wb") as log:
        done = subprocess.run(
            command, stdout=log, stderr=subprocess.STDOUT, check=False, preexec_fn=_end_with_parent()
        )
    run |= {"exit": done.returncode, "seconds": time.perf_counter() - began, "load_after": load()}
    note = out / f"{name}.run.json"
    outputs.guarded(note, outputs.write_json, note, run)


def _end_with_parent() -> Callable[[], None] | None:
    """What a child does before it begins, so that it does not go on where this process is killed."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl  # before the fork, after which nothing may be loaded
    return lambda: prctl(_PARENT_DEATH, signal.SIGKILL)


def _readable(path: Path, say: Callable[[str], None]) -> bool:
    if not path.is_file():
        return False
    try:
        _figures(path)
    except (ValueError, OSError) as error:
        say(f"{path} cannot be read ({error}): {path.stem} is measured anew")
        return False
    return True


def _figures(path: Path) -> dict[str, Any]:
    """A file's JSON object.

    Raises:
        ValueError: it holds something else.
        OSError: it cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it holds no figures")
    return found


def _copy(name: str, folder: Path, out: Path) -> None:
    if folder.resolve() == out.resolve():
        return
    for file in (
        folder / f"{name}.json",
        folder / f"{name}.run.json",
        folder / f"{name}.log",
        *_pictures(name, folder),
    ):
        if file.is_file():
            copy = out / file.name
            outputs.guarded(copy, write_by, copy, partial(shutil.copy2, file))


def _pictures(name: str, folder: Path) -> tuple[Path, ...]:
    patterns = PICTURES.get(name, (f"{name}.png", f"{name}-*.png"))
    return tuple(path for pattern in patterns for path in sorted(folder.glob(pattern)))


def _read(name: str, out: Path, *, reused: bool) -> Result:
    file = out / f"{name}.json"
    run, unread = _run_of(name, out)
    code = run.get("exit", 0)
    problem = "" if not code else f"{_last_line(out / f'{name}.log')} (exit {code})"
    if not _readable(file, lambda text: None):
        return Result(name, None, run, problem or "it left no figures", reused=reused, unread=unread)
    document = _figures(file)
    kept, faults = _sound({key: document[key] for key in ("machine", "quick") if key in document}, file.name)
    for key, value in kept.items():
        run.setdefault(key, value)
    run.setdefault("started", datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="seconds"))
    return Result(name, document, run, problem, _pictures(name, out), reused, (*unread, *faults))


def _run_of(name: str, out: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """How a benchmark ran, as far as its note can be read; and what cannot."""
    file = out / f"{name}.run.json"
    if not file.is_file():
        return {}, ()
    try:
        return _sound(_figures(file), file.name)
    except (ValueError, OSError) as error:
        return {}, (f"{file.name}: {error}; not used",)


def _sound(note: dict[str, Any], file: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The entries of a note that are what the page takes them for, and one line for each of the others."""
    kept, faults = {}, []
    for key, value in note.items():
        what, fits = _NOTES.get(key, ("", _anything))
        if value is None:
            continue
        if fits(value):
            kept[key] = value
        else:
            faults.append(f"{file}: {key}: {json.dumps(value)[:60]}, expected {what}; not used")
    return kept, tuple(faults)


def _anything(_: object) -> bool:
    return True


def _text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _machine(value: object) -> bool:
    return isinstance(value, dict) and (value.get("processor") is None or _text(value["processor"]))


# What the page reads of a note on a run.
_NOTES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "commit": ("a text", _text),
    "exit": ("a whole number", lambda value: type(value) is int),
    "load_after": ("a number", _number),
    "load_before": ("a number", _number),
    "machine": ("an object with the text processor", _machine),
    "quick": ("true or false", lambda value: isinstance(value, bool)),
    "seconds": ("a number", _number),
    "started": ("a text", _text),
    "version": ("a text", _text),
}


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.is_file() else []
    return lines[-1].strip()[:300] if lines else "it said nothing"
