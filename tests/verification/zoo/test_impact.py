# SPDX-License-Identifier: LGPL-2.1-or-later
"""Impacts: restitution, momentum and angular momentum of bodies that meet, and thin plates that fast bodies meet."""

import numpy as np
import pytest
import zoo_runs
from scipy.spatial.transform import Rotation
from zoo_scenes import MODES, floor, scene, soft_box

from softcontact.scene import Box, Capsule, Cylinder, KinematicBody, PairRestitution, RigidBody, Sphere


@pytest.mark.parametrize("h", [0.001, 0.002, 0.005])
@pytest.mark.parametrize("e", [0.5, 0.8])
def test_ball_rises_to_e_squared(e, h):
    """Dropped from 1 m it rises to e², within 1 % of the drop at small steps; a step is worth g h v."""
    r = 0.05
    ball = RigidBody(name="b", shape=Sphere(radius=r), position=(0, 0, 1 + r))
    run = zoo_runs.run(
        scene([floor(), ball], 1.2, h, pair_restitution=[PairRestitution(a="floor", b="b", restitution=e)])
    )
    z = run["b"].centre[:, 2] - r
    landed = np.argmax(z < 0.02)
    risen = z[landed + round(0.05 / h) :].max()
    speed = np.sqrt(2 * 9.81)
    assert risen == pytest.approx(e * e, abs=0.01 + h * speed * e)


@pytest.mark.parametrize("mode", MODES)
def test_box_that_falls_does_not_bounce(mode):
    box = RigidBody(name="b", shape=Box(size=(0.1,) * 3), position=(0, 0, 0.45))
    run = zoo_runs.run(scene([floor(), box], 1.0, 0.002, mode))
    z = run["b"].centre[:, 2] - 0.05
    landed = np.argmax(z < 0.005)
    assert z[landed:].max() < 0.005
    assert np.linalg.norm(run["b"].velocity[-1]) < 1e-6


SHAPES = {
    "sphere": Sphere(radius=0.035),
    "box": Box(size=(0.07,) * 3),
    "capsule": Capsule(radius=0.03, height=0.04),
    "cylinder": Cylinder(radius=0.035, height=0.07),
}


@pytest.mark.parametrize("e", [0.0, 0.7])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SHAPES)
def test_collision_keeps_momentum(name, mode, e):
    """Two free bodies that meet off centre with friction while they spin: nothing but energy is lost."""
    common = {"shape": SHAPES[name], "mass": 1.0, "friction": 0.5, "angular_velocity": (3.0, 0, 20.0)}
    a = RigidBody(name="a", position=(-0.06, 0, 0), velocity=(1, 0, 0), **common)
    b = RigidBody(name="b", position=(0.06, 0.005, 0.003), **common)
    pairs = [PairRestitution(a="a", b="b", restitution=e)]
    run = zoo_runs.run(scene([a, b], 0.2, 0.002, mode, gravity=(0, 0, 0), pair_restitution=pairs))
    momentum, energy = run.momentum(), run.energy()
    assert np.abs(run["b"].velocity[-1]).max() > 0.1, "they never met"
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-10
    # What pushes overlapping bodies apart moves them without velocity, and angular momentum by (m Δx) × v.
    assert np.abs(momentum[:, 3:] - momentum[0, 3:]).max() < 1e-3 * np.abs(momentum[0, 3:]).max()
    assert energy.max() <= energy[0] * (1 + 1e-3)
    assert run.worst_overlap(20)[0] < 0.01


def test_equal_balls_exchange_velocities():
    """Head on with e = 1 the first stops and the second goes on: v' = (1 ∓ e)/2 v."""
    for e in (1.0, 0.4):
        a, b = (
            RigidBody(name=n, shape=Sphere(radius=0.05), position=(x, 0, 0), velocity=(v, 0, 0), friction=0)
            for n, x, v in (("a", -0.1, 1.0), ("b", 0.1, 0.0))
        )
        run = zoo_runs.run(
            scene(
                [a, b],
                0.5,
                0.002,
                gravity=(0, 0, 0),
                pair_restitution=[PairRestitution(a="a", b="b", restitution=e)],
            )
        )
        assert run["a"].velocity[-1, 0] == pytest.approx((1 - e) / 2, abs=1e-6)
        assert run["b"].velocity[-1, 0] == pytest.approx((1 + e) / 2, abs=1e-6)


@pytest.mark.parametrize("speed", [2.0, 10.0, 30.0])
@pytest.mark.parametrize(
    "shape", [Sphere(radius=0.01), Box(size=(0.02,) * 3), Capsule(radius=0.005, height=0.02)]
)
def test_fast_body_does_not_pass_a_thin_plate(shape, speed):
    """At the default step, 5 ms, a plate of 1 mm stops what flies at it, and the run does not end for it."""
    plate = KinematicBody(name="p", shape=Box(size=(8, 8, 0.001)))
    turn = tuple(Rotation.from_euler("xy", (20, 35), degrees=True).as_quat())
    body = RigidBody(
        name="b", shape=shape, position=(0.01, 0.02, 0.1), velocity=(0, 0, -speed), orientation=turn
    )
    run = zoo_runs.run(scene([plate, body], 0.25))
    assert run.exit_code == 0, run.message
    assert run["b"].centre[:, 2].min() > 0.0
    assert run.worst_overlap(60)[0] < 0.01


@pytest.mark.parametrize("h", [0.001, 0.005])
def test_a_thin_sheet_that_meets_a_rod_gains_no_energy(h):
    """2 mm thick, at 3 m/s: it folds over the rod within a few steps."""
    across = tuple(Rotation.from_euler("x", 90, degrees=True).as_quat())
    rod = KinematicBody(
        name="rod", shape=Cylinder(radius=0.004, height=0.2), position=(0, 0, 0.03), orientation=across
    )
    sheet = soft_box(
        "sheet", (0.1, 0.06, 0.002), 2e5, (10, 5, 1), position=(0.004, 0, 0.037), velocity=(0, 0, -3)
    )
    run = zoo_runs.run(scene([rod, sheet], 0.1, h))
    assert run.gain() < 1e-6
