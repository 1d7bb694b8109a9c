# SPDX-License-Identifier: LGPL-2.1-or-later
"""Newton's restitution of bodies of every shape: the law at the point that hits, and no energy from any bounce."""

import itertools

import heaps
import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, scene

from softcontact.scene import Box, PairRestitution, RigidBody, Sphere

E = [0.2, 0.6, 1.0]


def thrown(kind, e, friction, h, mode, seed, gravity, spin=10.0):
    """A body of 0.1 m at a random orientation, thrown at a floor at 2 m/s."""
    rng = np.random.default_rng(seed)
    fields = {"position": (0, 0, 0.12), "velocity": (0.0, 0.0, -2.0), "friction": friction}
    fields["angular_velocity"] = tuple(spin * rng.normal(size=3))
    body = heaps.body(rng, "b", kind, 0.1, **fields)
    pairs = [PairRestitution(a="floor", b="b", restitution=e)]
    made = scene([floor(friction), body], 0.4, h, mode, gravity=(0, 0, gravity), pair_restitution=pairs)
    return zoo_runs.run(made)


def rise(run):
    """Largest rise of energy in a step over the energy at the start."""
    energy = run.energy()
    return np.diff(energy).max() / energy[0]


@pytest.mark.parametrize("h", [0.0005, 0.001, 0.002])
@pytest.mark.parametrize("e", E)
@pytest.mark.parametrize("seed", range(4))
def test_the_corner_that_hits_leaves_at_a_share_of_its_speed(e, h, seed):
    """Without friction, gravity and spin a hull's lowest corner meets the floor at 2 m/s and leaves at e times that."""
    run = thrown("hull", e, 0.0, h, "points", seed, 0.0, spin=0.0)
    track, inertia = run["b"], run._moments["b"][2]
    hit = next(i for i in range(len(run.time)) if abs(track.velocity[i, 2] + 2.0) > 1e-9)
    now, then = track.rotation[hit], track.rotation[0]
    # The spin at the impact, from the angular momentum: it changes as the body turns on.
    momentum = now.apply(inertia @ now.inv().apply(track.spin[hit]))
    spin = then.apply(np.linalg.solve(inertia, then.inv().apply(momentum)))
    corners = then.apply(np.array(run.scene.body("b").shape.vertices)) + track.poses[0, :3] - track.centre[0]
    lowest = corners[corners[:, 2].argmin()]
    assert track.velocity[hit, 2] + np.cross(spin, lowest)[2] == pytest.approx(2.0 * e, rel=1e-6)
    assert rise(run) < 1e-9


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("e", E)
@pytest.mark.parametrize("kind", ["box", "cylinder", "capsule", "hull"])
def test_no_bounce_gives_energy(kind, e, friction, mode):
    for seed, h in enumerate((0.001, 0.002, 0.005, 0.01)):
        run = thrown(kind, e, friction, h, mode, seed, -9.81)
        assert run.exit_code == 0, run.message
        assert rise(run) < 1e-6


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("h", [0.001, 0.005])
@pytest.mark.parametrize("e", [0.5, 0.9])
def test_a_dropped_stack_of_boxes_gives_no_energy(e, h, mode):
    size = (0.1, 0.08, 0.06)
    boxes = [
        RigidBody(name=f"b{i}", shape=Box(size=size), position=(0.003 * i, 0, 0.13 + 0.0602 * i))
        for i in range(3)
    ]
    names = ["floor", *(box.name for box in boxes)]
    pairs = [PairRestitution(a=a, b=b, restitution=e) for a, b in itertools.pairwise(names)]
    run = zoo_runs.run(scene([floor(), *boxes], 0.5, h, mode, pair_restitution=pairs))
    assert run.exit_code == 0, run.message
    assert rise(run) < 1e-6


@pytest.mark.parametrize("h", [0.002, 0.01, 0.02])
def test_balls_that_bounce_on_each_other_give_no_energy(h):
    rng = np.random.default_rng(3)
    balls = [
        RigidBody(
            name=f"b{i}", shape=Sphere(radius=0.03), position=(*rng.uniform(-0.01, 0.01, 2), 0.05 + 0.07 * i)
        )
        for i in range(4)
    ]
    names = ["floor", *(ball.name for ball in balls)]
    pairs = [PairRestitution(a=a, b=b, restitution=0.8) for i, a in enumerate(names) for b in names[i + 1 :]]
    run = zoo_runs.run(scene([floor(), *balls], 1.0, h, pair_restitution=pairs))
    assert run.exit_code == 0, run.message
    assert rise(run) < 1e-6
