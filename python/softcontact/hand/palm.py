# SPDX-License-Identifier: LGPL-2.1-or-later
"""The palm's solid shape: metacarpals, the ball of the thumb, the little finger's side and the wrist."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .anatomy import HandParameters, finger_bases
from .implicit import capsule, ellipsoid, smooth_union, surface_net

__all__ = ["palm_field", "palm_mesh"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def _axes(along: tuple[float, float, float], up: tuple[float, float, float]) -> FloatArray:
    x = np.array(along) / np.linalg.norm(along)
    z = np.array(up) - x * np.dot(x, up)
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


_THENAR_AXES = _axes((0.88, 0.44, -0.10), (-0.10, 0.35, 0.94))
_HYPOTHENAR_AXES = _axes((0.98, -0.16, 0.0), (0.0, -0.2, 1.0))


def palm_field(parameters: HandParameters, points: FloatArray, *, wrist_end: float = -0.030) -> FloatArray:
    """Approximate signed distance to the palm and wrist of a right hand [m], shape (n,).

    Args:
        parameters: the hand's sizes.
        points: in the palm frame [m], shape (n, 3).
        wrist_end: where the forearm is cut [m at the reference size], before the rounding of the cut.
    """
    unit = 1e-3 * np.array([parameters.length_scale, parameters.breadth_scale, parameters.breadth_scale])
    p = points / unit
    heads = finger_bases(parameters)[0][1:] / unit
    crease = parameters.palm_length / unit[0] - heads[1, 0]

    distance = np.full(len(p), np.inf)
    for (x, y, z), radius in zip(heads, (12.6, 11.8, 11.3, 11.6), strict=True):
        carpus = (18.0, 0.50 * y, 1.0)
        distance = smooth_union(distance, capsule(p, carpus, (x, y, z), 13.5, radius), 11.0)
    for k in range(3):
        a, b = heads[k].copy(), heads[k + 1].copy()
        a += [crease - 15.0, -1.0 if k == 0 else 0.0, -6.0]
        b += [crease - 15.0 - (3.0 if k == 2 else 0.0), 0.0, -6.0]
        radius = (7.6, 7.6, 7.2, 6.4)
        distance = smooth_union(distance, capsule(p, a, b, radius[k], radius[k + 1]), 12.0)
    thenar = ellipsoid(p, (44.0, 21.0, -13.0), (33.0, 15.5, 13.5), _THENAR_AXES)
    distance = smooth_union(distance, thenar, 9.0)
    hypothenar = ellipsoid(p, (41.0, -26.0, -9.0), (38.0, 13.5, 14.0), _HYPOTHENAR_AXES)
    distance = smooth_union(distance, hypothenar, 9.0)
    # The web between the thumb and the index finger's metacarpal.
    web = capsule(p, (50.0, 33.0, -14.0), (68.0, 26.0, -4.0), 7.0, 7.5)
    distance = smooth_union(distance, web, 14.0)
    forearm = capsule(p * [1.0, 0.62, 1.0], (-60.0, 0.0, -3.0), (4.0, 0.0, -2.0), 18.0, 16.0)
    distance = smooth_union(distance, forearm, 15.0)
    cut = wrist_end * 1e3 - p[:, 0]
    distance = -smooth_union(-distance, -cut, 9.0)
    return 1e-3 * min(parameters.length_scale, parameters.breadth_scale) * distance


def palm_mesh(parameters: HandParameters) -> tuple[FloatArray, IntArray]:
    """Closed contact surface of the palm without the forearm, right hand: vertices [m] (n, 3) and
    triangles.
    """
    scale = parameters.length_scale, parameters.breadth_scale, parameters.breadth_scale
    lower = np.array([-0.045, -0.080, -0.070]) * scale
    upper = np.array([0.150, 0.080, 0.060]) * scale
    spacing = 0.0095 * min(scale) / np.sqrt(parameters.resolution)
    inset = 0.0004 * min(scale)
    return surface_net(
        lambda p: palm_field(parameters, p, wrist_end=-0.006) + inset, lower, upper, spacing, smoothing=6
    )
