# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums in SOFA graphs: the file's arrays as Data, and solids that its displacements move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.engines.sofa.components import add
from softcontact.vademecum import Vademecum
from softcontact.vademecum.distance import DistanceField, GridDistance

__all__ = ["add_vademecum", "add_vademecum_solid", "opposite_nodes"]

IntArray = NDArray[np.int64]


def add_vademecum(node: Any, vademecum: Vademecum | Path | str, *, name: str = "vademecum") -> Any:
    """Add SoftContact's VademecumContainer with the arrays of a vademecum.

    Args:
        node: SOFA node.
        vademecum: one, or its file.
        name: of the component.
    Returns:
        The component.
    Raises:
        VademecumFileError: no such file, not whole, or of another version.
    """
    read = vademecum if isinstance(vademecum, Vademecum) else Vademecum.load(vademecum)
    made = add(node, "VademecumContainer", name=name)
    cases, solution = read.cases, read.solution
    arrays: dict[str, ArrayLike] = {
        "position": read.mesh.nodes,
        "triangles": read.mesh.boundary[1],
        "loadNodes": cases.nodes,
        "directions": cases.directions,
        "modes": solution.modes.ravel(),
        "amplitudes": solution.amplitudes.ravel(),
        "dentStarts": solution.dent_starts,
        "dentNodes": solution.dent_nodes,
        "dents": solution.dents.ravel(),
    }
    made.magnitude.value, made.terms.value = cases.magnitude, solution.terms
    field = read.distance_field
    if field is not None:
        made.distanceOrigin.value = field.origin.tolist()
        made.distanceSpacing.value = field.spacing.tolist()
        made.distanceCounts.value = list(field.grid)
        arrays |= {"distanceSizes": field.sizes, "distanceValues": _expanded(field)}
    for key, values in arrays.items():
        _hand_over(getattr(made, key), np.asarray(values))
    return made


def add_vademecum_solid(
    parent: Any,
    container: Any,
    loads: Sequence[int],
    *,
    mass: float,
    families: Sequence[int] | None = None,
    together: bool = True,
    name: str = "solid",
) -> Any:
    """Add a solid that stands as its vademecum has it under some loads, whose sizes are its coordinates.

    Whatever pushes its nodes, in the child node `nodes`, works on the sizes; a solver above it moves them.

    Args:
        parent: SOFA node.
        container: what add_vademecum has made.
        loads: node of each load.
        mass: of the solid, the same for each node [kg].
        families: of directions, one a load; None: the first.
        together: whether each load answers as a part of the sum of all, or else as if it was alone.
        name: of the node.
    Returns:
        The node, with the state `sizes`, VademecumForceField `forces`, and below it `nodes` with the state `state`
        and VademecumMapping `mapping`.
    """
    node = parent.addChild(name)
    add(node, "MechanicalObject", name="sizes", template="Vec1", position=[0.0] * len(loads))
    add(node, "VademecumForceField", name="forces")
    below = node.addChild("nodes")
    add(below, "MechanicalObject", name="state", template="Vec3")
    chosen = {"nodes": [int(n) for n in loads], "families": [int(f) for f in families or ()]}
    add(
        below,
        "VademecumMapping",
        name="mapping",
        vademecum="@" + container.getPathName(),
        together=together,
        **chosen,
    )
    add(below, "UniformMass", name="mass", totalMass=mass)
    return node


def opposite_nodes(vademecum: Vademecum, family: int = 0) -> IntArray:
    """Nodes of one line that a body which comes along a load meets first.

    Args:
        vademecum: the vademecum.
        family: of directions.
    Returns:
        Of the nodes that may be loaded, those farthest against the direction, and of these the ones in the middle
        across the solid's longest side; in the order of that side.
    """
    cases = vademecum.cases
    direction, nodes = cases.directions[family], vademecum.mesh.nodes
    places = nodes[cases.nodes]
    near = 1e-6 * float(np.ptp(nodes, axis=0).max())
    against = -places @ direction
    facing = against > against.max() - near
    along = int(np.ptp(nodes, axis=0).argmax())
    across = np.cross(direction, np.eye(3)[along])
    aside = np.abs((places - 0.5 * (nodes.max(axis=0) + nodes.min(axis=0))) @ across)
    middle = aside < aside[facing].min() + near
    chosen = cases.nodes[facing & middle]
    return np.asarray(chosen[np.argsort(nodes[chosen, along])])


def _expanded(field: GridDistance) -> NDArray[np.float32]:
    """Values at all grid points, size by size, case by case; a separated field is summed up."""
    if isinstance(field, DistanceField):
        return field.values.ravel()
    axes = [field.origin[k] + field.spacing[k] * np.arange(field.grid[k]) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    tables = [field.distance(points, case, size) for size in field.sizes for case in range(field.case_count)]
    return np.concatenate(tables).astype(np.float32)


def _hand_over(data: Any, values: NDArray[Any]) -> None:
    """Copy an array into Data: SOFA takes lists alone where the size changes, and numbers one by one."""
    if values.ndim > 1 or values.dtype.kind == "i":
        data.value = values.tolist()
        return
    data.value = [0.0] * len(values)
    with data.writeable() as out:
        out[:] = values
