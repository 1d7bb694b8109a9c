# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tetrahedral model's interface, its checks, and the sparse factor under it."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from softcontact import _core
from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import StaticSolveError, TetrahedralModel

NODES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
TETRAHEDRA = [[0, 1, 2, 3], [1, 2, 3, 4]]
NAN = float("nan")


@pytest.mark.parametrize(
    ("field", "value"),
    [("young_modulus", 0.0), ("young_modulus", NAN), ("density", -1.0), ("density", NAN)]
    + [("poisson_ratio", value) for value in (0.5, -0.1, NAN)],
)
def test_bad_material_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        Material(**{field: value})
    numbers = {"young_modulus": 1e5, "poisson_ratio": 0.3, "density": 1e3, field: value}
    with pytest.raises(ValueError, match=field):
        _core.CorotationalModel(NODES, TETRAHEDRA, *[[number] for number in numbers.values()])


@pytest.mark.parametrize(
    ("nodes", "tetrahedra", "match"),
    [
        (NODES, [[0, 1, 2, 5]], r"tetrahedra\[0\].*index 5"),
        (NODES, [[0, 1, 2, 3], [-1, 2, 3, 4]], r"tetrahedra\[1\].*index -1"),
        (NODES, [[0, 1, 2, 2]], "names a node twice"),
        (NODES, [[0, 1, 2, 3]], "node 4 belongs to no tetrahedron"),
        (NODES * [1, 1, 0], TETRAHEDRA, r"tetrahedra\[0\] is flat: volume 0"),
        (np.where(NODES == 1, NAN, NODES), TETRAHEDRA, r"nodes\[1\]"),
        (NODES[:, :2], TETRAHEDRA, "nodes must have shape"),
        (NODES, [[0, 1, 2]], "tetrahedra must have shape"),
        (NODES, np.zeros((0, 4), int), "empty"),
        (NODES, [[0.5, 1, 2, 3]], "integers"),
    ],
)
def test_bad_mesh_is_refused_with_its_place(nodes, tetrahedra, match):
    with pytest.raises(ValueError, match=match):
        TetrahedralModel(nodes, tetrahedra, Material())


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="3 entries for 2 tetrahedra"):
        TetrahedralModel(NODES, TETRAHEDRA, [Material()] * 3)
    with pytest.raises(ValueError, match="fixed has node 5"):
        TetrahedralModel(NODES, TETRAHEDRA, Material(), fixed=[5])
    with pytest.raises(ValueError, match="fixed as a mask"):
        TetrahedralModel(NODES, TETRAHEDRA, Material(), fixed=np.ones(3, bool))
    model = TetrahedralModel(NODES, TETRAHEDRA, Material())
    with pytest.raises(ValueError, match="x must have shape"):
        model.internal_force(NODES[:4])
    with pytest.raises(ValueError, match="x has a value that is not finite in row 1"):
        model.stiffness(np.where(NODES == 1, NAN, NODES))
    with pytest.raises(ValueError, match="fixed is empty"):
        model.static_solve(np.zeros_like(NODES))
    for option in ("rayleigh_mass", "rayleigh_stiffness", "refactor_rotation_tolerance"):
        for value in (-1.0, NAN):
            with pytest.raises(ValueError, match=option):
                model.dynamics(**{option: value})
    with pytest.raises(ValueError, match="anchor_stiffness has 1 entries for 2"):
        model.dynamics(anchored=[0, 1], anchor_stiffness=[1.0])
    with pytest.raises(ValueError, match="anchor_stiffness has 0"):
        model.dynamics(anchored=[0], anchor_stiffness=[0.0])
    with pytest.raises(ValueError, match="anchored_nodes has node index 9"):
        model.dynamics(anchored=[9], anchor_stiffness=[1.0])
    body = model.dynamics()
    with pytest.raises(ValueError, match="h = 0"):
        body.begin_step(0.0, np.zeros(3), np.zeros_like(NODES))
    with pytest.raises(ValueError, match="not finite"):
        body.set_state(NODES * NAN, NODES)


def test_mass_and_volume_are_those_of_the_elements():
    model = TetrahedralModel(NODES, TETRAHEDRA, [Material(density=600.0), Material(density=1200.0)])
    assert model.volume == pytest.approx(1 / 6 + 1 / 3)
    np.testing.assert_allclose(model.mass, [25.0, 125.0, 125.0, 125.0, 100.0])


def test_reaction_of_the_support_balances_the_loads():
    model = TetrahedralModel(NODES, TETRAHEDRA, Material(1e4, 0.3), fixed=[0, 1, 2])
    loads = np.zeros_like(NODES)
    loads[4] = [100.0, -50.0, 30.0]
    x = model.static_solve(loads)
    force = model.internal_force(x)
    np.testing.assert_allclose(force[3:], -loads[3:], atol=1e-7)
    np.testing.assert_allclose(force[:3].sum(axis=0), loads.sum(axis=0), atol=1e-7)
    np.testing.assert_array_equal(x[:3], NODES[:3])


def test_static_solve_says_when_it_finds_nothing():
    # Pushed far through its base: the only equilibria have inverted elements.
    model = TetrahedralModel(NODES[:4], [[0, 1, 2, 3]], Material(1e3, 0.3), fixed=[0, 1, 2])
    loads = np.zeros((4, 3))
    loads[3, 2] = -1e5
    with pytest.raises(StaticSolveError, match="no equilibrium found") as caught:
        model.static_solve(loads)
    assert 0 <= caught.value.load_fraction < 1
    with pytest.raises(StaticSolveError):  # one mechanism left free
        TetrahedralModel(NODES[:4], [[0, 1, 2, 3]], Material(1e3), fixed=[0]).static_solve(loads)


def random_matrix(size, seed):
    rng = np.random.default_rng(seed)
    half = sp.random(size, size, density=min(1.0, 4 / size), random_state=rng, format="csc")
    return (half @ half.T + sp.identity(size) * 0.1).tocsc()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 150, 601])
def test_factor_solves_like_scipy(size):
    matrix = random_matrix(size, size)
    factor = _core.SymmetricFactor()
    factor.analyse(sp.tril(matrix).tocsc())
    for scale in (1.0, 7.0):  # analysed once, factorised with new values
        values = (matrix * scale + sp.diags(np.full(size, scale - 1))).tocsc()
        assert factor.factorize(sp.tril(values).tocsc())
        for columns in (1, 4, 7):
            rhs = np.random.default_rng(1).normal(size=(size, columns))
            expected = spsolve(values, rhs).reshape(size, columns)
            np.testing.assert_allclose(
                factor.solve(rhs), expected, rtol=0, atol=1e-11 * np.abs(expected).max()
            )
    late = np.zeros((size, 1))
    late[-1] = 1.0  # leading zeros are skipped
    np.testing.assert_allclose(values @ factor.solve(late), late, atol=1e-11)


def test_factor_refuses_what_is_not_positive_definite():
    factor = _core.SymmetricFactor()
    for bad in (
        np.diag([1.0, 0.0, 2.0]),
        np.diag([1.0, -1.0, 2.0]),
        np.diag([1.0, NAN, 2.0]),
        np.array([[3.0, 1, 0], [1, (1 + 2e-15) / 3, 0], [0, 0, 1]]),  # a pivot of round-off
        np.ones((3, 3)),
    ):
        rows, columns = np.tril_indices(3)
        lower = sp.csc_matrix((bad[rows, columns], (rows, columns)))
        factor.analyse(lower)
        assert not factor.factorize(lower)
        with pytest.raises(ValueError, match="factorize"):
            factor.solve(np.ones((3, 1)))
    with pytest.raises(ValueError, match="2 x 3"):
        factor.analyse(sp.csc_matrix(np.ones((2, 3))))


def test_factor_fill_stays_near_that_of_a_good_order():
    # A grid of 12³ blocks: SuperLU's minimum degree fills 74 000 of them, the natural order 231 000.
    line = sp.diags([np.full(11, -1.0), np.full(12, 2.1), np.full(11, -1.0)], [-1, 0, 1])
    grid = sp.kronsum(sp.kronsum(line, line), line)
    matrix = sp.kron(grid, sp.identity(3)).tocsc()
    factor = _core.SymmetricFactor()
    factor.analyse(sp.tril(matrix).tocsc())
    assert factor.factor_blocks < 90000
