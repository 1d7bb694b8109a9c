# SPDX-License-Identifier: LGPL-2.1-or-later
"""Siconos as a peer in comparisons, by its C library where that is installed (Debian: libsiconos-numerics7)."""

from __future__ import annotations

import ctypes
import ctypes.util
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from softcontact.solver import ContactProblem

# Friction_cst.h
SOLVERS = {"siconos_nsgs": 500, "siconos_nsn_ac": 504}
_sparse_block = 1  # NM_types
_max_iterations, _iterations_done, _tolerance = 0, 1, 0  # places in iparam and dparam

_doubles = ctypes.POINTER(ctypes.c_double)


class _BlockMatrix(ctypes.Structure):
    """SparseBlockStructuredMatrix of SparseBlockMatrix.h."""

    _fields_ = (
        ("nbblocks", ctypes.c_uint),
        ("block", ctypes.POINTER(_doubles)),
        ("blocknumber0", ctypes.c_uint),
        ("blocknumber1", ctypes.c_uint),
        ("blocksize0", ctypes.POINTER(ctypes.c_uint)),
        ("blocksize1", ctypes.POINTER(ctypes.c_uint)),
        ("filled1", ctypes.c_size_t),
        ("filled2", ctypes.c_size_t),
        ("index1_data", ctypes.POINTER(ctypes.c_size_t)),
        ("index2_data", ctypes.POINTER(ctypes.c_size_t)),
    )


class _Options(ctypes.Structure):
    """The head of SolverOptions of SolverOptions.h."""

    _fields_ = (
        ("solver_id", ctypes.c_int),
        ("is_set", ctypes.c_bool),
        ("i_size", ctypes.c_int),
        ("iparam", ctypes.POINTER(ctypes.c_int)),
        ("d_size", ctypes.c_int),
        ("dparam", _doubles),
    )


@cache
def library() -> Any:
    """libsiconos_numerics, or None where it is not installed."""
    for name in (ctypes.util.find_library("siconos_numerics"), "libsiconos_numerics.so.7"):
        if name is None:
            continue
        try:
            found = ctypes.CDLL(name)
        except OSError:
            continue
        for function in (
            "SBM_new",
            "NM_new_SBM",
            "frictionContactProblem_new_with_data",
            "solver_options_create",
        ):
            getattr(found, function).restype = ctypes.c_void_p
        return found
    return None


@dataclass(frozen=True)
class PeerResult:
    """What a peer's call gave."""

    force: NDArray[np.float64]
    iterations: int
    wall_time_s: float  #: of the solver's call alone, with everything set up


def solve(
    problem: ContactProblem, method: str, tolerance: float, max_iterations: int, repeat: int = 1
) -> PeerResult:
    """Solve by Siconos from zero, the fastest of `repeat` calls.

    Args:
        problem: with a W whose entries are known.
        method: a name of SOLVERS.
        tolerance: Siconos's own: |r - P(r - û)| against |q|.
        max_iterations: of the outer iteration.
        repeat: number of calls.

    Raises:
        RuntimeError: the library is not installed.
    """
    numerics = library()
    if numerics is None:
        raise RuntimeError("Siconos is not installed; on Debian: apt-get install libsiconos-numerics7")
    n = problem.contacts
    rows = scipy.sparse.bsr_matrix(scipy.sparse.csr_matrix(problem.W), blocksize=(3, 3))
    # Each diagonal block has to be there.
    rows = (rows + scipy.sparse.bsr_matrix((np.zeros((n, 3, 3)), np.arange(n), np.arange(n + 1)))).tobsr(
        (3, 3)
    )
    rows.sort_indices()
    values = np.ascontiguousarray(rows.data.transpose(0, 2, 1)).reshape(-1)  # blocks by columns
    start = values.ctypes.data
    pointers = (_doubles * rows.data.shape[0])(
        *(ctypes.cast(start + 72 * k, _doubles) for k in range(rows.data.shape[0]))
    )
    sizes = (ctypes.c_uint * n)(*range(3, 3 * n + 1, 3))
    first = (ctypes.c_size_t * (n + 1))(*(int(i) for i in rows.indptr))
    columns = (ctypes.c_size_t * rows.indices.size)(*(int(i) for i in rows.indices))
    address = numerics.SBM_new()
    matrix = ctypes.cast(address, ctypes.POINTER(_BlockMatrix)).contents
    matrix.nbblocks = matrix.filled2 = rows.data.shape[0]
    matrix.block = ctypes.cast(pointers, ctypes.POINTER(_doubles))
    matrix.blocknumber0 = matrix.blocknumber1 = n
    matrix.blocksize0 = matrix.blocksize1 = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_uint))
    matrix.filled1 = n + 1
    matrix.index1_data = ctypes.cast(first, ctypes.POINTER(ctypes.c_size_t))
    matrix.index2_data = ctypes.cast(columns, ctypes.POINTER(ctypes.c_size_t))
    stored = numerics.NM_new_SBM(3 * n, 3 * n, ctypes.c_void_p(address))
    q, mu = problem.q.copy(), problem.mu.copy()
    described = ctypes.c_void_p(
        numerics.frictionContactProblem_new_with_data(
            3, n, ctypes.c_void_p(stored), q.ctypes.data_as(_doubles), mu.ctypes.data_as(_doubles)
        )
    )
    best = None
    for _ in range(repeat):
        handle = ctypes.c_void_p(numerics.solver_options_create(SOLVERS[method]))
        options = ctypes.cast(handle, ctypes.POINTER(_Options)).contents
        options.iparam[_max_iterations] = max_iterations
        options.dparam[_tolerance] = tolerance
        force, velocity = np.zeros(3 * n), np.zeros(3 * n)
        places = force.ctypes.data_as(_doubles), velocity.ctypes.data_as(_doubles)
        began = time.perf_counter()
        numerics.fc3d_driver(described, *places, handle)
        taken = time.perf_counter() - began
        if best is None or taken < best.wall_time_s:
            best = PeerResult(force, options.iparam[_iterations_done], taken)
        numerics.solver_options_delete(handle)
    # The structures hold memory of Python's and are small: they are left to the process's end.
    _kept.append((values, pointers, sizes, first, columns, q, mu))
    return best


_kept: list[Any] = []
