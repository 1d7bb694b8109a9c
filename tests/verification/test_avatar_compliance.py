# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars that are led: the compliant chain, forces taken to the wrist, balance, and pushes on the whole body."""

import numpy as np
import pytest
from test_avatar_standing import standing

from softcontact.avatar import (
    AvatarController,
    Balance,
    CompliantChain,
    human,
    robot,
    transported,
)

AVATARS = {"robot": robot(), "human": human()}
NONE = np.zeros(3)


def names_of(avatar, mask):
    return {link["name"] for link in avatar.links if mask[avatar.coordinates(link["name"])].any()}


def test_the_chain_runs_from_the_touched_body_to_the_waist():
    avatar = AVATARS["human"]
    chain = CompliantChain(avatar, avatar.standing())
    arm = {"right_hand", "right_forearm", "right_upper_arm", "thorax", "abdomen"}
    assert names_of(avatar, chain.chain("right_hand")) == arm
    assert names_of(avatar, chain.chain("head")) == {"head", "thorax", "abdomen"}
    assert names_of(avatar, chain.chain("left_shank")) == {"left_shank", "left_thigh"}
    assert not chain.chain("pelvis").any()


@pytest.mark.parametrize("name", AVATARS)
def test_the_chain_follows_its_law(name):
    avatar = AVATARS[name]
    q = avatar.standing()
    inertia, damping = 0.5, 8.0
    chain = CompliantChain(avatar, q, inertia=inertia, damping=damping, speed_limit=100.0)
    force, step, time = np.array([1.0, -0.5, 2.0]), 1e-4, 0.1
    hand = avatar.hands[0]
    for _ in range(round(time / step)):
        chain.step(q, [(hand, NONE, force, NONE)], step)
    torque = avatar.model.jacobian(q, hand).T @ force
    torque[~chain.chain(hand)] = 0.0
    expected = torque / damping * (1.0 - np.exp(-damping * time / inertia))
    np.testing.assert_allclose(chain.rate, expected, rtol=2e-3, atol=1e-9)
    for _ in range(round(2.0 / 0.01)):  # let go, it comes to rest where it is
        chain.step(q, [], 0.01)
    assert np.abs(chain.rate).max() < 1e-9
    assert np.abs(avatar.model.difference(q, chain.desired)).max() > 1e-3


def test_a_stiff_chain_returns():
    avatar = AVATARS["robot"]
    q = avatar.standing()
    chain = CompliantChain(avatar, q, stiffness=40.0, damping=20.0)
    for loads, seconds in (([("head", NONE, np.array([0.0, 20.0, 0.0]), NONE)], 1.0), ([], 5.0)):
        for _ in range(round(seconds / 0.01)):
            chain.step(q, loads, 0.01)
    assert np.abs(avatar.model.difference(q, chain.desired)).max() < 1e-3


def test_desired_positions_stay_inside_the_limits():
    avatar = AVATARS["robot"]
    chain = CompliantChain(avatar, avatar.standing(), damping=2.0)
    lower, upper = avatar.limits()
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        for _ in range(200):
            q = chain.step(chain.desired, [("left_hand", NONE, 60.0 * direction, NONE)], 0.01)
            assert (q[7:] >= lower[6:] - 1e-12).all() and (q[7:] <= upper[6:] + 1e-12).all()
    assert np.abs(avatar.model.difference(avatar.standing(), q)).max() > 0.5


def test_a_force_on_a_held_object_does_the_same_work_at_the_wrist():
    avatar = AVATARS["robot"]
    q = avatar.standing()
    wrist = avatar.wrists[0]
    rotation, origin = avatar.model.link_pose(q, wrist)
    held = np.array([0.05, -0.02, -0.2])  # in the wrist's axes
    force, torque = np.array([3.0, -4.0, 5.0]), np.array([0.1, 0.2, -0.3])
    link, point, moved_force, moved_torque = transported(
        avatar, q, wrist, rotation @ held + origin, force, torque
    )
    expected = avatar.model.generalized_force(q, wrist, held, force, torque)
    found = avatar.model.generalized_force(q, link, point, moved_force, moved_torque)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", AVATARS)
def test_balance_keeps_the_centre_of_mass_and_the_feet(name):
    avatar = AVATARS[name]
    model, rest = avatar.model, avatar.standing()
    reach = np.zeros(model.nv)
    for side in ("right", "left"):
        reach[avatar.coordinates(f"{side}_upper_arm")] += 0.3
        reach[avatar.coordinates(f"{side}_forearm")] += 0.5
    desired = model.integrate(rest, reach)
    before, after = model.centre_of_mass(rest), model.centre_of_mass(desired)
    assert np.linalg.norm((after - before)[:2]) > 2e-3
    balance = Balance(avatar, rest)
    q = balance.step(desired, [], 0.01)
    assert np.linalg.norm((model.centre_of_mass(q) - before)[:2]) < 3e-4
    for foot in avatar.feet:
        for ours, theirs in zip(model.link_pose(q, foot), model.link_pose(rest, foot), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-3)
    upper = [link["name"] for link in avatar.links if "arm" in link["name"]]
    for link in upper:
        own = avatar.coordinates(link)
        np.testing.assert_allclose(model.difference(desired, q)[own], 0.0, atol=1e-12)


def test_balance_leans_against_a_force():
    avatar = AVATARS["robot"]
    rest = avatar.standing()
    balance = Balance(avatar, rest, lean=1.0, reach=1.0)
    _, origin = avatar.model.link_pose(rest, "chest")
    for _ in range(400):
        balance.step(rest, [("chest", NONE, np.array([20.0, -10.0, 0.0]), NONE)], 0.01)
    expected = -origin[2] * np.array([20.0, -10.0]) / (58.0 * 9.81)
    np.testing.assert_allclose(balance.lean, expected, rtol=1e-6)


PUSHES = [
    ("robot", "chest", (0.0, 0.0, 0.15), (1.0, 0.0, 0.0)),
    ("robot", "right_wrist_pitch", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ("human", "head", (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    ("human", "right_hand", (0.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
]


@pytest.mark.parametrize(("name", "link", "point", "direction"), PUSHES)
def test_pushed_with_twenty_newtons_it_gives_way_and_returns(name, link, point, direction):
    _, body = standing(name, "aggregate")
    avatar, model = body.avatar, body.avatar.model
    chain = CompliantChain(avatar, body.posture, damping=30.0, stiffness=60.0)
    control = AvatarController(body, chain=chain, balance=Balance(avatar, body.posture))
    control.run(0.5, [(link, np.array(point), 20.0 * np.array(direction), NONE)])
    moved = np.abs(body.displacement())
    touched = chain.chain(link)
    assert moved[touched].max() > 0.02
    legs = np.zeros(model.nv, dtype=bool)
    for part in avatar.links:
        if names_of(avatar, chain.chain(avatar.feet[0]) | chain.chain(avatar.feet[1])) & {part["name"]}:
            legs[avatar.coordinates(part["name"])] = True
    still = ~touched & ~legs
    still[:6] = False
    assert moved[still].max() < 0.01  # the other arm holds; the legs balance
    control.run(2.5)
    assert np.abs(body.displacement()[:3]).max() < 2e-3
    assert np.abs(body.displacement()[6:]).max() < 0.01
    for foot in avatar.feet:
        slid = model.link_pose(body.configuration, foot)[1] - model.link_pose(body.posture, foot)[1]
        assert np.linalg.norm(slid) < 1e-3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a, q: CompliantChain(a, q, inertia=0.0), "inertia = 0.0"),
        (lambda a, q: CompliantChain(a, q, damping=np.nan), "damping = nan"),
        (lambda a, q: CompliantChain(a, q, stiffness=-1.0), "stiffness = -1.0"),
        (lambda a, q: Balance(a, q, lean=1.5), "lean = 1.5"),
        (lambda a, q: Balance(a, q, reach=0.0), "reach = 0.0"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    avatar = AVATARS["robot"]
    with pytest.raises(ValueError, match=message):
        make(avatar, avatar.standing())


def test_a_period_between_steps_is_refused():
    _, body = standing("robot")
    with pytest.raises(ValueError, match=r"period = 0.0015 s must be a multiple"):
        AvatarController(body, period=1.5e-3)
