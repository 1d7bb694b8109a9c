# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exact block solves of one contact: against 40-digit solutions, and patches against points."""

import json
from pathlib import Path

import numpy as np
import pytest

from softcontact import _core
from softcontact.friction import contensou_potential, in_limit_surface
from softcontact.solver import ContactProblem, residual, solve

CASES = json.loads((Path(__file__).parent / "data" / "one_contact.json").read_text())
NAMES = {"separate": "separate", "stick": "stick", "slide": "slip"}


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["state"])
def test_block_solve_equals_the_enumerated_solution(case):
    W, q = np.array(case["W"]), np.array(case["q"])
    force, state, converged = _core.solve_coulomb_block(W, q, case["mu"])
    assert converged and state == NAMES[case["state"]]
    scale = max(np.linalg.norm(case["r"]), 1e-300)
    assert np.linalg.norm(force - case["r"]) <= 1e-10 * case["cond"] * scale
    velocity = np.linalg.norm(W @ force + q - case["u"])
    assert velocity <= 1e-10 * case["cond"] * np.linalg.norm(q)


@pytest.mark.parametrize("case", CASES["hand"], ids=lambda case: case["name"])
def test_block_solve_by_hand(case):
    force, state, _ = _core.solve_coulomb_block(
        np.array(case["W"], float), np.array(case["q"], float), case["mu"]
    )
    np.testing.assert_allclose(force, case["r"], atol=1e-12)
    assert state == NAMES[case["state"]]


@pytest.mark.parametrize("case", CASES["multiple_solution_cases"])
def test_where_solutions_are_several_one_of_them_is_returned(case):
    W, q = np.array(case["W"]), np.array(case["q"])
    force, _, converged = _core.solve_coulomb_block(W, q, case["mu"])
    nearest = min(np.linalg.norm(force - s["r"]) for s in case["solutions"])
    assert converged and nearest <= 1e-10 * case["cond"] * max(1.0, np.linalg.norm(force))


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["state"])
def test_default_settings_solve_every_case_with_one_solution(case):
    problem = ContactProblem(case["W"], case["q"], [case["mu"]])
    solution = solve(problem)
    assert solution.converged and solution.reason == "converged" and residual(problem, solution.force) <= 1e-8
    scale = max(np.linalg.norm(case["r"]), 1e-300)
    assert np.linalg.norm(solution.force - case["r"]) <= 1e-10 * case["cond"] * scale


@pytest.mark.parametrize(
    "method", ["block_gauss_seidel", "nncg", "newton", "projection", "local_uzawa", "global_uzawa"]
)
def test_every_solver_reaches_the_residual_on_one_contact(method):
    for case in CASES["cases"][::10]:
        problem = ContactProblem(case["W"], case["q"], [case["mu"]])
        step = {"rho": "block"} if method.endswith("uzawa") else {}
        solution = solve(problem, method=method, tolerance=1e-9, max_iterations=20000, **step)
        if solution.converged:
            assert residual(problem, solution.force) <= 1e-9
        else:  # one step length for a whole block stalls where it is ill-conditioned, and says so
            assert (method.endswith("uzawa") or method == "projection") and case["cond"] > 10


def random_block(rng, size):
    a = rng.normal(size=(4, 4))
    scale = np.array([1.0, 1.0, 1.0, 1.0 / size])
    W = (a @ a.T + 0.05 * np.eye(4)) * np.outer(scale, scale)
    q = rng.normal(size=4) * scale
    q[0] = -abs(q[0])
    return W, q


def test_patch_of_one_point_equals_the_point_contact():
    rng = np.random.default_rng(2)
    for _ in range(200):
        W, q = random_block(rng, 0.01)
        mu = rng.uniform(0.1, 1.2)
        patch, state, _ = _core.solve_contensou_block(W, q, [1.0], [[0.0, 0.0]], mu, np.zeros(4))
        point, point_state, _ = _core.solve_coulomb_block(W[:3, :3], q[:3], mu)
        assert state == point_state
        np.testing.assert_allclose(patch, [*point, 0.0], rtol=1e-12, atol=1e-12 * np.abs(point).max())


def test_nearly_one_point_tends_to_the_point_contact():
    """Two points a micrometre apart, on bodies of a metre, carry no torque to speak of."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        W, q = random_block(rng, 1.0)
        mu = rng.uniform(0.1, 1.0)
        offsets = [[1e-6, 0.0], [-1e-6, 0.0]]
        patch, _, converged = _core.solve_contensou_block(W, q, [0.5, 0.5], offsets, mu, np.zeros(4))
        point, _, _ = _core.solve_coulomb_block(W[:3, :3], q[:3], mu)
        assert converged
        np.testing.assert_allclose(patch, [*point, 0.0], atol=1e-4 * np.abs(point).max())


def test_patch_block_couples_normal_law_and_friction():
    rng = np.random.default_rng(9)
    states = {"stick": 0, "slip": 0}
    for _ in range(400):
        k = int(rng.integers(2, 30))
        size = 10.0 ** rng.uniform(-3, -1)
        shares = rng.uniform(0.01, 1.0, k)
        shares /= shares.sum()
        offsets = size * rng.normal(size=(k, 2))
        offsets -= shares @ offsets
        W, q = random_block(rng, size)
        mu = rng.uniform(0.1, 1.2)
        force, state, converged = _core.solve_contensou_block(W, q, shares, offsets, mu, np.zeros(4))
        assert converged and force[0] > 0.0
        u = W @ force + q
        assert abs(u[0]) <= 1e-11 * (abs(q[0]) + W[0, 0] * force[0])
        patch = {"shares": shares, "offsets": offsets, "mu": mu, "normal_force": force[0]}
        potential = contensou_potential(u[1:3], u[3], **patch)
        reference = mu * force[0] * np.linalg.norm(q * [1, 1, 1, size])
        assert abs(potential + u[1:] @ force[1:]) <= 1e-10 * reference
        assert in_limit_surface(force[1:], **patch) <= 1.0 + 1e-9
        states[state] += 1
        # A warm start changes nothing but the time.
        again, _, _ = _core.solve_contensou_block(W, q, shares, offsets, mu, 1.01 * force)
        np.testing.assert_allclose(again, force, rtol=0, atol=1e-8 * np.abs(force).max())
    assert min(states.values()) > 20


def test_patch_that_spins_about_a_contact_point_is_found_from_far_and_near():
    """Made backwards: a point holds with part of its bound, the others slide about it, the normal row closes."""
    rng = np.random.default_rng(17)
    for _ in range(200):
        k = int(rng.integers(3, 20))
        shares = rng.uniform(0.01, 1.0, k)
        shares[0] = 0.5 * shares.sum()
        shares /= shares.sum()
        offsets = 0.01 * rng.normal(size=(k, 2))
        mu, normal, spin = rng.uniform(0.1, 1.0), rng.uniform(0.5, 2.0), rng.choice([-1.0, 1.0])
        arms = offsets - offsets[0]
        away = np.linalg.norm(arms, axis=1)[1:, None]
        f = np.zeros((k, 2))
        f[1:] = -mu * normal * shares[1:, None] * spin * np.column_stack([-arms[1:, 1], arms[1:, 0]]) / away
        turn = rng.uniform(0, 2 * np.pi)
        f[0] = 0.9 * mu * normal * shares[0] * rng.uniform() * np.array([np.cos(turn), np.sin(turn)])
        force = np.array([normal, *f.sum(axis=0), (offsets[:, 0] * f[:, 1] - offsets[:, 1] * f[:, 0]).sum()])
        W, _ = random_block(rng, 0.01)
        W[0, 1:] *= 0.1  # little coupling with the normal: one solution only
        W[1:, 0] *= 0.1
        rate = spin * rng.uniform(0.1, 50.0)
        u = np.array([0.0, rate * offsets[0, 1], -rate * offsets[0, 0], rate])
        q = u - W @ force
        if q[0] >= 0.0:
            continue
        for guess in (np.zeros(4), force * (1.0 + 1e-3 * rng.normal(size=4))):
            found, state, converged = _core.solve_contensou_block(W, q, shares, offsets, mu, guess)
            assert converged and state == "slip"
            scale = np.abs(np.linalg.inv(W)).max(axis=1) * np.abs(q).max()
            assert (np.abs(found - force) <= 1e-10 * scale + 1e-10 * np.abs(force)).all()


@pytest.mark.parametrize("ratio", [1e-12, 1e-6, 1.0, 1e6])
def test_slip_force_is_exact_whatever_the_scale_of_the_rows(ratio):
    """Tangents far softer or far stiffer than the normal, coupled with it."""
    rng = np.random.default_rng(23)
    slipped = 0
    for _ in range(200):
        W, q = random_block(rng, 1.0)
        W, q = W[:3, :3].copy(), q[:3].copy()
        scale = np.sqrt(np.array([1.0, ratio, ratio]))
        W *= np.outer(scale, scale)
        q *= [1.0, rng.choice([1.0, np.sqrt(ratio)]), 1.0]
        mu = rng.uniform(0.05, 1.0)
        force, state, converged = _core.solve_coulomb_block(W, q, mu)
        assert converged
        if state != "slip":
            continue
        slipped += 1
        u = W @ force + q
        pull = np.hypot(*force[1:])
        assert abs(pull - mu * force[0]) <= 1e-14 * pull
        size = np.abs(W) @ np.abs(force) + np.abs(q)
        assert abs(u[0]) <= 1e-12 * size[0]
        assert abs(u[1] * force[2] - u[2] * force[1]) <= 1e-11 * size[1:].max() * pull
        assert u[1:] @ force[1:] < 0.0
    assert slipped > 10


@pytest.mark.parametrize("least", [0.0, 1e-16, 1e-12, 1e-10, 1e-8])
def test_a_nearly_singular_compliance_is_solved_or_told(least):
    rng = np.random.default_rng(7)
    solved = 0
    for _ in range(300):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        W = axes @ np.diag([1.0, 10.0 ** rng.uniform(-3, 0), least]) @ axes.T
        W = 0.5 * (W + W.T)
        q = W @ rng.normal(size=3)  # what this compliance can stop, but for
        q[0] = -abs(q[0])  # the sign of the approach
        mu = 10.0 ** rng.uniform(-2, 1)
        force, state, converged = _core.solve_coulomb_block(W, q, mu)
        u = W @ force + q
        size = (np.abs(W) @ np.abs(force) + np.abs(q)).max()
        assert np.hypot(*force[1:]) <= mu * force[0] * (1 + 1e-12)
        if not converged:
            continue
        solved += 1
        assert abs(u[0]) <= 2e-9 * size, (W, q, mu)
        if state == "stick":
            assert np.abs(u).max() <= 2e-9 * size, (W, q, mu)
        else:
            assert u[1:] @ force[1:] <= 2e-9 * size * np.hypot(*force[1:]), (W, q, mu)
    assert solved >= 200


def test_bodies_that_only_move_along_one_line_press_without_friction():
    """Two guides: W has rank one, and what its rounding leaves of the tangents asks for no force."""
    rng = np.random.default_rng(31)
    for _ in range(2000):
        row = rng.normal(size=3) * [1.0, 0.1, 0.1]
        W, q = np.outer(row, row), -row * np.sign(row[0]) * rng.uniform(0.1, 2.0)
        force, _, converged = _core.solve_coulomb_block(W, q, 0.8)
        assert converged and np.isfinite(force).all()
        assert np.hypot(*force[1:]) <= 0.8 * force[0] * (1 + 1e-14)
        assert np.abs(W @ force + q).max() <= 1e-12 * np.abs(q).max()


def test_patch_that_parts_carries_nothing():
    W, q = random_block(np.random.default_rng(1), 0.01)
    q[0] = 0.1
    force, state, converged = _core.solve_contensou_block(
        W, q, [0.5, 0.5], [[0.01, 0], [-0.01, 0]], 0.5, np.ones(4)
    )
    assert converged and state == "separate" and not force.any()
