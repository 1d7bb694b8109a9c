# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rigid, tetrahedral and articulated bodies of a scene, as softcontact._core.World takes them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray
from softcontact.engines.convex import convex_shape
from softcontact.scene import bodies
from softcontact.scene.surfaces import solid

# Barycentric coordinates of the centres of a tetrahedron's lattice: 84 evenly spread points.
_SAMPLES = (np.array([k for k in np.ndindex(7, 7, 7, 7) if sum(k) == 6]) + 0.25) / 7.0


def add_rigid(world: Any, body: bodies.RigidBody, mesh: Any, friction: float) -> int:
    """Add a rigid body with its surface mesh; returns its number.

    Raises:
        ValueError: see mass_properties; or the World refuses it.
    """
    mass, com, inertia = mass_properties(body, mesh)
    return world.add_rigid_body(
        body.name,
        mesh.vertices,
        mesh.triangles,
        mass,
        com,
        inertia,
        body.position,
        body.orientation,
        body.velocity,
        body.angular_velocity,
        friction,
        body.aggregate,
        convex_shape(body.shape, mesh),
    )


def add_tetrahedral(
    world: Any, body: bodies.TetrahedralBody, mesh: Any, friction: float, turn_tolerance: float = 0.0
) -> int:
    """Add a tetrahedral body; its surface is that of its mesh. Returns its number.

    Args:
        turn_tolerance: turn of its elements up to which a factorisation serves further steps [rad], at most 0.3.

    Raises:
        ValueError: fixed nodes that the mesh has not, or a fixed region without nodes; or the World refuses it.
    """
    surface, nodes_of = mesh.surface()
    fixed = set(body.fixed_nodes)
    if body.fixed_nodes and max(fixed) >= len(mesh.nodes):
        raise ValueError(f"fixed_nodes: {max(fixed)} is too large; the nodes are 0 to {len(mesh.nodes) - 1}")
    if body.fixed_region is not None:
        low, high = np.array(body.fixed_region.low), np.array(body.fixed_region.high)
        inside = np.flatnonzero(((mesh.nodes >= low) & (mesh.nodes <= high)).all(axis=1))
        if not len(inside):
            raise ValueError("fixed_region holds no node; make it larger")
        fixed |= set(inside.tolist())
    count = len(mesh.tetrahedra)
    material = body.material
    weights = np.zeros((len(nodes_of), 4))
    weights[:, 0] = 1.0
    nodes = mesh.nodes @ Rotation.from_quat(body.orientation).as_matrix().T + body.position
    return world.add_tetrahedral_body(
        body.name,
        nodes,
        mesh.tetrahedra,
        youngs_moduli(body, mesh),
        np.full(count, material.poisson),
        np.full(count, material.density),
        material.rayleigh_mass,
        material.rayleigh_stiffness,
        np.array(sorted(fixed), dtype=np.int32),
        np.repeat(np.asarray(nodes_of, dtype=np.int32)[:, None], 4, axis=1),
        weights,
        surface.triangles,
        friction,
        body.aggregate,
        body.velocity,
        refactor_rotation_tolerance=turn_tolerance,
        stiffening=material.stiffening,
        stiffening_limit=material.stiffening_limit,
    )


def youngs_moduli(body: bodies.TetrahedralBody, mesh: Any) -> FloatArray:
    """Young's modulus of each element (m,) [Pa].

    Where an inclusion's boundary cuts an element, the mean of the two bounds for a mixture: of equal strain, which is
    too stiff, and of equal stress, which is too soft.

    Raises:
        ValueError: an inclusion that no element lies in.
    Source: Hill 1952, The elastic behaviour of a crystalline aggregate, Proc. Phys. Soc. A 65, 349.
    """
    young = np.full(len(mesh.tetrahedra), body.material.young)
    points = np.einsum("kc,mcx->mkx", _SAMPLES, mesh.nodes[mesh.tetrahedra])
    for number, inclusion in enumerate(body.inclusions):
        inside = np.linalg.norm(points - np.array(inclusion.centre), axis=2) <= inclusion.radius
        share = inside.mean(axis=1)
        if not share.any():
            raise ValueError(f"inclusions[{number}]: lies outside the body; move it, or make it larger")
        stiff = inclusion.ratio * body.material.young
        equal_strain = young + share * (stiff - young)
        equal_stress = 1.0 / ((1.0 - share) / young + share / stiff)
        young = 0.5 * (equal_strain + equal_stress)
    return young


def add_articulated(
    world: Any, body: bodies.ArticulatedBody, mesh_of: Callable[[Any], Any], friction: float
) -> tuple[int, list[str]]:
    """Add an articulated body; returns its number and the names of its links' contact surfaces.

    Args:
        world: the World to add it to.
        body: the scene's body.
        mesh_of: gives the surface mesh of a link's shape.
        friction: of all its surfaces [-].
    Raises:
        ValueError: the World refuses it.
    """
    numbers = {link.name: index for index, link in enumerate(body.links)}
    number = world.add_articulated_body(
        body.name,
        [link_arguments(link, body, numbers) for link in body.links],
        np.array(body.joint_positions),
        body.gravity_compensated,
    )
    names = []
    for index, link in enumerate(body.links):
        if link.shape is not None:
            mesh = mesh_of(link.shape)
            names.append(f"{body.name}.{link.name}")
            world.add_link_surface(
                number,
                index,
                names[-1],
                mesh.vertices,
                mesh.triangles,
                friction,
                link.aggregate,
                convex_shape(link.shape, mesh),
            )
    return number, names


def mass_properties(body: bodies.RigidBody, mesh: Any) -> tuple[float, FloatArray, FloatArray]:
    """Mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) [kg m²], in body axes.

    Args:
        body: gives what it gives; the rest is that of a homogeneous solid.
        mesh: its surface.
    Raises:
        ValueError: something has to come from the surface, and the surface is not closed.
    """
    if body.mass is not None and body.com is not None and body.inertia is not None:
        return body.mass, np.array(body.com), np.array(body.inertia)
    volume, middle, spread = solid(body.shape, mesh)
    density = body.mass / volume if body.mass is not None else body.density or 1000.0
    com = middle if body.com is None else np.array(body.com)
    inertia = density * spread if body.inertia is None else np.array(body.inertia)
    return density * volume, com, inertia


def link_arguments(
    link: bodies.Link, body: bodies.ArticulatedBody, numbers: dict[str, int]
) -> dict[str, Any]:
    """A link as World.add_articulated_body takes it; a link without parent stands where the body does.

    Args:
        link: of `body`.
        body: gives position and orientation of its base.
        numbers: of the links by name.
    """
    position, rotation = np.array(link.position), Rotation.from_quat(link.orientation)
    if link.parent is None:
        base = Rotation.from_quat(body.orientation)
        position, rotation = base.apply(position) + body.position, base * rotation
    springs = {
        key: list(getattr(link, key))
        for key in ("stiffness", "damping", "lower", "upper")
        if getattr(link, key)
    }
    return {
        "name": link.name,
        "parent": -1 if link.parent is None else numbers[link.parent],
        "joint": link.joint,
        "axis": link.axis,
        "axis2": link.second_axis,
        "position": position,
        "orientation": rotation.as_quat(),
        "mass": link.mass,
        "com": link.com,
        "inertia": np.array(link.inertia),
        "limit_stiffness": np.inf if link.limit_stiffness is None else link.limit_stiffness,
        **springs,
    }
