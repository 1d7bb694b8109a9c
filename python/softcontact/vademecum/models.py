# SPDX-License-Identifier: LGPL-2.1-or-later
"""Solids that the command line builds vademecums of: the paper's beam, or tetrahedra from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies.material import Material
from softcontact.vademecum.point_load import PointLoad
from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["Model", "beam", "from_file", "nodes_where"]

_CONDITION = re.compile(r"\s*([xyz])\s*([<>])\s*([-+0-9.eE]+)\s*")


@dataclass(frozen=True)
class Model:
    """A mesh with its material, the nodes that are clamped and the load."""

    mesh: SolidMesh
    material: Material
    clamped: NDArray[np.int64]
    load: PointLoad


def beam(
    *, force: float = 1e6, directions: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, -1.0),)
) -> Model:
    """The cantilever 400 × 40 × 40 mm along x, 3 × 3 × 21 nodes, E 209 GPa, ν 0.3, clamped at x = 0.

    Source: González et al. 2015, Sec. 4.1.
    """
    mesh = SolidMesh.block((0.4, 0.04, 0.04), (20, 2, 2))
    return Model(mesh, Material(209e9, 0.3), nodes_where(mesh, "x < 1e-9"), PointLoad(force, directions))


def from_file(
    path: Path,
    *,
    unit: str,
    young_modulus: float,
    poisson_ratio: float,
    clamped: str,
    force: float,
    directions: tuple[tuple[float, float, float], ...],
) -> Model:
    """A solid of the tetrahedra in a mesh file.

    Args:
        unit: length unit of the file.
        clamped: such as "x < 0.01": nodes with such a coordinate [m].
    Raises:
        ValueError: a file, value or condition that cannot be used.
    """
    from softcontact.mesh import load_tetrahedra

    read = load_tetrahedra(path, unit=unit, size_range=None)
    mesh = SolidMesh(read.nodes, read.tetrahedra)
    material = Material(young_modulus, poisson_ratio)
    return Model(mesh, material, nodes_where(mesh, clamped), PointLoad(force, directions))


def nodes_where(mesh: SolidMesh, condition: str) -> NDArray[np.int64]:
    """Nodes that fulfil a condition such as "z < 0.01" [m].

    Raises:
        ValueError: no such condition.
    """
    parts = _CONDITION.fullmatch(condition)
    try:
        axis, side, limit = parts.groups() if parts else ("", "", "")
        value = float(limit)
    except ValueError:
        raise ValueError(f'clamped: {condition!r}, expected a condition such as "x < 0.01" [m]') from None
    along = mesh.nodes[:, "xyz".index(axis)]
    return np.flatnonzero(along < value if side == "<" else along > value)
