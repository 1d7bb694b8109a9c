# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stacks of boxes stand where they were put, also heavy on light. `rest.py` runs them for 60 s."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, scene

from softcontact.scene import Box, RigidBody

SIDE = 0.1


def stack(count, masses=None, gap=0.0, shift=0.0):
    """Boxes on the floor, each `shift` to one side or the other of the one below."""
    masses = masses or [1.0] * count
    return [
        RigidBody(
            name=f"b{i}",
            shape=Box(size=(SIDE, SIDE, SIDE)),
            mass=masses[i],
            position=(shift * (-1) ** i, shift * (i % 3 - 1), SIDE / 2 + i * (SIDE + gap) + gap),
        )
        for i in range(count)
    ]


def judge_stack(run, count, settled):
    """No box has moved along the floor or leans, nothing moves, nothing is inside another."""
    assert run.exit_code == 0, run.message
    late = run.time >= settled
    for i in range(count):
        track = run[f"b{i}"]
        assert np.abs(track.centre - track.centre[0])[:, :2].max() < 1e-3 * SIDE, f"b{i} moved"
        assert track.tilt().max() < 2e-3, f"b{i} leans"
        assert np.abs(track.centre[late] - track.centre[-1]).max() < 1e-6, f"b{i} creeps"
        assert np.abs(track.velocity[-1]).max() < 1e-6, f"b{i} moves"
    assert run.overlap()[0] < 0.01
    assert run.gain() < 1e-6


@pytest.mark.parametrize("h", [0.002, 0.01])
@pytest.mark.parametrize("count", [2, 5, 10])
@pytest.mark.parametrize("mode", MODES)
def test_stack_stands(mode, count, h):
    run = zoo_runs.run(scene([floor(), *stack(count, gap=1e-3)], 2.0, h, mode), every=5)
    judge_stack(run, count, 1.5)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_tall_stack_stands(mode):
    run = zoo_runs.run(scene([floor(), *stack(20, gap=1e-3)], 3.0, 0.005, mode), every=10)
    judge_stack(run, 20, 2.5)


@pytest.mark.parametrize("mode", MODES)
def test_crooked_stack_stands(mode):
    """Each box a tenth of its side off the one below: its weight stays within the base."""
    run = zoo_runs.run(scene([floor(), *stack(6, gap=1e-3, shift=0.1 * SIDE)], 2.0, 0.005, mode), every=5)
    judge_stack(run, 6, 1.5)


@pytest.mark.parametrize("ratio", [1e2, 1e4])
@pytest.mark.parametrize("mode", MODES)
def test_heavy_on_light(mode, ratio):
    run = zoo_runs.run(scene([floor(), *stack(2, [1.0, ratio], 1e-3)], 2.0, 0.005, mode))
    judge_stack(run, 2, 1.5)


@pytest.mark.parametrize("mode", MODES)
def test_sandwich_of_mass_ratios(mode):
    """Light, heavy, light, heavy."""
    run = zoo_runs.run(scene([floor(), *stack(4, [1.0, 1e3, 0.1, 1e3], 1e-3)], 2.0, 0.005, mode))
    judge_stack(run, 4, 1.5)


@pytest.mark.parametrize("mode", MODES)
def test_overhang_falls(mode):
    """A stack whose upper part has its weight beyond the edge of the lowest falls: the law can fail."""
    bodies = stack(3)
    moved = [b.model_copy(update={"position": (0.04 * i, 0, b.position[2])}) for i, b in enumerate(bodies)]
    run = zoo_runs.run(scene([floor(), *moved], 1.5, 0.005, mode))
    assert run["b2"].tilt()[-1] > 0.5 or run["b2"].centre[-1, 2] < 2 * SIDE
