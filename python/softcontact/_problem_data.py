# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers of contact problems, checked and copied: what was checked is what is solved."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from softcontact.friction import _array

FloatArray = NDArray[np.float64]


def real_array(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> FloatArray:
    """A real, finite array of the shape; None: any size.

    Raises:
        ValueError: complex, no numbers, wrong shape, a number that is not finite.
    """
    try:
        given = np.asarray(value)
        refuse_complex(name, given)
        numbers = given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(f"{name}:") else f"{name}: {text}") from error
    return _array(name, numbers, shape)


def kept_array(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> FloatArray:
    """The same as a copy that nobody can write to."""
    array = real_array(name, value, shape).copy()
    array.flags.writeable = False
    return array


def kept_rows(name: str, matrix: Any, shape: tuple[int, int | None]) -> scipy.sparse.csr_matrix:
    """A matrix by compressed rows, checked; a copy whose arrays nobody can write to.

    Raises:
        ValueError: complex, wrong shape, indices outside of it, a number that is not finite.
    """
    if not scipy.sparse.issparse(matrix):
        matrix = real_array(name, matrix, shape)
    else:
        if matrix.ndim != 2 or matrix.shape[0] != shape[0] or shape[1] not in (None, matrix.shape[1]):
            raise ValueError(f"{name}: shape {tuple(matrix.shape)}, expected {shape}")
        refuse_complex(name, matrix)
        matrix = _checked_indices(name, matrix)
    rows = scipy.sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        raise ValueError(f"{name}: {rows.data[~np.isfinite(rows.data)][0]} is not a finite number")
    for part in (rows.data, rows.indices, rows.indptr):
        part.flags.writeable = False
    return rows


def view_of(rows: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """The same entries: what is inserted there stays there."""
    return scipy.sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=rows.shape, copy=False)


def product(name: str, operator: Any, vector: FloatArray) -> FloatArray:
    """What an operator's `matvec` makes of a vector, by the same number of real ones.

    Raises:
        ValueError: complex, no numbers, or of another size.
    """
    image = np.asarray(operator.matvec(vector))
    refuse_complex(name, image)
    if image.size != vector.size:
        raise ValueError(f"{name}: its product with {vector.size} numbers has {image.size}")
    return image.reshape(-1).astype(np.float64, copy=False)


def refuse_complex(name: str, array: Any) -> None:
    """Casts would drop the imaginary parts.

    Raises:
        ValueError: the array is complex.
    """
    if np.issubdtype(array.dtype, np.complexfloating) or (
        array.dtype == object
        and not scipy.sparse.issparse(array)
        and any(np.iscomplex(x) for x in array.flat)
    ):
        raise ValueError(f"{name}: complex numbers, expected real ones")


def _checked_indices(name: str, matrix: Any) -> Any:
    """The matrix, whose indices may be followed: SciPy's conversions look at none of them."""
    kind = matrix.format
    try:
        if kind == "lil":
            matrix = matrix.tocsr()
        elif kind in ("dok", "dia"):
            if kind == "dia" and matrix.data.shape[0] != matrix.offsets.size:
                raise ValueError(f"{matrix.data.shape[0]} diagonals and {matrix.offsets.size} offsets")
            matrix = matrix.tocoo()
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        else:
            sizes = {len(part) for part in (matrix.data, matrix.row, matrix.col)}
            if len(sizes) > 1:
                raise ValueError("rows, columns and values of different number")
            for axis, places in ((0, matrix.row), (1, matrix.col)):
                if places.size and not (places.min() >= 0 and places.max() < matrix.shape[axis]):
                    raise ValueError(
                        f"indices from {places.min()} to {places.max()} where there are {matrix.shape[axis]}"
                    )
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{name}: {kind} matrix with broken indices: {error}") from error
    return matrix
