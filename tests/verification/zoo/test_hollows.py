# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies in hollow ones come to rest: balls in a cup, boxes in a groove, in points and in patches."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, prism, scene

from softcontact.scene import Box, KinematicBody, Mesh, RigidBody, Sphere


def lathe(profile, around: int = 20) -> Mesh:
    """A closed polygon (k, 2) in (r, z), counter-clockwise, turned about z."""
    vertices, rows, triangles = [], [], []
    for r, z in profile:
        first, count = len(vertices), around if r > 0 else 1
        angles = 2 * np.pi * np.arange(count) / count
        vertices += [(r * np.cos(a), r * np.sin(a), z) for a in angles]
        rows.append([first + k % count for k in range(around)])
    for low, high in zip(rows, rows[1:] + rows[:1], strict=True):
        for k in range(around):
            a, b, c, d = low[k], low[(k + 1) % around], high[(k + 1) % around], high[k]
            triangles += [t for t in ((a, b, c), (a, c, d)) if len(set(t)) == 3]
    return Mesh(vertices=vertices, triangles=triangles)


CUP = lathe([(0, 0), (0.05, 0), (0.05, 0.1), (0.045, 0.1), (0.045, 0.005), (0, 0.005)])
GROOVE = prism([(0, 0.02), (-0.1, 0.08), (-0.1, 0), (0.1, 0), (0.1, 0.08)], 0.3)


def at_rest(run, names):
    """Largest speed of any of the bodies in the last fifth of the run [m/s]."""
    late = run.time > 0.8 * run.time[-1]
    return max(np.linalg.norm(run[name].velocity[late], axis=1).max() for name in names)


def weight_borne(run, names, by):
    """Vertical force of a body on others, over their weight, in the last fifth of the run: mean and deviation."""
    force = sum(run.result.contact_force(name, by=by)[:, 2] for name in names)
    weight = sum(run._moments[name][0] for name in names) * G
    late = force[int(0.8 * len(force)) :]
    return late.mean() / weight, late.std() / weight


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("h", [0.002, 0.005, 0.01])
def test_balls_in_a_cup_come_to_rest(h, mode):
    balls = [
        RigidBody(
            name=f"b{i}",
            shape=Sphere(radius=0.018),
            mass=0.05,
            position=(0.015 * np.cos(2.1 * i), 0.015 * np.sin(2.1 * i), 0.05 + 0.04 * i),
        )
        for i in range(4)
    ]
    names = [ball.name for ball in balls]
    run = zoo_runs.run(scene([KinematicBody(name="cup", shape=CUP), *balls], 2.0, h, mode))
    assert run.exit_code == 0, run.message
    assert at_rest(run, names) < 1e-6
    assert weight_borne(run, names, "cup") == pytest.approx((1.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("h", [0.002, 0.005, 0.01])
def test_boxes_in_a_groove_come_to_rest(h, mode):
    boxes = [
        RigidBody(
            name=f"b{i}",
            shape=Box(size=(0.06, 0.05, 0.04)),
            position=(0.01 * (1 - i), 0, 0.1 + 0.07 * i),
            orientation=tuple(np.append(np.sin(turn / 2) * np.array([1, 2, 3]) / 14**0.5, np.cos(turn / 2))),
        )
        for i, turn in enumerate((0.52, 1.22))
    ]
    run = zoo_runs.run(scene([KinematicBody(name="groove", shape=GROOVE), *boxes], 2.5, h, mode))
    assert run.exit_code == 0, run.message
    assert at_rest(run, ["b0", "b1"]) < 1e-6
