# SPDX-License-Identifier: LGPL-2.1-or-later
"""Newton steps over points and patches at once, where sweeps from block to block go in circles."""

import json
from pathlib import Path

import numpy as np
import pytest

from softcontact import _core
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.scene.library import load

DATA = Path(__file__).parent / "data"
TOLERANCE = 1e-9  # m/s


def jamming_problem():
    """One point and two patches; the second patch is near jamming, see the test."""
    data = json.loads((DATA / "jamming_patches.json").read_text(encoding="utf-8"))
    q = np.array(data["q"])
    W = np.zeros((len(q), len(q)))
    W[np.triu_indices(len(q))] = data["W"]
    W += np.triu(W, 1).T
    blocks = [
        (b["rows"], "contensou", b["mu"], np.array(b["shares"]), np.array(b["offsets"]).reshape(-1, 2))
        for b in data["blocks"]
    ]
    return W, q, blocks


def violation(W, q, blocks, force):
    """How far the laws are from holding: by velocity [m/s] and power [W], and the load's excess over its bound."""
    u = W @ force + q
    worst, offset = 0.0, 0
    for rows, _, mu, shares, offsets in blocks:
        normal, load = force[offset], force[offset + 1 : offset + rows]
        gap_rate, velocity = u[offset], u[offset + 1 : offset + rows]
        offset += rows
        assert normal >= 0.0
        worst = max(worst, -gap_rate, abs(normal * gap_rate))
        if rows == 1 or normal <= 0.0:
            worst = max(worst, np.abs(load).max(initial=0.0))
        elif rows == 3:
            worst = max(
                worst, np.hypot(*load) - mu * normal, abs(load @ velocity + mu * normal * np.hypot(*velocity))
            )
        else:
            gauge = _core.contensou_gauge(load, shares, offsets, mu * normal)
            power = _core.contensou_potential(velocity, shares, offsets, mu * normal) + load @ velocity
            worst = max(worst, gauge - 1.0, abs(power))
    return worst


def test_patches_near_jamming_are_solved_where_sweeps_go_in_circles():
    """mu |W_ns| > W_nn in the last patch: slip presses it as much as it gives; its own rows have two solutions."""
    W, q, blocks = jamming_problem()
    mu = blocks[2][2]
    assert mu * np.abs(W[7, 8:10]).max() > W[7, 7]
    start = np.zeros(len(q))
    for acceleration in ("none", "conjugate", "anderson"):
        _, _, residual, converged = _core.solve_blocks(W, q, blocks, start, TOLERANCE, 2000, acceleration)
        assert not converged and residual > 1e-3
    force, steps, residual, converged = _core.solve_blocks_newton(W, q, blocks, start, TOLERANCE, 300)
    assert converged and residual <= TOLERANCE and steps <= 100
    assert violation(W, q, blocks, force) <= 1e-9
    assert (force[[0, 3, 7]] > 0.0).all()
    again = _core.solve_blocks_newton(W, q, blocks, start, TOLERANCE, 300)[0]
    assert np.array_equal(force, again)


def mixed_problem(rng, law, coupling):
    """Points, patches and a normal row on bodies that share motions, so that W is singular."""
    rows = [3, 4, 1, 3, 4, 4, 3]
    blocks = []
    for n in rows:
        count = int(rng.integers(2, 15))
        shares = rng.uniform(0.01, 1.0, count)
        shares[0] *= rng.choice([1.0, 10.0])  # where one point carries most, the patch spins about it
        blocks.append(
            (n, law, rng.uniform(0.1, 0.9), shares / shares.sum(), 0.01 * rng.normal(size=(count, 2)))
        )
    scale = np.concatenate([[1.0, 1.0, 1.0, 70.0][:n] for n in rows])
    H = rng.normal(size=(len(scale), 18))
    H[:, :6] *= coupling
    W = (H @ H.T / 18 + 0.05 * np.eye(len(scale))) * np.outer(scale, scale)
    q = rng.normal(size=len(scale)) * scale
    normals = np.concatenate([[0], np.cumsum(rows)[:-1]])
    q[normals] = -np.abs(q[normals]) * rng.choice([1.0, 1.0, -1.0], size=len(rows))
    return W, q, blocks


@pytest.mark.parametrize("law", ["contensou", "contensou-decoupled", "coulomb"])
def test_newton_and_sweeps_find_forces_that_hold_the_same_laws(law):
    rng = np.random.default_rng(31)
    steps, both = [], 0
    for k in range(60):
        W, q, blocks = mixed_problem(rng, law, 1.0 + k % 3)
        start = np.zeros(len(q))
        force, taken, _, converged = _core.solve_blocks_newton(W, q, blocks, start, 1e-11, 300)
        assert converged
        steps.append(taken)
        if law == "contensou":
            assert violation(W, q, blocks, force) <= 1e-9
        # Sweeps from there find nothing to change, but where a block has another solution as well.
        _, iterations, _, converged = _core.solve_blocks(W, q, blocks, force, 1e-9, 1, "none")
        both += converged and iterations == 1
    assert both >= 50
    assert np.median(steps) <= 20  # quadratic at the end: the slopes are right


def test_proximal_points_help_where_steps_end():
    """With few steps from each start, only the pulled problems bring the method to the solution."""
    W, q, blocks = jamming_problem()
    start = np.zeros(len(q))
    assert not _core.solve_blocks_newton(W, q, blocks, start, TOLERANCE, 2)[3]
    force, _, _, converged = _core.solve_blocks_newton(W, q, blocks, start, TOLERANCE, 300)
    assert converged
    assert violation(W, q, blocks, force) <= 1e-8


def test_rows_that_nothing_can_move_stay_out_of_the_way():
    """A contact between bodies that cannot move: no force where it parts, no solution where it would have to give."""
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3)
    blocks = [(3, "contensou", 0.5, [], [])] * 2
    q = np.array([-1.0, 0.2, 0.0, 0.1, 0.0, 0.0])
    force, _, _, converged = _core.solve_blocks_newton(W, q, blocks, np.zeros(6), TOLERANCE, 300)
    assert converged
    np.testing.assert_allclose(force, [1.0, -0.2, 0.0, 0.0, 0.0, 0.0], atol=1e-9)
    q[3] = -0.1
    assert not _core.solve_blocks_newton(W, q, blocks, np.zeros(6), TOLERANCE, 300)[3]


def test_steps_with_patches_that_sweeps_leave_unsolved_are_solved():
    """One sweep a step is too little for the fingers that close on the cube; the rest is Newton's."""
    scene = load("edge-cube").with_changes({"solver.max_iterations": 1, "solver.accepted_residual": 1e-8})
    engine = EmbeddedEngine(scene)
    residuals = []
    while engine.time < 0.7:
        engine.step()
        if any(patch["body"] == "index" for patch in engine.world.patches()):
            residuals.append(engine.statistics()["residual"])
    assert len(residuals) > 40
    assert max(residuals) <= 1e-8
