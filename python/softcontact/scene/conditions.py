# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options of a scene that have an effect only where another one has some value; given elsewhere, they are refused.

class Options(SceneOptions):
    ball: float | None = None
    place: float = 0.0
    conditions = (unless("place", ball=None),)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

__all__ = ["Condition", "check_effects", "check_names", "only", "unless"]


@dataclass(frozen=True)
class Condition:
    """What some options need of another one.

    Attributes:
        options: their names.
        other: name of the other option.
        values: of it; None stands for one that is not given.
        wanted: whether it has to have one of these, or none of them.
    """

    options: tuple[str, ...]
    other: str
    values: tuple[Any, ...]
    wanted: bool

    def holds(self, options: BaseModel) -> bool:
        """Whether the options meet it."""
        return (getattr(options, self.other) in self.values) is self.wanted

    @property
    def text(self) -> str:
        """For people."""
        if self.values == (None,):
            return f"only without {self.other}" if self.wanted else f"only with {self.other}"
        values = " or ".join(map(_shown, self.values))
        return f"only with {self.other}={values}" if self.wanted else f"not with {self.other}={values}"

    def refusal(self, options: BaseModel) -> str:
        """Why it does not hold, and what to do, as the end of a sentence."""
        has = getattr(options, self.other)
        found = f"without {self.other}" if has is None else f"with {self.other}={_shown(has)}"
        remedy = "leave one of them out"
        if self.wanted and self.values != (None,):
            remedy = f"give {self.other}={_shown(self.values[0])}, or leave it out"
        elif not self.wanted:
            remedy = f"give {'' if has is None else 'another '}{self.other}, or leave it out"
        return f"{found}; {remedy}"


def only(*options: str, **other: Any) -> Condition:
    """Options that have an effect only where another one has a value, or one of a tuple of values.

    Args:
        options: their names.
        other: the other option's name and value, such as drive="device", or file=None: where file is not given.
    """
    return _condition(options, other, True)


def unless(*options: str, **other: Any) -> Condition:
    """Options that have an effect everywhere but where another one has a value; see only()."""
    return _condition(options, other, False)


def _condition(options: tuple[str, ...], other: dict[str, Any], wanted: bool) -> Condition:
    ((name, value),) = other.items()
    return Condition(options, name, value if isinstance(value, tuple) else (value,), wanted)


def check_names(model: type[BaseModel], conditions: Iterable[Condition]) -> None:
    """See that a model has the options that conditions are about.

    Raises:
        TypeError: it has not.
    """
    for condition in conditions:
        for name in (*condition.options, condition.other):
            if name not in model.model_fields:
                raise TypeError(f"{model.__name__}.conditions: there is no option {name!r}")


def check_effects(options: BaseModel, conditions: Iterable[Condition]) -> None:
    """See that every option that is not at its default has an effect.

    Raises:
        ValueError: one has none; names it, its value, the reason and the remedy.
    """
    for condition in conditions:
        for name in condition.options if not condition.holds(options) else ():
            value = getattr(options, name)
            if value != type(options).model_fields[name].get_default(call_default_factory=True):
                raise ValueError(f"{name}: {_shown(value)} has no effect {condition.refusal(options)}")


def _shown(value: Any) -> str:
    """A value as --set takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
