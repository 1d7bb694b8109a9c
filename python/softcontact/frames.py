# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a replay: where the surfaces and the patches are at some of a run's steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.base import Engine, SurfaceInfo
from softcontact.scene.settings import Camera, Cut

FloatArray = NDArray[np.float64]


class FrameStore:
    """Surfaces and patches at the frames of the replay."""

    def __init__(self, engine: Engine, cameras: Sequence[Camera] = (), cuts: Sequence[Cut] = ()) -> None:
        self._engine = engine
        # A rigid body's only surface has its name.
        self._cameras = [camera.model_dump() | {"surface": camera.body} for camera in cameras]
        self._cuts = [cut.model_dump() | {"surface": cut.body} for cut in cuts]
        self._times: list[float] = []
        self._patches: list[list[dict[str, Any]]] = []
        self._shown = (*engine.surfaces, *engine.skins)
        self._tracks: dict[str, list[FloatArray]] = {surface.name: [] for surface in self._shown}
        self._rest = {s.name: _in_body_axes(engine, s) for s in engine.surfaces if s.rigid}

    def add(self, time: float, patches: list[dict[str, Any]]) -> None:
        """Keep the engine's present state as a frame, unless this time has one."""
        if self._times and not time > self._times[-1]:
            return
        self._times.append(float(time))
        self._patches.append(patches)
        for surface in self._shown:
            if surface.rigid:
                self._tracks[surface.name].append(np.array(self._engine.pose(surface.body)))
            else:
                self._tracks[surface.name].append(
                    np.array(self._engine.vertices(surface.name), dtype=np.float32)
                )

    def recording(self, title: str, summary: dict[str, Any]) -> Any:
        """The frames as a softcontact.report.recording.Recording."""
        from softcontact.report.recording import Recording, SurfaceTrack

        tracks = []
        for surface in self._shown:
            frames = np.array(self._tracks[surface.name])
            motion = (
                {"rest": self._rest[surface.name], "poses": frames} if surface.rigid else {"frames": frames}
            )
            tracks.append(
                SurfaceTrack(surface.name, surface.role, surface.triangles, surface.color, **motion)
            )
        views = {"cameras": self._cameras, "cuts": self._cuts}
        return Recording(title, np.array(self._times), tracks, self._patches, summary, **views)


def _in_body_axes(engine: Engine, surface: SurfaceInfo) -> FloatArray:
    from scipy.spatial.transform import Rotation

    pose = engine.pose(surface.body)
    return Rotation.from_quat(pose[3:]).inv().apply(engine.vertices(surface.name) - pose[:3])
