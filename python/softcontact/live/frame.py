# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a running scene shows of itself: immutable pictures of its state, made between two steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """What a camera sees.

    Attributes:
        position: (3,) [m].
        ahead, up: unit vectors (3,).
        field_of_view: over the height of the picture [rad].
    """

    position: FloatArray
    ahead: FloatArray
    up: FloatArray
    field_of_view: float


@dataclass(frozen=True)
class Frame:
    """The scene after a step.

    Attributes:
        number: counts the frames since the start.
        time: simulated [s].
        vertices: positions (k, 3) [m] by surface and skin.
        points: where contact forces act (n, 3) [m].
        centres, forces: middles (m, 3) [m] of what is pressed together, and the forces there (m, 3) [N]: one on the
            tool, or in a scene without one those of all patches on the first body of each.
        normal: unit vector (3,) along which the tissue pushes the tool, or zeros.
        device: pose of the device, position and quaternion (7,), in a scene with a tool.
        views: of the scene's cameras, by name.
    """

    number: int
    time: float
    vertices: dict[str, FloatArray]
    points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    centres: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    forces: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    normal: FloatArray = field(default_factory=lambda: np.zeros(3))
    device: FloatArray | None = None
    views: dict[str, View] = field(default_factory=dict)


@dataclass(frozen=True)
class Readings:
    """Figures of the last moment.

    Attributes:
        time: simulated [s].
        speed: simulated time over wall-clock time of the last second or so [-].
        step_ms: median duration of the last steps.
        contacts: contact points of the last step.
        normal, tangential: force that the hand feels, along and across the contact's normal [N]; in a scene without a
            tool the sum of the normal and of the tangential forces of all contacts.
        fast: figures of the fast thread, if there is one: rate_hz, work_us, late_us (median and 99.9th percentile of a
            tick's start after its due time), overruns, state, data_age_ms.
    """

    time: float
    speed: float
    step_ms: float
    contacts: int
    normal: float
    tangential: float
    fast: dict[str, Any] | None = None


class History:
    """The last seconds of a force, for one writing thread and any reading ones.

    Args:
        window: length [s].
        most: samples kept.
    """

    def __init__(self, window: float = 6.0, most: int = 4000) -> None:
        self.window = window
        self._rows: deque[tuple[float, float, float]] = deque(maxlen=most)

    def add(self, time: float, normal: float, tangential: float) -> None:
        """A sample at a time [s], forces [N]."""
        rows = self._rows
        rows.append((time, normal, tangential))
        while rows and rows[0][0] < time - self.window:
            rows.popleft()

    @property
    def last(self) -> tuple[float, float]:
        """Newest normal and tangential force [N]; zeros without any."""
        rows = self._rows
        return rows[-1][1:] if rows else (0.0, 0.0)

    def clear(self) -> None:
        """Forget all samples."""
        self._rows = deque(maxlen=self._rows.maxlen)

    def arrays(self, most: int = 300) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Times (k,) [s], normal and tangential forces (k,) [N], at most `most` of them, the last one among them.

        Of every group of samples that is drawn as one, the largest force stays.
        """
        rows = np.array(list(self._rows.copy())).reshape(-1, 3)
        group = -(-len(rows) // most) if len(rows) else 1
        rest = len(rows) % group
        grouped = rows[rest:].reshape(-1, group, 3)
        times, forces = grouped[:, -1, 0], grouped[:, :, 1:]
        largest = np.abs(forces).argmax(axis=1)
        picked = np.take_along_axis(forces, largest[:, None, :], axis=1)[:, 0, :]
        return times, picked[:, 0], picked[:, 1]


def contact_forces(
    patches: list[dict[str, Any]], on: str | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Where the last step's contacts push, how hard, and in which direction.

    Args:
        patches: as World.patches() tells them.
        on: surface that forces are told on, its contacts alone, summed; None: all patches, each on its first body.
    Returns:
        points (n, 3) [m], centres (m, 3) [m], forces (m, 3) [N], unit normal (3,) of the summed normal forces, zeros
        without any.
    """
    points, centres, forces, push = [np.zeros((0, 3))], [], [], np.zeros(3)
    for patch in patches:
        if on is not None and on not in (patch["body"], patch["other"]):
            continue
        force = np.asarray(patch["force"], dtype=float) * (-1.0 if patch["other"] == on else 1.0)
        if not force.any():
            continue
        normal = np.asarray(patch.get("normal", np.zeros(3)), dtype=float)
        push += patch["normal_force"] * (normal if normal @ force >= 0.0 else -normal)
        pressed = np.linalg.norm(patch["point_forces"], axis=1) > 0.0
        points.append(np.asarray(patch["points"])[pressed])
        centres.append(np.asarray(patch["centre"], dtype=float))
        forces.append(force)
    if on is not None and forces:
        weights = np.linalg.norm(forces, axis=1)
        centres, forces = [np.average(centres, axis=0, weights=weights)], [np.sum(forces, axis=0)]
    length = float(np.linalg.norm(push))
    return (
        np.vstack(points),
        np.array(centres).reshape(-1, 3),
        np.array(forces).reshape(-1, 3),
        push / length if length > 0.0 else push,
    )


def summed_forces(patches: list[dict[str, Any]]) -> tuple[float, float]:
    """Sums of the normal and of the tangential forces of all contacts [N]."""
    normal = [float(patch["normal_force"]) for patch in patches]
    whole = [float(np.linalg.norm(patch["force"])) for patch in patches]
    across = [max(0.0, w * w - n * n) ** 0.5 for w, n in zip(whole, normal, strict=True)]
    return sum(normal), sum(across)


def split(force: FloatArray, normal: FloatArray) -> tuple[float, float]:
    """Parts of a force along a unit normal and across it [N]; without a normal all of it is along."""
    if not normal.any():
        return float(np.linalg.norm(force)), 0.0
    along = float(force @ normal)
    return along, float(np.linalg.norm(force - along * normal))
