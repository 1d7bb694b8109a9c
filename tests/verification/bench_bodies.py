# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small worlds that several engine tests share."""

import numpy as np

from softcontact import _core
from softcontact.mesh.primitives import box

GRAVITY = 9.81


def new_world(step, *, gravity=(0.0, 0.0, -GRAVITY), **options):
    defaults = {"contact_offset": 0.0, "alarm_distance": 2e-3}
    return _core.World(step, np.array(gravity), defaults | options)


def add_floor(world, *, size=2.0, friction=0.5, name="floor"):
    """A slab whose top is z = 0."""
    slab = box((size, size, 0.1))
    vertices = slab.vertices - np.array([0.0, 0.0, slab.vertices[:, 2].max()])
    return world.add_kinematic_body(name, vertices, slab.triangles, friction=friction)


def add_block(world, size=(0.1, 0.1, 0.1), *, mass=1.0, height=0.0, friction=0.5, name="block", **state):
    """A box whose bottom face is at z = height."""
    shape = box(size)
    vertices = shape.vertices - 0.5 * (shape.vertices.max(axis=0) + shape.vertices.min(axis=0))
    a, b, c = size
    inertia = mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    return world.add_rigid_body(
        name,
        vertices,
        shape.triangles,
        mass,
        np.zeros(3),
        inertia,
        position=np.array([0.0, 0.0, height + 0.5 * c]),
        friction=friction,
        **state,
    )


def disc_mesh(radius, rings):
    """The underside of a disc: a polar grid of `rings` rings of nearly square cells, its normal along -z.

    An open surface, so that the area of a rim vertex is that of the underside alone.
    """
    points, triangles = [np.zeros(2)], []
    previous = [0]
    for ring in range(1, rings + 1):
        count = 6 * ring
        r = radius * ring / rings
        start = len(points)
        angles = 2.0 * np.pi * (np.arange(count) + 0.5 * (ring % 2)) / count
        points += [r * np.array([np.cos(a), np.sin(a)]) for a in angles]
        current = list(range(start, start + count))
        triangles += _stitch(previous, current, np.array(points))
        previous = current
    flat = np.array(points)
    faces = [(a, c, b) for a, b, c in triangles]
    return np.column_stack([flat, np.zeros(len(flat))]), np.array(faces, dtype=np.int32)


def _stitch(inner, outer, points):
    """Triangles between two rings, counter-clockwise."""
    if len(inner) == 1:
        return [(inner[0], outer[i], outer[(i + 1) % len(outer)]) for i in range(len(outer))]
    angle = lambda i: np.arctan2(points[i][1], points[i][0]) % (2.0 * np.pi)  # noqa: E731
    inner = sorted(inner, key=angle)
    outer = sorted(outer, key=angle)
    faces, i, j = [], 0, 0
    while i < len(inner) or j < len(outer):
        a, b = inner[i % len(inner)], outer[j % len(outer)]
        next_inner = angle(inner[(i + 1) % len(inner)]) + (2.0 * np.pi if i + 1 >= len(inner) else 0.0)
        next_outer = angle(outer[(j + 1) % len(outer)]) + (2.0 * np.pi if j + 1 >= len(outer) else 0.0)
        if j < len(outer) and (i >= len(inner) or next_outer <= next_inner):
            faces.append((a, b, outer[(j + 1) % len(outer)]))
            j += 1
        else:
            faces.append((a, b, inner[(i + 1) % len(inner)]))
            i += 1
    return faces
