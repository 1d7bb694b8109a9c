# SPDX-License-Identifier: LGPL-2.1-or-later
"""A vademecum's body under a haptic device: the force law of a session, at the device's own rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.haptics.laws import register
from softcontact.vademecum.contact import PenaltyLaw
from softcontact.vademecum.online import separated_field
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.response import body_arguments, response_arguments
from softcontact.vademecum.vademecum import Vademecum

__all__ = ["VademecumLaw"]

FloatArray = NDArray[np.float64]


@register
@dataclass(frozen=True, eq=False)
class VademecumLaw:
    """A rigid pointshell on the device, or a second body that it holds, touches a vademecum's body.

    Each tick finds contact and deformation, so that the device feels the nonlinear body at its own rate; what the slow
    side publishes is where the body is and what it is loaded with besides (see `data`). The stiffness that the hand
    feels is at most `force_scale` × `length_scale` × k_c × the points in contact; keep it below what the device can
    render.

    Attributes:
        vademecum: the body; or the path of its file, which is what a recording tells.
        shell: points (n, 3) [m] in the device's frame, in lengths of the body; with a second body the Pointshell on
            that, or its corners and shares as {"corners": (n, 3), "shares": (n, 3)}.
        law: stiffness and friction of contact.
        length_scale: the body's metres to one of the device, > 0.
        force_scale: the device's newtons to one at the body, > 0.
        damping: of the device while it touches [N s/m], >= 0.
        modes: how many to use; None means all.
        capacity, max_iterations, tolerance: see ContactResponse; what a tick leaves is for the next.
        second: a second vademecum's body that the device holds where it is clamped, and that yields too: itself, or
            the path of its file. None: the shell is rigid.
    """

    kind: ClassVar[str] = "vademecum"
    vademecum: Vademecum | str
    shell: Any
    law: PenaltyLaw
    length_scale: float = 1.0
    force_scale: float = 1.0
    damping: float = 0.0
    modes: int | None = None
    capacity: int = 32
    max_iterations: int = 6
    tolerance: float = 1e-4
    second: Vademecum | str | None = None
    _loaded: dict[str, Vademecum] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.law, dict):  # as options() tells it, from a file
            object.__setattr__(self, "law", PenaltyLaw(**self.law))

    @property
    def body(self) -> Vademecum:
        """The vademecum, read from its file where that was given."""
        return self._read("vademecum")

    def _read(self, name: str) -> Vademecum:
        if name not in self._loaded:
            given = getattr(self, name)
            self._loaded[name] = given if isinstance(given, Vademecum) else Vademecum.load(given)
        return self._loaded[name]

    def _shell(self) -> Pointshell:
        """Of the second body."""
        if isinstance(self.shell, Pointshell):
            return self.shell
        try:
            corners = np.array(self.shell["corners"], dtype=float)
            shares = np.array(self.shell["shares"], dtype=float)
        except (TypeError, KeyError, IndexError, ValueError):
            raise ValueError(
                "shell: expected a Pointshell of the second body, or its corners and shares"
            ) from None
        return Pointshell(corners, shares, np.zeros(len(corners)))

    def build(self) -> Any:
        """The core's law.

        Raises:
            ValueError: a shell of another shape, or a number out of range.
            VademecumFileError: a file that is no vademecum.
        """
        fields, bodies = [separated_field(self.body, self.modes)], [body_arguments(self.body)]
        if self.second is not None:
            second = self._read("second")
            fields.append(separated_field(second, self.modes))
            bodies.append(body_arguments(second, self._shell()))
            shell = np.zeros((0, 3))
        else:
            shell = np.ascontiguousarray(self.shell, dtype=float)
            if shell.ndim != 2 or shell.shape[1] != 3 or not len(shell):
                raise ValueError(f"shell: shape {shell.shape}, expected (n, 3) [m]")
        return _core.VademecumLaw(
            fields,
            bodies,
            response_arguments(self.law, self.capacity, self.max_iterations, self.tolerance, len(shell)),
            shell,
            float(self.length_scale),
            float(self.force_scale),
            float(self.damping),
        )

    def options(self) -> dict[str, Any]:
        """Plain values that make an equal law.

        Raises:
            ValueError: the vademecum was not given by its file, so that no recording can name it.
        """
        for name in ("vademecum", "second"):
            if isinstance(getattr(self, name), Vademecum):
                raise ValueError(f"{name}: to be recorded, save it and give the law the path of its file")
        if self.second is None:
            told: Any = np.asarray(self.shell, dtype=float).tolist()
        else:
            shell = self._shell()
            told = {"corners": shell.corners.tolist(), "shares": shell.shares.tolist()}
        return {
            "vademecum": str(self.vademecum),
            "second": None if self.second is None else str(self.second),
            "shell": told,
            "law": {
                "stiffness": float(self.law.stiffness),
                "friction": float(self.law.friction),
                "tangential_stiffness": float(self.law.tangential_stiffness),
            },
            "length_scale": float(self.length_scale),
            "force_scale": float(self.force_scale),
            "damping": float(self.damping),
            "modes": self.modes,
            "capacity": int(self.capacity),
            "max_iterations": int(self.max_iterations),
            "tolerance": float(self.tolerance),
        }

    def data(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        nodes: Sequence[int] = (),
        scales: ArrayLike = 1.0,
        family: int = 0,
    ) -> FloatArray:
        """What a session publishes: where the body is, and loads on it besides contact.

        Args:
            position: of the body's origin where the device is at length_scale × its own position (3,) [m].
            orientation: body to world, quaternion (x, y, z, w).
            nodes: loaded nodes (k,), at most 16.
            scales: shares of the largest force, one or (k,).
            family: which direction.
        Raises:
            ValueError: wrong shapes, a node that cannot be loaded, too many, or numbers that are not finite.
        """
        place, turn = np.asarray(position, dtype=float), np.asarray(orientation, dtype=float)
        if place.shape != (3,) or turn.shape != (4,) or not np.linalg.norm(turn) > 0.0:
            raise ValueError("position, orientation: expected 3 numbers, and a quaternion that is not zero")
        cases = np.array([self.body.case(node, family) for node in nodes], dtype=float)
        sizes = np.broadcast_to(np.asarray(scales, dtype=float), len(cases))
        if len(cases) > 16:
            raise ValueError(f"nodes: {len(cases)} loads, expected at most 16")
        numbers = np.concatenate([place, turn, np.column_stack([cases, sizes]).ravel()])
        if not np.isfinite(numbers).all():
            raise ValueError("position, orientation, scales: expected finite numbers")
        return numbers

    @staticmethod
    def told(law: FloatArray) -> dict[str, Any]:
        """What the law tells after a tick, the entry `law` of HapticSession.readout(), by name.

        Returns:
            contacts, sliding: points inside, and those that slide; converged, iterations: of the equilibrium; deepest:
            depth [m]; wrench: on the shell about the device's point (6,) in the body's frame and units; loads: of
            contact, (case, size) each, with which OnlineField tells the displacements; second_loads: of the second
            body, none where there is none.
        """
        two = len(law) % 2 == 1
        starts = (11, 11 + (len(law) - 11) // 2) if two else (11,)
        pairs = [np.asarray(law[at + 1 : at + 1 + 2 * int(law[at])]).reshape(-1, 2).tolist() for at in starts]
        loads = [[(int(case), size) for case, size in each] for each in pairs]
        return {
            "contacts": int(law[0]),
            "sliding": int(law[1]),
            "converged": bool(law[2]),
            "iterations": int(law[3]),
            "deepest": float(law[4]),
            "wrench": np.array(law[5:11]),
            "loads": loads[0],
            "second_loads": loads[1] if two else [],
        }
