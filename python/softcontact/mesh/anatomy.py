# SPDX-License-Identifier: LGPL-2.1-or-later
"""Soft tissue and tools of the haptic scenes, made in code and the same in every run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .implicit_shapes import difference, ellipsoid, rounded_cone, union
from .level_set import fill_level_set
from .primitives import cylinder, positive_length, revolved
from .surface_mesh import SurfaceMesh
from .tetrahedral_mesh import TetrahedralMesh
from .tetrahedral_primitives import tetrahedral_box

BLOCK_CELLS = (16, 8, 4)
LIVER_LENGTH = 0.2  # m, the size that the shape below is written in

# The uterus lies along z: the outer mouth of the cervix at z = 0, the fundus above.
CERVIX_RADIUS = 0.0045  # of the canal, dilated for a scope
PIVOT = (0.0, 0.0, 0.012)  # m, in the canal: the scope passes here whatever its tip does
CAVITY = ((0.0, 0.0, 0.045), (0.019, 0.0105, 0.018))  # centre and radii of the distended cavity [m]
POLYPS = (  # foot, head [m], radius of the stalk and of the head [m]
    ((0.0085, -0.0005, 0.0590), (0.0062, -0.0005, 0.0495), 0.0023, 0.0040),
    ((-0.0165, 0.0, 0.0490), (-0.0115, 0.0, 0.0455), 0.0024, 0.0034),
)
_WALL, _SEAM = 0.005, 0.002
_LARGEST_CELL = 0.004


def haptic_block(size: Sequence[float] = (0.16, 0.08, 0.04), name: str = "block") -> TetrahedralMesh:
    """A block of exactly 2560 tetrahedra, 16 × 8 × 4 cells of five, centred at the origin.

    Args:
        size: side lengths [m]; the default has cubic cells.
        name: for messages.
    Source: Otaduy and Gross 2007, Sec. 6: the number of tetrahedra; its sides are not given there.
    """
    return tetrahedral_box(size, BLOCK_CELLS, 5, name)


def haptic_cylinder(radius: float = 0.008, length: float = 0.06, name: str = "tool") -> SurfaceMesh:
    """A cylindrical tool of exactly 160 triangles along z, centred at the origin.

    Args:
        radius, length: [m].
        name: for messages.
    Source: Otaduy and Gross 2007, Sec. 6: the number of triangles.
    """
    return cylinder(radius, length, 16, 4, 1, name)


def liver(length: float = LIVER_LENGTH, cell: float | None = None, name: str = "liver") -> TetrahedralMesh:
    """A body with the outline of a liver: a thick right and a thin left lobe, hollow below, a notch between them.

    x runs from the right lobe to the left one, z is up; the largest side is about `length`.

    Args:
        length: [m].
        cell: edge of the lattice's cells [m]; by default a twentieth of the length.
        name: for messages.
    Raises:
        ValueError: a length not > 0.
        MeshError: cells too large for the thin lobe.
    """
    positive_length(length, "length")
    scale = length / LIVER_LENGTH

    def shape(points: np.ndarray) -> np.ndarray:
        p = points / scale
        right = ellipsoid(p, (-0.035, 0.0, 0.0), (0.064, 0.060, 0.043))
        left = ellipsoid(p, (0.045, 0.012, 0.006), (0.060, 0.042, 0.023))
        whole = union(right, left, 0.03)
        below = ellipsoid(p, (0.015, -0.012, -0.082), (0.075, 0.062, 0.067))
        notch = rounded_cone(p, (0.018, -0.075, -0.01), (0.018, -0.036, -0.012), 0.014, 0.006)
        return scale * difference(difference(whole, below, 0.012), notch, 0.008)

    half = np.array([0.115, 0.075, 0.06]) * scale
    return fill_level_set(shape, -half, half, cell or length / 20.0, name)


def uterus(cell: float = 0.003, name: str = "uterus") -> TetrahedralMesh:
    """A uterine cavity distended for hysteroscopy, with two polyps, open at the cervix.

    A wall of 5 mm around the cavity and the canal; one polyp hangs from the fundus, one stands on the side wall.
    z runs from the outer mouth of the cervix (z = 0) to the fundus.

    Args:
        cell: edge of the lattice's cells [m], at most 4 mm: larger ones would lose the polyps' stalks.
        name: for messages.
    Raises:
        ValueError: cell not > 0 and at most 4 mm.
    """
    if not 0.0 < cell <= _LARGEST_CELL:
        raise ValueError(f"cell must be > 0 and at most {_LARGEST_CELL:g} m, got {cell}: the stalks are thin")

    def shape(points: np.ndarray) -> np.ndarray:
        hollow = uterine_hollow(points)
        wall = np.maximum(hollow - _WALL, -points[:, 2])
        lumen = hollow
        for foot, head, stalk, radius in POLYPS:
            polyp = union(
                rounded_cone(points, foot, head, stalk, stalk),
                ellipsoid(points, head, (radius, radius, 1.15 * radius)),
                _SEAM,
            )
            lumen = difference(lumen, polyp, _SEAM)
        return np.maximum(wall, -lumen)

    # The lower border of the box leaves a cell below the cut through the cervix.
    return fill_level_set(
        shape, (-0.027, -0.0185, -1.5 * cell), (0.027, 0.0185, 0.0655 + 1.5 * cell), cell, name
    )


def uterus_outside(body: TetrahedralMesh) -> np.ndarray:
    """Nodes of `uterus` that the tissue around it holds: its outer surface and the rim of the cervix (k,)."""
    surface, node_of = body.surface()
    hollow = uterine_hollow(surface.vertices)
    return node_of[(hollow > 0.6 * _WALL) | (surface.vertices[:, 2] < 1e-9)]


def uterine_hollow(points: np.ndarray) -> np.ndarray:
    """Nearly the distance to the hollow of cavity and canal without polyps, negative in it (n,) [m]."""
    cavity = ellipsoid(points, *CAVITY)
    # Without its caps: the canal is open below.
    canal = rounded_cone(points, (0.0, 0.0, -0.02), (0.0, 0.0, 0.04), CERVIX_RADIUS, CERVIX_RADIUS)
    return union(cavity, canal, 0.008)


def scope(radius: float = 0.002, length: float = 0.18, name: str = "scope") -> SurfaceMesh:
    """The rod of a hysteroscope along z with a rounded tip at the origin; the rod lies at z < 0.

    Args:
        radius, length: [m].
        name: for messages.
    """
    positive_length(radius, "radius")
    if not (length > 8.0 * radius and np.isfinite(length)):
        raise ValueError(f"length must be more than four diameters, {8.0 * radius:g} m, got {length}")
    # Rings near the tip, where it touches, and a few along the rest.
    tip = [(radius * np.sin(a), radius * (np.cos(a) - 1.0)) for a in np.radians([20.0, 45.0, 70.0, 90.0])]
    rings = [-k * 2.0 * radius for k in (4, 3, 2, 1.2)]
    rod = [(radius, -length), (radius, -0.66 * length), (radius, -0.33 * length)]
    profile = rod + [(radius, z) for z in rings if z > -0.3 * length] + tip[::-1]
    return revolved(profile, 12, name)
