# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes as JSON and YAML files."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.whole_file import refusal, write_whole


class _Loader(yaml.SafeLoader):
    """Safe YAML that reads 1e-3 as a number and refuses a key given twice."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)$"),
    list("-+0123456789."),
)


def _unique_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    result: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                None, None, f"{key!r} is no field name", key_node.start_mark
            )
        if key in result:
            raise yaml.constructor.ConstructorError(
                None, None, f"{key!r} is given twice; keep one", key_node.start_mark
            )
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)


def parse_value(text: str) -> Any:
    """One value as YAML writes it: a number, a truth value, a list, a text."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError:
        return text


def read(path: str | Path) -> Scene:
    """The scene in a .json or .yaml file.

    Raises:
        SceneError: one line naming the file and what is wrong with it.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise SceneError(f"{path}: {error.strerror or error}; give a readable scene file") from None
    data = _parse_json(path, text) if path.suffix.lower() == ".json" else _parse_yaml(path, text)
    if not isinstance(data, dict):
        raise SceneError(f"{path}: holds no table of scene fields; begin with name, duration and bodies")
    return Scene.from_dict(data, folder=path.parent, source=str(path))


def write(scene: Scene, path: str | Path) -> Path:
    """Write a scene as .json or .yaml; reading it gives an equal scene.

    Raises:
        SceneError: another suffix, or the file cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".json":
        text = scene.to_json() + "\n"
    elif suffix in (".yaml", ".yml"):
        text = yaml.safe_dump(scene.to_dict(), sort_keys=False, allow_unicode=True, default_flow_style=None)
    else:
        raise SceneError(
            f"{path}: cannot write a scene as {suffix or 'a file without suffix'}; use .json or .yaml"
        )
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise SceneError(refusal(path, error)) from None
    return path


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise SceneError(f"{key!r} is given twice; keep one")
        result[key] = value
    return result


def _parse_json(path: Path, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique_object)
    except json.JSONDecodeError as error:
        raise SceneError(
            f"{path}: line {error.lineno}, column {error.colno}: {error.msg}; mend the JSON there"
        ) from None
    except RecursionError:
        raise SceneError(f"{path}: nested too deeply; a scene has a few levels") from None
    except SceneError as error:
        raise SceneError(f"{path}: {error}") from None
    except ValueError:  # Python's limit
        raise SceneError(f"{path}: a number has thousands of digits; write it shorter") from None


def _parse_yaml(path: Path, text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise SceneError(f"{path}: {where}{error.problem}; mend the YAML there") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SceneError(f"{path}: {error}; mend the YAML") from None
