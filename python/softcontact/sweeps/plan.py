# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which runs a sweep makes: the design, checked before anything runs, and what makes it the same sweep again."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import softcontact
from softcontact.engines import ENGINES
from softcontact.runner import MOST_STEPS
from softcontact.scene.errors import SceneError, nearest
from softcontact.sweeps.parameters import Parameter, Range
from softcontact.sweeps.source import SceneSource, file_hash

FORMAT = "softcontact-sweep-1"
DESIGNS = ("grid", "random", "lhs")
MOST_RUNS = 1_000_000
_LIKE_RANGE = re.compile(
    r"[-+.\d]+\s*(?:[:;/]|\.\.+|-|to|\s)\s*[-+.\d]\S*"
)  # what no number, but perhaps a range is
_CHECKED = 1000  # points whose options are checked beforehand; of more, as many evenly spaced ones


@dataclass(frozen=True)
class Plan:
    """A sweep before it runs.

    Attributes:
        identity: what makes a sweep the same one, as plain data: software version, scene and its hash, engine, steps,
            options, parameters, design, samples, seed, hashes of the files that values name.
        parameters: names of what is varied.
        points: values of the parameters, one row a run.
        units: of the parameters, as their help texts tell them; "" where there is none.
    """

    identity: dict[str, Any]
    parameters: tuple[str, ...]
    points: tuple[tuple[Any, ...], ...]
    units: tuple[str, ...]

    def values(self, run: int) -> dict[str, Any]:
        """Parameters of a run, by name."""
        return dict(zip(self.parameters, self.points[run], strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, for sweep.json."""
        return {"format": FORMAT, **self.identity, "points": [list(point) for point in self.points]}


def plan(
    source: SceneSource,
    parameters: Sequence[Parameter],
    *,
    options: dict[str, Any],
    engine: str,
    steps: int | None,
    design: str,
    samples: int | None,
    seed: int,
) -> Plan:
    """Make the design and check everything that can be checked without running.

    Args:
        source: the scene.
        parameters: what is varied.
        options: options of the scene that all runs share.
        engine: "embedded" or "sofa".
        steps: of each run; None: the scene's duration.
        design: "grid" (product of all values), "random" or "lhs" (Latin hypercube).
        samples: runs of a random or Latin hypercube design.
        seed: of these.
    Raises:
        SceneError: one line naming what is wrong and how to mend it.
    """
    if design not in DESIGNS:
        raise SceneError(f"design: no design '{design}'" + nearest(design, DESIGNS))
    if engine not in ENGINES:
        raise SceneError(f"engine: no engine '{engine}'" + nearest(engine, ENGINES))
    for name, value, least in (("steps", steps, 1), ("samples", samples, 1), ("seed", seed, 0)):
        if value is not None and not (isinstance(value, int | np.integer) and value >= least):
            raise SceneError(f"{name}: {value!r} is not a whole number ≥ {least}")
    if steps is not None and steps > MOST_STEPS:
        raise SceneError(f"steps: {steps} are more than {MOST_STEPS}; give fewer")
    for one in parameters:
        if one.name in options:
            raise SceneError(f"{one.name}: both varied and set; keep --param or --set")
    # Before any value is built: a range names its count in a few characters.
    count = _count(parameters, design, samples)
    if count > MOST_RUNS:
        raise SceneError(f"{count} runs are more than {MOST_RUNS}; give fewer values")
    names = tuple(one.name for one in parameters)
    # The first look at the scene: no value is to blame for what is wrong with its file.
    units = tuple(map(source.unit, names))
    # What a value may be can depend on others, so each is judged beside the first ones of the other parameters.
    firsts = {**options, **{one.name: _raw(source, one, design)[0] for one in parameters}}
    columns = [_axis(source, one, design, firsts) for one in parameters]
    points = list(itertools.product(*columns)) if design == "grid" else _drawn(columns, design, count, seed)
    stride = -(-len(points) // _CHECKED)
    for point in points[::stride]:
        source.typed({**options, **dict(zip(names, point, strict=True))})
    # These, too, beside the others: alone they may have no effect.
    beside = source.typed({**options, **dict(zip(names, points[0], strict=True))})
    fixed = {name: beside[name] for name in options}
    values = {value for column in columns if isinstance(column, list) for value in map(str, column)}
    identity = {
        "version": softcontact.__version__,
        "scene": source.where,
        "scene_sha256": source.sha256(),
        "engine": engine,
        "steps": None if steps is None else int(steps),
        "options": fixed,
        "parameters": {one.name: one.described() for one in parameters},
        "design": design,
        "samples": None if samples is None else int(samples),
        "seed": None if design == "grid" else int(seed),
        "files": _files({*values, *map(str, fixed.values())}),
    }
    return Plan(json.loads(json.dumps(identity)), names, tuple(map(tuple, points)), units)


def _count(parameters: Sequence[Parameter], design: str, samples: int | None) -> int:
    """How many runs a design has; a range without a count, which a grid refuses later, counts as one value.

    Raises:
        SceneError: samples are missing, or given for a grid.
    """
    if design != "grid":
        if samples is None:
            raise SceneError(f"samples: missing; tell how many runs --design {design} has by --samples N")
        return int(samples)
    if samples is not None:
        raise SceneError("samples: of --design random or lhs; a grid has the product of all values")
    return math.prod(
        one.given.count or 1 if isinstance(one.given, Range) else len(one.given) for one in parameters
    )


def _raw(source: SceneSource, one: Parameter, design: str) -> list[Any]:
    """Values of a parameter as they were given; the ends of a range that a design draws from.

    Raises:
        SceneError: a range of the wrong kind for the design.
    """
    if not isinstance(one.given, Range):
        return list(one.given)
    whole, low, high = source.whole(one.name), one.given.low, one.given.high
    if design == "grid":
        if one.given.count is None:
            raise SceneError(
                f"{one.name}: {one.given} does not tell how many values; for a grid write {one.given}:5, or use "
                "--design lhs --samples N"
            )
        return list(one.given.values(whole))
    if one.given.count is not None:
        raise SceneError(
            f"{one.name}: {one.given} names {one.given.count} values, of a grid; for --design {design} write "
            f"{low:g}:{high:g}"
        )
    if not whole:
        return [low, high]
    if not (float(low).is_integer() and float(high).is_integer()):
        raise SceneError(f"{one.name}: {one.given} is not between whole numbers, which it takes")
    return [int(low), int(high)]


def _axis(
    source: SceneSource, one: Parameter, design: str, firsts: dict[str, Any]
) -> list[Any] | tuple[float, float, bool]:
    """Validated values of a parameter, or (low, high, whole) where a design draws from between."""
    raw = _raw(source, one, design)
    found = [_typed(source, one.name, value, firsts) for value in raw]
    seen = set()
    for value in found:
        key = _hashable(value)
        if key in seen:
            raise SceneError(f"{one.name}: {value} is given twice; keep one")
        seen.add(key)
    if isinstance(one.given, Range) and design != "grid":
        return found[0], found[1], source.whole(one.name)
    return found


def _typed(source: SceneSource, name: str, value: Any, firsts: dict[str, Any]) -> Any:
    """A value of a parameter, validated.

    Raises:
        SceneError: it is refused; the message names the parameter, and how ranges are written where one was meant.
    """
    try:
        return source.typed({**firsts, name: value})[name]
    except SceneError as error:
        text = str(error) if name in str(error) else f"{name}={value}: {error}"
        if isinstance(value, str) and _LIKE_RANGE.fullmatch(value):
            text += f"; a range stands alone and is written {name}=0.1:1:10, values {name}=0.1,0.5"
        raise SceneError(text) from None


def _hashable(value: Any) -> Any:
    """A stand-in for plain data that is equal where the data are, and can be in a set."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(entry)) for key, entry in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _drawn(columns: Sequence[Any], design: str, count: int, seed: int) -> list[tuple[Any, ...]]:
    generator = np.random.default_rng(seed)
    if design == "lhs":
        from scipy.stats import qmc  # takes half a second to load

        shares = qmc.LatinHypercube(len(columns), seed=generator).random(count)
    else:
        shares = generator.random((count, len(columns)))
    return list(zip(*(_at(column, shares[:, k]) for k, column in enumerate(columns)), strict=True))


def _at(column: Any, shares: Any) -> list[Any]:
    """What of a parameter lies at these shares (n,) of it, in [0, 1)."""
    if isinstance(column, list):
        return [column[int(share * len(column))] for share in shares]
    low, high, whole = column
    if whole:
        return [int(low) + int(share * (high - low + 1)) for share in shares]
    return [float(low + share * (high - low)) for share in shares]


def _files(values: set[str]) -> dict[str, str]:
    """Hashes of the files that values name."""
    found = {}
    for value in sorted(values):
        try:
            if Path(value).is_file():
                found[value] = file_hash(Path(value))
        except (OSError, ValueError):  # a text that can be no file name
            continue
    return found
