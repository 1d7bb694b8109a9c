# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two instances of a tool: the visual one in the world, the haptic one at the fast rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.haptics.contact_model import LinearContactModel
from softcontact.haptics.coupling import RigidState, VirtualCoupling, vector

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Tool:
    """Mass and shape of a rigid tool.

    Attributes:
        mass: [kg] > 0.
        inertia: about the centre of mass, tool axes (3, 3) [kg m^2], positive definite.
        centre: of mass in the tool's frame (3,) [m].
    """

    mass: float
    inertia: ArrayLike
    centre: ArrayLike = (0.0, 0.0, 0.0)

    def arguments(self) -> tuple[float, FloatArray, FloatArray]:
        """mass, centre, inertia for the core.

        Raises:
            ValueError: on wrong shapes and numbers that are not finite.
        """
        inertia = vector("inertia", np.asarray(self.inertia, dtype=np.float64).ravel(), 9).reshape(3, 3)
        return float(self.mass), vector("centre", self.centre, 3), inertia


@dataclass(frozen=True)
class ToolTrace:
    """What a haptic tool did along a trace of the device, one row a tick.

    Attributes:
        device: force and torque on the device (k, 6) [N], [N m].
        contact: of the tissue on the tool (k, 6), torque about its centre of mass.
        position, orientation: of the tool's frame (k, 3) [m], (k, 4).
        tick_s: duration of each tick [s].
        touching: contacts with a force; changes: contacts that changed their state (k,).
        ok: False where an input was not finite: no force, the tool stays.
        least_normal: smallest normal force of any contact at any tick [N].
    """

    device: FloatArray
    contact: FloatArray
    position: FloatArray
    orientation: FloatArray
    tick_s: FloatArray
    touching: NDArray[np.int32]
    changes: NDArray[np.int32]
    ok: NDArray[np.bool_]
    least_normal: float


class HapticTool:
    """The haptic tool: coupling, free update, contact of the linear model, state after contact, device force.

    Args:
        tool: mass and inertia.
        coupling: between device and tool.
        step: of the fast thread [s].
        blend: time over which a new model takes the place of the last one [s]: the low pass on the model for low
            visual rates. 0: at once.
        capacity: of the models that will come; counts with `blend` alone.

    Raises:
        ValueError: on a mass, inertia or step that is not positive, a negative blend.

    Source: Otaduy and Gross 2007, Sec. 3, haptic thread; Sec. 6 for the filter.
    """

    def __init__(
        self,
        tool: Tool,
        coupling: VirtualCoupling,
        step: float = 1e-3,
        *,
        blend: float = 0.0,
        capacity: int = 32,
    ) -> None:
        self.step = step
        self.native = _core.HapticTool(*tool.arguments(), coupling.native, step, blend, capacity)

    def reset(self, state: RigidState) -> None:
        """Place the tool at rest."""
        self.native.reset(state.row())

    def reset_to_device(self, device: RigidState) -> None:
        """Place the tool where the device holds it at rest."""
        self.native.reset_to_device(device.row())

    def set_force(self, force: ArrayLike) -> None:
        """Force at the centre of mass besides the coupling (3,) [N], such as its weight."""
        self.native.set_force(vector("force", force, 3))

    def run(self, devices: Sequence[RigidState] | ArrayLike, model: LinearContactModel | None) -> ToolTrace:
        """Go along a trace, one tick a device state, with one model.

        Args:
            devices: states, or their rows (k, 13). Numbers that are not finite are let through: a tick with
                such an input gives no force.
            model: None for free space. Its contacts go on from tick to tick.

        Raises:
            ValueError: on a wrong shape.
        """
        if isinstance(devices, Sequence) and devices and isinstance(devices[0], RigidState):
            rows = np.array([state.row() for state in devices])  # type: ignore[union-attr]
        else:
            rows = np.asarray(devices, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != 13:
            raise ValueError(f"devices: shape {rows.shape}, expected (k, 13): position, orientation, twist")
        out = self.native.trace(rows, None if model is None else model.native)
        return ToolTrace(
            out["device"],
            out["contact"],
            out["pose"][:, :3],
            out["pose"][:, 3:],
            out["tick_s"],
            out["touching"],
            out["changes"],
            np.asarray(out["ok"]),
            float(out["least_normal"]),
        )

    @property
    def kinetic_energy(self) -> float:
        """Of the tool [J]."""
        return float(self.native.kinetic_energy)


class VisualTool:
    """The tool in a world: stepped with the tissue at the slow rate, the source of contact models.

    Args:
        world: a softcontact._core.World with contact = "point".
        name: of the body and its surface.
        vertices, triangles: surface in the tool's frame (n, 3) [m], (m, 3).
        tool: mass and inertia; coupling: to the device.
        pose: at the start.
        friction: coefficient of the surface.
        fast_step: of the thread that will use the models [s].
        capacity: contacts a model has room for; those that press hardest come first.

    Raises:
        ValueError: on a tool, coupling or step that no body can have, a name that is taken.
    """

    def __init__(
        self,
        world: _core.World,
        name: str,
        vertices: ArrayLike,
        triangles: ArrayLike,
        tool: Tool,
        coupling: VirtualCoupling,
        pose: RigidState | None = None,
        friction: float = 0.5,
        *,
        fast_step: float = 1e-3,
        capacity: int = 32,
    ) -> None:
        if not (np.isfinite(fast_step) and fast_step > 0.0):  # before the world takes the tool
            raise ValueError(f"fast_step: {fast_step} s; give a finite number > 0")
        start = (pose or RigidState()).row()
        body: int = world.add_tool(
            name,
            np.asarray(vertices, dtype=np.float64),
            np.asarray(triangles, dtype=np.int32),
            *tool.arguments(),
            coupling.native,
            start[:3],
            start[3:7],
            friction,
        )
        self._adopt(world, body, fast_step, capacity)

    @classmethod
    def of(cls, world: _core.World, body: int, *, fast_step: float = 1e-3, capacity: int = 32) -> VisualTool:
        """A tool that a world holds already, such as a scene's.

        Args:
            world: with contact = "point".
            body: number of the tool in it.
            fast_step, capacity: as above.

        Raises:
            ValueError: that body is no tool; a step that is not positive.
        """
        made = cls.__new__(cls)
        made._adopt(world, body, fast_step, capacity)
        return made

    def _adopt(self, world: _core.World, body: int, fast_step: float, capacity: int) -> None:
        self.world, self.body, self.capacity = world, body, capacity
        self.fast_step = fast_step
        self._condensation = _core.ContactCondensation(world, body, fast_step)
        self._kept: LinearContactModel | None = None

    def set_device(self, device: RigidState) -> None:
        """Where the device is at the start of the next step."""
        self.world.set_device(self.body, device.row())

    def model(self, published: float = 0.0) -> LinearContactModel:
        """The linear contact model of the world's last step.

        Args:
            published: clock to stamp it with [s].

        Raises:
            ValueError: where contact was aggregated into patches.
        """
        model = LinearContactModel(capacity=self.capacity)
        self._condensation.build(self.world, published, model.native)
        return model

    def packed_model(self) -> FloatArray:
        """As ToolLaw.data(model()), without a model of its own each time: room for many contacts is large, and
        memory that is new each time costs more than the model.

        Raises:
            ValueError: see model().
        """
        if self._kept is None:
            self._kept = LinearContactModel(capacity=self.capacity)
        self._condensation.build(self.world, 0.0, self._kept.native)
        return _core.pack_contact_model(self._kept.native)

    @property
    def state(self) -> RigidState:
        """Pose of the tool's frame, twist of its centre of mass."""
        state = self.world.tool_state(self.body)
        motion = state["motion"]
        return RigidState(state["position"], state["orientation"], motion[:3], motion[3:])

    @property
    def device_load(self) -> FloatArray:
        """Force and torque (6,) of the coupling on the device after the last step [N], [N m]."""
        return self.world.tool_state(self.body)["device"]
