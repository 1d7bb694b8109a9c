# SPDX-License-Identifier: LGPL-2.1-or-later
"""Patches that bear moments: the laws of their blocks, judged without the solver, and against their points."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from softcontact import _core

G = 9.81
AXES = np.eye(3)
ANY = np.array([1.0, 0.0])  # the tilt axis of blocks that have two


def levers(corners, axis=None):
    """Corners as directions of the moment cone, a row each: (1, s, -t), or (1, lever) about one axis."""
    t, s = np.atleast_2d(corners).T
    if axis is None:
        return np.column_stack([np.ones_like(t), s, -t])
    return np.column_stack([np.ones_like(t), axis[0] * s - axis[1] * t])


def point_rows(position, frame=AXES):
    """Velocity of a point of a rigid body along (n, t, s), from its (v, ω): rows (3, 6)."""
    return np.hstack([frame, [np.cross(position, axis) for axis in frame]])


def patch_rows(centre, frame=AXES):
    """(u_n, v_t, v_s, ω_n, ω_t, ω_s) of a rigid body at a patch's centre: rows (6, 6)."""
    return np.vstack([point_rows(centre, frame), np.hstack([np.zeros((3, 3)), frame])])


def violation(W, q, block, load):
    """How far the laws are from holding: outside the cone and the limit surface [-], by velocity and power."""
    rows, _, mu, shares, offsets, more = block
    u = W @ load + q
    normal = [0, *range(4, rows)]
    directions = levers(more["corners"], more.get("axis") if rows == 5 else None)
    length = max(np.abs(directions[:, 1:]).max(), 1e-300)
    unit = np.array([1.0, *[length] * (rows - 4)])
    outside = nnls((directions / unit).T, load[normal] / unit)[1]
    worst = [outside, -(directions @ u[normal]).min(), abs(load[normal] @ u[normal])]
    if load[0] > 0.0:
        bound = mu * load[0]
        worst += [_core.contensou_gauge(load[1:4], shares, offsets, bound) - 1.0] if bound > 0.0 else []
        worst += [abs(_core.contensou_potential(u[1:4], shares, offsets, bound) + u[1:4] @ load[1:4])]
    else:
        worst += [np.abs(load).max()]
    return max(worst)


def random_patch(rng, size):
    """Shares, offsets about the centre of the load, and corners that have nothing to do with them."""
    shares = rng.dirichlet(np.ones(rng.integers(1, 12)))
    offsets = size * rng.normal(size=(len(shares), 2))
    return shares, offsets - shares @ offsets, size * rng.normal(size=(rng.integers(1, 9), 2))


def test_projection_onto_the_moment_cone_is_the_nearest_load():
    """Against all sets of up to three corners that may push."""
    rng = np.random.default_rng(5)
    kinds = set()
    for k in range(300):
        corners = 0.02 * rng.normal(size=(rng.integers(1, 7), 2))
        corners = np.vstack([corners, corners[:1]]) if k % 3 == 0 else corners  # one of them twice
        axis = np.array([np.cos(k), np.sin(k)]) if k % 2 else None
        directions = levers(corners, axis)
        y = rng.normal(size=directions.shape[1]) * [1.0, *[0.02] * (directions.shape[1] - 1)]
        load, slope, length = _core.project_to_moment_cone(corners, y, ANY if axis is None else axis)
        assert length == pytest.approx(np.linalg.norm(corners, axis=1).max())
        unit = np.array([1.0, *[length] * (len(y) - 1)])
        best = np.linalg.norm(y / unit)
        for count in (1, 2, 3):
            for some in itertools.combinations(range(len(corners)), count):
                columns = (directions[list(some)] / unit).T
                force = np.linalg.lstsq(columns, y / unit, rcond=None)[0]
                if (force >= -1e-12).all():
                    best = min(best, np.linalg.norm(columns @ force - y / unit))
        assert np.linalg.norm((load - y) / unit) == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert nnls((directions / unit).T, load / unit)[1] <= 1e-12
        step = 1e-7 * rng.normal(size=len(y)) * unit
        moved = _core.project_to_moment_cone(corners, y + step, ANY if axis is None else axis)[0]
        np.testing.assert_allclose((moved - load) / unit, slope @ step / unit, atol=1e-12)
        kinds.add((len(y), round(np.trace(slope))))
    assert kinds == {(2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)}


def random_block(rng, rows):
    """W of any rank, q that its bodies can have, any coupling of normal and friction rows."""
    size = 10.0 ** rng.uniform(-3, 0)
    shares, offsets, corners = random_patch(rng, size)
    more = {"corners": corners}
    if rows == 5:
        direction = rng.normal(size=2)
        corners = np.outer(rng.uniform(-size, size, len(corners)), direction / np.linalg.norm(direction))
        more = {
            "corners": corners,
            "axis": np.array([-direction[1], direction[0]]) / np.linalg.norm(direction),
        }
        more["tilts"] = 1
    unit = np.array([1.0, 1.0, 1.0, *[1.0 / size] * (rows - 3)])
    H = unit[:, None] * rng.normal(size=(rows, rng.integers(3, 9)))
    W = H @ H.T / H.shape[1]
    q = H @ rng.normal(size=H.shape[1])
    if rng.random() < 0.2:  # a load inside of everything stops the bodies
        load = np.append([1.0, 0.0, 0.0, 0.0], levers(corners, more.get("axis"))[:, 1:].mean(axis=0))
        q = -W @ load
    return W, q, (rows, "contensou", rng.choice([0.0, 0.3, 1.2]), shares, offsets, more)


@pytest.mark.parametrize("rows", [5, 6])
def test_random_blocks_hold_their_laws(rows):
    rng = np.random.default_rng(11)
    states = {"separate": 0, "stick": 0, "slip": 0}
    for _ in range(400):
        W, q, block = random_block(rng, rows)
        _, _, mu, shares, offsets, more = block
        load, state, converged = _core.solve_moment_block(
            W, q, shares, offsets, mu, more["corners"], more.get("axis", ANY), np.zeros(rows)
        )
        assert converged and violation(W, q, block, load) <= 1e-9
        states[state] += 1
    assert min(states.values()) > 20, states


def test_one_corner_is_a_point():
    """Where the only corner carries the friction as well, the block exerts what a point contact there would."""
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(100):
        arm, mu, velocity = 0.1 * rng.normal(size=3), rng.uniform(0.1, 1.5), rng.normal(size=6)
        mass = np.diag([1.0, 1.0, 1.0, 0.004, 0.006, 0.008]) * rng.uniform(0.1, 10)
        corner = 0.05 * rng.normal(size=2)
        patch, point = patch_rows(arm), point_rows(arm + np.array([0.0, *corner]))
        expected, state, _ = _core.solve_coulomb_block(
            point @ np.linalg.solve(mass, point.T), point @ velocity, mu
        )
        force, _, converged = _core.solve_moment_block(
            patch @ np.linalg.solve(mass, patch.T),
            patch @ velocity,
            [1.0],
            [corner],
            mu,
            [corner],
            ANY,
            np.zeros(6),
        )
        assert converged
        np.testing.assert_allclose(
            patch.T @ force, point.T @ expected, atol=1e-9 * (1 + np.abs(expected).max())
        )
        seen.add(state)
    assert seen == {"separate", "stick", "slip"}


def corner_problem(rng, corners, rows, axis=None):
    """A free body over a patch: (W, q) of the patch's rows and of unilateral rows at its corners, and the wrenches."""
    centre = 0.05 * rng.normal(size=3)
    mass = np.diag([1.0, 1.0, 1.0, *rng.uniform(1e-3, 1e-2, 3)])
    velocity = rng.normal(size=6) * [1, 1, 1, 10, 10, 10]
    patch = patch_rows(centre)[:rows]
    if axis is not None:
        patch[4, 3:] = [0.0, *axis]
    points = np.array([point_rows(centre + np.array([0.0, *corner]))[0] for corner in corners])
    problems = [(H @ np.linalg.solve(mass, H.T), H @ velocity) for H in (patch, points)]
    return problems, (patch, points), mass


@pytest.mark.parametrize("rows", [5, 6])
def test_without_friction_a_block_is_signorini_at_every_corner(rows):
    """The same wrench and velocities of the body as unilateral contacts at the corners."""
    rng = np.random.default_rng(8)
    tilted = 0
    for _ in range(60):
        count = int(rng.integers(2, 8))
        axis = None
        if rows == 5:
            direction = rng.normal(size=2)
            direction /= np.linalg.norm(direction)
            axis = np.array([-direction[1], direction[0]])
            corners = np.outer(0.05 * rng.normal(size=count), direction)
        else:
            corners = 0.05 * rng.normal(size=(count, 2))
        (ours, theirs), (patch, points), mass = corner_problem(rng, corners, rows, axis)
        force, _, converged = _core.solve_moment_block(
            *ours, [1.0], [[0.0, 0.0]], 0.0, corners, ANY if axis is None else axis, np.zeros(rows)
        )
        assert converged
        # The points, by least squares in the bodies' velocities, where their solution is unique.
        root = np.linalg.cholesky(np.linalg.inv(mass))
        L = points @ root
        push, _ = nnls(L.T, -np.linalg.lstsq(L, theirs[1], rcond=None)[0])
        np.testing.assert_allclose(root.T @ patch.T @ force, root.T @ points.T @ push, atol=1e-8)
        tilted += np.abs(force[4:]).max() > 1e-6
    assert tilted > 20


def stacked(mass, H, velocity):
    return H @ np.linalg.solve(mass, H.T), H @ velocity


@pytest.mark.parametrize("ratio", [0.95, 1.05])
@pytest.mark.parametrize("h", [1e-4, 1e-2, 0.1])
def test_a_box_on_a_slope_tips_at_its_own_angle(ratio, h):
    """Half breadth b, half height a: the box stands while tan(angle) < b / a, whatever the step."""
    b, a, mass = 0.03, 0.05, 2.0
    slope = np.arctan(ratio * b / a)
    M = mass * np.diag([1.0, 1.0, 1.0, (b**2 + b**2) / 3, (a**2 + b**2) / 3, (a**2 + b**2) / 3])
    corners = np.array([[x, y] for x in (-b, b) for y in (-b, b)])
    W, q = stacked(
        M / h, patch_rows([-a, 0.0, 0.0]), h * G * np.array([-np.cos(slope), np.sin(slope), 0, 0, 0, 0])
    )
    block = (6, "contensou", 2.0, np.full(4, 0.25), corners, {"corners": corners})
    force, _, _, converged = _core.solve_blocks(W, q, [block], np.zeros(6), 1e-12, 10, "none")
    assert converged
    velocity = W @ force + q
    if ratio < 1.0:
        np.testing.assert_allclose(velocity, 0.0, atol=1e-12)
        np.testing.assert_allclose(force[0], mass * G * np.cos(slope), rtol=1e-9)
        np.testing.assert_allclose(abs(force[5]), mass * G * a * np.sin(slope), rtol=1e-9)
    else:
        # It turns about its lower edge: angular acceleration g (a sin - b cos) / (r² + r²/3) of a plane box.
        expected = G * (a * np.sin(slope) - b * np.cos(slope)) / (4 / 3 * (a**2 + b**2))
        np.testing.assert_allclose(np.linalg.norm(velocity[4:]) / h, expected, rtol=1e-9)


def stack_of_boxes(rng, boxes, size, masses, push):
    """Boxes on each other: patch rows of every interface, the mass matrix and a velocity that presses them."""
    H = np.zeros((6 * boxes, 6 * boxes))
    frame = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for i in range(boxes):
        turn = np.linalg.qr(np.eye(3) + 1e-3 * rng.normal(size=(3, 3)))[0]
        axes = frame @ turn * np.sign(turn[0, 0])
        H[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = patch_rows([0, 0, -size / 2], axes)
        if i:
            H[6 * i : 6 * i + 6, 6 * i - 6 : 6 * i] = -patch_rows([0, 0, size / 2], axes)
    inertia = np.array([1.0, 1.0, 1.0, *[size**2 / 6] * 3])
    velocity = np.tile([push, 0.0, -0.05, 0.0, 0.0, 0.0], boxes) + 1e-2 * rng.normal(size=6 * boxes)
    return H, np.diag(np.concatenate([m * inertia for m in masses])), velocity


@pytest.mark.parametrize("ratio", [1.0, 30.0, 1000.0])
def test_stacks_and_mixtures_hold_the_laws_of_every_block(ratio):
    """Patches with moments between boxes, a point and a joint's friction on top, all in one W."""
    rng = np.random.default_rng(21)
    size, boxes = 0.1, 4
    half = size / 2
    corners = np.array([[x, y] for x in (-half, half) for y in (-half, half)])
    for push in (0.0, 0.02, 0.3):
        H, M, velocity = stack_of_boxes(rng, boxes, size, ratio ** (np.arange(boxes) % 2.0), push)
        point = np.hstack([np.zeros((3, 6 * boxes - 6)), -point_rows([half, 0.3 * half, 0.0])])
        joint = np.zeros((1, 6 * boxes))
        joint[0, 5] = 1.0
        H = np.vstack([H, point, joint])
        W, q = H @ np.linalg.solve(M, H.T), H @ velocity
        patch = (6, "contensou", 0.4, np.full(4, 0.25), corners, {"corners": corners})
        blocks = [patch] * boxes + [
            (3, "coulomb", 0.3, [], []),
            (1, "coulomb", 0.0, [], [], {"lower": -0.01, "upper": 0.01}),
        ]
        start = np.zeros(len(q))
        solutions = [_core.solve_blocks_newton(W, q, blocks, start, 1e-11, 300)]
        if ratio <= 30.0:  # sweeps take longer the harder the ratio
            solutions.append(_core.solve_blocks(W, q, blocks, start, 1e-11, 20000, "anderson"))
        for force, _, residual, converged in solutions:
            assert converged, residual
            for i in range(boxes):
                rows = slice(6 * i, 6 * i + 6)
                own = W[rows, rows]
                rest = q[rows] + W[rows] @ force - own @ force[rows]
                assert violation(own, rest, patch, force[rows]) <= 1e-8
            u = W @ force + q
            n, v = force[-4], u[-3:-1]
            assert n >= 0.0 and u[-4] >= -1e-9 and abs(n * u[-4]) <= 1e-9
            assert abs(v @ force[-3:-1] + 0.3 * n * np.linalg.norm(v)) <= 1e-9
            assert abs(force[-1]) <= 0.01 and u[-1] * force[-1] <= 1e-12


def test_normals_alone_are_solved_over_the_cone():
    """The form that a position pass uses: rows (n, m_t, m_s) or (n, m), no friction."""
    rng = np.random.default_rng(4)
    for tilts in (1, 2):
        corners = 0.05 * rng.normal(size=(6, 2)) * ([1.0, 0.0] if tilts == 1 else [1.0, 1.0])
        axis = np.array([0.0, -1.0])
        (ours, theirs), (patch, points), mass = corner_problem(rng, corners, 6)
        keep = [0, 5] if tilts == 1 else [0, 4, 5]
        H = patch[keep] * ([[1.0], [-1.0]] if tilts == 1 else 1.0)
        q = ours[1][keep] * ([1.0, -1.0] if tilts == 1 else 1.0)
        block = (1 + tilts, "coulomb", 0.0, [], [], {"corners": corners, "tilts": tilts, "axis": axis})
        W = H @ np.linalg.solve(mass, H.T)
        force, _, _, converged = _core.solve_blocks(W, q, [block], np.zeros(1 + tilts), 1e-12, 10, "none")
        assert converged
        root = np.linalg.cholesky(np.linalg.inv(mass))
        push, _ = nnls((points @ root).T, -np.linalg.lstsq(points @ root, theirs[1], rcond=None)[0])
        np.testing.assert_allclose(root.T @ H.T @ force, root.T @ points.T @ push, atol=1e-9)


@pytest.mark.parametrize("exponent", [-9, -4, 4, 9])
@pytest.mark.parametrize("quantity", ["compliance", "velocity", "length"])
def test_blocks_are_solved_in_any_unit(quantity, exponent):
    """Judged in the units of the original: degenerate hulls, of one corner or on a line, are among them."""
    rng = np.random.default_rng(21)
    scale = 10.0**exponent
    for k in range(60):
        W, q, block = random_block(rng, 6)
        _, law, mu, shares, offsets, more = block
        if len(shares) == 1:
            continue  # a point's torsion has no length of its own to be measured by
        if k % 3 == 0:
            more = more | {"corners": more["corners"][:1] * [[1.0, 1.0], [2.0, 2.0]][: 1 + k % 2]}
        unit = np.ones(6)
        length = scale if quantity == "length" else 1.0
        unit[3:] = 1.0 / length
        compliance = scale if quantity == "compliance" else 1.0
        velocity = scale if quantity == "velocity" else 1.0
        load, _, converged = _core.solve_moment_block(
            compliance * W * np.outer(unit, unit),
            velocity * q * unit,
            shares,
            length * offsets,
            mu,
            length * more["corners"],
            ANY,
            np.zeros(6),
        )
        load = load * unit * compliance / velocity
        assert converged and violation(W, q, (6, law, mu, shares, offsets, more), load) <= 1e-9


def test_a_share_that_dominates_does_not_let_torques_out_of_the_limit_surface():
    """The points that spin about one with nearly all of the load: far, but with next to no share."""
    shares = np.array([1.0 - 6e-5, 6e-5, 1e-11])
    offsets = np.array([[0.0, 0.0], [-0.004, 0.002], [0.005, 0.008]])
    offsets -= shares @ offsets
    rng = np.random.default_rng(4)
    for _ in range(100):
        bearing = rng.normal(size=2)
        bearing *= rng.uniform(0.0, 0.9) / np.linalg.norm(bearing)
        inside = np.append(bearing, rng.normal() * 1e-6)
        inside /= _core.contensou_gauge(inside, shares, offsets, 1.0)
        for excess in (1e-6, 3e-4, 0.1):
            out, within = inside * (1.0 + excess), inside * (1.0 - excess)
            assert not _core.contensou_holds(out, shares, offsets, 1.0)
            assert _core.contensou_holds(within, shares, offsets, 1.0)
            nearest = _core.project_to_limit_surface(out, shares, offsets, 1.0)[0]
            assert np.abs(nearest - out).max() > 0.0
            assert _core.contensou_gauge(nearest, shares, offsets, 1.0) == pytest.approx(1.0, abs=1e-9)
