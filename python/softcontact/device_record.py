# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the devices of haptic tools felt, step by step."""

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.base import Engine, HoldsTools

UNITS = {"force": "N", "torque": "N m", "motion": "m/s, rad/s"}
_SIZES = {"force": 3, "torque": 3, "motion": 6}


class DeviceRecorder:
    """Keeps each device's load of every step.

    Args:
        engine: the engine; one without tools has none.
        steps: most steps that will be recorded.
    """

    def __init__(self, engine: Engine, steps: int) -> None:
        self._engine = engine
        tools = engine.tools if isinstance(engine, HoldsTools) else ()
        self._series = {
            tool: {name: np.zeros((steps, size)) for name, size in _SIZES.items()} for tool in tools
        }

    def add(self, row: int) -> None:
        """Record the step that the engine has just done."""
        for tool, series in self._series.items():
            for name, values in self._engine.device_load(tool).items():  # type: ignore[attr-defined]
                series[name][row] = values

    def force(self, tool: str, row: int) -> NDArray[np.float64]:
        """Force on the device of a tool in a recorded step (3,) [N]."""
        return self._series[tool]["force"][row]

    def finish(self, count: int) -> dict[str, dict[str, NDArray[np.float64]]]:
        """The first `count` steps, by tool: force, torque (count, 3), motion (count, 6)."""
        return {
            tool: {name: data[:count] for name, data in series.items()}
            for tool, series in self._series.items()
        }
