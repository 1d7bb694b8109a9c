# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sliding: stopping distance v²/2μg, straight ahead; a belt brings what lies on it to its speed."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, floor, resting_body, scene

from softcontact.scene import Cylinder, PairFriction, RigidBody, SurfaceVelocity


@pytest.mark.parametrize("heading", [0.0, 0.4, np.pi / 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["box", "hull", "cylinder", "lying capsule", "soft"])
def test_stopping_distance(kind, mode, heading):
    """v²/2μg; a step of h may stop it h v/2 short. A soft block that slides may lean, not turn."""
    mu, v, h = 0.3, 1.0, 0.002
    way = np.array([np.cos(heading), np.sin(heading), 0])
    if kind == "lying capsule":
        if heading == np.pi / 2:
            pytest.skip("it rolls")
        way = np.array([1.0, 0, 0])
    body = resting_body(kind, 0.08, young=3e5, friction=mu, velocity=tuple(v * way))
    run = zoo_runs.run(scene([floor(mu), body], 0.6, h, mode))
    gone = run["b"].centre[-1] - run["b"].centre[0]
    slack = h * v if kind != "soft" else 0.01 * v * v / (2 * mu * G) + h * v
    assert gone @ way == pytest.approx(v * v / (2 * mu * G), abs=slack)
    assert np.abs(np.cross(way, gone)[2]) < 2e-3 * np.linalg.norm(gone)
    assert np.linalg.norm(run["b"].velocity[-1]) < (1e-6 if kind != "soft" else 1e-3)


@pytest.mark.parametrize("mode", MODES)
def test_two_frictions_in_one_scene(mode):
    bodies = [floor(0.5)]
    for i in range(2):
        bodies.append(
            resting_body("box", 0.08, velocity=(1, 0, 0)).model_copy(
                update={"name": f"b{i}", "position": (0, 0.3 * i, 0.024)}
            )
        )
    pairs = [PairFriction(a="floor", b=f"b{i}", friction=mu) for i, mu in enumerate((0.2, 0.4))]
    run = zoo_runs.run(scene(bodies, 0.8, 0.002, mode, pair_friction=pairs))
    for i, mu in enumerate((0.2, 0.4)):
        gone = run[f"b{i}"].centre[-1, 0] - run[f"b{i}"].centre[0, 0]
        assert gone == pytest.approx(1 / (2 * mu * G), abs=0.003)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_belt_brings_a_body_to_its_speed(kind, mode):
    """μ g until the speeds are equal, then no slip."""
    mu, speed, h = 0.3, 0.5, 0.002
    body = resting_body(kind, 0.08, friction=mu)
    run = zoo_runs.run(
        scene(
            [floor(mu), body],
            0.5,
            h,
            mode,
            surface_velocities=[SurfaceVelocity(body="floor", linear=(speed, 0, 0))],
        )
    )
    v, t = run["b"].velocity[:, 0], run.time
    expected = np.minimum(mu * G * t, speed)
    assert v == pytest.approx(expected, abs=2.1 * mu * G * h)
    assert v[-1] == pytest.approx(speed, abs=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("h", [0.001, 0.01, 0.02])
def test_a_body_that_sticks_to_a_turntable_keeps_its_radius(mode, h):
    """ω² r = 0.08 μ g. Carried along the tangents of its circle it would go out by h ω²/2, 13 % in 3 s at 20 ms."""
    turn, radius = 2.0, 0.1
    coin = RigidBody(
        name="b",
        shape=Cylinder(radius=0.03, height=0.03),
        position=(radius, 0, 0.015),
        velocity=(0, turn * radius, 0),
        angular_velocity=(0, 0, turn),
        friction=0.5,
    )
    belt = SurfaceVelocity(body="floor", angular=(0, 0, turn))
    run = zoo_runs.run(scene([floor(0.5), coin], 3.0, h, mode, surface_velocities=[belt]))
    assert run.exit_code == 0, run.message
    assert np.linalg.norm(run["b"].centre[:, :2], axis=1) == pytest.approx(radius, rel=0.005)
