# SPDX-License-Identifier: LGPL-2.1-or-later
"""FCLIB's HDF5 layout for friction problems, local (in the contacts) and global (with the body velocities).

A matrix group holds m, n, nzmax, nz and the arrays p, i, x. nz >= 0: triplets, i the row and p the column of
each entry (whatever the header's comment says); -1: compressed columns; -2: compressed rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse

from softcontact.hdf5_reading import read_apart
from softcontact.whole_file import HDF5_FAULTS, write_hdf5

_COMPRESSED = {-1: ("CSC", scipy.sparse.csc_matrix), -2: ("CSR", scipy.sparse.csr_matrix)}
_REMEDY = "; write the problem anew, with FCLIB or softcontact"
STORAGES = {"csr": -2, "csc": -1, "triplet": 0}


class _Reader:
    """Reads the parts of one problem; what cannot be read is told with the file and the data set's name."""

    def __init__(self, path: Path, file: Any, root: str) -> None:
        self._path, self._file, self._root = path, file, root

    def refuse(self, name: str, reason: object) -> ValueError:
        """The error to raise about a part."""
        where = f"{self._root}/{name}".rstrip("/")
        return ValueError(f"path: {self._path}: {where} {' '.join(str(reason).split())}")

    def has(self, name: str) -> bool:
        """Whether there is such a part, or a link that should lead to it."""
        parent, _, leaf = f"{self._root}/{name}".rpartition("/")
        try:
            group = self._file[parent or "/"]
            return isinstance(group, h5py.Group) and group.get(leaf, getlink=True) is not None
        except HDF5_FAULTS as error:
            raise self.refuse(name, f"cannot be read: {_said(error)}{_REMEDY}") from error

    def numbers(self, name: str) -> np.ndarray:
        """The real numbers of a data set, one after the other."""
        try:
            found = self._file[f"{self._root}/{name}"]
            if not isinstance(found, h5py.Dataset):
                raise self.refuse(name, "is a group, expected numbers")
            if found.shape is None:
                raise self.refuse(name, "is empty, expected numbers")
            if found.dtype.kind == "c":
                raise self.refuse(name, "has complex numbers, expected real ones")
            if found.dtype.kind not in "iuf":
                raise self.refuse(name, f"has no numbers but values of type {found.dtype}")
            return np.asarray(found[()]).reshape(-1)
        except HDF5_FAULTS as error:
            if isinstance(error, ValueError) and str(error).startswith("path: "):
                raise
            raise self.refuse(name, f"cannot be read: {_said(error)}{_REMEDY}") from error

    def whole(self, name: str) -> np.ndarray:
        """The whole numbers of a data set (int64), whatever they are stored as."""
        values = self.numbers(name)
        # Not finite, or too large for int64: neither is equal to itself as one.
        with np.errstate(invalid="ignore"):
            whole = values.astype(np.int64)
        wrong = np.flatnonzero((whole != values) | (abs(values.astype(float)) >= 2.0**63))
        if wrong.size:
            raise self.refuse(name, f"has {values[wrong[0]]}, expected whole numbers")
        return whole

    def scalar(self, name: str) -> int:
        """The one whole number of a data set."""
        values = self.whole(name)
        if values.size != 1:
            raise self.refuse(name, f"has {values.size} numbers, expected one")
        return int(values[0])

    def vector(self, name: str) -> np.ndarray:
        """One of the problem's vectors."""
        return self.numbers(f"vectors/{name}").astype(float)

    def matrix(self, name: str) -> scipy.sparse.spmatrix:
        """A matrix in whichever storage, its indices checked."""
        shape = (self.scalar(f"{name}/m"), self.scalar(f"{name}/n"))
        if min(shape) < 0:
            raise self.refuse(name, f"has {shape[0]} rows and {shape[1]} columns, expected none below 0")
        nz = self.scalar(f"{name}/nz")
        p, i = (self.whole(f"{name}/{key}") for key in "pi")
        x = self.numbers(f"{name}/x").astype(float)
        if nz < 0 and nz not in _COMPRESSED:
            raise self.refuse(name, f"has storage nz = {nz}, expected >= 0 (triplet), -1 (CSC) or -2 (CSR)")
        try:
            if nz >= 0:
                if min(p.size, i.size, x.size) < nz:
                    raise ValueError(f"{min(p.size, i.size, x.size)} entries where nz says {nz}")
                return scipy.sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape)
            lines = shape[0] if nz == -2 else shape[1]
            # Before the matrix is made: scipy takes pointers below zero for sizes.
            if p.size != lines + 1 or p[0] != 0 or (np.diff(p) < 0).any():
                raise ValueError(f"p has to be {lines + 1} numbers that rise from 0")
            count = int(p[-1])
            if i.size < count or x.size < count:
                raise ValueError(f"{min(i.size, x.size)} entries where p says {count}")
            matrix = _COMPRESSED[nz][1]((x[:count], i[:count], p), shape=shape)
            matrix.check_format(full_check=True)
            return matrix
        except HDF5_FAULTS as error:
            raise self.refuse(
                name, f"is not a matrix of {shape[0]} x {shape[1]}: {_said(error)}{_REMEDY}"
            ) from error

    def ignored(self, vector: str, without: str) -> None:
        """Refuse a vector that says something without the matrix that it belongs to."""
        if self.has(f"vectors/{vector}") and self.vector(vector).any():
            raise self.refuse(f"vectors/{vector}", f"is there without {without}; add {without}, or remove it")


def _said(error: BaseException) -> str:
    """An exception's text; str() of a KeyError is its text in quotation marks."""
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error) or "no memory"


def _local(reader: _Reader) -> dict[str, Any]:
    parts = {"W": reader.matrix("W"), "q": reader.vector("q"), "mu": reader.vector("mu")}
    if not reader.has("V") and not reader.has("R"):
        reader.ignored("s", "V and R")
        return parts
    for name, other in ("VR", "RV"):
        if not reader.has(name):
            raise reader.refuse(other, f"is there without {name}; equality constraints need both V and R")
    return _without_equalities(reader, parts)


def _without_equalities(reader: _Reader, parts: dict[str, Any]) -> dict[str, Any]:
    """W r + V λ + q = u, Vᵀ r + R λ + s = 0 with λ eliminated."""
    V, R = reader.matrix("V"), reader.matrix("R")
    size, count = parts["q"].size, R.shape[0]
    s = reader.vector("s") if reader.has("vectors/s") else np.zeros(count)
    for name, found, wanted in (
        ("W", parts["W"].shape, (size, size)),
        ("V", V.shape, (size, count)),
        ("R", R.shape, (count, count)),
        ("vectors/s", s.shape, (count,)),
    ):
        if found != wanted:
            raise reader.refuse(name, f"has shape {found}, expected {wanted} beside q and R")
    V = V.toarray()
    try:
        eliminated = np.linalg.solve(R.toarray(), np.column_stack([V.T, s]))
    except np.linalg.LinAlgError as error:
        raise reader.refuse(
            "R",
            f"of the equality constraints cannot be eliminated: {error}; remove the constraints that others imply",
        ) from error
    return {
        "W": parts["W"].toarray() - V @ eliminated[:, :-1],
        "q": parts["q"] - V @ eliminated[:, -1],
        "mu": parts["mu"],
    }


def _global(reader: _Reader) -> dict[str, Any]:
    parts: dict[str, Any] = {name: reader.matrix(name) for name in ("M", "H")}
    parts |= {name: reader.vector(name) for name in ("f", "w", "mu")}
    if reader.has("G"):
        parts["G"] = reader.matrix("G")
        parts["b"] = reader.vector("b") if reader.has("vectors/b") else None
    else:
        reader.ignored("b", "G")
    return parts


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """("local", W q mu) or ("global", M H f w mu [G b]); see softcontact.solver.read_fclib.

    Raises:
        ValueError: with the file's name and, where it is one of them, the data set's.
    """
    if not path.is_file():
        raise ValueError(f"path: {path} is not a file; give a problem that FCLIB or softcontact wrote")
    try:
        path.open("rb").close()  # h5py takes a file that must not be read for one of another format
        if not h5py.is_hdf5(path):
            raise ValueError(
                f"path: {path} is not an HDF5 file; give a problem that FCLIB or softcontact wrote"
            )
        return read_apart(_read, path)
    except (OSError, RuntimeError) as error:
        if isinstance(error, PermissionError):
            raise ValueError(f"path: {path} cannot be read: {error.strerror}; allow it") from error
        raise ValueError(f"path: {path} cannot be read: {error}{_REMEDY}") from error


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    with h5py.File(path, "r") as file:
        top = _Reader(path, file, "")
        kinds = [name for name in ("local", "global") if top.has(f"fclib_{name}")]
        if not kinds:
            raise ValueError(
                f"path: {path} has neither fclib_local nor fclib_global; it is not an FCLIB problem with "
                "friction, give one that is"
            )
        if len(kinds) > 1:
            raise ValueError(
                f"path: {path} has both fclib_local and fclib_global; keep one problem in a file"
            )
        reader = _Reader(path, file, f"fclib_{kinds[0]}")
        if reader.has("spacedim") and reader.scalar("spacedim") != 3:
            raise reader.refuse(
                "spacedim", f"is {reader.scalar('spacedim')}, expected 3; flat problems are not solved"
            )
        return kinds[0], _local(reader) if kinds[0] == "local" else _global(reader)


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
    """Write a problem of one kind, what it is, and the vectors of a solution where there is one.

    Raises:
        ValueError: the solution is of another size.
        OSError: see write_whole.
    """
    rows = 3 * len(vectors["mu"])
    for name, values in solution.items():
        size = len(vectors["f"]) if name == "v" else rows
        if np.shape(values) != (size,):
            raise ValueError(
                f"solution: {name} has shape {np.shape(values)}, expected {(size,)} of the problem"
            )

    def fill(file: Any) -> None:
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

    write_hdf5(path, fill)
