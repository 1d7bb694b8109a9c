# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figure 3 of Otaduy and Gross 2007: the force while the tool presses on the block and moves sideways, with the linear
contact model and with two couplings in a row, at four visual rates, beside the true force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import butter, sosfiltfilt

from softcontact.bench import haptics_scenario as scenario
from softcontact.bench.haptics_scenario import FAST, FloatArray, Path
from softcontact.bench.haptics_sessions import METHODS, Rendered, device_rows, render

RATES = (100, 50, 25, 10)  # [Hz]
CUTOFF = 5.0  # [Hz] of the high pass: below the slowest visual rate
SETTLE = 0.3  # [s] of the drag that count as its start
NORMAL, TANGENTIAL = 2, 0
AIM = 5.0  # times less ripple


def high_passed(values: FloatArray, cutoff: float = CUTOFF) -> FloatArray:
    """What is faster than `cutoff` [Hz] in a series (n,) at the fast rate: fourth order, without shift."""
    return sosfiltfilt(butter(4, cutoff, "highpass", fs=1.0 / FAST, output="sos"), values)


def root_mean_square(values: FloatArray) -> float:
    """Of all values."""
    return float(np.sqrt(np.mean(np.square(values))))


def judge(force: FloatArray, way: Path, truth: FloatArray | None = None) -> dict[str, float]:
    """Figures of one force over time.

    Args:
        force: on the device (n, 3) [N].
        way: tells when the drag is.
        truth: the true force (n, 3) [N].
    Returns:
        Of the drag, but for its start: ripple_n and ripple_peak_n, RMS and largest size of the tangential force, high
        passed [N]; normal_n and tangential_n, means [N]. With `truth`, error and press_error: RMS of the difference
        in both forces over that of the truth, in the drag, and from the first touch to the drag.
    """
    times = FAST * np.arange(len(force))
    drag = (times >= way.drag + SETTLE) & (times < way.end)
    press = (times >= way.touch) & (times < way.drag)
    ripple = high_passed(force[:, TANGENTIAL])[drag]
    found = {
        "ripple_n": root_mean_square(ripple),
        "ripple_peak_n": float(np.abs(ripple).max()),
        "normal_n": float(force[drag, NORMAL].mean()),
        "tangential_n": float(force[drag, TANGENTIAL].mean()),
    }
    if truth is not None:
        both = [NORMAL, TANGENTIAL]
        for name, when in (("error", drag), ("press_error", press)):
            size = root_mean_square(truth[when][:, both])
            found[name] = root_mean_square((force - truth)[when][:, both]) / size
    return found


def frames_as_force(rendered: Rendered) -> FloatArray:
    """Force (n, 3) of the visual frames, straight between them: what a thread without any model could show."""
    ticks = np.arange(len(rendered.force))
    return np.array([np.interp(ticks, rendered.frame_ticks, column) for column in rendered.frames.T]).T


def compare(
    seconds: float, rates: tuple[int, ...] = RATES, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Both methods at all rates, and the true force.

    Args:
        seconds: of the drag.
        rates: of the visual loop [Hz].
        tell: is told what is being done.
    Returns:
        way; times (n,) [s]; true_force (n, 3); forces by rate and method, and
        hand_forces likewise; true, the figures of the true force; rates,
        for each one the figures of the methods, those of the frames that the linear model comes from, and those of
        the methods with the device in a hand that yields; see `judge`.
    """
    made = scenario.rig(1.0 / rates[0])
    way = scenario.press_and_drag(made.scene, seconds)
    forces: dict[int, dict[str, FloatArray]] = {}
    in_hand: dict[int, dict[str, FloatArray]] = {}
    tell("the true force")
    truth = scenario.true_force(device_rows(way.script, way.end, made)).device
    rows = []
    for rate in rates:
        tell(f"forces at {rate} Hz")
        runs = {method: render(method, rate, way.script, way.end) for method in METHODS}
        hands = {method: render(method, rate, way.script, way.end, yields=True) for method in METHODS}
        forces[rate] = {method: run.force for method, run in runs.items()}
        in_hand[rate] = {method: run.force for method, run in hands.items()}
        told = {method: judge(run.force, way, truth) for method, run in runs.items()}
        held = {method: judge(run.force, way) for method, run in hands.items()}
        rows.append(
            {
                "rate_hz": rate,
                "methods": told,
                "frames": judge(frames_as_force(runs[METHODS[0]]), way, truth),
                "hand": held,
                "ripple_ratio_hand": held[METHODS[1]]["ripple_n"] / held[METHODS[0]]["ripple_n"],
                "ripple_ratio": told[METHODS[1]]["ripple_n"] / told[METHODS[0]]["ripple_n"],
            }
        )
    return {
        "way": {"touch_s": way.touch, "drag_s": way.drag, "end_s": way.end},
        "true": judge(truth, way),
        "rates": rows,
        "times": FAST * np.arange(len(truth)),
        "true_force": truth,
        "forces": forces,
        "hand_forces": in_hand,
    }
