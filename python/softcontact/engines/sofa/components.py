# SPDX-License-Identifier: LGPL-2.1-or-later
"""Components by name, for SOFA graphs written in Python: a typo fails with the nearest right name."""

from collections.abc import Iterable, Sequence
from typing import Any

from softcontact.scene.errors import nearest

_SPECIAL = frozenset({"name", "template", "src", "tags"})  # what SOFA takes for every component
_registered: set[str] = set()


def add(node: Any, component: str | Sequence[str], /, **data: Any) -> Any:
    """Add a component to a node.

    Args:
        node: SOFA node.
        component: name of the component, or the names that it had in several versions, the newest first; the
            first that is registered counts.
        data: values of its Data and links by name.
    Returns:
        The component.
    Raises:
        ValueError: no loaded plugin has the component, it has no such Data, or it refuses a value.
    """
    names = (component,) if isinstance(component, str) else tuple(component)
    name = _registered_name(names)
    before = len(list(node.objects))
    try:
        made = node.addObject(name, **data)
    except (TypeError, ValueError, RuntimeError) as error:
        for unfinished in list(node.objects)[before:]:
            node.removeObject(unfinished)
            _check_data(name, data, unfinished)
        text = " ".join(str(error).split()) or "SOFA cannot make it"
        raise ValueError(f"{name} in node '{node.name.value}': {text}; see SOFA's messages above") from None
    _check_data(name, data, made)
    return made


def data_names(component: Any) -> set[str]:
    """Names of the Data and the links of a component."""
    return {part.getName() for part in (*component.getDataFields(), *component.getLinks())}


def registered(component: str) -> bool:
    """Whether a loaded plugin has the component."""
    if component not in _registered:
        _registered.update(_list_components())
    return component in _registered


def _check_data(name: str, data: Iterable[str], made: Any) -> None:
    for key in data:
        if key in _SPECIAL or made.findData(key) is not None or made.findLink(key) is not None:
            continue
        raise ValueError(f"{name} has no Data '{key}'" + nearest(key, data_names(made)))


def _registered_name(names: Sequence[str]) -> str:
    for name in names:
        if registered(name):
            return name
    listed = " or ".join(f"'{name}'" for name in names)
    hint = nearest(names[0], _registered)
    if "did you mean" not in hint:
        hint = "; load its plugin with RequiredPlugin first"
    raise ValueError(f"no loaded SOFA plugin has a component {listed}{hint}")


def _list_components() -> Iterable[str]:
    import Sofa.Core

    for entry in Sofa.Core.ObjectFactory.components:
        yield entry.className
        yield from entry.aliases
