# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run of a sweep, as a worker makes it, and the record that is kept of it."""

from __future__ import annotations

import json
import os
import time
import warnings
from dataclasses import dataclass
from typing import Any

import softcontact
from softcontact.parallel import Outcome, ProcessLost, TimeLimitReached
from softcontact.runner import CHECK_FAILED, DONE, INTERRUPTED, STOPPED, WRONG_INPUT, run
from softcontact.scene.library import load

PASSED = "passed"
# How a run ended, by its exit code.
STATUS = {
    DONE: PASSED,
    CHECK_FAILED: "check failed",
    WRONG_INPUT: "refused",
    STOPPED: "stopped",
    INTERRUPTED: "interrupted",
}
# How one ended whose process did not live to tell an exit code.
TIME_LIMIT, MEMORY_LIMIT, CRASHED, ERROR = "time limit", "memory limit", "crashed", "error"
LOST = (TIME_LIMIT, MEMORY_LIMIT, CRASHED, ERROR)
ENDED = (PASSED, STATUS[CHECK_FAILED])  # that a run was made whole, whatever its figures say
_DEEPEST = 50  # levels of a summary; those of today have fewer than ten
# Fields of a record, but for the exit code.
_FIELDS: dict[str, Any] = {
    "run": int,
    "parameters": dict,
    "attempts": int,
    "elapsed_s": int | float,
    "worker": str,
    "finished": str,
    "status": str,
    "message": str,
    "warnings": list,
    "summary": dict,
}


@dataclass(frozen=True)
class Setting:
    """What all runs of a sweep share.

    Attributes:
        scene: name, or absolute path.
        engine, steps: as in softcontact.run.
        options: of the scene.
        version: of softcontact that the sweep was planned with.
        folder: where relative file names start.
    """

    scene: str
    engine: str
    steps: int | None
    options: dict[str, Any]
    version: str
    folder: str


def run_one(setting: Setting, values: dict[str, Any]) -> dict[str, Any]:
    """Run the scene with these values; exit code, message, warnings and summary as plain data."""
    if softcontact.__version__ != setting.version:
        return _refused(
            f"this worker has softcontact {softcontact.__version__}, the sweep {setting.version}; install the same"
        )
    if os.path.isdir(setting.folder):
        os.chdir(setting.folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            scene = load(setting.scene, {**setting.options, **values})
            done = run(scene, setting.engine, steps=setting.steps, progress=False, record=False, replay=False)
        except (ValueError, ImportError, OSError) as error:  # what `softcontact run` answers with exit code 2
            if isinstance(error.__cause__, MemoryError):  # inside a scene file
                raise error.__cause__ from None
            return _refused(str(error) or type(error).__name__)
    said = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning))
    return {
        "exit_code": done.exit_code,
        "message": done.message,
        "warnings": list(said),
        "summary": done.summary,
    }


def record(
    run_number: int, values: dict[str, Any], outcome: Outcome, memory_mb: float | None
) -> dict[str, Any]:
    """What is kept of a run: one file's contents."""
    kept = {
        "run": run_number,
        "parameters": values,
        "attempts": outcome.attempts,
        "elapsed_s": outcome.elapsed_s,
        "worker": outcome.worker,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    if outcome.error is None:
        return {**kept, "status": STATUS[outcome.value["exit_code"]], **outcome.value}
    status, message = _failure(outcome.error, memory_mb)
    return {**kept, "status": status, "exit_code": None, "message": message, "warnings": [], "summary": {}}


def whole_record(kept: Any, run_number: int, values: dict[str, Any]) -> bool:
    """Whether what a file holds is a record of this run with these values, as `record` makes it."""
    try:
        code, status = kept["exit_code"], kept["status"]
        ended = STATUS.get(code) == status if code is not None else status in LOST
        typed = all(_is(kept[name], kind) for name, kind in _FIELDS.items())
        same = json.dumps(kept["parameters"]) == json.dumps(values) and kept["run"] == run_number
        if not (ended and typed and same and all(isinstance(line, str) for line in kept["warnings"])):
            return False
    except (TypeError, KeyError, ValueError, RecursionError):
        return False
    return _shallow(kept["summary"], _DEEPEST)


def _shallow(value: Any, levels: int) -> bool:
    """Whether data are nested in at most so many levels, so that a table can be made of them."""
    if not isinstance(value, dict | list):
        return True
    entries = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_shallow(entry, levels - 1) for entry in entries)


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _failure(error: BaseException, memory_mb: float | None) -> tuple[str, str]:
    text = " ".join(str(error).split())
    if isinstance(error, TimeLimitReached):
        return TIME_LIMIT, text
    if isinstance(error, MemoryError):
        limit = "no memory left" if memory_mb is None else f"needs more than {memory_mb:g} MB"
        return MEMORY_LIMIT, f"{limit}: {text}" if text else limit
    if isinstance(error, ProcessLost):
        return CRASHED, text
    return ERROR, f"{type(error).__name__}: {text}"


def _refused(message: str) -> dict[str, Any]:
    return {"exit_code": WRONG_INPUT, "message": message, "warnings": [], "summary": {}}
