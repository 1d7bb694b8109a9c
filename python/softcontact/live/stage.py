# SPDX-License-Identifier: LGPL-2.1-or-later
"""The three-dimensional view of the live page: surfaces, contact forces, the handle of the hand, camera and lights."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcontact.engines.base import SurfaceInfo
from softcontact.live.creases import split_creases
from softcontact.live.frame import FloatArray, Frame
from softcontact.live.shell import outside

# The replay's colours.
COLORS = {
    "object": (61, 139, 203),
    "skin": (220, 161, 129),
    "phalanx": (219, 164, 131),
    "palm": (215, 156, 123),
    "table": (201, 194, 182),
    "tool": (154, 164, 176),
    "organ": (181, 86, 76),
}
OTHER_COLORS = ((106, 156, 137), (176, 142, 162), (138, 148, 200), (194, 161, 92))
FORCE_COLOR = (250, 200, 20)
ARROW_SHARE = 0.25  # of the scene's size, for the arrow of the full force
FULL_FORCE = 3.0  # N, at first; larger ones make all arrows shorter
_AWAY, _ASIDE = 2.3, 0.28  # of the camera, in sizes of the scene
LEAST_FORCE = 1e-3  # N, that an arrow is drawn for
UNDER_SKIN = ("phalanx", "palm")


class Stage:
    """What the page shows of the frames.

    Args:
        server: viser's.
        surfaces: of the scene.
        frame: the first one.
        seen_through: surfaces that the tool works inside of; shown so that one sees into them.
    Attributes:
        meshes: viser's, by surface; the outside of a surface that is seen through is a mesh of its own.
        centre: of the scene (3,) [m]; size: its largest side [m].
    """

    def __init__(
        self, server: Any, surfaces: tuple[SurfaceInfo, ...], frame: Frame, seen_through: tuple[str, ...] = ()
    ) -> None:
        self._server = server
        _light(server)
        corners = np.vstack(list(frame.vertices.values()))
        self.centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        self.size = float(np.ptp(corners, axis=0).max())
        self.meshes: dict[str, Any] = {}
        self._drawn: dict[str, FloatArray] = {}
        self._sources: dict[str, Any] = {}  # of the drawn vertices
        self._of: dict[str, str] = {}  # surface that a mesh shows, or a part of it
        skins = any(surface.role == "skin" for surface in surfaces)
        for index, surface in enumerate(surfaces):
            self._add(surface, frame, index, surface.name in seen_through)
            if skins and surface.role in UNDER_SKIN:
                self.meshes[surface.name].visible = False
        self._arrows = self._add_arrows()
        self._full = FULL_FORCE
        self._points = server.scene.add_point_cloud(
            "/contacts",
            np.zeros((1, 3)),
            FORCE_COLOR,
            point_size=0.006 * self.size,
            point_shape="circle",
            visible=False,
        )

    def show(self, frame: Frame) -> None:
        """Bring the view up to date."""
        with self._server.atomic():
            for name, mesh in self.meshes.items():
                vertices = frame.vertices[self._of[name]]
                if not np.array_equal(vertices, self._drawn[name]):
                    self._drawn[name] = vertices
                    mesh.vertices = vertices[self._sources[name]].astype(np.float32)
            self._show_forces(frame)

    def _show_forces(self, frame: Frame) -> None:
        self._points.visible = bool(len(frame.points))
        if len(frame.points):
            self._points.points = frame.points.astype(np.float32)
        sizes = np.linalg.norm(frame.forces, axis=1, keepdims=True)
        self._arrows.visible = bool((sizes > LEAST_FORCE).any())
        if self._arrows.visible:
            seen = sizes[:, 0] > LEAST_FORCE
            self._full = max(self._full, float(sizes.max()))
            ways = frame.forces[seen] * (ARROW_SHARE * self.size / self._full)
            ends = np.stack([frame.centres[seen], frame.centres[seen] + ways], axis=1)
            self._arrows.points = ends.astype(np.float32)

    def _add(self, surface: SurfaceInfo, frame: Frame, index: int, seen_through: bool) -> None:
        color = COLORS.get(surface.role, OTHER_COLORS[index % len(OTHER_COLORS)])
        if surface.color is not None:
            color = tuple(round(255 * c) for c in surface.color)
        vertices = frame.vertices[surface.name]
        if not seen_through:
            self._add_part(surface.name, surface.name, surface.triangles, vertices, color, None)
            return
        shell = outside(vertices, surface.triangles)
        self._add_part(surface.name, surface.name, surface.triangles[~shell], vertices, color, None)
        self._add_part(
            f"{surface.name} outside", surface.name, surface.triangles[shell], vertices, color, 0.2
        )

    def _add_part(
        self, name: str, of: str, triangles: Any, vertices: FloatArray, color: Any, opacity: Any
    ) -> None:
        """Some triangles of a surface, with the vertices that they need."""
        source, corners = split_creases(vertices, triangles)
        self._sources[name], self._drawn[name], self._of[name] = source, vertices, of
        self.meshes[name] = self._server.scene.add_mesh_simple(
            f"/surfaces/{name}",
            vertices[source].astype(np.float32),
            corners,
            color=color,
            opacity=opacity,
            cast_shadow=False,
            receive_shadow=False,
        )

    def _add_arrows(self) -> Any:
        return self._server.scene.add_arrows(
            "/force",
            np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1e-3]]]),
            FORCE_COLOR,
            shaft_radius=0.008 * self.size,
            head_radius=0.02 * self.size,
            head_length=0.05 * self.size,
            visible=False,
        )


def _light(server: Any) -> None:
    """Soft light from above the camera's side; viser's own washes colours out."""
    scene = server.scene
    scene.configure_default_lights(False)
    scene.configure_environment_map("warehouse", background=False, environment_intensity=0.35)
    for name, color, intensity, position in (
        ("key", (255, 250, 244), 1.6, (0.4, -0.7, 1.0)),
        ("fill", (235, 242, 255), 0.5, (-0.8, -0.4, 0.3)),
    ):
        scene.add_light_directional(f"/lights/{name}", color=color, intensity=intensity, position=position)


def place_camera(server: Any, centre: FloatArray, size: float, away: FloatArray) -> None:
    """Look from a direction (3,), so far off that the scene is seen beside the panel, left of it."""
    camera = server.initial_camera
    server.scene.set_up_direction("+z")
    away = away / np.linalg.norm(away)
    right = np.cross([0.0, 0.0, 1.0], away)
    middle = centre + _ASIDE * size * right / np.linalg.norm(right)
    camera.up = (0.0, 0.0, 1.0)
    camera.fov = np.deg2rad(35.0)
    camera.near, camera.far = 0.003 * size, 100.0 * size
    camera.look_at = tuple(middle)
    camera.position = tuple(middle + _AWAY * size * away)
