# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tool on its coupling: Jacobians, implicit steps, and what wrong or wild inputs lead to."""

import math

import numpy as np
import pytest
from haptic_bodies import (
    COUPLING,
    HANDLE,
    RADIUS,
    TOOL,
    add_block,
    add_tool,
    device_at,
    make_world,
    rows,
)
from softcontact._core import ToolDynamics

from softcontact.haptics import HapticTool, RigidState, Tool, VirtualCoupling

FAST = 1e-3


def quaternion(vector) -> np.ndarray:
    angle = np.linalg.norm(vector)
    return np.r_[0.5 * np.sinc(0.5 * angle / np.pi) * np.asarray(vector), math.cos(0.5 * angle)]


def times(a, b) -> np.ndarray:
    """Quaternion product, (x, y, z, w)."""
    return np.r_[a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3]), a[3] * b[3] - a[:3] @ b[:3]]


def rotate(q, v) -> np.ndarray:
    return v + 2 * np.cross(q[:3], np.cross(q[:3], v) + q[3] * v)


@pytest.mark.parametrize("limit", [math.inf, 2.0])
def test_jacobians_of_the_coupling_are_the_derivatives_of_its_load(limit):
    """Central differences about a turned, moving tool whose handle and centre of mass lie apart."""
    coupling = VirtualCoupling(
        700.0, 9.0, 0.8, 0.02, limit, 0.5 * limit, [0.01, -0.02, 0.05], quaternion([0.2, 0, 0.1])
    )
    local = np.array([0.005, 0.01, -0.01])  # centre of mass in the tool's frame
    device = RigidState([0.02, 0.01, 0.06], quaternion([0.5, -0.3, 0.9]), [0.1, 0.05, -0.2], [1.0, 2.0, -0.5])
    base = quaternion([-0.3, 0.4, 0.2])

    def load(change):
        orientation = times(quaternion(change[3:6]), base)
        centre = np.array([0.001, 0.002, 0.003]) + change[:3]
        motion = np.array([0.2, -0.1, 0.3, -1.0, 0.7, 2.0]) + change[6:]
        tool = RigidState(centre - rotate(orientation, local), orientation, motion[:3], motion[3:])
        return coupling.evaluate(device, tool, centre)

    here = load(np.zeros(12))
    step = 1e-6
    for k in range(12):
        change = np.zeros(12)
        change[k] = step
        slope = (load(change).tool - load(-change).tool) / (2 * step)
        column = here.stiffness[:, k] if k < 6 else here.damping[:, k - 6]
        np.testing.assert_allclose(-slope, column, rtol=1e-5, atol=2e-5)
    if math.isinf(limit):
        assert np.abs(here.stiffness[3:, :3]).max() > 1.0  # coupled
    else:
        assert np.linalg.norm(here.device[:3]) == pytest.approx(limit)


def test_matrices_for_the_system_are_symmetric_and_push_nothing_away():
    generator = np.random.default_rng(5)
    for _ in range(50):
        device = RigidState(generator.normal(size=3), quaternion(generator.normal(size=3)))
        tool = RigidState(generator.normal(size=3), quaternion(generator.normal(size=3)))
        for matrix in COUPLING.system_matrices(device, tool, generator.normal(size=3)):
            np.testing.assert_array_equal(matrix, matrix.T)
            assert np.linalg.eigvalsh(matrix).min() > -1e-9 * np.abs(matrix).max()


def free_coupling() -> VirtualCoupling:
    return VirtualCoupling(0.0, 0.0, 0.0, 0.0)


def test_a_tool_that_spins_freely_keeps_its_momentum():
    """Unequal moments about all axes: the gyroscopic torque turns it over, the angular momentum stays."""
    moments = np.array([1.0, 2.0, 2.8]) * 1e-4
    tool = ToolDynamics(0.1, np.array([0.0, 0.01, 0.0]), np.diag(moments))
    tool.reset(RigidState(angular=[0.05, 20.0, 0.05], linear=[0.0, 0.0, 0.3]).row())
    start = moments * tool.motion[3:]
    energies, flips = [], []
    for _ in range(4000):
        tool.step(free_coupling().native, RigidState().row(), np.zeros(6), np.zeros(6), FAST)
        _, orientation = tool.pose
        spin = rotate(np.r_[-orientation[:3], orientation[3]], tool.motion[3:])
        np.testing.assert_allclose(rotate(orientation, moments * spin), start, rtol=0, atol=1e-9)
        energies.append(0.5 * (moments * spin**2).sum())
        flips.append(spin[1])
    assert min(flips) < -10.0  # it tumbles, as about its middle axis it must
    momentum = start @ start
    assert momentum / (2 * moments[2]) <= min(energies)
    assert max(energies) <= momentum / (2 * moments[0])
    np.testing.assert_allclose(tool.motion[:3], [0.0, 0.0, 0.3], rtol=0, atol=1e-12)


@pytest.mark.parametrize("mass", [1e-5, 0.1])
def test_any_mass_is_stable_on_a_stiff_coupling(mass):
    """Backward Euler of a tool of 10 mg on 5000 N/m settles where the device holds it."""
    coupling = VirtualCoupling(5000.0, 1.0, 5.0, 0.001, handle_position=HANDLE)
    tool = HapticTool(Tool(mass, mass * 1e-4 * np.eye(3)), coupling, FAST)
    tool.reset(RigidState([0.01, 0.0, 0.02], quaternion([0.3, 0.0, 0.2])))
    trace = tool.run(np.tile(device_at(0.0, 0.0, 0.0).row(), (1500, 1)), None)
    assert np.abs(trace.position).max() < 0.03
    np.testing.assert_allclose(trace.position[-1], 0.0, atol=1e-6)
    np.testing.assert_allclose(trace.device[-1], 0.0, atol=1e-3)


def test_a_small_step_follows_the_damped_oscillator():
    stiffness, damping, mass = 100.0, 0.4, 0.1
    tool = ToolDynamics(mass, np.zeros(3), 1e-4 * np.eye(3))
    tool.reset(RigidState([0.01, 0.0, 0.0]).row())
    coupling = VirtualCoupling(stiffness, damping, 0.0, 0.0)
    step, ticks = 1e-5, 20000
    for _ in range(ticks):
        tool.step(coupling.native, RigidState().row(), np.zeros(6), np.zeros(6), step)
    decay = damping / (2 * mass)
    swing = math.sqrt(stiffness / mass - decay**2)
    t = step * ticks
    expected = 0.01 * math.exp(-decay * t) * (math.cos(swing * t) + decay / swing * math.sin(swing * t))
    assert tool.pose[0][0] == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": 0.0}, "mass = 0.0"),
        ({"mass": math.nan}, "mass = nan"),
        ({"inertia": np.zeros((3, 3))}, "principal moments"),
        ({"inertia": np.diag([1.0, 1.0, 3.0])}, "sum of the others"),
        ({"centre": [0.0, math.inf, 0.0]}, "centre"),
    ],
)
def test_a_tool_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        HapticTool(Tool(**{"mass": 0.1, "inertia": 1e-4 * np.eye(3)} | change), COUPLING, FAST)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": -1.0}, "stiffness = -1.0"),
        ({"angular_damping": math.nan}, "angular_damping = nan"),
        ({"max_force": 0.0}, "max_force = 0.0"),
        ({"handle_position": [math.nan, 0.0, 0.0]}, "handle_position"),
    ],
)
def test_a_coupling_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        VirtualCoupling(**change)


def test_a_pose_that_is_no_number_gives_no_force_and_the_next_good_one_goes_on():
    tool = HapticTool(TOOL, COUPLING, FAST)
    tool.reset(RigidState())
    states = rows(np.tile([0.0, 0.0, 0.001], (6, 1)))
    states[2, 1] = math.nan
    states[3, 3:7] = 0.0
    trace = tool.run(states, None)
    assert list(trace.ok) == [True, True, False, False, True, True]
    np.testing.assert_array_equal(trace.device[2:4], 0.0)
    np.testing.assert_array_equal(trace.position[3], trace.position[1])
    assert np.isfinite(trace.device).all()
    assert trace.device[4, 2] < 0.0

    world = make_world(0.01)
    visual = add_tool(world)
    with pytest.raises(ValueError, match="keep the last good"):
        visual.set_device(RigidState([math.nan, 0.0, 0.0]))
    with pytest.raises(ValueError, match="norm"):
        visual.set_device(RigidState(orientation=[0.0, 0.0, 0.0, 0.0]))
    assert world.step()


def test_a_jump_of_a_metre_stays_within_the_limits():
    """Down through the block: the coupling pulls with its largest force, the tool stays on its side."""
    coupling = VirtualCoupling(
        COUPLING.stiffness, COUPLING.damping, 0.5, COUPLING.angular_damping, 4.0, 0.1, HANDLE
    )
    world = make_world(0.02)
    add_block(world, young=1e5)
    tool = add_tool(world, coupling=coupling)
    tool.set_device(device_at(0.003, 0.002, RADIUS - 1.0))
    for _ in range(50):
        assert world.step(), world.status()
    assert tool.state.position[2] > 0.0
    assert tool.model().contact_wrench[2] == pytest.approx(4.0, rel=0.02)

    haptic = HapticTool(TOOL, coupling, FAST)
    haptic.reset(tool.state)
    path = np.tile([0.003, 0.002, RADIUS], (400, 1))
    path[100:, 2] -= 1.0
    trace = haptic.run(rows(path), tool.model())
    assert np.linalg.norm(trace.device[:, :3], axis=1).max() <= 4.0 + 1e-9
    assert trace.position[:, 2].min() > 0.0
    assert np.abs(trace.position).max() < 0.1


@pytest.mark.parametrize("depth", [0.003, 0.008])
def test_a_tool_that_starts_inside_tissue_is_let_out_without_a_blow(depth):
    world = make_world(0.01)
    add_block(world)
    tool = add_tool(world, position=(0.0, 0.0, RADIUS - depth))
    tool.set_device(device_at(0.0, 0.0, RADIUS - depth))
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(tool.state)
    forces = []
    for _ in range(80):
        assert world.step(), world.status()
        trace = haptic.run(rows(np.tile([0.0, 0.0, RADIUS - depth], (10, 1))), tool.model())
        assert trace.least_normal >= 0.0
        forces.append(trace.device[:, 2])
    forces = np.concatenate(forces)
    assert forces[-1] > 0.2
    assert np.abs(forces).max() < 2.0 * forces[-1]
    assert world.statistics()["penetration_max"] < 1e-4


def test_a_tool_far_from_anything_feels_nothing():
    world = make_world(0.01)
    add_block(world)
    tool = add_tool(world, position=(5.0, 5.0, 5.0))
    assert world.step()
    model = tool.model()
    assert model.contacts == []
    np.testing.assert_array_equal(np.r_[model.wrench([1, 2, 3], [0, 0, 1])], 0.0)
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(tool.state)
    trace = haptic.run(rows(np.tile([5.0, 5.0, 5.0], (20, 1))), model)
    np.testing.assert_allclose(trace.device, 0.0, atol=1e-9)
