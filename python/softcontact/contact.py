# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact points of a pair of bodies gathered into patches: four rows each, whatever the mesh resolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.friction import _array

FloatArray = NDArray[np.float64]

__all__ = ["Patch", "aggregate", "cluster_contacts"]

_unit_tolerance = 1e-6


@dataclass(frozen=True)
class Patch:
    """Aggregate volume constraint with friction rows.

    A row holds one 3-vector a contact point; its value is Σ row_i · u_i with u_i the relative velocity of
    point i (A minus B), and a multiplier λ puts the force λ row_i on A there.
    """

    volume: float  #: Σ w_i S_i d_i [m³]
    area: float  #: Σ S_i [m²]
    gap: float  #: Σ a_i g_i [m], the gap of the normal row
    centroid: FloatArray  #: Σ S_i p_i / S [m], (3,)
    centre: FloatArray  #: Σ a_i p_i [m], (3,): where friction moments are taken
    normal: FloatArray  #: area-weighted unit normal, (3,)
    frame: FloatArray  #: (3, 3), columns n, t, s; right-handed
    weights: FloatArray  #: pressure weights w_i [-], (k,)
    shares: FloatArray  #: a_i = w_i S_i / Σ w S [-], (k,), sum 1
    offsets: FloatArray  #: p_i - centre in (t, s) [m], (k, 2)
    normal_row: FloatArray  #: (k, 3); its multiplier is the total normal force [N]
    tangent_rows: tuple[FloatArray, FloatArray]  #: rows of t and of s, (k, 3) each; multipliers [N]
    torsion_row: FloatArray | None  #: (k, 3) [1/m], multiplier a torque [N m]; None for one point or a line


def aggregate(
    points: ArrayLike,
    normals: ArrayLike,
    gaps: ArrayLike,
    areas: ArrayLike,
    *,
    pressure: Literal["nonuniform", "uniform"] = "nonuniform",
    last_tangent: ArrayLike | None = None,
) -> Patch:
    """Aggregate contact points into one patch.

    V = Σ w_i S_i d_i with d_i = max(0, -g_i), w_i = n_p d_i / Σ d_k (n_p penetrating points) or 1; the
    normal row is that of V divided by Σ w S, so that it reads metres and its multiplier newtons.

    Args:
        points: points of body A [m], shape (k, 3).
        normals: unit normals from B to A, shape (k, 3).
        gaps: g_i [m], shape (k,); negative where they penetrate.
        areas: S_i [m²], shape (k,), >= 0 with a positive sum.
        pressure: "nonuniform", by penetration (even where nothing penetrates), or "uniform".
        last_tangent: t of the same pair at the step before, for a frame that is continuous in time.

    Raises:
        ValueError: wrong shape, a number that is not finite, normals that are not unit, negative areas.

    Source: Talvas et al. 2015, Sec. 3.2-3.4; differs by the scaling of the rows, and by shares w S / Σ w S in
    the friction rows with moments about their own centre.
    """
    p = _array("points", points, (None, 3))
    n = _array("normals", normals, (len(p), 3))
    g = _array("gaps", gaps, (len(p),))
    area = _array("areas", areas, (len(p),))
    if len(p) == 0:
        raise ValueError("points: empty, expected at least one contact point")
    lengths = np.linalg.norm(n, axis=1)
    if not (np.abs(lengths - 1.0) <= _unit_tolerance).all():
        raise ValueError(
            f"normals: length {lengths[np.argmax(np.abs(lengths - 1.0))]}, expected unit vectors"
        )
    if not (area >= 0.0).all() or not area.sum() > 0.0:
        raise ValueError(f"areas: {area.min()} is the least, expected areas >= 0 with a positive sum")
    if pressure not in ("nonuniform", "uniform"):
        raise ValueError(f'pressure: {pressure!r}, expected "nonuniform" or "uniform"')
    tangent = np.zeros(3) if last_tangent is None else _array("last_tangent", last_tangent, (3,))
    fields = _core.aggregate(p, n, g, area, pressure == "uniform", tangent)
    shares, frame = fields["shares"], fields["frame"]
    return Patch(**fields, tangent_rows=(np.outer(shares, frame[:, 1]), np.outer(shares, frame[:, 2])))


def cluster_contacts(
    points: ArrayLike,
    normals: ArrayLike,
    areas: ArrayLike,
    *,
    spacing: float,
    labels: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Tell apart the places where two bodies touch, as the setting contact.aggregation = "adaptive" does each step.

    Points belong to one place where they hang together, no gap wider than two spacings, and their normals lie round one
    direction: a place is cut where the mean normals of its halves enclose more than 0.75 rad and their centres are more
    than 1.5 spacings apart. Places that the step before told apart become one again only below 0.45 rad, or 0.75
    spacings; one place bears gaps of up to three spacings.

    Args:
        points: points of body A [m], shape (k, 3).
        normals: unit normals from B to A, shape (k, 3).
        areas: S_i [m²], shape (k,), >= 0.
        spacing: distance at which the points sample the surface, the root of the mean vertex area [m], > 0.
        labels: place of each point at the step before, -1 where it is new; None where all are.

    Returns:
        Place of each point, shape (k,), >= 0, whatever the order of the points. The larger part of a place that was cut
        keeps its number, new places take the smallest free ones.

    Raises:
        ValueError: wrong shape, a number that is not finite or out of range.

    Source: Talvas et al. 2015, Sec. 5.4, which names contact clustering as future work.
    """
    p = _array("points", points, (None, 3))
    n = _array("normals", normals, (len(p), 3))
    area = _array("areas", areas, (len(p),))
    old = np.full(len(p), -1) if labels is None else np.asarray(labels)
    if old.shape != (len(p),) or not np.issubdtype(old.dtype, np.integer) or not (old >= -1).all():
        raise ValueError(f"labels: {old.tolist()}, expected {len(p)} whole numbers >= -1")
    if not (area >= 0.0).all():
        raise ValueError(f"areas: {area.min()} is the least, expected areas >= 0")
    if not (spacing > 0.0 and np.isfinite(spacing)):
        raise ValueError(f"spacing: {spacing}, expected a finite length > 0")
    return np.array(_core.cluster_contacts(p, n, area, old.tolist(), float(spacing)), dtype=np.int64)
