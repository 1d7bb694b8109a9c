# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs made from others: of bytes, of words and numbers in text, of JSON trees, of HDF5 files."""

from __future__ import annotations

import copy
import io
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import h5py
import numpy as np

NUMBERS = (
    "0", "-0", "1", "-1", "2", "255", "256", "1e-3", "-1e300", "1e308", "1e309", "-1e309", "5e-324", "nan", "inf",
    "-inf", "2147483647", "2147483648", "-2147483649", "4294967295", "9223372036854775808", "1" + 30 * "0", "1" * 5000,
    "1,5", "1_0", "0x10", "1.", ".5", "1e", "true", "null", "",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, -1e-9, 1e308, float("nan"), float("inf"), "", "x", "nan",
    "../../etc/passwd", "\u0000", "\ud800", "a" * 5000, [], {}, [0], [[]], [[0, 0, 0]], [None], {"kind": "box"},
    12 * [0.1],
)  # fmt: skip
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]{2,}")


def bytes_of(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """One to six changes of bytes, words, numbers or lines."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = rng.choice(_CHANGES)(data, others, rng)
    return data[:1_000_000]


def _flip(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    if not data:
        return b"\x00"
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]


def _put(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    place, width = rng.randrange(len(data) + 1), rng.choice((0, 1, 4, 8))
    new = rng.choice(
        (b"\x00", b"\xff", b"\x7f", b"\x80", b" ", b"\n", b"#", b"-", b"{", b"[", b"<", b'"')
    ) * max(1, width)
    return data[:place] + new + data[place + (width if rng.random() < 0.7 else 0) :]


def _cut(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    a, b = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    if rng.random() < 0.3:
        return data[:a]
    return data[:a] + data[min(b, a + rng.choice((1, 4, 40, 4000))) :]


def _double(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    a, b = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    piece = data[a : min(b, a + 2000)]
    return data[:a] + piece * rng.choice((2, 3, 20)) + data[a + len(piece) :]


def _splice(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _number(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    return _replace(_NUMBER, data, rng, lambda: rng.choice(NUMBERS).encode())


def _word(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    words = _WORD.findall(rng.choice(others)[:20_000]) or [b"x"]
    return _replace(_WORD, data, rng, lambda: rng.choice(words))


def _replace(what: re.Pattern[bytes], data: bytes, rng: random.Random, new: Callable[[], bytes]) -> bytes:
    found = list(what.finditer(data[:200_000]))
    if not found:
        return _flip(data, (), rng)
    chosen = rng.choice(found)
    return data[: chosen.start()] + new() + data[chosen.end() :]


def _lines(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(3)
    if what == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif what == 1:
        lines.insert(j, lines[i])
    else:
        del lines[i]
    return b"\n".join(lines)


_CHANGES = (_flip, _put, _cut, _double, _splice, _number, _number, _word, _lines)


def json_of(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Values of the tree changed, or its bytes."""
    if rng.random() < 0.3:
        return bytes_of(data, others, rng)
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return bytes_of(data, others, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        tree = _changed(tree, rng)
    return json.dumps(tree).encode("utf-8", "surrogatepass")


def _changed(tree: Any, rng: random.Random) -> Any:
    if not isinstance(tree, dict | list) or not tree or rng.random() < 0.1:
        return copy.deepcopy(rng.choice(VALUES))
    key = rng.choice(list(tree)) if isinstance(tree, dict) else rng.randrange(len(tree))
    what = rng.random()
    if what < 0.08:
        del tree[key]
    elif what < 0.14 and isinstance(tree, dict):
        tree[rng.choice(("kind", "name", "x", *map(str, tree)))] = copy.deepcopy(tree[key])
    elif what < 0.2 and isinstance(tree, list):
        tree.insert(key, copy.deepcopy(tree[rng.randrange(len(tree))]))
    else:
        tree[key] = _changed(tree[key], rng)
    return tree


def hdf5_of(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Data sets and attributes changed in value, type or shape, or lost; or the file's bytes."""
    if rng.random() < 0.3:
        return bytes_of(data, others, rng)
    memory = io.BytesIO(data)
    try:
        with h5py.File(memory, "r+") as file:
            for _ in range(rng.choice((1, 1, 2, 4))):
                change_hdf5(file, rng)
    except Exception:  # a file that an earlier change has broken
        return bytes_of(data, others, rng)
    return memory.getvalue()


def change_hdf5(file: Any, rng: random.Random) -> None:
    """One change of an open file."""
    names: list[str] = []
    file.visit(names.append)
    place = rng.choice(["/", *names])
    if not names or (file[place].attrs and rng.random() < 0.4):
        key = rng.choice(sorted(file[place].attrs) or ["format"])
        if rng.random() < 0.2:
            file[place].attrs.pop(key, None)
            return
        given = file[place].attrs.get(key, "")
        if isinstance(given, str) and given[:1] in "{[" and rng.random() < 0.8:
            given = json_of(given.encode(), (b"{}",), rng).decode("utf-8", "replace")
        else:
            given = rng.choice((0, -1, 2**40, float("nan"), "", "x", [], [1, 2], np.zeros(3)))
        file[place].attrs[key] = given
        return
    name = rng.choice(names)
    kept = file[name]
    if isinstance(kept, h5py.Group) or rng.random() < 0.1:
        del file[name]
        return
    attributes, values = dict(kept.attrs), kept[()]
    del file[name]
    file[name] = _array(np.array(values), rng)
    for key, value in attributes.items():
        file[name].attrs[key] = value


def _array(values: Any, rng: random.Random) -> Any:
    what = rng.randrange(9)
    if what == 0:
        return values[..., None]
    if what == 1:
        return values.reshape(-1)
    if what == 2 and values.ndim:
        return values[: rng.randrange(len(values) + 1)]
    if what == 3 and values.ndim and len(values):
        return np.concatenate([values, values])
    if what == 4:
        return np.zeros((0, *values.shape[1:])) if values.ndim else np.zeros(0)
    if what == 5:
        return rng.choice(("text", 0, np.nan, np.zeros((2, 2)), True))
    if values.dtype.kind in "fiu" and values.size:
        flat = values.reshape(-1).copy()
        least, most = (
            (np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max)
            if flat.dtype.kind in "iu"
            else (-1e308, 1e308)
        )
        odd = [0, 1, least, most] + ([np.nan, np.inf, 1e-320] if flat.dtype.kind == "f" else [])
        flat[rng.randrange(len(flat))] = rng.choice(odd)
        return flat.reshape(values.shape)
    return values.astype(float) if values.dtype.kind in "iu" else np.zeros(3)
