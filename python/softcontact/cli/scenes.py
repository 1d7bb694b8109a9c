# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact scenes`."""

import json
from typing import Annotated, Any

import typer
from pydantic_core import PydanticUndefined

from softcontact.cli.console import console
from softcontact.messages import option_text
from softcontact.scene.errors import SceneError
from softcontact.scene.library import SceneModule, find, load_module, names


def command(
    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENE", help="Show this scene only: a name, or a scene file.", show_default="all"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")] = False,
) -> int:
    """List the scenes with their options, defaults and units."""
    chosen = names() if scene is None else {scene: find(scene)}
    listed = {name: _described(path) for name, path in chosen.items()}
    if as_json:
        print(json.dumps(listed))
        return 0
    screen = console()
    for name, entry in listed.items():
        screen.print(f"[bold]{name}[/]", soft_wrap=True)
        screen.print(f"  {entry['error'] or entry['description']}", markup=False, soft_wrap=True)
        for option in entry["options"]:
            line = f"    --set {option['name']}={option_text(option['default'])}"
            screen.print(f"{line:<40} {option['help']}", markup=False, soft_wrap=True)
    if not listed:
        screen.print("no scenes are installed")
    return 0


def _described(path: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"file": str(path), "description": "", "options": [], "error": ""}
    if path.suffix != ".py":
        return entry | {"description": "scene file"}
    try:
        module = load_module(path)
    except SceneError as error:
        return entry | {"error": str(error)}
    return entry | {"description": module.description, "options": _options(module)}


def _options(module: SceneModule) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "default": _default(field),
            "type": _type(field.annotation),
            "help": _help(module, name, field),
        }
        for name, field in module.options.model_fields.items()
    ]


def _help(module: SceneModule, name: str, field: Any) -> str:
    conditions = getattr(module.options, "conditions", ())
    needs = [condition.text for condition in conditions if name in condition.options]
    return " ".join([field.description or "", *(f"{text[0].upper()}{text[1:]}." for text in needs)]).strip()


def _default(field: Any) -> Any:
    default = field.get_default(call_default_factory=True)
    if default is PydanticUndefined:
        return None
    return default if isinstance(default, bool | int | float | str | list | tuple | None) else str(default)


def _type(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")
