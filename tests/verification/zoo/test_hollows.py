# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies in hollow and on uneven ones come to rest: balls in a cup, boxes in a groove and on a dome, in either mode."""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, prism, scene

from softcontact.scene import Box, Cylinder, KinematicBody, Mesh, RigidBody, Sphere


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


def ground(height, half: float = 0.15, cells: int = 10) -> Mesh:
    """A slab over a square whose top is z = height(x, y)."""
    grid = np.linspace(-half, half, cells + 1)
    corners = [(x, y) for x in grid for y in grid]
    vertices = [(x, y, height(x, y)) for x, y in corners] + [(x, y, -0.1) for x, y in corners]
    n, below = cells + 1, len(corners)
    triangles = []
    for i in range(cells):
        for j in range(cells):
            a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
            for p, q, r in ((a, b, c), (a, c, d)):
                triangles += [(p, q, r), (below + p, below + r, below + q)]
    rim = [i * n for i in range(cells)] + [cells * n + j for j in range(cells)]
    rim += [i * n + cells for i in range(cells, 0, -1)] + list(range(cells, 0, -1))
    for a, b in zip(rim, rim[1:] + rim[:1], strict=True):
        triangles += [(a, below + a, below + b), (a, below + b, b)]
    return Mesh(vertices=vertices, triangles=triangles)


CUP = lathe([(0, 0), (0.05, 0), (0.05, 0.1), (0.045, 0.1), (0.045, 0.005), (0, 0.005)])
GROOVE = prism([(0, 0.02), (-0.1, 0.08), (-0.1, 0), (0.1, 0), (0.1, 0.08)], 0.3)


def brought_to_rest(hollow, bodies, duration, h, mode, speed=1e-5):
    """A run at the end of which no body moves faster than this [m/s], over its last fifth."""
    run = zoo_runs.run(scene([hollow, *bodies], duration, h, mode))
    assert run.exit_code == 0, run.message
    late = run.time > 0.8 * run.time[-1]
    for body in bodies:
        assert np.linalg.norm(run[body.name].velocity[late], axis=1).max() < speed
    return run


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
    run = brought_to_rest(KinematicBody(name="cup", shape=CUP), balls, 2.0, h, mode)
    assert weight_borne(run, [ball.name for ball in balls], "cup") == pytest.approx((1.0, 0.0), abs=1e-4)


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
    brought_to_rest(KinematicBody(name="groove", shape=GROOVE), boxes, 2.5, h, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("form", "shape"),
    [(form, Box(size=(0.1, 0.08, 0.04))) for form in ("dome", "bowl", "valley")]
    + [(form, Cylinder(radius=0.05, height=0.02)) for form in ("bowl", "valley")],
)
def test_bodies_on_ground_that_is_almost_flat_come_to_rest(form, shape, mode):
    """A degree over the body: half a millimetre, which is too much for one patch. A coin on a dome rolls for long."""
    slope = np.tan(np.radians(1))
    height = {
        "dome": lambda x, y: -3 * slope * (x * x + y * y),
        "bowl": lambda x, y: 3 * slope * (x * x + y * y),
        "valley": lambda x, y: slope * abs(x),
    }[form]
    uneven = KinematicBody(name="ground", shape=ground(height), friction=0.4)
    body = RigidBody(name="b", shape=shape, position=(0.013, 0.007, 0.035), friction=0.4)
    brought_to_rest(uneven, [body], 2.0, 0.005, mode, speed=1e-6)
