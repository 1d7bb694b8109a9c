# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene of a sweep: its options checked without building it, and what identifies it and the files it reads."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import typing
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from softcontact.isolated import IsolatedProcess, Limits, ProcessLost, TimeLimitReached
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.files import read
from softcontact.scene.library import find, load_module, names, scene_name, typed
from softcontact.scene.model import Scene

_UNIT = re.compile(r"\[([^][,]{1,12})\]")


class SceneSource:
    """A scene by name or by file; a context manager.

    Args:
        scene: name, or path of its file.
        limits: of a run. With any, the file is loaded in a process of its own, and each look at it may take what a
            run may: a scene file is a program, and one that hangs or eats memory does so as it is loaded, too.
    Attributes:
        name: what it goes by.
        where: name or absolute path to load it from.
        path: its file.
    Raises:
        SceneError: there is none; whoever asks about its options learns, too, that its file cannot be used.
    """

    def __init__(self, scene: str | Path, limits: Limits | None = None) -> None:
        self.path = find(scene).resolve()
        self.name = scene_name(self.path)
        known = names().get(self.name)
        self.where = self.name if known is not None and known.resolve() == self.path else str(self.path)
        self._limits = limits or Limits()
        self._process = None if self._limits == Limits() else IsolatedProcess()
        self._here: _Loaded | None = None
        self._told: set[str] = set()  # warnings, each once

    def sha256(self) -> str:
        """Hash of the scene's file."""
        return file_hash(self.path)

    def typed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Values given for some options or fields, validated, as plain data.

        Raises:
            SceneError: an unknown option, a value that is refused, or a file that cannot be used.
        """
        return self._ask(_Loaded.typed, given)

    def whole(self, name: str) -> bool:
        """Whether an option takes whole numbers.

        Raises:
            SceneError: the file cannot be used.
        """
        return self._ask(_Loaded.whole, name)

    def unit(self, name: str) -> str:
        """Unit of an option, as its help text tells it in brackets; empty where there is none.

        Raises:
            SceneError: the file cannot be used.
        """
        return self._ask(_Loaded.unit, name)

    def close(self) -> None:
        """End the process that looks at the scene, if there is one."""
        if self._process is not None:
            self._process.close()

    def __enter__(self) -> SceneSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        if self._process is None:
            self._here = self._here or _Loaded(self.path)
            return question(self._here, *arguments)
        looking, limits = f"{self.path}: loading it and checking its options", self._limits
        try:
            answer, said = self._process.call(_answer, self.path, question, *arguments, limits=limits)
        except TimeLimitReached:
            raise SceneError(
                f"{looking} takes more than {limits.time_s:g} s; give a larger --time-limit, or mend the scene file"
            ) from None
        except MemoryError as error:
            most = f"{limits.memory_bytes / 1e6:g} MB" if limits.memory_bytes else "there is"
            more = f" ({error})" if str(error) else ""
            raise SceneError(
                f"{looking} needs more memory than {most}{more}; give a larger --memory-limit, or mend the scene file"
            ) from None
        except ProcessLost as error:
            raise SceneError(f"{looking} fails: {error}; mend the scene file") from None
        for line in said:
            if line not in self._told:
                self._told.add(line)
                warnings.warn(line, UserWarning, stacklevel=2)
        return answer


class _Loaded:
    """A scene's file, loaded."""

    def __init__(self, path: Path) -> None:
        self._name = scene_name(path)
        self._module = load_module(path) if path.suffix.lower() == ".py" else None
        self._built: Scene | None = None if self._module is not None else read(path)

    def typed(self, given: dict[str, Any]) -> dict[str, Any]:
        if self._module is None:
            assert self._built is not None
            for key in given:
                if key.split(".")[0] not in Scene.model_fields:
                    raise SceneError(
                        f"{self._name}: unknown option '{key}'" + nearest(key, Scene.model_fields)
                    )
            changes = {key: typed(value, True) for key, value in given.items()}
            self._built.with_changes(changes)
            return changes
        checked, changes = self._module.checked(given)
        if changes:
            if self._built is None:
                self._built = self._module.scene({k: v for k, v in given.items() if k not in changes})
            self._built.with_changes(changes)
        return {
            **{key: value for key, value in checked.model_dump(mode="json").items() if key in given},
            **changes,
        }

    def whole(self, name: str) -> bool:
        return name in self._fields and _takes_whole(self._fields[name].annotation)

    def unit(self, name: str) -> str:
        text = (self._fields[name].description or "") if name in self._fields else ""
        found = _UNIT.search(text)
        return "" if found is None or found[1] in ("-", "1") else found[1]

    @property
    def _fields(self) -> dict[str, Any]:
        return self._module.options.model_fields if self._module is not None else {}


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _answer(path: Path, question: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """In the process that looks at a scene: the answer, and the warnings on the way to it.

    Raises:
        MemoryError: inside the scene's file, too.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            answer = question(_loaded(path), *arguments)
        except SceneError as error:
            if isinstance(error.__cause__, MemoryError):
                raise error.__cause__ from None
            raise
    return answer, [str(w.message) for w in caught if issubclass(w.category, UserWarning)]


@functools.cache  # in a process that ends before the runs begin; in one that lives on, the file may change
def _loaded(path: Path) -> _Loaded:
    """The scene's file, loaded by the first look at it.

    Raises:
        MemoryError: the limit leaves nothing to load it into.
    """
    if sys.platform.startswith("linux"):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
        taken = int(re.search(r"VmData:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
        if resource.RLIM_INFINITY != limit <= taken:
            raise MemoryError(f"the program itself takes {taken / 1e6:.0f} MB")
    return _Loaded(path)


def _takes_whole(annotation: Any) -> bool:
    arguments = typing.get_args(annotation)
    if not arguments:
        return annotation is int
    return any(map(_takes_whole, arguments)) and float not in arguments
