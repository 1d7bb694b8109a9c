# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come to rest is in balance: its weight acts above what it touches the floor with.

Judged by the shapes alone. Bodies of random shapes fall on the floor from random orientations; one that rests on
an edge or a corner rests on a contact that holds where nothing touches.
"""

import numpy as np
import pytest
import zoo_runs
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from zoo_scenes import MODES, floor, octahedron, scene, soft_box

from softcontact.scene import Box, Cylinder, Mesh, RigidBody
from softcontact.scene.surfaces import surface_mesh

NEAR, NEAR_SOFT = 2e-3, 5e-3  # of its size: how near the floor a body touches it


def hull(size, rng):
    """A convex body of twelve random corners at most."""
    points = rng.normal(size=(12, 3))
    points *= size * rng.uniform(0.4, 1, 3) / np.linalg.norm(points, axis=1)[:, None]
    found = ConvexHull(points)
    triangles = found.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(0)) < 0
    triangles[inwards] = triangles[inwards][:, [0, 2, 1]]
    used, renumbered = np.unique(triangles, return_inverse=True)
    return Mesh(vertices=points[used].tolist(), triangles=renumbered.reshape(-1, 3).tolist())


def rigid(seed):
    """A random body that leans on the floor with one corner, and the step of its run [s]."""
    rng = np.random.default_rng(seed)
    kind, size = rng.choice(["box", "box", "hull", "cylinder", "octahedron"]), 10 ** rng.uniform(-2.2, -0.5)
    shape = {
        "box": lambda: Box(size=tuple(size * rng.uniform(0.15, 1, 3))),
        "cylinder": lambda: Cylinder(radius=size * rng.uniform(0.1, 0.5), height=size * rng.uniform(0.2, 1)),
        "octahedron": lambda: octahedron(size),
        "hull": lambda: hull(size, rng),
    }[kind]()
    turn = Rotation.random(random_state=int(rng.integers(1e6)))
    h = float(rng.choice([0.001, 0.002, 0.005, 0.01]))
    lowest = turn.apply(np.array(surface_mesh(shape).vertices))[:, 2].min()
    body = RigidBody(
        name="b",
        shape=shape,
        density=1000.0,
        friction=rng.uniform(0.2, 0.8),
        position=(0, 0, -lowest + size * rng.uniform(0, 1)),
        orientation=tuple(turn.as_quat()),
    )
    return body, size, h


def soft(seed):
    """A random soft box, likewise."""
    rng = np.random.default_rng(seed)
    size = 10 ** rng.uniform(-1.7, -0.7)
    sides = size * rng.uniform(0.3, 1, 3)
    turn = Rotation.random(random_state=int(rng.integers(1e6)))
    divisions = tuple(int(n) for n in np.clip(np.round(sides / sides.max() * 5), 2, 5))
    young = 10 ** rng.uniform(4.5, 6) * size / 0.1
    corners = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), -1).reshape(-1, 3) * sides
    h = float(rng.choice([0.001, 0.002, 0.005, 0.01]))
    place = (0, 0, 1e-3 * size - turn.apply(corners)[:, 2].min())
    body = soft_box(
        "b", tuple(sides), young, divisions, friction=0.5, position=place, orientation=tuple(turn.as_quat())
    )
    return body, size, h


def off_balance(run, size, near=NEAR):
    """How far the centre of mass is beside the hull of what touches the floor, over the size."""
    (placed,) = (p for p in run.placed() if p.name == "b")
    points = placed.surface_points()
    touching = points[points[:, 2] < points[:, 2].min() + near * size, :2]
    arms = (touching - run["b"].centre[-1, :2]).T / size
    heavy = 10.0  # on the sum of the shares against their moment
    return nnls(np.vstack([arms, np.full(len(touching), heavy)]), np.array([0, 0, heavy]))[1]


def speed(run, size):
    track = run["b"]
    if track.node_velocities is not None:
        return np.linalg.norm(track.node_velocities[-1], axis=1).max()
    return np.linalg.norm(track.velocity[-1]) + size * np.linalg.norm(track.spin[-1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [29, 32, 41, 46, 55, 68, 106, 109, 0, 1, 2, 3])
def test_rigid_bodies_lie_on_what_bears_them(seed, mode):
    body, size, h = rigid(seed)
    run = zoo_runs.run(scene([floor(0.8), body], 4.0, h, mode), every=20)
    assert run.exit_code == 0, run.message
    assert speed(run, size) < 1e-4
    assert off_balance(run, size) < 0.03
    assert run.gain() < 1e-6


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [9, 10, 14, 19, 22, 26])
def test_soft_boxes_come_to_lie_still(seed, mode):
    """A patch may overlap by more than asked for in the impact, and says so; at rest it is still."""
    body, size, h = soft(seed)
    run = zoo_runs.run(scene([floor(0.8), body], 4.0, h, mode), every=40)
    assert speed(run, size) < 1e-3
    assert off_balance(run, size, NEAR_SOFT) < 0.03
    assert run.overlap()[0] < 0.01
