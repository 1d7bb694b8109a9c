# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene of a sweep: its options checked without building it, and what identifies it and the files it reads."""

from __future__ import annotations

import hashlib
import typing
from pathlib import Path
from typing import Any

from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.files import read
from softcontact.scene.library import find, load_module, names, scene_name, typed
from softcontact.scene.model import Scene


class SceneSource:
    """A scene by name or by file.

    Attributes:
        name: what it goes by.
        where: name or absolute path to load it from.
        path: its file.
    Raises:
        SceneError: there is none, or its file cannot be used.
    """

    def __init__(self, scene: str | Path) -> None:
        self.path = find(scene).resolve()
        self.name = scene_name(self.path)
        known = names().get(self.name)
        self.where = self.name if known is not None and known.resolve() == self.path else str(self.path)
        self._module = load_module(self.path) if self.path.suffix.lower() == ".py" else None
        self._built: Scene | None = None if self._module is not None else read(self.path)

    def sha256(self) -> str:
        """Hash of the scene's file."""
        return file_hash(self.path)

    def typed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Values given for some options or fields, validated, as plain data.

        Raises:
            SceneError: an unknown option, or a value that is refused.
        """
        if self._module is None:
            assert self._built is not None
            for key in given:
                if key.split(".")[0] not in Scene.model_fields:
                    raise SceneError(
                        f"{self.name}: unknown option '{key}'" + nearest(key, Scene.model_fields)
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
        """Whether an option takes whole numbers."""
        fields = self._module.options.model_fields if self._module is not None else {}
        return name in fields and _takes_whole(fields[name].annotation)


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _takes_whole(annotation: Any) -> bool:
    arguments = typing.get_args(annotation)
    if not arguments:
        return annotation is int
    return any(map(_takes_whole, arguments)) and float not in arguments
