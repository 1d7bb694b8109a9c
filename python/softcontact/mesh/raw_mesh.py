# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a mesh file holds, before repair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .errors import MeshError
from .topology import triangulate_polygon, triangulate_quads

TRUNCATED = "the file is cut off or damaged: export or copy it again"


@dataclass
class RawMesh:
    """Points (n, 3), polygons grouped by their number of corners (k, corners), tetrahedra (m, 4)."""

    points: np.ndarray
    polygons: list[np.ndarray] = field(default_factory=list)
    tetrahedra: np.ndarray | None = None
    others: dict[str, int] = field(default_factory=dict)  # cells of no use here, by kind
    notes: tuple[str, ...] = ()  # what else a report should say

    def triangles(self, name: str) -> np.ndarray:
        """All polygons as triangles (m, 3).

        Raises:
            MeshError: a polygon with fewer than three corners or an index out of range.
        """
        parts = [np.empty((0, 3), dtype=np.int64)]
        for group in self.polygons:
            corners = group.shape[1]
            if corners < 3:
                raise MeshError(
                    name, f"{len(group)} faces with {corners} corners", "export faces only, without lines"
                )
            self._check_indices(group, name)
            if corners == 3:
                parts.append(group)
            elif corners == 4:
                parts.append(triangulate_quads(self.points, group))
            else:
                cut = [t for polygon in group.tolist() for t in triangulate_polygon(self.points, polygon)]
                parts.append(np.array(cut, dtype=np.int64))
        return np.concatenate(parts)

    def _check_indices(self, cells: np.ndarray, name: str) -> None:
        bad = np.flatnonzero(((cells < 0) | (cells >= len(self.points))).any(axis=1))
        if len(bad):
            raise MeshError(
                name,
                f"{len(bad)} faces name vertices that do not exist (first: {cells[bad[0]].tolist()},"
                f" counted from 0, of {len(self.points)} vertices)",
                TRUNCATED,
            )


def group_polygons(polygons: Iterable[Sequence[int]]) -> list[np.ndarray]:
    """Polygons of any size as one integer array (k, corners) per size, smallest first."""
    groups: dict[int, list[Sequence[int]]] = {}
    for polygon in polygons:
        groups.setdefault(len(polygon), []).append(polygon)
    return [
        np.array(groups[size], dtype=np.int64).reshape(len(groups[size]), size) for size in sorted(groups)
    ]


def numbers(tokens: Sequence[str] | Sequence[bytes], dtype: type, what: str, name: str) -> np.ndarray:
    """Text tokens as numbers.

    Raises:
        MeshError: names the first token that is not a number.
    """
    try:
        return np.array(
            tokens, dtype=np.str_ if len(tokens) and isinstance(tokens[0], str) else np.bytes_
        ).astype(dtype)
    except (ValueError, OverflowError):
        for token in tokens:
            try:
                dtype(token)
            except (ValueError, OverflowError):
                text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
                raise MeshError(name, f"{text!r} where {what} should be", TRUNCATED) from None
        raise MeshError(name, f"{what} cannot be read", TRUNCATED) from None
