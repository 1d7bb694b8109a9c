# SPDX-License-Identifier: LGPL-2.1-or-later
"""FCLIB files, local and global, and the command that solves them."""

import json
import os
import stat
import subprocess
import sys

import h5py
import numpy as np
import pytest
import scipy.sparse

from softcontact.bench.solvers import load
from softcontact.cli.app import main
from softcontact.solver import (
    ContactProblem,
    GlobalContactProblem,
    read_fclib,
    residual,
    solve,
    write_fclib,
)

STORAGES = {"triplet": 0, "csc": -1, "csr": -2}


@pytest.mark.parametrize("storage", STORAGES.values())
def test_fclib_storages_read_the_same(tmp_path, storage):
    problem, _ = load("Rover1040")
    path = tmp_path / "problem.hdf5"
    write_fclib(path, problem, solve(problem))
    with h5py.File(path, "r+") as file:
        assert file["fclib_local/W/nz"][0] == -2 and file["solution/r"].shape == problem.q.shape
        if storage != -2:
            sparse = scipy.sparse.csc_matrix(problem.W)
            triplet = sparse.tocoo()
            p, i = (triplet.col, triplet.row) if storage == 0 else (sparse.indptr, sparse.indices)
            del file["fclib_local/W"]
            group = file.create_group("fclib_local/W")
            group["m"] = group["n"] = np.array([problem.q.size], dtype=np.int32)
            group["nz"] = np.array([sparse.nnz if storage == 0 else storage], dtype=np.int32)
            group["p"], group["i"], group["x"] = p, i, triplet.data if storage == 0 else sparse.data
    again = read_fclib(path)
    assert abs(again.W - problem.W).max() == 0.0
    for name in ("q", "mu"):
        np.testing.assert_array_equal(getattr(again, name), getattr(problem, name))


def test_files_that_are_not_fclib_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not a file"):
        read_fclib(tmp_path / "missing.hdf5")
    (tmp_path / "text.hdf5").write_text("hello")
    with pytest.raises(ValueError, match="not an HDF5 file"):
        read_fclib(tmp_path / "text.hdf5")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = 1.0
    with pytest.raises(ValueError, match="fclib_local"):
        read_fclib(tmp_path / "other.hdf5")


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_written_in_a_storage_is_read_again(tmp_path, storage):
    problem, _ = load("Rover1041")
    write_fclib(tmp_path / "a.hdf5", problem, storage=storage)
    with h5py.File(tmp_path / "a.hdf5") as file:
        nz = file["fclib_local/W/nz"][0]
        assert nz == STORAGES[storage] or (storage == "triplet" and nz == problem.W.nnz)
    assert abs(read_fclib(tmp_path / "a.hdf5").W - problem.W).max() == 0.0


def global_problem(constrained=False):
    rng = np.random.default_rng(5)
    H = rng.normal(size=(12, 9))
    half = rng.normal(size=(12, 12))
    M = half @ half.T + 12.0 * np.eye(12)
    f, w = -3.0 * H @ np.tile([1.0, 0.1, 0.0], 3), np.tile([-0.1, 0.05, 0.0], 3)
    G, b = (rng.normal(size=(12, 2)), rng.normal(size=2)) if constrained else (None, None)
    return GlobalContactProblem(M, H, f, w, [0.3, 0.5, 0.7], G, b)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("constrained", [False, True])
def test_global_problems_are_read_written_and_solved(tmp_path, storage, constrained):
    problem = global_problem(constrained)
    solution = solve(problem, tolerance=1e-12)
    write_fclib(tmp_path / "g.hdf5", problem, solution, storage=storage)
    again = read_fclib(tmp_path / "g.hdf5")
    assert isinstance(again, GlobalContactProblem)
    r = solve(again, tolerance=1e-12).force
    v = again.body_velocity(r)
    u = again.H.T @ v + again.w
    np.testing.assert_allclose(u, solution.velocity, atol=1e-10)
    rest = again.M @ v - again.H @ r - again.f
    if constrained:
        np.testing.assert_allclose(again.G.T @ v + again.b, 0.0, atol=1e-12)
        rest -= again.G @ np.linalg.lstsq(again.G.toarray(), rest, rcond=None)[0]
    np.testing.assert_allclose(rest, 0.0, atol=1e-11)
    assert residual(again.local, r) <= 1e-12 and np.linalg.norm(r) > 1.0
    with h5py.File(tmp_path / "g.hdf5") as file:
        np.testing.assert_allclose(file["solution/v"][()], v, atol=1e-10)


def test_equality_constraints_of_a_local_problem_are_eliminated(tmp_path):
    rng = np.random.default_rng(8)
    path = tmp_path / "l.hdf5"
    a = rng.normal(size=(8, 8))
    full = a @ a.T + np.eye(8)
    q, s = rng.normal(size=6) - 1.0, rng.normal(size=2)
    write_fclib(path, ContactProblem(full[:6, :6], q, [0.4, 0.4]))
    with h5py.File(path, "r+") as file:
        for name, part in (("V", full[:6, 6:]), ("R", full[6:, 6:])):
            group = file.create_group(f"fclib_local/{name}")
            rows = scipy.sparse.csr_matrix(part)
            group["m"], group["n"], group["nz"] = [part.shape[0]], [part.shape[1]], [-2]
            group["p"], group["i"], group["x"] = rows.indptr, rows.indices, rows.data
        file["fclib_local/vectors/s"] = s
    problem = read_fclib(path)
    solution = solve(problem, tolerance=1e-12)
    tied = -np.linalg.solve(full[6:, 6:], full[6:, :6] @ solution.force + s)
    np.testing.assert_allclose(
        full[:6, :6] @ solution.force + full[:6, 6:] @ tied + q, solution.velocity, atol=1e-10
    )


def test_broken_matrices_are_refused_by_name(tmp_path):
    path = tmp_path / "b.hdf5"
    write_fclib(path, load("Rover1041")[0])
    with h5py.File(path, "r+") as file:
        file["fclib_local/W/i"][3] = 99
    with pytest.raises(ValueError, match="W is not a matrix"):
        read_fclib(path)
    with h5py.File(path, "r+") as file:
        file["fclib_local/W/i"][3] = 3
        file["fclib_local/W/x"][0] = np.nan
    with pytest.raises(ValueError, match="W: nan is not a finite number"):
        read_fclib(path)


@pytest.fixture
def hard(tmp_path):
    path = tmp_path / "hard.hdf5"
    write_fclib(path, load("OneObject-i100000-316")[0])
    return path


def test_solve_prints_one_json_object_and_ends_with_0(hard, capsys):
    assert main(["solve", str(hard), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["converged"] and told["residual"] <= 1e-8 and told["contacts"] == 25
    assert told["kind"] == "local"


def test_solve_says_so_when_it_does_not_converge(hard, capsys):
    words = ["solve", str(hard), "--method", "block_gauss_seidel", "--max-iterations", "50"]
    assert main(words) == 1
    captured = capsys.readouterr()
    assert "not solved" in captured.err and "max_iterations" in captured.err
    assert main(["solve", str(hard), "--time-budget", "1e-6", "--tolerance", "1e-15"]) == 1
    assert "time_budget" in capsys.readouterr().err


def test_solve_compares_all_methods(hard, capsys, tmp_path):
    words = ["solve", str(hard), "--compare-all", "--max-iterations", "300", "--json"]
    assert main([*words, "--out", str(tmp_path / "solved.hdf5")]) == 0
    told = json.loads(capsys.readouterr().out)["comparison"]
    assert {"auto", "newton", "local_uzawa", "global_uzawa", "projection"} <= told.keys()
    assert told["auto"]["converged"] and not told["global_uzawa"]["converged"]
    with h5py.File(tmp_path / "solved.hdf5") as file:
        assert residual(load("OneObject-i100000-316")[0], file["solution/r"][()]) <= 1e-8
    assert main(["solve", str(hard), "--compare-all", "--max-iterations", "300"]) == 0
    assert "nncg" in capsys.readouterr().out


def test_solve_reads_global_problems(tmp_path, capsys):
    path = tmp_path / "g.hdf5"
    write_fclib(path, global_problem())
    assert main(["solve", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "global"


@pytest.mark.parametrize(
    "words",
    [
        ["missing.hdf5"],
        ["HARD", "--method", "magic"],
        ["HARD", "--tolerance", "nan"],
        ["HARD", "--time-budget", "0"],
    ],
)
def test_wrong_input_ends_with_2_and_one_line(hard, capsys, words):
    assert main(["solve", *(str(hard) if word == "HARD" else word for word in words)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_exit_code_reaches_the_shell(hard):
    words = ["--method", "global_uzawa", "--max-iterations", "3", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "softcontact", "solve", str(hard), *words], capture_output=True, check=False
    )
    assert done.returncode == 1 and json.loads(done.stdout)["reason"] == "max_iterations"


@pytest.fixture
def local(tmp_path):
    """A small local problem in a file."""
    path = tmp_path / "local.hdf5"
    write_fclib(path, ContactProblem(np.diag([2.0, 1.0, 1.0]), [-1.0, 0.2, 0.0], [0.5]))
    return path


def _global(path):
    M, H = scipy.sparse.identity(3, format="csr"), scipy.sparse.identity(3, format="csr")
    write_fclib(path, GlobalContactProblem(M, H, [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5]))
    return path


def _break(path, change):
    with h5py.File(path, "r+") as file:
        change(file)


def _replace(name, data):
    def change(file):
        del file[name]
        file[name] = data

    return change


def _loop(file):
    del file["fclib_local/W"]
    file["fclib_local/W"] = h5py.SoftLink("/fclib_local/W")


def _away(file):
    del file["fclib_local/vectors/q"]
    file["fclib_local/vectors/q"] = h5py.ExternalLink("missing.hdf5", "/q")


def _group(file):
    del file["fclib_local/vectors/q"]
    file.create_group("fclib_local/vectors/q")


def _half_eliminated(file):
    file.copy("fclib_local/W", "fclib_local/V")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_loop, "fclib_local/W"),
        (_away, "fclib_local/vectors/q cannot be read"),
        (_group, "fclib_local/vectors/q is a group"),
        (_half_eliminated, "fclib_local/V is there without R"),
        (_replace("fclib_local/W/m", np.zeros(0, np.int32)), "fclib_local/W/m has 0 numbers"),
        (_replace("fclib_local/W/m", np.array([-3])), "fclib_local/W has -3 rows"),
        (_replace("fclib_local/W/x", h5py.Empty("f8")), "fclib_local/W/x is empty"),
        (_replace("fclib_local/W/p", np.array([0, -5, 2, 3])), "p has to be 4 numbers that rise from 0"),
        (_replace("fclib_local/W/i", np.array([0.0, 1.5, 2.0])), "has 1.5, expected whole numbers"),
        (_replace("fclib_local/W/i", np.array([0, 1, 7])), "fclib_local/W is not a matrix"),
        (_replace("fclib_local/W/x", np.array([2.0, 1.0j, 1.0])), "has complex numbers"),
        (_replace("fclib_local/vectors/q", "hello"), "has no numbers"),
        (lambda file: file.create_group("fclib_global"), "both fclib_local and fclib_global"),
        (
            lambda file: file.__setitem__("fclib_local/vectors/s", np.ones(2)),
            "vectors/s is there without V and R",
        ),
    ],
)
def test_what_is_broken_in_a_file_is_told_in_one_line(local, capsys, change, told):
    _break(local, change)
    assert main(["solve", str(local)]) == 2
    error = capsys.readouterr().err
    assert told in error and str(local) in error and error.count("\n") == 1


def test_a_vector_without_its_matrix_is_refused_in_global_problems(tmp_path):
    path = _global(tmp_path / "global.hdf5")
    _break(path, lambda file: file.__setitem__("fclib_global/vectors/b", np.ones(2)))
    with pytest.raises(ValueError, match="vectors/b is there without G"):
        read_fclib(path)


def test_flipped_bytes_never_end_in_a_traceback(local, tmp_path):
    whole = local.read_bytes()
    path = tmp_path / "flipped.hdf5"
    for at in range(0, len(whole), max(1, len(whole) // 400)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            read_fclib(path)  # a byte that says nothing, or a number that is another one
        except ValueError as error:
            assert str(path) in str(error) or "expected" in str(error)


def test_out_replaces_regular_files_alone(local, tmp_path, capsys):
    plain, link, pipe = tmp_path / "plain.hdf5", tmp_path / "link.hdf5", tmp_path / "pipe.hdf5"
    plain.write_bytes(b"old")
    plain.chmod(0o640)
    link.symlink_to(plain)
    os.mkfifo(pipe)
    foreign = tmp_path / "link.hdf5.partial"
    foreign.write_text("mine")
    assert main(["solve", str(local), "--out", str(link)]) == 0
    assert link.is_symlink() and plain.stat().st_mode & 0o777 == 0o640
    assert read_fclib(plain).contacts == 1 and foreign.read_text() == "mine"
    assert main(["solve", str(local), "--out", str(pipe)]) == 2
    assert stat.S_ISFIFO(pipe.stat().st_mode) and "a pipe and no regular file" in capsys.readouterr().err
    assert main(["solve", str(local), "--out", str(tmp_path)]) == 2
    assert "a folder and no regular file" in capsys.readouterr().err
    assert main(["solve", str(local), "--out", str(tmp_path / "no" / "x.hdf5")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_full_disk_is_told_and_leaves_what_was_there(local, tmp_path):
    out = tmp_path / "out.hdf5"
    out.write_bytes(b"kept")
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500));"
        "from softcontact.cli.app import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", script, "solve", str(local), "--out", str(out)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2 and "1 contacts" in done.stdout
    assert "cannot write" in done.stderr and done.stderr.count("\n") == 1
    assert out.read_bytes() == b"kept" and sorted(p.name for p in tmp_path.iterdir()) == [
        local.name,
        out.name,
    ]


def test_compare_all_goes_on_after_a_method_that_refuses(local, capsys, monkeypatch):
    import softcontact.solver

    real = softcontact.solver.solve

    def picky(problem, *, method="auto", **settings):
        if method == "nncg":
            raise ValueError("method: nncg does not like this")
        return real(problem, method=method, **settings)

    monkeypatch.setattr(softcontact.solver, "solve", picky)
    assert main(["solve", str(local), "--compare-all", "--json"]) == 0
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert comparison["nncg"]["reason"] == "refused: method: nncg does not like this"
    assert comparison["newton"]["converged"] and comparison["local_uzawa"]["converged"]
    assert main(["solve", str(local), "--compare-all"]) == 0
    assert "does not like this" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["solve"], ["solve", "--json"]])
def test_a_closed_pipe_ends_quietly_as_a_shell_expects(local, words):
    line = f"{sys.executable} -m softcontact {words[0]} {local} {' '.join(words[1:])}"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(line.split(), stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 141 and done.stderr == ""


def test_compare_all_shows_the_others_where_the_chosen_method_refuses(tmp_path, capsys):
    path = tmp_path / "flat.hdf5"
    W = np.zeros((3, 3))
    W[0, 1] = W[1, 0] = 1.0  # no positive diagonal entry, which Uzawa's step needs
    write_fclib(path, ContactProblem(W, [0.5, 0.2, 0.0], [0.5]))
    assert main(["solve", str(path), "--method", "local_uzawa", "--compare-all", "--json"]) == 2
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert told["reason"].startswith("refused: W: largest diagonal") and not told["converged"]
    assert told["comparison"]["auto"]["converged"] and len(told["comparison"]) == 8
    assert "Uzawa needs a positive one" in captured.err and captured.err.count("\n") == 1
    # What no method takes is told once.
    assert main(["solve", str(path), "--tolerance", "nan", "--compare-all"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "tolerance" in captured.err and captured.err.count("\n") == 1


@pytest.mark.parametrize("more", [[], ["--json"], ["--compare-all"], ["--compare-all", "--json"]])
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--method", "block_gauss_seidel", "--max-iterations", "5"], "max_iterations"),
        (["--time-budget", "1e-6", "--tolerance", "1e-15", "--max-iterations", "5"], "time_budget"),
    ],
)
def test_unsolved_is_told_and_code_1_whatever_else_is_asked(hard, capsys, words, more, reason):
    assert main(["solve", str(hard), *words, *more]) == 1
    captured = capsys.readouterr()
    assert "not solved" in captured.err and captured.err.count("\n") == 1 and reason in captured.err
    if "--json" in more:
        assert json.loads(captured.out)["converged"] is False


def test_velocities_beyond_all_numbers_are_not_solved_either(tmp_path, capsys):
    half = np.random.default_rng(0).normal(size=(6, 8))
    q = [-1.0, 0.3, 0.2, -1.0, 0.1, -0.5]
    write_fclib(tmp_path / "huge.hdf5", ContactProblem(1e300 * half @ half.T, q, [0.3, 0.5]))
    assert main(["solve", str(tmp_path / "huge.hdf5"), "--max-iterations", "100"]) == 1
    assert "not_finite" in capsys.readouterr().err
