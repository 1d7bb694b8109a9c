# SPDX-License-Identifier: LGPL-2.1-or-later
"""Field types shared by the parts of a scene: finite numbers, vectors, quaternions, lengths."""

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def plain(value: Any) -> Any:
    """NumPy arrays and scalars as Python lists and numbers; a truth value is no number."""
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not true or false")
    return value.tolist() if hasattr(value, "tolist") else value


class Length:
    """Marks a field whose numbers carry one length unit, so that Scene.units can convert it to metres.

    Args:
        columns: in a table, the only columns that are lengths.
    """

    def __init__(self, columns: slice | None = None) -> None:
        self.columns = columns


def _unit(value: tuple[float, ...]) -> tuple[float, ...]:
    norm = math.sqrt(sum(x * x for x in value))
    if not abs(norm - 1) < 1e-3:
        raise ValueError(f"the quaternion has norm {norm:.6g}; give a unit quaternion (x, y, z, w)")
    # An exact unit quaternion stays as it is, so that saving and loading changes no bit.
    return value if abs(norm - 1) < 1e-12 else tuple(x / norm for x in value)


def rising(times: tuple[float, ...]) -> tuple[float, ...]:
    for index in range(1, len(times)):
        if not times[index] > times[index - 1]:
            raise ValueError(f"times must rise; entry {index} ({times[index]:g} s) does not")
    return times


def grasping(fingers: tuple[str, ...]) -> tuple[str, ...]:
    """The fingers of a grasp: each once, the thumb and at least one other."""
    twice = next((name for name in fingers if fingers.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"'{twice}' is given twice; name each finger once")
    if "thumb" not in fingers or len(fingers) < 2:
        given = ",".join(fingers) or "none"
        raise ValueError(f"{given}: a grasp needs the thumb and another finger; give e.g. thumb,index")
    return fingers


def _name(value: str) -> str:
    if not value or value != value.strip() or any(c in "/:" or not c.isprintable() for c in value):
        raise ValueError(f"{value!r} cannot be a name; use printable characters without '/' and ':'")
    return value


Real = Annotated[float, BeforeValidator(plain), Field(allow_inf_nan=False)]
Integer = Annotated[int, BeforeValidator(plain)]
Positive = Annotated[Real, Field(gt=0)]
NonNegative = Annotated[Real, Field(ge=0)]
Ratio = Annotated[Real, Field(ge=0, lt=0.5)]
Name = Annotated[str, AfterValidator(_name)]

Vector = Annotated[tuple[Real, Real, Real], BeforeValidator(plain)]
Position = Annotated[Vector, Length()]
Quaternion = Annotated[tuple[Real, Real, Real, Real], BeforeValidator(plain), AfterValidator(_unit)]
Reals = Annotated[tuple[Real, ...], BeforeValidator(plain)]
Times = Annotated[Reals, Field(min_length=1), AfterValidator(rising)]
Matrix3 = Annotated[tuple[Vector, Vector, Vector], BeforeValidator(plain)]

# Long tables skip the per-number hooks above: pydantic's own float check is fast and refuses NaN.
_Float = Annotated[float, Field(allow_inf_nan=False)]
_Index = Annotated[int, Field(ge=0)]
Points = Annotated[tuple[tuple[_Float, _Float, _Float], ...], BeforeValidator(plain), Length()]
Orientations = Annotated[tuple[Quaternion, ...], BeforeValidator(plain)]
Triangles = Annotated[tuple[tuple[_Index, _Index, _Index], ...], BeforeValidator(plain)]
Tetrahedra = Annotated[tuple[tuple[_Index, _Index, _Index, _Index], ...], BeforeValidator(plain)]
Table = Annotated[tuple[tuple[_Float, ...], ...], BeforeValidator(plain)]
Indices = Annotated[tuple[_Index, ...], BeforeValidator(plain)]

ORIGIN = (0.0, 0.0, 0.0)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


class Part(BaseModel):
    """A piece of a scene: read-only, unknown fields refused, NaN and infinity refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


def in_metres(part: Part, factor: float) -> Part:
    """A copy of `part` whose given lengths are multiplied by `factor`; defaults are metres already."""
    changes: dict[str, Any] = {}
    for name in part.model_fields_set:
        field = type(part).model_fields[name]
        value = getattr(part, name)
        marks = [mark for mark in field.metadata if isinstance(mark, Length)]
        if marks and marks[0].columns is not None:
            changes[name] = tuple(_scaled_columns(row, marks[0].columns, factor) for row in value)
        elif marks:
            changes[name] = _scaled(value, factor)
        else:
            changes[name] = _descend(value, factor)
    return part.model_copy(update=changes)


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_scaled(item, factor) for item in value)
    return None if value is None else value * factor


def _scaled_columns(row: tuple[float, ...], columns: slice, factor: float) -> tuple[float, ...]:
    return (*row[: columns.start], *_scaled(row[columns], factor), *row[columns.stop :])


def _descend(value: Any, factor: float) -> Any:
    if isinstance(value, Part):
        return in_metres(value, factor)
    if isinstance(value, tuple) and value and isinstance(value[0], Part):
        return tuple(_descend(item, factor) for item in value)
    return value
