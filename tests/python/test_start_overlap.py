# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes that no engine could run rightly are refused at the door."""

import warnings

import pytest

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene import (
    Box,
    ContactSettings,
    KinematicBody,
    Material,
    PairOff,
    RigidBody,
    Scene,
    SceneError,
    SceneWarning,
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
