# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a folder's sweep is the one that is asked for, and what is different about it in the user's words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_REMEDY = "give the command that began it, or begin a new sweep with another --out"
# What is given once, by the option that gives it.
_SINGLE = {
    "scene": "scene",
    "engine": "--engine",
    "design": "--design",
    "samples": "--samples",
    "seed": "--seed",
    "steps": "--steps",
}
_NAMED = {"parameters": "--param", "options": "--set"}


def difference(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """What makes the sweep that is asked for another one than that stored, and what to do; empty where nothing does.

    Args:
        stored: plan as it was read, of which nothing is certain but that it is a dictionary.
        asked: identity of the sweep asked for; see Plan.
    """
    changed = [key for key, value in asked.items() if stored.get(key) != value]
    # A scene that is another has another hash, too; of the rest the first difference says enough.
    changed.sort(key=["version", "scene", "scene_sha256", *_SINGLE, *_NAMED, "files"].index)
    if not changed:
        names = list(stored["parameters"])
        if names == list(asked["parameters"]):
            return ""
        return f"its --param come in another order; give them as {', '.join(names)}"
    key = changed[0]
    if key == "version":
        return (
            f"it was begun with softcontact {stored.get(key)}, and this is {asked[key]}; go on with that version, or "
            "begin a new sweep with another --out"
        )
    if key == "scene_sha256":
        return (
            f"the scene file of {asked['scene']} has changed since it began; put the file back as it was, or begin a "
            "new sweep with another --out"
        )
    if key == "files":
        return _files(stored.get(key), asked[key])
    if key in _NAMED:
        return f"its {_NAMED[key]} {_named(stored.get(key), asked[key])}; {_REMEDY}"
    return f"its {_SINGLE[key]} {_pair(stored.get(key), asked[key])}; {_REMEDY}"


def _named(stored: Any, asked: Mapping[str, Any]) -> str:
    """The first name that has another value, or that only one of them has."""
    known = stored if isinstance(stored, dict) else {}
    for name in [*known, *asked]:
        if known.get(name) != asked.get(name):
            return f"{name} {_pair(known.get(name), asked.get(name))}"
    return "is damaged"


def _pair(stored: Any, asked: Any) -> str:
    if asked is None:
        return f"is {_short(stored)}, and is not given now"
    if stored is None:
        return f"is not given, and is {_short(asked)} now"
    return f"is {_short(stored)}, not {_short(asked)}"


def _files(stored: Any, asked: Mapping[str, str]) -> str:
    known = stored if isinstance(stored, dict) else {}
    name = next((name for name in [*known, *asked] if known.get(name) != asked.get(name)), "that it reads")
    if name not in asked:
        return (
            f"the file {name} is not there now; put it back, or go to the folder that the sweep was begun in"
        )
    what = "has changed since it began" if name in known else "was not there when it began"
    return f"the file {name} {what}; put things back as they were, or begin a new sweep with another --out"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
