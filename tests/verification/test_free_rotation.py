# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies that fly free: momentum to round-off, energy without drift, closed forms of falls, spins and tops."""

import numpy as np
import pytest
from motion_worlds import (
    FALL,
    box_body,
    double_pendulum,
    floating_chain,
    new_world,
    total_energy,
)
from scipy.spatial.transform import Rotation

ROD = (1.8e-5, 4.3e-8, 1.8e-5)
BOX = (1e-4, 2e-4, 3e-4)


def assert_same_momentum(found, expected):
    for part in ("linear", "angular"):
        size = np.linalg.norm(getattr(expected, part))
        assert getattr(found, part) == pytest.approx(getattr(expected, part), abs=1e-10 * size)


@pytest.mark.parametrize(
    ("inertia", "spin"),
    [
        (ROD, (1.0, 10.0, 0.0)),
        (ROD, (5.0, 150.0, 0.0)),
        (BOX, (0.3, 30.0, 0.2)),
        (BOX, (20.0, 10.0, 15.0)),
        (BOX, (300.0, 10.0, -40.0)),
    ],
)
def test_a_free_body_keeps_momentum_and_energy_for_a_minute(inertia, spin):
    world = new_world(5e-3)
    body = box_body(world, inertia=inertia, com=(0.01, -0.02, 0.03), spin=spin, velocity=(0.2, 0.1, -0.3))
    before, energy = body.momentum(), world.energies()["kinetic"]
    for _ in range(120):
        assert world.step(100)
        assert world.energies()["kinetic"] == pytest.approx(energy, rel=1e-10)
    assert_same_momentum(body.momentum(), before)


def test_a_racket_flips_as_eulers_equations_say():
    """Half turns of the middle axis come with the period of the elliptic functions, 4 K(k) / Ω (Landau, §37)."""
    from scipy.special import ellipk

    (i1, i2, i3), spin = BOX, np.array([0.02, 12.0, 0.0])
    world = new_world(5e-3)
    body = box_body(world, inertia=BOX, spin=spin)
    signs, times = [], []
    for step in range(6000):
        assert world.step()
        turn = world.joint_velocities(body.number)[4]
        if signs and turn * signs[-1] < 0:
            times.append((step + 1) * 5e-3)
        signs.append(turn)
    twice, square = spin @ (BOX * spin), float(np.sum((BOX * spin) ** 2))
    low, high = (twice * i3 - square), (square - twice * i1)
    if square > twice * i2:
        rate, k = np.sqrt((i3 - i2) * high / (i1 * i2 * i3)), (i2 - i1) * low / ((i3 - i2) * high)
    else:
        rate, k = np.sqrt((i2 - i1) * low / (i1 * i2 * i3)), (i3 - i2) * high / ((i2 - i1) * low)
    assert len(times) > 4
    assert np.diff(times).mean() == pytest.approx(2 * ellipk(k) / rate, rel=2e-3)


def test_a_steady_spin_turns_by_its_rate():
    world = new_world(5e-3)
    body = box_body(world, inertia=BOX, spin=(0.0, 0.0, 200.0))
    assert world.step(1000)
    expected = Rotation.from_rotvec((0, 0, 200.0 * 5.0))
    found = Rotation.from_quat(world.body_pose(body.number)[1])
    assert (found * expected.inv()).magnitude() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("step", [1e-3, 5e-3, 2e-2])
@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_a_fall_is_the_parabola(step, integrator):
    world = new_world(step, gravity=FALL, integrator=integrator)
    com = np.array([0.01, -0.02, 0.03])
    body = box_body(world, inertia=BOX, com=com, spin=(3.0, 20.0, 1.0), velocity=(1.0, 0.5, 4.0))
    count = round(0.8 / step)
    assert world.step(count)
    found, time = body.momentum(), count * step
    start, fall = np.array([1.0, 0.5, 4.0]), np.array(FALL)
    assert found.centre == pytest.approx(com + start * time + 0.5 * fall * time**2, abs=1e-11)
    assert found.velocity == pytest.approx(start + fall * time, abs=1e-11)


@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_a_springy_chain_falls_by_the_parabola_of_its_centre(integrator):
    world = new_world(5e-3, gravity=FALL, integrator=integrator)
    body = floating_chain(world, stiffness=0.5)
    before = body.momentum()
    assert world.step(100)
    after = body.momentum()
    expected = before.centre + 0.5 * before.velocity + 0.125 * np.array(FALL)
    assert after.centre == pytest.approx(expected, abs=1e-10)
    assert after.velocity == pytest.approx(before.velocity + 0.5 * np.array(FALL), abs=1e-10)


@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_a_floating_chain_keeps_momentum_and_energy_for_a_minute(integrator):
    world = new_world(5e-3, integrator=integrator)
    body = floating_chain(world, spin=(6.0, 29.0, 4.0))
    before, energy = body.momentum(), world.energies()["kinetic"]
    for _ in range(60):
        assert world.step(200)
        assert world.energies()["kinetic"] == pytest.approx(energy, rel=0.01)
    assert_same_momentum(body.momentum(), before)


def test_joint_springs_and_dampers_of_a_floating_chain_leave_its_momentum():
    world = new_world(5e-3)
    body = floating_chain(world, spin=(6.0, 29.0, 4.0), stiffness=2.0, damping=0.01)
    before, energy = body.momentum(), total_energy(world)
    assert world.step(2000)
    assert total_energy(world) < 0.99 * energy
    assert_same_momentum(body.momentum(), before)


@pytest.mark.parametrize("step", [5e-3, 1e-3])
@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_a_heavy_top_precesses_at_the_rate_of_theory(step, integrator):
    """Horizontal axis, no nutation: Ω = m g l / (I₃ ω), the term of Ω² vanishes with the axis horizontal."""
    mass, lever, radius, spin = 0.5, 0.05, 0.04, 200.0
    axial, across = 0.5 * mass * radius**2, 0.25 * mass * radius**2
    rate = mass * 9.81 * lever / (axial * spin)
    world = new_world(step, gravity=FALL, integrator=integrator)
    link = {
        "name": "top",
        "joint": "spherical",
        "mass": mass,
        "com": np.array([lever, 0.0, 0.0]),
        "inertia": np.diag([axial, across, across]),
    }
    body = world.add_articulated_body("top", [link], [0.0, 0.0, 0.0, 1.0])
    world.set_velocity(body, [spin, 0.0, rate])
    angle, leaning = [0.0], 0.0
    for _ in range(round(10.0 / step)):
        assert world.step()
        axis = Rotation.from_quat(world.body_pose(body)[1]).apply((1.0, 0.0, 0.0))
        angle.append(np.arctan2(axis[1], axis[0]))
        leaning = max(leaning, abs(axis[2]))
    assert np.unwrap(angle)[-1] == pytest.approx(10.0 * rate, rel=5e-3)
    assert leaning < 0.02


@pytest.mark.parametrize("step", [5e-3, 2e-3])
def test_a_double_pendulum_keeps_its_energy(step):
    world = new_world(step, gravity=FALL, integrator="midpoint")
    double_pendulum(world)
    energy = total_energy(world)
    for _ in range(round(10.0 / step)):
        assert world.step()
        assert total_energy(world) == pytest.approx(energy, abs=1e-3)


def test_a_double_pendulum_with_forces_at_the_start_of_the_step_does_not_drift():
    world = new_world(5e-3, gravity=FALL)
    double_pendulum(world)
    energy, found = total_energy(world), []
    for _ in range(4000):
        assert world.step()
        found.append(total_energy(world))
    assert np.mean(found[-1000:]) == pytest.approx(energy, abs=0.05)


def spring_link(stiffness, damping=0.0):
    link = {
        "name": "link",
        "joint": "revolute",
        "axis": np.array([0.0, 1.0, 0.0]),
        "mass": 0.3,
        "com": np.array([0.1, 0.0, 0.0]),
        "inertia": np.diag([1e-4, 1e-3, 1e-3]),
        "stiffness": [stiffness],
        "damping": [damping],
    }
    return link


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("damping", [0.0, 10.0])
@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_joint_springs_are_stable_at_any_stiffness(stiffness, damping, integrator):
    """Let go with 0.01 J in the spring, which swings up to 2 pi 8000 times a second."""
    world = new_world(5e-3, gravity=FALL, integrator=integrator)
    stretch, target = np.sqrt(2 * 0.01 / stiffness), 0.5
    body = world.add_articulated_body("arm", [spring_link(stiffness, damping)], [target - stretch])
    energy = total_energy(world) + 0.01
    world.set_joint_motion(body, [0.0], [[target]])
    for _ in range(2000):
        assert world.step()
        assert total_energy(world) < energy + 1e-3
    if integrator == "implicit-euler" and stiffness >= 1e3:
        sag = 0.3 * 9.81 * 0.1 * np.cos(target) / stiffness
        assert world.joint_positions(body)[0] == pytest.approx(target + sag, abs=2e-3 * sag)


@pytest.mark.parametrize(("integrator", "kept"), [("midpoint", 1.0), ("implicit-euler", 0.0)])
def test_the_midpoint_rule_keeps_what_implicit_euler_damps(integrator, kept):
    """A spring of 20 rad/s at h = 5 ms for 10 s: the midpoint rule keeps a linear swing's energy to round-off."""
    inertia = 1e-3 + 0.3 * 0.1**2
    world = new_world(5e-3, integrator=integrator)
    body = world.add_articulated_body("arm", [spring_link(inertia * 20.0**2)], [0.3])
    world.set_joint_motion(body, [0.0], [[0.0]])
    energy = 0.5 * inertia * 20.0**2 * 0.3**2
    assert world.step(2000)
    assert total_energy(world) == pytest.approx(kept * energy, abs=5e-3 * energy)
