# SPDX-License-Identifier: LGPL-2.1-or-later
"""Laws of the corotational tetrahedral body, against closed forms and independent computations."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation

from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import TetrahedralModel

RUBBER = Material(1e5, 0.3, 1000.0)


def box(cells, size):
    """Nodes and tetrahedra of a box of cells, six (Kuhn) tetrahedra each."""
    counts = np.array(cells) + 1
    grid = np.stack(np.meshgrid(*[np.arange(c) for c in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = grid * (np.array(size, float) / cells)
    corners = np.stack(np.meshgrid(*[np.arange(c) for c in cells], indexing="ij"), axis=-1).reshape(-1, 3)
    elements = []
    for order in itertools.permutations(range(3)):
        steps = np.vstack([np.zeros(3, int), np.cumsum(np.eye(3, dtype=int)[list(order)], axis=0)])
        elements.append(np.ravel_multi_index((corners[:, None, :] + steps).transpose(2, 0, 1), counts))
    return nodes, np.concatenate(elements)


def irregular_box(cells=(4, 3, 3), size=(0.2, 0.1, 0.1), seed=0):
    """The box with its inner nodes moved about; returns also the mask of nodes on the surface."""
    nodes, tetrahedra = box(cells, size)
    surface = np.any((nodes < 1e-12) | (nodes > np.array(size) - 1e-12), axis=1)
    shift = np.random.default_rng(seed).uniform(-0.25, 0.25, nodes.shape) * np.array(size) / cells
    return nodes + np.where(surface[:, None], 0.0, shift), tetrahedra, surface


def deformed(nodes, seed, amount=0.1):
    """Some smooth, finite deformation with rotation."""
    rng = np.random.default_rng(seed)
    length = np.ptp(nodes, axis=0).max()
    wave = np.sin(nodes @ rng.normal(size=(3, 3)) * 3.0 / length)
    turn = Rotation.random(rng=rng)
    return turn.apply(nodes + amount * length * wave) + rng.normal(size=3)


def polar(f):
    """Rotation of F by scipy's polar decomposition; det F > 0."""
    return scipy.linalg.polar(f)[0]


def element_stiffness(corners, material):
    """12 × 12 stiffness of one linear tetrahedron from B (6 × 12) and D (6 × 6), and its volume."""
    shape = np.linalg.inv(np.column_stack([np.ones(4), corners]))[1:].T  # (4, 3) gradients
    volume = abs(np.linalg.det(corners[1:] - corners[0])) / 6
    b = np.zeros((6, 12))
    for k, (gx, gy, gz) in enumerate(shape):
        b[:, 3 * k : 3 * k + 3] = [[gx, 0, 0], [0, gy, 0], [0, 0, gz], [gy, gx, 0], [0, gz, gy], [gz, 0, gx]]
    d = np.diag([0.0, 0, 0, 1, 1, 1]) * material.shear_modulus
    d[:3, :3] = material.lame_lambda + 2 * material.shear_modulus * np.eye(3)
    return volume * b.T @ d @ b, volume


def test_affine_field_gives_uniform_stress_and_no_inner_force():
    nodes, tetrahedra, surface = irregular_box()
    model = TetrahedralModel(nodes, tetrahedra, RUBBER)
    gradient = Rotation.from_rotvec([0.4, -0.9, 0.3]).as_matrix() @ (
        np.array([[1.1, 0.04, 0], [0.02, 0.95, 0.03], [0, 0.01, 1.2]])
    )
    x = nodes @ gradient.T + [0.3, 0.1, -0.2]
    force = model.internal_force(x)
    assert np.abs(force[~surface]).max() < 1e-10 * np.abs(force).max()

    turn = polar(gradient)
    strain = turn.T @ gradient
    strain = (strain + strain.T) / 2 - np.eye(3)
    stress = RUBBER.lame_lambda * np.trace(strain) * np.eye(3) + 2 * RUBBER.shear_modulus * strain
    stress = turn @ stress @ turn.T
    assert np.abs(model.stress(x) - stress).max() < 1e-10 * np.abs(stress).max()


def test_static_solve_finds_the_affine_field_from_its_boundary():
    nodes, tetrahedra, surface = irregular_box()
    model = TetrahedralModel(nodes, tetrahedra, RUBBER, fixed=surface)
    exact = nodes @ np.transpose([[1.1, 0.05, 0], [-0.1, 0.95, 0.03], [0, 0.1, 1.2]])
    start = np.where(surface[:, None], exact, nodes)
    x = model.static_solve(np.zeros_like(nodes), start=start)
    assert np.abs(start - exact).max() > 1e-2
    assert np.abs(x - exact).max() < 1e-10


def end_loads(nodes, tetrahedra, force):
    """Nodal forces of a uniform traction on the face x = max, and the nodes' shares of its area."""
    end = nodes[:, 0] > nodes[:, 0].max() - 1e-9
    share = np.zeros(len(nodes))
    for face in itertools.combinations(range(4), 3):
        triangles = tetrahedra[:, face]
        triangles = triangles[end[triangles].all(axis=1)]
        a, b, c = nodes[triangles].transpose(1, 0, 2)
        np.add.at(share, triangles, (np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6)[:, None])
    share /= share.sum()
    return share[:, None] * np.array(force), share


@pytest.mark.parametrize(("poisson", "rate"), [(0.0, 1.9), (0.3, 1.6)])
def test_cantilever_stiffness_converges_quadratically_to_timoshenko(poisson, rate):
    young, length, force = 1e6, 5.0, 1e-3
    shear = young / (2 * (1 + poisson))
    tip = force * length**3 / (3 * young / 12) + force * length / (5 / 6 * shear)  # section 1 × 1 m
    errors = []
    for cells in (2, 4, 8):
        nodes, tetrahedra = box((5 * cells, cells, cells), (length, 1.0, 1.0))
        model = TetrahedralModel(nodes, tetrahedra, Material(young, poisson, 1.0), nodes[:, 0] == 0)
        loads, share = end_loads(nodes, tetrahedra, [0, 0, -force])
        found = -share @ (model.static_solve(loads) - nodes)[:, 2]
        errors.append(tip / found - 1)  # relative error of the stiffness: linear tetrahedra are too stiff
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert all(rates > rate)
    assert 0 < errors[-1] < 0.1


def elastica_tip(load):
    """Tip (x, z) over length of a clamped inextensible rod under the dead end load P L²/EI = load."""

    def slope(s, y):
        return np.vstack([y[1], -load * np.cos(y[0])])  # angle below the axis; curvature

    s = np.linspace(0, 1, 50)
    solution = solve_bvp(slope, lambda a, b: [a[0], b[1]], s, np.vstack([s, 1 - s]) * load / 3, tol=1e-9)
    fine = np.linspace(0, 1, 2001)
    angle = solution.sol(fine)[0]
    return np.trapezoid(np.cos(angle), fine), -np.trapezoid(np.sin(angle), fine)


def test_elastica_reproduces_the_tabulated_tip():
    # Bisshopp & Drucker, "Large deflection of cantilever beams", Q. Appl. Math. 3 (1945): P L²/EI = 2.
    x, z = elastica_tip(2.0)
    assert 1 - x == pytest.approx(0.1606, abs=2e-4)
    assert -z == pytest.approx(0.4935, abs=2e-4)


def test_large_bending_follows_the_elastica():
    # Locking makes the coarse beam too stiff; its own small-load stiffness calibrates E I, so that what is
    # tested is the geometric nonlinearity.
    nodes, tetrahedra = box((60, 2, 2), (20.0, 1.0, 1.0))
    model = TetrahedralModel(nodes, tetrahedra, Material(1e6, 0.0, 1.0), nodes[:, 0] == 0)
    unit, share = end_loads(nodes, tetrahedra, [0, 0, -1.0])
    small = 1e-3
    bending = small * 20.0**3 / (3 * -(share @ (model.static_solve(small * unit) - nodes)[:, 2]))
    for load in (1.0, 3.0):
        x = share @ model.static_solve(load * bending / 20.0**2 * unit)
        expected = np.array(elastica_tip(load)) * 20.0
        assert np.abs(x[[0, 2]] - [0, 0.5] - expected).max() < 0.01 * 20.0


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motion_costs_nothing_and_turns_the_force(seed):
    nodes, tetrahedra, _ = irregular_box()
    model = TetrahedralModel(nodes, tetrahedra, RUBBER)
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng)
    shift = rng.normal(size=3)
    stiffness = model.stiffness(nodes).diagonal().max()
    round_off = 1e-13 * stiffness
    assert np.abs(model.internal_force(turn.apply(nodes) + shift)).max() < round_off
    assert model.energy(turn.apply(nodes) + shift) < 1e-20 * stiffness

    x = deformed(nodes, seed)
    force = model.internal_force(x)
    assert np.abs(force).max() > 1e3 * round_off
    assert np.abs(model.internal_force(turn.apply(x) + shift) - turn.apply(force)).max() < 10 * round_off
    assert np.abs(force.sum(axis=0)).max() < 10 * round_off
    assert np.abs(np.cross(x, force).sum(axis=0)).max() < 10 * round_off


def test_all_24_node_orders_give_the_same_bits():
    nodes = np.array([[0, 0, 0], [1, 0.1, 0], [0.2, 1, 0.1], [0.1, 0.3, 0.9]])
    x = deformed(nodes, 3)
    results = []
    for order in itertools.permutations(range(4)):
        model = TetrahedralModel(nodes, [order], RUBBER)
        results.append((model.internal_force(x), model.stiffness(x).toarray(), model.energy(x), model.mass))
    for other in results[1:]:
        for mine, first in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(mine, first)


@pytest.mark.parametrize("amount", [0.02, 0.15, 0.5])  # 0.5: a part of the elements inverted
def test_force_is_minus_energy_gradient_and_stiffness_its_derivative(amount):
    nodes, tetrahedra, _ = irregular_box((2, 2, 2), (0.1, 0.1, 0.1))
    model = TetrahedralModel(nodes, tetrahedra, Material(1e5, 0.4, 1000.0))
    x = deformed(nodes, 5, amount)
    force, stiffness = model.internal_force(x), model.stiffness(x)
    step = 1e-6 * 0.1
    scale = np.abs(stiffness).max()
    for seed in range(5):
        way = np.random.default_rng(seed).normal(size=nodes.shape)
        up, down = x + step * way, x - step * way
        slope = (model.energy(up) - model.energy(down)) / (2 * step)
        assert slope == pytest.approx(-np.sum(force * way), rel=1e-6)
        change = (model.internal_force(up) - model.internal_force(down)) / (2 * step)
        assert np.abs(change.ravel() + stiffness @ way.ravel()).max() < 1e-6 * scale
    assert abs(stiffness - stiffness.T).max() < 1e-13 * scale
    frozen = model.stiffness(x, exact=False).toarray()
    assert np.linalg.eigvalsh(frozen).min() > -1e-12 * scale
    assert np.abs(frozen - stiffness).max() > 1e-3 * scale


def test_rotation_is_the_polar_one_and_the_nearest_proper_one_when_inverted():
    rng = np.random.default_rng(0)
    nodes = np.vstack([np.zeros(3), np.eye(3)])
    model = TetrahedralModel(nodes, [[0, 1, 2, 3]], RUBBER)
    inverted = 0
    for _ in range(500):
        gradient = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-1, 1)
        u, s, vt = np.linalg.svd(gradient)
        proper = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
        if s[1] + np.linalg.det(u @ vt) * s[2] < 1e-2 * s[0]:
            continue  # the nearest rotation is hardly unique
        inverted += np.linalg.det(gradient) < 0
        model.energy(np.vstack([np.zeros(3), gradient.T]))  # warm start: the last, unrelated rotation
        assert np.abs(model._core.rotations()[0] - proper).max() < 1e-12
    assert inverted > 100


def test_stiffness_at_rest_equals_scikit_fem():
    skfem = pytest.importorskip("skfem")
    from skfem.models.elasticity import linear_elasticity

    nodes, tetrahedra, _ = irregular_box()
    mesh = skfem.MeshTet(nodes.T, tetrahedra.T)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP1()))
    theirs = linear_elasticity(RUBBER.lame_lambda, RUBBER.shear_modulus).assemble(basis)
    unknowns = basis.nodal_dofs.T.ravel()  # 3·node + axis -> theirs
    theirs = theirs[unknowns][:, unknowns]
    model = TetrahedralModel(nodes, tetrahedra, RUBBER)
    for exact in (True, False):
        ours = model.stiffness(nodes, exact=exact)
        assert abs(ours - theirs).max() < 1e-13 * abs(theirs).max()


def test_implicit_step_equals_a_dense_reference():
    """(M + hD + h²K) v⁺ = M v + h f, everything built with numpy and scipy."""
    nodes, tetrahedra = box((1, 1, 1), (0.1, 0.1, 0.1))
    materials = [Material(1e4 * (k + 1), 0.05 * k, 500.0 + 100 * k) for k in range(6)]
    fixed, anchored, spring, alpha, beta, h = [0], [1, 3], [70.0, 20.0], 0.8, 0.02, 0.01
    gravity = np.array([1.0, -2.0, -9.0])
    rng = np.random.default_rng(2)
    x, v = deformed(nodes, 1, 0.03), rng.normal(size=nodes.shape)
    v[fixed] = 0
    external = rng.normal(size=nodes.shape)

    mass, stiffness, force = np.zeros(24), np.zeros((24, 24)), external.ravel().copy()
    for element, material in zip(tetrahedra, materials, strict=True):
        rest, now = nodes[element], x[element]
        turn = polar(np.linalg.solve(rest[1:] - rest[0], now[1:] - now[0]).T)
        local, volume = element_stiffness(rest, material)
        turns = np.kron(np.eye(4), turn)
        unknowns = (3 * element[:, None] + np.arange(3)).ravel()
        force[unknowns] -= turns @ local @ ((now @ turn) - rest).ravel()
        stiffness[np.ix_(unknowns, unknowns)] += turns @ local @ turns.T
        mass[unknowns] += material.density * volume / 4
    for node, k in zip(anchored, spring, strict=True):
        u = slice(3 * node, 3 * node + 3)
        force[u] -= k * (x[node] - nodes[node])
        stiffness[u, u] += k * np.eye(3)
    force += mass * np.tile(gravity, 8)
    matrix = np.diag((1 + h * alpha) * mass) + (h * beta + h * h) * stiffness
    keep = np.setdiff1d(np.arange(24), [0, 1, 2])
    expected = np.zeros(24)
    expected[keep] = np.linalg.solve(matrix[np.ix_(keep, keep)], (mass * v.ravel() + h * force)[keep])

    body = TetrahedralModel(nodes, tetrahedra, materials, fixed).dynamics(
        rayleigh_mass=alpha, rayleigh_stiffness=beta, anchored=anchored, anchor_stiffness=spring
    )
    body.set_state(x, v)
    assert body.begin_step(h, gravity, external)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(body.free_velocity.ravel(), expected, rtol=0, atol=1e-10 * scale)
    rhs = rng.normal(size=(24, 6))
    columns = np.zeros((24, 6))
    columns[keep] = np.linalg.solve(matrix[np.ix_(keep, keep)], rhs[keep])
    np.testing.assert_allclose(body.solve(rhs), columns, rtol=0, atol=1e-10 * np.abs(columns).max())
    change = body.solve(rhs)[:, 0].reshape(-1, 3)
    assert body.finish(change)
    np.testing.assert_allclose(body.velocity, expected.reshape(-1, 3) + change, atol=1e-10 * scale)
    np.testing.assert_allclose(body.positions, x + h * body.velocity, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(body.velocity[fixed], 0.0)
