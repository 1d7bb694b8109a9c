# SPDX-License-Identifier: LGPL-2.1-or-later
"""Balances, bounds and equilibria of the tetrahedral body in time."""

import numpy as np
import pytest
from test_tetrahedral import box

from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import TetrahedralModel

NOTHING = np.zeros(3)


def advance(body, h, steps, gravity=NOTHING, force=None):
    """Steps without contact; yields after each."""
    still = np.zeros_like(body.positions)
    for _ in range(steps):
        assert body.begin_step(h, gravity, still if force is None else force), body.status
        assert body.finish(still), body.status
        yield


def run(body, *args, **kwargs):
    for _ in advance(body, *args, **kwargs):
        pass


def test_free_fall_has_the_closed_form_and_stores_nothing():
    nodes, tetrahedra = box((3, 2, 2), (0.1, 0.08, 0.08))
    model = TetrahedralModel(nodes, tetrahedra, Material(1e4, 0.4, 900.0))
    body = model.dynamics(rayleigh_stiffness=0.01)
    gravity, h, steps = np.array([0.0, 1.0, -9.81]), 0.004, 100
    mass = 900.0 * 0.1 * 0.08 * 0.08
    run(body, h, steps, gravity)
    np.testing.assert_allclose(body.momentum, mass * gravity * h * steps, rtol=1e-12, atol=1e-13)
    fall = 0.5 * gravity * (h * steps) ** 2
    np.testing.assert_allclose(body.positions - nodes, np.tile(fall, (len(nodes), 1)), rtol=1e-9, atol=1e-12)
    assert body.kinetic_energy == pytest.approx(
        0.5 * mass * (gravity @ gravity) * (h * steps) ** 2, rel=1e-12
    )
    assert body.elastic_energy < 1e-12 * body.kinetic_energy


def test_free_motion_keeps_momentum_and_nearly_the_energy_at_small_steps():
    nodes, tetrahedra = box((3, 2, 2), (0.1, 0.08, 0.08))
    body = TetrahedralModel(nodes, tetrahedra, Material(1e4, 0.3, 1000.0)).dynamics()
    center = nodes.mean(axis=0)
    body.set_state(
        center + (nodes - center) * [1.05, 1.0, 0.97], np.cross([4.0, 2.0, 6.0], nodes - center) + 0.2
    )
    momentum, spin = body.momentum, body.angular_momentum
    energy = body.kinetic_energy + body.elastic_energy
    losses = []
    for h in (4e-4, 2e-4):
        body.set_state(
            center + (nodes - center) * [1.05, 1.0, 0.97], np.cross([4.0, 2.0, 6.0], nodes - center) + 0.2
        )
        run(body, h, round(0.04 / h))
        np.testing.assert_allclose(body.momentum, momentum, rtol=1e-11)
        losses.append(1 - (body.kinetic_energy + body.elastic_energy) / energy)
        assert np.linalg.norm(body.angular_momentum - spin) < 0.05 * np.linalg.norm(spin)
    assert 0 < losses[1] < losses[0] < 0.3  # implicit Euler loses energy, in proportion to h
    assert losses[1] < 0.65 * losses[0]


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
@pytest.mark.parametrize("young", [1e3, 1e4, 1e5, 1e6])
def test_energy_stays_bounded_for_soft_and_stiff_and_all_steps(young, tolerance):
    nodes, tetrahedra = box((4, 2, 2), (0.2, 0.1, 0.1))
    model = TetrahedralModel(nodes, tetrahedra, Material(young, 0.45, 1000.0))
    center = nodes.mean(axis=0)
    for h in (5e-4, 5e-3, 2e-2):
        body = model.dynamics(refactor_rotation_tolerance=tolerance)
        rng = np.random.default_rng(1)
        spin = np.cross([3.0, 5.0, 8.0], nodes - center)
        body.set_state(center + (nodes - center) * [1.5, 0.8, 1.2], spin + rng.normal(0, 0.3, nodes.shape))
        start = body.kinetic_energy + body.elastic_energy
        for _ in advance(body, h, 100):
            assert body.kinetic_energy + body.elastic_energy < start
        assert body.inverted_count == 0 or young == 1e3  # 0.3 m/s tears through the softest for long
        if tolerance > 0:
            assert body.factorization_count < 100


@pytest.mark.parametrize("young", [1e3, 1e6])
@pytest.mark.parametrize("h", [5e-4, 2e-2])
def test_inverted_elements_recover(young, h):
    nodes, tetrahedra = box((5, 3, 3), (0.2, 0.1, 0.1))
    body = TetrahedralModel(nodes, tetrahedra, Material(young, 0.45, 1000.0)).dynamics(
        rayleigh_stiffness=0.01
    )
    rng = np.random.default_rng(4)
    x = nodes.copy()

    def volumes(at):
        return np.linalg.det(at[tetrahedra[:, 1:]] - at[tetrahedra[:, :1]])

    while np.mean(volumes(x) * volumes(nodes) < 0) < 0.05:
        x[rng.integers(len(nodes))] += rng.normal(0, 0.03, 3)
    body.set_state(x, np.zeros_like(x))
    start = body.elastic_energy
    assert body.inverted_count >= 0.05 * len(tetrahedra)
    for _ in advance(body, h, max(60, round(0.5 / h))):
        assert body.kinetic_energy + body.elastic_energy <= start
    assert body.inverted_count == 0
    assert np.all(volumes(body.positions) * volumes(nodes) > 0)
    assert body.kinetic_energy + body.elastic_energy < 0.02 * start


def test_equilibrium_does_not_depend_on_the_refactorisation_and_is_the_static_one():
    nodes, tetrahedra = box((6, 2, 2), (0.3, 0.1, 0.1))
    model = TetrahedralModel(nodes, tetrahedra, Material(2e4, 0.3, 1000.0), nodes[:, 0] == 0)
    gravity = np.array([0.0, 0.0, -9.81])
    static = model.static_solve(model.mass[:, None] * gravity)
    assert np.abs(static - nodes).max() > 0.02  # turned well past the tolerance
    counts = []
    for tolerance in (0.0, 0.05):
        body = model.dynamics(rayleigh_mass=8.0, refactor_rotation_tolerance=tolerance)
        run(body, 0.01, 600, gravity)
        np.testing.assert_allclose(body.positions, static, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(body.positions[model.fixed], nodes[model.fixed])
        counts.append(body.factorization_count)
    assert counts[0] == 600
    assert 1 < counts[1] < 100


def test_a_whole_turn_needs_no_new_factorisation_and_keeps_its_spin():
    nodes, tetrahedra = box((3, 2, 2), (0.1, 0.08, 0.08))
    center = nodes.mean(axis=0)
    model = TetrahedralModel(nodes, tetrahedra, Material(1e6, 0.3, 1000.0))
    ends = []
    for tolerance in (0.0, 0.05):
        body = model.dynamics(refactor_rotation_tolerance=tolerance)
        body.set_state(nodes, np.cross([0.0, 0.0, 5.0], nodes - center))
        spin = body.angular_momentum[2]
        run(body, 0.002, 700)  # 7 rad
        ends.append(body.positions)
        assert body.angular_momentum[2] == pytest.approx(spin, rel=1e-10)
    assert body.factorization_count == 1
    assert np.abs(ends[1] - ends[0]).max() < 2e-3


def test_anchored_body_hangs_by_its_springs():
    nodes, tetrahedra = box((2, 2, 2), (0.1, 0.1, 0.1))
    anchored = np.flatnonzero(nodes[:, 2] > 0.09)
    stiffness = np.full(len(anchored), 50.0)
    model = TetrahedralModel(nodes, tetrahedra, Material(1e7, 0.3, 1000.0))
    body = model.dynamics(rayleigh_mass=10.0, anchored=anchored, anchor_stiffness=stiffness)
    run(body, 0.02, 400, np.array([0, 0, -9.81]))
    weight = 1000.0 * 0.1**3 * 9.81
    pull = stiffness @ (nodes[anchored] - body.positions[anchored])
    np.testing.assert_allclose(pull, [0, 0, weight], rtol=1e-8, atol=1e-8)


def test_a_state_that_blows_up_stops_and_is_kept():
    nodes, tetrahedra = box((1, 1, 1), (0.1, 0.1, 0.1))
    body = TetrahedralModel(nodes, tetrahedra, Material()).dynamics()
    still = np.zeros_like(nodes)
    far = still.copy()
    far[0, 0] = np.nan
    assert not body.begin_step(0.01, NOTHING, far)
    assert body.status == "not finite"
    body.set_state(nodes * 1e200, still)
    assert not body.begin_step(0.01, NOTHING, still)
    body.set_state(nodes, still)
    assert body.begin_step(0.01, NOTHING, still)
    assert not body.finish(far)
    np.testing.assert_array_equal(body.positions, nodes)
    assert body.begin_step(0.01, NOTHING, still)
    assert body.finish(still)
    assert body.status == "ok"


def test_a_linear_body_answers_in_proportion_and_is_factorised_once():
    nodes, tetrahedra = box((4, 2, 2), (0.1, 0.03, 0.03))
    bound = np.flatnonzero(nodes[:, 0] < nodes[:, 0].min() + 1e-9)
    model = TetrahedralModel(nodes, tetrahedra, Material(1e5, 0.4, 1000.0))
    model.internal_force(
        nodes[:, [1, 0, 2]]
    )  # turns the model's elements; the body starts from rest all the same
    push = np.zeros_like(nodes)
    push[nodes[:, 0] > nodes[:, 0].max() - 1e-9, 2] = -0.05

    def tip(scale, linear):
        body = model.dynamics(
            rayleigh_mass=20.0, anchored=bound, anchor_stiffness=np.full(len(bound), 1e4), linear=linear
        )
        run(body, 0.02, 150, force=scale * push)
        return (body.positions - nodes)[-1], body

    one, body = tip(1.0, True)
    assert one[2] < -0.005  # over a sixth of the height
    assert body.factorization_count == 1
    np.testing.assert_allclose(tip(2.0, True)[0], 2.0 * one, rtol=1e-9)
    small = tip(0.01, True)[0]
    np.testing.assert_allclose(small, tip(0.01, False)[0], rtol=2e-3, atol=1e-3 * np.abs(small).max())
    assert np.abs(tip(2.0, False)[0] - 2.0 * one).max() > 1e-3  # where elements turn, the law matters


def test_a_linear_body_takes_no_stiffening_material():
    nodes, tetrahedra = box((2, 1, 1), (0.1, 0.05, 0.05))
    model = TetrahedralModel(nodes, tetrahedra, Material(1e5, 0.4, 1000.0, stiffening=5.0))
    with pytest.raises(ValueError, match="linear: the material stiffens"):
        model.dynamics(linear=True)
