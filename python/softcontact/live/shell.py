# SPDX-License-Identifier: LGPL-2.1-or-later
"""The outside of a hollow organ, to be looked through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CHUNK = 64  # rays at once


def outside(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which triangles (m,) see nothing of their own surface along their normal: those of the outside.

    Args:
        vertices: (k, 3) [m].
        triangles: (m, 3), counterclockwise seen from outside the material.
    """
    corners = vertices[triangles]
    origin, first, second = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(first, second)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    middles = corners.mean(axis=1)
    reach = 1e-6 * float(np.ptp(vertices, axis=0).max())
    seen = np.zeros(len(triangles), dtype=bool)
    for start in range(0, len(triangles), _CHUNK):
        part = slice(start, start + _CHUNK)
        ahead, place = normals[part][:, None], middles[part][:, None]
        # Möller and Trumbore: the ray place + t ahead meets the triangle at origin + u first + v second.
        across = np.cross(ahead, second[None])
        determinant = np.einsum("rki,ki->rk", across, first)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1.0 / determinant
            away = place - origin[None]
            u = np.einsum("rki,rki->rk", away, across) * inverse
            turned = np.cross(away, first[None])
            v = np.einsum("rki,rki->rk", np.broadcast_to(ahead, turned.shape), turned) * inverse
            t = np.einsum("rki,ki->rk", turned, second) * inverse
            met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > reach)
        seen[part] = met.any(axis=1)
    return ~seen
