# SPDX-License-Identifier: LGPL-2.1-or-later
"""The spring and damper of six degrees of freedom between a device and a tool."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core

FloatArray = NDArray[np.float64]
IDENTITY = (0.0, 0.0, 0.0, 1.0)


def vector(name: str, value: ArrayLike, size: int) -> FloatArray:
    """`value` as a float64 array of `size` finite numbers.

    Raises:
        ValueError: on another shape, or a number that is not finite; names the argument.
    """
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (size,):
        raise ValueError(f"{name}: shape {array.shape}, expected ({size},)")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} = {array.tolist()} must be finite; keep the last good value")
    return array


@dataclass(frozen=True)
class RigidState:
    """Where a device or a tool is and how it moves, in world axes.

    Attributes:
        position: of the frame's origin (3,) [m].
        orientation: unit quaternion (x, y, z, w), frame to world.
        linear: velocity (3,) [m/s]; of the centre of mass for a tool.
        angular: velocity (3,) [rad/s].

    Raises:
        ValueError: on wrong shapes, numbers that are not finite, a quaternion that is not a unit one.
    """

    position: ArrayLike = (0.0, 0.0, 0.0)
    orientation: ArrayLike = IDENTITY
    linear: ArrayLike = (0.0, 0.0, 0.0)
    angular: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        quaternion = vector("orientation", self.orientation, 4)
        norm = float(np.linalg.norm(quaternion))
        if abs(norm - 1.0) > 1e-6:
            raise ValueError(f"orientation: quaternion (x, y, z, w) has norm {norm:.6g}, not 1; normalise it")

    def row(self) -> FloatArray:
        """(13,) position, orientation, linear and angular velocity."""
        return np.concatenate(
            [
                vector("position", self.position, 3),
                vector("orientation", self.orientation, 4),
                vector("linear", self.linear, 3),
                vector("angular", self.angular, 3),
            ]
        )


@dataclass(frozen=True)
class CouplingLoad:
    """What a coupling does at one instant.

    Attributes:
        tool: force [N] and torque about the centre of mass [N m] on the tool (6,).
        device: force and torque about the device point on the device (6,).
        stiffness: -d(tool)/d(x, phi) (6, 6), the tool moved and turned about its centre of mass.
        damping: -d(tool)/d(v, omega) (6, 6).
    """

    tool: FloatArray
    device: FloatArray
    stiffness: FloatArray
    damping: FloatArray


@dataclass(frozen=True)
class VirtualCoupling:
    """F = k (p_device - p_handle) + b (v_device - v_handle), T = r x F + k_r theta + b_r (w_device - w).

    r goes from the tool's centre of mass to the handle, theta is the rotation vector from tool to device. Forces
    longer than max_force and couples longer than max_torque are cut to that length.

    Attributes:
        stiffness: k [N/m]; damping: b [N s/m].
        angular_stiffness: k_r [N m/rad]; angular_damping: b_r [N m s/rad].
        max_force: [N]; max_torque: [N m]; inf for no limit.
        handle_position: the device in the tool's frame when the coupling is at rest (3,) [m].
        handle_orientation: likewise, unit quaternion (x, y, z, w).

    Raises:
        ValueError: on negative or infinite gains, limits that are not positive, a handle that is not finite.

    Source: Otaduy and Gross 2007, Sec. 4.1, Eq. 4.
    """

    stiffness: float = 500.0
    damping: float = 10.0
    angular_stiffness: float = 0.5
    angular_damping: float = 0.005
    max_force: float = math.inf
    max_torque: float = math.inf
    handle_position: ArrayLike = (0.0, 0.0, 0.0)
    handle_orientation: ArrayLike = IDENTITY
    native: _core.VirtualCoupling = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        native = _core.VirtualCoupling(
            self.stiffness,
            self.damping,
            self.angular_stiffness,
            self.angular_damping,
            self.max_force,
            self.max_torque,
            vector("handle_position", self.handle_position, 3),
            vector("handle_orientation", self.handle_orientation, 4),
        )
        object.__setattr__(self, "native", native)

    @classmethod
    def dragging(
        cls,
        mass: float,
        least_inertia: float,
        stiffness: float = 500.0,
        angular_stiffness: float = 0.5,
        *,
        handle_position: ArrayLike = (0.0, 0.0, 0.0),
        handle_orientation: ArrayLike = IDENTITY,
        max_force: float = math.inf,
        max_torque: float = math.inf,
    ) -> VirtualCoupling:
        """A coupling with b = sqrt(2 m k) for the dragged mass [kg], b_r likewise with its least moment of
        inertia [kg m^2].

        Raises:
            ValueError: as the constructor.

        Source: Keith et al., Sec. 3.
        """
        damping, angular = _core.VirtualCoupling.dragging(mass, least_inertia, stiffness, angular_stiffness)
        return cls(
            stiffness,
            damping,
            angular_stiffness,
            angular,
            max_force,
            max_torque,
            handle_position,
            handle_orientation,
        )

    def evaluate(self, device: RigidState, tool: RigidState, centre: ArrayLike | None = None) -> CouplingLoad:
        """Load and exact Jacobians.

        Args:
            device: pose and twist of the device.
            tool: pose of the tool's frame, twist of its centre of mass.
            centre: of mass of the tool in the world (3,) [m]; the frame's origin where left out.

        Raises:
            ValueError: on wrong shapes and numbers that are not finite.
        """
        point = vector("centre", tool.position if centre is None else centre, 3)
        load = self.native.evaluate(device.row(), tool.row(), point)
        return CouplingLoad(load["tool"], load["device"], load["stiffness"], load["damping"])

    def system_matrices(
        self, device: RigidState, tool: RigidState, centre: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Symmetric, positive semidefinite stiffness and damping (6, 6) that go into the tool's system matrix."""
        point = vector("centre", tool.position if centre is None else centre, 3)
        stiffness, damping = self.native.system_matrices(device.row(), tool.row(), point)
        return stiffness, damping
