# SPDX-License-Identifier: LGPL-2.1-or-later
"""Aggregate rows of a patch: weights, units, rigid motions, degenerate sets, continuity of the frame."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softcontact import _core
from softcontact.contact import aggregate

deterministic = settings(max_examples=60, derandomize=True, deadline=None)


def flat_patch(rng, k=12, size=0.01):
    """Points on a plane of random orientation, some of them apart."""
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = (size * np.column_stack([rng.normal(size=(k, 2)), np.zeros(k)])) @ rotation.T + rng.normal(
        size=3
    )
    normals = np.tile(rotation[:, 2], (k, 1))
    return points, normals, rng.normal(-5e-4, 1e-3, k), rng.uniform(1e-6, 2e-6, k)


def row_value(row, velocities):
    return float((row * velocities).sum())


@deterministic
@given(st.integers(0, 10**6), st.sampled_from(["nonuniform", "uniform"]))
def test_rows_read_rigid_motions(seed, pressure):
    rng = np.random.default_rng(seed)
    patch = aggregate(*flat_patch(rng, int(rng.integers(3, 25))), pressure=pressure)
    n, t, s = patch.frame.T
    np.testing.assert_allclose(patch.frame.T @ patch.frame, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(t, s), n, atol=1e-12)
    assert patch.shares.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(patch.shares @ patch.offsets, 0.0, atol=1e-15)
    if patch.torsion_row is None:
        return
    levers = patch.offsets[:, :1] * t + patch.offsets[:, 1:] * s
    rows = (patch.normal_row, *patch.tangent_rows, patch.torsion_row)
    velocity, omega = rng.normal(size=3), 3.7
    moved = velocity + omega * np.cross(n, levers)
    read = [row_value(row, moved) for row in rows]
    np.testing.assert_allclose(read, [velocity @ n, velocity @ t, velocity @ s, omega], atol=1e-9)
    # The multiplier of the torsion row is a pure torque.
    np.testing.assert_allclose(patch.torsion_row.sum(axis=0), 0.0, atol=1e-9)
    torque = np.cross(levers, patch.torsion_row).sum(axis=0)
    np.testing.assert_allclose(torque, n, atol=1e-9)


def test_pressure_weights_and_volume():
    rng = np.random.default_rng(2)
    points, normals, gaps, areas = flat_patch(rng)
    depth = np.maximum(0.0, -gaps)
    assert 0 < (depth > 0).sum() < depth.size
    patch = aggregate(points, normals, gaps, areas)
    weights = (depth > 0).sum() * depth / depth.sum()
    np.testing.assert_allclose(patch.weights, weights, rtol=1e-13)
    assert patch.volume == pytest.approx((weights * areas * depth).sum(), rel=1e-13)
    np.testing.assert_allclose(patch.shares, weights * areas / (weights @ areas), rtol=1e-13)
    assert patch.gap == pytest.approx(patch.shares @ gaps)
    np.testing.assert_allclose(patch.centroid, areas @ points / areas.sum(), rtol=1e-13)
    np.testing.assert_allclose(patch.centre, patch.shares @ points, rtol=1e-13)

    uniform = aggregate(points, normals, gaps, areas, pressure="uniform")
    np.testing.assert_array_equal(uniform.weights, 1.0)
    assert uniform.volume == pytest.approx(areas @ depth, rel=1e-13)
    np.testing.assert_allclose(uniform.centre, uniform.centroid, rtol=1e-12)

    apart = aggregate(points, normals, np.abs(gaps) + 1e-5, areas)
    np.testing.assert_array_equal(apart.weights, 1.0)
    assert apart.volume == 0.0 and apart.gap > 0.0


@pytest.mark.parametrize("gap", [-1e-3, 1e-3])
def test_one_point_is_a_point_contact(gap):
    normal = np.array([1.0, 2.0, -2.0]) / 3.0
    patch = aggregate([[0.1, 0.2, 0.3]], [normal], [gap], [2e-6])
    n, t, s = patch.frame.T
    np.testing.assert_allclose(patch.normal_row, [normal], atol=1e-15)
    np.testing.assert_allclose(patch.tangent_rows, [[t], [s]], atol=1e-15)
    assert patch.torsion_row is None and patch.gap == gap and not patch.offsets.any()
    np.testing.assert_allclose(n, normal, atol=1e-15)
    # The block it gives is the point's: solved alike to the last digits.
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3))
    rows = np.stack([patch.normal_row[0], *(row[0] for row in patch.tangent_rows)])
    W = rows @ (a @ a.T + np.eye(3)) @ rows.T
    q = np.array([-1.0, 2.0, 0.5])
    block = (3, "contensou", 0.4, patch.shares, patch.offsets)
    force, _, _, _ = _core.solve_blocks(W, q, [block], np.zeros(3), 1e-12, 50, "none")
    np.testing.assert_allclose(force, _core.solve_coulomb_block(W, q, 0.4)[0], rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_points_on_a_line_have_no_torsion_whatever_the_scale(scale):
    normal = np.tile([0.0, 0.0, 1.0], (5, 1))
    along = scale * np.linspace(-1, 1, 5)
    line = np.column_stack([along, 2 * along, np.zeros(5)])
    gaps, areas = -scale * np.full(5, 1e-2), scale**2 * np.full(5, 1e-2)
    assert aggregate(line, normal, gaps, areas).torsion_row is None
    bent = line + scale * np.array([[0, 0, 0], [0, 0, 0], [1e-3, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert aggregate(bent, normal, gaps, areas).torsion_row is not None
    assert aggregate(np.zeros((5, 3)) + scale, normal, gaps, areas).torsion_row is None


def test_frame_turns_with_the_normal_and_does_not_jump():
    points, _, gaps, areas = flat_patch(np.random.default_rng(3))
    tangent = None
    for angle in np.linspace(0.0, 3.0, 200):
        normals = np.tile([np.sin(angle), 0.0, np.cos(angle)], (len(points), 1))
        patch = aggregate(points, normals, gaps, areas, last_tangent=tangent)
        if tangent is not None:
            assert np.linalg.norm(patch.frame[:, 1] - tangent) <= 3.0 / 199 + 1e-12
        tangent = patch.frame[:, 1]


def test_opposed_normals_fall_back_to_the_deepest_point():
    patch = aggregate([[0, 0, 0], [0, 0, 1e-3]], [[0, 0, 1], [0, 0, -1]], [-1e-4, -3e-4], [1e-6, 1e-6])
    np.testing.assert_array_equal(patch.normal, [0, 0, -1])


@pytest.mark.parametrize(
    ("index", "value", "named"),
    [
        (0, [[np.nan, 0, 0]], "points"),
        (0, np.zeros((0, 3)), "points"),
        (1, [[0, 0, 2.0]], "normals"),
        (1, [[0, 0, 1.0]] * 2, "normals"),
        (2, [np.inf], "gaps"),
        (3, [0.0], "areas"),
        (3, [-1.0], "areas"),
    ],
)
def test_wrong_input_is_refused_by_name(index, value, named):
    arguments = [[[0, 0, 0]], [[0, 0, 1.0]], [-1e-3], [1e-6]]
    arguments[index] = value
    if named == "points" and len(np.atleast_2d(value)) == 0:
        arguments = [np.zeros((0, 3)), np.zeros((0, 3)), [], []]
    with pytest.raises(ValueError, match=f"^{named}:"):
        aggregate(*arguments)


def test_unknown_pressure_is_refused():
    with pytest.raises(ValueError, match=r"^pressure:"):
        aggregate([[0, 0, 0]], [[0, 0, 1.0]], [-1e-3], [1e-6], pressure="heavy")
