# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in one compressed block of text, to be embedded in a page; the page's decode.js is the other reader.

Each array is stored little-endian as byte planes (all first bytes, then all second bytes, ...), which deflate
packs far better than interleaved bytes. Unsigned integers may first be replaced by differences to the row
before.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArrayPacker", "ArrayReader", "dequantise", "quantise"]

LEVELS = 65535


def quantise(values: NDArray, low: NDArray, high: NDArray) -> NDArray[np.uint16]:
    """Map [low, high] (per last axis) to 0..65535; a constant component maps to 0. Error: half a level."""
    span = np.where(high > low, high - low, 1.0)
    return np.rint(np.clip((values - low) / span, 0.0, 1.0) * LEVELS).astype(np.uint16)


def dequantise(levels: NDArray, low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Inverse of `quantise` up to half a level, (high - low)/131070."""
    return low + levels.astype(np.float64) * (np.asarray(high) - low) / LEVELS


class ArrayPacker:
    """Collects arrays; `header` describes them to a reader, `text()` is the base64 of the deflated block."""

    def __init__(self) -> None:
        self.header: dict[str, dict[str, Any]] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, array: NDArray, *, delta: bool = False) -> None:
        """Append an array of uint8/16/32, int32 or float32; `delta` (unsigned only): row differences."""
        if name in self.header:
            raise ValueError(f"array name {name!r} used twice")
        stored = np.ascontiguousarray(array)
        if delta:
            if stored.dtype.kind != "u":
                raise ValueError(f"array {name!r}: delta needs an unsigned type, got {stored.dtype}")
            stored = stored.copy()
            stored[1:] -= array[:-1]  # wraps around; the reader's sum wraps back
        stored = stored.astype(stored.dtype.newbyteorder("<"))
        planes = stored.reshape(-1).view(np.uint8).reshape(-1, stored.dtype.itemsize).T.tobytes()
        self.header[name] = {
            "type": np.dtype(array.dtype).name,
            "shape": list(array.shape),
            "offset": self._size,
            "delta": delta,
        }
        self._parts.append(planes)
        self._size += len(planes)

    def text(self) -> str:
        """The block as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode("ascii")


class ArrayReader:
    """Reads what `ArrayPacker` wrote: `reader[name]` is the array."""

    def __init__(self, header: dict[str, dict[str, Any]], text: str) -> None:
        self._header = header
        self._block = zlib.decompress(base64.b64decode(text))

    def __contains__(self, name: str) -> bool:
        return name in self._header

    def __getitem__(self, name: str) -> NDArray:
        entry = self._header[name]
        dtype = np.dtype(entry["type"]).newbyteorder("<")
        count = int(np.prod(entry["shape"]))
        planes = np.frombuffer(self._block, np.uint8, count * dtype.itemsize, entry["offset"])
        array = np.ascontiguousarray(planes.reshape(dtype.itemsize, count).T).view(dtype)
        array = array.reshape(entry["shape"]).astype(np.dtype(entry["type"]))
        return np.cumsum(array, axis=0, dtype=array.dtype) if entry["delta"] else array
