# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coordinates of an articulated body: sizes, names, and steps on the manifold of its configurations."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.bodies._links import configuration, finite_array, quaternions

Array = NDArray[np.float64]


class JointSpace:
    """What ArticulatedModel is apart from its dynamics; see there for the coordinates."""

    _model: Any
    _links: tuple[dict[str, Any], ...]
    _names: dict[str, int]

    @property
    def nq(self) -> int:
        """Length of q."""
        return self._model.nq

    @property
    def nv(self) -> int:
        """Length of v, tau and of an acceleration."""
        return self._model.nv

    @property
    def links(self) -> tuple[dict[str, Any], ...]:
        """A record a link: its description and q_offset, v_offset, where its joint starts in q and v."""
        return self._links

    @property
    def gravity(self) -> Array:
        """(3,) [m/s²], world axes."""
        return self._model.gravity.copy()

    def neutral(self) -> Array:
        """Configuration (nq,) with zero angles and travels, unit quaternions."""
        return self._model.neutral()

    def integrate(self, q: ArrayLike, displacement: ArrayLike) -> Array:
        """Configuration (nq,) reached from q by ``displacement`` (nv,) = velocity × time.

        The rate stays constant in each child's axes (exponential map); quaternions come out with unit norm.

        Raises:
            ValueError: wrong shape, non-finite value, quaternion far from unit norm.
        """
        return self._model.integrate(self._configuration(q), self._vector("displacement", displacement))

    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Displacement (nv,) with ``integrate(start, displacement) = end``, by the shortest rotations."""
        return self._model.difference(self._configuration(start), self._configuration(end))

    def _vector(self, name: str, value: ArrayLike) -> Array:
        return finite_array(name, value, (self.nv,))

    def _configuration(self, value: ArrayLike) -> Array:
        return configuration("q", value, self.nq, self._quaternions)

    @cached_property
    def _quaternions(self) -> tuple[tuple[int, str], ...]:
        return quaternions(self._links)

    def index(self, link: int | str) -> int:
        """Index of a link given by index or name. Raises ValueError where there is none."""
        if isinstance(link, str):
            if link not in self._names:
                raise ValueError(f"link '{link}' is unknown; the links are {', '.join(self._names)}")
            return self._names[link]
        if not 0 <= link < len(self._links):
            raise ValueError(f"link = {link} is outside 0 … {len(self._links) - 1}")
        return int(link)
