# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lies at rest stays at rest; rest.py runs the whole matrix for 60 s, this file a sample for 2 s."""

import numpy as np
import pytest
import rest
import zoo_runs
from zoo_scenes import BODY_KINDS, MODES, floor, scene, soft_box

import softcontact
from softcontact.scene import Box, Keyframes, KinematicBody, RigidBody, Sphere

DURATION = 2.0


@pytest.mark.parametrize("h", [0.002, 0.02])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", BODY_KINDS)
def test_rests_on_the_floor(kind, mode, h):
    found = rest.look(rest.on_the_floor(kind, mode, h, 5e4, DURATION))
    assert found.still, found


@pytest.mark.parametrize("h", [0.001, 0.01])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["box", "hull", "soft"])
def test_rests_on_a_slope(kind, mode, h):
    """At 15°, μ 0.5: half of what friction can bear."""
    found = rest.look(rest.on_the_floor(kind, mode, h, 2e5, DURATION, np.radians(15)))
    assert found.still, found


@pytest.mark.parametrize(("h", "young"), [(0.005, 1e4), (0.005, 1e6), (0.02, 5e4)])
@pytest.mark.parametrize("mode", MODES)
def test_soft_cube_stays_between_plates(mode, h, young):
    found = rest.look(rest.held(mode, h, young, DURATION))
    assert found.still, found


@pytest.mark.parametrize(("h", "young", "duration"), [(0.005, 2e4, DURATION), (0.02, 2e5, 60.0)])
@pytest.mark.parametrize("mode", MODES)
def test_weight_on_tissue_rests(mode, h, young, duration):
    """The pressure under the stiffer one has far to go, by less and less a step, and does not go on for ever."""
    found = rest.look(rest.weight_on_tissue(mode, h, young, duration))
    assert found.still, found


@pytest.mark.parametrize("mode", MODES)
def test_a_slab_that_lies_free_and_is_pressed_feels_one_force(mode):
    """A box is pressed by 0.8 mm into a slab that lies on the floor, and held there."""
    slab = soft_box("slab", (0.08, 0.08, 0.03), 2e5, (6, 6, 3), position=(0, 0, 0.0152))
    high, low = (0.003, 0.002, 0.0405), (0.003, 0.002, 0.0394)
    tool = KinematicBody(name="tool", shape=Box(size=(0.03, 0.02, 0.02)), position=high)
    motion = Keyframes(body="tool", times=(0.0, 0.1, 0.4), positions=(high, high, low))
    made = scene([floor(), slab, tool], 3.0, 0.005, mode, motions=[motion])
    result = softcontact.run(made, record=False, replay=False, progress=False)
    force = result.contact_force("tool")[-100:, 2]
    assert abs(force).min() > 1.0
    assert np.ptp(force) < 1e-3 * abs(force).mean()


def test_who_flies_away_leaves_patches_elsewhere_as_they_are():
    """The pair of the ball and the floor, the first of all, is forgotten a quarter of a second later."""
    block = soft_box("block", (0.08, 0.08, 0.04), 5e4, (4, 4, 2), position=(0, 0, 0.02004), friction=0.5)
    weight = RigidBody(
        name="weight",
        shape=Box(size=(0.04, 0.03, 0.04)),
        mass=0.2,
        position=(0.005, 0.004, 0.06008),
        friction=0.5,
    )
    ball = RigidBody(
        name="a_ball", shape=Sphere(radius=0.02), mass=0.05, position=(0.3, 0, 0.02), velocity=(0, 0, 6)
    )
    made = scene([floor(), ball, block, weight], 0.8, 0.005, "aggregate")
    contact = made.contact.model_copy(update={"aggregation": "adaptive"})
    run = zoo_runs.run(made.model_copy(update={"contact": contact}))
    moved = np.abs(np.diff(run["block"].nodes, axis=0)).max(axis=(1, 2))
    assert run.exit_code == 0 and moved[run.time[1:] > 0.2].max() < 1e-6  # 1e-4 where memories are mixed up
