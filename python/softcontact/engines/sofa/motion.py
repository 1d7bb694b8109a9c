# SPDX-License-Identifier: LGPL-2.1-or-later
"""What moves a SOFA graph at the start of each step: prescribed poses, spring targets, closing fingers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.articulated import ArticulatedInGraph
from softcontact.engines.sofa.bodies import KinematicInGraph, RigidInGraph
from softcontact.engines.sofa.surface import transformed

GRASP_GAIN = 4.0  # slows down over the last quarter of the wanted force


class PoseDriver:
    """Moves a kinematic body along keyframes.

    Args:
        body: the body.
        times: rising (k,) [s].
        positions: origins (k, 3) [m].
        orientations: unit quaternions (k, 4).
        vertices: of its surface in body axes (n, 3) [m].
    """

    def __init__(
        self,
        body: KinematicInGraph,
        times: FloatArray,
        positions: FloatArray,
        orientations: FloatArray,
        vertices: FloatArray,
    ) -> None:
        self._body, self._times, self._positions = body, np.array(times), np.array(positions)
        self._turns = Rotation.from_quat(orientations)
        self._slerp = Slerp(self._times, self._turns) if len(self._times) > 1 else None
        self._vertices = vertices

    def pose(self, time: float) -> FloatArray:
        """Pose (7,) at a time [s]; the first and the last keyframe are held outside their range."""
        at = float(np.clip(time, self._times[0], self._times[-1]))
        place = [np.interp(at, self._times, column) for column in self._positions.T]
        turn = self._slerp(at) if self._slerp is not None else self._turns[0]
        return np.concatenate([place, turn.as_quat()])

    def begin(self, time: float, step: float) -> None:
        """Put the body where the step starts, with the velocity that takes it to where the step ends."""
        now, then = self.pose(time), self.pose(time + step)
        turn = Rotation.from_quat(then[3:]) * Rotation.from_quat(now[3:]).inv()
        velocity = [*((then[:3] - now[:3]) / step), *(turn.as_rotvec() / step)]
        _put(self._body.frame, [now.tolist()], [velocity])
        vertices = transformed(now, self._vertices)
        moved = (transformed(then, self._vertices) - vertices) / step
        _put(self._body.surface[1], vertices.tolist(), moved.tolist())


class InertiaDriver:
    """Turns a rigid body's inertia with it and adds the gyroscopic moment: SOFA does neither."""

    def __init__(self, body: RigidInGraph) -> None:
        self._body = body

    def begin(self, time: float, step: float) -> None:
        """Inertia and moment of the present state."""
        body, rotation = self._body, self._body.rotation()
        body.mass_component.findData("vertexMass").read(body.vertex_mass(rotation))
        spin = np.array(body.frame.velocity.value[0][3:], dtype=float)
        matrix = rotation.as_matrix()
        moment = -np.cross(spin, matrix @ body.inertia @ matrix.T @ spin)
        body.gyroscopic.forces.value = [[0.0, 0.0, 0.0, *moment.tolist()]]


class JointDriver:
    """Moves the spring targets of an articulated body.

    The dampers of SOFA act on the velocity itself; those of a scene on the velocity relative to the target's. The
    springs make up for it: they pull towards the target led by damping / stiffness times its velocity.

    Args:
        body: the body.
        times: rising (k,) [s].
        targets: joint positions (k, nq).
    """

    def __init__(self, body: ArticulatedInGraph, times: FloatArray, targets: FloatArray) -> None:
        self.body, self._times, self._targets = body, np.array(times), np.array(targets)
        self._first = body.tree.root_size[0]
        self.offsets = np.zeros(body.tree.count)
        self._offsets_before = np.zeros(body.tree.count)
        self._lead = _leads(body.damping, body.stiffness)
        self._root_lead = _leads(body.root_damping, body.root_stiffness) if body.tree.free else np.zeros(6)
        if (self._targets[1:] != self._targets[:-1]).any():
            _check_leads(body, self._lead, self._root_lead)

    def target(self, time: float) -> FloatArray:
        """Joint positions (nq,) that the springs pull to at a time [s]."""
        at = float(np.clip(time, self._times[0], self._times[-1]))
        k = int(np.clip(np.searchsorted(self._times, at, side="right") - 1, 0, max(0, len(self._times) - 2)))
        if len(self._times) == 1:
            return self._targets[0].copy()
        weight = (at - self._times[k]) / (self._times[k + 1] - self._times[k])
        target = (1.0 - weight) * self._targets[k] + weight * self._targets[k + 1]
        if self.body.tree.free:
            turns = Rotation.from_quat(self._targets[k : k + 2, 3:7])
            target[3:7] = Slerp([0.0, 1.0], turns)(weight).as_quat()
        return target

    def begin(self, time: float, step: float) -> None:
        """Targets of a step, and the limits that are exceeded at its start."""
        body, before, after = self.body, self.target(time), self.target(time + step)
        velocity = (after - before)[self._first :] + self.offsets - self._offsets_before
        velocity = velocity / step
        self._offsets_before = self.offsets.copy()
        positions = after[self._first :] + self.offsets + self._lead * velocity
        body.targets.position.value = [[float(x)] for x in positions]
        if body.tree.free:
            self._drive_root(before, after, step)
        if body.has_limits:
            self._set_limits()

    def _drive_root(self, before: FloatArray, after: FloatArray, step: float) -> None:
        body, lead = self.body, self._root_lead
        start, end = body.tree.base_pose(before), body.tree.base_pose(after)
        axes = Rotation.from_quat(np.array(body.root.position.value[0][3:], dtype=float))
        # Springs and dampers of a free joint act in the axes of its link.
        linear = axes.apply(lead[:3] * axes.inv().apply(end[:3] - start[:3])) / step
        turn = Rotation.from_quat(end[3:]) * Rotation.from_quat(start[3:]).inv()
        angular = axes.apply(lead[3:] * axes.inv().apply(turn.as_rotvec())) / step
        led = Rotation.from_rotvec(angular) * Rotation.from_quat(end[3:])
        body.root_target.position.value = [[*(end[:3] + linear), *led.as_quat()]]
        matrix = axes.as_matrix()
        damping = [np.diag(matrix @ np.diag(part) @ matrix.T) for part in np.split(body.root_damping, 2)]
        body.root_damper.dampingCoefficient.value = [np.concatenate(damping).tolist()]

    def _set_limits(self) -> None:
        body = self.body
        q = np.ravel(body.joints.position.value).astype(float)
        bound = np.clip(q, body.lower, body.upper)
        body.limit_positions.position.value = [[float(x)] for x in bound]
        body.limits.stiffness.value = np.where(bound != q, body.limit_stiffness, 0.0).tolist()


class GraspDriver:
    """Closes fingers until each pushes with a wanted normal force: plugin/core's GraspController on SOFA's patches.

    Args:
        driver: of the hand's spring targets.
        fingers: {name, dofs, rates, links, share} each.
        window: start and end [s].
        force: wanted normal force [N].
        link_forces: gives the normal force on each link of the last step [N].
    """

    def __init__(
        self,
        driver: JointDriver,
        fingers: Sequence[dict[str, Any]],
        window: tuple[float, float],
        force: float,
        link_forces: Callable[[], FloatArray],
    ) -> None:
        self._driver, self._fingers, self._window, self._force = driver, list(fingers), window, force
        self._link_forces = link_forces
        self._first = driver.body.tree.root_size[1]

    def begin(self, time: float, step: float) -> None:
        """Advance the offsets over a step."""
        end = time + step
        if not self._window[0] <= end <= self._window[1]:
            return
        advance_fingers(
            self._fingers, self._force, step, self._link_forces(), self._first, self._driver.offsets
        )


def advance_fingers(
    fingers: Sequence[dict[str, Any]],
    wanted: float,
    step: float,
    link_forces: FloatArray,
    first: int,
    offsets: FloatArray,
) -> None:
    """Advance each closing coordinate at its rate times clamp(gain (1 - F/wanted), 0, 1).

    F is the normal force on the coordinate's link and those beyond: a phalanx that touches stops the joints before
    it, those beyond go on closing.

    Args:
        fingers: {dofs, rates, links, share} each, base first.
        wanted: normal force at which a finger of share 1 stops [N].
        step: [s].
        link_forces: normal force on each link [N].
        first: number of the velocity coordinate that offsets[0] belongs to.
        offsets: of the spring targets [rad]; changed in place.
    """
    for finger in fingers:
        force, beyond = 0.0, None
        for dof, rate, link in reversed(
            list(zip(finger["dofs"], finger["rates"], finger["links"], strict=True))
        ):
            if link != beyond:  # two coordinates of one joint move the same link: its force counts once
                force += float(link_forces[link])
            beyond = link
            pace = min(max(GRASP_GAIN * (1.0 - force / (finger["share"] * wanted)), 0.0), 1.0)
            offsets[dof - first] += pace * rate * step


def _leads(damping: FloatArray, stiffness: FloatArray) -> FloatArray:
    """Time [s] by which each spring's target is led; infinite where a damper has no spring beside it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = damping / stiffness
    return np.where(damping == 0.0, 0.0, lead)


def _check_leads(body: ArticulatedInGraph, *leads: FloatArray) -> None:
    if not all(np.isfinite(lead).all() for lead in leads):
        raise ValueError(
            f"links of '{body.body.name}': a joint with damping and without stiffness follows a motion; SOFA's damper "
            "has no target velocity; give the joint a stiffness, or use --engine embedded"
        )


def _put(state: Any, positions: list[Any], velocities: list[Any]) -> None:
    state.position.value = positions
    state.velocity.value = velocities
    state.free_position.value = positions
    state.free_velocity.value = velocities
