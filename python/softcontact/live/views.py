# SPDX-License-Identifier: LGPL-2.1-or-later
"""Views that bodies carry, such as the optics of a scope, in the live page."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import Engine
from softcontact.live.frame import FloatArray, View
from softcontact.scene.settings import Camera

FREE = "free"


def view_of(camera: Camera, engine: Engine) -> View:
    """Where a camera of the scene is now."""
    pose = engine.pose(camera.body)
    turn = Rotation.from_quat(pose[3:])
    ahead, up = turn.apply(np.array(camera.direction)), turn.apply(np.array(camera.up))
    return View(
        pose[:3] + turn.apply(np.array(camera.position)),
        ahead / np.linalg.norm(ahead),
        up / np.linalg.norm(up),
        np.deg2rad(camera.field_of_view),
    )


class ViewSwitch:
    """A choice of views for every visitor of the page.

    Args:
        server: viser's.
        names: of the scene's cameras.
        reach: how far ahead of a camera its middle is looked at [m].
    """

    def __init__(self, server: Any, names: tuple[str, ...], reach: float) -> None:
        self._server, self._reach = server, reach
        self._chosen = FREE
        self._drawn: View | None = None
        choice = server.gui.add_dropdown("View", (FREE, *names), initial_value=FREE)

        @choice.on_update
        def _(event: Any) -> None:
            self._chosen, self._drawn = event.target.value, None
            if self._chosen == FREE:
                self._go_back()

    def show(self, views: dict[str, View]) -> None:
        """Follow the body that carries the chosen view."""
        view = views.get(self._chosen)
        if view is None or (self._drawn is not None and _same(view, self._drawn)):
            return
        self._drawn = view
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.fov = view.field_of_view
                client.camera.up_direction = view.up
                client.camera.position = view.position
                client.camera.look_at = view.position + self._reach * view.ahead

    def _go_back(self) -> None:
        first = self._server.initial_camera
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.fov = first.fov
                client.camera.up_direction = first.up
                client.camera.position = first.position
                client.camera.look_at = first.look_at


def _same(a: View, b: View) -> bool:
    parts: list[tuple[FloatArray, FloatArray]] = [(a.position, b.position), (a.ahead, b.ahead), (a.up, b.up)]
    return all(np.allclose(one, other, rtol=0.0, atol=1e-5) for one, other in parts)
