# SPDX-License-Identifier: LGPL-2.1-or-later
"""Talbi's two Uzawa schemes: their tests eps1, eps2, eps3 and "Uzawa error", rho, velocities and starts."""

import numpy as np
import pytest

from softcontact.bench.solvers import load
from softcontact.friction import project_to_cone
from softcontact.solver import ContactProblem, residual, solve


def test_uzawa_stops_on_its_own_error_when_asked():
    problem, _ = load("NESpheres_10_1")
    solution = solve(problem, method="local_uzawa", stop="uzawa_error", tolerance=1e-6)
    assert solution.converged and solution.uzawa_error <= 1e-6 < solution.history[-2]


def by_hand(problem, sweeps, *, scheme, velocity="fresh", inner=0):
    """The schemes in NumPy, from r = 0: forces after each sweep. rho = min 1/W_ii."""
    W, q, n = problem.W.toarray(), problem.q, problem.contacts
    rho = 1.0 / np.diag(W).max()
    r, u = np.zeros(3 * n), q.copy()
    forces = [r.copy()]

    def step(force, seen, mu):
        augmented = seen + mu * np.hypot(seen[1], seen[2]) * np.array([1.0, 0.0, 0.0])
        return project_to_cone((force - rho * augmented)[None], mu)[0]

    for _ in range(sweeps):
        start = W @ r + q
        for i in range(n):
            own = slice(3 * i, 3 * i + 3)
            now = W[own] @ r + q[own]
            if scheme == "global":
                seen = {"fresh": now, "stored": u[own], "jacobi": start[own]}[velocity]
                r[own] = step(r[own], seen, problem.mu[i])
                u[own] = W[own] @ r + q[own]
            else:
                others = now - W[own, own] @ r[own]
                force = np.zeros(3)
                for _ in range(inner):
                    force = step(force, W[own, own] @ force + others, problem.mu[i])
                r[own] = force
        forces.append(r.copy())
    return np.array(forces), rho


@pytest.mark.parametrize("velocity", ["fresh", "stored", "jacobi"])
def test_global_sweeps_are_the_papers(velocity):
    problem, _ = load("NESpheres_10_1")
    forces, rho = by_hand(problem, 6, scheme="global", velocity=velocity)
    solution = solve(
        problem,
        method="global_uzawa",
        velocity=velocity,
        stop="uzawa_error",
        tolerance=1e-300,
        max_iterations=6,
    )
    changes = np.linalg.norm(np.diff(forces, axis=0).reshape(6, -1, 3), axis=2).max(axis=1) / rho
    np.testing.assert_allclose(solution.history, changes, rtol=1e-9)


def test_local_sweeps_are_the_papers():
    problem, _ = load("NESpheres_10_1")
    forces, rho = by_hand(problem, 5, scheme="local", inner=1000)
    settings = {"method": "local_uzawa", "inner_start": "zero", "eps2": 1e-300, "max_iterations": 5}
    solution = solve(problem, stop="uzawa_error", tolerance=1e-300, **settings)
    changes = np.linalg.norm(np.diff(forces, axis=0).reshape(5, -1, 3), axis=2).max(axis=1) / rho
    np.testing.assert_allclose(solution.history, changes, rtol=1e-6)
    loose = solve(problem, stop="uzawa_error", tolerance=1e-300, **{**settings, "inner_start": "warm"})
    assert loose.inner_iterations < solution.inner_iterations


def test_each_test_of_the_paper_looks_at_its_own_number():
    problem, _ = load("NESpheres_10_1")
    forces, _ = by_hand(problem, 8, scheme="global")
    changes = np.linalg.norm(np.diff(forces, axis=0), axis=1)
    for stop, numbers in (("eps1", changes), ("eps3", changes / np.linalg.norm(forces[1:], axis=1))):
        between = np.sqrt(numbers[5] * numbers[6])
        solution = solve(problem, method="global_uzawa", stop=stop, tolerance=between)
        assert solution.converged and solution.iterations == 7
        np.testing.assert_allclose(solution.history, numbers[:7], rtol=1e-9)


def test_a_loose_inner_loop_takes_fewer_projections():
    problem, _ = load("NESpheres_10_1")
    loose, tight = (solve(problem, method="local_uzawa", eps2=eps2) for eps2 in (1e-6, 1e-12))
    assert loose.inner_iterations < tight.inner_iterations


def test_a_step_of_each_block_solves_what_one_step_cannot():
    """Blocks of very different compliance: the one rho is far too short for the stiff one."""
    W = np.kron(np.diag([1.0, 1e-6]), np.array([[2.0, 0.3, 0.0], [0.3, 1.5, 0.0], [0.0, 0.0, 1.5]]))
    problem = ContactProblem(W, [-1.0, 0.2, 0.1, -1.0, 0.3, 0.0], [0.5, 0.5])
    kept = {"method": "global_uzawa", "max_iterations": 500}
    assert not solve(problem, **kept).converged
    solution = solve(problem, rho="block", **kept)
    assert solution.converged and residual(problem, solution.force) <= 1e-8
