# SPDX-License-Identifier: LGPL-2.1-or-later
"""Free flight: bodies fall with g and keep momentum, angular momentum and energy."""

import numpy as np
import pytest
import zoo_runs
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from zoo_scenes import G, scene, soft_box

from softcontact.engines import make_engine
from softcontact.scene import ArticulatedBody, Box, Link, RigidBody, Scene


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("h", [0.001, 0.005, 0.02])
def test_falls_with_g(soft, h):
    place = {"position": (0, 0, 1), "velocity": (0.3, -0.2, 1.0)}
    body = (
        soft_box("b", (0.05,) * 3, **place)
        if soft
        else RigidBody(name="b", shape=Box(size=(0.05,) * 3), **place)
    )
    run = zoo_runs.run(scene([body], 1.0, h))
    t, start = run.time[-1], np.array(place["velocity"])
    assert run["b"].velocity[-1] == pytest.approx(start - [0, 0, G * t], abs=1e-9)
    way = start * t - [0, 0, G * t * t / 2]
    # An implicit Euler step falls g h²/2 further; a midpoint rule falls as it should.
    assert run["b"].centre[-1] - [0, 0, 1] == pytest.approx(way, abs=0.51 * G * h * t)
    if soft:
        assert run["b"].nodes[-1] - run["b"].centre[-1] == pytest.approx(
            run["b"].nodes[0] - run["b"].centre[0], abs=1e-9
        )


SOLIDS = {
    "box": (Box(size=(0.1, 0.06, 0.03)), (8.0, 1.0, 4.0)),
    "fast box": (Box(size=(0.1, 0.06, 0.03)), (20.0, 20.0, 10.0)),
    "pencil": (Box(size=(0.01, 0.2, 0.01)), (1.0, 10.0, 0.0)),
    "fast pencil": (Box(size=(0.01, 0.2, 0.01)), (1.0, 30.0, 0.0)),
    "plate": (Box(size=(0.2, 0.2, 0.01)), (1.0, 0.0, 30.0)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_free_rotation_keeps_energy_and_momentum(name):
    """At h = 5 ms: energy within 1 %, angular momentum to round-off, on axes fixed in space."""
    shape, spin = SOLIDS[name]
    body = RigidBody(name="b", shape=shape, angular_velocity=spin)
    run = zoo_runs.run(scene([body], 10.0, gravity=(0, 0, 0)), every=5)
    energy, momentum = run.kinetic(), run.momentum()
    assert run.exit_code == 0
    assert energy == pytest.approx(energy[0], rel=0.01)
    assert np.abs(momentum - momentum[0]).max() < 1e-10 * np.abs(momentum[0]).max()


def test_tennis_racket_turns_over():
    """About the middle axis a body turns over again and again, as the solution of Euler's equations does."""
    size, spin = np.array([0.1, 0.06, 0.02]), np.array([0.05, 10.0, 0.0])
    squares = size**2
    inertia = squares.sum() - squares

    def motion(_, state):
        (x, y, z, s), w = state[:4], state[4:]
        rate = 0.5 * np.array(
            [
                s * w[0] + y * w[2] - z * w[1],
                s * w[1] + z * w[0] - x * w[2],
                s * w[2] + x * w[1] - y * w[0],
                -x * w[0] - y * w[1] - z * w[2],
            ]
        )
        return np.concatenate([rate, -np.cross(w, inertia * w) / inertia])

    right = solve_ivp(motion, (0, 6), [0, 0, 0, 1, *spin], rtol=1e-10, atol=1e-12, dense_output=True)
    body = RigidBody(name="b", shape=Box(size=tuple(size)), angular_velocity=tuple(spin))
    run = zoo_runs.run(scene([body], 6.0, 0.001, gravity=(0, 0, 0)))
    side, expected = run["b"].axis((0, 1, 0))[:, 1], []
    for state in right.sol(run.time).T:
        expected.append(Rotation.from_quat(state[:4]).apply((0, 1, 0))[1])
    turns = [np.flatnonzero(np.diff(np.sign(x))) for x in (side, np.array(expected))]
    assert len(turns[0]) == len(turns[1]) >= 3
    assert run.time[turns[0]] == pytest.approx(run.time[turns[1]], abs=0.02)


@pytest.mark.parametrize("h", [0.005, 0.001])
def test_heavy_top_precesses(h):
    """A fast horizontal top goes round at m g l / (I₃ ω) for ever and does not sink."""
    m, length, r, spin = 0.5, 0.05, 0.04, 200.0
    i3, i1 = 0.5 * m * r * r, 0.25 * m * r * r
    rate = m * G * length / (i3 * spin)
    link = Link(
        name="top", joint="spherical", mass=m, com=(length, 0, 0), inertia=np.diag([i3, i1, i1]).tolist()
    )
    body = ArticulatedBody(name="a", links=[link], joint_positions=(0, 0, 0, 1))
    engine = make_engine(Scene(name="top", duration=2.0, time_step=h, bodies=[body]))
    engine.world.set_velocity(engine.number("a"), np.array([spin, 0, rate]))
    angles, heights = [], []
    for _ in range(round(2.0 / h)):
        engine.step()
        assert engine.status()["ok"], engine.status()["message"]
        axis = Rotation.from_quat(engine.joint_positions("a")).apply((1, 0, 0))
        angles.append(np.arctan2(axis[1], axis[0]))
        heights.append(axis[2])
    turned = np.unwrap(angles)[-1]
    assert turned == pytest.approx(2.0 * rate, rel=0.02)
    assert np.abs(heights).max() < 0.02


def test_soft_body_keeps_momentum():
    """A soft block that was hit off its centre flies, turns and rings: nothing but contact changes its momentum."""
    body = soft_box("b", (0.08, 0.05, 0.03), 2e4, velocity=(0.5, 0.1, -0.3))
    hit = RigidBody(
        name="c",
        shape=Box(size=(0.04,) * 3),
        position=(0.03, 0.03, 0.06),
        velocity=(0, 0, -1.5),
        friction=0.5,
    )
    run = zoo_runs.run(scene([body, hit], 1.0, 0.002, gravity=(0, 0, 0)))
    momentum, kinetic = run.momentum(), run.kinetic()
    scale = np.abs(momentum).max(axis=0).reshape(2, 3).max(axis=1).repeat(3)
    change = np.abs(momentum - momentum[0]) / scale
    assert np.abs(run["c"].velocity[-1] - run["c"].velocity[0]).max() > 0.1, "they never met"
    free = run.time > 0.5
    assert np.ptp(run["c"].velocity[free], axis=0).max() < 1e-12, "they still touch"
    assert change[:, :3].max() < 1e-10
    # One linearised step of an elastic body turns it by a little more or less than it should.
    assert change[free, 3:].max() - change[free, 3:].min() < 1e-4
    assert change[:, 3:].max() < 1e-3
    assert kinetic.max() <= kinetic[0] * (1 + 1e-9)
