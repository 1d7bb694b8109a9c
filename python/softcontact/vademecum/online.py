# SPDX-License-Identifier: LGPL-2.1-or-later
"""The online stage: displacements from a vademecum at the rate of a haptic thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core

if TYPE_CHECKING:
    from softcontact.vademecum.vademecum import Vademecum

__all__ = ["OnlineField", "separated_field"]

_OPPOSITE = 1e-9  # length of the sum of two unit vectors that are

FloatArray = NDArray[np.float64]


class OnlineField:
    """The displacement under some loads, answered by the core; nothing is allocated for a question.

    Several loads are superposed: exact for one, for more the paper's predictor. Sizes outside [0, 1] go on along the
    tangent at the end of the range.

    Args:
        vademecum: what is asked.
        capacity: loads at once at most.
        modes: how many modes to use; None means all.
    Raises:
        ValueError: capacity or modes out of range.
    """

    def __init__(self, vademecum: Vademecum, *, capacity: int = 16, modes: int | None = None) -> None:
        if capacity < 1:
            raise ValueError(f"capacity: {capacity}, expected room for one load or more")
        self.vademecum = vademecum
        self._field = separated_field(vademecum, modes)
        self._loaded = _core.LoadedField(self._field, capacity)
        self._capacity = capacity
        self._all = np.zeros((self._field.node_count, 3))

    @property
    def native(self) -> _core.LoadedField:
        """The core's field, for what builds on it."""
        return self._loaded

    @property
    def separated(self) -> _core.SeparatedField:
        """What it asks, for what asks it too."""
        return self._field

    @property
    def mode_count(self) -> int:
        """How many modes it uses."""
        return int(self._field.mode_count)

    def load(
        self,
        nodes: Sequence[int],
        scales: ArrayLike = 1.0,
        family: int = 0,
        *,
        predictor: Literal["superposition", "deflection"] = "superposition",
    ) -> None:
        """Take these loads instead of those before.

        Args:
            nodes: loaded nodes (k,).
            scales: shares of the largest force, one or (k,).
            family: which direction.
            predictor: of the answer to several loads. "superposition" adds the answers to each alone, as in the paper;
                "deflection" takes each at the size at which it alone would deflect the solid as all do together, and
                weighs it with the share of that size that is there, which errs far less where the solid turns.
        Raises:
            ValueError: a node that cannot be loaded, a scale that is not finite, or too many loads; those before stay.
        """
        cases = [self.vademecum.case(node, family) for node in nodes]
        sizes = np.broadcast_to(np.asarray(scales, dtype=float), len(cases))
        if not np.isfinite(sizes).all():
            raise ValueError(f"scales: {scales}, expected finite shares of the largest force")
        if len(cases) > self._capacity:
            raise ValueError(f"nodes: {len(cases)} loads, room for {self._capacity}; give a larger capacity")
        if predictor not in ("superposition", "deflection"):
            raise ValueError(f"predictor: {predictor!r}, expected superposition or deflection")
        self._loaded.predict(cases, sizes.tolist(), predictor == "deflection")

    def displacements(self, out: FloatArray | None = None) -> FloatArray:
        """Displacements (n, 3) [m] of all nodes.

        Args:
            out: where to write them, float64 in C order; None means an array of this object, which the next
                call overwrites.
        Raises:
            ValueError: `out` of another shape.
        """
        out = self._all if out is None else out
        self._loaded.displacements(out, self._field.node_count)
        return out

    def displacements_of(self, nodes: Sequence[int]) -> FloatArray:
        """Displacements (k, 3) [m] of some nodes.

        Raises:
            ValueError: no such node.
        """
        if len(nodes) and not (min(nodes) >= 0 and max(nodes) < self._field.node_count):
            raise ValueError(f"nodes: expected nodes in 0 … {self._field.node_count - 1}")
        return self._loaded.displacements_of(list(nodes))


def separated_field(vademecum: Vademecum, modes: int | None = None) -> _core.SeparatedField:
    """The core's field of a vademecum, with all its modes or the first ones.

    Raises:
        ValueError: more modes than there are, or none.
    """
    solution = vademecum.solution if modes is None else vademecum.truncated(modes)
    directions, count = vademecum.cases.directions, len(vademecum.cases.nodes)
    against = np.linalg.norm(directions[:, None] + directions[None], axis=2) < _OPPOSITE
    families = np.where(against.any(axis=1), against.argmax(axis=1), -1)
    places = families[:, None] * count + np.arange(count)
    opposites = np.where(families[:, None] < 0, -1, places)
    return _core.SeparatedField(
        solution.modes,
        solution.amplitudes,
        solution.dent_starts,
        solution.dent_nodes,
        solution.dents,
        opposites.ravel().tolist(),
    )
