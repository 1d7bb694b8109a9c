# SPDX-License-Identifier: LGPL-2.1-or-later
"""Energy as a judge: where nothing drives a scene, contact may take energy and must never give any."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.base import Engine
from softcontact.mesh.surface_mesh import SurfaceMesh
from softcontact.scene.model import Scene

FloatArray = NDArray[np.float64]


def weight_times_size(scene: Scene, engine: Engine) -> float:
    """Work that lifts the body for which it is largest by its own size [J], from density and surfaces at the start.

    Of bodies that may go up and down: tissue that is held somewhere does not.
    """
    surfaces: dict[str, list[tuple[FloatArray, NDArray[np.int32]]]] = {}
    for surface in engine.surfaces:
        vertices = np.asarray(engine.vertices(surface.name), dtype=float)
        surfaces.setdefault(surface.body, []).append((vertices, np.asarray(surface.triangles)))
    gravity, largest = float(np.linalg.norm(scene.gravity)), 0.0
    for body in scene.bodies:
        held = body.kind == "tetrahedral" and (body.fixed_nodes or body.fixed_region is not None)
        if body.name in surfaces and body.kind in ("rigid", "tetrahedral", "articulated") and not held:
            corners = np.vstack([vertices for vertices, _ in surfaces[body.name]])
            size = float(np.ptp(corners, axis=0).max())
            largest = max(largest, _mass(body, surfaces[body.name]) * gravity * size)
    return largest


def swings(scene: Scene) -> bool:
    """Whether the energy of a scene goes up and down by itself: of chains whose gravity acts at the start of a step.

    The rule keeps another energy, which is apart by half of what a step changes the chains' own potential by.
    """
    return scene.integrator == "implicit-euler" and any(body.kind == "articulated" for body in scene.bodies)


def relative_rise(
    total: FloatArray, moving: FloatArray, rows: slice, weight: float, swing: float = 0.0
) -> float:
    """How far an energy rises above what it had come down to before [-]; NaN where it is no number.

    Args:
        total: kinetic, elastic and potential energy (n + 1,) [J], from the start on.
        moving: kinetic and elastic energy (n + 1,) [J].
        rows: of the steps that are looked at.
        weight: see weight_times_size [J].
        swing: that the energy may rise by on top, see swings [J].
    Returns:
        The rise over the largest of the fall of the total energy, what was ever in motion and strain, and the weight.
    """
    seen = total[rows.start : rows.stop + 1]
    rise = float((seen - np.minimum.accumulate(seen)).max())
    rise = np.maximum(rise - swing, 0.0)
    scale = max(float(total[0] - total.min()), float(moving.max()), weight)
    return 0.0 if rise == 0.0 else rise / scale if np.isfinite(scale) and scale > 0.0 else np.nan


def _mass(body: Any, surfaces: list[tuple[FloatArray, NDArray[np.int32]]]) -> float:
    if body.kind == "articulated":
        return sum(link.mass for link in body.links)
    if body.kind == "rigid" and body.mass is not None:
        return body.mass
    density = body.material.density if body.kind == "tetrahedral" else body.density or 1000.0
    return density * sum(abs(SurfaceMesh(vertices, triangles).volume) for vertices, triangles in surfaces)
