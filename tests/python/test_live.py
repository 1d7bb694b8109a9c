# SPDX-License-Identifier: LGPL-2.1-or-later
"""Live scenes without a page: the pair of threads on the wall clock, moved, changed, stopped, started again."""

import os
import threading
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.live import open_scene
from softcontact.live.frame import split
from softcontact.live.tool_scene import PULL
from softcontact.scene import SceneError
from softcontact.scene.library import load

DOWN = np.array([0.0, 0.0, -0.0065])  # from where the tool of `block` starts: 2.5 mm below its first touch


def until(condition, seconds=20.0):
    """Wait for something that the running threads bring about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def settled(live, tolerance=0.02):
    """The normal force once it does not change any more [N]."""
    seen = [live.read().normal]

    def steady():
        time.sleep(0.06)
        seen.append(live.read().normal)
        return len(seen) > 5 and np.ptp(seen[-5:]) < tolerance * max(0.1, abs(seen[-1]))

    until(steady)
    return seen[-1]


@pytest.fixture
def block():
    with open_scene(load("block", {})) as live:
        yield live


def pressed(live):
    live.start()
    live.move(live.steering.start + DOWN)
    until(lambda: live.read().normal > 0.2)
    return settled(live)


def test_a_pressed_block_pushes_back_and_lets_go(block):
    first = block.frame
    assert set(first.vertices) == {"block", "tool"} and not len(first.points) and not block.running
    force = pressed(block)
    read, frame = block.read(), block.frame
    assert force > 0.5 and read.contacts > 3 and read.speed > 0.2 and read.step_ms > 0.0
    assert read.fast["state"] == "touching" and read.fast["rate_hz"] == 1000.0 and read.fast["work_us"] > 0.0
    assert frame.number > first.number and frame.normal[2] > 0.9 and frame.forces[0, 2] > 0.0
    assert frame.vertices["block"][:, 2].max() <= 0.0402  # the middle goes down, the rest hardly comes up
    assert (first.vertices["block"] - frame.vertices["block"])[:, 2].max() > 5e-4
    times, normal, _ = block.history.arrays()
    assert len(times) > 10 and normal.max() >= 0.8 * force
    block.move(block.steering.start)
    until(lambda: abs(block.read().normal) < 0.02)


def test_controls_do_what_they_say(block):
    force = pressed(block)
    young = block.values["young_block"]
    block.set("young_block", 3.0 * young)
    assert settled(block) > 1.15 * force
    block.set("young_block", young)
    assert settled(block) == pytest.approx(force, rel=0.05)
    block.set("coupling_stiffness", 0.2 * block.values["coupling_stiffness"])
    assert settled(block) < 0.7 * force
    block.set("coupling_damping", 2.0 * block.values["coupling_damping"])
    assert block.coupling.damping == block.values["coupling_damping"]
    assert settled(block) < 0.7 * force
    for name, value in (("young_block", 1e12), ("friction", -0.1), ("friction", np.nan), ("mass", 1.0)):
        with pytest.raises(ValueError, match=name):
            block.set(name, value)
    assert block.error is None


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_friction_is_what_the_control_says(block, friction):
    block.set("friction", friction)
    pressed(block)
    goal = block.steering.start + DOWN + np.array([0.03, 0.0, 0.0])
    block.move(goal)
    ratios = {}

    def arrived():
        frame = block.frame
        if len(frame.forces):
            normal, tangential = split(frame.forces[0], frame.normal)
            ratios[frame.number] = tangential / normal
        return frame.device[0] > goal[0] - 0.002

    until(arrived)
    assert len(ratios) > 2 and max(ratios.values()) == pytest.approx(friction, abs=0.1)


def test_pause_restart_and_close(block):
    pressed(block)
    block.pause()
    assert not block.running and block.read().speed == 0.0
    stopped = block.read().time
    assert not np.any(block._session.readout()["wrench"]) or block.read().fast["state"] != "touching"
    time.sleep(0.1)
    assert block.read().time == stopped
    block.start()
    until(lambda: block.read().time > stopped + 0.05 and block.read().normal > 0.2)
    block.set("young_block", 6e4)
    block.restart()
    assert block.running and block.values["young_block"] == 6e4
    until(lambda: block.read().time > 0.05)
    assert block.read().normal < 0.1 and block.target[0] == pytest.approx(block.steering.start)
    stiff = pressed(block)
    block.restart()
    block.set("young_block", 2e4)
    assert stiff > 1.15 * pressed(block)
    block.close()
    block.close()
    with pytest.raises(ValueError, match="closed"):
        block.start()


def test_figures_can_be_read_while_it_restarts(block):
    block.start()
    failed, over = [], threading.Event()

    def read():
        while not over.is_set():
            try:
                assert block.read().time >= 0.0 and block.frame.device is not None
            except Exception as error:
                failed.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(5):
        block.restart()
    over.set()
    reader.join()
    assert not failed


def threads():
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads by /proc")
def test_no_thread_is_left():
    with open_scene(load("block", {})) as live:
        live.start()
    before = threads()
    for _ in range(3):
        with open_scene(load("block", {})) as live:
            live.start()
            until(lambda live=live: live.read().time > 0.03)
            live.restart()
            assert threads() == before + 2  # the fast one and the slow one
    assert threads() == before


def test_a_failure_is_told_and_a_restart_mends_it(block, monkeypatch):
    pressed(block)

    def fails(duration):
        raise ValueError("body 'block': positions are not finite")

    block._loop._stepped = fails
    until(lambda: block.error is not None)
    assert "positions are not finite" in block.error and not block.running
    until(lambda: block.read().normal == 0.0)  # the hand is let go
    block.start()
    assert not block.running and block.error
    block.restart()
    assert block.error is None
    assert pressed(block) > 0.5


def test_a_hand_cannot_crush_the_tissue(block):
    block.start()
    block.move((0.0, 0.0, -1.0))
    time.sleep(0.5)
    assert block.error is None and settled(block) <= 1.01 * PULL
    with pytest.raises(ValueError, match="three finite numbers"):
        block.move((np.nan, 0.0, 0.0))


def test_the_scope_turns_about_the_cervix():
    with open_scene(load("hysteroscopy", {"cell": 0.004})) as live:
        pivot = live.steering.pivot
        assert pivot is not None and np.hypot(*pivot[:2]) < 1e-3
        live.move(live.steering.start + np.array([0.006, 0.0, 0.004]))
        place, turn = live.target
        way = (place - pivot) / np.linalg.norm(place - pivot)
        assert Rotation.from_quat(turn).apply([0.0, 0.0, 1.0]) == pytest.approx(way, abs=1e-9)


FALL = {
    "name": "fall",
    "duration": 0.3,
    "bodies": [
        {
            "name": "box",
            "kind": "rigid",
            "shape": {"kind": "box", "size": [0.02, 0.02, 0.02]},
            "position": [0, 0, 0.05],
        },
        {
            "name": "floor",
            "kind": "kinematic",
            "role": "table",
            "shape": {"kind": "box", "size": [1, 1, 0.02]},
            "position": [0, 0, -0.01],
        },
    ],
}


def test_a_scene_without_a_tool_plays_to_its_end_and_again():
    from softcontact.scene import Scene

    with open_scene(Scene.from_dict(FALL)) as live:
        assert live.tool is None and live.controls == ()
        live.start()
        until(lambda: live.finished and not live.running)
        assert live.frame.time == pytest.approx(0.3) and live.error is None
        assert live.frame.vertices["box"][:, 2].min() == pytest.approx(0.0, abs=2e-3)
        weight = 9.81 * 1000.0 * 0.02**3  # and not the blow of the landing
        assert (
            live.read().normal == pytest.approx(weight, rel=0.05)
            and live.read().normal < live.history.arrays()[1].max()
        )
        live.start()
        assert not live.running
        live.restart()
        until(lambda: live.finished)
        with pytest.raises(ValueError, match="moved by hand"):
            live.move((0, 0, 0))
        with pytest.raises(ValueError, match="there are: none"):
            live.set("friction", 0.1)


def test_what_cannot_be_live_is_refused():
    scene = load("block", {})
    with pytest.raises(SceneError, match=r"device: 'mouse'; give one of simulated, openhaptics"):
        open_scene(scene, "mouse")
    two = [*scene.to_dict()["bodies"]]
    two.append({**two[1], "name": "other", "position": [0.05, 0.0, 0.06]})
    with pytest.raises(SceneError, match="holds 2 tools"):
        open_scene(scene.with_changes({"bodies": two}))
    with pytest.raises(SceneError, match=r"contact\.model"):
        open_scene(scene.with_changes({"contact.model": "aggregate"}))
