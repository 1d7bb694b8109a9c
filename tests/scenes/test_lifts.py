# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lifts that are fast, misplaced, or held for long at different time steps."""

import numpy as np
import pytest

from softcontact.bench import lifts
from softcontact.runner import run
from softcontact.scene.grasping import Jitter, lift_time
from softcontact.scene.library import find, load, load_module

G = 9.81


def test_lift_with_two_g_keeps_the_ball():
    scene = load("hand", {"acceleration": 2 * G})
    result = run(scene, record=False, replay=False)
    assert result.exit_code == 0, (result.message, result.checks)
    height = result.history.height("object")
    lifting = slice(round(1.9 / scene.time_step), round(2.1 / scene.time_step))
    assert np.diff(height[lifting], 2).max() / scene.time_step**2 > 2 * G


@pytest.mark.slow
def test_lift_with_two_g_keeps_a_soft_cube():
    result = run(load("hand", {"object": "soft-cube", "acceleration": 2 * G}), record=False, replay=False)
    assert result.exit_code == 0, (result.message, result.checks)


def test_lift_time_gives_the_acceleration():
    time = lift_time(20.0, 0.1)
    s = np.linspace(0.0, 1.0, 2001)
    rise = 0.1 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    assert np.diff(rise, 2).max() / (time * (s[1] - s[0])) ** 2 == pytest.approx(20.0, rel=1e-3)
    assert lift_time(None, 0.1) == 1.0


def test_seeds_misplace_object_and_hand_and_only_they():
    plain, again, first, second = (
        load("hand", {"object": "soft-cube", **({} if seed is None else {"seed": seed})})
        for seed in (None, None, 1, 2)
    )
    assert plain == again and first != second
    palms = [np.array(scene.motions[0].values[0][20:23]) for scene in (plain, first, second)]
    places = [np.array(scene.body("object").position) for scene in (plain, first, second)]
    for palm, place in zip(palms[1:], places[1:], strict=True):
        assert 1e-5 < np.abs(palm - palms[0]).max() <= 7e-3  # shift, and turn about the palm's way
        assert 1e-5 < np.abs(place - places[0]).max() <= 4e-3 and place[2] == places[0][2]
    assert Jitter.drawn(None) == Jitter()


@pytest.mark.slow
def test_misplaced_soft_cube_is_lifted_alike_on_each_launch():
    once, again, other = (lifts.lift(seed) for seed in (3, 3, 5))
    assert once["succeeded"] and other["succeeded"], (once, other)
    assert once == again and once["state_hash"] != other["state_hash"]


def test_bench_counts_what_fails(monkeypatch, capsys, tmp_path):
    def lift(seed):
        failed = ["held object"] if seed in (4, 7) else []
        return {
            "seed": seed,
            "succeeded": not failed,
            "failed": failed,
            "message": "",
            "rise_m": 0.1,
            "state_hash": "",
        }

    monkeypatch.setattr(lifts, "lift", lift)
    assert lifts.main(out=tmp_path) == 1
    assert "18 of 20 lifts" in capsys.readouterr().out
    assert "| 7 | no | 100.0 | held object |" in (tmp_path / "lifts.md").read_text()
    assert lifts.main(quick=True) == 0


@pytest.mark.slow
@pytest.mark.parametrize("time_step", [0.001, 0.002, 0.005])
def test_three_fingers_hold_a_ball_for_five_seconds_at_any_step(time_step):
    module = load_module(find("hand"))
    module.build.__globals__["HOLD"] = 5.0
    options = {"grasp": "precision", "fingers": "thumb,index,middle", "time_step": time_step}
    result = run(module.scene(options), record=False, replay=False)
    assert result.exit_code == 0, (result.message, result.checks)
    assert result.history.height("object")[-1] == pytest.approx(0.0985, abs=2e-3)
