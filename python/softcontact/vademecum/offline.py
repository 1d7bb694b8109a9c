# SPDX-License-Identifier: LGPL-2.1-or-later
"""The offline stage: a separated solution u(x, s, t) of a solid under a load of any position s and size t.

    u(x, s, t) = Σ_k X_k(x) Y_k(s, t) + dent_s(x, t),        Y_k(s, t) = t Σ_j c_kj(s) T_j(2 t − 1)

Built without full-order solutions, by proper generalised decomposition on the energy of all cases together:

  - Formulation: the St Venant-Kirchhoff energy is a polynomial of degree four, so that its minimum over the
    parametric functions, the modes held, is a small problem for each (s, t) of its own; Galerkin's method, no
    linearisation left. The energy also tells how much a mode is worth.
  - Continuation in the load's size t, as in the asymptotic-numerical route of the paper's references, because a
    linear start is far from the bent beam: sizes are taken one after the other, each started by extrapolation.
  - At each size the two directions alternate: amplitudes of all modes and all dents (solve_reduced), then several
    spatial problems with tangents averaged over the cases (enrich), until no mode promises more than `tolerance`.
  - A point load's dent is as local as the mesh can show, and no two positions share it: it would need as many modes as
    there are positions. The nodes of the cells around the loaded node therefore have components of their own.
  - At last the separated form is compressed: modes turned to the principal axes of the amplitudes, sorted, the smallest
    dropped. What a dropped mode says around the loaded node goes into the dent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softcontact.parallel import Workers
from softcontact.vademecum import chebyshev
from softcontact.vademecum.build_state import BuildState, LogRow
from softcontact.vademecum.enrichment import Enrichment, enrich
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.reduced import Coordinates, DentSpace, ReducedProblem, solve_reduced
from softcontact.vademecum.solid import factorised

__all__ = ["BuildOptions", "OfflineBuild"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NEGLIGIBLE = 1e-6  # of the amplitudes' norm: modes that a compression between sizes drops
_SOFTEST = 10  # of so many sampled cases, one more that gives way most
_AT_ONCE = 256  # right sides, for the memory


@dataclass(frozen=True)
class BuildOptions:
    """How finely a vademecum is built.

    Args:
        modes: kept at most in the end; more are used underway.
        tolerance: share of the energy norm that a new mode must promise [-], in (0, 1).
        sizes: terms of the series in the load's size, at least 3.
        stages: enrichments a size at most.
        together: modes an enrichment adds at most.
        sample: about how many load cases modes are found from: spread over the boundary, and a tenth more that give
            way most. All are solved in the end. None means that modes are found from all.
    Raises:
        ValueError: a value out of range.
    """

    modes: int = 81
    tolerance: float = 6e-4
    sizes: int = 8
    stages: int = 4
    together: int = 24
    sample: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise ValueError(f"tolerance: {self.tolerance}, expected a share in (0, 1)")
        for name, least in (("modes", 1), ("sizes", 3), ("stages", 1), ("together", 1), ("sample", 1)):
            value = getattr(self, name)
            if name == "sample" and value is None:
                continue
            if value != int(value) or value < least:
                raise ValueError(f"{name}: {value}, expected a whole number >= {least}")


class OfflineBuild:
    """The work, one piece at a time, so that it can be stopped and go on from its state."""

    def __init__(self, cases: LoadCases, options: BuildOptions, workers: Workers) -> None:
        self.cases, self.options, self.workers = cases, options, workers
        self.problem = ReducedProblem(cases, DentSpace(cases))
        self.sizes = chebyshev.sample_sizes(options.sizes)
        self.sample = _sample(cases, options.sample or cases.count)

    @property
    def pieces(self) -> int:
        """Pieces of work in all: each size once while modes are found, once with all of them."""
        return 2 * len(self.sizes)

    def start(self) -> BuildState:
        """The state before the first piece."""
        return BuildState(0, np.zeros((self.cases.solid.size, 0)), [], [], [])

    def advance(self, state: BuildState, tell: Callable[[LogRow], None] = lambda row: None) -> BuildState:
        """Do the next piece.

        Raises:
            BuildError: a case finds no equilibrium.
        """
        if state.done < len(self.sizes):
            return self._find_modes(state, state.done, tell)
        return self._solve_all(state, state.done - len(self.sizes), tell)

    def _find_modes(self, state: BuildState, level: int, tell: Callable[[LogRow], None]) -> BuildState:
        """One size: amplitudes of the sampled cases and new modes in turn."""
        size, modes, levels, log = self.sizes[level], state.modes, list(state.levels), list(state.log)
        now = self._extrapolate(levels, size, modes.shape[1], len(self.sample))
        for stage in range(self.options.stages + 1):
            now = solve_reduced(self.problem, modes, size, self.sample, now, self.workers)
            limit = self.options.together if stage < self.options.stages else 0
            found = self._enrich(modes, size, self.sample, now, limit)
            log.append(LogRow(size, modes.shape[1], found.residual, found.energy_error))
            tell(log[-1])
            wider = _append(modes, found.modes)
            more = wider.shape[1] - modes.shape[1]
            if not more:
                break
            modes = wider
            levels = [_widened(old, more) for old in levels]
            now = _widened(now, more)
        levels.append(now)
        axes, _ = principal_axes(levels, self.sizes[: len(levels)], _NEGLIGIBLE)
        levels = [Coordinates(old.amplitudes @ axes, old.dents) for old in levels]
        return BuildState(state.done + 1, modes @ axes, levels, log, [])

    def _solve_all(self, state: BuildState, level: int, tell: Callable[[LogRow], None]) -> BuildState:
        """One size of all cases with all modes; those of the sample begin where they were."""
        size, modes, levels, log = self.sizes[level], state.modes, list(state.levels), list(state.log)
        start = self._extrapolate(levels[:level], size, modes.shape[1], self.cases.count)
        start[self.sample] = levels[level]
        everyone = np.arange(self.cases.count)
        levels[level] = solve_reduced(self.problem, modes, size, everyone, start, self.workers)
        found = self._enrich(modes, size, everyone, levels[level], 0)
        log.append(LogRow(size, modes.shape[1], found.residual, found.energy_error))
        tell(log[-1])
        missing = [*state.missing_volumes, found.missing_volume]
        return BuildState(state.done + 1, modes, levels, log, missing)

    def _enrich(
        self, modes: FloatArray, size: float, numbers: IntArray, at: Coordinates, limit: int
    ) -> Enrichment:
        return enrich(
            self.problem,
            modes,
            size,
            numbers,
            at,
            self.workers,
            limit=min(limit, len(numbers)),
            tolerance=self.options.tolerance,
        )

    def _extrapolate(self, levels: list[Coordinates], size: float, modes: int, cases: int) -> Coordinates:
        """Through the last sizes (at most three) and the unloaded state."""
        known = [0.0, *self.sizes[: len(levels)]][-4:]
        out = Coordinates(np.zeros((cases, modes)), np.zeros((cases, self.problem.space.width)))
        for k, at in enumerate(known):
            if at == 0.0:
                continue
            weight = np.prod([(size - other) / (at - other) for i, other in enumerate(known) if i != k])
            level = levels[len(levels) - len(known) + k]
            out.amplitudes += weight * level.amplitudes
            out.dents += weight * level.dents
        return out


def _sample(cases: LoadCases, some: int) -> IntArray:
    """Numbers of some of the cases: the middles of groups of near places, and those that give way most.

    The latter bend the solid farthest from what others do to it, such as loads on the tip of an ear; a middle of a
    group is never on a tip.
    """
    everyone = np.arange(cases.count)
    if some >= cases.count:
        return everyone
    groups = cases.alike(everyone, -(-cases.count // some))
    middles = [int(group[len(group) // 2]) for group in groups]
    stiffness = factorised(cases.solid.tangent(np.zeros(cases.solid.size)))
    compliance = np.empty(cases.count)
    for start in range(0, cases.count, _AT_ONCE):
        forces = cases.forces(everyone[start : start + _AT_ONCE])
        compliance[start : start + _AT_ONCE] = np.sum(forces * stiffness.solve(forces.T).T, axis=1)
    softest = np.argsort(-compliance, kind="stable")[: -(-len(middles) // _SOFTEST)]
    return np.union1d(middles, softest)


def principal_axes(
    levels: list[Coordinates], sizes: FloatArray, negligible: float
) -> tuple[FloatArray, FloatArray]:
    """Turn of the modes (m, k) to the principal axes of all amplitudes, and their singular values (k,).

    Sizes weigh with 1/√t, so that small loads are not lost among large ones.
    """
    rows = [level.amplitudes / np.sqrt(size) for level, size in zip(levels, sizes, strict=True)]
    _, values, axes = np.linalg.svd(np.concatenate(rows), full_matrices=False)
    kept = values > negligible * np.linalg.norm(values)
    return np.ascontiguousarray(axes[kept].T), values[kept]


def _append(modes: FloatArray, new: FloatArray) -> FloatArray:
    """Orthonormal modes with what is new in further ones."""
    for mode in new.T:
        for _ in range(2):  # twice is enough for orthogonality to round-off
            mode = mode - modes @ (modes.T @ mode)
        length = np.linalg.norm(mode)
        if length > 1e-6:
            modes = np.column_stack([modes, mode / length])
    return modes


def _widened(level: Coordinates, more: int) -> Coordinates:
    zeros = np.zeros((len(level.amplitudes), more))
    return Coordinates(np.hstack([level.amplitudes, zeros]), level.dents)
