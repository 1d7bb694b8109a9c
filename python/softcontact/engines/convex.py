# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes that contact takes as they are, not by their meshes."""

from typing import Any

from softcontact._core import ConvexShape
from softcontact.scene import shapes
from softcontact.scene.model import Scene


def convex_shape(shape: Any, mesh: Any) -> ConvexShape | None:
    """A rigid body's shape as contact takes it; None where that is the mesh.

    Args:
        shape: of the scene (softcontact.scene.shapes).
        mesh: its surface; of a closed convex one with few corners contact takes the solid inside.
    """
    match shape:
        case shapes.Sphere():
            return ConvexShape.sphere(shape.radius)
        case shapes.Capsule():
            return ConvexShape.capsule(shape.radius, shape.height)
        case shapes.Cylinder():
            return ConvexShape.cylinder(shape.radius, shape.height)
        case shapes.Box():
            return ConvexShape.box(shape.size)
        case shapes.Plane():
            return ConvexShape.plane()
    return ConvexShape.hull(mesh.vertices, mesh.triangles)


def exact_bodies(scene: Scene) -> frozenset[str]:
    """Names of the rigid and kinematic bodies of a scene whose shapes are primitives."""
    primitives = (shapes.Box, shapes.Sphere, shapes.Capsule, shapes.Cylinder, shapes.Plane)
    return frozenset(
        body.name
        for body in scene.bodies
        if body.kind in ("rigid", "kinematic") and isinstance(body.shape, primitives)
    )
