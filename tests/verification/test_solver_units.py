# SPDX-License-Identifier: LGPL-2.1-or-later
"""What counts as solved does not depend on units: stiff and soft problems, any speed, any friction."""

from typing import get_args

import numpy as np
import pytest
import scipy.sparse

from softcontact.solver import ContactProblem, Method, residual, scaled_residual, solve

W = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]), np.eye(3))
Q = np.array([-1.0, 0.5, 0.0, -0.8, 0.4, 0.1])
MU = np.array([0.3, 0.3])
METHODS = get_args(Method)
EXACT = solve(ContactProblem(W, Q, MU), tolerance=1e-14).force


def error(solution, exact):
    return np.abs(solution.force - exact).max() / np.abs(exact).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("compliance", "speed"),
    [
        (1e-12, 1.0),
        (1e-9, 1e-4),
        (1e-6, 1e3),
        (1e6, 1.0),
        (1e12, 1.0),
        (1.0, 1e155),
        (1.0, 1e-170),
        (1e-9, 1e160),
    ],
)
def test_every_method_is_as_right_in_all_units(method, compliance, speed):
    problem = ContactProblem(compliance * W, speed * Q, MU)
    solution = solve(problem, method=method)
    assert solution.converged and solution.residual <= 1e-8 and solution.scaled_residual <= 1e-8
    assert error(solution, speed / compliance * EXACT) <= 1e-6
    plain = solve(ContactProblem(W, Q, MU), method=method)
    assert solution.scaled_residual == pytest.approx(plain.scaled_residual, rel=0.5, abs=1e-8)
    assert scaled_residual(problem, solution.force) == pytest.approx(
        solution.scaled_residual, rel=1e-6, abs=1e-15
    )


def test_the_two_residuals_part_where_units_do():
    """A wrong force, on stiff and on soft bodies: one measure sees it in both, the other in neither."""
    for compliance, wrong in ((1e-12, 0.5), (1e12, 2.0)):
        problem = ContactProblem(compliance * W, Q, MU)
        force = wrong / compliance * EXACT
        assert residual(problem, force) <= 1e-11
        assert 0.05 < scaled_residual(problem, force) < 1.0
        assert scaled_residual(problem, EXACT / compliance) <= 1e-12


def test_an_operator_is_judged_alike():
    for compliance in (1e-12, 1e12):
        stored = compliance * W
        operator = scipy.sparse.linalg.aslinearoperator(stored)
        solution = solve(ContactProblem(operator, Q, MU))
        assert solution.converged and error(solution, EXACT / compliance) <= 1e-6


def test_blocks_of_very_different_stiffness_are_solved_alike():
    compliances = np.repeat([1.0, 1e-7, 1e7], 3)
    q = np.array([-1.0, 0.2, 0.1, -1.0, 0.3, 0.0, -1.0, 0.0, 0.4])
    problem = ContactProblem(np.diag(compliances), q, np.full(3, 0.5))
    for method in ("auto", "block_gauss_seidel", "newton"):
        solution = solve(problem, method=method)
        assert solution.converged
        np.testing.assert_allclose(solution.force[::3] * compliances[::3], 1.0, rtol=1e-6)


@pytest.mark.parametrize("mu", [1e6, 1e8, 1e9, 1e12])
def test_penetration_is_no_solution_however_large_the_friction(mu):
    problem = ContactProblem(np.eye(3), [-1.0, 0.3, 0.2], [mu])
    assert scaled_residual(problem, np.zeros(3)) > 0.1
    for method in METHODS:
        solution = solve(problem, method=method, max_iterations=300)
        assert solution.velocity[0] > -1e-6 or not solution.converged
    np.testing.assert_allclose(solve(problem).force, [1.0, -0.3, -0.2], atol=1e-12)
    pair = solve(ContactProblem(W, Q, [mu, mu]))
    assert np.abs(pair.velocity).max() <= 1e-7 or not pair.converged


@pytest.mark.parametrize("method", ["auto", "newton", "anderson", "block_gauss_seidel", "projection"])
def test_penetration_without_compliance_is_never_solved(method):
    for matrix in (np.zeros((6, 6)), scipy.sparse.csr_matrix((6, 6))):
        solution = solve(ContactProblem(matrix, Q, MU), method=method, max_iterations=300)
        assert not solution.converged and solution.reason == "max_iterations"
    apart = solve(ContactProblem(np.zeros((6, 6)), np.abs(Q), MU), method=method)
    assert apart.converged and not apart.force.any()


def test_a_force_that_cancels_does_not_hide_penetration():
    """Two contacts that squeeze one body: a large grip to start from moves nothing, and solves nothing."""
    squeeze = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.diag([1.0, 0.0, 0.0]))
    squeeze += np.diag([0.0, 1.0, 1.0] * 2)
    q = np.array([-1.0, 0.0, 0.0, 2.0, 0.0, 0.0])
    for grip in (0.0, 1e3, 1e6):
        solution = solve(ContactProblem(squeeze, q, MU), guess=np.array([grip, 0, 0, grip, 0, 0]))
        assert solution.converged and solution.velocity[0] > -1e-6 * max(1.0, 1e-2 * grip)
