# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes by name, and scene files in Python with typed options."""

import hashlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator

from softcontact.messages import closest, files_beside, nearest
from softcontact.scene.conditions import Condition, check_effects, check_names
from softcontact.scene.errors import SceneError, one_line
from softcontact.scene.files import parse_value, read
from softcontact.scene.model import Scene

SUFFIXES = (".py", ".json", ".yaml", ".yml")


class SceneOptions(BaseModel):
    """Base of a scene module's `Options`: a typo is refused, NaN is refused, docstrings are help texts.

    Attributes:
        conditions: of options that have an effect only where others allow it, besides those of the bases; such an
            option, given elsewhere, is refused. See softcontact.scene.conditions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)
    conditions: ClassVar[tuple[Condition, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "conditions" in cls.model_fields:
            raise SceneError("option 'conditions': the name has a meaning of its own; choose another one")
        bases = [base for base in cls.__mro__ if issubclass(base, SceneOptions)]
        cls.conditions = tuple(dict.fromkeys(c for base in reversed(bases) for c in base.conditions))
        check_names(cls, cls.conditions)

    @model_validator(mode="after")
    def _all_have_effects(self) -> "SceneOptions":
        check_effects(self, self.conditions)
        return self


@dataclass(frozen=True)
class SceneModule:
    """A scene file in Python.

    Attributes:
        name: file name without suffix, dashes for underscores.
        path: the file.
        description: first line of the module's docstring.
        options: model of the options that `scene` takes.
        build: the module's `scene`.
    """

    name: str
    path: Path
    description: str
    options: type[BaseModel]
    build: Callable[..., Scene]

    def checked(self, given: dict[str, Any]) -> tuple[BaseModel, dict[str, Any]]:
        """The options, validated, and those given that are fields of the scene, by their path; nothing is built.

        Args:
            given: values by name, or texts as on the command line.
        Raises:
            SceneError: an unknown option, or a value out of range.
        """
        own, changes = {}, {}
        for key, text in given.items():
            value = typed(text, key not in self.options.model_fields)
            if key in self.options.model_fields:
                own[key] = _listed(value, self.options.model_fields[key].annotation)
            elif key.split(".")[0] in Scene.model_fields and ("." in key or key in ("duration", "time_step")):
                changes[key] = value
            else:
                raise SceneError(
                    f"{self.name}: unknown option '{key}'" + nearest(key, self.options.model_fields)
                )
        try:
            checked = self.options.model_validate(own)
        except ValidationError as error:
            raise one_line(error, self.options, own, f"{self.name}: option") from None
        return checked, changes

    def scene(self, given: dict[str, Any]) -> Scene:
        """The scene with some options given; fields of the scene itself go by their path.

        Raises:
            SceneError: an unknown option, a value out of range, or a fault inside the scene file.
        """
        checked, changes = self.checked(given)
        values = {key: getattr(checked, key) for key in self.options.model_fields}
        scene = _guarded(self, lambda: self.build(**values))
        if not isinstance(scene, Scene):
            raise SceneError(
                f"{self.path}: scene() returned {type(scene).__name__}; return a softcontact Scene"
            )
        options = checked.model_dump(mode="json")
        return scene.with_options(options).with_changes(changes) if changes else scene.with_options(options)


def folders() -> list[Path]:
    """Where named scenes lie: in the installed package, then in a source checkout around it."""
    package = Path(__file__).resolve().parents[1]
    return [folder for folder in (package / "_scenes", package.parents[1] / "scenes") if folder.is_dir()]


def scene_name(path: Path) -> str:
    """The name that a scene file goes by: ball_close.py holds the scene ball-close."""
    return path.stem.replace("_", "-")


def names() -> dict[str, Path]:
    """Named scenes and their files, sorted."""
    found: dict[str, Path] = {}
    for folder in folders():
        for path in sorted(folder.iterdir()):
            if path.suffix in SUFFIXES and not path.name.startswith(("_", ".")):
                found.setdefault(scene_name(path), path)
    return dict(sorted(found.items()))


def find(scene: str | Path) -> Path:
    """The file of a scene given by name or by path.

    Raises:
        SceneError: neither is found.
    """
    path = Path(scene).expanduser()
    known = names()
    if path.suffix.lower() in SUFFIXES or "/" in str(scene) or os.sep in str(scene):
        if path.is_file() and path.suffix.lower() in SUFFIXES:
            return path
        if path.is_file():
            raise SceneError(f"{path}: not a scene file; give one that ends in {', '.join(SUFFIXES)}")
        raise SceneError(_missing_file(str(scene), known))
    if str(scene).replace("_", "-") in known:
        return known[str(scene).replace("_", "-")]
    name = str(scene)
    meant = closest(name, [*known, *files_beside(name, SUFFIXES)])
    hint = f"; did you mean '{meant}'? " if meant else f"{nearest(name, known)}; "
    raise SceneError(f"no scene '{name}'{hint}'softcontact scenes' lists them")


def _missing_file(given: str, known: Iterable[str]) -> str:
    path = Path(given).expanduser()
    if path.is_dir():
        hint = f"give {path / 'scene.json'}" if (path / "scene.json").is_file() else "give a file in it"
        return f"{given}: a folder, no scene file; {hint}"
    if not path.parent.is_dir():
        return f"{given}: no folder {path.parent}; check the path"
    meant = closest(given, [*files_beside(given, SUFFIXES), *known])
    folder = path.parent.resolve()
    hint = f"did you mean '{meant}'?" if meant else "check the path; 'softcontact scenes' lists those by name"
    return f"{given}: no such scene file in {folder}; {hint}"


def load(scene: str | Path, options: dict[str, Any] | None = None) -> Scene:
    """The scene given by name or by file, with options.

    Args:
        scene: a name from `names()`, or a .py, .json or .yaml file.
        options: options of a .py scene, or field paths such as "contact.friction" of any scene. Values may be
            texts, as on the command line.
    Raises:
        SceneError: one line naming what is wrong and how to mend it.
    """
    path = find(scene)
    given = dict(options or {})
    if path.suffix.lower() == ".py":
        return load_module(path).scene(given)
    loaded = read(path)
    for key in given:
        if key.split(".")[0] not in Scene.model_fields:
            raise SceneError(f"{path.stem}: unknown option '{key}'" + nearest(key, Scene.model_fields))
    return loaded.with_changes({k: typed(v, True) for k, v in given.items()}) if given else loaded


def load_module(path: str | Path) -> SceneModule:
    """A Python scene file: its `scene` function and its `Options`.

    `Options` is a pydantic model (SceneOptions gives the usual settings); without one, the options are the
    annotated arguments of `scene`.

    Raises:
        SceneError: the file cannot be run, or has no `scene` function.
    """
    path = Path(path).resolve()
    module = _guarded(path, lambda: _import(path))
    build = getattr(module, "scene", None)
    if not callable(build):
        raise SceneError(f"{path}: has no function scene(**options); define it and return a Scene")
    options = getattr(module, "Options", None)
    if options is None:
        options = _options_of(path, build)
    elif not (isinstance(options, type) and issubclass(options, BaseModel)):
        raise SceneError(
            f"{path}: Options is not a pydantic model; derive it from softcontact.scene.SceneOptions"
        )
    description = (inspect.getdoc(module) or "").strip().split("\n")[0]
    return SceneModule(scene_name(path), path, description, options, build)


def modules() -> Iterator[tuple[str, Path, SceneModule | SceneError]]:
    """Every named scene in Python, loaded, or the reason why not."""
    for name, path in names().items():
        if path.suffix == ".py":
            try:
                yield name, path, load_module(path)
            except SceneError as error:
                yield name, path, error


def _listed(value: Any, annotation: Any) -> Any:
    """A text with commas as a list, where the option is one: fingers=thumb,index."""
    if isinstance(value, str) and get_origin(annotation) in (tuple, list):
        return [part.strip() for part in value.split(",")]
    return value


def typed(value: Any, free: bool) -> Any:
    """A command-line text as the value that it writes; option models convert plain texts themselves."""
    if isinstance(value, str) and (free or value.startswith(("[", "{"))):
        return parse_value(value)
    return value


def _import(path: Path) -> ModuleType:
    # A name of its own for each file, so that two scenes called alike do not meet in sys.modules.
    name = f"softcontact_scene_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks up annotations there
    sys.path.insert(0, str(path.parent))
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
        sys.path.remove(str(path.parent))
    return module


def _guarded(where: Any, call: Callable[[], Any]) -> Any:
    path = Path(where.path if isinstance(where, SceneModule) else where)
    try:
        return call()
    except SceneError:
        raise
    except ValidationError as error:
        part = getattr(sys.modules["softcontact.scene"], error.title, Scene)
        raise SceneError(f"{path}: {error.title}: {one_line(error, part, None)}") from None
    except SystemExit as error:
        raise SceneError(
            f"{path}: calls sys.exit({error.code}); return a Scene from scene() instead"
        ) from None
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
        line = getattr(error, "lineno", None) or (frames[-1].lineno if frames else None)
        place = f"{path}:{line}" if line else str(path)
        text = getattr(error, "msg", None) or str(error)
        raise SceneError(
            f"{place}: {type(error).__name__}: {text}{_meant_import(text) or '; mend the scene file'}"
        ) from error


def _meant_import(text: str) -> str:
    """`; did you mean 'x'?` where a scene file imports what one of our modules does not have."""
    found = re.match(r"cannot import name '(\w+)' from '(softcontact[\w.]*)'", text)
    if found is None or found[2] not in sys.modules:
        return ""
    names = [name for name in dir(sys.modules[found[2]]) if not name.startswith("_")]
    meant = closest(found[1], names)
    return f"; did you mean '{meant}'?" if meant else ""


def _options_of(path: Path, build: Callable[..., Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(build, eval_str=True).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.default is parameter.empty:
            raise SceneError(f"{path}: option '{name}' of scene() has no default; give it one")
        annotation = (
            type(parameter.default) if parameter.annotation is parameter.empty else parameter.annotation
        )
        fields[name] = (annotation, parameter.default)
    return create_model("Options", __base__=SceneOptions, **fields)
