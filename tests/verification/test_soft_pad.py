# SPDX-License-Identifier: LGPL-2.1-or-later
"""Soft pads in the full engine: independence of mesh density and time step, pinch without creep.

A pad is what a fingertip is to the engine: a tetrahedral field carried by a link (a phalanx).
"""

import numpy as np
import pytest
from bench_bodies import GRAVITY, add_block, add_floor, new_world

from softcontact.mesh.primitives import box
from softcontact.mesh.tetrahedral_primitives import tetrahedral_box

YOUNG, PAD = 1e5, (0.02, 0.02, 0.01)


def surface_grid(mesh, cells):
    """A closed contact surface over a tetrahedral box, `cells` quads along its width, embedded in it."""
    extent = mesh.nodes.max(axis=0) - mesh.nodes.min(axis=0)
    shape = box(tuple(extent), (cells, cells, max(1, cells // 2)))
    middle = 0.5 * (shape.vertices.max(axis=0) + shape.vertices.min(axis=0))
    points = shape.vertices - middle + 0.5 * (mesh.nodes.max(axis=0) + mesh.nodes.min(axis=0))
    nodes, weights = mesh.embed(points)
    return nodes.astype(np.int32), weights, shape.triangles


def add_pad(world, body, link, name, *, cells=8, friction=0.7, bound_low=False, dome=0.0):
    """A soft pad whose free face looks along −z of the link (or +z with bound_low).

    dome: height by which the free face rises from its rim to its centre [m].
    """
    mesh = tetrahedral_box(PAD, (4, 4, 2))
    nodes = mesh.nodes - 0.5 * (mesh.nodes.max(axis=0) + mesh.nodes.min(axis=0))
    mesh = type(mesh)(nodes, mesh.tetrahedra)
    back = nodes[:, 2] <= nodes[:, 2].min() + 1e-9 if bound_low else nodes[:, 2] >= nodes[:, 2].max() - 1e-9
    surface_nodes, weights, triangles = surface_grid(mesh, cells)
    if dome:
        rim = 1.0 - (2.0 * nodes[:, 0] / PAD[0]) ** 2, 1.0 - (2.0 * nodes[:, 1] / PAD[1]) ** 2
        nodes[:, 2] -= dome * rim[0] * rim[1] * (0.5 - nodes[:, 2] / PAD[2])
    return world.add_phalanx(
        body,
        link,
        name,
        nodes,
        mesh.tetrahedra,
        np.array([YOUNG]),
        np.array([0.4]),
        np.array([1000.0]),
        rayleigh_mass=1.0,
        rayleigh_stiffness=2e-3,
        bound_nodes=np.flatnonzero(back).tolist(),
        bound_stiffness=1e5,
        surface_nodes=surface_nodes,
        surface_weights=weights,
        surface_triangles=triangles,
        friction=friction,
    )


def slider(name, axis, position, *, mass=0.05, stiffness=2000.0, damping=20.0):
    return {
        "name": name,
        "joint": "prismatic",
        "axis": axis,
        "position": position,
        "mass": mass,
        "inertia": mass * 1e-4 * np.eye(3),
        "stiffness": [stiffness],
        "damping": [damping],
    }


def pressed_and_twisted_pad(cells):
    """A pad pressed on the floor by a spring, then slid and turned until all of it slips."""
    world = new_world(0.005)
    add_floor(world, friction=0.7)
    inertia = 1e-5 * np.eye(3)
    dome = 0.003
    links = [
        slider("down", [0.0, 0.0, 1.0], [0.0, 0.0, 0.5 * PAD[2] + dome]),
        {**slider("along", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "parent": 0},
        {
            "name": "turn",
            "parent": 1,
            "joint": "revolute",
            "axis": [0.0, 0.0, 1.0],
            "mass": 0.05,
            "inertia": inertia,
            "stiffness": [50.0],
            "damping": [0.2],
        },
    ]
    body = world.add_articulated_body("arm", links, gravity_compensated=True)
    times = [0.0, 0.2, 0.4, 1.2]
    # The slide is 15 mm/s, the turn 3 rad/s: about as fast at the rim of the pad.
    targets = np.array([[0.0, 0.0, 0.0], [-0.003, 0.0, 0.0], [-0.003, 0.0, 0.0], [-0.003, 0.012, 2.4]])
    world.set_joint_motion(body, times, targets)
    add_pad(world, body, 2, "pad", cells=cells, dome=dome)
    forces, torques = [], []
    while world.time < 1.15:
        assert world.step()
        if world.time > 0.9:
            (patch,) = world.patches()
            forces.append(patch["force"])
            torques.append(patch["torque"])
    return np.mean(forces, axis=0), np.mean(torques, axis=0)


def test_three_mesh_densities_agree():
    results = [pressed_and_twisted_pad(cells) for cells in (16, 24, 32)]
    finest_force, finest_torque = results[-1]
    assert np.linalg.norm(finest_force) > 1.0 and abs(finest_torque[2]) > 1e-3
    for force, torque in results[:-1]:
        assert np.linalg.norm(force - finest_force) < 0.02 * np.linalg.norm(finest_force)
        assert abs(torque[2] - finest_torque[2]) < 0.02 * abs(finest_torque[2])


@pytest.mark.parametrize("step", [0.001, 0.005, 0.02])
def test_soft_pad_carries_a_weight(step):
    """A weight on a soft pad that lies on a fixed link: the pad's force is the weight in newtons."""
    world = new_world(step)
    links = [slider("base", [0.0, 0.0, 1.0], [0.0, 0.0, -0.005], stiffness=1e6, damping=1e3)]
    body = world.add_articulated_body("base", links, gravity_compensated=True)
    add_pad(world, body, 0, "pad", bound_low=True)
    # Wider than the pad: the weight rests on the pad alone, its centre above the pad's.
    add_block(world, (0.03, 0.03, 0.01), mass=0.1, height=0.0, friction=0.7)
    assert world.step(round(1.0 / step))
    (patch,) = world.patches()
    assert patch["force"] == pytest.approx([0.0, 0.0, -0.1 * GRAVITY], abs=0.01 * 0.1 * GRAVITY)


def pinch(step=None, *, mass=0.045, friction=0.7, model="aggregate", push=2.0):
    """Two soft pads pinch a cube between them, above the ground."""
    options = {"contact": model, "contact_offset": 5e-4}
    world = new_world(step or 0.005, **options)
    half = 0.015
    gap = half + 0.5 * PAD[2] + 5e-4
    to_left = [0.0, -np.sqrt(0.5), 0.0, np.sqrt(0.5)]
    for name, side, orientation in (
        ("right", 1.0, [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]),
        ("left", -1.0, to_left),
    ):
        # The link's −z looks at the cube.
        link = slider(name, [0.0, 0.0, 1.0], [side * gap, 0.0, 0.0], stiffness=500.0, damping=10.0)
        link["orientation"] = orientation
        body = world.add_articulated_body(f"{name}_arm", [link], gravity_compensated=True)
        world.set_joint_motion(body, [0.0, 0.1], np.array([[0.0], [-push / 500.0]]))
        add_pad(world, body, 0, f"{name}_pad", friction=friction)
    cube = add_block(
        world, (2 * half, 2 * half, 2 * half), mass=mass, height=-half, friction=friction, name="cube"
    )
    return world, cube


@pytest.mark.parametrize("model", ["aggregate", "point"])
def test_pinch_neither_creeps_nor_trembles(model):
    world, cube = pinch(model=model)
    assert world.step(400)  # 2 s to come to rest
    start = world.body_pose(cube)[0]
    normal = []
    for _ in range(2000):
        assert world.step()
        normal.append([patch["normal_force"] for patch in world.patches()])
    creep = np.linalg.norm(world.body_pose(cube)[0] - start) / 10.0
    assert creep < 1e-6, f"{creep} m/s over 10 s"
    normal = np.array(normal)
    assert normal.shape[1] == 2
    assert np.all(normal.std(axis=0) < 0.01 * normal.mean(axis=0))
    # Forces are those on the pads, which carry the weight between them.
    total = sum(patch["force"][2] for patch in world.patches())
    assert total == pytest.approx(-0.045 * GRAVITY, rel=0.01)


def test_pinch_drops_a_weight_beyond_friction():
    world, cube = pinch(mass=0.5, push=2.0)  # 0.7 · 2 · 2 N < 4.9 N
    assert world.step(60)
    assert world.body_pose(cube)[0][2] < -0.01
