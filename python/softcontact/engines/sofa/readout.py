# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a step did in SOFA, in the embedded engine's words: patches, counts, times."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.contact import SurfacePair
from softcontact.engines.sofa.point_contacts import PointContacts
from softcontact.engines.sofa.problems import KeptProblem
from softcontact.engines.sofa.surface import GraphSurface

STAGES = ("free", "detection", "solve", "position")


class Readout:
    """Reads patches and figures of the last step.

    Args:
        root: SOFA's root node.
        solver: the constraint solver.
        patches: SoftContact's component AggregatePatches.
        surfaces: all contact surfaces.
        pairs: those that meet.
        step: time step [s].
        accepted: residual that a step may end with short of the solver's tolerance [m/s].
    """

    def __init__(
        self,
        root: Any,
        solver: Any,
        patches: Any,
        surfaces: Sequence[GraphSurface],
        pairs: Sequence[SurfacePair],
        step: float,
        accepted: float,
    ) -> None:
        self._root, self._solver, self._data, self._surfaces = root, solver, patches, surfaces
        self._of_path = {_path(s.node): number for number, s in enumerate(surfaces)}
        self._first = {frozenset((pair.a, pair.b)): pair.a for pair in pairs}
        self._pairs, self._step, self._accepted = pairs, step, accepted
        by_point = [pair for pair in pairs if not pair.aggregated]
        self._points = PointContacts(surfaces, by_point, step) if by_point else None
        self._aggregates = len(by_point) < len(pairs)
        self._times = dict.fromkeys(STAGES, 0.0)
        self._clock = time.perf_counter()
        self._rows = self._iterations = 0
        self._residual = 0.0
        self._converged = True
        self._order = {surface.name: number for number, surface in enumerate(surfaces)}
        self._patches: list[dict[str, Any]] | None = None
        self.kept: KeptProblem | None = None

    def begin(self) -> None:
        """A step begins."""
        self._times = dict.fromkeys(STAGES, 0.0)
        self._rows = self._iterations = 0
        self._residual, self._converged = 0.0, True
        if self._points is not None:
            self._points.clear()
        if self.kept is not None:
            self.kept.clear()
        self._clock = time.perf_counter()

    def keep_problems(self) -> None:
        """Copy the contact problem of each step from now on.

        Raises:
            SceneError: the scene's contacts are no problem of point contacts in SOFA.
        """
        self.kept = KeptProblem(self._solver, self._points, self._pairs, self._step)

    def mark(self, stage: str) -> None:
        """A stage of the step is done."""
        now = time.perf_counter()
        self._times[stage] += 1e3 * (now - self._clock)
        self._clock = now

    def solved(self) -> None:
        """The velocity pass is solved: its forces are in the solver, its rows in the states."""
        forces = np.array(self._solver.lambda_force(), dtype=float)
        self._rows = len(forces)
        self._iterations = int(self._solver.currentIterations.value)
        self._residual = float(self._solver.currentError.value)
        self._converged = self._iterations < int(self._solver.maxIterations.value)
        if self._points is not None and len(forces):
            self._points.read(forces)
            if self.kept is not None:
                self.kept.read(forces)

    def end(self) -> None:
        """The step is done: its patches are there to read."""
        self._patches = None

    def patches(self) -> list[dict[str, Any]]:
        """Contact patches of the last step, with the keys of World.patches()."""
        if self._patches is None:
            found = self._aggregate_patches() if self._aggregates else []
            found += [] if self._points is None else self._points.patches()
            order = self._order
            self._patches = sorted(found, key=lambda p: sorted((order[p["body"]], order[p["other"]])))
        return self._patches

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step, with the keys of World.statistics()."""
        contacts = int(self._data.contactCount.value) if self._aggregates else 0
        solved = not self._aggregates or bool(self._data.solved.value)  # each patch by itself
        converged = self._converged and solved
        if self._points is not None:
            contacts += self._points.count
        return {
            "contacts": contacts,
            "rows": self._rows,
            "patches": len(self.patches()),
            "iterations": self._iterations,
            "residual": self._residual,
            "converged": converged,
            "accepted": converged or (solved and self._residual <= self._accepted),
            "step_ms": sum(self._times.values()),
            **{f"{stage}_ms": value for stage, value in self._times.items()},
        }

    def link_forces(self, links: dict[str, int], count: int) -> Callable[[], FloatArray]:
        """A function that gives the normal force on each of `count` links [N].

        Args:
            links: number of the link that carries each surface, by name.
            count: number of links.
        """

        def forces() -> FloatArray:
            result = np.zeros(count)
            for patch in self.patches():
                for name in (patch["body"], patch["other"]):
                    if name in links:
                        result[links[name]] += patch["normal_force"]
            return result

        return forces

    def _aggregate_patches(self) -> list[dict[str, Any]]:
        data = self._data
        counts = np.array(data.contacts.value, dtype=int).ravel()
        ends = np.cumsum(counts)
        points, point_forces = _rows(data.points), _rows(data.pointForces)
        forces, torques, centres, normals = (
            _rows(part) for part in (data.forces, data.torques, data.centres, data.normals)
        )
        scalars = {
            "normal_force": data.normalForces,
            "area": data.areas,
            "volume": data.volumes,
            "pressure_mean": data.pressureMean,
            "pressure_max": data.pressureMax,
        }
        values = {key: np.ravel(part.value).astype(float) for key, part in scalars.items()}
        sliding = np.ravel(data.sliding.value)
        result = []
        for i, (path_a, path_b) in enumerate(zip(data.bodyA.value, data.bodyB.value, strict=True)):
            a, b = self._number(path_a), self._number(path_b)
            sign = 1.0 if self._first.get(frozenset((a, b)), a) == a else -1.0
            if sign < 0:
                a, b = b, a
            own = slice(ends[i] - counts[i], ends[i])
            result.append(
                {
                    "body": self._surfaces[a].name,
                    "other": self._surfaces[b].name,
                    "force": sign * forces[i],
                    "torque": sign * torques[i],
                    "centre": centres[i],
                    "normal": sign * normals[i],
                    "contacts": int(counts[i]),
                    "state": "slip" if sliding[i] else "stick",
                    "points": points[own],
                    "point_forces": sign * point_forces[own],
                    **{key: float(value[i]) for key, value in values.items()},
                }
            )
        return result

    def _number(self, path: str) -> int:
        number = self._of_path.get(path)
        if number is None:
            raise RuntimeError(f"AggregatePatches names {path!r}, which is no surface of the scene")
        return number


def _path(node: Any) -> str:
    return node.getPathName()


def _rows(data: Any) -> FloatArray:
    return np.array(data.value, dtype=float).reshape(-1, 3)
