# SPDX-License-Identifier: LGPL-2.1-or-later
"""One soft fingertip: the distal phalanx of a finger on a frame that a virtual coupling pulls along.

The frame has its origin where the pad stands out most, x towards the tip of the finger and z out of its nail,
so that the pad presses along -z and turns in place when the frame turns about z.

Source: Talvas et al. 2015, Secs. 4 and 5.1: springs between tracker and bones, more compliant than the pads
under a large force; scenes with the distal phalanges alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field
from scipy.spatial.transform import Rotation

from .anatomy import HandParameters
from .description import HandTissue, phalanx_arguments, right_phalanx
from .phalanx import Phalanx
from .shape import mass_properties

__all__ = ["FingertipCoupling", "FingertipModel", "FingertipPath", "fingertip_orientation"]

FloatArray = NDArray[np.float64]


class FingertipCoupling(BaseModel):
    """Springs between a fingertip's frame and the pose that it follows, the same along all axes.

    Attributes:
        translation: [N/m].
        rotation: [N·m/rad].
        damping_ratio: 1 is critical for the phalanx by itself [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    translation: float = Field(2000.0, gt=0.0, le=1e7)
    rotation: float = Field(2.0, gt=0.0, le=1e5)
    damping_ratio: float = Field(1.0, ge=0.0, le=10.0)


@dataclass(frozen=True)
class FingertipModel:
    """Everything that a simulation needs of one fingertip. Build it with `FingertipModel.build`.

    Attributes:
        tissue: material of the pad.
        phalanx: its meshes in the frame at the pad's summit.
        link: the frame's link, as World.add_articulated_body takes it.
    """

    tissue: HandTissue
    phalanx: Phalanx
    link: dict[str, Any]

    @classmethod
    def build(
        cls,
        finger: str,
        parameters: HandParameters | None = None,
        tissue: HandTissue | None = None,
        coupling: FingertipCoupling | None = None,
    ) -> FingertipModel:
        """Build the tip of a finger: "thumb", "index", …; None means the defaults of each part.

        Raises:
            ValueError: no such finger.
        """
        parameters, tissue = parameters or HandParameters(), tissue or HandTissue()
        coupling = coupling or FingertipCoupling()
        phalanx = right_phalanx(parameters, finger, 2)
        if parameters.side == "left":
            phalanx = phalanx.mirrored()
        lowest = phalanx.vertices[phalanx.vertices[:, 2].argmin()]
        summit = np.array([lowest[0], 0.0, lowest[2]])
        phalanx = replace(phalanx, nodes=phalanx.nodes - summit, vertices=phalanx.vertices - summit)
        mass, com, inertia = mass_properties(phalanx.vertices, phalanx.triangles, parameters.density)
        about_summit = np.diag(inertia) + mass * (com @ com - com**2)
        stiffness = np.repeat([coupling.translation, coupling.rotation], 3)
        moved = np.concatenate([np.full(3, mass), about_summit])
        link = {
            "name": finger,
            "parent": -1,
            "joint": "free",
            "position": np.zeros(3),
            "orientation": np.array([0.0, 0.0, 0.0, 1.0]),
            "mass": mass,
            "com": com,
            "inertia": inertia,
            "stiffness": stiffness.tolist(),
            "damping": (2.0 * coupling.damping_ratio * np.sqrt(stiffness * moved)).tolist(),
        }
        return cls(tissue, phalanx, link)

    def phalanx_arguments(self) -> dict[str, Any]:
        """Arguments of World.add_phalanx, without body and name."""
        return {"link": 0} | phalanx_arguments(self.phalanx, self.tissue)


def fingertip_orientation(nail: ArrayLike, along: ArrayLike) -> FloatArray:
    """Quaternion (x, y, z, w) of a fingertip.

    Args:
        nail: where the nail looks, against the direction that the pad presses in (3,).
        along: where the finger points (3,); its part across `nail` counts.
    Raises:
        ValueError: one of them is zero, or they are parallel.
    """
    z, x = np.array(nail, dtype=float), np.array(along, dtype=float)
    z = z / np.linalg.norm(z) if np.linalg.norm(z) > 0.0 else z
    x = x - (x @ z) * z
    if not (np.linalg.norm(z) > 0.0 and np.linalg.norm(x) > 1e-9):
        raise ValueError(
            f"nail, along: {nail} and {along} span no plane; give two directions across each other"
        )
    x = x / np.linalg.norm(x)
    return Rotation.from_matrix(np.column_stack([x, np.cross(z, x), z])).as_quat()


class FingertipPath:
    """Keyframes of a scripted fingertip: it comes to rest at each place, without a jerk in between.

    Args:
        position: of the pad's summit at time zero (3,) [m].
        orientation: quaternion (x, y, z, w) at time zero.
        spacing: longest time between the keyframes that come out [s].
    """

    def __init__(self, position: ArrayLike, orientation: ArrayLike, spacing: float = 0.02) -> None:
        if not spacing > 0.0:
            raise ValueError(f"spacing: {spacing} s is not positive")
        self._spacing = spacing
        self.times = [0.0]
        self.positions = [np.array(position, dtype=float)]
        self.orientations = [np.array(orientation, dtype=float)]

    def wait(self, until: float) -> FingertipPath:
        """Stay until a time [s]."""
        if until > self.times[-1]:
            self._add(until, self.positions[-1], self.orientations[-1])
        return self

    def move(
        self,
        start: float,
        end: float,
        *,
        to: ArrayLike | None = None,
        by: ArrayLike | None = None,
        turn: ArrayLike | None = None,
        about: ArrayLike | None = None,
    ) -> FingertipPath:
        """Go on between two times [s].

        Args:
            start: when it sets out; it waits until then.
            end: when it arrives.
            to: position of the pad's summit at the end (3,) [m]; by default where it is.
            by: displacement, in place of `to` (3,) [m].
            turn: rotation vector of a turn in world axes (3,) [rad].
            about: point that the turn carries the summit around (3,) [m]; by default the summit itself.
        Raises:
            ValueError: times that do not rise.
        """
        if not self.times[-1] <= start < end:
            raise ValueError(f"start, end: {start} to {end} s after {self.times[-1]} s; give rising times")
        self.wait(start)
        position, orientation = self.positions[-1], Rotation.from_quat(self.orientations[-1])
        shift = np.zeros(3) if by is None else np.array(by, dtype=float)
        shift = shift if to is None else np.array(to, dtype=float) - position
        vector = np.zeros(3) if turn is None else np.array(turn, dtype=float)
        centre = position if about is None else np.array(about, dtype=float)
        count = max(2, int(np.ceil((end - start) / self._spacing - 1e-9)))
        for k in range(1, count + 1):
            s = k / count
            share = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
            part = Rotation.from_rotvec(share * vector)
            place = centre + part.apply(position - centre) + share * shift
            self._add(start + s * (end - start), place, (part * orientation).as_quat())
        return self

    def keyframes(self) -> dict[str, Any]:
        """times, positions and orientations of softcontact.scene.Keyframes."""
        return {
            "times": self.times,
            "positions": np.array(self.positions).tolist(),
            "orientations": np.array(self.orientations).tolist(),
        }

    def _add(self, time: float, position: FloatArray, orientation: FloatArray) -> None:
        flipped = orientation if orientation @ self.orientations[-1] >= 0.0 else -orientation
        self.times.append(float(time))
        self.positions.append(np.array(position))
        self.orientations.append(flipped)
