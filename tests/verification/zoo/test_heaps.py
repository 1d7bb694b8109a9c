# SPDX-License-Identifier: LGPL-2.1-or-later
"""Heaps: every pair of shapes on each other, and a sample of random ones; heaps.py makes hundreds."""

import heaps
import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, scene

PAIRS = [(a, b) for i, a in enumerate(heaps.RIGID) for b in heaps.RIGID[: i + 1]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pair_of_shapes(a, b, mode):
    """Two each of two shapes, dropped into a narrow bin on each other."""
    rng = np.random.default_rng(sum(map(ord, a + b)))
    bodies, off = heaps.bin_of(0.18, 0.4)
    for i, kind in enumerate((a, b, a, b)):
        place = (*rng.uniform(-0.02, 0.02, 2), 0.05 + 0.1 * i)
        bodies.append(heaps.body(rng, f"o{i}", kind, 0.08, position=place, friction=0.4))
    run = zoo_runs.run(scene(bodies, 0.8, 0.005, mode, pairs_off=off), every=4)
    assert run.exit_code == 0, run.message
    assert run.worst_overlap(12)[0] < heaps.LIMIT
    assert heaps.outside(run) < 0.1
    assert run.gain() < 1e-6


@pytest.mark.parametrize("seed", range(24))
def test_random_heap_is_right_or_honest(seed):
    verdict = heaps.assess_apart((seed, (*heaps.RIGID, *heaps.SOFT), 8.0))
    assert verdict.exit_code != -3, verdict.message
    assert verdict.outcome != "GREEN AND WRONG", heaps.line(verdict)


@pytest.mark.parametrize("seed", [2370, 3482])
def test_heap_that_was_wrong_or_stopped_is_neither(seed):
    """Tissue that was strained by the spin of an impact; a hull that was pressed out from under a cylinder."""
    verdict = heaps.assess_apart((seed, (*heaps.RIGID, *heaps.SOFT), 20.0))
    assert verdict.outcome != "GREEN AND WRONG", heaps.line(verdict)
    assert verdict.exit_code in (0, 1), heaps.line(verdict)


def test_the_judge_sees_a_body_inside_another():
    """A heap in which two bodies do not collide is not right."""
    made, _ = heaps.heap(18)
    loose = [body.name for body in made.bodies if body.kind == "rigid"]
    pairs = [heaps.PairOff(a="floor", b=name) for name in loose]
    run = zoo_runs.run(made.model_copy(update={"pairs_off": tuple(pairs)}), every=10)
    assert heaps.outside(run) > 0.5
