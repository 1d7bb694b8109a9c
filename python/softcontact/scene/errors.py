# SPDX-License-Identifier: LGPL-2.1-or-later
"""One-line errors for wrong scenes: where, what, and how to mend it."""

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from softcontact import messages
from softcontact.messages import closest, nearest

_REMEDIES = {
    "finite_number": "is not a finite number; NaN and infinity are refused",
    "float_parsing": "is not a number",
    "float_type": "is not a number",
    "int_parsing": "is not a whole number",
    "int_type": "is not a whole number",
    "int_from_float": "is not a whole number",
    "bool_parsing": "is neither true nor false",
    "bool_type": "is neither true nor false",
    "string_type": "is not a text",
    "tuple_type": "is not a list; write it in brackets, such as [0, 0, 0.1]",
    "list_type": "is not a list; write it in brackets, such as [0, 0, 0.1]",
    "model_type": "is not a table of fields",
    "model_attributes_type": "is not a table of fields",
    "dict_type": "is not a table of fields",
}


class SceneError(ValueError):
    """A scene, an option or a file of one that cannot be used. The message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(messages.one_line(message))


class SceneWarning(UserWarning):
    """Something in a scene that is allowed, but probably not meant."""


def one_line(error: ValidationError, model: type[BaseModel], data: Any, source: str = "") -> SceneError:
    """The first defect of a validation as one line: field path, value, remedy.

    Args:
        error: what pydantic raised.
        model: the model that was validated.
        data: what was given to it.
        source: file name or option prefix put in front.
    """
    details = error.errors()
    # A list that lost a wrong entry is too short, too: that says nothing new.
    places = [item["loc"] for item in details]
    details = [d for d in details if not any(p[: len(d["loc"])] == d["loc"] != p for p in places)]
    # A wrong name explains more than what follows from it, such as a missing field.
    details.sort(key=lambda item: item["type"] != "extra_forbidden")
    first = details[0]
    path, models, description = _locate(first, model, data)
    text = _describe(first, models, description)
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return SceneError(": ".join(part for part in (source, path, text) if part) + more)


def _describe(item: Any, models: list[type[BaseModel]], description: str) -> str:
    kind, context = item["type"], item.get("ctx", {})
    value = repr(item.get("input"))
    value = value if len(value) <= 60 else value[:57] + "…"
    if kind == "extra_forbidden":
        return "unknown field" + nearest(str(item["loc"][-1]), (f for m in models for f in m.model_fields))
    if kind == "missing":
        return f"missing; give it ({description})" if description else "missing; give it"
    if kind == "union_tag_not_found":
        return f"kind is missing; give one of {', '.join(_kinds(models))}"
    if kind == "union_tag_invalid":
        return f"unknown kind {context.get('tag')!r}" + nearest(str(context.get("tag")), _kinds(models))
    if kind == "literal_error":
        expected = [part.strip(" '") for part in context["expected"].replace(" or ", ", ").split(", ")]
        return f"{value} is not one of {', '.join(expected)}" + _only_hint(item.get("input"), expected)
    if kind == "value_error":
        text = str(context.get("error", item["msg"]))
        return text if ";" in text else text + _hint(description)
    if kind in _REMEDIES:
        return f"{value} {_REMEDIES[kind]}" + (_begin_with_kind(item, models) or _hint(description))
    if kind in ("too_short", "missing") or kind.endswith("_too_short"):
        return item["msg"][0].lower() + item["msg"][1:] + _hint(description)
    message = item["msg"].replace("Input should be", "must be")
    return f"{value} {message}" + _hint(description)


def _hint(description: str) -> str:
    return f" ({description})" if description else ""


def _only_hint(value: Any, expected: list[str]) -> str:
    return nearest(str(value), expected) if closest(str(value), expected) else ""


def _begin_with_kind(item: Any, models: list[type[BaseModel]]) -> str:
    """What to write in place of a word, where one of several kinds of parts is wanted: shape: {kind: box, …}."""
    word, kinds = item.get("input"), _kinds(models)
    if item["type"] != "model_attributes_type" or not isinstance(word, str) or len(kinds) < 2:
        return ""
    meant = closest(word, kinds)
    return f"; write {{kind: {meant}, …}}" if meant else f"; write {{kind: …}}, one of {', '.join(kinds)}"


def _kinds(models: list[type[BaseModel]]) -> list[str]:
    return [m.model_fields["kind"].default for m in models if "kind" in m.model_fields]


def _locate(item: Any, model: type[BaseModel], data: Any) -> tuple[str, list[type[BaseModel]], str]:
    """Follow an error's location: the path as users write it, the models it leads to, the field's text.

    Pydantic puts the tag of a union into the location; it is no field of the data and is left out.
    """
    path, models, description = "", [model], ""
    for element in item["loc"]:
        if isinstance(element, int):
            path += f"[{element}]"
            data = _entry(data, element)
            name = _entry(data, "name")
            path += f" ({name})" if isinstance(name, str) and name else ""
            continue
        owners = [m for m in models if element in m.model_fields]
        tagged = [m for m in models if element in _kinds([m])]
        if tagged and not (owners and _entry(data, element) is not None):
            models = tagged
            continue
        path += f".{element}" if path else str(element)
        data = _entry(data, element)
        if owners:
            field = owners[0].model_fields[element]
            description = (field.description or "").split("\n")[0].rstrip(".")
            models = list(dict.fromkeys(_models_in(field.annotation))) or models
        else:
            description = ""
    return path, models, description


def _entry(data: Any, key: Any) -> Any:
    try:
        return data[key]
    except (TypeError, KeyError, IndexError):
        return getattr(data, key, None) if isinstance(key, str) else None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)
