# SPDX-License-Identifier: LGPL-2.1-or-later
"""Force laws that the fast thread evaluates, described so that a recording can tell which one it had."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core


class ForceLaw(Protocol):
    """A law: its name in recordings, its fixed options, and a fresh one in the core."""

    kind: ClassVar[str]

    def build(self) -> Any:
        """A fresh law of the core."""
        ...

    def options(self) -> dict[str, Any]:
        """What makes an equal description again: kind's class called with these."""
        ...


@dataclass(frozen=True)
class VirtualWall:
    """A flat wall with stiffness and damping.

    Attributes:
        bilateral: also pulls; for stability studies alone.
    """

    kind: ClassVar[str] = "virtual_wall"
    bilateral: bool = False

    def build(self) -> Any:
        """The core's wall."""
        return _core.VirtualWall(self.bilateral)

    def options(self) -> dict[str, Any]:
        """The attributes."""
        return asdict(self)

    @staticmethod
    def data(
        stiffness: float,
        damping: float = 0.0,
        point: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
    ) -> NDArray[np.float64]:
        """What a session publishes to the wall: (8,) numbers.

        Args:
            stiffness: [N/m], >= 0.
            damping: [N s/m], >= 0.
            point: on the wall (3,) [m].
            normal: out of the wall (3,), not zero.
        Raises:
            ValueError: an argument out of range.
        """
        for name, value in (("stiffness", stiffness), ("damping", damping)):
            if not (np.isfinite(value) and value >= 0.0):
                raise ValueError(f"{name}: {value}; give a finite number >= 0")
        place, out = np.asarray(point, dtype=float), np.asarray(normal, dtype=float)
        if place.shape != (3,) or out.shape != (3,) or not np.linalg.norm(out) > 0.0:
            raise ValueError("point, normal: expected 3 numbers each, and a normal that is not zero")
        return np.concatenate([place, out, [stiffness, damping]])


_KINDS: dict[str, Any] = {VirtualWall.kind: VirtualWall}


def register(law: Any) -> Any:
    """Let recordings with this kind of law be replayed; a class decorator."""
    _KINDS[law.kind] = law
    return law


def law_of(kind: str, options: dict[str, Any]) -> Any:
    """The law that a recording tells of.

    Raises:
        ValueError: a kind that nobody registered.
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"law: {str(kind)[:40]!r} is not known; known are {', '.join(sorted(_KINDS))}")
    try:
        return _KINDS[kind](**options)
    except (TypeError, AttributeError) as error:
        raise ValueError(
            f"law: {str(options)[:80]} are no options of {kind} ({error}); record it again"
        ) from None
