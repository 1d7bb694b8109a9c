# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a sweep varies: ranges of numbers and lists of values, as written on the command line or given in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softcontact.scene.errors import SceneError

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\s*:\s*({_NUMBER})(?:\s*:(.*))?")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`.

    Attributes:
        low, high: both belong to it.
        count: of equally spaced values, for a grid; None: any number between them, for a random or Latin hypercube
            design.
    """

    low: float
    high: float
    count: int | None = None

    def __str__(self) -> str:
        ends = f"{self.low:.12g}:{self.high:.12g}"
        return ends if self.count is None else f"{ends}:{self.count}"

    def values(self, whole: bool) -> list[float | int]:
        """The equally spaced values; whole numbers where all are and `whole` is asked for."""
        assert self.count is not None
        step = (self.high - self.low) / max(self.count - 1, 1)
        # Twelve digits: 0.3, not 0.30000000000000004.
        found = [float(f"{self.low + k * step:.12g}") for k in range(self.count)]
        return [int(x) for x in found] if whole and all(x.is_integer() for x in found) else found


@dataclass(frozen=True)
class Parameter:
    """One thing that a sweep varies.

    Attributes:
        name: option of the scene, or path of a field such as contact.friction.
        given: a range, or the values; these may be texts, as on the command line.
    """

    name: str
    given: Range | tuple[Any, ...]

    def described(self) -> str:
        """The parameter as the command line writes it."""
        return str(self.given) if isinstance(self.given, Range) else ",".join(map(str, self.given))


def parse(text: str) -> Parameter:
    """The parameter that `name=a:b:n`, `name=a:b` or `name=v1,v2,…` tells.

    Commas inside brackets do not separate: fingers=[thumb,index],[thumb,middle].

    Raises:
        SceneError: not of that form.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise SceneError(
            f"--param {text}: not of the form name=values; write friction=0.1:1:10, or object=ball,cube"
        )
    return parameter(name, value)


def parameter(name: str, given: Any) -> Parameter:
    """A parameter by name, with a Range, a sequence of values, or a text as on the command line.

    Raises:
        SceneError: no values, or a range that is none.
    """
    if isinstance(given, str):
        match = _RANGE.fullmatch(given.strip())
        if match:
            given = _range(name, *match.groups())
        else:
            given = [part.strip() for part in _split(given)]
            if not all(given):
                raise SceneError(f"{name}: a value is empty; write {name}=v1,v2,…")
    if isinstance(given, Range):
        return Parameter(name, _checked(name, given))
    if not isinstance(given, Iterable):
        raise SceneError(f"{name}: {given!r} is neither a Range nor a list of values; write [{given!r}]")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    if not values:
        raise SceneError(f"{name}: no values; give one or more")
    return Parameter(name, values)


def parameters(given: Mapping[str, Any] | Sequence[Parameter]) -> list[Parameter]:
    """What is varied, each once.

    Raises:
        SceneError: nothing, or one comes twice.
    """
    named = given if isinstance(given, Mapping) else {}
    found = [parameter(name, value) for name, value in named.items()] or list(given)
    if not found:
        raise SceneError("nothing is varied; give --param NAME=VALUES")
    for k, one in enumerate(found):
        if one.name in (other.name for other in found[:k]):
            raise SceneError(f"{one.name}: given twice; keep one --param")
    return found


def _range(name: str, low: str, high: str, count: str | None) -> Range:
    """The range that low:high:count tells.

    Raises:
        SceneError: its count is no whole number.
    """
    if count is not None and "," in count:
        raise SceneError(
            f"{name}: {low}:{high}:{count} is both a range and a list; write a range alone, {name}={low}:{high}:5, or "
            "every value, separated by commas"
        )
    if count is not None and not re.fullmatch(r"\s*[-+]?\d{1,18}\s*", count, re.ASCII):
        raise _no_count(name, low, high, f"'{count.strip()}'")
    return Range(float(low), float(high), None if count is None else int(count))


def _checked(name: str, given: Range) -> Range:
    low, high, count = given.low, given.high, given.count
    if not all(isinstance(end, int | float | np.number) and math.isfinite(end) for end in (low, high)):
        raise SceneError(f"{name}: {low!r}:{high!r} is no range; give two numbers")
    if not low < high:
        raise SceneError(f"{name}: {given} is no range; the first number must be below the second")
    if count is None:
        return Range(float(low), float(high))
    if not (isinstance(count, int | np.integer) and count >= 2):
        raise _no_count(name, f"{low:g}", f"{high:g}", repr(count))
    return Range(float(low), float(high), int(count))


def _no_count(name: str, low: str, high: str, count: str) -> SceneError:
    return SceneError(
        f"{name}: {low}:{high} with {count} values; the third number tells how many, a whole number of 2 or more: "
        f"{name}={low}:{high}:5"
    )


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
