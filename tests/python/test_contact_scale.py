# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact distances follow the size of a scene unless it gives its own."""

import pytest

from softcontact.engines.contact_scale import contact_distances
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene import Box, ContactSettings, Hand, KinematicBody, RigidBody, Scene, SceneError, Sphere
from softcontact.scene.surfaces import surface_mesh


def scene(*bodies, **contact):
    table = KinematicBody(name="table", shape=Box(size=(5.0, 5.0, 0.1)), position=(0, 0, -0.05))
    return Scene(name="size", duration=0.1, bodies=[table, *bodies], contact=ContactSettings(**contact))


def ball(radius, name="ball", height=None):
    return RigidBody(name=name, shape=Sphere(radius=radius), position=(0, 0, height or 1.02 * radius))


@pytest.mark.parametrize("radius", [0.0035, 0.035, 0.35])
def test_alarm_distance_is_a_35th_of_the_smallest_moving_body(radius):
    distances = contact_distances(scene(ball(radius), ball(10 * radius, "big")), surface_mesh)
    assert distances["alarm_distance"] == pytest.approx(2 * radius / 35, rel=0.01)
    assert distances["contact_offset"] == pytest.approx(distances["alarm_distance"] / 1000)
    assert distances["max_penetration"] == pytest.approx(distances["alarm_distance"] * 5)


def test_what_the_scene_gives_counts():
    given = {"alarm_distance": 1e-3, "contact_offset": 0.0, "max_penetration": 4e-3}
    assert contact_distances(scene(ball(0.3), **given), surface_mesh) == given


def test_hand_keeps_the_papers_two_millimetres():
    large = scene(ball(0.2), Hand(name="hand"))
    assert contact_distances(large, surface_mesh)["alarm_distance"] == 2e-3
    assert contact_distances(scene(ball(0.02), Hand(name="hand")), surface_mesh)["alarm_distance"] < 2e-3


def test_offset_that_does_not_fit_is_refused_with_both_numbers():
    with pytest.raises(
        SceneError, match=r"contact_offset: 0\.003 m must be less than the alarm distance, 0\.002"
    ):
        contact_distances(scene(ball(0.035), contact_offset=3e-3), surface_mesh)


@pytest.mark.parametrize("offset", [None, 4e-3])
def test_exact_shapes_rest_where_they_touch(offset):
    engine = EmbeddedEngine(scene(ball(0.35), contact_offset=offset))
    for _ in range(400):
        engine.step()
    gap = engine.vertices("ball")[:, 2].min()
    assert gap == pytest.approx(0.0, abs=1e-7)
