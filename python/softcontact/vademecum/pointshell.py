# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pointshells: points all over a surface that follow it as it moves or deforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Pointshell"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Pointshell:
    """Points on triangles, each by its triangle's corners and their shares.

    Attributes:
        corners: vertex numbers (k, 3).
        shares: (k, 3), >= 0, sum 1.
        areas: part of the surface that each point stands for, at rest (k,) [m²].
    """

    corners: IntArray
    shares: FloatArray
    areas: FloatArray

    @classmethod
    def over(cls, vertices: ArrayLike, triangles: ArrayLike, spacing: float) -> Pointshell:
        """The vertices, and as many points on edges and faces as it takes for none to be further apart than `spacing`.

        Args:
            vertices: (n, 3) [m].
            triangles: vertex numbers (m, 3).
            spacing: [m], > 0.
        Raises:
            ValueError: a spacing that is not positive.
        """
        if not spacing > 0.0:
            raise ValueError(f"spacing: {spacing} m, expected a length > 0")
        vertices = np.asarray(vertices, dtype=float)
        found: dict[tuple[tuple[int, float], ...], int] = {}
        corners, shares, areas = [], [], []
        for triangle in np.asarray(triangles, dtype=np.int64):
            at = vertices[triangle]
            edges = np.roll(at, -1, axis=0) - at
            longest = float(np.linalg.norm(edges, axis=1).max())
            parts = max(1, int(np.ceil(longest / spacing - 1e-9)))
            grid = [(parts - i - j, i, j) for i in range(parts + 1) for j in range(parts + 1 - i)]
            area = 0.5 * float(np.linalg.norm(np.cross(edges[0], edges[1])))
            # what the vertices of the parts stand for: a third of each part around them
            weight = np.array([_parts_around(place) for place in grid], dtype=float)
            for place, part in zip(grid, area * weight / weight.sum(), strict=True):
                share = np.array(place) / parts
                key = tuple(
                    sorted((int(c), float(s)) for c, s in zip(triangle, share, strict=True) if s > 0.0)
                )
                if key not in found:
                    found[key] = len(corners)
                    corners.append(triangle)
                    shares.append(share)
                    areas.append(0.0)
                areas[found[key]] += part
        return cls(np.array(corners), np.array(shares), np.array(areas))

    def __len__(self) -> int:
        return len(self.corners)

    def points(self, vertices: FloatArray) -> FloatArray:
        """Where they are (k, 3) [m], with the surface's vertices here (n, 3) [m]."""
        return np.einsum("kc,kci->ki", self.shares, vertices[self.corners])


def _parts_around(place: tuple[int, int, int]) -> int:
    """How many of the parts that a triangle is cut into meet at a place of its grid: 1, 3 or 6."""
    return {0: 6, 1: 3, 2: 1}[place.count(0)]
