# SPDX-License-Identifier: LGPL-2.1-or-later
"""An avatar of a scene in its World: its posture, what it holds and how it gives way."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from softcontact.avatar import (
    AvatarController,
    Balance,
    CompliantChain,
    DraggedLink,
    HoldingChain,
    StandingAvatar,
    borne_loads,
    holding_posture,
    human,
    offering_posture,
    robot,
    touched_links,
)
from softcontact.engines.base import FloatArray
from softcontact.engines.embedded_bodies import mass_properties
from softcontact.scene.avatars import AvatarBody
from softcontact.scene.errors import SceneError

_MAKERS = {"robot": robot, "human": human}
_COLORS = {"robot": (0.62, 0.66, 0.72), "human": (0.80, 0.62, 0.50)}
_DAMPING_TIMES = {"robot": 0.003, "human": 0.01}  # s, B by k_p: a newton leads the hands at 3 to 5 cm/s
_LEAST_DAMPING = 0.05  # N·m·s/rad, of freedoms without a servo
_LETS_GO = 0.2  # s, in which the squeeze ends
_OPENS = (0.2, 0.10)  # m/s, m: how fast and how far the palms open
_PERIOD = 0.01  # s, of control
_BAR_LENGTH, _BAR_WIDTH = 0.18, 0.006  # m


class ActingAvatar:
    """An avatar that stands, holds something if the scene wants it, and gives way to devices.

    Args:
        world: of softcontact._core.
        given: what the scene says of it.
        held: the scene's body between its palms, with its surface mesh; None: nothing.
        friction: of its surfaces.
        offset: distance at which surfaces come to rest [m].
    Attributes:
        body, holds, color: in the World; name of what is between its palms; of its look.
        dragged: the link that a device holds; None: none.
        skin: triangles (m, 3) of the surfaces that take no part in contact.
    Raises:
        SceneError: a posture that it cannot take.
    """

    def __init__(
        self, world: Any, given: AvatarBody, held: Any, mesh: Any, friction: float, offset: float
    ) -> None:
        avatar = replace(_MAKERS[given.who](), name=given.name)
        self.holds, self.color = given.holds, given.color or _COLORS[given.who]
        self._given, self._weight = given, 0.0
        try:
            posture = avatar.standing()
            posture[:2] += given.position[:2]
            if held is not None:
                low, high = np.asarray(mesh.bounds)
                centre = np.array(held.position) + 0.5 * (low + high)
                width = float(high[1] - low[1]) + 2.0 * offset
                posture = holding_posture(avatar, posture, centre, width)
                self._weight = -float(avatar.model.gravity[2]) * mass_properties(held, mesh)[0]
            elif given.offers is not None:
                posture = offering_posture(avatar, posture, given.offers)
            contact = {"foot": given.feet, "hand": given.hands}
            roles = ("foot", "hand")
            self.body = StandingAvatar(
                world,
                avatar,
                roles=roles,
                friction=friction,
                patches=[role for role, model in contact.items() if model == "aggregate"],
                posture=posture,
                contact_offset=offset,
            )
        except ValueError as error:
            raise SceneError(f"bodies ({given.name}): {error}") from None
        chain = self._chain(avatar)
        balance = Balance(avatar, self.body.posture)
        self.control = AvatarController(self.body, chain=chain, balance=balance, period=_PERIOD)
        if held is not None:
            self.control.bearing = borne_loads(avatar, self.body.posture, self._weight, given.squeeze)
            self.control.control()
        self.dragged: DraggedLink | None = None
        self._every = max(1, round(_PERIOD / world.time_step))
        self._steps = 0
        self._shown = [shape for shape in avatar.shapes if shape.role not in roles]
        counts = np.cumsum([0, *(len(shape.vertices) for shape in self._shown)])
        parts = [shape.triangles + first for shape, first in zip(self._shown, counts, strict=False)]
        self.skin = np.vstack(parts).astype(np.int32)

    def _chain(self, avatar: Any) -> CompliantChain:
        given = self._given.yielding
        share = given.damping_time or _DAMPING_TIMES[self._given.who]
        stiffness, _ = avatar.gains()
        damping = np.maximum(share * stiffness, _LEAST_DAMPING)
        kind = CompliantChain if self.holds is None else HoldingChain
        return kind(
            avatar,
            self.body.posture,
            inertia=given.inertia_time * damping,
            damping=damping,
            stiffness=given.stiffness_share * stiffness,
        )

    def drag(self, link: str, point: ArrayLike, stiffness: float) -> None:
        """A device holds a link from now on.

        Raises:
            ValueError: no such link.
        """
        self.dragged = DraggedLink(self.body, link, point, stiffness=stiffness)

    def act(self, time: float, pull: Callable[[], tuple[FloatArray, ...] | None], tools: list[str]) -> None:
        """Before a step of the World: forces of the device on a link, and every control period the targets.

        Args:
            time: [s].
            pull: tells point (3,) [m], force (3,) [N] and torque (3,) [N m] of a device on what it holds; None:
                no device does.
            tools: those that may touch it.
        """
        loads = [] if self.dragged is None else [self.dragged.load()]
        self.control.apply(loads)
        if self._steps % self._every == 0:
            self._let_go(time)
            chain = self.control.chain
            if isinstance(chain, HoldingChain) and not self._released(time):
                pulled = pull()
                loads += [] if pulled is None else chain.loads(self.body.configuration, *pulled)
            for tool in tools:
                loads += touched_links(self.body, tool)
            self.control.control(loads)
        self._steps += 1

    def _released(self, time: float) -> bool:
        return self._given.release is not None and time >= self._given.release

    def _let_go(self, time: float) -> None:
        if self.holds is None:
            return
        share = 1.0
        if self._released(time):
            since = time - float(self._given.release)  # type: ignore[arg-type]
            share = max(0.0, 1.0 - since / _LETS_GO)
            speed, most = _OPENS
            self.control.chain.spread = min(most, max(0.0, since - 0.5 * _LETS_GO) * speed)  # type: ignore[attr-defined]
        self.control.bearing = borne_loads(
            self.body.avatar, self.body.configuration, share * self._weight, share * self._given.squeeze
        )

    def point(self, link: str, place: ArrayLike) -> FloatArray:
        """World position (3,) of a point of a link [m]."""
        rotation, origin = self.body.avatar.model.link_pose(self.body.configuration, link)
        return rotation @ np.asarray(place, dtype=float) + origin

    def skin_vertices(self) -> FloatArray:
        """Vertices (n, 3) of what takes no part in contact [m]."""
        q, model = self.body.configuration, self.body.avatar.model
        parts = []
        for shape in self._shown:
            rotation, origin = model.link_pose(q, shape.link)
            parts.append(shape.vertices @ rotation.T + origin)
        return np.vstack(parts)


def probe_bar(grip: ArrayLike, device: ArrayLike) -> tuple[FloatArray, np.ndarray]:
    """A thin bar from where a device holds on upwards and outwards: vertices (8, 3) [m] and triangles.

    It leans as far as the coupling is stretched, ten times.
    """
    from softcontact.avatar.shapes import box

    grip, device = np.asarray(grip, dtype=float), np.asarray(device, dtype=float)
    along = np.array([0.3, 0.0, 1.0]) * _BAR_LENGTH + 10.0 * np.clip(device - grip, -0.02, 0.02)
    length = float(np.linalg.norm(along))
    half = 0.5 * _BAR_WIDTH
    vertices, triangles = box((-half, -half, 0.0), (half, half, length))
    axis = along / length
    turn, _ = Rotation.align_vectors([axis], [[0.0, 0.0, 1.0]])
    return turn.apply(vertices) + grip, triangles
