# SPDX-License-Identifier: LGPL-2.1-or-later
"""What makes a surface unusable, said with numbers, places and a remedy."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .errors import MeshError
from .intersect import crossing_components, self_intersections
from .repair import flat_triangles
from .topology import EdgeTable, components, edge_table, flips_for_consistency

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}
WRAP = "'softcontact mesh wrap' lays a new surface around it"
NEEDLE_RATIO = 1e-3  # height over longest side


def check_surface(
    vertices: np.ndarray, triangles: np.ndarray, name: str, *, require_closed: bool = True
) -> dict[str, int]:
    """Refuse a surface that contact cannot work with.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3).
        name: file or mesh name for the message.
        require_closed: refuse open edges; without it they are only counted.
    Returns:
        Counts with keys of MeshReport: components, open_edges, needles.
    Raises:
        MeshError: no triangle, non-manifold edge, hole, no consistent orientation, crossing triangles.
    """
    if not len(triangles):
        raise MeshError(
            name, "no triangle with an area is left", "check the export: all triangles are points or lines"
        )
    edges = edge_table(triangles)
    _refuse_nonmanifold(vertices, edges, name)
    if require_closed and len(edges.open_edges):
        _refuse_open(vertices, edges, name)
    if len(edges.inconsistent_edges):
        if flips_for_consistency(triangles) is None:
            raise MeshError(
                name, "the surface has only one side (a Möbius strip)", "rebuild it: it encloses no body"
            )
        raise MeshError(
            name,
            f"neighbouring triangles disagree on the outside along {len(edges.inconsistent_edges)} edges",
            "load it with repair=True, or unify the normals in your modeller",
        )
    _refuse_crossing(vertices, triangles, edges, name)
    return {
        "components": components(triangles, edges)[0],
        "open_edges": len(edges.open_edges),
        "needles": int(flat_triangles(vertices, triangles, NEEDLE_RATIO).sum()),
    }


def check_size(
    extent: np.ndarray, unit: str, scale: float, size_range: tuple[float, float] | None, name: str
) -> None:
    """Refuse a body whose largest side is outside size_range, and guess the unit that was meant.

    Args:
        extent: (3,) sides of the bounding box after conversion [m].
        unit, scale: how the file was read.
        size_range: smallest and largest accepted largest side [m], or None to accept any size.
    Raises:
        MeshError: outside the range.
    """
    if size_range is None:
        return
    low, high = size_range
    size = float(np.max(extent))
    if low <= size <= high:
        return
    raw = size / UNITS[unit]
    fitting = [u for u in ("mm", "cm", "in", "m") if u != unit and low <= raw * UNITS[u] <= high]
    range_text = f"{length_text(low)} to {length_text(high)}"
    defect = f"largest side {length_text(size)} with unit={unit!r}"
    defect += "" if scale == 1.0 else f" and scale={scale:g}"
    remedy = "if this size is meant, pass --any-size to 'softcontact mesh', size_range=None to load_mesh"
    if fitting:
        guesses = " or ".join(f"unit={u!r} ({length_text(raw * UNITS[u])})" for u in fitting)
        remedy = f"did you mean {guesses}? Else, {remedy}"
    else:
        remedy = f"correct unit or scale; {remedy}"
    raise MeshError(name, f"{defect}, outside {range_text}", remedy)


def length_text(metres: float) -> str:
    """A length in the unit a reader expects: 70 m, 80 mm, 12 µm."""
    for factor, unit in ((1.0, "m"), (1e-3, "mm"), (1e-6, "µm")):
        if metres >= 0.9995 * factor:
            return f"{metres / factor:.3g} {unit}"
    return f"{metres:.3g} m"


def place_text(point: np.ndarray) -> str:
    """A point [m] as text in mm."""
    return "(" + ", ".join(f"{1e3 * x:.4g}" for x in point) + ") mm"


def _refuse_nonmanifold(vertices: np.ndarray, edges: EdgeTable, name: str) -> None:
    bad = edges.nonmanifold_edges
    if len(bad):
        place = vertices[edges.vertices[bad[0]]].mean(axis=0)
        raise MeshError(
            name,
            f"{len(bad)} non-manifold edges, shared by more than two triangles"
            f" (first: {edges.count[bad[0]]} triangles at {place_text(place)})",
            f"remove inner walls and doubled faces, or unite the overlapping parts in your modeller; {WRAP}",
        )


def _refuse_open(vertices: np.ndarray, edges: EdgeTable, name: str) -> None:
    ends = edges.vertices[edges.open_edges]
    graph = coo_matrix((np.ones(len(ends), np.int8), ends.T), shape=(len(vertices),) * 2)
    _, label = connected_components(graph, directed=False)
    holes, size = np.unique(label[ends[:, 0]], return_counts=True)
    rim = ends[label[ends[:, 0]] == holes[np.argmax(size)]]
    number = "1 hole" if len(holes) == 1 else f"{len(holes)} holes"
    raise MeshError(
        name,
        f"the surface is not closed: {len(ends)} open edges in {number} (largest: {size.max()} edges around"
        f" {place_text(vertices[np.unique(rim)].mean(axis=0))})",
        "fill the holes in your modeller (or export again if the file was cut off), or pass"
        f" require_closed=False for a surface that bounds no body; {WRAP}",
    )


def _refuse_crossing(vertices: np.ndarray, triangles: np.ndarray, edges: EdgeTable, name: str) -> None:
    pairs = self_intersections(vertices, triangles)
    if len(pairs):
        _, label = components(triangles, edges)
        between = label[pairs[:, 0]] != label[pairs[:, 1]]
        place = vertices[triangles[pairs[0]]].mean(axis=(0, 1))
        what = "two components cross" if between.all() else "the surface crosses itself"
        raise MeshError(
            name,
            f"{what}: {len(pairs)} pairs of triangles (first: {pairs[0, 0]} and {pairs[0, 1]} near"
            f" {place_text(place)})",
            f"unite the overlapping parts (boolean union) or remesh the surface; {WRAP}",
        )
    if len(edges.open_edges) == 0:
        crossing = crossing_components(vertices, triangles, edges)
        if crossing:
            raise MeshError(
                name,
                f"{len(crossing)} pairs of components overlap (first: {crossing[0][0]} and {crossing[0][1]})",
                "unite the overlapping parts (boolean union)",
            )
