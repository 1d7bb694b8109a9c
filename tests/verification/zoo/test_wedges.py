# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wedges: a block that slides down a free one, and a wedge that drives two blocks apart."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, floor, prism, scene

from softcontact.scene import Box, KinematicBody, RigidBody


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("degrees", [20, 35])
def test_block_slides_down_a_free_wedge(degrees, mode):
    """Without friction the wedge goes back at m g sin α cos α / (M + m sin² α)."""
    alpha, m, mass = np.radians(degrees), 1.0, 2.0
    base, height = 0.4, 0.4 * np.tan(alpha)
    wedge = prism([(-base / 2, 0), (base / 2, 0), (-base / 2, height)], 0.2)  # falls along x
    across = np.array([np.sin(alpha), 0, np.cos(alpha)])
    along = np.array([np.cos(alpha), 0, -np.sin(alpha)])
    top = np.array([-base / 2, 0, height]) + 0.1 * along + 0.0252 * across
    bodies = [
        floor(0.0),
        RigidBody(name="w", shape=wedge, mass=mass, position=(0, 0, 5e-4), friction=0.0),
        RigidBody(
            name="b",
            shape=Box(size=(0.08, 0.08, 0.05)),
            mass=m,
            position=tuple(top),
            orientation=(0, np.sin(alpha / 2), 0, np.cos(alpha / 2)),
            friction=0.0,
        ),
    ]
    run = zoo_runs.run(scene(bodies, 0.2, 0.001, mode))
    late = (run.time > 0.05) & (run.time < 0.15)
    acceleration = np.polyfit(run.time[late], run["w"].velocity[late, 0], 1)[0]
    expected = -m * G * np.sin(alpha) * np.cos(alpha) / (mass + m * np.sin(alpha) ** 2)
    assert acceleration == pytest.approx(expected, rel=5e-3)
    assert np.abs(run.momentum()[:, 0]).max() < 1e-8


@pytest.mark.parametrize("mode", MODES)
def test_wedge_drives_blocks_apart(mode):
    """Without friction a wedge of half angle α falls at g / (1 + 2 (m/M) tan² α), each block goes at tan α of it."""
    alpha, m, mass, apart = np.radians(30), 1.0, 1.0, 0.03
    t = np.tan(alpha)
    side = np.array([(0, 0), (0.2, 0), (0.2, 0.12), (0.12 * t, 0.12)])  # leans by α from upright
    bodies = [floor(0.0)]
    for name, sign in (("l", -1), ("r", 1)):
        shape = prism(side * [sign, 1], 0.1)
        bodies.append(
            RigidBody(name=name, shape=shape, mass=m, position=(sign * apart, 0, 5e-4), friction=0.0)
        )
    low = apart / t + 0.02  # its edge, which would lie under the floor, is cut off here
    wedge = prism([(low * t, low), (0.15 * t, 0.15), (-0.15 * t, 0.15), (-low * t, low)], 0.1)
    place = (0, 0, 2e-3 - apart / t)
    bodies.append(RigidBody(name="w", shape=wedge, mass=mass, position=place, friction=0.0))
    run = zoo_runs.run(scene(bodies, 0.08, 0.0005, mode))
    w, r, left = (run[name].velocity for name in "wrl")
    bottom = run["w"].poses[:, 2] + low
    k = np.flatnonzero((r[:, 0] > 0.02) & (bottom > 2e-3))[5:]
    assert len(k) > 30
    down, aside = (np.polyfit(run.time[k], v, 1)[0] for v in (w[k, 2], r[k, 0]))
    expected = G / (1 + 2 * m / mass * t * t)
    assert -down == pytest.approx(expected, rel=5e-3)
    assert aside == pytest.approx(expected * t, rel=5e-3)
    assert left[k, 0] == pytest.approx(-r[k, 0], abs=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_a_thin_wedge_that_is_overlapped_slides_out_bit_by_bit(mode):
    """Under a lid at half a degree, 50 µm inside it: 5.73 mm to go, and no step leaves what contact knows."""
    slope, length, thick, inside = np.radians(0.5), 0.04, 0.004, 5e-5
    rise = length * np.tan(slope)
    wedge = prism([(-length / 2, 0), (length / 2, 0), (length / 2, thick + rise), (-length / 2, thick)], 0.02)
    lid = KinematicBody(
        name="lid",
        shape=Box(size=(0.2, 0.1, 0.02)),
        position=(
            -0.01 * np.sin(slope),
            0,
            thick + (rise - 2 * inside / np.cos(slope)) / 2 + 0.01 * np.cos(slope),
        ),
        orientation=(0, -np.sin(slope / 2), 0, np.cos(slope / 2)),
        friction=0.0,
    )
    body = RigidBody(name="wedge", shape=wedge, friction=0.0)
    made = scene([floor(0.0), lid, body], 0.05, 0.005, mode)
    run = zoo_runs.run(made.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))
    ways = np.diff(run["wedge"].centre[:, 0])
    assert ways.sum() == pytest.approx(inside / np.sin(slope), rel=1e-3)
    assert ways.max() < 0.0015
    assert ways[-1] == pytest.approx(0, abs=1e-9)
