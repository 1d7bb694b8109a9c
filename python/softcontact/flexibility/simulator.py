# SPDX-License-Identifier: LGPL-2.1-or-later
"""The flexibility method between two blocks: contact solver and displacement solvers, each behind its own door."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.flexibility.displacement import DisplacementSolver, Response
from softcontact.solver import ContactProblem, ContactSolution, solve

FloatArray = NDArray[np.float64]
ContactSolver = Callable[[ContactProblem, FloatArray], ContactSolution]

# World axes of a contact's (n, t, s): the blocks meet in a horizontal plane, n points up from lower to upper.
FRAME = np.array([2, 0, 1])


@dataclass(frozen=True)
class StepResult:
    """What one step gave.

    Attributes:
        force: contact forces on the upper block (n, 3) [N], world axes.
        resultant: their sum (3,) [N].
        gap: normal distance of the pairs (n,) [m]; negative: penetration.
        slip: tangential displacement in this step (n, 2) [m].
        problem: the last contact problem, the one that `force` solves.
        solution: of that problem, its iterations summed over the Newton steps.
        iterations: sweeps of the contact solver, all Newton steps together.
        newton: Newton steps of the displacement solvers.
        converged: whether the contact solver and the Newton iteration came to their tolerances.
        solve_s: time of the contact solver [s], all Newton steps together.
    """

    force: FloatArray
    resultant: FloatArray
    gap: FloatArray
    slip: FloatArray
    problem: ContactProblem
    solution: ContactSolution
    iterations: int
    newton: int
    converged: bool
    solve_s: float


def contact_frame(values: ArrayLike) -> FloatArray:
    """World vectors (n, 3) as stacked contact vectors (3n,) in (n, t, s)."""
    return np.asarray(values, dtype=float).reshape(-1, 3)[:, FRAME].ravel()


def world_frame(values: ArrayLike) -> FloatArray:
    """Stacked contact vectors (3n,) in (n, t, s) as world vectors (n, 3)."""
    result = np.empty((np.size(values) // 3, 3))
    result[:, FRAME] = np.asarray(values, dtype=float).reshape(-1, 3)
    return result


def delassus(upper: Response, lower: Response) -> FloatArray:
    """W (3n, 3n) [m/N] of the pairs: the sum of both flexibilities, in contact axes."""
    order = (3 * np.arange(len(upper.free) // 3)[:, None] + FRAME).ravel()
    return (upper.flexibility + lower.flexibility)[np.ix_(order, order)]


class FlexibilitySimulator:
    """Two quasi-static blocks in frictional contact, the upper one driven (Talbi et al., Fig. 1).

    Signorini's law holds for the gap, Coulomb's for the increments of the tangential displacement over a step.

    Args:
        upper: the driven body.
        lower: the other; its contact nodes pair with those of `upper` one to one.
        friction: Coulomb's μ, >= 0.
        contact_solver: solves each contact problem from a first guess; by default block Gauss–Seidel to 1e-12.
        warm_start: whether a step starts from the last forces instead of zero (the paper's r⁽⁰⁾ = 0).
        newton_tolerance: largest change of a node [m] at which a corotational step counts as done.
        max_newton: most Newton steps.
    Raises:
        ValueError: bodies whose contact nodes do not pair, or friction out of range.
    """

    def __init__(
        self,
        upper: DisplacementSolver,
        lower: DisplacementSolver,
        friction: float,
        contact_solver: ContactSolver | None = None,
        *,
        warm_start: bool = True,
        newton_tolerance: float = 1e-10,
        max_newton: int = 60,
    ) -> None:
        self.upper, self.lower = upper, lower
        rest = [body.grid.nodes[body.contact] for body in (upper, lower)]
        if rest[0].shape != rest[1].shape:
            raise ValueError(
                f"contact: {len(rest[0])} nodes against {len(rest[1])}; they must pair one to one"
            )
        count = len(rest[0])
        self.mu = np.full(count, float(friction))
        self._rest_gap = contact_frame(rest[0] - rest[1])
        self._solve = contact_solver or _exact_blocks
        self._warm, self._tolerance, self._max_newton = warm_start, newton_tolerance, max_newton
        self.force = np.zeros(3 * count)
        self._tangential = self._relative()

    @property
    def contacts(self) -> int:
        """Number of contact pairs."""
        return self.mu.size

    def _relative(self) -> FloatArray:
        """Displacement of upper against lower nodes (3n,) [m] in (n, t, s); the normal part is the gap."""
        moved = [body.displacement[body.contact] for body in (self.upper, self.lower)]
        return contact_frame(moved[0] - moved[1]) + self._rest_gap

    def problem(self, drive: ArrayLike, reference: FloatArray | None = None) -> ContactProblem:
        """The contact problem u = W r + q with the upper block driven to `drive`; displacements in place of velocities.

        Args:
            drive: displacement of the driven nodes (3,) [m].
            reference: relative positions that increments count from; by default the present ones.
        """
        reference = self._relative() if reference is None else reference
        upper, lower = self.upper.predict(drive), self.lower.predict(np.zeros(3))
        q = contact_frame(upper.free - lower.free) + self._rest_gap
        tangential = np.arange(q.size) % 3 != 0
        q[tangential] -= reference[tangential]
        return ContactProblem(delassus(upper, lower), q, self.mu)

    @property
    def rest_gap(self) -> FloatArray:
        """Relative position of the pairs at rest (3n,) [m] in (n, t, s)."""
        return self._rest_gap

    def step(self, drive: ArrayLike) -> StepResult:
        """Drive the upper block to a displacement from rest (3,) [m] and find equilibrium with contact.

        Raises:
            ArithmeticError: an element inverts (corotational), or the contact solver's forces are not finite.
        """
        drive = np.asarray(drive, dtype=float)
        if drive.shape != (3,) or not np.isfinite(drive).all():
            raise ValueError(f"drive: {drive.tolist()}, expected three finite displacements [m]")
        reference = self._relative()
        guess = self.force if self._warm else np.zeros_like(self.force)
        newton, sweeps, solve_s, settled = 0, 0, 0.0, False
        exact = self.upper.exact and self.lower.exact
        while not settled and newton < self._max_newton:
            newton += 1
            problem = self.problem(drive, reference)
            solution = self._solve(problem, guess)
            sweeps += solution.iterations
            solve_s += solution.wall_time_s
            guess = solution.force
            if not np.isfinite(guess).all():
                raise ArithmeticError("the contact forces are not finite")
            force = world_frame(guess)
            change = max(self.upper.correct(force), self.lower.correct(-force))
            settled = exact or change <= self._tolerance
        self.force = guess
        relative = self._relative()
        moved = (relative - reference).reshape(-1, 3)[:, 1:]
        return StepResult(
            force,
            force.sum(axis=0),
            relative[0::3].copy(),
            moved,
            problem,
            solution,
            sweeps,
            newton,
            bool(settled and solution.converged),
            solve_s,
        )


def named_solver(method: str, **settings: object) -> ContactSolver:
    """A contact solver from softcontact.solver.solve by name, with its settings."""
    return lambda problem, guess: solve(problem, method=method, guess=guess, **settings)


def _exact_blocks(problem: ContactProblem, guess: FloatArray) -> ContactSolution:
    return solve(problem, tolerance=1e-12, guess=guess)


def resultants(simulator: FlexibilitySimulator, path: Sequence[ArrayLike]) -> FloatArray:
    """Resultant contact force on the upper block (k, 3) [N] along a path of drives."""
    return np.array([simulator.step(drive).resultant for drive in path])
