# SPDX-License-Identifier: LGPL-2.1-or-later
"""FCLIB's HDF5 layout for local friction problems.

The matrix group W holds m, n, nzmax, nz and the arrays p, i, x. nz >= 0: triplets, i the row and p the column
of each entry (whatever the header's comment says); -1: compressed columns; -2: compressed rows.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_compressed_columns, _compressed_rows = -1, -2


def _scalar(group: Any, name: str) -> int:
    return int(np.asarray(group[name][()]).reshape(-1)[0])


def _read_matrix(path: Path, group: Any) -> scipy.sparse.spmatrix:
    shape = (_scalar(group, "m"), _scalar(group, "n"))
    nz = _scalar(group, "nz")
    p, i, x = group["p"][()], group["i"][()], group["x"][()]
    if nz >= 0:
        return scipy.sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape)
    if nz == _compressed_columns:
        return scipy.sparse.csc_matrix((x[: p[-1]], i[: p[-1]], p), shape=shape)
    if nz == _compressed_rows:
        return scipy.sparse.csr_matrix((x[: p[-1]], i[: p[-1]], p), shape=shape)
    raise ValueError(f"{path}: W has storage nz = {nz}, expected >= 0 (triplet), -1 (CSC) or -2 (CSR)")


def read(path: Path) -> tuple[scipy.sparse.spmatrix, FloatArray, FloatArray]:
    """W, q, mu of a local problem; see softcontact.solver.read_fclib."""
    if not path.is_file():
        raise ValueError(f"path: {path} is not a file")
    if not h5py.is_hdf5(path):
        raise ValueError(f"path: {path} is not an HDF5 file")
    with h5py.File(path, "r") as file:
        problem = file.get("fclib_local")
        if problem is None:
            raise ValueError(f"path: {path} has no fclib_local group (global problems are not read)")
        if "V" in problem or "R" in problem:
            raise ValueError(f"path: {path} has equality constraints (V, R), which are not supported")
        if "spacedim" in problem and _scalar(problem, "spacedim") != 3:
            raise ValueError(f"path: {path} has spacedim {_scalar(problem, 'spacedim')}, expected 3")
        try:
            q, mu = problem["vectors/q"][()].ravel(), problem["vectors/mu"][()].ravel()
            return _read_matrix(path, problem["W"]), q, mu
        except KeyError as error:
            raise ValueError(f"path: {path}: fclib_local is incomplete, {error.args[0]}") from error


def write(
    path: Path, W: FloatArray, q: FloatArray, mu: FloatArray, solution: tuple[FloatArray, FloatArray] | None
) -> None:
    """Write a local problem with W by compressed rows, and (r, u) where there is a solution."""
    rows = scipy.sparse.csr_matrix(W)
    partial = path.with_name(path.name + ".partial")
    try:
        with h5py.File(partial, "w") as file:
            problem = file.create_group("fclib_local")
            problem["spacedim"] = np.array([3], dtype=np.int32)
            matrix = problem.create_group("W")
            for name, value in (
                ("m", rows.shape[0]),
                ("n", rows.shape[1]),
                ("nzmax", rows.nnz),
                ("nz", _compressed_rows),
            ):
                matrix[name] = np.array([value], dtype=np.int32)
            matrix["p"], matrix["i"] = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
            matrix["x"] = rows.data
            problem["vectors/q"], problem["vectors/mu"] = q, mu
            problem["info/title"] = np.bytes_(b"SoftContact")
            if solution is not None:
                file["solution/r"], file["solution/u"] = solution
        partial.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()
