# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedded engine for scenes with avatars: their control, and the devices that hold tools and links."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.acting import ActingAvatar, probe_bar
from softcontact.engines.base import FloatArray, SurfaceInfo
from softcontact.engines.contact_scale import contact_distances
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.tools import device_load
from softcontact.haptics import (
    DoubleCouplingLaw,
    HandScript,
    HapticSession,
    RecordedDevice,
    Recording,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    Tool,
    ToolLaw,
    VirtualCoupling,
    VisualLoop,
)
from softcontact.scene.avatars import AvatarBody, HeldDevice
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

_BAR = (0.95, 0.55, 0.10)  # orange, as the probe of Keith et al., Fig. 3
_TOOL_RADIUS = 0.02  # m, of gyration: the haptic tool between device and world


class AvatarEngine(EmbeddedEngine):
    """A scene in motion whose avatars are position controlled, give way, hold and let go.

    Args:
        scene: with avatars; at most one device in a hand.
    Raises:
        SceneError: see EmbeddedEngine; two devices; an avatar that cannot stand, reach or hold as the scene wants.
    """

    def __init__(self, scene: Scene) -> None:
        self._avatars: dict[str, ActingAvatar] = {}
        self._held: HeldDevice | None = None
        self._loop: VisualLoop | None = None
        self._session: HapticSession | None = None
        super().__init__(scene)
        for name, avatar in self._avatars.items():
            self._kinds[name] = "avatar"
            if avatar.skin is not None:
                self.skins += (SurfaceInfo(f"{name}.body", name, "avatar", avatar.color, False, avatar.skin),)
        if self._held is not None:
            self._take_up(self._held)
            bar = np.asarray(probe_bar(np.zeros(3), np.ones(3))[1], dtype=np.int32)
            self.skins += (SurfaceInfo("device", self._held.body, "tool", _BAR, False, bar),)
            if self._held.link is not None:
                self.tools += (self._held.body,)

    def _add(self, body: Any) -> None:
        if not isinstance(body, AvatarBody):
            super()._add(body)
            return
        held = None if body.holds is None else self.scene.body(body.holds)
        if held is not None and held.kind not in ("rigid", "tool"):
            raise SceneError(
                f"bodies ({body.name}).holds: {held.name!r} is {held.kind}; name a rigid body or a tool"
            )
        mesh = None if held is None else self._mesh(held.shape)
        offset = contact_distances(self.scene, self._mesh)["contact_offset"]
        avatar = ActingAvatar(self.world, body, held, mesh, self._mu(body), offset)
        self._avatars[body.name] = avatar
        self._ids[body.name] = avatar.body.id
        for surface in avatar.body.surfaces:
            self._show(surface, body.model_copy(update={"color": avatar.color}), rigid=False)

    def _move(self, motion: Any) -> None:
        if not isinstance(motion, HeldDevice):
            super()._move(motion)
            return
        if self._held is not None:
            raise SceneError(f"motions ({motion.body}): two devices in a hand; leave one out")
        self._held = motion

    def _take_up(self, held: HeldDevice) -> None:
        """Put the device into the hand: session, law, and the loop that moves the world."""
        start = np.zeros(3)
        if held.link is None:
            body = self.scene.body(held.body)
            tool: Any = self.held_tool(held.body)
            coupling = tool.coupling
            turn = Rotation.from_quat(body.orientation) * Rotation.from_quat(body.coupling.handle_orientation)
        else:
            avatar = self._avatars[held.body]
            self._guarded(f"motions ({held.body}).link", avatar.drag, held.link, held.point, held.stiffness)
            tool, coupling = avatar.dragged, avatar.dragged.coupling
            start = np.array(tool.state.position)
            turn = Rotation.from_quat(tool.state.orientation)
        law = self._law(held, tool, coupling)
        device = self._device(held, start, turn)
        safety = SafetySettings(max_force=held.max_force)
        settings = ThreadSettings(rate_hz=1.0 / self.scene.time_step, safety=safety)
        try:
            self._session = HapticSession(device, law, settings, clock="simulated")
            self._loop = VisualLoop(tool, self._session, period=self.scene.time_step, prepare=self._prepare)
        except ValueError as error:
            raise SceneError(f"motions ({held.body}): {error}") from None

    def _law(self, held: HeldDevice, tool: Any, coupling: VirtualCoupling) -> DoubleCouplingLaw | ToolLaw:
        step = self.scene.time_step
        if held.law == "couplings":
            inertia = held.tool_mass * _TOOL_RADIUS**2 * np.eye(3)
            return DoubleCouplingLaw(
                Tool(held.tool_mass, inertia), self._to_device(held, coupling), coupling, step=step
            )
        if self.scene.contact.model != "point":
            raise SceneError(
                f"motions ({held.body}).law: the linear contact model takes point contacts; set contact.model, and "
                "the feet and hands of avatars, to 'point', or law to 'couplings'"
            )
        weight = tool.tool.mass * np.array(self.scene.gravity)
        return ToolLaw(tool.tool, coupling, step, force=tuple(weight))

    def _device(
        self, held: HeldDevice, start: FloatArray, turn: Rotation
    ) -> SimulatedDevice | RecordedDevice:
        if held.recording is not None:
            try:
                return RecordedDevice(Recording.load(held.recording))
            except (OSError, ValueError) as error:
                raise SceneError(f"motions ({held.body}).recording: {held.recording}: {error}") from None
        script = HandScript(
            held.times, start + np.array(held.positions), np.tile(turn.as_quat(), (len(held.times), 1))
        )
        torque = 0.2 if held.force_axes == 6 else 0.0
        return SimulatedDevice(script, max_force=held.max_force, max_torque=torque)

    def _to_device(self, held: HeldDevice, second: VirtualCoupling) -> VirtualCoupling:
        """Like the coupling to the world; its damper that of dragging the haptic tool."""
        inertia = held.tool_mass * _TOOL_RADIUS**2
        return VirtualCoupling.dragging(
            held.tool_mass, inertia, second.stiffness, max(second.angular_stiffness, 0.5)
        )

    def step(self) -> None:
        """Advance by one time step, devices and avatars with it."""
        for device in self._devices:
            device.prepare()
        if self._held is not None and self._held.end is not None and self.time >= self._held.end:
            self._let_go()
        if self._loop is None:
            self._prepare()
            self.world.step()
            if self._session is not None:
                self._session.tick()  # the hand has let go: its force fades
            return
        try:
            self._loop.run(self.scene.time_step)
        except ValueError:
            if self.world.status()["ok"]:  # the World tells of its own failures
                raise

    def _let_go(self) -> None:
        avatar = self._avatars[self._held.body]  # type: ignore[union-attr]
        if self._loop is not None:
            self._session.withdraw()  # type: ignore[union-attr]
            self._loop = None
            avatar.dragged = None

    def _prepare(self) -> None:
        """Before a step of the world: what the avatars feel, and where their servos are to go."""
        for name, avatar in self._avatars.items():
            tools = [tool for tool in self.tools if tool != name and tool != avatar.holds]
            avatar.act(self.time, lambda held=avatar.holds: self._pull(held), tools)

    def _pull(self, tool: str | None) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Point, force and torque of a device on what is held."""
        if tool is None or self._kinds[tool] != "tool":
            return None
        state = self.world.tool_state(self._ids[tool])
        wrench = np.array(state["coupling"])
        return self.world.body_pose(self._ids[tool])[0], wrench[:3], wrench[3:]

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's or a skin's vertices in the world [m]."""
        if surface == "device" and self._held is not None:
            device = self._device_position()
            return probe_bar(device if self._loop is None else self._grip(), device)[0]
        name = surface.removesuffix(".body")
        if surface.endswith(".body") and name in self._avatars:
            return self._avatars[name].skin_vertices()
        return super().vertices(surface)

    def _grip(self) -> FloatArray:
        """Where the device holds on to the world (3,) [m]."""
        assert self._held is not None
        if self._held.link is not None:
            return self._avatars[self._held.body].point(self._held.link, self._held.point)
        position, orientation = self.world.body_pose(self._ids[self._held.body])
        handle = self.scene.body(self._held.body).coupling.handle_position
        return Rotation.from_quat(orientation).apply(handle) + position

    def _device_position(self) -> FloatArray:
        read = self._session.readout() if self._session is not None else {"tick": 0}
        return np.array(read["position"]) if read["tick"] > 0 else self._grip()

    def device_load(self, tool: str) -> dict[str, FloatArray]:
        """What the device in the hand got in the last tick; of other tools, what their coupling exerts."""
        if self._held is None or tool != self._held.body:
            return device_load(self.world, self._ids[tool])
        read = self._session.readout()  # type: ignore[union-attr]
        wrench = np.array(read["wrench"]) if read["tick"] > 0 else np.zeros(6)
        motion = np.zeros(6)
        if read["tick"] > 0:
            motion = np.concatenate([read["linear_velocity"], read["angular_velocity"]])
        return {"force": wrench[:3], "torque": wrench[3:], "motion": motion}

    def close(self) -> None:
        """Give the device back."""
        if self._session is not None:
            self._session.close()
