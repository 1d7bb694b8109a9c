# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact points of convex shapes where geometry says what they are, and drops of every shape on every other."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from softcontact._core import ConvexShape, World, shape_contacts, shape_separation

import softcontact
from softcontact import mesh
from softcontact.engines.convex import convex_shape
from softcontact.scene import Box, Capsule, Cylinder, KinematicBody, Mesh, Plane, RigidBody, Scene, Sphere
from softcontact.scene.surfaces import surface_mesh

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
LYING = tuple(Rotation.from_euler("x", 90, degrees=True).as_quat())
CUBE = ConvexShape.box((0.1, 0.1, 0.1))
FLOORS = {"plane": (ConvexShape.plane(), 0.0), "box": (ConvexShape.box((1.0, 1.0, 0.2)), -0.1)}


def contacts(shape, height, orientation, floor, alarm=1e-3):
    ground, level = FLOORS[floor]
    return shape_contacts(shape, (0.1, 0.2, height), orientation, ground, (0, 0, level), UPRIGHT, alarm)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize(
    ("shape", "height", "orientation", "count"),
    [
        (ConvexShape.sphere(0.05), 0.05, UPRIGHT, 1),
        (ConvexShape.capsule(0.02, 0.1), 0.02, LYING, 2),
        (ConvexShape.capsule(0.02, 0.1), 0.07, UPRIGHT, 1),
        (ConvexShape.cylinder(0.02, 0.1), 0.02, LYING, 2),
        (ConvexShape.cylinder(0.02, 0.1), 0.05, UPRIGHT, 8),
        (CUBE, 0.05, UPRIGHT, 4),
        (CUBE, 0.05 * np.sqrt(2.0), tuple(Rotation.from_euler("x", 45, degrees=True).as_quat()), 2),
    ],
)
def test_shape_on_a_floor(shape, height, orientation, count, floor):
    found = contacts(shape, height - 1e-5, orientation, floor)
    assert len(found["gaps"]) == count
    assert found["normals"] == pytest.approx(np.tile((0.0, 0.0, 1.0), (count, 1)), abs=1e-15)
    assert found["gaps"] == pytest.approx(-1e-5, abs=1e-12)
    assert found["on_b"][:, 2] == pytest.approx(0.0, abs=1e-15)
    assert found["on_a"].mean(axis=0)[:2] == pytest.approx((0.1, 0.2), abs=1e-12), "balanced about the middle"


def test_a_standing_cylinder_has_the_area_of_its_cap():
    found = contacts(ConvexShape.cylinder(0.02, 0.1), 0.05, UPRIGHT, "box")
    assert found["areas"].sum() == pytest.approx(np.pi * 0.02**2, rel=1e-12)
    assert np.hypot(*(found["on_a"][:, :2] - (0.1, 0.2)).T) == pytest.approx(0.02, rel=1e-12)


def test_boxes_share_the_overlap_of_their_faces():
    found = shape_contacts(CUBE, (0.03, 0.02, 0.1), UPRIGHT, CUBE, (0, 0, 0), UPRIGHT, 1e-3)
    expected = np.array(list(itertools.product((-0.02, 0.05), (-0.03, 0.05), (0.05,))))
    apart = np.linalg.norm(found["on_b"][:, None] - expected, axis=2)
    assert apart.min(axis=0) == pytest.approx(0.0, abs=1e-8)
    assert len(apart) == 4
    assert found["areas"].sum() == pytest.approx(0.07 * 0.08, rel=1e-6)


def test_crossed_rods_touch_in_one_point():
    rod = ConvexShape.cylinder(0.01, 0.2)
    along_x = tuple(Rotation.from_euler("y", 90, degrees=True).as_quat())
    found = shape_contacts(rod, (0.03, 0.0, 0.0199), LYING, rod, (0.0, 0.01, 0.0), along_x, 1e-3)
    assert found["on_b"] == pytest.approx(np.array([[0.03, 0.01, 0.01]]), abs=1e-9)
    assert found["gaps"] == pytest.approx([-1e-4], abs=1e-12)


def test_hull_of_a_mesh_is_the_box_that_it_shows():
    fine = mesh.box((0.1, 0.2, 0.3), (3, 4, 5))
    hull = ConvexShape.hull(fine.vertices, fine.triangles)
    box = ConvexShape.box((0.1, 0.2, 0.3))
    assert sorted(map(tuple, hull.corners)) == sorted(map(tuple, box.corners))
    turn = tuple(Rotation.from_euler("xyz", (0.3, 0.4, 0.5)).as_quat())
    gaps = [
        shape_separation(shape, (0.05, 0.1, 0.2), turn, CUBE, (0, 0, 0), UPRIGHT)[0] for shape in (hull, box)
    ]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)


def test_what_is_not_convex_stays_a_mesh():
    bunny = mesh.bunny(0.08, coarse=True)
    assert ConvexShape.hull(bunny.vertices, bunny.triangles) is None


def test_only_kinematic_bodies_are_planes():
    table = mesh.table()
    with pytest.raises(ValueError, match="kinematic"):
        World(0.01).add_rigid_body(
            "b", table.vertices, table.triangles, 1.0, (0, 0, 0), np.eye(3), shape=ConvexShape.plane()
        )


def cone():
    angle = np.arange(6) * np.pi / 3
    rim = np.column_stack([0.02 * np.cos(angle), 0.015 * np.sin(angle), np.full(6, -0.01)])
    sides = [(k, (k + 1) % 6, 7) for k in range(6)] + [((k + 1) % 6, k, 6) for k in range(6)]
    return Mesh(vertices=[*rim.tolist(), (0, 0, -0.01), (0.004, 0.002, 0.03)], triangles=sides)


SHAPES = {
    "sphere": Sphere(radius=0.02),
    "capsule": Capsule(radius=0.01, height=0.04),
    "cylinder": Cylinder(radius=0.015, height=0.04),
    "box": Box(size=(0.03, 0.04, 0.02)),
    "hull": cone(),
}


@pytest.mark.parametrize("step", [0.002, 0.01])
@pytest.mark.parametrize(("upper", "lower"), list(itertools.product(SHAPES, SHAPES)))
def test_dropped_on_each_other_they_stay_apart(upper, lower, step):
    turns = Rotation.random(2, random_state=5).as_quat()
    bodies = [
        KinematicBody(name="floor", shape=Plane(), friction=0.5),
        RigidBody(name="lower", shape=SHAPES[lower], position=(0, 0, 0.05), orientation=tuple(turns[0])),
        RigidBody(
            name="upper", shape=SHAPES[upper], position=(1e-3, 7e-4, 0.14), orientation=tuple(turns[1])
        ),
    ]
    scene = Scene(name="drop", duration=1.0, time_step=step, bodies=bodies)
    result = softcontact.run(scene, record=False, replay=False, progress=False)
    assert result.exit_code == 0, result.message
    exact = {
        name: convex_shape(SHAPES[kind], surface_mesh(SHAPES[kind]))
        for name, kind in (("lower", lower), ("upper", upper))
    }
    for a, b in zip(result.history.poses["upper"], result.history.poses["lower"], strict=True):
        gap, _ = shape_separation(exact["upper"], a[:3], a[3:], exact["lower"], b[:3], b[3:])
        assert gap > -2.5e-4, "no deeper than 1 % of the smaller body"
        for name, pose in (("upper", a), ("lower", b)):
            gap, _ = shape_separation(
                exact[name], pose[:3], pose[3:], ConvexShape.plane(), (0, 0, 0), UPRIGHT
            )
            assert gap > -2.5e-4


@pytest.mark.parametrize("offset", [0.0, 0.0137, 0.031])
def test_fast_ball_does_not_pass_a_thin_plate(offset):
    """10 m/s, a radius of 1 cm, a plate of 1 mm, the default step: 5 cm a step."""
    plate = KinematicBody(name="plate", shape=Box(size=(0.3, 0.3, 0.001)), position=(0, 0, 0))
    ball = RigidBody(
        name="ball",
        shape=Sphere(radius=0.01),
        position=(0.01, 0.02, 0.2 + offset),
        velocity=(0.0, 0.0, -10.0),
    )
    result = softcontact.run(
        Scene(name="shot", duration=0.2, bodies=[plate, ball]), record=False, replay=False, progress=False
    )
    assert result.exit_code == 0, result.message
    assert result.history.poses["ball"][:, 2].min() > 0.0105 - 1e-5
    assert result.history.poses["ball"][-1, 2] == pytest.approx(0.0105, abs=1e-5)


def test_fast_ball_passes_beside_a_plate():
    """What it does not meet does not turn it aside."""
    plate = KinematicBody(name="plate", shape=Box(size=(0.1, 0.1, 0.001)), position=(0, 0, 0))
    ball = RigidBody(
        name="ball", shape=Sphere(radius=0.01), position=(0.063, 0, 0.2), velocity=(0.0, 0.0, -10.0)
    )
    scene = Scene(name="miss", duration=0.05, bodies=[plate, ball], gravity=(0, 0, 0))
    result = softcontact.run(scene, record=False, replay=False, progress=False)
    assert result.exit_code == 0
    assert result.history.poses["ball"][-1, :3] == pytest.approx(
        (0.063, 0.0, 0.2 - 10 * result.history.time[-1]), abs=1e-9
    )
