# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coverage-guided fuzzing of every reader.

    python tests/fuzz/fuzz.py [READER…] [--count 10000] [--seed 0] [--refusals FILE] [--keep DIR]

Inputs that run lines of the package that no input ran before join the seeds. A finding is an exception that is not the
reader's own refusal, a refusal of several lines, more than 5 s of processor time (100 s by the clock), or more than
2 GiB; each kind, told by the place that raised, is kept once. A process that dies leaves its input in DIR/READER-last.
Exit code 1 with any finding.

The loop is our own: libFuzzer (atheris) stops at its first finding and cannot change the contents of sealed HDF5 files,
Hypothesis makes inputs from grammars and not from files, and lines are counted by sys.settrace wherever Python runs.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from readers import READERS, Reader

import softcontact
from softcontact import hdf5_reading
from softcontact.isolated import IsolatedProcess

LONGEST = 5.0  # s of processor time
_PATIENCE = 20.0  # how much longer it may take by the clock: other programs may run
MEMORY = 2 << 30  # bytes
_PACKAGE = str(Path(softcontact.__file__).parent)
_KEPT = 400  # inputs that are kept as seeds, at most


class Hang(BaseException):
    """An input that takes longer than LONGEST."""


@dataclass
class Found:
    """What came of a reader.

    Attributes:
        inputs, accepted: how many.
        lines: of the package that ran.
        seeds: inputs that were kept.
        slowest: [s].
        refusals: messages, a sample over their kinds.
        faults: by kind: what happened, and the input.
    """

    inputs: int = 0
    accepted: int = 0
    lines: int = 0
    seeds: int = 0
    slowest: float = 0.0
    refusals: dict[str, str] = field(default_factory=dict)
    faults: dict[str, tuple[str, bytes]] = field(default_factory=dict)


class Coverage:
    """Lines of the package that ran so far."""

    def __init__(self) -> None:
        self.seen: set[tuple[Any, int]] = set()
        self.new = False

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return None
        return self._line

    def _line(self, frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            place = (frame.f_code, frame.f_lineno)
            if place not in self.seen:
                self.seen.add(place)
                self.new = True
        return self._line


@contextmanager
def bounded() -> Iterator[None]:
    """Let inputs raise Hang after LONGEST and MemoryError above what is held now and MEMORY."""

    def hang(*_: Any) -> None:
        raise Hang

    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    kinds, limits = (signal.SIGALRM, signal.SIGPROF), resource.getrlimit(resource.RLIMIT_AS)
    before = [signal.signal(kind, hang) for kind in kinds]
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, limits[1]))
    try:
        yield
    finally:
        _limit(0.0)
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def fuzz(reader: Reader, count: int, seed: int, folder: Path, last: Path | None = None) -> Found:
    """Read `count` inputs.

    Args:
        reader: under test.
        count: of inputs, the seeds included.
        seed: of the mutations.
        folder: for the files.
        last: file that holds the input of the moment, for a process that dies; None: in `folder`.
    """
    rng, coverage, found = random.Random(seed), Coverage(), Found()
    kept = reader.seeds(folder)
    first = len(kept)
    path = folder / f"input{reader.suffix}"
    # One process reads all HDF5 files: a new one after each fault takes 0.4 s, and what a fault leaves behind may show.
    # Small files need milliseconds, and those that are read without end are many.
    with bounded(), patch.object(IsolatedProcess, "kill"), patch.object(hdf5_reading, "_TIME", 0.5):
        for number in range(count):
            data = kept[number] if number < first else reader.mutate(rng.choice(kept), kept, rng)
            path.write_bytes(data)
            if last is not None:
                last.write_bytes(data)
            coverage.new = False
            _read(reader, path, data, coverage, found)
            if coverage.new and number >= first and len(kept) < _KEPT:
                kept.append(data)
    found.inputs, found.lines, found.seeds = count, len(coverage.seen), len(kept)
    return found


def _read(reader: Reader, path: Path, data: bytes, coverage: Coverage, found: Found) -> None:
    begun = time.process_time()
    _limit(LONGEST)
    sys.settrace(coverage)
    try:
        reader.read(path)
        found.accepted += 1
    except reader.refuses as error:
        sys.settrace(None)
        _refused(error, data, found)
    except Hang:
        sys.settrace(None)
        found.faults.setdefault("hang", (f"longer than {LONGEST:g} s", data))
    except Exception as error:
        sys.settrace(None)
        found.faults.setdefault(_kind(error), (f"{type(error).__name__}: {error}"[:300], data))
    finally:
        sys.settrace(None)
        _limit(0.0)
        found.slowest = max(found.slowest, time.process_time() - begun)


def _limit(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds)


def _refused(error: Exception, data: bytes, found: Found) -> None:
    text, kind = str(error), _kind(error)
    found.refusals.setdefault(kind, text)
    if not text.strip() or len(text.splitlines()) > 1 or len(text) > 1000:
        found.faults.setdefault(f"message of {kind}", (text[:300], data))


def _kind(error: BaseException) -> str:
    """Where it was raised, in the package."""
    places = [row for row in traceback.extract_tb(error.__traceback__) if row.filename.startswith(_PACKAGE)]
    row = places[-1] if places else traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {Path(row.filename).name}:{row.lineno}"


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--count", type=int, default=10_000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refusals", type=Path, help="write a refusal of each kind there, to be read by eye")
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="folder for inputs with findings")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.readers if name not in READERS]
    if unknown or given.count < 1:
        parser.error(f"readers are {', '.join(READERS)}, and --count is 1 or more")
    given.keep.mkdir(parents=True, exist_ok=True)
    failed, messages = False, []
    for name in given.readers or READERS:
        with tempfile.TemporaryDirectory() as folder:
            found = fuzz(READERS[name], given.count, given.seed, Path(folder), given.keep / f"{name}-last")
        (given.keep / f"{name}-last").unlink()
        print(
            f"{name}: {found.inputs} inputs, {found.accepted} accepted, {found.lines} lines, {found.seeds} seeds, "
            f"{len(found.refusals)} kinds of refusal, slowest {found.slowest:.2f} s, {len(found.faults)} findings",
            flush=True,
        )
        for kind, (what, data) in found.faults.items():
            failed = True
            mark = hashlib.sha256(kind.encode()).hexdigest()[:8]
            (given.keep / f"{name}-{mark}{READERS[name].suffix}").write_bytes(data)
            print(f"  {kind}: {what} [{name}-{mark}]", flush=True)
        messages += [f"{name}: {text}" for text in found.refusals.values()]
    if given.refusals is not None:
        given.refusals.write_text("\n".join(messages) + "\n", encoding="utf-8", errors="replace")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
