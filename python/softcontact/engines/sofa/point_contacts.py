# SPDX-License-Identifier: LGPL-2.1-or-later
"""Point contacts of SOFA's own FrictionContactConstraint, read from the constraint rows on the surfaces."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.contact import SurfacePair
from softcontact.engines.sofa.surface import GraphSurface

_SLIP_MARGIN = 1e-6


class PointContacts:
    """Forces between pairs of surfaces that meet point by point.

    Every constraint row acts on the vertices of two surfaces; the row's multiplier is an impulse. A contact has three
    rows, normal first, or the normal row alone without friction.

    Args:
        surfaces: all contact surfaces.
        pairs: those that meet point by point.
        step: time step [s].
    """

    def __init__(self, surfaces: Sequence[GraphSurface], pairs: Sequence[SurfacePair], step: float) -> None:
        self._surfaces, self._step = surfaces, step
        self._pairs = {frozenset((pair.a, pair.b)): pair for pair in pairs}
        self._used = sorted({number for pair in pairs for number in (pair.a, pair.b)})
        self._areas: dict[int, FloatArray] = {}
        self._patches: list[dict[str, Any]] = []
        self.count = 0
        #: Constraint rows of the last step, pair by pair.
        self.rows: list[tuple[SurfacePair, NDArray[np.int64]]] = []

    def clear(self) -> None:
        """Forget the last step."""
        self._patches, self.count, self.rows = [], 0, []

    def read(self, impulses: FloatArray) -> None:
        """Read the rows of the velocity pass, with their impulses [N s]."""
        self.clear()
        rows = {number: self._rows_of(number, len(impulses)) for number in self._used}
        owners: dict[int, list[int]] = {}
        for number, matrix in rows.items():
            for row in np.flatnonzero(np.diff(matrix.indptr)):
                owners.setdefault(int(row), []).append(number)
        by_pair: dict[frozenset[int], list[int]] = {}
        for row in sorted(owners):
            key = frozenset(owners[row])
            if key in self._pairs:
                by_pair.setdefault(key, []).append(row)
        for key, numbers in by_pair.items():
            pair = self._pairs[key]
            self.rows.append((pair, np.array(numbers)))
            self._add(pair, rows[pair.a], np.array(numbers), impulses)

    def patches(self) -> list[dict[str, Any]]:
        """One patch a pair that carries load, with the keys of World.patches()."""
        return list(self._patches)

    def _rows_of(self, number: int, count: int) -> Any:
        from scipy.sparse import csr_matrix

        matrix = csr_matrix(self._surfaces[number].state.constraint.value)
        matrix.eliminate_zeros()
        if matrix.shape[0] < count:
            matrix.resize((count, matrix.shape[1]))
        return matrix

    def _add(self, pair: SurfacePair, matrix: Any, rows: Any, impulses: FloatArray) -> None:
        surface = self._surfaces[pair.a]
        vertices = surface.vertices()
        size = 3 if pair.friction > 0.0 else 1
        if len(rows) % size:
            raise RuntimeError(
                f"{len(rows)} constraint rows between '{surface.name}' and '{self._surfaces[pair.b].name}' are no "
                f"multiple of {size}"
            )
        contacts = rows.reshape(-1, size)
        self.count += len(contacts)
        points, forces, normals, loads, areas = [], [], [], [], []
        sliding = False
        for contact in contacts:
            multipliers = impulses[contact] / self._step
            if not multipliers[0] > 0.0:
                continue
            normal_row = matrix.getrow(contact[0])
            direction = np.zeros(3)
            weights: dict[int, float] = {}
            for column, value in zip(normal_row.indices, normal_row.data, strict=True):
                direction[column % 3] += value
                weights[column // 3] = weights.get(column // 3, 0.0) + value**2
            share = np.sqrt(np.array(list(weights.values())))
            share /= share.sum()
            owners = list(weights)
            force = np.zeros(3)
            for row, multiplier in zip(contact, multipliers, strict=True):
                line = matrix.getrow(row)
                np.add.at(force, line.indices % 3, line.data * multiplier)
            points.append(share @ vertices[owners])
            areas.append(float(share @ self._vertex_areas(pair.a)[owners]))
            forces.append(force)
            normals.append(direction)
            loads.append(multipliers[0])
            friction = float(np.linalg.norm(multipliers[1:]))
            sliding = sliding or friction > pair.friction * multipliers[0] * (1.0 - _SLIP_MARGIN)
        if loads:
            self._report(pair, np.array(points), np.array(forces), normals, np.array(loads), areas, sliding)

    def _report(
        self,
        pair: SurfacePair,
        points: FloatArray,
        forces: FloatArray,
        normals: list[FloatArray],
        loads: FloatArray,
        areas: list[float],
        sliding: bool,
    ) -> None:
        total, area = float(loads.sum()), float(sum(areas))
        normal = loads @ np.array(normals)
        centre = loads @ points / total
        with np.errstate(divide="ignore"):
            pressures = loads / np.array(areas)
        self._patches.append(
            {
                "body": self._surfaces[pair.a].name,
                "other": self._surfaces[pair.b].name,
                "force": forces.sum(axis=0),
                "torque": np.cross(points - centre, forces).sum(axis=0),
                "centre": centre,
                "normal": normal / np.linalg.norm(normal),
                "normal_force": total,
                "area": area,
                "volume": 0.0,
                "pressure_mean": total / area if area > 0.0 else 0.0,
                "pressure_max": float(pressures[np.isfinite(pressures)].max(initial=0.0)),
                "contacts": len(loads),
                "state": "slip" if sliding else "stick",
                "points": points,
                "point_forces": forces,
            }
        )

    def _vertex_areas(self, number: int) -> FloatArray:
        """Area of each vertex (k,) [m²] in the shape in which it was first asked for."""
        if number not in self._areas:
            surface = self._surfaces[number]
            vertices, triangles = surface.vertices(), surface.info.triangles
            corners = vertices[triangles]
            thirds = np.linalg.norm(
                np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
            )
            areas = np.zeros(len(vertices))
            np.add.at(areas, triangles.ravel(), np.repeat(thirds / 6.0, 3))
            self._areas[number] = areas
        return self._areas[number]
