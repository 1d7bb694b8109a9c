# SPDX-License-Identifier: LGPL-2.1-or-later
"""Energy through the port of a live session: what a slow visual loop gives too much, passivity control keeps back."""

import numpy as np
import pytest
from haptic_bodies import COUPLING, HANDLE, RADIUS, TOOL, add_block, add_tool, make_world

from softcontact.haptics import (
    HandAxis,
    HandScript,
    HapticSession,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    ToolLaw,
    VirtualWall,
    VisualLoop,
)

AT = np.array([0.003, 0.002, RADIUS]) + HANDLE
UP = np.array([0.0, 0.0, 0.0015])
# A hand that goes its way whatever the force: what it gets back shows in full.
HAND = HandAxis(mass=0.1, damping=0.0, hand_mass=0.0, hand_damping=2e3, hand_stiffness=1e7)
TURN = HandAxis(mass=1e-3, damping=0.0, hand_mass=0.0, hand_damping=20.0, hand_stiffness=1e5)


def device(times, places):
    """From place to place, evenly and without jerks (k,) [s], (k, 3) [m]."""
    fine = np.linspace(0.0, times[-1], 400)
    at = np.clip(np.searchsorted(times, fine, side="right") - 1, 0, len(times) - 2)
    share = (fine - times[at]) / np.diff(times)[at]
    ease = (share**3 * (10 - 15 * share + 6 * share**2))[:, None]
    way = HandScript(fine, AT + places[at] + (places[at + 1] - places[at]) * ease)
    return SimulatedDevice(
        way,
        HAND,
        TURN,
        position_step=0.0,
        rotation_step=0.0,
        velocity_cutoff=0.0,
        max_force=20.0,
        max_torque=2.0,
    )


def random_loop(rng, kind):
    """Press and release, press and drag, or two taps: from free space into the block and back."""
    down = np.array([0.0, 0.0, -rng.uniform(0.5e-3, 5e-3)])
    angle = rng.uniform(0.0, 2.0 * np.pi)
    side = rng.uniform(1e-3, 8e-3) * np.array([np.cos(angle), np.sin(angle), 0.0])
    slow, fast = rng.uniform(0.05, 0.4), rng.uniform(0.03, 0.08)
    if kind == "press":
        return slow * np.array([0.0, 1.0, 1.5, 2.5, 3.0]), np.array([UP, down, down, UP, UP])
    if kind == "drag":
        return slow * np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([UP, down, down + side, down, UP])
    return fast * np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0]), np.array([UP, down, UP, down, UP, UP])


def session(rng, kind, rate, reserve, delay=True):
    """The energy that the hand put in and did not get back [J], tick by tick, and the largest force [N]."""
    times, places = random_loop(rng, kind)
    world = make_world(1.0 / rate)
    add_block(world)
    tool = add_tool(world, position=tuple(AT - HANDLE + UP))
    settings = ThreadSettings(safety=SafetySettings(max_force=20.0, max_torque=2.0, energy_reserve=reserve))
    law = ToolLaw(TOOL, COUPLING)
    with HapticSession(device(times, places), law, settings, clock="simulated", record=times[-1]) as running:
        VisualLoop(tool, running, law, delay=delay).run(times[-1])
        seen = running.recording().columns
        told = running.readout()["energy"]
    moved = np.diff(seen["position"], axis=0)
    given = (seen["wrench"][:-1, :3] * moved).sum(axis=1)  # a device holds its force from tick to tick
    assert told == pytest.approx(-given.sum(), abs=2e-5)  # the wrench's torque does the rest
    return -np.cumsum(given), np.linalg.norm(seen["wrench"][:, :3], axis=1).max()


@pytest.mark.parametrize("kind", ["press", "drag", "tap"])
def test_a_session_with_passivity_control_gives_back_no_more_than_it_got(kind):
    rng = np.random.default_rng([7, len(kind)])
    for rate in (100, 50, 25, 10, 10):
        energy, force = session(rng, kind, rate, 0.0)
        assert energy.min() > -2e-6, (rate, energy.min())
        assert force > 0.01


def test_without_it_a_late_model_gives_energy_that_nobody_put_in():
    lost = [session(np.random.default_rng(seed), "press", 10, np.inf)[0][-1] for seed in range(6)]
    assert min(lost) < -1e-4, lost


def test_control_leaves_alone_what_is_passive():
    free, _ = session(np.random.default_rng(3), "press", 100, np.inf, delay=False)
    kept, _ = session(np.random.default_rng(3), "press", 100, 1e-4, delay=False)
    assert np.array_equal(free, kept) and free[-1] > 0.0


def test_a_wall_that_comes_to_the_hand_is_held_back_to_the_reserve():
    for reserve in (0.0, 1e-3):
        settings = ThreadSettings(safety=SafetySettings(energy_reserve=reserve, fade_in=0.001))
        with HapticSession(
            SimulatedDevice(HandScript([0.0, 1.0], np.zeros((2, 3)))),
            VirtualWall(),
            settings,
            clock="simulated",
            record=1.0,
        ) as running:
            for tick in range(1000):
                if tick % 20 == 0:
                    at = [0.0, 0.0, 1e-5 * tick]
                    running.publish(VirtualWall.data(1000.0, point=at), 0.02)
                running.tick()
            seen = running.recording().columns
        given = (seen["wrench"][:-1, :3] * np.diff(seen["position"], axis=0)).sum()
        assert given < 1.1 * reserve + 1e-5  # within what one tick of a quantised pose hides
        assert (seen["wrench"][:, 2].max() > 0.0) == (reserve > 0.0)


@pytest.mark.parametrize("reserve", [-1e-3, np.nan])
def test_a_reserve_that_is_none_is_refused(reserve):
    settings = ThreadSettings(safety=SafetySettings(energy_reserve=reserve))
    with pytest.raises(ValueError, match="energy_reserve"):
        HapticSession(
            SimulatedDevice(HandScript([0.0], np.zeros((1, 3)))), VirtualWall(), settings, clock="simulated"
        )
