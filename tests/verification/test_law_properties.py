# SPDX-License-Identifier: LGPL-2.1-or-later
"""Laws of friction, contact and aggregation on random data: what holds for all, whatever the numbers."""

from functools import cache

import numpy as np
import pytest
from haptic_bodies import COUPLING, RADIUS, TOOL, pressed, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from softcontact.contact import aggregate
from softcontact.friction import (
    contensou_limit,
    contensou_potential,
    in_limit_surface,
    project_to_cone,
    solve_contensou,
)
from softcontact.haptics import HapticTool, RigidState
from softcontact.solver import ContactProblem, solve

few = settings(max_examples=40, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)
coefficients = st.sampled_from([0.0, 1e-3, 0.3, 1.0, 7.0])
scales = st.sampled_from([1e-9, 1e-3, 1.0, 1e5])


def patch_of(rng):
    """A patch of one to nine points, of any size; some of them carry nothing."""
    count = int(rng.integers(1, 10))
    size = 10.0 ** rng.uniform(-4, 1)
    shares = rng.dirichlet(np.ones(count)) * (rng.random(count) < 0.8)
    if not shares.any():
        shares[0] = 1.0
    offsets = size * rng.normal(size=(count, 2))
    patch = {"shares": shares / shares.sum(), "offsets": offsets}
    return patch | {"mu": rng.uniform(0.05, 2.0), "normal_force": 10.0 ** rng.uniform(-3, 3)}, size


def motion(rng, size):
    return rng.normal(size=3) * np.array([1.0, 1.0, 1.0 / size])


def potential(x, patch):
    return contensou_potential(x[:2], x[2], **patch)


@few
@given(seeds, coefficients, scales)
def test_projection_onto_the_cone_is_a_projection(seed, mu, scale):
    rng = np.random.default_rng(seed)
    a, b = scale * rng.normal(size=(2, 50, 3))
    on_a, on_b = project_to_cone(a, mu), project_to_cone(b, mu)
    np.testing.assert_allclose(project_to_cone(on_a, mu), on_a, atol=1e-14 * scale)
    apart = np.linalg.norm(a - b, axis=1)
    assert (np.linalg.norm(on_a - on_b, axis=1) <= apart + 1e-14 * scale).all()
    # The rest is less a projection onto the polar cone, |r_t| <= r_n / mu about the other normal.
    rest = a - on_a
    if mu > 0.0:
        np.testing.assert_allclose(-project_to_cone(-a, 1.0 / mu), rest, atol=1e-13 * scale)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    turned = np.column_stack([a[:, 0], a[:, 1:] @ turn])
    expected = np.column_stack([on_a[:, 0], on_a[:, 1:] @ turn])
    np.testing.assert_allclose(project_to_cone(turned, mu), expected, atol=1e-14 * scale)


@few
@given(seeds)
def test_the_potential_is_convex_and_positively_homogeneous(seed):
    rng = np.random.default_rng(seed)
    patch, size = patch_of(rng)
    x, y, share, factor = motion(rng, size), motion(rng, size), rng.uniform(), 10.0 ** rng.uniform(-6, 6)
    between = share * potential(x, patch) + (1.0 - share) * potential(y, patch)
    assert 0.0 <= potential(share * x + (1.0 - share) * y, patch) <= between * (1.0 + 1e-14)
    assert potential(factor * x, patch) == pytest.approx(factor * potential(x, patch), rel=1e-13)
    assert potential(-x, patch) == pytest.approx(potential(x, patch), rel=1e-14)
    assert potential(np.zeros(3), patch) == 0.0


@few
@given(seeds)
def test_the_gauge_is_homogeneous_and_one_on_the_limit_surface_alone(seed):
    rng = np.random.default_rng(seed)
    patch, size = patch_of(rng)
    load = np.array(contensou_limit(motion(rng, size), **patch))
    factor = 10.0 ** rng.uniform(-6, 6)
    assert in_limit_surface(load, **patch) == pytest.approx(1.0, abs=1e-7)
    assert in_limit_surface(factor * load, **patch) == pytest.approx(factor, rel=1e-7)
    # No load of the limit surface does more work than the support point, and mixtures of two stay inside.
    other = np.array(contensou_limit(motion(rng, size), **patch))
    assert in_limit_surface(0.5 * (load + other), **patch) <= 1.0 + 1e-7
    along = motion(rng, size)
    most = potential(along, patch)
    assert other @ along <= most * (1.0 + 1e-12) and load @ along <= most * (1.0 + 1e-12)


@few
@given(seeds)
def test_friction_of_a_patch_never_feeds_motion(seed):
    rng = np.random.default_rng(seed)
    patch, size = patch_of(rng)
    scale = np.array([1.0, 1.0, 1.0 / size])
    half = rng.normal(size=(3, int(rng.integers(1, 4))))  # also bodies that do not yield in some direction
    compliance = half @ half.T * np.outer(scale, scale)
    free = motion(rng, size)
    load, velocity, _ = solve_contensou(compliance, free, **patch)
    work = potential(free, patch)
    assert -(load @ velocity) >= -1e-9 * work
    assert in_limit_surface(load, **patch) <= 1.0 + 1e-7
    # Halfway between, the mean velocity of a step: energy is not made there either.
    assert load @ (velocity + free) <= 1e-9 * work


def contacts(rng, count):
    half = rng.normal(size=(3 * count, 3 * count + 2))
    return half @ half.T, rng.normal(size=3 * count), rng.uniform(0.0, 1.0, count)


def law(force, velocity, mu):
    """How much each contact violates Signorini's and Coulomb's law."""
    r, u = force.reshape(-1, 3), velocity.reshape(-1, 3)
    sliding, friction = np.linalg.norm(u[:, 1:], axis=1), np.linalg.norm(r[:, 1:], axis=1)
    return np.column_stack(
        [
            np.minimum(r[:, 0], u[:, 0]),  # r_n >= 0, u_n >= 0, r_n u_n = 0
            np.maximum(friction - mu * r[:, 0], 0.0),
            (r[:, 1:] * u[:, 1:]).sum(axis=1) + mu * r[:, 0] * sliding,  # friction against the slip
        ]
    )


@few
@given(seeds)
def test_a_contact_keeps_its_laws_and_no_unit_or_frame_matters(seed):
    rng = np.random.default_rng(seed)
    W, q, mu = contacts(rng, 1)
    found = solve(ContactProblem(W, q, mu), tolerance=1e-12)
    assert found.converged
    assert np.abs(law(found.force, found.velocity, mu)).max() <= 1e-9 * (1.0 + np.abs(found.force).max())
    np.testing.assert_allclose(found.velocity, W @ found.force + q, atol=1e-12 * np.abs(W).max())
    compliance, speed = 10.0 ** rng.uniform(-9, 9, 2)
    scaled = solve(ContactProblem(compliance * W, speed * q, mu), tolerance=1e-12)
    size = np.abs(found.force).max()
    np.testing.assert_allclose(scaled.force * compliance / speed, found.force, atol=1e-7 * size)
    frame = np.eye(3)
    frame[1:, 1:] = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    turned = solve(ContactProblem(frame @ W @ frame.T, frame @ q, mu), tolerance=1e-12)
    np.testing.assert_allclose(turned.force, frame @ found.force, atol=1e-7 * size)


@few
@given(seeds)
def test_the_order_of_contacts_does_not_matter(seed):
    """Weak coupling: there the solution is one, and what differs is the solver's path."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    W, q, mu = contacts(rng, count)
    W = W / np.linalg.norm(W, 2) * 0.2 + np.eye(3 * count)
    found = solve(ContactProblem(W, q, mu), tolerance=1e-12)
    order = rng.permutation(count)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    other = solve(ContactProblem(W[np.ix_(rows, rows)], q[rows], mu[order]), tolerance=1e-12)
    assert found.converged and other.converged
    assert np.abs(law(found.force, found.velocity, mu)).max() <= 1e-9
    np.testing.assert_allclose(other.force, found.force[rows], atol=1e-9)


@few
@given(seeds, st.sampled_from(["nonuniform", "uniform"]))
def test_a_patch_moves_with_its_points(seed, pressure):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 12))
    points = rng.normal(scale=0.01, size=(count, 3))
    normals = np.array([0.0, 0.0, 1.0]) + rng.normal(scale=0.2, size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    gaps, areas = rng.normal(-5e-4, 1e-3, count), rng.uniform(1e-6, 2e-6, count)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    shift = rng.normal(size=3)
    patch = aggregate(points, normals, gaps, areas, pressure=pressure)
    moved = aggregate(
        points @ turn.T + shift,
        normals @ turn.T,
        gaps,
        areas,
        pressure=pressure,
        last_tangent=turn @ patch.frame[:, 1],
    )
    assert patch.shares.sum() == pytest.approx(1.0, abs=1e-13) and (patch.shares >= 0.0).all()
    for name in ("volume", "area", "gap", "weights", "shares"):
        np.testing.assert_allclose(getattr(moved, name), getattr(patch, name), rtol=1e-11, atol=1e-18)
    for name in ("centroid", "centre"):
        np.testing.assert_allclose(getattr(moved, name), turn @ getattr(patch, name) + shift, atol=1e-13)
    np.testing.assert_allclose(moved.frame[:, 0], turn @ patch.normal, atol=1e-12)
    np.testing.assert_allclose(
        moved.frame, turn @ aligned(patch, points, normals, gaps, areas, pressure).frame, atol=1e-9
    )
    np.testing.assert_allclose(moved.normal_row, patch.normal_row @ turn.T, atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(moved.offsets, axis=1), np.linalg.norm(patch.offsets, axis=1), atol=1e-13
    )


def aligned(patch, points, normals, gaps, areas, pressure):
    """The patch with the tangent that it had a step before, as its moved twin has."""
    return aggregate(points, normals, gaps, areas, pressure=pressure, last_tangent=patch.frame[:, 1])


@cache
def pressed_tool():
    _, tool, model = pressed(friction=0.8)
    return RigidState(tool.state.position, tool.state.orientation), model


@few
@given(seeds)
def test_the_linear_contact_model_never_pulls(seed):
    """Hands that wander and tug in all directions, between two slow steps."""
    rng = np.random.default_rng(seed)
    state, model = pressed_tool()
    haptic = HapticTool(TOOL, COUPLING, 1e-3)
    haptic.reset(state)
    steps = 10.0 ** rng.uniform(-6, -3) * rng.normal(size=(150, 3))
    places = np.array([0.003, 0.002, RADIUS - 0.004]) + np.cumsum(steps, axis=0)
    trace = haptic.run(rows(places), model.copy())
    assert trace.least_normal >= 0.0 and trace.contact[:, 2].min() >= 0.0
