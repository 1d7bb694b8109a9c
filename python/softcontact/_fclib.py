# SPDX-License-Identifier: LGPL-2.1-or-later
"""FCLIB's HDF5 layout for friction problems, local (in the contacts) and global (with the body velocities).

A matrix group holds m, n, nzmax, nz and the arrays p, i, x. nz >= 0: triplets, i the row and p the column of
each entry (whatever the header's comment says); -1: compressed columns; -2: compressed rows.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse

_COMPRESSED = {-1: ("CSC", scipy.sparse.csc_matrix), -2: ("CSR", scipy.sparse.csr_matrix)}
STORAGES = {"csr": -2, "csc": -1, "triplet": 0}


def _scalar(group: Any, name: str) -> int:
    return int(np.asarray(group[name][()]).reshape(-1)[0])


def _read_matrix(path: Path, group: Any, name: str) -> scipy.sparse.spmatrix:
    group = group[name]
    shape = (_scalar(group, "m"), _scalar(group, "n"))
    nz = _scalar(group, "nz")
    p, i, x = (np.asarray(group[key][()]).reshape(-1) for key in "pix")
    if nz < 0 and nz not in _COMPRESSED:
        raise ValueError(
            f"path: {path}: {name} has storage nz = {nz}, expected >= 0 (triplet), -1 (CSC) or -2 (CSR)"
        )
    try:
        if nz >= 0:
            if min(p.size, i.size, x.size) < nz:
                raise ValueError(f"{min(p.size, i.size, x.size)} entries where nz says {nz}")
            return scipy.sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape)
        count = int(p[-1]) if p.size else 0
        if i.size < count or x.size < count:
            raise ValueError(f"{min(i.size, x.size)} entries where p says {count}")
        matrix = _COMPRESSED[nz][1]((x[:count], i[:count], p), shape=shape)
        matrix.check_format(full_check=True)
        return matrix
    except ValueError as error:
        raise ValueError(
            f"path: {path}: {name} is not a matrix of {shape[0]} x {shape[1]}: {error}"
        ) from error


def _vector(group: Any, name: str) -> Any:
    return np.asarray(group[f"vectors/{name}"][()], dtype=float).reshape(-1)


def _without_equalities(path: Path, parts: dict[str, Any], group: Any) -> dict[str, Any]:
    """W r + V λ + q = u, Vᵀ r + R λ + s = 0 with λ eliminated."""
    V, R = _read_matrix(path, group, "V").toarray(), _read_matrix(path, group, "R").toarray()
    s = _vector(group, "s") if "vectors/s" in group else np.zeros(R.shape[0])
    try:
        eliminated = np.linalg.solve(R, np.column_stack([V.T, s]))
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ValueError(
            f"path: {path}: R of the equality constraints cannot be eliminated: {error}"
        ) from error
    return {
        "W": parts["W"].toarray() - V @ eliminated[:, :-1],
        "q": parts["q"] - V @ eliminated[:, -1],
        "mu": parts["mu"],
    }


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """("local", W q mu) or ("global", M H f w mu [G b]); see softcontact.solver.read_fclib."""
    if not path.is_file():
        raise ValueError(f"path: {path} is not a file")
    if not h5py.is_hdf5(path):
        raise ValueError(f"path: {path} is not an HDF5 file")
    with h5py.File(path, "r") as file:
        kind = next((name for name in ("local", "global") if f"fclib_{name}" in file), None)
        if kind is None:
            raise ValueError(
                f"path: {path} has neither fclib_local nor fclib_global; it is not an FCLIB problem with friction"
            )
        group = file[f"fclib_{kind}"]
        if "spacedim" in group and _scalar(group, "spacedim") != 3:
            raise ValueError(f"path: {path} has spacedim {_scalar(group, 'spacedim')}, expected 3")
        try:
            if kind == "local":
                parts = {"W": _read_matrix(path, group, "W")}
                parts |= {name: _vector(group, name) for name in ("q", "mu")}
                constrained = "V" in group and "R" in group
                return kind, _without_equalities(path, parts, group) if constrained else parts
            parts = {name: _read_matrix(path, group, name) for name in ("M", "H")}
            parts |= {name: _vector(group, name) for name in ("f", "w", "mu")}
            if "G" in group:
                parts["G"] = _read_matrix(path, group, "G")
                parts["b"] = _vector(group, "b") if "vectors/b" in group else None
            return kind, parts
        except KeyError as error:
            raise ValueError(f"path: {path}: fclib_{kind} is incomplete, {error.args[0]}") from error


def _write_matrix(group: Any, matrix: Any, storage: str) -> None:
    if storage == "triplet":
        entries = scipy.sparse.coo_matrix(matrix)
        p, i, nz = entries.col, entries.row, entries.nnz
    else:
        entries = _COMPRESSED[STORAGES[storage]][1](matrix)
        p, i, nz = entries.indptr, entries.indices, STORAGES[storage]
    for name, value in (
        ("m", entries.shape[0]),
        ("n", entries.shape[1]),
        ("nzmax", entries.nnz),
        ("nz", nz),
    ):
        group[name] = np.array([value], dtype=np.int32)
    group["p"], group["i"] = p.astype(np.int32), i.astype(np.int32)
    group["x"] = entries.data


def _write_text(group: Any, name: str, text: str) -> None:
    """A text as FCLIB's C code reads it: of fixed length, with the zero that ends it."""
    data = text.encode() + b"\0"
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(data))
    kind.set_cset(h5py.h5t.CSET_UTF8)
    dataset = h5py.h5d.create(group.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(data, dtype=f"S{len(data)}"), kind)


def write(
    path: Path,
    kind: str,
    matrices: dict[str, Any],
    vectors: dict[str, Any],
    solution: dict[str, Any],
    storage: str = "csr",
    info: dict[str, str] | None = None,
) -> None:
    """Write a problem of one kind, what it is, and the vectors of a solution where there is one."""
    partial = path.with_name(path.name + ".partial")
    try:
        with h5py.File(partial, "w") as file:
            group = file.create_group(f"fclib_{kind}")
            group["spacedim"] = np.array([3], dtype=np.int32)
            for name, matrix in matrices.items():
                _write_matrix(group.create_group(name), matrix, storage)
            for name, values in vectors.items():
                group[f"vectors/{name}"] = values
            texts = group.create_group("info")
            for name, text in ({"title": "SoftContact"} | (info or {})).items():
                _write_text(texts, name, text)
            for name, values in solution.items():
                file[f"solution/{name}"] = values
        partial.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()
