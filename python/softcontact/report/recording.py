# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record of a run: surfaces over time, contact patches over time, and a summary.

Everything is checked when it is put in, so that a writer (replay, report) can rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Recording", "SurfaceTrack"]

QUATERNION_NORM_TOLERANCE = 1e-3  # float32 poses and an integrator's drift stay far below this


def _finite(array: Any, dtype: type, shape: tuple[int | None, ...], what: str) -> NDArray:
    """Return `array` as a C-ordered array of `dtype`, or raise a ValueError that names `what`."""
    try:
        result = np.asarray(array, dtype=dtype, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: not a rectangular array of numbers ({error})") from None
    expected = "(" + ", ".join("n" if n is None else str(n) for n in shape) + ")"
    if result.ndim != len(shape) or any(
        n is not None and n != m for n, m in zip(shape, result.shape, strict=True)
    ):
        raise ValueError(f"{what}: shape {result.shape}, expected {expected}")
    bad = ~np.isfinite(result)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"{what}: {result[where]} at index {where}; every value must be finite")
    return result


@dataclass(frozen=True, eq=False)
class SurfaceTrack:
    """One triangulated surface over the frames of a recording; deforming or rigid.

    Attributes:
        name: unique in the recording; contact patches refer to it.
        role: what the surface is ("object", "phalanx", "palm", "skin", "table", "tool", ...). Surfaces of one
            role form one layer of the replay; phalanges are hidden there by default when there is a skin.
        triangles: vertex indices, shape (m, 3), int32, counter-clockwise seen from outside.
        color: sRGB components in [0, 1], or None for the colour of the role.
        frames: deforming surface: positions [m], shape (n_frames, k, 3), float32.
        rest: rigid surface: positions in the body's frame [m], shape (k, 3), float32.
        poses: rigid surface: (x, y, z, qx, qy, qz, qw) per frame [m, -], shape (n_frames, 7), float64.
    Raises:
        ValueError: neither or both of `frames` and (`rest`, `poses`), wrong shape, non-finite value, an index
            outside the vertices, a quaternion that is not of unit length, or a colour outside [0, 1].
    """

    name: str
    role: str
    triangles: NDArray[np.int32]
    color: Sequence[float] | None = None
    frames: NDArray[np.float32] | None = None
    rest: NDArray[np.float32] | None = None
    poses: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        label = f"surface '{self.name}'"
        if not self.name or not self.role:
            raise ValueError(f"{label}: name and role must not be empty (role {self.role!r})")
        rigid = self.rest is not None and self.poses is not None
        if (self.frames is None) == (not rigid) or (self.frames is not None and self.rest is not None):
            raise ValueError(f"{label}: give either frames (deforming) or both rest and poses (rigid)")

        def put(key: str, value: Any) -> None:
            object.__setattr__(self, key, value)

        if rigid:
            put("rest", _finite(self.rest, np.float32, (None, 3), f"{label} rest"))
            put("poses", _finite(self.poses, np.float64, (None, 7), f"{label} poses"))
            norms = np.linalg.norm(self.poses[:, 3:], axis=1)
            if not np.all(np.abs(norms - 1.0) < QUATERNION_NORM_TOLERANCE):
                frame = int(np.argmax(np.abs(norms - 1.0)))
                raise ValueError(
                    f"{label} poses: quaternion of norm {norms[frame]:.6g} in frame {frame}, expected 1 "
                    "(order x, y, z, qx, qy, qz, qw)"
                )
        else:
            put("frames", _finite(self.frames, np.float32, (None, None, 3), f"{label} frames"))
        triangles = _finite(self.triangles, np.int32, (None, 3), f"{label} triangles")
        put("triangles", triangles)
        if triangles.size == 0:
            raise ValueError(f"{label} triangles: none; a surface needs at least one triangle")
        if triangles.min() < 0 or triangles.max() >= self.n_vertices:
            raise ValueError(
                f"{label} triangles: indices {triangles.min()}..{triangles.max()} outside the "
                f"{self.n_vertices} vertices"
            )
        if self.color is not None:
            color = _finite(self.color, np.float64, (3,), f"{label} color")
            if not np.all((color >= 0.0) & (color <= 1.0)):
                raise ValueError(f"{label} color: {tuple(color)}, expected three components in [0, 1]")
            put("color", tuple(float(c) for c in color))

    @property
    def rigid(self) -> bool:
        """Whether the surface moves as one body."""
        return self.frames is None

    @property
    def n_frames(self) -> int:
        """Number of recorded frames."""
        return len(self.poses) if self.frames is None else len(self.frames)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.rest) if self.frames is None else self.frames.shape[1]

    def vertices(self, frame: int) -> NDArray[np.float64]:
        """Positions in the world [m] at one frame, shape (k, 3)."""
        if self.frames is not None:
            return self.frames[frame].astype(np.float64)
        x, y, z, w = self.poses[frame, 3:] / np.linalg.norm(self.poses[frame, 3:])
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        return self.rest.astype(np.float64) @ rotation.T + self.poses[frame, :3]


PATCH_VECTORS = {"force": True, "centre": True, "torque": False}  # name: required
PATCH_SCALARS = ("area", "volume", "pressure_mean", "pressure_max", "normal_force")


def _checked_patch(patch: Mapping[str, Any], names: Sequence[str], label: str) -> dict[str, Any]:
    result = dict(patch)
    for key in ("body", "other"):
        value = patch.get(key)
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            if not 0 <= value < len(names):
                raise ValueError(f"{label} {key}: index {value} outside the {len(names)} surfaces")
            value = names[value]
        if not isinstance(value, str) or not value:
            raise ValueError(f"{label} {key}: {value!r}, expected the name or index of a surface")
        result[key] = value
    for key, required in PATCH_VECTORS.items():
        if key in patch:
            result[key] = _finite(patch[key], np.float64, (3,), f"{label} {key}")
        elif required:
            raise ValueError(f"{label} {key}: missing; a patch needs body, other, force and centre")
    for key in PATCH_SCALARS:
        if key in patch:
            result[key] = float(_finite(patch[key], np.float64, (), f"{label} {key}"))
    gauge = float(patch.get("slip_gauge", np.nan))
    if not np.isfinite(gauge):  # not told, or friction where there is no bound for it
        result.pop("slip_gauge", None)
    if "points" in patch and "point_forces" in patch:
        result["points"] = _finite(patch["points"], np.float64, (None, 3), f"{label} points")
        shape = (len(result["points"]), 3)
        result["point_forces"] = _finite(patch["point_forces"], np.float64, shape, f"{label} point_forces")
    return result


@dataclass(frozen=True, eq=False)
class Recording:
    """A run in memory, as handed to the writers of the replay and of the report.

    Attributes:
        title: shown to people.
        times: simulated time of each frame [s], shape (n_frames,), strictly increasing.
        surfaces: tracks with n_frames frames each, names unique.
        patches: per frame a list of contact patches: dicts with body, other (surface names or indices),
            force (3,) [N] on `body`, centre (3,) [m], and where known torque (3,) [N m], area [m2],
            volume [m3], pressure_mean, pressure_max [Pa], normal_force [N], slip_gauge [-], number (of the
            patch within its pair), points (k, 3) [m], point_forces (k, 3) [N].
        summary: keys as in a run's summary.json (checks, real_time_factor, ...); all optional.
        camera: {azimuth, elevation [degrees], distance [m], target (3,) [m]} for the first view, or None.
        cameras: further views, carried by rigid surfaces: {name, surface, position (3,) [m], direction (3,), up (3,)
            in the axes of the surface's body, field_of_view [degrees]}. Organs are see-through at first where there
            is one.
        cuts: sections through surfaces seen from outside: {surface, point (3,) [m], normal (3,)}; what lies on the side
            that the normal points to is not drawn. The first view looks at the first one.
    Raises:
        ValueError: no frames, no surfaces, frame counts that differ, names used twice, a camera on a surface that is
            not there or not rigid, or a non-finite value.
    """

    title: str
    times: NDArray[np.float64]
    surfaces: Sequence[SurfaceTrack]
    patches: Sequence[Sequence[Mapping[str, Any]]]
    summary: Mapping[str, Any] = field(default_factory=dict)
    camera: Mapping[str, Any] | None = None
    cameras: Sequence[Mapping[str, Any]] = ()
    cuts: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        times = _finite(self.times, np.float64, (None,), "recording times")
        if len(times) == 0:
            raise ValueError("recording times: no frames; record at least one")
        if not np.all(np.diff(times) > 0.0):
            raise ValueError("recording times: must increase strictly")
        if not self.surfaces:
            raise ValueError("recording surfaces: none; record at least one")
        names = [surface.name for surface in self.surfaces]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"recording surfaces: names used twice: {sorted(twice)}")
        for surface in self.surfaces:
            if surface.n_frames != len(times):
                raise ValueError(
                    f"surface '{surface.name}': {surface.n_frames} frames, "
                    f"but the recording has {len(times)} times"
                )
        if len(self.patches) != len(times):
            raise ValueError(f"recording patches: {len(self.patches)} lists for {len(times)} frames")
        rigid = {surface.name for surface in self.surfaces if surface.rigid}
        for camera in self.cameras:
            if camera["surface"] not in rigid:
                raise ValueError(
                    f"recording cameras: {camera['name']!r} is carried by {camera['surface']!r}, which is no rigid "
                    f"surface; the rigid ones are {', '.join(sorted(rigid)) or 'none'}"
                )
        for cut in self.cuts:
            if cut["surface"] not in names:
                raise ValueError(
                    f"recording cuts: no surface {cut['surface']!r}; there are {', '.join(names)}"
                )
        checked = [
            [_checked_patch(patch, names, f"patch {i} of frame {frame}") for i, patch in enumerate(patches)]
            for frame, patches in enumerate(self.patches)
        ]
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "surfaces", list(self.surfaces))
        object.__setattr__(self, "patches", checked)

    @property
    def n_frames(self) -> int:
        """Number of recorded frames."""
        return len(self.times)
