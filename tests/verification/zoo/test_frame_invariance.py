# SPDX-License-Identifier: LGPL-2.1-or-later
"""Physics knows no axes and no origin: a scene that is turned, a kilometre away or mirrored runs the same.

After a few impacts chaos parts the runs in any frame; the time is such that round-off has not grown.
"""

import numpy as np
import pytest
import zoo_runs
from scipy.spatial.transform import Rotation
from zoo_scenes import MODES, floor, octahedron, scene, soft_box

from softcontact.scene import Box, Capsule, Cylinder, RigidBody, Sphere

SAME = Rotation.identity()
TURN = Rotation.from_euler("zyx", (50, -20, 70), degrees=True)


def bodies():
    """Five that fall on the floor, slide, turn and lean on each other."""
    lean = tuple(Rotation.from_euler("xyz", (8, 5, 30), degrees=True).as_quat())
    return [
        floor(0.3),
        RigidBody(
            name="box",
            shape=Box(size=(0.1, 0.08, 0.05)),
            position=(0, 0, 0.035),
            orientation=lean,
            velocity=(0.5, 0.2, 0),
        ),
        RigidBody(name="ball", shape=Sphere(radius=0.04), position=(0.02, 0.01, 0.14), velocity=(0, 0, -0.2)),
        RigidBody(
            name="can", shape=Cylinder(radius=0.03, height=0.08), position=(0.2, 0, 0.06), orientation=lean
        ),
        RigidBody(
            name="pill",
            shape=Capsule(radius=0.02, height=0.06),
            position=(0.3, 0.1, 0.06),
            orientation=lean,
            velocity=(-0.3, 0, 0),
        ),
        RigidBody(
            name="hull",
            shape=octahedron(0.05),
            position=(-0.2, 0, 0.06),
            orientation=lean,
            angular_velocity=(0, 0, 3),
        ),
        soft_box("soft", (0.06, 0.06, 0.06), 3e4, position=(0, -0.2, 0.0305), velocity=(0.4, 0, 0)),
    ]


def moved(body, turn=SAME, way=(0, 0, 0)):
    """A body in another frame."""
    update = {
        "position": tuple(turn.apply(body.position) + way),
        "orientation": tuple((turn * Rotation.from_quat(body.orientation)).as_quat()),
    }
    for name in ("velocity", "angular_velocity"):
        if hasattr(body, name):
            update[name] = tuple(turn.apply(getattr(body, name)))
    return body.model_copy(update=update)


def run(turn=SAME, way=(0.0, 0, 0), mode="points", order=1):
    made = [moved(b, turn, way) for b in bodies()][::order]
    return zoo_runs.run(scene(made, 0.3, 0.005, mode, gravity=tuple(turn.apply((0, 0, -9.81)))))


def difference(a, b, turn=SAME, way=(0, 0, 0)):
    """Largest distance of centres, and turn of axes, between two runs in two frames."""
    worst = 0.0
    for body in bodies():
        x, y = a[body.name], b[body.name]
        worst = max(worst, np.abs(turn.apply(x.centre) + way - y.centre).max())
        if body.kind == "rigid":
            worst = max(worst, 0.1 * (turn * x.rotation * y.rotation.inv()).magnitude().max())
    return worst


@pytest.mark.parametrize("mode", MODES)
def test_turned(mode):
    assert difference(run(mode=mode), run(TURN, mode=mode), TURN) < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_a_kilometre_away(mode):
    way = np.array([1000.0, -300.0, 50.0])
    assert difference(run(mode=mode), run(way=way, mode=mode), way=way) < 1e-6


@pytest.mark.parametrize("mode", MODES)
def test_moving_frame(mode):
    """Two bodies that meet while all fly by at 5 m/s, without gravity."""
    found = []
    for drift in (np.zeros(3), np.array([5.0, -3, 1])):
        pair = [
            RigidBody(
                name=name,
                shape=Box(size=(0.07,) * 3),
                position=(x, 0, z),
                velocity=tuple(drift + np.array([v, 0, 0])),
                angular_velocity=(3, 0, 8),
            )
            for name, x, z, v in (("a", -0.08, 0.0, 1.0), ("b", 0.08, 0.01, 0.0))
        ]
        made = zoo_runs.run(scene(pair, 0.2, 0.002, mode, gravity=(0, 0, 0)))
        found.append(np.stack([made[n].velocity - drift for n in "ab"]))
    assert np.abs(found[1] - found[0]).max() < 1e-5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shape", [Sphere(radius=0.04), Box(size=(0.08, 0.06, 0.05)), Capsule(radius=0.02, height=0.05)]
)
def test_mirrored(shape, mode):
    """Mirror images of each other's start run as mirror images of each other."""
    lean = Rotation.from_euler("xyz", (20, 10, 30), degrees=True)
    tracks = []
    for sign in (1, -1):
        turn = Rotation.from_rotvec(lean.as_rotvec() * [sign, 1, sign])  # mirrored in y
        body = RigidBody(
            name="b",
            shape=shape,
            position=(0, 0.01 * sign, 0.06),
            orientation=tuple(turn.as_quat()),
            velocity=(0.3, 0.2 * sign, -0.1),
            angular_velocity=(2 * sign, 1, 4 * sign),
            friction=0.4,
        )
        tracks.append(zoo_runs.run(scene([floor(0.4), body], 0.25, 0.002, mode))["b"])
    assert tracks[1].centre * [1, -1, 1] == pytest.approx(tracks[0].centre, abs=1e-5)
    assert tracks[1].spin * [-1, 1, -1] == pytest.approx(tracks[0].spin, abs=1e-2)


def test_order_of_bodies():
    """Bodies may come in any order."""
    assert difference(run(), run(order=-1)) < 1e-5
