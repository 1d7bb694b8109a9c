# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exact contacts of a shell with a deformed boundary, tick by tick in the core: at rest, in motion, and all at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.vademecum import SolidMesh, Vademecum
from softcontact.vademecum.online import separated_field

__all__ = ["MOTIONS", "markdown", "measure_beam", "measure_bunny", "smooth_field"]

FloatArray = NDArray[np.float64]

TICK = 1e-3  # [s]
SPEED = 0.02  # of the shell [m/s]
MODES = 143  # of the paper's bunny
LARGEST = 1e-4  # displacement of it [m], more than that of a built one
JUMP = 0.002  # of the shell [m]
# What changes from tick to tick.
MOTIONS = {
    "nothing changes": (False, False),
    "the shell moves": (True, False),
    "the load changes": (False, True),
    "both change": (True, True),
}


def measure_beam(made: Vademecum, shell: FloatArray, ticks: int) -> list[dict[str, Any]]:
    """The beam under a load that grows and shrinks, beside a shell 50 mm off and in it.

    Args:
        made: the beam's vademecum.
        shell: points in contact (k, 3) [m] under the first load at full size.
    """
    mesh, field = made.mesh, separated_field(made)
    rows = []
    for offset in (0.05, 0.0):
        placed = shell + np.array([0.0, 0.0, offset])
        rows += _rows(mesh.nodes, mesh.boundary[1], field, placed, ticks)
    return rows


def measure_bunny(
    mesh: SolidMesh, shell: FloatArray, offsets: list[float], ticks: int
) -> list[dict[str, Any]]:
    """A bunny that as many smooth modes deform as the paper's, beside a shell at some offsets along x [m]."""
    field = smooth_field(mesh)
    rows = []
    for offset in offsets:
        placed = shell + np.array([offset, 0.0, 0.0])
        rows += _rows(mesh.nodes, mesh.boundary[1], field, placed, ticks)
    return rows


def smooth_field(mesh: SolidMesh, largest: float = LARGEST) -> _core.SeparatedField:
    """As many modes as the paper's bunny has, which are waves through the solid, and eight cases of size 1 at most.

    Args:
        largest: displacement [m].
    """
    rng = np.random.default_rng(0)
    size = np.ptp(mesh.nodes, axis=0).max()
    waves = rng.normal(0.0, 1.0, (MODES, 3)) * np.linspace(1.0, 12.0, MODES)[:, None] / size
    ways = rng.normal(0.0, 1.0, (MODES, 3))
    phases = rng.uniform(0.0, 2.0 * np.pi, MODES)
    modes = np.cos(waves @ mesh.nodes.T + phases[:, None])[:, :, None] * ways[:, None, :]
    amplitudes = rng.normal(0.0, 1.0, (8, 3, MODES)) / np.arange(1.0, MODES + 1.0)
    moved = np.einsum("cm,mnk->cnk", amplitudes.sum(axis=1), modes)
    amplitudes *= largest / np.linalg.norm(moved, axis=-1).max()
    return _core.SeparatedField(modes, amplitudes, [0] * 9, [], np.zeros((0, 3, 3)), [])


def _rows(
    nodes: FloatArray, triangles: NDArray[Any], field: _core.SeparatedField, shell: FloatArray, ticks: int
) -> list[dict[str, Any]]:
    k = np.arange(ticks)
    way = 50.0 * TICK * SPEED * np.sin(k / 50.0)
    slow = np.stack([np.zeros(ticks), way, np.zeros(ticks)], axis=1)
    far = np.stack([np.zeros(ticks), JUMP * (k % 2), np.zeros(ticks)], axis=1)
    size = 0.9 + 0.1 * np.cos(k / 50.0)
    count = field.case_count
    rows = []
    for name, (moves, loads) in MOTIONS.items():
        cases = np.where((k == 0) | loads, 0, -1)
        rows.append(
            _row(name, nodes, triangles, field, shell, slow * moves, cases, size if loads else 0 * k + 1.0)
        )
    jumps = (7 * k) % count
    rows.append(_row("both jump", nodes, triangles, field, shell, far, jumps, size))
    return rows


def _row(
    name: str,
    nodes: FloatArray,
    triangles: NDArray[Any],
    field: _core.SeparatedField,
    shell: FloatArray,
    offsets: FloatArray,
    cases: NDArray[Any],
    sizes: FloatArray,
) -> dict[str, Any]:
    loaded = _core.LoadedField(field, 1)
    course = (shell, offsets, cases.tolist(), sizes.tolist())
    boundary = _core.BoundaryDistance(nodes, triangles, loaded)
    own, wall, contacts = _core.time_contacts(boundary, loaded, *course)
    forces = _core.PenaltyContact(nodes, triangles, loaded, 1e3, 0.3, 0.0, len(shell))
    with_forces = _core.time_contacts(forces, loaded, *course)[0]
    return {
        "motion": name,
        "points": len(shell),
        "contacts": float(np.mean(contacts)),
        "median": float(np.median(own[1:])),
        "p99.9": float(np.quantile(own[1:], 0.999)),
        "wall_p99.9": float(np.quantile(wall[1:], 0.999)),
        "forces_median": float(np.median(with_forces[1:])),
        "forces_p99.9": float(np.quantile(with_forces[1:], 0.999)),
    }


def markdown(name: str, rows: list[dict[str, Any]], aim: float) -> list[str]:
    """Lines of Markdown on a solid's rows, with the aim [s]."""
    return [
        f"| {name}, {row['points']} points, {row['contacts']:.0f} in contact, {row['motion']} | {1e6 * aim:.0f} µs "
        + "".join(
            f"| {1e6 * row[key]:.1f} µs "
            for key in ("median", "p99.9", "wall_p99.9", "forces_median", "forces_p99.9")
        )
        + "|"
        for row in rows
    ]
