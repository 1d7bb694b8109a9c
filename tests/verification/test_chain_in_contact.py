# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chains that something touches in every step: their inertia forces count in full."""

import numpy as np
import pytest

from softcontact.engines import make_engine
from softcontact.scene import ArticulatedBody, Box, KinematicBody, Link, Scene, Sphere

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
    links = [
        Link(
            name=f"l{i}",
            parent=f"l{i - 1}" if i else None,
            joint="revolute" if i else "free",
            axis=(0, 1, 0),
            position=(0.1, 0, 0) if i else (0, 0, 0),
            mass=0.1,
            com=(0.05, 0, 0),
            inertia=np.diag([1e-5, 8.7e-5, 8.7e-5]).tolist(),
            shape=Sphere(radius=0.02),
        )
        for i in range(3)
    ]
    lean = (0.1830127, 0.1830127, 0, 0.9659258)
    arm = ArticulatedBody(name="arm", links=links, position=(0, 0, 0.15), orientation=lean, friction=friction)
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
