# SPDX-License-Identifier: LGPL-2.1-or-later
"""HapCo's two benchmarks against an independent reference; the condensed loop against the simulator."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

from softcontact.bench.uzawa import scheme_solver
from softcontact.flexibility import benchmark
from softcontact.flexibility.displacement import CorotationalBlock, LinearBlock
from softcontact.flexibility.haptic import Device, HapticSession, force_jump
from softcontact.flexibility.hexahedra import BlockGrid, assemble, element_dofs, element_stiffness
from softcontact.flexibility.simulator import contact_frame, named_solver, resultants

REFERENCE = json.loads((Path(__file__).parent / "data" / "hapco_blocks.json").read_text())
BOTH = pytest.mark.parametrize("name", ["both", "left"])


def along_path(name: str, friction: float, **options) -> np.ndarray:
    return resultants(benchmark.simulator(name, friction, **options), benchmark.path())


@BOTH
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_resultants_of_the_25_steps(name, friction):
    wanted = np.array(REFERENCE[name]["resultants_n"][str(friction)])
    found = along_path(name, friction)
    assert np.abs(found - wanted).max() <= 1e-6 * np.abs(wanted).max()


@BOTH
def test_delassus_matrix_is_that_of_a_full_solve(name):
    simulator = benchmark.simulator(name)
    problem = simulator.problem(np.zeros(3))
    full = np.zeros_like(problem.W)
    for body in (simulator.upper, simulator.lower):
        # Every contact degree of freedom loaded in turn, on the whole mesh with its supports taken out.
        size = body.displacement.size
        stiffness = assemble(body.dofs, body.element, size).tocsr()
        held = np.union1d(body.clamped, body.driven)
        free = np.setdiff1d(np.arange(size), (3 * held[:, None] + np.arange(3)).ravel())
        loads = np.zeros((size, problem.q.size))
        for row in range(problem.q.size):
            unit = np.zeros(problem.q.size)
            unit[row] = 1.0
            node = body.contact[row // 3]
            loads[3 * node + [2, 0, 1][row % 3], row] = 1.0
        moved = np.zeros((size, problem.q.size))
        moved[free] = spsolve(stiffness[free][:, free].tocsc(), sparse.csc_matrix(loads[free])).toarray()
        full += np.stack([contact_frame(column.reshape(-1, 3)[body.contact]) for column in moved.T], axis=1)
    assert np.abs(problem.W - full).max() <= 1e-10 * np.abs(full).max()
    trace = REFERENCE[name]["trace_cm_per_n"] * benchmark.CENTIMETRE
    assert np.trace(problem.W) == pytest.approx(trace, rel=1e-9)
    assert np.linalg.cond(problem.W) == pytest.approx(REFERENCE[name]["condition"], rel=1e-7)


@BOTH
@pytest.mark.parametrize("scheme", ["local_uzawa", "global_uzawa"])
def test_uzawa_schemes_give_the_same_forces(name, scheme):
    solver = named_solver(scheme, tolerance=1e-9 * benchmark.CENTIMETRE, stop="uzawa_error")
    found = along_path(name, 0.3, contact_solver=solver)
    wanted = np.array(REFERENCE[name]["resultants_n"]["0.3"])
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()


COUNTS = json.loads((Path(__file__).parent / "data" / "hapco_uzawa_counts.json").read_text())["cases"]


@pytest.mark.parametrize(
    "case", COUNTS, ids=lambda c: f"{c['benchmark']}-{c['friction']}-{c['uzawa_error_cm']}"
)
@pytest.mark.parametrize("scheme", ["local", "global"])
def test_uzawa_sweeps_are_counted_as_by_the_reference(case, scheme):
    problem = benchmark.simulator(case["benchmark"], case["friction"]).problem([1e-3, 0.0, -1e-3])
    error = case["uzawa_error_cm"] * benchmark.CENTIMETRE
    found = scheme_solver(scheme, error)(problem, np.zeros(problem.q.size))
    wanted = case[scheme]
    assert abs(found.iterations - wanted["sweeps"]) <= 1
    assert found.inner_iterations == pytest.approx(wanted["projections"], rel=0.05)
    normal, tangential = found.force[0::3].sum(), found.force[1::3].sum()
    assert normal == pytest.approx(wanted["fz"], rel=1e-6)
    assert tangential == pytest.approx(wanted["fx"], rel=1e-5, abs=1e-6)


def test_element_is_stretched_and_bent_as_by_hand():
    size, young, poisson = (0.01, 0.02, 0.03), 2e5, 0.3
    stiffness = element_stiffness(size, young, poisson)
    grid = BlockGrid((0.0, 0.0, 0.0), size, (1, 1, 1))
    nodes = grid.nodes[grid.hexahedra[0]]
    turned = np.cross([0.1, -0.2, 0.3], nodes) + np.array([0.5, 0.6, 0.7])
    assert np.abs(stiffness @ turned.ravel()).max() <= 1e-9 * np.abs(stiffness).max()
    stretch = 1e-3
    moved = nodes * [stretch, -poisson * stretch, -poisson * stretch]
    force = (stiffness @ moved.ravel()).reshape(8, 3)
    ends = nodes[:, 0] > 0.5 * size[0]
    assert force[ends, 0].sum() == pytest.approx(young * stretch * size[1] * size[2], rel=1e-12)
    assert np.abs(force[:, 1:]).max() <= 1e-12 * np.abs(force).max()


def test_corotational_block_turns_without_force():
    grid = BlockGrid((0.0, 0.0, 0.0), (0.02, 0.01, 0.01), (4, 2, 2))
    body = CorotationalBlock(grid, 1e5, 0.3, grid.face("left"), [], grid.face("right"))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    body.displacement = grid.nodes @ turn.T - grid.nodes
    assert np.abs(body._internal_force(body._rotations())).max() < 1e-9
    assert body.elastic_energy() < 1e-15


def test_corotational_is_linear_for_small_loads_and_in_equilibrium_for_large_ones():
    drive = np.array([2e-7, 1e-7, -5e-7])
    small = [
        benchmark.simulator("left", 0.3, kind).step(drive).resultant for kind in ("linear", "corotational")
    ]
    assert np.abs(small[0] - small[1]).max() <= 2e-4 * np.abs(small[0]).max()
    simulator = benchmark.simulator("left", 0.3, "corotational")
    result = simulator.step([1e-3, 0.0, -4e-3])
    assert result.converged and result.newton > 2
    assert (
        np.abs(simulator.upper.driven_force() - result.resultant).max()
        <= 1e-6 * np.abs(result.resultant).max()
    )
    linear = benchmark.simulator("left", 0.3).step([1e-3, 0.0, -4e-3])
    # The bent beam's stiffness has changed: the answer is another one.
    assert np.abs(result.resultant - linear.resultant).max() > 0.01 * np.abs(linear.resultant).max()


def test_energy_is_the_work_done():
    simulator = benchmark.simulator("both", 0.0)
    result = simulator.step([0.0, 0.0, -1e-3])
    energy = simulator.upper.elastic_energy() + simulator.lower.elastic_energy()
    assert energy == pytest.approx(0.5 * result.resultant[2] * 1e-3, rel=1e-9)


@BOTH
@pytest.mark.parametrize("method", ["block_gauss_seidel", "local_uzawa", "global_uzawa"])
def test_loop_gives_the_simulator_s_forces(name, method):
    simulator = benchmark.simulator(name, 0.3)
    path = benchmark.path()
    period = 1e-3
    loop = HapticSession(
        benchmark.simulator(name, 0.3),
        period * np.arange(1, 26),
        path,
        period,
        25,
        method=method,
        tolerance=1e-11,
        max_sweeps=5000,
    )
    log = loop.run()
    assert log["converged"].all()
    np.testing.assert_allclose(log["position"], path, atol=1e-15)
    wanted = resultants(simulator, path)
    assert np.abs(log["force"] - wanted).max() <= 1e-5 * np.abs(wanted).max()


PHASE = 0.4  # of the hand's path [s]; the faster, the more the force changes in a tick


def device_run(name: str, **options) -> tuple[HapticSession, dict]:
    times, moves = benchmark.hand_path(PHASE)
    session = HapticSession(
        benchmark.simulator(name, 0.3), times, moves, 1e-3, round(times[-1] / 1e-3), Device(), **options
    )
    return session, session.run()


@BOTH
def test_device_feels_a_continuous_force_through_stick_and_slip(name):
    _, log = device_run(name)
    assert log["converged"].all()
    tangential = np.linalg.norm(log["force"][:, :2], axis=1)
    share = tangential / np.maximum(log["force"][:, 2], 1e-9)
    dragged = share[round(PHASE / 1e-3) : -round(PHASE / 1e-3)]
    assert (dragged > 0.29).any() and (dragged < 0.15).any()  # it slips, and sticks when it turns
    assert force_jump(log["force"]) < 0.05
    # The hand feels the force: it does not get as deep as it means to.
    assert log["position"][:, 2].min() > -0.9 * 5e-3


def test_tick_without_time_keeps_its_best_and_says_so():
    _, full = device_run("both")
    session, log = device_run("both", max_sweeps=1)
    assert not log["converged"].all() and session.figures()["unsolved_ticks"] > 100
    assert np.isfinite(log["force"]).all()
    # Sweep by sweep it follows: a tick goes on from where the last one was.
    late = np.linalg.norm(log["force"] - full["force"], axis=1)
    assert late.max() < 0.3 * np.linalg.norm(full["force"], axis=1).max()


def test_new_model_takes_over_without_a_jump():
    _, log = device_run("left", refresh=40)
    simulator = benchmark.simulator("left", 0.3, "corotational")
    times, moves = benchmark.hand_path(PHASE)
    turning = HapticSession(simulator, times, moves, 1e-3, 240, Device(), refresh=40)
    force = np.array([turning.row(number)["force"][0] for number in range(240)])
    assert force_jump(force) < 0.05
    away = np.linalg.norm(force[239] - log["force"][239])
    assert away > 0.005 * np.linalg.norm(force[239])  # the new models did count


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="benchmark"):
        benchmark.simulator("right")
    with pytest.raises(ValueError, match="displacement"):
        benchmark.simulator("left", 0.3, "quadratic")
    with pytest.raises(ValueError, match="young"):
        element_stiffness((1, 1, 1), np.nan, 0.3)
    with pytest.raises(ValueError, match="drive"):
        benchmark.simulator("left").step([0.0, np.nan, 0.0])
    grid = benchmark.green_grid()
    with pytest.raises(ValueError, match="contact"):
        LinearBlock(grid, 1e5, 0.3, [], grid.face("top"), grid.face("top"))
    with pytest.raises(ValueError, match="clock"):
        HapticSession(benchmark.simulator("left"), [0.0], np.zeros((1, 3)), 1e-3, 1, clock="none")
    with pytest.raises(ValueError, match="method"):
        HapticSession(benchmark.simulator("left"), [0.0], np.zeros((1, 3)), 1e-3, 1, method="nncg")
    with pytest.raises(ValueError, match="times"):
        HapticSession(benchmark.simulator("left"), [0.0, 0.0], np.zeros((2, 3)), 1e-3, 1)


def test_grid_has_its_elements_and_outer_triangles():
    grid = BlockGrid((1.0, 2.0, 3.0), (0.4, 0.3, 0.2), (4, 3, 2))
    assert grid.hexahedra.shape == (24, 8) and len(grid.nodes) == 60
    nodes, triangles = grid.surface
    corners = grid.nodes[nodes][triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert 0.5 * np.linalg.norm(normals, axis=1).sum() == pytest.approx(2 * (0.12 + 0.08 + 0.06))
    volume = (corners[:, 0] * normals).sum() / 6.0
    assert volume == pytest.approx(0.4 * 0.3 * 0.2)  # seen from outside
    assert len(element_dofs(grid.hexahedra)[0]) == 24
