# SPDX-License-Identifier: LGPL-2.1-or-later
"""Docstrings as they are written here turned into what Sphinx reads.

They are plain text: `names` in single quotes of code, formulas and tables indented, a colon wherever one is due.
"""

import importlib
import re
from typing import Any

from pydantic import BaseModel
from sphinx.application import Sphinx

_SPECIAL = re.compile(r"([\\*|_])")
_CODE = re.compile(r"(``[^`]+``|`[^`]+`)")
_SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Source|Warns|Yields):$")
_COLON = "\ue000"  # of an attribute's text, which Napoleon would take for the end of a type


def setup(app: Sphinx) -> dict[str, bool]:
    """Have every docstring rewritten before Napoleon looks for its sections."""
    app.connect("autodoc-process-docstring", _rewrite, priority=400)
    app.connect("autodoc-process-docstring", _colons_back, priority=600)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True}


def _rewrite(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    if what == "attribute":
        lines[:] = [_escaped(line).replace(":", _COLON) for line in lines]
        end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
        lines[end:end] = _default(name)  # in the first paragraph
        return
    lines[:] = [line for paragraph in _paragraphs(lines) for line in [*_paragraph(*paragraph), ""]]


def _paragraphs(lines: list[str]) -> list[tuple[list[str], bool]]:
    """Lines between blank ones, and whether they belong to a section such as Args."""
    found: list[tuple[list[str], bool]] = []
    section, current = False, []
    for line in [*lines, ""]:
        if line.strip():
            if not line.startswith(" "):
                section = bool(_SECTION.match(line))
            current.append(line)
        elif current:
            found.append((current, section and current[0].startswith(" ")))
            current = []
    return found


def _paragraph(lines: list[str], in_section: bool) -> list[str]:
    indented = all(line.startswith("  ") for line in lines)
    if in_section or not indented:
        return [_escaped(line) for line in lines]
    if lines[0].lstrip().startswith("- "):
        margin = len(lines[0]) - len(lines[0].lstrip())
        return [_escaped(line[margin:]) for line in lines]
    return ["::", "", *lines]


def _escaped(line: str) -> str:
    """Names in code style, and the letters that mean something to reStructuredText as themselves."""
    parts = _CODE.split(line)
    return "".join(
        f"``{part.strip('`')}``" if index % 2 else _SPECIAL.sub(r"\\\1", part)
        for index, part in enumerate(parts)
    )


def _default(name: str) -> list[str]:
    """What a field of a scene's part is when it is left out."""
    module, part, field = name.rsplit(".", 2)
    owner: Any = getattr(importlib.import_module(module), part, None)
    if not (isinstance(owner, type) and issubclass(owner, BaseModel) and field in owner.model_fields):
        return []
    info = owner.model_fields[field]
    if info.is_required():
        return ["Required."]
    # Where it is None the text says what that means; parts with defaults of their own are described as such.
    if info.default is None or info.default_factory is not None or isinstance(info.default, BaseModel):
        return []
    return [f"Default: ``{info.default!r}``."]


def _colons_back(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def _signature(app: Sphinx, what: str, name: str, obj: object, *_: object) -> tuple[str, None] | None:
    """Leave out the parameters of a scene's parts: each of their fields is described below."""
    if isinstance(obj, type) and issubclass(obj, BaseModel):
        return "", None
    return None


def _skip(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out what is not ours: fields of named tuples told by their class, pydantic's settings."""
    text = getattr(obj, "__doc__", None) or ""
    return True if name.startswith("model_") or text.startswith("Alias for field number") else None
