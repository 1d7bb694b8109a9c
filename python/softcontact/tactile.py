# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pressure and traction at the vertices of touched surfaces over time, for tactile use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.base import Engine, FeelsVertices
from softcontact.scene.errors import SceneError


@dataclass(frozen=True)
class TactileSeries:
    """Contact load on the vertices of one surface at the steps in which it was touched.

    Attributes:
        steps: numbers of those steps, from 0 (m,).
        areas: vertex areas (m, k) [m²].
        pressures: normal load over area (m, k) [Pa].
        tractions: force over area (m, k, 3) [Pa]; (areas[..., None] * tractions).sum(axis=1) is the contact force.
    """

    steps: NDArray[np.int64]
    areas: NDArray[np.float32]
    pressures: NDArray[np.float32]
    tractions: NDArray[np.float32]


class TactileRecorder:
    """Keeps the loads of the touched surfaces of each step.

    Args:
        engine: the engine of the run.
    Raises:
        SceneError: the engine does not tell loads at vertices.
    """

    def __init__(self, engine: Engine) -> None:
        if not isinstance(engine, FeelsVertices):
            raise SceneError(
                f"record.tactile: engine '{engine.name}' tells no loads at vertices in this scene; leave it out"
            )
        self._engine = engine
        self._kept: dict[str, list[tuple[int, Any, Any, Any]]] = {}

    def add(self, row: int, patches: Iterable[Mapping[str, Any]]) -> None:
        """Keep the loads of step number `row` on all surfaces of its patches."""
        for name in dict.fromkeys(patch[side] for patch in patches for side in ("body", "other")):
            loads = self._engine.vertex_loads(name)
            arrays = (np.float32(loads[key]) for key in ("areas", "pressures", "tractions"))
            self._kept.setdefault(name, []).append((row, *arrays))

    def finish(self) -> dict[str, TactileSeries]:
        """What was kept, by surface."""
        return {
            name: TactileSeries(*(np.array(column) for column in zip(*kept, strict=True)))
            for name, kept in self._kept.items()
        }
