# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars stand still on many contact points: statics, drift, chatter, and the weight on their feet."""

from dataclasses import replace

import numpy as np
import pytest

from softcontact import _core
from softcontact.avatar import WORLD_OPTIONS, StandingAvatar, human, robot, standing_loads
from softcontact.avatar.standing import sole_points
from softcontact.mesh import primitives

AVATARS = {"robot": robot(), "human": human()}
POINTS = {"robot": 32, "human": 108}
GRAVITY = 9.81


def standing(name, contact="point", **details):
    world = _core.World(1e-3, (0.0, 0.0, -GRAVITY), {**WORLD_OPTIONS, "contact": contact})
    ground = primitives.table((4.0, 4.0), 0.1)
    pose = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    world.add_kinematic_body("ground", ground.vertices, ground.triangles, *pose, 0.8)
    patches = ("foot",) if contact == "aggregate" else ()
    return world, StandingAvatar(world, AVATARS[name], patches=patches, **details)


@pytest.mark.parametrize("name", AVATARS)
def test_static_loads_leave_no_acceleration(name):
    avatar = AVATARS[name]
    model, q = avatar.model, avatar.standing()
    forces, torques = standing_loads(avatar, q)
    assert forces.min() > 0.0
    assert forces.sum() == pytest.approx(avatar.mass * GRAVITY, rel=1e-12)
    links, points = sole_points(avatar)
    assert len(points) == POINTS[name]
    wrenches = np.zeros((len(model.links), 6))
    for link, point, force in zip(links, points, forces, strict=True):
        rotation, _ = model.link_pose(q, link)
        push = np.array([0.0, 0.0, force])
        wrenches[model.index(link)] += np.concatenate([push, np.cross(rotation @ point, push)])
    acceleration = model.forward_dynamics(q, np.zeros(model.nv), torques, wrenches)
    # Light links turn easily: what counts is the force that is left.
    np.testing.assert_allclose(model.mass_matrix(q) @ acceleration, 0.0, atol=1e-9)


def test_a_posture_that_would_fall_is_refused():
    avatar = AVATARS["robot"]
    leaning = {f"{side}_ankle": [np.radians(-34.0)] for side in ("right", "left")}
    bent = replace(avatar, angles={**avatar.angles, **leaning})
    with pytest.raises(ValueError, match="centre of mass at x = 0"):
        standing_loads(bent, bent.standing())


@pytest.mark.parametrize(
    ("name", "contact", "seconds"),
    [("robot", "point", 2.0), ("human", "point", 0.4), ("robot", "aggregate", 2.0)],
)
def test_standing_still(name, contact, seconds):
    world, avatar = standing(name, contact)
    weight = AVATARS[name].mass * GRAVITY
    forces = []
    for _ in range(round(seconds / 0.01)):
        assert world.step(10), world.status()
        forces.append(avatar.foot_forces()[:, 2])
    assert world.statistics()["contacts"] >= POINTS[name]
    # It starts at rest and in balance; a patch settles its pressures, which takes some hundredths of a millimetre.
    assert np.abs(avatar.displacement()).max() < {"point": 1e-5, "aggregate": 1e-4}[contact]
    forces = np.array(forces)
    np.testing.assert_allclose(forces.sum(axis=1), weight, rtol=1e-3)
    assert (forces.std(axis=0) / forces.mean(axis=0)).max() < 1e-3


def test_patches_follow_the_weight_onto_the_heels_without_chatter():
    """Pushed back at the pelvis the human stands on ever less of its soles; no step tears points off."""
    world, avatar = standing("human", "aggregate")
    model, weight = avatar.avatar.model, AVATARS["human"].mass * GRAVITY
    push = model.generalized_force(
        avatar.configuration, "pelvis", np.zeros(3), (-40.0, 0.0, 0.0), np.zeros(3)
    )
    world.set_applied_force(avatar.id, push)
    totals, bearing = [], []
    for _ in range(700):
        assert world.step(1), world.status()
        totals.append(avatar.foot_forces()[:, 2].sum())
        bearing.append(sum(patch["contacts"] for patch in world.patches()))
    assert bearing[100] >= 0.9 * POINTS["human"] and bearing[-1] < 0.4 * POINTS["human"]
    settled = np.array(totals[200:])
    np.testing.assert_allclose(settled, weight, rtol=0.01)
    assert np.abs(np.diff(settled)).max() < 2e-3 * weight


def test_dropped_from_a_centimetre_it_lands_and_comes_to_rest(name="robot"):
    """Away from the balance it starts in, the servos and the feet have to do the work."""
    world, avatar = standing(name, lift=0.01)
    weight = AVATARS[name].mass * GRAVITY
    totals = []
    for _ in range(70):
        assert world.step(10), world.status()
        totals.append(avatar.foot_forces()[:, 2].sum())
    assert totals[0] == 0.0 and max(totals) > 1.05 * weight
    assert totals[-1] == pytest.approx(weight, rel=0.005)
    assert np.abs(avatar.displacement()[:3]).max() < 2e-3
    assert np.abs(world.joint_velocities(avatar.id)).max() < 1e-2


def test_servos_do_not_push_a_joint_past_its_limit():
    world, avatar = standing("robot")
    model, elbow = avatar.avatar.model, avatar.avatar.coordinates("right_forearm").start
    limit, beyond = np.radians(2.0), 0.5
    record = model.links[model.index("right_forearm")]
    targets = avatar.targets
    targets[record["q_offset"]] = beyond
    avatar.set_targets(targets)
    angles = []
    for _ in range(100):
        assert world.step(10), world.status()
        angles.append(avatar.configuration[record["q_offset"]])
    # An avatar's contacts are solved to 1e-6 rad/s, in steps of 1 ms.
    assert max(angles) <= limit + 1e-8 and angles[-1] == pytest.approx(limit, abs=1e-8)
    stiffness, _ = avatar.avatar.gains()
    gravity = model.bias_force(avatar.configuration, np.zeros(model.nv))[elbow]
    bearing = world.joint_constraint_forces(avatar.id)[elbow]
    assert bearing == pytest.approx(gravity - stiffness[elbow] * (beyond - limit), rel=1e-3)


def test_roles_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="roles: 'tail' is unknown"):
        standing("robot", roles=("foot", "tail"))
    with pytest.raises(ValueError, match="patches: 'sole' is unknown"):
        StandingAvatar(None, AVATARS["robot"], patches=("sole",))
