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
    Raises:
        ValueError: another shape, corners that are no vertex numbers.
    """

    corners: IntArray
    shares: FloatArray
    areas: FloatArray

    def __post_init__(self) -> None:
        corners = _vertex_numbers("corners", self.corners)
        shares, areas = np.asarray(self.shares, dtype=float), np.asarray(self.areas, dtype=float)
        if shares.shape != corners.shape:
            raise ValueError(f"shares: shape {shares.shape}, expected {corners.shape}, one a corner")
        if areas.shape != corners.shape[:1]:
            raise ValueError(f"areas: shape {areas.shape}, expected {corners.shape[:1]}, one a point")
        for name, values in (("corners", corners), ("shares", shares), ("areas", areas)):
            object.__setattr__(self, name, values)

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
        for triangle in _vertex_numbers("triangles", triangles):
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


def _vertex_numbers(name: str, given: ArrayLike) -> IntArray:
    """Three a row (k, 3), k > 0; the core keeps them in 32 bits.

    Raises:
        ValueError: another shape, or what is no vertex number.
    """
    numbers = np.asarray(given, dtype=float)  # exact up to 2^53, and the bound is below
    if numbers.ndim != 2 or numbers.shape[1] != 3 or not len(numbers):
        raise ValueError(f"{name}: shape {numbers.shape}, expected (k, 3) with k > 0, three vertices a row")
    wrong = ~((numbers >= 0) & (numbers < 2**31) & (np.floor(numbers) == numbers))
    if wrong.any():
        raise ValueError(
            f"{name}: {numbers[wrong][0]:.17g}, expected vertex numbers, whole and from 0 to {2**31 - 1}"
        )
    return numbers.astype(np.int64)


def _parts_around(place: tuple[int, int, int]) -> int:
    """How many of the parts that a triangle is cut into meet at a place of its grid: 1, 3 or 6."""
    return {0: 6, 1: 3, 2: 1}[place.count(0)]
