# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies for tests that use the compiled World directly."""

from typing import Any

import numpy as np
from softcontact._core import World

from softcontact.mesh.primitives import box, sphere
from softcontact.mesh.tetrahedral_primitives import tetrahedral_ball, tetrahedral_box

GRAVITY = 9.81


def add_table(world: World, **settings: Any) -> int:
    """A plate of 40 cm whose upper face lies in z = 0."""
    mesh = box((0.4, 0.4, 0.02), (4, 4, 1)).transformed(translation=np.array([0.0, 0.0, -0.01]))
    return world.add_kinematic_body("table", mesh.vertices, mesh.triangles, **settings)


def add_ball(
    world: World, name: str = "ball", radius: float = 0.03, mass: float = 0.1, **settings: Any
) -> int:
    """A rigid homogeneous ball."""
    mesh = sphere(radius, 4)
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    return world.add_rigid_body(name, mesh.vertices, mesh.triangles, mass, np.zeros(3), inertia, **settings)


def add_soft(
    world: World,
    name: str,
    mesh: Any,
    position: Any,
    young: float = 5e4,
    density: float = 1000.0,
    **settings: Any,
) -> int:
    """A tetrahedral body that contact sees by its own boundary."""
    surface, nodes = mesh.surface()
    weights = np.zeros((len(nodes), 4))
    weights[:, 0] = 1.0
    return world.add_tetrahedral_body(
        name,
        mesh.nodes + np.asarray(position, dtype=float),
        mesh.tetrahedra,
        np.array([young]),
        np.array([0.4]),
        np.array([density]),
        surface_nodes=np.repeat(np.asarray(nodes, dtype=np.int32)[:, None], 4, axis=1),
        surface_weights=weights,
        surface_triangles=surface.triangles,
        **{"rayleigh_stiffness": 0.005, "rayleigh_mass": 1.0} | settings,
    )


def soft_ball(radius: float = 0.03) -> Any:
    return tetrahedral_ball(radius, 4)


def soft_cube(side: float = 0.03, divisions: int = 2) -> Any:
    return tetrahedral_box(side, divisions)


def finger_links() -> list[dict[str, Any]]:
    """Two fingers that hang 3 cm apart from a common height and close when their angles grow."""
    return [
        {
            "name": name,
            "joint": "revolute",
            "axis": np.array([0.0, side, 0.0]),
            "position": np.array([0.015 * side, 0.0, 0.1]),
            "mass": 0.02,
            "com": np.array([0.0, 0.0, -0.02]),
            "inertia": 1e-5 * np.eye(3),
            "stiffness": [2.0],
            "damping": [0.05],
        }
        for name, side in (("left", -1.0), ("right", 1.0))
    ]


def add_phalanx(world: World, hand: int, link: int, name: str, **settings: Any) -> int:
    """A soft box of 5 cm around the bone of a finger."""
    mesh = tetrahedral_box((0.012, 0.016, 0.05), (2, 2, 4))
    nodes = mesh.nodes + np.array([0.0, 0.0, -0.025])
    surface, of = mesh.surface()
    weights = np.zeros((len(of), 4))
    weights[:, 0] = 1.0
    bone = np.flatnonzero(np.abs(nodes[:, :2]).max(axis=1) < 1e-9)
    return world.add_phalanx(
        hand,
        link,
        name,
        nodes,
        mesh.tetrahedra,
        np.array([5e4]),
        np.array([0.4]),
        np.array([1000.0]),
        bound_nodes=bone,
        bound_stiffness=2000.0,
        surface_nodes=np.repeat(np.asarray(of, dtype=np.int32)[:, None], 4, axis=1),
        surface_weights=weights,
        surface_triangles=surface.triangles,
        rayleigh_stiffness=0.01,
        **settings,
    )


def force_on(world: World, body: str) -> np.ndarray:
    """Sum of the contact forces on a surface (3,) [N]."""
    total = np.zeros(3)
    for patch in world.patches():
        total += patch["force"] * ((patch["body"] == body) - float(patch["other"] == body))
    return total


def energy(world: World) -> float:
    """Kinetic, elastic and potential energy [J]."""
    return sum(world.energies().values())
