# SPDX-License-Identifier: LGPL-2.1-or-later
"""What contact problems take and refuse, that they stay as they are, and that a solve can be interrupted."""

import json
import os
import re
import signal
import threading
import time
from typing import get_args

import numpy as np
import pytest
import scipy.sparse

from softcontact.cli.app import main
from softcontact.solver import (
    ContactProblem,
    GlobalContactProblem,
    Method,
    residual,
    scaled_residual,
    solve,
    write_fclib,
)

W = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]), np.eye(3))
Q = np.array([-1.0, 0.5, 0.0, -0.8, 0.4, 0.1])
MU = np.array([0.3, 0.5])
METHODS = get_args(Method)


class Applied:
    """An operator with shape and matvec, and nothing else."""

    def __init__(self, matrix):
        self.matrix, self.shape = matrix, matrix.shape

    def matvec(self, vector):
        return self.matrix @ vector


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_every_sparse_kind_is_the_same_problem(kind):
    for build in (getattr(scipy.sparse, f"{kind}_matrix"), getattr(scipy.sparse, f"{kind}_array")):
        np.testing.assert_array_equal(
            solve(ContactProblem(build(W), Q, MU)).force, solve(ContactProblem(W, Q, MU)).force
        )


@pytest.mark.parametrize("index", [6, -1, 2**30])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil"])
def test_indices_outside_of_the_matrix_are_refused(kind, index):
    broken = getattr(scipy.sparse, f"{kind}_matrix")(np.ones((6, 6)))
    if kind == "coo":
        broken.col = broken.col.copy()
        broken.col[3] = index
    elif kind == "lil":
        broken.rows[1][2] = index
    else:
        broken.indices = broken.indices.copy()
        broken.indices[-1] = index
    with pytest.raises(ValueError, match=rf"^W: {kind} matrix with broken indices"):
        ContactProblem(broken, Q, MU)
    with pytest.raises(ValueError, match=r"^A: "):
        ContactProblem.from_factors(np.eye(6), broken, Q, MU)


def test_row_pointers_that_do_not_fit_are_refused():
    broken = scipy.sparse.csr_matrix(np.ones((6, 6)))
    broken.indptr = broken.indptr.copy()
    broken.indptr[2] = 30
    with pytest.raises(ValueError, match=r"^W: csr matrix with broken indices"):
        ContactProblem(broken, Q, MU)


@pytest.mark.parametrize("build", [np.asarray, scipy.sparse.csr_matrix])
def test_what_was_checked_stays_as_it_is(build):
    given, q, mu = build(W.copy()), Q.copy(), MU.copy()
    problem = ContactProblem(given, q, mu)
    before = solve(problem).force
    q[:] = np.nan
    mu[:] = -1.0
    if isinstance(given, np.ndarray):
        given[:] = 0.0
    else:
        given.data[:] = 0.0
    for name in ("q", "mu"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, name)[0] = np.nan
        with pytest.raises(AttributeError):
            setattr(problem, name, Q)
    entries = problem.W if isinstance(given, np.ndarray) else problem.W.data
    with pytest.raises(ValueError, match="read-only"):
        entries[0] = 9.0
    if not isinstance(given, np.ndarray):
        problem.W.data = np.zeros(12)  # of a matrix that is not the problem's
    np.testing.assert_array_equal(solve(problem).force, before)
    assert residual(problem, before) <= 1e-8 and (problem.W @ before).shape == (6,)


def test_global_problems_stay_as_they_are():
    problem = GlobalContactProblem(np.eye(6), np.eye(6), Q, np.zeros(6), MU, G=np.ones((6, 1)), b=[0.0])
    for array in (problem.f, problem.w, problem.b, problem.M.data, problem.H.data, problem.G.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize("turn", [lambda x: x + 1j, lambda x: (x + 1j).astype(object)])
def test_what_is_not_a_real_number_is_refused(turn):
    for arguments, name in (((turn(W), Q, MU), "W"), ((W, turn(Q), MU), "q"), ((W, Q, turn(MU)), "mu")):
        with pytest.raises(ValueError, match=f"^{name}: complex"):
            ContactProblem(*arguments)
    with pytest.raises(ValueError, match=r"^q: could not convert"):
        ContactProblem(W, ["a", "b", "c"] * 2, MU)


def test_complex_matrices_and_products_are_refused():
    imaginary = scipy.sparse.csr_matrix(np.eye(6) + 1j)
    with pytest.raises(ValueError, match=r"^W: complex"):
        ContactProblem(imaginary, Q, MU)
    with pytest.raises(ValueError, match=r"^H: complex"):
        ContactProblem.from_factors(imaginary, np.eye(6), Q, MU)
    with pytest.raises(ValueError, match=r"^A: complex"):
        ContactProblem.from_factors(np.eye(6), np.eye(6) * (1 + 1j), Q, MU)
    with pytest.raises(ValueError, match=r"^M: complex"):
        GlobalContactProblem(imaginary, np.eye(6), Q, np.zeros(6), MU)
    with pytest.raises(ValueError, match=r"^W: complex"):
        ContactProblem(Applied(W * (1 + 1j)), Q, MU)
    problem = ContactProblem(W, Q, MU)
    with pytest.raises(ValueError, match=r"^guess: complex"):
        solve(problem, guess=Q * 1j)
    with pytest.raises(ValueError, match=r"^force: complex"):
        residual(problem, Q * 1j)


def test_an_operator_needs_shape_and_matvec_alone():
    stored, applied = ContactProblem(W, Q, MU), ContactProblem(Applied(W), Q, MU)
    solution = solve(applied)
    assert solution.converged and residual(stored, solution.force) <= 1e-8
    assert residual(applied, solution.force) == pytest.approx(solution.residual, rel=1e-6, abs=1e-15)
    assert scaled_residual(applied, solution.force) == pytest.approx(
        solution.scaled_residual, rel=1e-6, abs=1e-15
    )
    np.testing.assert_allclose(applied.velocity(solution.force), stored.velocity(solution.force), atol=1e-14)
    short = Applied(W)
    short.matrix = W[:3]
    with pytest.raises(ValueError, match=r"^W: its product with 6 numbers has 3"):
        ContactProblem(short, Q, MU)


@pytest.mark.parametrize(
    ("method", "option", "takes"),
    [
        ("newton", {"rho": 0.5}, "guess$"),
        ("auto", {"rho": "block"}, "guess, stop$"),
        ("block_gauss_seidel", {"eps2": 1e-3}, "guess, stop$"),
        ("anderson", {"inner_start": "zero"}, "guess, stop$"),
        ("local_uzawa", {"velocity": "stored"}, "guess, stop, rho, eps2, inner_start$"),
        ("global_uzawa", {"eps2": 1e-3}, "guess, stop, rho, velocity$"),
        ("global_uzawa", {"inner_start": "zero"}, "guess, stop, rho, velocity$"),
        ("projection", {"stop": "eps1"}, "guess$"),
    ],
)
def test_options_that_a_method_has_no_use_for_are_refused(method, option, takes):
    with pytest.raises(ValueError, match=rf"^{next(iter(option))}: .*{method}.* it takes .*{takes}"):
        solve(ContactProblem(W, Q, MU), method=method, **option)


def endless(method):
    """Settings and a problem that no method ends by itself: nothing is as small as 1e-300."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=(240, 240))
    q = rng.normal(size=240)
    q[::3] = -np.abs(q[::3])
    problem = ContactProblem(a @ a.T / 240 + 0.1 * np.eye(240), q, np.full(80, 0.4))
    return problem, {"method": method, "tolerance": 1e-300, "max_iterations": 2**31 - 1, "time_budget": 5.0}


def interrupted_after(delay, work):
    """Seconds from Ctrl-C to KeyboardInterrupt in `work`."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(delay, send)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.perf_counter() - sent[0]
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("method", METHODS)
def test_a_solve_ends_on_ctrl_c(method):
    problem, settings = endless(method)
    assert interrupted_after(0.1, lambda: solve(problem, **settings)) < 0.3
    solution = solve(ContactProblem(W, Q, MU))  # and the next one is undisturbed
    assert solution.converged


def test_a_solve_of_an_applied_matrix_ends_on_ctrl_c_and_lets_others_run():
    problem, settings = endless("auto")
    operator = ContactProblem(Applied(problem.W), problem.q, problem.mu)
    assert interrupted_after(0.1, lambda: solve(operator, **settings)) < 0.3


def test_a_large_factorisation_does_not_hold_up_ctrl_c():
    rng = np.random.default_rng(2)
    n = 600
    a = rng.normal(size=(3 * n, 3 * n)) / np.sqrt(3 * n)
    q = rng.normal(size=3 * n)
    q[::3] = -5.0
    problem = ContactProblem(a @ a.T + 0.1 * np.eye(3 * n), q, np.full(n, 0.4))
    settings = {"method": "newton", "tolerance": 1e-300, "max_iterations": 10**6, "time_budget": 20.0}
    assert interrupted_after(0.7, lambda: solve(problem, **settings)) < 0.3


def test_the_command_tells_what_is_missing_in_units_and_without(tmp_path, capsys):
    path = tmp_path / "soft.hdf5"
    write_fclib(path, ContactProblem(1e-9 * W, 1e-4 * Q, MU))
    assert main(["solve", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["residual"] <= 1e-8 and 0.0 < found["scaled_residual"] <= 1e-8
    assert main(["solve", str(path), "--method", "block_gauss_seidel", "--max-iterations", "2"]) == 1
    told = capsys.readouterr().err
    missing = float(re.search(r"\(([0-9.e+-]+) without units\)", told)[1])
    assert missing > 1e-4 and float(re.search(r"residual ([0-9.e+-]+) ", told)[1]) < 1e-8
