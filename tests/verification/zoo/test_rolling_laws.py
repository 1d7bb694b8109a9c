# SPDX-License-Identifier: LGPL-2.1-or-later
"""Round bodies roll: g sin θ / (1 + I/m r²) down a slope, for ever on the level, and over seams."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, floor, scene, slope_gravity, soft_box

from softcontact.scene import Box, Capsule, Cylinder, KinematicBody, Region, RigidBody, Sphere

R = 0.05
LYING = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))  # the body's z along −y
ROUND = {
    "sphere": (Sphere(radius=R), 2 / 5),
    "cylinder": (Cylinder(radius=R, height=0.1), 1 / 2),
    "capsule": (Capsule(radius=R, height=0.1), None),
}


def share(name):
    """I / (m r²) about the axis that it rolls about."""
    if ROUND[name][1] is not None:
        return ROUND[name][1]
    side, balls = 0.1, 4 / 3 * R  # volumes over π r²
    return (0.5 * side + 0.4 * balls) / (side + balls)


def roller(name, speed=0.0, spin=None, x=0.0):
    spin = speed / R if spin is None else spin
    return RigidBody(
        name="b",
        shape=ROUND[name][0],
        position=(x, 0, R + 1e-4),
        orientation=LYING,
        velocity=(speed, 0, 0),
        angular_velocity=(0, spin, 0),
        friction=0.5,
    )


@pytest.mark.parametrize("h", [0.002, 0.01])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ROUND)
def test_rolls_down_a_slope(name, mode, h):
    """To 0.1 %, at an angle at which it does not slip: tan θ < μ (1 + m r²/I)."""
    angle = np.radians(10)
    run = zoo_runs.run(scene([floor(), roller(name)], 1.0, h, mode, gravity=slope_gravity(angle)))
    late = run.time > 0.2
    acceleration = np.polyfit(run.time[late], run["b"].velocity[late, 0], 1)[0]
    assert acceleration == pytest.approx(G * np.sin(angle) / (1 + share(name)), rel=1e-3)
    assert np.abs(run["b"].centre[late, 2] - run["b"].centre[-1, 2]).max() < 1e-5 * R
    assert np.abs(run["b"].velocity[:, 1]).max() < 1e-6


@pytest.mark.parametrize("h", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ROUND)
def test_rolls_for_ever_on_the_level(name, mode, h):
    run = zoo_runs.run(scene([floor(), roller(name, 0.5, x=-1.0)], 3.0, h, mode))
    late = run.time > 0.3
    speed = run["b"].velocity[late, 0]
    assert speed == pytest.approx(0.5, rel=1e-3)
    assert run["b"].spin[late, 1] * R == pytest.approx(speed, rel=2e-2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ROUND)
def test_thrown_body_slides_then_rolls(name, mode):
    """What is thrown without spin ends with v / (1 + I/m r²): angular momentum about the line on the floor."""
    run = zoo_runs.run(scene([floor(), roller(name, 1.0, 0.0, x=-1.5)], 2.0, 0.005, mode))
    assert run["b"].velocity[-1, 0] == pytest.approx(1 / (1 + share(name)), rel=2e-3)


@pytest.mark.parametrize("name", ROUND)
def test_seam_of_two_tables_is_not_felt(name):
    """Two tables side by side are one level floor."""
    tables = [
        KinematicBody(name=f"t{i}", shape=Box(size=(1, 1, 0.1)), position=(x, 0, -0.05), friction=0.5)
        for i, x in enumerate((-0.5, 0.5))
    ]
    run = zoo_runs.run(scene([*tables, roller(name, 0.5, x=-0.3)], 1.2))
    late = run.time > 0.1
    assert run["b"].velocity[late, 0] == pytest.approx(0.5, rel=1e-3)
    assert np.ptp(run["b"].centre[late, 2]) < 1e-5


@pytest.mark.parametrize(("radius", "speed"), [(0.003, 3.2), (0.0005, 0.8)])
def test_small_balls_roll_fast(radius, speed):
    """More than a thousand radians a second are no divergence where the radius is small."""
    ball = RigidBody(
        name="b",
        shape=Sphere(radius=radius),
        position=(0, 0, radius),
        velocity=(speed, 0, 0),
        angular_velocity=(0, speed / radius, 0),
        friction=0.5,
    )
    run = zoo_runs.run(scene([floor(), ball], 0.5, 0.002))
    assert run.exit_code == 0, run.message
    assert run["b"].velocity[-1, 0] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("h", [0.002, 0.02])
@pytest.mark.parametrize("name", ROUND)
def test_rolls_on_over_stiff_tissue(name, h):
    """A held slab that hardly dents takes no speed: neither the edges of its mesh nor those of a picture are felt."""
    slab = soft_box("slab", (0.4, 0.12, 0.02), 1e7, (16, 5, 1), position=(0, 0, -0.01))
    held = slab.model_copy(update={"fixed_region": Region(low=(-1, -1, -1), high=(1, 1, -0.0099))})
    body = roller(name, 0.3, x=-0.15).model_copy(update={"mass": 0.3})
    run = zoo_runs.run(scene([held, body], 0.8, h))
    assert run["b"].velocity[-1, 0] == pytest.approx(0.3, rel=0.01)
    assert run["b"].velocity[:, 0].max() < 0.3 * (1 + 2e-3)
    assert run.worst_overlap()[0] < 1e-3


@pytest.mark.parametrize("name", ROUND)
def test_rolls_on_over_stiff_tissue_in_a_patch(name):
    """A patch that is narrower than the faces of a picture takes and gives no speed either."""
    slab = soft_box("slab", (0.4, 0.1, 0.02), 1e7, (40, 10, 2), position=(0, 0, -0.01))
    held = slab.model_copy(update={"fixed_region": Region(low=(-1, -1, -1), high=(1, 1, -0.0099))})
    body = roller(name, 0.3, x=-0.15).model_copy(update={"mass": 0.5})
    run = zoo_runs.run(scene([held, body], 0.8, 0.002, "aggregate"))
    assert run["b"].velocity[-1, 0] == pytest.approx(0.3, rel=0.02)
