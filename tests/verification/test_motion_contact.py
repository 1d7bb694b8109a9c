# SPDX-License-Identifier: LGPL-2.1-or-later
"""Motion between and in contacts: bounces to the height of theory, no energy from contact, rest without drift."""

import numpy as np
import pytest
from motion_worlds import FALL, box_body, double_pendulum, new_world, total_energy

from softcontact.mesh.primitives import box, sphere

OFFSET = 5e-4
BOX = (1.5e-4, 3.6e-4, 4.5e-4)  # [kg m²] a solid box of 0.1 x 0.06 x 0.03 m of 0.4 kg has (1.5, 3.6, 4.5)e-4


def add_wall(world, name, size, position):
    surface = box(size)
    world.add_kinematic_body(name, surface.vertices, surface.triangles, np.asarray(position, float))


def add_floor(world):
    add_wall(world, "floor", (2.0, 2.0, 0.2), (0.0, 0.0, -0.1))


@pytest.mark.parametrize("restitution", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_ball_rises_to_the_square_of_its_restitution(step, restitution):
    world = new_world(step, gravity=FALL, contact_offset=OFFSET)
    radius, ball = 0.02, sphere(0.02, 4)
    lowest = -ball.vertices[:, 2].min()
    height = 1.0
    body = world.add_rigid_body(
        "ball",
        ball.vertices,
        ball.triangles,
        0.1,
        np.zeros(3),
        0.4 * 0.1 * radius**2 * np.eye(3),
        np.array([0.0, 0.0, height + lowest + OFFSET]),
    )
    add_floor(world)
    world.set_pair_restitution("ball", "floor", restitution)
    heights = []
    while world.time < 1.3:
        assert world.step()
        heights.append(world.body_pose(body)[0][2] - lowest - OFFSET)
    impact = int(np.argmin(heights[: round(0.55 / step)]))
    assert max(heights[impact:]) == pytest.approx(restitution**2 * height, rel=0.01)
    assert max(heights[impact:]) <= height * (1 + 1e-9)


@pytest.mark.parametrize("step", [1e-3, 2e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_a_tumbling_box_gains_no_energy_from_the_floor(step, friction):
    world = new_world(step, gravity=FALL, contact_offset=OFFSET)
    box_body(
        world,
        inertia=BOX,
        spin=(9.0, 14.0, -6.0),
        velocity=(0.8, 0.0, 0.0),
        position=(0.0, 0.0, 0.3),
        orientation=(0.5, 0.5, 0.5, 0.5),
    )
    add_floor(world)
    world.set_pair_friction("body", "floor", friction)
    energy = total_energy(world)
    first = energy
    for _ in range(round(2.0 / step)):
        assert world.step()
        now = total_energy(world)
        # Positions are corrected where corners turned into the floor: that lifts a little.
        assert now <= energy + 2e-3 * first
        energy = min(energy, now)
    assert energy < 0.2 * first


@pytest.mark.parametrize("step", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_a_double_pendulum_gains_no_energy_from_a_wall(step, integrator):
    world = new_world(step, gravity=FALL, integrator=integrator, contact_offset=OFFSET)
    body = double_pendulum(world)
    rod = box((0.28, 0.01, 0.01))
    for link in (0, 1):
        world.add_link_surface(
            body.number, link, f"rod {link}", rod.vertices + np.array([0.15, 0.0, 0.0]), rod.triangles
        )
    world.disable_pair("rod 0", "rod 1")
    add_wall(world, "wall", (0.1, 0.6, 1.0), (-0.3, 0.0, -0.6))
    first = most = total_energy(world)
    bottom = -0.3 * 9.81 * (0.15 + 0.45)
    energies = []
    for _ in range(round(4.0 / step)):
        assert world.step()
        energies.append(total_energy(world))
        most = max(most, energies[-1])
    scale = first - bottom
    assert most - first < (1e-3 if integrator == "midpoint" else 5 * step) * scale
    assert energies[-1] < first - 0.1 * scale


def test_a_box_rests_without_drift():
    world = new_world(5e-3, gravity=FALL, contact_offset=OFFSET)
    body = box_body(world, inertia=BOX, position=(0.0, 0.0, 0.015 + OFFSET))
    add_floor(world)
    assert world.step(2000)
    position, quaternion = world.body_pose(body.number)
    assert position == pytest.approx([0.0, 0.0, 0.015 + OFFSET], abs=1e-8)
    assert np.abs(quaternion[:3]).max() < 1e-8
    assert world.energies()["kinetic"] < 1e-16


def test_a_rigid_body_in_a_closing_vice_ends_the_run_and_names_its_jaws():
    from softcontact import run
    from softcontact.scene import Box, Keyframes, KinematicBody, RigidBody, Scene

    box = RigidBody(name="box", shape=Box(size=(0.04, 0.04, 0.04)), mass=0.1)
    jaws, ways = [], []
    for name, sign in (("left", -1), ("right", 1)):
        open_, shut = (sign * 0.0305, 0, 0), (sign * 0.02, 0, 0)
        jaws.append(KinematicBody(name=name, shape=Box(size=(0.02, 0.06, 0.06)), position=open_))
        ways.append(Keyframes(body=name, times=(0, 0.2), positions=(open_, shut)))
    made = Scene(name="vice", duration=0.3, bodies=[box, *jaws], motions=ways)
    result = run(made, record=False, replay=False, progress=False)
    assert result.exit_code == 3
    assert "'box': no contact forces were found" in result.message
    assert "'left' and 'right' move on whatever lies in the way" in result.message
