# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact patches over time: one series a patch, and sums over the patches of two surfaces."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Series = dict[str, FloatArray]

VECTORS = ("force", "torque", "centre")
SCALARS = ("area", "volume", "pressure_mean", "pressure_max", "normal_force", "contacts", "slip_gauge")
UNITS = {
    "force": "N",
    "torque": "N m",
    "centre": "m",
    "area": "m2",
    "volume": "m3",
    "pressure_mean": "Pa",
    "pressure_max": "Pa",
    "normal_force": "N",
}
MEANINGS = {  # of the series that take sides
    "force": "on {body}, by {other}; x, y, z",
    "torque": "on {body}, by {other}, about the centre; x, y, z",
    "normal_force": "that {body} and {other} press on each other with",
}


ROUND_OFF = 1e-6
"""Tangential over normal force [-] below which a patch without friction carries no friction load."""


def with_finite_gauges(patches: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The patches; where friction can bear nothing, as with mu = 0, the infinite slip gauge becomes 0 or 1.

    Args:
        patches: of a step, with the keys of World.patches().
    Returns:
        0 where the tangential force is round-off of the normal force, else 1: it slips. Others are as they were.
    """
    return [
        patch | {"slip_gauge": _loaded(patch)} if np.isinf(patch.get("slip_gauge", 0.0)) else patch
        for patch in patches
    ]


def _loaded(patch: Mapping[str, Any]) -> float:
    force, normal = np.asarray(patch["force"]), np.asarray(patch["normal"])
    tangential = np.linalg.norm(force - (force @ normal) * normal)
    return 0.0 if tangential <= ROUND_OFF * patch["normal_force"] else 1.0


class PatchSeries:
    """Fills the series of all patches, row by row.

    Args:
        steps: most rows that will be filled.
    """

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._parts: dict[tuple[str, str, int], Series] = {}

    def add(self, row: int, patches: Iterable[Mapping[str, Any]]) -> None:
        """Keep the patches of a step, with the keys of World.patches(); a slip gauge that is not told is NaN."""
        for patch in patches:
            key = (patch["body"], patch["other"], int(patch.get("number", 0)))
            if key not in self._parts:
                vectors = {name: np.zeros((self._steps, 3)) for name in VECTORS}
                self._parts[key] = vectors | {name: np.zeros(self._steps) for name in SCALARS}
            for name, data in self._parts[key].items():
                data[row] = patch.get(name, np.nan if name == "slip_gauge" else 0.0)

    def parts(self, rows: int) -> dict[tuple[str, str, int], Series]:
        """Series of the first `rows` steps by (body, other, number of the patch); zero while there is no patch."""
        return {key: {name: data[:rows] for name, data in part.items()} for key, part in self._parts.items()}


def sum_up(parts: Mapping[tuple[str, str, int], Series]) -> dict[tuple[str, str], Series]:
    """Series of each pair of surfaces, by (body, other).

    Forces, areas, volumes and counts add up; the centre is that of all the pressure, the torque is about it; the
    greatest pressure and slip gauge count. A pair that never had a second patch has the series of the only one.

    Args:
        parts: series by (body, other, number).
    """
    by_pair: dict[tuple[str, str], list[Series]] = {}
    for (body, other, _), part in sorted(parts.items(), key=lambda item: item[0][2]):
        by_pair.setdefault((body, other), []).append(part)
    ordered = dict.fromkeys((body, other) for body, other, _ in parts)
    return {pair: _sum(by_pair[pair]) if len(by_pair[pair]) > 1 else by_pair[pair][0] for pair in ordered}


def _sum(parts: list[Series]) -> Series:
    total = {
        name: np.sum([part[name] for part in parts], axis=0)
        for name in ("force", "area", "volume", "normal_force", "contacts")
    }
    loads = np.array([part["normal_force"] for part in parts])
    centres = np.array([part["centre"] for part in parts])
    shares = np.divide(
        loads, total["normal_force"], out=np.zeros_like(loads), where=total["normal_force"] > 0.0
    )
    total["centre"] = np.einsum("pi,pix->ix", shares, centres)
    levers = [part["centre"] - total["centre"] for part in parts]
    total["torque"] = np.sum(
        [part["torque"] + np.cross(r, part["force"]) for part, r in zip(parts, levers, strict=True)], axis=0
    )
    area = total["area"]
    total["pressure_mean"] = np.divide(total["normal_force"], area, out=np.zeros_like(area), where=area > 0.0)
    for name in ("pressure_max", "slip_gauge"):
        total[name] = np.max([part[name] for part in parts], axis=0)
    return {name: total[name] for name in (*VECTORS, *SCALARS)}
