# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars in scenes: led by a box, touched and shaken by a hand; what a scene may not ask of them."""

import numpy as np
import pytest

from softcontact.engines import make_engine
from softcontact.haptics import HandScript, HapticSession, SimulatedDevice, VirtualWall
from softcontact.runner import run
from softcontact.scene import (
    AvatarBody,
    Box,
    DistanceProbe,
    HeldDevice,
    KinematicBody,
    Scene,
    SceneError,
)
from softcontact.scene.library import load

QUICK = {"feet": "aggregate"}


def value(result, name):
    return next(check["value"] for check in result.checks if check["name"] == name)


def test_the_robot_is_led_by_its_box_lets_go_and_the_weight_is_felt():
    options = {**QUICK, "way": 0.06, "speed": 0.1, "hurry": 2.0}
    result = run(load("avatar", options), record=False, replay=False, progress=False)
    assert result.exit_code == 0, (result.message, result.checks)
    assert value(result, "led to where the person wants it") < 0.03
    assert value(result, "its weight is felt") == pytest.approx(-0.2 * 9.81, rel=0.01)
    history = result.history
    held = history.time < 0.2
    force = history.devices["box"]["force"]
    assert np.abs(force[held]).max() < 0.3  # the avatar bears it
    assert history.poses["box"][-1, 1] == pytest.approx(0.06, abs=0.002)
    feet = ("robot_right_foot", "robot_left_foot")
    upwards = sum(history.contact_force(foot, "ground")[:, 2] for foot in feet)
    weight = 9.81 * np.array([58.2, 58.0])  # with the box and without it
    np.testing.assert_allclose(upwards[[300, -1]], weight, rtol=0.005)


def test_the_human_is_shaken_by_the_hand_and_its_hand_returns():
    options = {**QUICK, "who": "human", "shakes": 1, "rate": 2.0}
    scene = load("handshake", options)
    result = run(scene, record=False, replay=False, progress=False)
    assert result.exit_code == 0, (result.message, result.checks)
    moved = result.history.probes["hand moved"]
    assert moved.max() > 0.03 and moved[-1] < 0.02
    assert result.history.probes["other hand moved"].max() < 0.5 * moved.max()


def test_a_fingertip_that_pushes_a_palm_is_felt():
    scene = load("handshake", {**QUICK, "touch": "push", "aside": 0.05})
    scene = scene.model_copy(update={"steps": 2000})
    result = run(scene, record=False, replay=False, progress=False)
    force = result.history.devices["finger"]["force"]
    before, pushing = result.history.time < 0.4, result.history.time > 1.5
    assert np.abs(force[before]).max() < 0.25
    assert force[pushing, 1].min() > 0.3  # out of the palm, to the left
    palm = result.history.contact_force("robot", "finger")[pushing]
    np.testing.assert_allclose(palm[-1], -force[-1], atol=0.15)
    assert result.history.probes["hand moved aside"][-1] < -0.02


def test_by_the_contact_model_the_palm_is_felt_sooner_and_air_less():
    """Against two couplings in a row, whose haptic tool has to be dragged along."""
    late, air = {}, {}
    for law in ("contact", "couplings"):
        scene = load("handshake", {"touch": "push", "law": law, "hands": "point"})
        scene = scene.model_copy(update={"steps": 900})
        history = run(scene, record=False, replay=False, progress=False).history
        force = history.devices["finger"]["force"][:, 1]
        touched = np.argmax(np.abs(history.contact_force("robot", "finger")[:, 1]) > 0.0)
        assert 700 < touched < 850
        late[law] = np.argmax(np.abs(force[touched:]) > 0.1)
        air[law] = np.abs(force[350:700]).max()
    assert 0 < late["contact"] < 0.6 * late["couplings"]
    assert air["contact"] < 0.05 < air["couplings"]


def test_a_recorded_device_pushes_the_palm_like_the_simulated_one(tmp_path):
    scene = load("handshake", {**QUICK, "touch": "push", "aside": 0.05})
    hand = scene.motions[0]
    device = SimulatedDevice(HandScript(hand.times, hand.positions))
    with HapticSession(device, VirtualWall(), clock="simulated", record=2.0) as session:
        session.tick(2000)
        session.recording().save(tmp_path / "hand.h5")
    played = HeldDevice(body="finger", recording=str(tmp_path / "hand.h5"))
    found = {}
    for name, motion in (("simulated", hand), ("recorded", played)):
        result = run(
            scene.model_copy(update={"motions": (motion,), "steps": 1500}),
            record=False,
            replay=False,
            progress=False,
        )
        found[name] = result.history
    force = {name: history.devices["finger"]["force"][1300:, 1] for name, history in found.items()}
    aside = {name: history.probes["hand moved aside"][-1] for name, history in found.items()}
    assert force["recorded"].mean() > 0.3
    assert force["recorded"].mean() == pytest.approx(force["simulated"].mean(), rel=0.25)
    # No hand gives way before the recorded one: it goes on a little.
    assert 1.3 * aside["simulated"] < aside["recorded"] < aside["simulated"] < -0.01


GROUND = KinematicBody(name="ground", shape=Box(size=(3.0, 3.0, 0.1)), position=(0.0, 0.0, -0.05))


def tiny(**details):
    return Scene(
        name="tiny",
        duration=0.01,
        time_step=1e-3,
        contact={"alarm_distance": 2e-3, "contact_offset": 5e-4},
        **details,
    )


@pytest.mark.parametrize(
    ("avatar", "message"),
    [
        ({"position": (0.0, 0.0, 0.5)}, "upright on z = 0"),
        ({"holds": "ground", "offers": (0.4, 0.0, 0.9)}, "holds and offers are both given"),
        ({"release": 1.0}, "release: it holds nothing"),
        ({"holds": "nobody"}, "no body 'nobody'"),
        ({"who": "ghost"}, "who"),
    ],
)
def test_avatars_that_make_no_sense_are_refused(avatar, message):
    with pytest.raises((SceneError, ValueError), match=message):
        tiny(bodies=[GROUND, AvatarBody(name="robot", **avatar)])


@pytest.mark.parametrize(
    ("avatar", "motion", "message"),
    [
        ({"holds": "ground"}, {}, "'ground' is kinematic; name a rigid body or a tool"),
        ({"offers": (1.4, 0.0, 0.9)}, {}, "does not reach right_gripper"),
        ({}, {"link": "tail"}, "link"),
    ],
)
def test_avatars_that_cannot_be_built_are_refused(avatar, motion, message):
    motions = (
        [HeldDevice(body="robot", times=(0.0,), positions=((0.0, 0.0, 0.0),), **motion)] if motion else []
    )
    scene = tiny(bodies=[GROUND, AvatarBody(name="robot", **avatar)], motions=motions)
    with pytest.raises(SceneError, match=message):
        make_engine(scene)


@pytest.mark.parametrize(
    ("body", "link", "message"),
    [("robot", "tail", "no link 'tail'"), ("ground", "foot", "'ground' is kinematic, which has no links")],
)
def test_probes_of_links_that_do_not_exist_are_refused(body, link, message):
    scene = tiny(
        bodies=[GROUND, AvatarBody(name="robot")],
        probes=[DistanceProbe(name="moved", body=body, link=link)],
    )
    with pytest.raises(SceneError, match=message):
        run(scene, record=False, replay=False, progress=False)


def test_a_device_needs_a_link_of_an_avatar_and_of_nothing_else():
    at = {"times": (0.0,), "positions": ((0.0, 0.0, 0.0),)}
    with pytest.raises(ValueError, match=r"motions\[0\].link: name a link where the body is an avatar"):
        tiny(bodies=[GROUND, AvatarBody(name="robot")], motions=[HeldDevice(body="robot", **at)])
    with pytest.raises(ValueError, match="give times and positions of a hand, or a recording"):
        HeldDevice(body="robot", link="head", recording="hand.h5", **at)
    with pytest.raises(ValueError, match="law: a link has no contact with the device"):
        HeldDevice(body="robot", link="head", law="contact", **at)
    played = HeldDevice(body="robot", link="head", recording="no such file")
    with pytest.raises(SceneError, match=r"motions \(robot\).recording: no such file: "):
        make_engine(tiny(bodies=[GROUND, AvatarBody(name="robot")], motions=[played]))
    with pytest.raises(SceneError, match=r"contact\.model, and the feet and hands of avatars, to 'point'"):
        make_engine(load("handshake", {**QUICK, "touch": "push", "law": "contact"}))
    with pytest.raises(ValueError, match="3 rows for 1 times"):
        HeldDevice(body="robot", link="head", times=(0.0,), positions=((0.0, 0.0, 0.0),) * 3)
