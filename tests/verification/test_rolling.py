# SPDX-License-Identifier: LGPL-2.1-or-later
"""Balls and cylinders that roll, on every kind of floor, against closed forms.

Source: Newton and Euler for a body of inertia k m r² that rolls down a slope: a = g sin θ / (1 + k), with k = 2/5 for a
ball and 1/2 for a cylinder; on the level it keeps its speed.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import softcontact
from softcontact import mesh
from softcontact.scene import Box, Capsule, Cylinder, KinematicBody, Mesh, Plane, RigidBody, Scene, Sphere

GRAVITY = 9.81
RADIUS = 0.05
ROUND = {"ball": Sphere(radius=RADIUS), "cylinder": Cylinder(radius=RADIUS, height=0.2)}
INERTIA = {"ball": 2 / 5, "cylinder": 1 / 2}
STEPS = (0.001, 0.005, 0.01)


def sheet():
    """An open mesh of triangles in the plane z = 0, 8 x 2 m."""
    across, along = np.meshgrid(np.linspace(-1.0, 1.0, 6), np.linspace(-4.0, 4.0, 24))
    vertices = np.column_stack([along.ravel(), across.ravel(), np.zeros(along.size)])
    corner = (6 * np.arange(23)[:, None] + np.arange(5)).ravel()
    lower = np.column_stack([corner, corner + 6, corner + 7])
    upper = np.column_stack([corner, corner + 7, corner + 1])
    return Mesh(vertices=vertices.tolist(), triangles=np.concatenate([lower, upper]).tolist())


def slab():
    """A closed table of many triangles, its top in the plane z = 0."""
    table = mesh.table((8.0, 2.0), 0.1, divisions=7)
    return Mesh(vertices=table.vertices.tolist(), triangles=table.triangles.tolist())


FLOORS = {
    "plane": lambda: (Plane(), 0.0),
    "box": lambda: (Box(size=(8.0, 2.0, 0.1)), -0.05),
    "slab": lambda: (slab(), 0.0),
    "sheet": lambda: (sheet(), 0.0),
}


def rolled(what, floor, slope, step, speed=0.0, aggregate=False):
    """Velocity (n,) down the slope and height (n,) over the right one of a body that rolls, and times (n,)."""
    tilt = Rotation.from_euler("y", slope)
    up, down = tilt.apply((0.0, 0.0, 1.0)), tilt.apply((1.0, 0.0, 0.0))
    lying = Rotation.from_euler("x", 90, degrees=True) if what == "cylinder" else Rotation.identity()
    shape, level = FLOORS[floor]()
    ground = KinematicBody(
        name="floor", shape=shape, position=tuple(level * up), orientation=tuple(tilt.as_quat()), friction=0.5
    )
    body = RigidBody(
        name="body",
        shape=ROUND[what],
        position=tuple(RADIUS * up),
        orientation=tuple((tilt * lying).as_quat()),
        velocity=tuple(speed * down),
        angular_velocity=(0.0, speed / RADIUS, 0.0),
        friction=0.5,
        aggregate=aggregate,
    )
    scene = Scene(name="rolling", duration=0.5, time_step=step, bodies=[ground, body])
    result = softcontact.run(scene, record=False, replay=False, progress=False)
    assert result.exit_code == 0, result.message
    place, time = result.history.poses["body"][:, :3], result.history.time
    return np.diff(place @ down) / np.diff(time), place @ up - RADIUS, time


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("what", ROUND)
def test_keeps_its_speed_on_the_level(what, floor, step):
    speed, height, _ = rolled(what, floor, 0.0, step, speed=1.0)
    assert np.abs(speed - 1.0).max() < 1e-6
    assert np.abs(height).max() < 1e-6


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("what", ROUND)
def test_accelerates_down_a_slope(what, floor, step):
    slope = np.radians(10.0)
    speed, height, time = rolled(what, floor, slope, step)
    # The last velocity is that of the end of the last step: sampled steps are whole ones.
    taken = (time[-1] - time[-2]) / step
    last = speed[-1] / (time[-1] - step * (taken - 1.0) / 2.0)
    assert last == pytest.approx(GRAVITY * np.sin(slope) / (1.0 + INERTIA[what]), rel=1e-3)
    assert np.abs(height).max() < 1e-6


@pytest.mark.parametrize("what", ROUND)
def test_an_aggregating_body_rolls_as_well(what):
    speed, _, _ = rolled(what, "box", 0.0, 0.005, speed=1.0, aggregate=True)
    assert np.abs(speed - 1.0).max() < 1e-6


def test_ball_crosses_a_seam_of_two_tables():
    tables = [
        KinematicBody(name=f"table{i}", shape=Box(size=(1.0, 1.0, 0.1)), position=(x, 0, -0.05), friction=0.5)
        for i, x in enumerate((-0.5, 0.5))
    ]
    ball = RigidBody(
        name="ball",
        shape=ROUND["ball"],
        position=(-0.3, 0.0, RADIUS),
        velocity=(1.0, 0.0, 0.0),
        angular_velocity=(0.0, 1.0 / RADIUS, 0.0),
        friction=0.5,
    )
    scene = Scene(name="seam", duration=0.6, time_step=0.004, bodies=[*tables, ball])
    result = softcontact.run(scene, record=False, replay=False, progress=False)
    place = result.history.poses["ball"][:, :3]
    assert place[-1, 0] > 0.25
    assert np.abs(place[:, 2] - RADIUS).max() < 1e-6
    assert np.diff(place[:, 0]) / np.diff(result.history.time) == pytest.approx(1.0, abs=1e-6)


def test_thrown_ball_comes_to_roll():
    """Slides at first; friction takes 2/7 of its speed, whatever the coefficient."""
    ball = RigidBody(
        name="ball", shape=ROUND["ball"], position=(0, 0, RADIUS), velocity=(1.0, 0, 0), friction=0.3
    )
    floor = KinematicBody(name="floor", shape=Plane(), friction=0.3)
    scene = Scene(name="thrown", duration=2.0, time_step=0.005, bodies=[floor, ball])
    history = softcontact.run(scene, record=False, replay=False, progress=False).history
    place, time = history.poses["ball"][:, 0], history.time
    assert (place[-1] - place[-2]) / (time[-1] - time[-2]) == pytest.approx(5 / 7, rel=1e-3)


def test_capsule_rolls_along():
    capsule = RigidBody(
        name="capsule",
        shape=Capsule(radius=0.02, height=0.1),
        position=(0, 0, 0.02),
        orientation=tuple(Rotation.from_euler("x", 90, degrees=True).as_quat()),
        velocity=(0.5, 0, 0),
        angular_velocity=(0, 0.5 / 0.02, 0),
        friction=0.5,
    )
    floor = KinematicBody(name="floor", shape=Plane(), friction=0.5)
    scene = Scene(name="capsule", duration=1.0, time_step=0.005, bodies=[floor, capsule])
    history = softcontact.run(scene, record=False, replay=False, progress=False).history
    speed = np.diff(history.poses["capsule"][:, 0]) / np.diff(history.time)
    assert np.abs(speed - 0.5).max() < 1e-6
