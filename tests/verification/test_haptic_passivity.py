# SPDX-License-Identifier: LGPL-2.1-or-later
"""No loop of the device gets energy out of the fast thread: press–release, drag and tap, along random traces."""

from itertools import pairwise

import numpy as np
import pytest
from haptic_bodies import COUPLING, RADIUS, TOOL, pressed, rows

from softcontact.haptics import HapticTool, LinearContactModel, RigidState

FAST = 1e-3
CLEAR = 0.003  # [m] above the block: no contact, whatever the model
TRACES = 1000


def smooth(parts: list[tuple[float, np.ndarray]]) -> np.ndarray:
    """Places (k, 3) from one to the next, each leg of so many seconds, with speed zero at its ends."""
    places = [parts[0][1][None]]
    for (_, start), (seconds, end) in pairwise(parts):
        share = np.linspace(0.0, 1.0, max(int(seconds / FAST), 2))[1:, None]
        places.append(start + (end - start) * share**2 * (3 - 2 * share))
    return np.concatenate(places)


def loop(kind: str, generator: np.random.Generator) -> np.ndarray:
    """Places of the ball's centre (k, 3): from rest clear of the block, and back to it."""

    def place(height: float, x: float = 0.003, y: float = 0.002) -> np.ndarray:
        return np.array([x, y, RADIUS + height])

    def seconds() -> float:
        return generator.uniform(0.03, 0.3)

    home = (0.05, place(CLEAR))
    depth = generator.uniform(0.0005, 0.006)
    if kind == "press":
        legs = [
            (seconds(), place(-depth)),
            (generator.uniform(0.0, 0.1), place(-depth)),
            (seconds(), place(CLEAR)),
        ]
    elif kind == "drag":
        x, y = 0.003 + generator.uniform(-0.004, 0.004), 0.002 + generator.uniform(-0.004, 0.004)
        legs = [
            (seconds(), place(-depth)),
            (seconds(), place(-depth, x, y)),
            (seconds(), place(-depth * generator.uniform(0.3, 1.5))),
            (seconds(), place(CLEAR)),
        ]
    else:
        legs = []
        for _ in range(generator.integers(2, 5)):
            legs += [(0.03, place(-depth)), (0.03, place(generator.uniform(0.0, CLEAR)))]
        legs.append((0.05, place(CLEAR)))
    return smooth([home, *legs, (0.3, place(CLEAR))])


def energy_put_in(places: np.ndarray, device_force: np.ndarray) -> tuple[float, float]:
    """Work of the hand against the force that each tick holds until the next [J], and the sum of its size."""
    work = -(device_force[:-1, :3] * np.diff(places, axis=0)).sum(axis=1)
    return float(work.sum()), float(np.abs(work).sum())


@pytest.fixture(scope="module")
def models() -> list[LinearContactModel]:
    found = []
    for step, friction, drag in [(0.01, 0.0, 0.0), (0.02, 0.3, 0.006), (0.04, 0.8, 0.0), (0.1, 0.5, 0.003)]:
        found.append(pressed(0.003, step, friction, drag)[2])
    return found


@pytest.mark.parametrize("kind", ["press", "drag", "tap"])
def test_loops_return_no_energy(kind, models):
    generator = np.random.default_rng({"press": 1, "drag": 2, "tap": 3}[kind])
    touched = 0
    worst = np.inf
    for i in range(TRACES // 3 + 1):
        places = loop(kind, generator)
        model = models[i % len(models)].copy()
        tool = HapticTool(TOOL, COUPLING, FAST)
        tool.reset(RigidState(places[0]))
        trace = tool.run(rows(places), model)
        put_in, exchanged = energy_put_in(places, trace.device)
        worst = min(worst, put_in / exchanged)
        assert put_in >= 0.0, (i, put_in, exchanged)
        assert trace.least_normal >= 0.0
        assert trace.touching[-1] == 0
        touched += trace.touching.max() > 0
    assert touched > 0.9 * TRACES / 3
    assert worst < 0.9  # there was something to give back
