# SPDX-License-Identifier: LGPL-2.1-or-later
"""A mass on a sampled virtual wall: the judgement in closed form, and the fast thread with a simulated device."""

import json
from pathlib import Path

import numpy as np
import pytest

from softcontact.haptics import (
    HandAxis,
    HandScript,
    HapticSession,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    VirtualWall,
    judge_wall,
)

PAIRS = json.loads((Path(__file__).parent / "data" / "virtual_wall.json").read_text())["pairs"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"m{p['m']}-b{p['b']}-K{p['K']}-B{p['B']}")
def test_pairs_are_judged_as_listed(pair):
    verdict = judge_wall(pair["m"], pair["b"], pair["K"], pair["B"], pair["T"])
    assert verdict.spectral_radius == pytest.approx(pair["rho"], abs=1e-11)
    assert (verdict.stable, verdict.passive) == (pair["stable"], pair["passive"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"m{p['m']}-b{p['b']}-K{p['K']}-B{p['B']}")
def test_the_fast_thread_grows_and_decays_at_the_listed_rate(pair):
    """A device without a hand on a wall that acts on both sides: its oscillation goes like rho^ticks."""
    alone = HandAxis(pair["m"], pair["b"], 0.0, 0.0, 0.0)
    device = SimulatedDevice(
        HandScript([0.0], [[0.0, 0.0, 1e-4]]),
        translation=alone,
        position_step=0.0,
        velocity_cutoff=0.0,
        max_force=1e6,
    )
    never = SafetySettings(max_force=1e6, max_force_rate=1e12, fade_in=1e-9)
    ticks, start = 4000, 200  # the fastest mode dies out first
    with HapticSession(
        device, VirtualWall(bilateral=True), ThreadSettings(safety=never), clock="simulated", record=4.0
    ) as session:
        for tick in range(ticks):
            if tick % 20 == 0:
                session.publish(VirtualWall.data(pair["K"], pair["B"]), 0.03)
            session.tick()
        z = session.recording().columns["position"][:, 2]
    # Two unknowns of z[k+2] = a z[k+1] + b z[k] by least squares; |roots| = sqrt(-b) for a pair of them.
    late = z[start:]
    fit = np.linalg.lstsq(np.stack([late[1:-1], late[:-2]], axis=1), late[2:], rcond=None)[0]
    radius = np.abs(np.roots([1.0, -fit[0], -fit[1]])).max()
    assert radius == pytest.approx(pair["rho"], abs=2e-7)
    assert (radius < 1.0) == pair["stable"]


def test_a_device_is_passive_up_to_its_own_stiffness():
    device = SimulatedDevice().open(1e-3)
    limit = device.capabilities["max_stiffness"]
    assert judge_wall(0.1, 0.5, 0.999 * limit).passive
    assert not judge_wall(0.1, 0.5, 1.001 * limit).passive


@pytest.mark.parametrize(
    "wrong",
    [{"mass": 0.0}, {"mass": float("nan")}, {"stiffness": -1.0}, {"period": 0.0}, {"wall_damping": -1.0}],
)
def test_impossible_walls_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        judge_wall(**{"mass": 0.1, "damping": 0.5, "stiffness": 100.0, **wrong})
