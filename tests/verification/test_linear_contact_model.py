# SPDX-License-Identifier: LGPL-2.1-or-later
"""Eq. 13 against the slow step and against full re-solves; release, friction, weight. Otaduy and Gross 2007."""

import numpy as np
import pytest
from haptic_bodies import (
    COUPLING,
    MASS,
    RADIUS,
    TOOL,
    add_tool,
    device_at,
    make_world,
    pressed,
    rows,
)

from softcontact import solver
from softcontact.haptics import HapticTool, RigidState, Tool, VirtualCoupling, VisualTool
from softcontact.mesh.primitives import box

FAST = 1e-3


def slab() -> tuple[np.ndarray, np.ndarray]:
    mesh = box((0.4, 0.4, 0.02)).transformed(translation=np.array([0.0, 0.0, -0.01]))
    return mesh.vertices, mesh.triangles


def system_matrix(model, device, step: float) -> np.ndarray:
    """A = M + h D + h^2 K of the ball (its axes do not matter) at the start of the slow step."""
    stiffness, damping = COUPLING.system_matrices(device, model.reference)
    mass = np.diag([MASS] * 3 + [0.4 * MASS * RADIUS**2] * 3)
    return mass + step * damping + step**2 * stiffness


@pytest.mark.parametrize("step", [0.01, 0.04])
@pytest.mark.parametrize("drag", [0.0, 0.006])
def test_model_at_the_inputs_of_the_slow_step_is_its_contact_wrench(step, drag):
    _, _, model = pressed(step=step, drag=drag, friction=0.3)
    force, torque = model.wrench(model.free_force[:3], model.free_force[3:])
    assert np.linalg.norm(model.contact_wrench[:3]) > 1.0
    np.testing.assert_allclose(np.r_[force, torque], model.contact_wrench, rtol=0, atol=1e-10)
    if drag:
        assert any(contact.state == "slide" for contact in model.contacts)


def re_solve_same_set(problem, right) -> np.ndarray:
    """Forces with the contacts active, sticking and sliding as they are: sliding ones push along their slip."""
    force, mu = problem["force"].reshape(-1, 3), problem["mu"]
    columns, equations = [], []
    for c, (normal, *side) in enumerate(force):
        if normal <= 0.0:
            continue
        size = np.hypot(*side)
        slides = size >= mu[c] * normal * (1 - 1e-9)
        for k in range(1 if slides else 3):
            column = np.zeros(3 * len(force))
            column[3 * c + k] = 1.0
            if slides:
                column[3 * c + 1 : 3 * c + 3] = mu[c] * np.array(side) / size
            columns.append(column)
            equations.append(3 * c + k)
    spread = np.array(columns).T
    return spread @ np.linalg.solve((problem["W"] @ spread)[equations], -right[equations])


@pytest.mark.parametrize("drag", [0.0, 0.006])
def test_nearby_inputs_give_what_a_full_re_solve_gives(drag):
    step = 0.02
    world, tool, model = pressed(step=step, drag=drag, friction=0.3)
    problem = world.velocity_problem()
    reach = world.tool_rows(tool.body)
    mobility = step * np.linalg.inv(
        system_matrix(model, device_at(0.003 + drag, 0.002, RADIUS - 0.004), step)
    )
    generator = np.random.default_rng(3)
    for _ in range(8):
        change = generator.normal(size=6) * np.array([1e-2, 1e-2, 1e-2, 1e-5, 1e-5, 1e-5])
        right = problem["q"] + reach @ (mobility @ change)
        if drag:
            expected = re_solve_same_set(problem, right)
        else:  # all stick: the solver itself keeps the set
            found = solver.solve(
                solver.ContactProblem(problem["W"], right, problem["mu"]),
                tolerance=1e-14,
                max_iterations=20000,
                guess=problem["force"],
            )
            expected = found.force
        inputs = model.free_force + change
        force, torque = model.wrench(inputs[:3], inputs[3:])
        assert np.linalg.norm(reach.T @ expected - model.contact_wrench) > 1e-5
        np.testing.assert_allclose(np.r_[force, torque], reach.T @ expected, rtol=0, atol=1e-8)


def test_rows_of_the_fast_thread_repeat_the_slow_step():
    """With the slow step's length and free motion the unilateral rows give the slow step's contact."""
    step = 0.02
    _, _, model = pressed(step=step, fast_step=step)
    device = device_at(0.003, 0.002, RADIUS - 0.004)
    free = step * step * np.linalg.inv(system_matrix(model, device, step)) @ model.free_force
    force, torque = model.solve(free)
    np.testing.assert_allclose(np.r_[force, torque], model.contact_wrench, rtol=0, atol=1e-7)


def test_held_still_the_fast_force_is_the_slow_one():
    _, tool, model = pressed()
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(RigidState(tool.state.position, tool.state.orientation))
    trace = haptic.run(rows(np.tile([0.003, 0.002, RADIUS - 0.004], (400, 1))), model)
    np.testing.assert_allclose(trace.device[-1], tool.device_load, rtol=0, atol=2e-3)


@pytest.mark.parametrize("speed", [0.01, 0.1, 1.0])
def test_release_leaves_no_adhesion(speed):
    _, tool, model = pressed(friction=0.8)
    ticks = int(0.02 / speed / FAST) + 100
    height = RADIUS - 0.004 + speed * FAST * np.arange(ticks)
    places = np.column_stack([np.full(ticks, 0.003), np.full(ticks, 0.002), height])
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(RigidState(tool.state.position, tool.state.orientation))
    bilateral = model.copy()
    trace = haptic.run(rows(places), model)
    assert trace.contact[0, 2] > 0.5
    assert trace.contact[:, 2].min() >= 0.0
    assert trace.least_normal >= 0.0
    assert trace.touching[-1] == 0
    np.testing.assert_array_equal(trace.contact[-1], 0.0)
    # Eq. 13 alone would hold on to the tool: pulled up it pulls down.
    pull = bilateral.free_force + np.array([0, 0, 50.0, 0, 0, 0])
    assert bilateral.wrench(pull[:3], pull[3:])[0][2] < 0.0


def test_friction_stays_in_its_cone_and_against_the_slip():
    friction = 0.3
    _, tool, model = pressed(friction=friction)
    ticks = 400
    path = np.tile([0.003, 0.002, RADIUS - 0.004], (ticks, 1))
    path[:, 0] += 0.02 * np.clip(np.arange(ticks) - 100, 0, None) * FAST
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(RigidState(tool.state.position, tool.state.orientation))
    states = []
    for row in rows(path):
        haptic.run(row[None], model)
        for contact in model.contacts:
            normal, side = contact.force[0], np.linalg.norm(contact.force[1:])
            assert normal >= 0.0
            assert side <= friction * normal * (1 + 1e-9)
        states.append({contact.state for contact in model.contacts if contact.force[0] > 0.0})
    assert "stick" in states[50]
    assert states[-1] == {"slide"}


@pytest.mark.parametrize("step", [0.001, 0.005, 0.02])
def test_a_known_weight_on_the_tool_reads_as_its_weight(step):
    """A box rests on the tool; device, slow step and fast thread feel its weight."""
    gravity, mass = 9.81, 0.2
    world = make_world(step, gravity)
    plate = box((0.04, 0.04, 0.01))
    inertia = MASS * 0.04**2 / 6 * np.eye(3)
    coupling = VirtualCoupling(2000.0, 40.0, 5.0, 0.1)
    properties = Tool(MASS, inertia)
    tool = VisualTool(world, "plate", plate.vertices, plate.triangles, properties, coupling)
    load = box((0.03, 0.03, 0.02))
    world.add_rigid_body(
        "load",
        load.vertices,
        load.triangles,
        mass,
        np.zeros(3),
        mass * 0.03**2 / 6 * np.eye(3),
        position=np.array([0.0, 0.0, 0.0155]),
    )
    for _ in range(int(1.0 / step)):
        tool.set_device(RigidState())
        assert world.step(), world.status()
    model = tool.model()
    weight = mass * gravity
    assert -model.contact_wrench[2] == pytest.approx(weight, rel=0.01)
    assert -tool.device_load[2] == pytest.approx(weight + MASS * gravity, rel=0.01)
    haptic = HapticTool(properties, coupling, FAST)
    haptic.reset(tool.state)
    haptic.set_force([0.0, 0.0, -MASS * gravity])
    trace = haptic.run(np.tile(RigidState().row(), (300, 1)), model)
    assert -trace.contact[-1, 2] == pytest.approx(weight, rel=0.01)
    assert -trace.device[-1, 2] == pytest.approx(weight + MASS * gravity, rel=0.01)


def test_sideways_the_tool_feels_the_tissue_between_slow_steps():
    """The force changes at every tick though the slow loop stands still, with the stiffness of tissue in series."""
    _, tool, model = pressed(friction=0.8)
    ticks = 200
    path = np.tile([0.003, 0.002, RADIUS - 0.004], (ticks, 1))
    path[:, 2] -= 0.0005 * np.sin(2 * np.pi * 5 * np.arange(ticks) * FAST)
    haptic = HapticTool(TOOL, COUPLING, FAST)
    haptic.reset(RigidState(tool.state.position, tool.state.orientation))
    trace = haptic.run(rows(path), model)
    assert (np.diff(trace.device[:, 2]) != 0.0).mean() > 0.95
    # within the band between no tissue and a rigid one
    swing = np.ptp(trace.device[:, 2])
    assert 0.05 < swing < 800.0 * 0.001


def test_aggregated_contact_is_refused():
    world = make_world(0.01, contact="aggregate")
    mesh = box((2 * RADIUS, 2 * RADIUS, 2 * RADIUS))
    world.add_kinematic_body("floor", *slab(), friction=0.5)
    world.add_rigid_body(
        "block", mesh.vertices, mesh.triangles, 0.1, np.zeros(3), 1e-5 * np.eye(3), aggregate=True,
        position=np.array([0.1, 0.0, RADIUS]),
    )  # fmt: skip
    tool = add_tool(world, position=(0.0, 0.0, RADIUS + 0.01))
    tool.set_device(device_at(0.0, 0.0, RADIUS + 0.01))
    assert world.step()
    with pytest.raises(ValueError, match=r"set contact = 'point'"):
        tool.model()
