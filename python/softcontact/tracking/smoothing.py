# SPDX-License-Identifier: LGPL-2.1-or-later
"""Smoothing of tracked values: the One-Euro filter for streams, Savitzky-Golay for recordings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import TrackError, coordinates, values_of

__all__ = ["OneEuroFilter", "one_euro", "savitzky_golay"]

FloatArray = NDArray[np.float64]


class OneEuroFilter:
    """A first-order low pass whose cutoff rises with speed: calm at rest, little lag in motion.

    x̂ = x̂₋ + a (x − x̂₋), a = 1/(1 + 1/(2π f Δt)), f = cutoff + beta |ẋ|, ẋ low-passed at `rate_cutoff`.

    Args:
        cutoff: lowest cutoff frequency [Hz].
        beta: rise of the cutoff with speed [Hz per unit of x a second].
        rate_cutoff: cutoff for the speed [Hz].
    Source: Casiez, Roussel, Vogel 2012, "1€ Filter", CHI; differs by: none.
    """

    def __init__(self, cutoff: float = 3.0, beta: float = 4.0, rate_cutoff: float = 5.0) -> None:
        for name, value in (("cutoff", cutoff), ("rate_cutoff", rate_cutoff)):
            if not (np.isfinite(value) and value > 0.0):
                raise TrackError(f"{name}: {value} Hz; give a positive frequency")
        if not (np.isfinite(beta) and beta >= 0.0):
            raise TrackError(f"beta: {beta}; give 0 or more")
        self.cutoff, self.beta, self.rate_cutoff = cutoff, beta, rate_cutoff
        self._time: float | None = None
        self._raw = self._smooth = self._rate = np.zeros(0)

    def __call__(self, time: float, x: FloatArray) -> FloatArray:
        """Smoothed vector at `time` [s]; times must rise, a repeated one changes nothing."""
        if self._time is None:
            self._time, self._raw, self._smooth = time, x, x
            self._rate = np.zeros_like(x)
            return x
        step = time - self._time
        if not step > 0.0:
            return self._smooth
        rate = (x - self._raw) / step
        self._rate = self._rate + _share(self.rate_cutoff, step) * (rate - self._rate)
        share = _share(self.cutoff + self.beta * np.abs(self._rate), step)
        self._smooth = self._smooth + share * (x - self._smooth)
        self._time, self._raw = time, x
        return self._smooth


def _share(cutoff: FloatArray | float, step: float) -> FloatArray | float:
    return 1.0 / (1.0 + 1.0 / (2.0 * np.pi * cutoff * step))


def one_euro(times: FloatArray, values: FloatArray, cutoff: float = 3.0, beta: float = 4.0) -> FloatArray:
    """Rows of values (n, 26) through the One-Euro filter, each from the past only."""
    smooth = OneEuroFilter(cutoff, beta)
    rows = np.array([smooth(t, row) for t, row in zip(times, coordinates(values), strict=True)])
    return values_of(rows)


def savitzky_golay(
    times: FloatArray, values: FloatArray, window: float = 0.11, degree: int = 3
) -> FloatArray:
    """Rows of values (n, 26) fitted by polynomials over a moving window; needs evenly spaced times.

    Args:
        times: (n,) [s].
        values: (n, 26).
        window: length of the window [s].
        degree: of the polynomials.
    Raises:
        TrackError: times are not evenly spaced, or the window holds too few samples.
    """
    from scipy.signal import savgol_filter  # loading it takes a second, which only this needs

    if len(times) < 2:
        return np.array(values)
    step = (times[-1] - times[0]) / (len(times) - 1)
    if np.abs(np.diff(times) - step).max() > 1e-3 * step:
        raise TrackError("smoothing: savgol needs evenly spaced samples; resample the track first")
    count = 2 * int(0.5 * window / step) + 1
    if count <= degree:
        raise TrackError(
            f"smoothing: a window of {window:g} s holds {count} samples; give one of {degree + 1} samples or more"
        )
    if count > len(times):
        return np.array(values)
    return values_of(savgol_filter(coordinates(values), count, degree, axis=0))
