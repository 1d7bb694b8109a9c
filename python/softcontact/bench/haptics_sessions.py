# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions in simulated time for `softcontact bench haptics`: with the linear contact model, and with two couplings
in a row.

The visual loop goes in step with the fast thread; what a frame finds comes to the fast thread one visual period later,
as from a slow thread that needs all of its period. So the result does not depend on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softcontact.bench import haptics_scenario as scenario
from softcontact.bench.haptics_scenario import FAST, FloatArray, Rig
from softcontact.haptics import DoubleCouplingLaw, HandScript, HapticSession, ToolLaw, VisualLoop

METHODS = ("linear model", "double coupling")


@dataclass(frozen=True)
class Rendered:
    """What a device felt.

    Attributes:
        rows: of the device, a tick (n, 13); see haptics_scenario.states.
        force: on the device, a tick (n, 3) [N].
        frames: force on the device that each frame of the visual loop finds by itself (m, 3) [N].
        frame_ticks: at the end of whose step (m,), in ticks.
    """

    rows: FloatArray
    force: FloatArray
    frames: FloatArray
    frame_ticks: FloatArray


def device_rows(way: HandScript, seconds: float, made: Rig) -> FloatArray:
    """Rows (n, 13) of a device that goes along `way` exactly, whatever the force."""
    with HapticSession(
        scenario.device(way), made.law, scenario.SETTINGS, clock="simulated", record=seconds
    ) as session:
        session.tick(round(seconds / FAST))
        return scenario.states(session.recording().columns)


def law_of(method: str, made: Rig) -> ToolLaw | DoubleCouplingLaw:
    """What the fast thread does.

    Args:
        method: one of METHODS.
        made: gives mass and coupling; two couplings are equal.
    Raises:
        ValueError: another method.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r}; give one of {', '.join(METHODS)}")
    return (
        made.law if method == METHODS[0] else DoubleCouplingLaw(made.law.tool, made.law.coupling, step=FAST)
    )


def render(
    method: str, rate: float, way: HandScript, seconds: float, *, yields: bool = False, **options: Any
) -> Rendered:
    """A session with the block.

    Args:
        method: one of METHODS.
        rate: of the visual loop [Hz].
        way: places of the device, or of a hand that intends them.
        seconds: of the session.
        yields: the device is in a hand that yields to the force, and has encoders.
        options: of the scene.
    Raises:
        ValueError: another method; the world stopped.
    """
    made = scenario.rig(1.0 / rate, **options)
    every = round(1.0 / (rate * FAST))
    frames = []
    with HapticSession(
        scenario.device(way, yields=yields),
        law_of(method, made),
        scenario.SETTINGS,
        clock="simulated",
        record=seconds,
        publications=round(seconds * rate) + 2,
    ) as session:
        loop = VisualLoop(made.visual, session, delay=True)
        while session.ticks < round(seconds / FAST):
            loop.run(min(every, round(seconds / FAST) - session.ticks) * FAST)
            frames.append(made.visual.device_load[:3])
        columns = session.recording().columns
    ends = every * np.arange(1.0, len(frames) + 1.0)
    return Rendered(scenario.states(columns), columns["wrench"][:, :3], np.array(frames), ends)
