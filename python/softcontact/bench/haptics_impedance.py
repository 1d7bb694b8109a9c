# SPDX-License-Identifier: LGPL-2.1-or-later
"""Transparency: force over displacement of the device while the tool rests in the block, by frequency, with the linear
contact model and with two couplings in a row, beside that of a world that steps at the fast rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal.windows import hann

from softcontact.bench import haptics_scenario as scenario
from softcontact.bench.haptics_forces import NORMAL
from softcontact.bench.haptics_scenario import FloatArray
from softcontact.bench.haptics_sessions import METHODS, device_rows, render

RATES = (100, 25)  # [Hz], of the visual loop
# [Hz]: none is a multiple of half a visual rate, where a sine and its image through the sampling are one.
FREQUENCIES = (0.5, 1.0, 2.0, 4.0, 7.0, 11.0, 17.0, 29.0, 43.0, 67.0, 97.0)
QUICK_FREQUENCIES = (2.0, 7.0, 17.0, 43.0)
AMPLITUDE = 1e-4  # [m]
DEPTH = 5e-3  # [m], of the device below first touch
PRESS, REST = 0.25, 0.35  # [s], down and until the tool has come to rest
LEAD, WINDOW = 0.1, 0.4  # [s] before and while each sine is looked at, at least; and a whole period


@dataclass(frozen=True)
class Segment:
    """Where in a session one sine is looked at.

    Attributes:
        frequency: [Hz].
        first, last: its ticks.
    """

    frequency: float
    first: int
    last: int


@dataclass(frozen=True)
class Sweep:
    """Way of the device: into the block, a rest, then one sine after the other.

    Attributes:
        script: a place a tick.
        segments: where the sines are.
        end: of it [s].
    """

    script: Any
    segments: tuple[Segment, ...]
    end: float


def sweep(scene: Any, frequencies: tuple[float, ...]) -> Sweep:
    """Up and down by AMPLITUDE about DEPTH.

    Args:
        scene: scene `block`.
        frequencies: of the sines [Hz].
    """
    start = np.array(scene.body("tool").position)
    touch = start[2] - 4e-3
    share = np.linspace(0.0, 1.0, round(PRESS / scenario.FAST))
    smooth = share**2 * (3.0 - 2.0 * share)
    heights = [
        start[2] + (touch - DEPTH - start[2]) * smooth,
        np.full(round(REST / scenario.FAST), touch - DEPTH),
    ]
    segments = []
    for frequency in frequencies:
        # The window is a number of whole periods, so that the sine ends where it began.
        lead = np.ceil(LEAD * frequency) / frequency
        window = np.ceil(WINDOW * frequency) / frequency
        ticks = np.arange(round((lead + window) / scenario.FAST))
        first = sum(len(part) for part in heights)
        heights.append(touch - DEPTH + AMPLITUDE * np.sin(2.0 * np.pi * frequency * scenario.FAST * ticks))
        segments.append(Segment(frequency, first + round(lead / scenario.FAST), first + len(ticks)))
    z = np.concatenate(heights)
    places = np.tile(start, (len(z), 1))
    places[:, 2] = z
    times = scenario.FAST * np.arange(len(z))
    return Sweep(scenario.script(times, places, scene), tuple(segments), float(times[-1]))


def response(place: FloatArray, force: FloatArray, frequency: float) -> tuple[complex, float]:
    """Force against a displacement over it, at one frequency.

    Args:
        place: (n,) [m]; force: on the device (n,) [N].
        frequency: [Hz].
    Returns:
        −F/x [N/m], positive for a spring, ahead by 90° for a damper; and what else than the sine is in the force: RMS
        of the rest over the RMS of the sine.
    """
    ticks = np.arange(len(place))
    angle = 2.0 * np.pi * frequency * scenario.FAST * ticks
    basis = np.stack([np.cos(angle), np.sin(angle), np.ones(len(ticks)), ticks - ticks.mean()], axis=1)
    weights = np.sqrt(hann(len(ticks) + 2)[1:-1])[
        :, None
    ]  # little of the images at other frequencies gets in
    both = np.stack([place, force], axis=1)
    found = np.linalg.lstsq(weights * basis, weights * both, rcond=None)[0]
    phasor = found[0] - 1j * found[1]
    rest = (both - basis @ found)[:, 1]
    sine = np.abs(phasor[1]) / np.sqrt(2.0)
    return complex(-phasor[1] / phasor[0]), float(np.sqrt(np.mean(rest**2)) / sine)


def compare(
    frequencies: tuple[float, ...],
    rates: tuple[int, ...] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Impedances of both methods at the visual rates, and of the true force.

    Args:
        frequencies: [Hz].
        rates: of the visual loop [Hz]; RATES by default.
        tell: is told what is being done.
    Returns:
        For each frequency: `true`, and `methods` by rate and method: stiffness [N/m] (magnitude), phase [deg], rest
        (see `response`), and magnitude and phase relative to the true one.
    """
    rates = rates or RATES
    made = scenario.rig(1.0 / rates[0])
    way = sweep(made.scene, frequencies)
    tell("the true impedance")
    rows = device_rows(way.script, way.end, made)
    truth = scenario.true_force(rows)
    forces = {}
    for rate in rates:
        for method in METHODS:
            tell(f"impedance at {rate} Hz with the {method}")
            forces[rate, method] = render(method, rate, way.script, way.end).force
    found = []
    for segment in way.segments:
        when = slice(segment.first, segment.last)
        here = rows[when, NORMAL]
        true, rest = response(here, truth.device[when, NORMAL], segment.frequency)
        tissue, _ = response(truth.tool[when, NORMAL], truth.contact[when, NORMAL], segment.frequency)
        entry: dict[str, Any] = {
            "frequency_hz": segment.frequency,
            "true": _told(true, rest),
            "tissue": _told(tissue, 0.0),
            "methods": [],
        }
        for (rate, method), force in forces.items():
            value, rest = response(here, force[when, NORMAL], segment.frequency)
            entry["methods"].append(
                {
                    "rate_hz": rate,
                    "method": method,
                    **_told(value, rest),
                    "over_true": abs(value / true),
                    "phase_off_deg": float(np.degrees(np.angle(value / true))),
                    "error": abs(value / true - 1.0),
                }
            )
        found.append(entry)
    return {"depth_m": DEPTH, "amplitude_m": AMPLITUDE, "rates_hz": list(rates), "frequencies": found}


def _told(value: complex, rest: float) -> dict[str, float]:
    return {
        "stiffness_n_per_m": abs(value),
        "phase_deg": float(np.degrees(np.angle(value))),
        "rest": rest,
    }
