# SPDX-License-Identifier: LGPL-2.1-or-later
"""Analytic shape of a finger segment, and integrals over closed surfaces.

A cross section at x is a superellipse with its own half height on the back (+z) and on the palmar side (-z).
The palmar side swells into a pad between the joints, the back is drawn in; a distal segment has a flatter
back and a rounded tip. Collision surface, tetrahedra and skin all follow this one shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .anatomy import FINGERS, SEGMENTS, HandParameters

__all__ = ["SegmentShape", "mass_properties", "segment_shape"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Share of a joint's thickness on the palmar side of the bone's axis.
_PALMAR_SHARE = 0.53
# Fractions of a distal segment's length where its sides, pad and back begin to round off towards the tip.
_SIDE_ROUNDING, _PAD_ROUNDING, _BACK_ROUNDING = 0.50, 0.50, 0.62


def _ramp(t: FloatArray) -> FloatArray:
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _rounding(s: FloatArray, start: float) -> FloatArray:
    t = np.clip((s - start) / (1.0 - start), 0.0, 1.0)
    return np.sqrt(np.maximum(1.0 - t**2.1, 0.0))


@dataclass(frozen=True)
class SegmentShape:
    """Shape of one segment in its link frame.

    Attributes:
        length: joint to next joint or to the tip [m].
        breadths: at its joint and at its end [m] (a distal segment ends in a point: twice its joint's).
        thicknesses: likewise [m].
        distal: whether it ends in a fingertip.
        pad: swelling of the palmar side over a straight line [-].
        waist: drawing-in of the back [-].
    """

    length: float
    breadths: tuple[float, float]
    thicknesses: tuple[float, float]
    distal: bool
    pad: float
    waist: float

    def half_axes(self, x: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Half breadth, back height and palmar height at x [m], each of x's shape; constant beyond a joint's
        end.
        """
        s = np.clip(np.asarray(x, dtype=float) / self.length, 0.0, 1.0)
        blend = _ramp(s)
        half = 0.5 * (self.breadths[0] + blend * (self.breadths[1] - self.breadths[0]))
        thickness = self.thicknesses[0] + blend * (self.thicknesses[1] - self.thicknesses[0])
        bump = np.sin(np.pi * s) ** 2
        back = (1.0 - _PALMAR_SHARE) * thickness * (1.0 - self.waist * bump)
        palmar = _PALMAR_SHARE * thickness * (1.0 + self.pad * bump)
        if self.distal:
            half = half * (1.0 + 0.03 * bump) * _rounding(s, _SIDE_ROUNDING)
            back = back * (1.0 - 0.18 * _ramp(s / 0.6)) * _rounding(s, _BACK_ROUNDING)
            palmar = palmar * _rounding(s, _PAD_ROUNDING)
        else:
            half = half * (1.0 - 0.05 * bump)
        return half, back, palmar

    def radius(self, x: ArrayLike, angle: ArrayLike) -> FloatArray:
        """Distance from the bone's axis to the skin at x [m] in a direction `angle` [rad] from +z towards
        +y.
        """
        half, back, palmar = self.half_axes(x)
        y, z = np.sin(angle), np.cos(angle)
        exponent = np.where((z > 0.0) & self.distal, 2.5, 2.2)
        tiny = 1e-7 * self.length
        height = np.where(z > 0.0, back, palmar) + tiny
        return (np.abs(y / (half + tiny)) ** exponent + np.abs(z / height) ** exponent) ** (-1.0 / exponent)

    def point(self, x: ArrayLike, angle: ArrayLike, scale: ArrayLike = 1.0) -> FloatArray:
        """Point on the surface, or at `scale` times its distance from the axis, shape (..., 3)."""
        r = self.radius(x, angle) * scale
        return np.stack(np.broadcast_arrays(x, r * np.sin(angle), r * np.cos(angle)), axis=-1)

    def field(self, points: FloatArray) -> FloatArray:
        """Approximate signed distance [m], negative inside, shape (n,), of points (n, 3) in the link frame.

        Exact on the surface; a dome of the end section's own radius closes each end.
        """
        end = self.length * (0.93 if self.distal else 1.0)
        x = np.clip(points[:, 0], 0.0, end)
        angle = np.arctan2(points[:, 1], points[:, 2])
        radius = self.radius(x, angle)
        beyond = points[:, 0] - x
        if self.distal:  # an ellipsoid closes the tip at its length
            beyond = np.where(beyond > 0.0, beyond * np.maximum(radius / (self.length - end), 1.0), beyond)
        distance = np.hypot(np.hypot(points[:, 1], points[:, 2]), beyond) - radius
        if self.distal:
            # Where the tip closes, the radial distance overstates; the profile's slope brings it back.
            step = 0.02 * self.length
            slope = (radius - self.radius(np.maximum(x - step, 0.0), angle)) / step
            distance = distance / np.sqrt(1.0 + slope**2)
        return distance


def segment_shape(parameters: HandParameters, finger: str, segment: str) -> SegmentShape:
    """Shape of one segment, in metres, in its link frame (the same for both sides of the body)."""
    sizes = parameters.finger(finger)
    i = SEGMENTS.index(segment)
    distal = segment == "distal"
    following = i if distal else i + 1
    thumb_root = finger == FINGERS[0] and i == 0
    return SegmentShape(
        length=sizes.lengths[i],
        breadths=(sizes.breadths[i], sizes.breadths[following]),
        thicknesses=(sizes.thicknesses[i], sizes.thicknesses[following]),
        distal=distal,
        pad=0.16 if thumb_root else (0.08, 0.09, 0.18)[i],
        waist=0.04 if thumb_root else (0.12, 0.11, 0.02)[i],
    )


def mass_properties(
    vertices: FloatArray, triangles: IntArray, density: float
) -> tuple[float, FloatArray, FloatArray]:
    """Mass [kg], centre of mass [m] (3,) and inertia about it [kg·m²] (3, 3) of a closed, outward surface.

    Sums of the signed tetrahedra between the origin and each triangle.
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    mass = density * volumes.sum()
    if not mass > 0.0:
        raise ValueError("triangles: the surface is not closed and outward, its volume is not positive")
    total = a + b + c
    first = np.einsum("i,ij->j", volumes, total) / 4.0
    com = first / volumes.sum()
    second = np.zeros((3, 3))
    for p in (a, b, c, total):
        second += np.einsum("i,ij,ik->jk", volumes, p, p)
    second *= density / 20.0
    second -= mass * np.outer(com, com)
    return float(mass), com, np.trace(second) * np.eye(3) - second
