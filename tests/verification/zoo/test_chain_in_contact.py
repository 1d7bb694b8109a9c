# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chains that something touches in every step: their inertia forces count in full."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from zoo_scenes import chain

from softcontact.engines import make_engine
from softcontact.scene import ArticulatedBody, Box, KinematicBody, Link, RigidBody, Scene, Sphere

GRAVITY = (0.0, 0.0, -9.81)
FLOOR = KinematicBody(name="floor", shape=Box(size=(4, 4, 0.2)), position=(0, 0, -0.1), friction=0.0)
ROD = np.diag([1e-4, 1e-3, 1e-3]).tolist()


def cart(on_rails: bool) -> ArticulatedBody:
    """A cart of 1 kg with a pendulum of 0.5 kg, level at the start, on a rail along x or on a floor."""
    body = Link(
        name="cart",
        joint="prismatic" if on_rails else "free",
        axis=(1, 0, 0),
        mass=1.0,
        inertia=np.diag([0.01] * 3).tolist(),
        shape=None if on_rails else Box(size=(0.4, 0.4, 0.1)),
    )
    rod = Link(name="rod", parent="cart", axis=(0, 1, 0), mass=0.5, com=(0.15, 0, 0), inertia=ROD)
    return ArticulatedBody(name="arm", links=(body, rod), position=(0, 0, 0.05), friction=0.0)


def swing(on_rails: bool, h: float, duration: float = 1.0) -> tuple[float, float]:
    """Place of the cart [m] and angle of the pendulum [rad] at the end."""
    bodies = [cart(on_rails)] + ([] if on_rails else [FLOOR])
    engine = make_engine(
        Scene(name="cart", duration=duration, time_step=h, integrator="midpoint", bodies=bodies)
    )
    for _ in range(round(duration / h)):
        engine.step()
    q = engine.joint_positions("arm")
    return float(q[0]), float(q[-1])


def test_a_cart_on_a_floor_moves_like_one_on_rails():
    """Without friction: the error goes with the step. With half the centrifugal force it would not go at all."""
    exact = np.array(swing(True, 5e-4))
    errors = [np.abs(np.array(swing(False, h)) - exact).max() for h in (0.004, 0.002, 0.001)]
    assert errors[2] < 0.02
    assert errors[1] < 0.65 * errors[0]
    assert errors[2] < 0.65 * errors[1]


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("h", [0.0005, 0.002])
def test_a_chain_that_falls_on_a_floor_gains_no_energy(h, friction):
    lean = (0.1830127, 0.1830127, 0, 0.9659258)
    arm = chain(3, position=(0, 0, 0.15), orientation=lean, friction=friction)
    floor = FLOOR.model_copy(update={"friction": friction})
    engine = make_engine(
        Scene(name="chain", duration=0.5, time_step=h, integrator="midpoint", bodies=[arm, floor])
    )
    energies = []
    for _ in range(round(0.5 / h)):
        energies.append(sum(engine.energies().values()))
        engine.step()
    energies = np.array(energies)
    rise = (energies - np.minimum.accumulate(energies)).max()
    assert rise < 0.01 * (energies[0] - energies.min())


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("h", [0.001, 0.005])
@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_a_free_chain_that_a_ball_hits_keeps_the_momentum_of_both(joint, h, friction):
    """Without gravity. What takes them out of overlap moves the links; their momentum stays what it is."""
    arm = chain(2, joint, friction=friction)
    ball = RigidBody(
        name="ball",
        shape=Sphere(radius=0.03),
        mass=0.3,
        position=(0.105, 0.004, 0.08),
        velocity=(0, 0, -2.0),
        angular_velocity=(0, 20, 0),
        friction=friction,
    )
    engine = make_engine(Scene(name="hit", duration=0.3, time_step=h, gravity=(0, 0, 0), bodies=[arm, ball]))
    places = []
    for _ in range(round(0.3 / h)):
        engine.step()
        poses = [engine.world.body_pose(0, k) for k in range(2)]
        centres = [np.array(p) + Rotation.from_quat(q).apply((0.05, 0, 0)) for p, q in poses]
        places.append(np.sum(0.1 * np.array(centres), axis=0) + 0.3 * engine.pose("ball")[:3])
    momentum = np.diff(places, axis=0) / h
    assert engine.statistics()["contacts"] == 0  # they part again
    assert np.abs(momentum[-1] - [0, 0, -0.6]).max() < 1e-9
    # A step that takes them out of overlap shows as motion for that step alone.
    assert np.abs(momentum - [0, 0, -0.6]).max() < 5e-3


def test_springs_beyond_a_limit_hold_energy():
    """A pendulum of 1 kg that swings on its limit spring: 10 J/rad² of it are in the spring at 0.2 rad."""
    link = Link(
        name="l",
        axis=(0, 1, 0),
        mass=1.0,
        com=(0.1, 0, 0),
        inertia=np.diag([1e-3] * 3).tolist(),
        lower=[-0.1],
        upper=[0.1],
        limit_stiffness=20.0,
    )
    arm = ArticulatedBody(name="arm", links=[link], joint_positions=[0.3])
    engine = make_engine(Scene(name="spring", duration=1.0, time_step=0.001, bodies=[arm]))
    assert engine.energies()["elastic"] == pytest.approx(0.5 * 20.0 * 0.2**2)
