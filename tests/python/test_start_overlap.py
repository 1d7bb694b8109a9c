# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes that no engine could run rightly are refused at the door."""

import warnings

import pytest

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene import (
    Box,
    ContactSettings,
    Keyframes,
    KinematicBody,
    Material,
    PairOff,
    PairRestitution,
    Plane,
    RigidBody,
    Scene,
    SceneError,
    SceneWarning,
    Sphere,
    TetrahedralBody,
    TetrahedralBox,
)

TABLE = KinematicBody(name="table", shape=Box(size=(0.3, 0.3, 0.1)), position=(0, 0, -0.05))


def cube(name, height, soft=True):
    if soft:
        shape = TetrahedralBox(size=(0.04, 0.04, 0.04), divisions=(3, 3, 3))
        return TetrahedralBody(name=name, shape=shape, material=Material(young=2e4), position=(0, 0, height))
    return RigidBody(name=name, shape=Box(size=(0.04, 0.04, 0.04)), position=(0, 0, height))


def scene(*bodies, **fields):
    return Scene(name="start", duration=0.1, bodies=[TABLE, *bodies], **fields)


@pytest.mark.parametrize("soft", [True, False])
def test_body_inside_another_is_refused_with_both_names_and_the_depth(soft):
    with pytest.raises(SceneError, match=r"'table' and 'cube' overlap by 15 mm at the start"):
        EmbeddedEngine(scene(cube("cube", 0.005, soft)))


def test_soft_bodies_merged_at_the_start_are_refused():
    with pytest.raises(SceneError, match="'low' and 'top' overlap"):
        EmbeddedEngine(scene(cube("low", 0.0205), cube("top", 0.027)))


def test_slight_overlap_and_pairs_that_do_not_collide_are_fine():
    EmbeddedEngine(scene(cube("cube", 0.019)))
    EmbeddedEngine(scene(cube("cube", 0.005), pairs_off=[PairOff(a="table", b="cube")]))


def test_alarm_distance_out_of_proportion_is_refused():
    with pytest.raises(SceneError, match=r"contact\.alarm_distance: 10 m for a body of 0\.04 m"):
        EmbeddedEngine(scene(cube("cube", 0.0205), contact=ContactSettings(alarm_distance=10.0)))


def test_a_clearance_below_the_offset_is_told_where_there_is_one():
    offset = ContactSettings(contact_offset=1e-3)
    with pytest.warns(SceneWarning, match=r"'table' and 'cube' are 0\.4 mm apart .* offset of 1 mm"):
        EmbeddedEngine(scene(cube("cube", 0.0204), contact=offset))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EmbeddedEngine(scene(cube("cube", 0.0204, soft=False), contact=offset))  # exact shapes keep none
        EmbeddedEngine(scene(cube("cube", 0.0204)))  # nor is the usual one that large


def test_a_body_that_reaches_through_a_thin_floor_is_refused():
    floor = KinematicBody(name="floor", shape=Box(size=(1, 1, 0.02)), position=(0, 0, -0.01))
    body = RigidBody(name="b", shape=Box(size=(0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.03))
    with pytest.raises(SceneError, match="'floor' and 'b' overlap by 20 mm at the start"):
        EmbeddedEngine(Scene(name="start", duration=0.1, bodies=[floor, body]))


def test_the_depth_told_is_that_of_the_way_out():
    ball = RigidBody(name="ball", shape=Sphere(radius=0.05), mass=1.0)
    box = RigidBody(name="box", shape=Box(size=(0.1, 0.1, 0.1)), mass=1.0)
    with pytest.raises(SceneError, match="'ball' and 'box' overlap by 100 mm at the start"):
        EmbeddedEngine(Scene(name="start", duration=0.1, bodies=[ball, box]))
    with pytest.raises(SceneError, match="overlap by 550 mm at the start"):
        under = KinematicBody(name="ground", shape=Plane(), position=(0, 0, 0.5))
        EmbeddedEngine(Scene(name="start", duration=0.1, bodies=[under, ball]))


def test_restitution_of_a_soft_body_is_refused():
    with pytest.raises(
        ValueError, match=r"pair_restitution\[0\]\.b: 'cube' is tetrahedral; what is soft bounces"
    ):
        scene(cube("cube", 0.03), pair_restitution=[PairRestitution(a="table", b="cube", restitution=0.5)])
    scene(cube("cube", 0.03), pair_restitution=[PairRestitution(a="table", b="cube", restitution=0.0)])


def test_a_position_that_the_first_keyframe_overrules_is_told():
    motion = Keyframes(body="k", times=(0, 1), positions=((0, 0, 1), (0, 0, 1)))
    near = KinematicBody(name="k", shape=Box(size=(0.1, 0.1, 0.1)), position=(0, 0, 0.5))
    with pytest.warns(SceneWarning, match=r"position of 'k' does not count: motions\[0\] begins 0\.5 m away"):
        scene(near, motions=[motion])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SceneWarning)
        scene(near.model_copy(update={"position": (0, 0, 1)}), motions=[motion])
