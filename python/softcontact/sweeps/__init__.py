# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweeps: a scene run with many values of its options, on the cores of this machine or on a Dask cluster.

`sweep` makes the runs and returns the table. A run that hangs, crashes or takes too much memory costs that run only,
and a sweep that is interrupted, at whatever moment, goes on where it was.

    from softcontact.sweeps import Range, sweep

    result = sweep("blocks", {"friction": Range(0.1, 1.0, 10)}, workers=2)
    print(result.counts, result.out / "table.csv")
"""

from softcontact.sweeps.parameters import Parameter, Range, parse
from softcontact.sweeps.running import SweepResult, sweep

__all__ = ["Parameter", "Range", "SweepResult", "parse", "sweep"]
