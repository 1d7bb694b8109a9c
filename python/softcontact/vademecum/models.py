# SPDX-License-Identifier: LGPL-2.1-or-later
"""Solids that the command line builds vademecums of: the paper's beam and bunny, or tetrahedra from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies.material import Material
from softcontact.vademecum.offline import BuildOptions
from softcontact.vademecum.point_load import PointLoad
from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["Model", "beam", "bunny", "from_file", "nodes_where"]

_CONDITION = re.compile(r"\s*([xyz])\s*([<>])\s*([-+0-9.eE]+)\s*")


Directions = tuple[tuple[float, float, float], ...]

DOWN: Directions = ((0.0, 0.0, -1.0),)
BUNNY_HEIGHT = 0.08  # [m]
BUNNY_FOOT = 0.004  # nodes so near to the lowest one are clamped [m]


@dataclass(frozen=True)
class Model:
    """A mesh with its material, the nodes that are clamped, the load, and how finely it is built by default."""

    mesh: SolidMesh
    material: Material
    clamped: NDArray[np.int64]
    load: PointLoad
    options: BuildOptions = field(default_factory=BuildOptions)


def beam(*, force: float = 1e6, directions: Directions = DOWN) -> Model:
    """The cantilever 400 × 40 × 40 mm along x, 3 × 3 × 21 nodes, E 209 GPa, ν 0.3, clamped at x = 0.

    Source: González et al. 2015, Sec. 4.1.
    """
    mesh = SolidMesh.block((0.4, 0.04, 0.04), (20, 2, 2))
    return Model(mesh, Material(209e9, 0.3), nodes_where(mesh, "x < 1e-9"), PointLoad(force, directions))


def bunny(*, force: float = 2e6, directions: Directions = DOWN) -> Model:
    """The Stanford bunny, 80 mm high, 4305 nodes, E 2·10⁷ MPa, ν 0.3, its feet clamped.

    The paper tells neither size nor force. 2·10⁶ N down on the tip of an ear moves it by 5 mm. What is far from a load
    moves little and alike, so that modes are found from a third of the positions, and three terms hold the size.
    Of a third that leaves out the tips of ears, a load on such a tip would be missed by 1.1 % instead of 0.19 % of the
    largest displacement.

    Source: González et al. 2015, Sec. 4.3.
    """
    from softcontact.mesh import tetrahedral_bunny

    read = tetrahedral_bunny(BUNNY_HEIGHT)
    mesh = SolidMesh(read.nodes, read.tetrahedra)
    clamped = np.flatnonzero(mesh.nodes[:, 2] < mesh.nodes[:, 2].min() + BUNNY_FOOT)
    options = BuildOptions(modes=143, sizes=3, stages=2, together=80, sample=480)
    return Model(mesh, Material(2e13, 0.3), clamped, PointLoad(force, directions), options)


def from_file(
    path: Path,
    *,
    unit: str,
    young_modulus: float,
    poisson_ratio: float,
    clamped: str,
    force: float = 1e6,
    directions: Directions = DOWN,
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
