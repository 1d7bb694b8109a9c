# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many contacts: the same problems, all solvers, one residual that no solver owns; FCLIB files."""

import numpy as np
import pytest
import scipy.sparse

from softcontact import _core
from softcontact.bench.solvers import load, names
from softcontact.friction import project_to_cone
from softcontact.solver import ContactProblem, residual, solve

# Known to stagnate under any Gauss–Seidel: only some methods get through.
HARD = {
    **{name: ("auto", "newton") for name in names() if name.startswith(("EightBoxes", "RockPile"))},
    "BoxesStack1-i100000-32": ("auto", "newton"),
    "OneObject-i100000-316": ("auto", "newton", "anderson", "nncg"),
}
REGULAR = ("auto", "newton", "anderson", "nncg", "block_gauss_seidel", "local_uzawa")


def natural_map(problem, r):
    """The residual once more, in NumPy and by definition."""
    u = problem.W @ r + problem.q
    augmented = u.reshape(-1, 3).copy()
    augmented[:, 0] += problem.mu * np.linalg.norm(augmented[:, 1:], axis=1)
    defect = r.reshape(-1, 3) - project_to_cone(r.reshape(-1, 3) - augmented, problem.mu)
    return np.linalg.norm(defect) / max(np.linalg.norm(x) for x in (problem.q, r, u))


def scaled_map(problem, r):
    """The backward error of the Alart–Curnier equations, in NumPy and by definition."""
    W = np.asarray(problem.W.todense()) if scipy.sparse.issparse(problem.W) else problem.W
    u = (W @ r + problem.q).reshape(-1, 3)
    c = np.diag(W).reshape(-1, 3).mean(axis=1)[:, None]
    pressed = c * r.reshape(-1, 3)
    y = pressed - u
    bound = problem.mu * np.maximum(y[:, 0], 0.0)
    length = np.linalg.norm(y[:, 1:], axis=1)
    kept = np.minimum(1.0, np.divide(bound, length, out=np.ones_like(length), where=length > 0.0))
    target = np.column_stack([np.maximum(y[:, 0], 0.0), y[:, 1:] * kept[:, None]])
    return np.linalg.norm(pressed - target) / np.linalg.norm(np.abs(W) @ np.abs(r) + np.abs(problem.q))


@pytest.mark.parametrize("name", names())
def test_problem_is_solved_to_the_residual(name):
    problem, reference = load(name)
    assert residual(problem, reference) <= 1e-8
    for method in HARD.get(name, REGULAR):
        # Plain sweeps come to 1e-8 in both measures after some 10 500 on one of them.
        solution = solve(problem, method=method, max_iterations=12000)
        assert solution.converged, (method, solution.residual)
        assert natural_map(problem, solution.force) <= 1e-8
        assert solution.residual == pytest.approx(natural_map(problem, solution.force), rel=1e-6, abs=1e-14)
        judged = max(solution.residual, solution.scaled_residual)
        assert len(solution.history) == solution.iterations and solution.history[-1] == judged <= 1e-8
        assert scaled_map(problem, solution.force) == pytest.approx(
            solution.scaled_residual, rel=1e-6, abs=1e-14
        )
        np.testing.assert_allclose(solution.velocity, problem.velocity(solution.force), atol=1e-12)


@pytest.mark.parametrize("name", [name for name in HARD if not name.startswith("RockPile")])
def test_redundant_contacts_are_solved_to_twelve_digits(name):
    """Bodies that are borne in more points than they need: rank(W) is far below its size."""
    problem, _ = load(name)
    for method in ("auto", "newton"):
        solution = solve(problem, method=method, tolerance=1e-12, max_iterations=1000)
        assert solution.converged and natural_map(problem, solution.force) <= 1e-12


def test_global_uzawa_agrees_on_a_regular_problem():
    problem, _ = load("Confeti-ex03-Fc3D-SBM")
    slow = solve(problem, method="global_uzawa", tolerance=1e-10)
    fast = solve(problem, tolerance=1e-12)
    assert slow.converged and fast.converged and slow.iterations > fast.iterations
    np.testing.assert_allclose(slow.velocity, fast.velocity, atol=1e-4 * np.abs(problem.q).max())


def test_a_solver_cut_short_says_so():
    problem, _ = load("OneObject-i100000-316")
    solution = solve(problem, method="block_gauss_seidel", max_iterations=20)
    assert not solution.converged and solution.iterations == 20
    assert solution.residual > 1e-8 and solution.residual == pytest.approx(residual(problem, solution.force))


def test_warm_start_ends_at_once_and_results_repeat_bit_for_bit():
    problem, _ = load("Box_Stacks-i0122-82-5")
    first, second = solve(problem), solve(problem)
    np.testing.assert_array_equal(first.force, second.force)
    assert solve(problem, guess=first.force).iterations == 0


def test_mixed_blocks_are_solved_together():
    """Bodies that touch through a normal row, a point and two patches, all coupled by one W."""
    rng = np.random.default_rng(6)
    shares = np.full(6, 1 / 6)
    angle = 2 * np.pi * np.arange(6) / 6
    offsets = 0.01 * np.column_stack([np.cos(angle), np.sin(angle)])
    rows = [1, 3, 4, 4]
    scale = np.concatenate([[1.0] * 4, [1, 1, 1, 100.0], [1, 1, 1, 100.0]])
    for acceleration in ("none", "conjugate", "anderson"):
        a = rng.normal(size=(12, 12))
        W = (a @ a.T / 12 + np.eye(12)) * np.outer(scale, scale)
        q = rng.normal(size=12) * scale
        q[[0, 1, 4, 8]] = -np.abs(q[[0, 1, 4, 8]])
        blocks = [(n, "contensou", 0.6, shares, offsets) for n in rows]
        force, iterations, error, converged = _core.solve_blocks(
            W, q, blocks, np.zeros(12), 1e-11, 500, acceleration
        )
        assert converged and error <= 1e-11 and iterations > 1
        u = W @ force + q
        normals = [0, 1, 4, 8]
        assert (force[normals] >= 0).all() and (u[normals] >= -1e-10).all()
        np.testing.assert_allclose(force[normals] * u[normals], 0.0, atol=1e-9)
        for offset in (4, 8):
            bound = 0.6 * force[offset]
            potential = _core.contensou_potential(u[offset + 1 : offset + 4], shares, offsets, bound)
            assert abs(potential + u[offset + 1 : offset + 4] @ force[offset + 1 : offset + 4]) <= 1e-9
            assert _core.contensou_gauge(force[offset + 1 : offset + 4], shares, offsets, bound) <= 1 + 1e-8


def test_decoupled_and_coulomb_laws_keep_their_bounds():
    shares, offsets = np.full(2, 0.5), np.array([[0.01, 0.0], [-0.01, 0.0]])
    W, q = np.diag([1.0, 1.0, 1.0, 1e4]), np.array([-2.0, 3.0, 4.0, 900.0])
    mu = 0.5
    speed = q[1:3] + 900.0 * np.array([[0.0, 0.01], [0.0, -0.01]])
    unit = speed / np.linalg.norm(speed, axis=1, keepdims=True)
    tangential = np.linalg.norm(unit.mean(axis=0))
    torsional = abs((offsets[:, 0] * unit[:, 1] - offsets[:, 1] * unit[:, 0]).mean())
    blocks = [(4, "contensou-decoupled", mu, shares, offsets)]
    force, _, _, converged = _core.solve_blocks(W, q, blocks, np.zeros(4), 1e-12, 100, "none")
    assert converged
    np.testing.assert_allclose(force[0], 2.0)
    np.testing.assert_allclose(force[1:3], -mu * 2.0 * tangential * np.array([0.6, 0.8]), rtol=1e-12)
    np.testing.assert_allclose(force[3], -mu * 2.0 * torsional, rtol=1e-12)
    blocks = [(4, "coulomb", mu, shares, offsets)]
    force, _, _, converged = _core.solve_blocks(W, q, blocks, np.zeros(4), 1e-12, 100, "none")
    assert converged
    np.testing.assert_allclose(force, [2.0, -0.6, -0.8, 0.0], atol=1e-13)


@pytest.mark.parametrize(("seed", "boxes", "mu"), [(17, 10, 1.2), (3, 9, 0.7)])
def test_piles_with_many_points_an_interface_are_solved(seed, boxes, mu):
    """Boxes on each other, 16 points an interface, pushed sideways: sweeps alone stall on them."""
    rng = np.random.default_rng(seed)
    ticks = np.linspace(-0.5, 0.5, 4)
    points = [(x, y) for x in ticks for y in ticks]
    H = np.zeros((3 * len(points) * boxes, 6 * boxes))
    for i in range(boxes):
        normal = np.array([*(1e-4 * rng.normal(size=2)), 1.0])
        normal /= np.linalg.norm(normal)
        t = np.cross(normal, [0.0, 1.0, 0.0])
        frame = np.array([normal, t / np.linalg.norm(t), np.cross(normal, t) / np.linalg.norm(t)])
        for k, (x, y) in enumerate(points):
            rows = slice(3 * (len(points) * i + k), 3 * (len(points) * i + k) + 3)
            for body, height, sign in ((i, -0.25, 1.0), (i - 1, 0.25, -1.0)):
                if body >= 0:
                    H[rows, 6 * body : 6 * body + 3] = sign * frame
                    H[rows, 6 * body + 3 : 6 * body + 6] = sign * np.cross([x, y, height], frame)
    masses = np.exp(rng.normal(size=boxes))
    A = np.diag(np.concatenate([mass * np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.16]) for mass in masses]))
    v = np.tile([0.05, 0.0, -0.05, 0.0, 0.0, 0.0], boxes) + 1e-3 * rng.normal(size=6 * boxes)
    problem = ContactProblem.from_factors(H, A, H @ v, np.full(len(points) * boxes, mu))
    assert not solve(problem, method="block_gauss_seidel", max_iterations=1000).converged
    solution = solve(problem)
    assert solution.converged and natural_map(problem, solution.force) <= 1e-8


def test_a_contact_without_compliance_is_reported():
    W, q = np.zeros((3, 3)), np.array([-1.0, 0.0, 0.0])
    _, _, error, converged = _core.solve_blocks(
        W, q, [(3, "coulomb", 0.5, None, None)], np.zeros(3), 1e-9, 10, "none"
    )
    assert not converged and error == np.inf


def test_a_time_budget_is_kept_and_told():
    problem, _ = load("KaplasTower-i1061-4")
    for method in ("auto", "newton", "projection", "block_gauss_seidel"):
        solution = solve(problem, method=method, time_budget=1e-4, tolerance=1e-14)
        assert not solution.converged and solution.reason == "time_budget"
        assert (
            solution.residual == pytest.approx(residual(problem, solution.force)) and solution.residual < 1.0
        )
        assert solution.iterations < 30


def test_automatic_takes_newtons_help_where_sweeps_stagnate():
    problem, _ = load("BoxesStack1-i100000-32")
    solution = solve(problem)
    assert solution.converged and solution.method == "newton"
    assert not solve(problem, method="block_gauss_seidel", max_iterations=2000).converged
    easy = solve(load("Confeti-ex03-Fc3D-SBM")[0])
    assert easy.converged and easy.method == "anderson"


@pytest.mark.parametrize("name", ["Confeti-ex03-Fc3D-SBM", "OneObject-i100000-316", "KaplasTower-i1061-4"])
def test_a_matrix_that_is_only_applied_is_solved_as_well(name):
    stored, _ = load(name)
    products = 0

    def product(r):
        nonlocal products
        products += 1
        return stored.W @ r

    operator = scipy.sparse.linalg.LinearOperator(stored.W.shape, matvec=product, dtype=float)
    solution = solve(ContactProblem(operator, stored.q, stored.mu))
    assert solution.converged and solution.method == "projection" and products > solution.iterations
    assert residual(stored, solution.force) <= 1e-8


def random_bodies(rng, bodies, contacts):
    """Contact rows (3 contacts, 6 bodies) of rigid bodies, and their mass matrix."""
    H = np.zeros((3 * contacts, 6 * bodies))
    for i in range(contacts):
        for body, sign in zip(rng.choice(bodies, 2, replace=False), (1.0, -1.0), strict=True):
            frame = np.linalg.qr(rng.normal(size=(3, 3)))[0] * sign
            arm = 0.1 * rng.normal(size=3)
            H[3 * i : 3 * i + 3, 6 * body : 6 * body + 3] = frame
            H[3 * i : 3 * i + 3, 6 * body + 3 : 6 * body + 6] = np.cross(arm, frame)
    return H, np.diag(np.tile([1.0, 1.0, 1.0, 0.01, 0.01, 0.01], bodies))


def test_factors_give_the_same_problem_formed_or_applied():
    rng = np.random.default_rng(3)
    H, A = random_bodies(rng, 8, 30)  # 90 rows on 48 velocities: W lacks rank
    q, mu = H @ rng.normal(size=48), rng.uniform(0.0, 0.8, 30)
    formed = ContactProblem.from_factors(H, A, q, mu)
    applied = ContactProblem.from_factors(scipy.sparse.csr_matrix(H), A, q, mu, form=False)
    np.testing.assert_allclose(formed.W, H @ np.linalg.solve(A, H.T), atol=1e-12)
    for problem in (formed, applied):
        solution = solve(problem)
        assert solution.converged and natural_map(formed, solution.force) <= 1e-8
    with pytest.raises(ValueError, match=r"^method:"):
        solve(applied, method="anderson")
    with pytest.raises(ValueError, match=r"^A: singular"):
        ContactProblem.from_factors(H, np.zeros((48, 48)), q, mu)


@pytest.mark.parametrize("seed", range(12))
def test_stacks_without_full_rank_and_symmetry_are_solved(seed):
    """Hyperstatic assemblies of rigid bodies whose free velocities press them together, W skewed a little."""
    rng = np.random.default_rng(seed)
    H, A = random_bodies(rng, 6, 40)
    skew = rng.normal(size=(36, 36))
    A = A + (1e-2 * (skew - skew.T) * np.sqrt(np.outer(np.diag(A), np.diag(A))) if seed % 2 else 0.0)
    problem = ContactProblem.from_factors(H, A, H @ rng.normal(size=36), np.full(40, 0.2 + 0.05 * seed))
    assert np.linalg.matrix_rank(problem.W) < 120
    solution = solve(problem)
    assert solution.converged and natural_map(problem, solution.force) <= 1e-8


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"method": "magic"}, "method"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"guess": [1.0]}, "guess"),
        ({"rho": -1.0}, "rho"),
        ({"rho": float("nan")}, "rho"),
        ({"eps2": 0.0}, "eps2"),
        ({"stop": "never"}, "stop"),
        ({"stop": "eps1", "method": "newton"}, "stop"),
        ({"velocity": "slow"}, "velocity"),
        ({"inner_start": "cold"}, "inner_start"),
        ({"time_budget": float("nan")}, "time_budget"),
    ],
)
def test_wrong_options_are_refused_by_name(arguments, named):
    with pytest.raises(ValueError, match=f"^{named}:"):
        solve(ContactProblem(np.eye(3), [-1.0, 0, 0], [0.5]), **arguments)


@pytest.mark.parametrize(
    ("W", "q", "mu", "named"),
    [
        (np.eye(4), [0, 0, 0], [0.5], "W"),
        (np.full((3, 3), np.nan), [0, 0, 0], [0.5], "W"),
        (scipy.sparse.csr_matrix(np.diag([1.0, np.nan, 1.0])), [0, 0, 0], [0.5], "W"),
        (scipy.sparse.eye(6), [0, 0, 0], [0.5], "W"),
        (scipy.sparse.linalg.aslinearoperator(np.diag([1.0, np.nan, 1.0])), [0, 0, 0], [0.5], "W"),
        (np.eye(3), [0, 0], [0.5], "q"),
        (np.eye(3), [0, np.inf, 0], [0.5], "q"),
        (np.eye(3), [0, 0, 0], [-0.5], "mu"),
        (np.eye(3), [0, 0, 0], [np.nan], "mu"),
    ],
)
def test_wrong_problems_are_refused_by_name(W, q, mu, named):
    with pytest.raises(ValueError, match=f"^{named}:"):
        ContactProblem(W, q, mu)
