# SPDX-License-Identifier: LGPL-2.1-or-later
"""Laws of the tissue that stiffens with strain: closed forms, gradients, bounds, and a pad that is squeezed."""

import numpy as np
import pytest
from test_tetrahedral import box, deformed, end_loads, irregular_box

from softcontact import _core
from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import TetrahedralModel

YOUNG, POISSON, RATE = 1e5, 0.42, 8.0
STILL = np.zeros(3)


def tissue(stiffening=RATE, limit=100.0, poisson=POISSON):
    return Material(YOUNG, poisson, 1000.0, stiffening, limit)


def uniaxial(nodes, stretch, poisson=POISSON):
    """The nodes under a uniaxial strain along x, free sideways."""
    strain = stretch - 1.0
    return nodes * [stretch, 1.0 - poisson * strain, 1.0 - poisson * strain]


@pytest.mark.parametrize("stretch", [0.3, 0.5, 0.8, 0.999, 1.2, 1.6])
@pytest.mark.parametrize("limit", [3.0, 1e4])
def test_uniaxial_stress_has_the_closed_form(stretch, limit):
    nodes, tetrahedra, surface = irregular_box()
    model = TetrahedralModel(nodes, tetrahedra, tissue(limit=limit))
    x = uniaxial(nodes, stretch)
    strain = stretch - 1.0
    factor = min(np.exp(RATE * strain**2), limit)
    expected = np.zeros((3, 3))
    expected[0, 0] = YOUNG * strain * factor
    np.testing.assert_allclose(
        model.stress(x), np.broadcast_to(expected, (len(tetrahedra), 3, 3)), atol=1e-9 * YOUNG
    )
    assert np.abs(model.internal_force(x)[~surface]).max() < 1e-10 * YOUNG * 0.1**2
    # Energy: the work of the stress over the strain, by quadrature.
    path = np.linspace(0.0, strain, 20001)
    work = np.trapezoid(YOUNG * path * np.minimum(np.exp(RATE * path**2), limit), path)
    assert model.energy(x) == pytest.approx(work * model.volume, rel=1e-6)


def test_pulled_bar_follows_the_closed_form():
    nodes, tetrahedra = box((6, 2, 2), (0.06, 0.02, 0.02))
    # Supported so that it is free sideways: one corner fixed, the face x = 0 held by stiff material would not be.
    model = TetrahedralModel(nodes, tetrahedra, tissue(poisson=0.0), nodes[:, 0] == 0)
    for strain in (-0.4, 0.1, 0.5):
        force = YOUNG * 0.02**2 * strain * np.exp(RATE * strain**2)
        loads, share = end_loads(nodes, tetrahedra, [force, 0, 0])
        found = share @ (model.static_solve(loads) - nodes)[:, 0] / 0.06
        assert found == pytest.approx(strain, rel=1e-8)


def test_small_strains_give_the_linear_law():
    nodes, tetrahedra, _ = irregular_box()
    linear = TetrahedralModel(nodes, tetrahedra, tissue(0.0))
    model = TetrahedralModel(nodes, tetrahedra, tissue())
    shape = deformed(nodes, 2) - nodes
    shape = np.sin(nodes @ np.random.default_rng(1).normal(size=(3, 3)) * 20.0)
    for size in (1e-3, 1e-4):
        x = nodes + size * 0.1 * shape
        force = linear.internal_force(x)
        apart = np.abs(model.internal_force(x) - force).max() / np.abs(force).max()
        assert 0 < apart < 100 * RATE * size**2  # of second order in the strain
    at_rest = model.stiffness(nodes) - linear.stiffness(nodes)
    assert abs(at_rest).max() < 1e-12 * abs(linear.stiffness(nodes)).max()


@pytest.mark.parametrize("amount", [0.02, 0.15, 0.5])  # 0.5: a part of the elements inverted
@pytest.mark.parametrize("limit", [2.0, 1e3])
def test_force_is_minus_energy_gradient_and_stiffness_its_derivative(amount, limit):
    nodes, tetrahedra, _ = irregular_box((2, 2, 2), (0.1, 0.1, 0.1))
    model = TetrahedralModel(nodes, tetrahedra, tissue(2.0, limit))
    linear = TetrahedralModel(nodes, tetrahedra, tissue(0.0))
    x = deformed(nodes, 5, amount)
    force, stiffness = model.internal_force(x), model.stiffness(x)
    step = 1e-7 * 0.1
    scale = np.abs(stiffness).max()
    for seed in range(4):
        way = np.random.default_rng(seed).normal(size=nodes.shape)
        up, down = x + step * way, x - step * way
        slope = (model.energy(up) - model.energy(down)) / (2 * step)
        assert slope == pytest.approx(-np.sum(force * way), rel=1e-5)
        change = (model.internal_force(up) - model.internal_force(down)) / (2 * step)
        assert np.abs(change.ravel() + stiffness @ way.ravel()).max() < 1e-5 * scale
        frozen = model.stiffness(x, exact=False)
        model._core.update(x)
        np.testing.assert_allclose(
            model._core.multiply(way).ravel(), frozen @ way.ravel(), rtol=0, atol=1e-12 * scale
        )
    assert abs(stiffness - stiffness.T).max() < 1e-13 * scale
    frozen = model.stiffness(x, exact=False).toarray()
    assert np.linalg.eigvalsh(frozen).min() > -1e-12 * scale  # positive at every strain, inverted ones too
    assert np.linalg.eigvalsh(frozen - linear.stiffness(x, exact=False).toarray()).min() > -1e-12 * scale


@pytest.mark.parametrize("limit", [2.0, 50.0])
def test_factor_is_bounded_and_stress_continuous_at_the_bound(limit):
    nodes, tetrahedra = box((1, 1, 1), (0.01, 0.01, 0.01))
    model = TetrahedralModel(nodes, tetrahedra, tissue(limit=limit))
    end = np.sqrt(np.log(limit) / RATE)
    below, above = (model.stress(uniaxial(nodes, 1.0 + end + d))[0, 0, 0] for d in (-1e-9, 1e-9))
    assert above == pytest.approx(below, rel=1e-6)
    flat = model.stress(nodes * [1.0, 1.0, -0.5])[0]  # turned inside out, and still a finite pull back
    linear = TetrahedralModel(nodes, tetrahedra, tissue(0.0)).stress(nodes * [1.0, 1.0, -0.5])[0]
    np.testing.assert_allclose(flat, limit * linear, rtol=1e-12)


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
@pytest.mark.parametrize("young", [1e3, 1e5])
def test_energy_stays_bounded_for_all_steps(young, tolerance):
    nodes, tetrahedra = box((4, 2, 2), (0.2, 0.1, 0.1))
    model = TetrahedralModel(nodes, tetrahedra, Material(young, 0.45, 1000.0, RATE, 100.0))
    center = nodes.mean(axis=0)
    for h in (5e-4, 5e-3, 2e-2):
        body = model.dynamics(refactor_rotation_tolerance=tolerance)
        spin = np.cross([3.0, 5.0, 8.0], nodes - center)
        body.set_state(center + (nodes - center) * [1.3, 0.8, 1.1], spin)
        start = body.kinetic_energy + body.elastic_energy
        for _ in range(60):
            assert body.begin_step(h, STILL, np.zeros_like(nodes)) and body.finish(np.zeros_like(nodes))
            assert body.kinetic_energy + body.elastic_energy < start


def test_kept_factor_follows_the_stiffening():
    """A factorisation is kept while the tangent is about the same, and renewed when the tissue stiffens."""
    nodes, tetrahedra = box((2, 2, 2), (0.02, 0.02, 0.02))
    model = TetrahedralModel(nodes, tetrahedra, tissue(), nodes[:, 2] == 0)
    body = model.dynamics(refactor_rotation_tolerance=0.05, rayleigh_stiffness=0.01)
    still = np.zeros_like(nodes)

    def step():
        assert body.begin_step(1e-3, STILL, still) and body.finish(still)

    step()
    for _ in range(5):
        step()
    assert body.factorization_count == 1  # at rest
    body.set_state(uniaxial(nodes[:, [2, 1, 0]], 0.6)[:, [2, 1, 0]], still)  # squeezed, not turned
    step()
    assert body.factorization_count == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("stiffening", -1.0), ("stiffening", np.nan), ("stiffening_limit", 0.5), ("stiffening_limit", np.inf)],
)
def test_bad_stiffening_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        Material(**{field: value})
    numbers = {"stiffening": 1.0, "stiffening_limit": 10.0, field: value}
    with pytest.raises(ValueError, match=field):
        nodes, tetrahedra = box((1, 1, 1), (1, 1, 1))
        _core.CorotationalModel(nodes, tetrahedra, [1e5], [0.3], [1e3], *[[v] for v in numbers.values()])
