# SPDX-License-Identifier: LGPL-2.1-or-later
"""The judge itself: overlaps that are known, energies and momenta of known motions."""

import judge
import numpy as np
import pytest
import zoo_runs
from scipy.spatial.transform import Rotation

from softcontact.scene import (
    Box,
    Capsule,
    Cylinder,
    Material,
    Mesh,
    RigidBody,
    Scene,
    Sphere,
    TetrahedralBody,
    TetrahedralBox,
)

UPRIGHT = (0, 0, 0, 1.0)
PYRAMID = Mesh(
    vertices=((1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (0, 0, 1)),
    triangles=((0, 2, 1), (0, 3, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
)


def placed(shape, position, orientation=UPRIGHT, name="b"):
    return judge.place(RigidBody(name=name, shape=shape), np.array([*position, *orientation], dtype=float))


def quaternion(axes, *angles):
    return Rotation.from_euler(axes, angles, degrees=True).as_quat()


@pytest.mark.parametrize("depth", [-1e-4, 1e-6, 1e-3, 0.02])
@pytest.mark.parametrize(
    ("a", "b", "touching", "turn_a", "turn_b"),
    [
        (Sphere(radius=0.1), Sphere(radius=0.2), (0, 0, 0.3), UPRIGHT, UPRIGHT),
        (Box(size=(1, 1, 1)), Box(size=(1, 1, 1)), (0.1, 0.2, 1.0), UPRIGHT, UPRIGHT),
        (Box(size=(1, 1, 1)), Sphere(radius=0.1), (0.2, 0.3, 0.6), UPRIGHT, UPRIGHT),
        (Box(size=(2, 2, 2)), Cylinder(radius=0.1, height=0.4), (0.2, 0.3, 1.2), UPRIGHT, UPRIGHT),
        (
            Box(size=(2, 2, 2)),
            Cylinder(radius=0.1, height=0.4),
            (0.2, 0.3, 1.1),
            UPRIGHT,
            quaternion("x", 90),
        ),
        (
            Cylinder(radius=0.1, height=1),
            Cylinder(radius=0.1, height=1),
            (0, 0, 0.2),
            quaternion("x", 90),
            quaternion("y", 90),
        ),
        (
            Cylinder(radius=0.1, height=1),
            Capsule(radius=0.1, height=1),
            (0, 0, 0.2),
            quaternion("x", 90),
            quaternion("y", 90),
        ),
        (
            Box(size=(2, 0.1, 0.1)),
            Box(size=(2, 0.1, 0.1)),
            (0, 0, 0.1 * 2**0.5),
            quaternion("x", 45),
            quaternion("xz", 45, 90),
        ),
        (PYRAMID, Sphere(radius=0.1), (0, 0, 1.1), UPRIGHT, UPRIGHT),
        (PYRAMID, Box(size=(4, 4, 1)), (0, 0, 1.5), UPRIGHT, UPRIGHT),
    ],
)
def test_overlap_of_convex_solids(a, b, touching, turn_a, turn_b, depth):
    """Two solids that touch, brought nearer along z by a known depth, in a frame that is turned at random."""
    turn = Rotation.random(random_state=7)
    first = placed(a, turn.apply((0, 0, 0)), (turn * Rotation.from_quat(turn_a)).as_quat())
    place = turn.apply(np.array(touching) - [0, 0, depth])
    second = placed(b, place, (turn * Rotation.from_quat(turn_b)).as_quat())
    expected = max(0.0, depth)
    # A ball on the tip of a pyramid parts sideways as well, by no less than the way along z.
    assert judge.overlap(first, second) == pytest.approx(expected, rel=1e-3, abs=1e-9)
    assert judge.overlap(second, first) == pytest.approx(expected, rel=1e-3, abs=1e-9)


def test_overlap_of_a_deformed_body():
    soft = TetrahedralBody(name="s", shape=TetrahedralBox(size=(1, 1, 1)), material=Material(young=1e4))
    nodes = np.asarray(judge.tetrahedral_mesh(soft.shape).nodes)
    block = judge.place(soft, None, nodes * [1, 1, 1.2])  # its top is at 0.6
    for z, expected in ((0.7, 0.0), (0.68, 0.02)):
        ball = placed(Sphere(radius=0.1), (0.03, 0.05, z))
        assert judge.overlap(block, ball) == pytest.approx(expected, abs=2e-3)
    for z, expected in ((1.11, 0.0), (1.09, 0.01)):
        other = judge.place(soft, None, nodes + np.array([0.1, 0.2, z]))
        assert judge.overlap(block, other) == pytest.approx(expected, abs=1e-9)


def test_winding_number_and_distance():
    corners = np.array(PYRAMID.vertices, dtype=float)[np.array(PYRAMID.triangles)]
    points = np.array([(0, 0, 0.5), (0, 0, 1.1), (0.9, 0.9, 0.05), (0.9, 0.9, 0.2), (0, 0, -0.1)])
    wound = judge.geometry.winding_number(points, corners)
    assert wound == pytest.approx([1, 0, 1, 0, 0], abs=1e-9)
    side = 0.5 / 2**0.5  # from (0, 0, ½) to a side that slopes by 45°
    assert judge.geometry.surface_distance(points[[0, 1, 4]], corners) == pytest.approx([side, 0.1, 0.1])


@pytest.mark.parametrize("shape", [Box(size=(1, 2, 3)), PYRAMID])
def test_moments_of_a_mesh(shape):
    mesh = judge.surface_mesh(shape)
    mass, centre, inertia = judge.moments(RigidBody(name="b", shape=shape, density=2.0))
    assert mass == pytest.approx(2.0 * mesh.volume)
    assert centre == pytest.approx(mesh.center_of_mass, abs=1e-12)
    assert inertia == pytest.approx(mesh.inertia(2.0), abs=1e-12)


def test_elastic_energy_and_forces():
    """Of a uniform stretch in closed form; forces are its gradient; turning costs nothing."""
    body = TetrahedralBody(
        name="s",
        shape=TetrahedralBox(size=(1, 1, 1), divisions=(2, 2, 2)),
        material=Material(young=1e4, poisson=0.3),
    )
    tissue, rest = judge.Tissue.of(body), np.asarray(judge.tetrahedral_mesh(body.shape).nodes)
    e = 0.01
    stretched = rest * [1 + e, 1, 1]
    expected = (tissue.mu + 0.5 * tissue.lam) * e**2
    turn = Rotation.random(random_state=3).as_matrix().T
    assert tissue.elastic(rest @ turn) == pytest.approx(0.0, abs=1e-12)
    assert tissue.elastic(stretched @ turn) == pytest.approx(expected)
    moved = stretched + 0.01 * np.random.default_rng(1).normal(size=rest.shape)
    way = np.random.default_rng(2).normal(size=rest.shape)
    slope = (tissue.elastic(moved + 1e-6 * way) - tissue.elastic(moved - 1e-6 * way)) / 2e-6
    assert (tissue.forces(moved) * way).sum() == pytest.approx(-slope, rel=1e-6)


def test_energy_and_momentum_of_a_flight():
    """Kinetic energy, momentum and angular momentum of thrown bodies at the start, by hand."""
    box = RigidBody(
        name="a",
        shape=Box(size=(0.1, 0.2, 0.3)),
        mass=2.0,
        position=(1, 0, 0),
        velocity=(0, 3, 0),
        angular_velocity=(0, 0, 5),
    )
    soft = TetrahedralBody(
        name="s",
        shape=TetrahedralBox(size=(0.1, 0.1, 0.1)),
        material=Material(young=1e4),
        position=(0, 2, 0),
        velocity=(1, 0, 0),
    )
    run = zoo_runs.run(Scene(name="flight", duration=0.01, time_step=0.005, bodies=[box, soft]))
    spin = 2.0 / 12 * (0.1**2 + 0.2**2) * 5
    assert run.kinetic()[0] == pytest.approx(0.5 * 2 * 9 + 0.5 * spin * 5 + 0.5 * 1.0)
    assert run.momentum()[0] == pytest.approx([1, 6, 0, 0, 0, 2 * 3 + spin - 2], abs=1e-9)
    assert run.potential()[0] == pytest.approx(0.0, abs=1e-9)
    engine = sum(run.result.history.series[part][-1] for part in ("kinetic", "elastic", "potential"))
    assert run.energy()[-1] == pytest.approx(engine, rel=1e-9)
