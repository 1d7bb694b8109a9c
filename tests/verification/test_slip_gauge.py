# SPDX-License-Identifier: LGPL-2.1-or-later
"""Margin to slip: 0 without friction load, in proportion to a load that sticks, 1 where the patch slides."""

import numpy as np
import pytest
from bench_bodies import GRAVITY, add_block, add_floor, new_world

from softcontact.friction import contensou_limit, in_limit_surface, points_slip_gauge

MU, SIDE = 0.5, 0.1
LAWS = {
    "contensou": {"friction_law": "contensou"},
    "decoupled": {"friction_law": "contensou-decoupled"},
    "coulomb": {"friction_law": "coulomb"},
    "point": {"contact": "point"},
}


def patch_of_block(law, load, torque=0.0, steps=300, height=0.02):
    """The patch of a flat 1 kg plate on a floor, pushed along x by `load` times what friction bears, and turned."""
    world = new_world(0.005, gravity=(load * MU * GRAVITY, 0.0, -GRAVITY), **LAWS[law])
    add_floor(world, friction=MU)
    plate = add_block(world, (SIDE, SIDE, height), mass=1.0, friction=MU, aggregate=True)
    if torque:
        world.set_applied_force(plate, np.array([0.0, 0.0, 0.0, 0.0, 0.0, torque]))
    assert world.step(steps)
    (patch,) = world.patches()
    return patch


@pytest.mark.parametrize("law", LAWS)
def test_gauge_is_the_share_of_the_load_that_friction_bears(law):
    gauges = []
    # Decoupled torsion has next to no bound where a patch would slide straight: it yields to a trace of torque.
    for load in (0.1, 0.3, 0.5) if law == "decoupled" else (0.1, 0.3, 0.5, 0.7, 0.9):
        patch = patch_of_block(law, load)
        assert patch["slip_gauge"] == pytest.approx(load, rel=2e-3)
        assert patch["state"] == "stick"
        gauges.append(patch["slip_gauge"])
    assert np.all(np.diff(gauges) > 0.0)
    for load in (1.1, 2.0):
        patch = patch_of_block(law, load, steps=40)
        assert patch["slip_gauge"] == pytest.approx(1.0, abs=1e-6)
        assert patch["state"] == "slip"


@pytest.mark.parametrize("law", ["contensou", "point"])
def test_gauge_of_push_and_twist_is_that_of_the_limit_surface(law):
    last = 0.0
    most = MU * GRAVITY * SIDE / np.sqrt(2.0)  # a quarter of the weight at each corner
    for share in (0.0, 0.2, 0.4, 0.6, 0.8):
        patch = patch_of_block(law, 0.4, torque=share * most)
        expected = in_limit_surface(
            (*patch["force"][:2], patch["torque"][2]),
            shares=patch["point_forces"][:, 2] / patch["force"][2],
            offsets=(patch["points"] - patch["centre"])[:, :2],
            mu=MU,
            normal_force=patch["force"][2],
        )
        assert patch["slip_gauge"] == pytest.approx(expected, rel=1e-4)
        assert patch["force"][:2] == pytest.approx([-0.4 * MU * GRAVITY, 0.0], abs=0.02)
        assert patch["torque"][2] == pytest.approx(-share * most, abs=1e-4)
        assert patch["slip_gauge"] > last
        last = patch["slip_gauge"]
    assert last < 1.0
    sliding = patch_of_block(law, 0.4, torque=1.5 * most, steps=40)
    assert sliding["slip_gauge"] == pytest.approx(1.0, abs=1e-6) and sliding["state"] == "slip"


def test_coulomb_patch_bears_no_torque():
    still = patch_of_block("coulomb", 0.4)
    turning = patch_of_block("coulomb", 0.4, torque=1e-3, steps=20)
    assert turning["slip_gauge"] < 1.0
    assert abs(turning["torque"] @ turning["normal"]) < 0.1 * 1e-3
    assert still["slip_gauge"] == pytest.approx(0.4, rel=1e-3)


def test_decoupled_patch_slips_where_either_bound_is_met():
    # The plate is told to turn: its torque is bounded by mu N sum a |r|, whatever the force.
    lever = SIDE / np.sqrt(2.0)
    for share in (0.25, 0.5, 0.75):
        patch = patch_of_block("decoupled", 0.0, torque=share * MU * GRAVITY * lever)
        assert patch["slip_gauge"] == pytest.approx(share, rel=1e-3)
    patch = patch_of_block("decoupled", 0.0, torque=1.2 * MU * GRAVITY * lever, steps=20)
    assert patch["slip_gauge"] == pytest.approx(1.0, abs=1e-6) and patch["state"] == "slip"


def test_gauge_of_points_on_a_plane_is_that_of_their_patch():
    rng = np.random.default_rng(5)
    for _ in range(20):
        count = int(rng.integers(3, 12))
        offsets = 0.01 * rng.normal(size=(count, 2))
        loads = rng.uniform(0.1, 1.0, count)
        angles, sizes = rng.uniform(0.0, 2.0 * np.pi, count), rng.uniform(0.0, 1.0, count) * MU * loads
        friction = np.column_stack([sizes * np.cos(angles), sizes * np.sin(angles)])
        torque = np.sum(offsets[:, 0] * friction[:, 1] - offsets[:, 1] * friction[:, 0])
        patch = {"shares": loads / loads.sum(), "offsets": offsets, "mu": MU, "normal_force": loads.sum()}
        expected = in_limit_surface((*friction.sum(axis=0), torque), **patch)
        points = np.column_stack([offsets, np.zeros(count)])
        forces = np.column_stack([friction, loads])
        found = points_slip_gauge(points, np.tile([0.0, 0.0, 1.0], (count, 1)), forces, mu=MU)
        assert found == pytest.approx(expected, rel=1e-6)
        assert found <= np.max(sizes / (MU * loads)) + 1e-12
        # Friction of points that all slide about one centre, and less of it.
        direction = (*rng.normal(size=2), 100.0 * rng.normal())
        limit = contensou_limit(direction, **patch)
        slips = np.array(direction[:2]) + direction[2] * np.column_stack([-offsets[:, 1], offsets[:, 0]])
        sliding = MU * loads[:, None] * slips / np.linalg.norm(slips, axis=1)[:, None]
        assert sliding.sum(axis=0) == pytest.approx(limit[:2])
        for part in (0.3, 1.0):
            forces = np.column_stack([part * sliding, loads])
            gauge = points_slip_gauge(points, np.tile([0.0, 0.0, 1.0], (count, 1)), forces, mu=MU)
            assert gauge == pytest.approx(part, abs=1e-6)


def test_gauge_of_points_around_a_ball_that_spins():
    rng = np.random.default_rng(7)
    normals = rng.normal(size=(9, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    points, loads, spin = -0.03 * normals, rng.uniform(0.5, 2.0, 9), rng.normal(size=3)
    slips = np.cross(spin, points)  # tangential on a ball
    friction = -MU * loads[:, None] * slips / np.linalg.norm(slips, axis=1)[:, None]
    for part in (0.0, 0.25, 1.0):
        forces = loads[:, None] * normals + part * friction
        assert points_slip_gauge(points, normals, forces, mu=MU) == pytest.approx(part, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mu": -0.1}, "mu: -0.1"),
        ({"forces": [[0.0, 0.0, -1.0]]}, "forces: -1.0 N along a normal"),
        ({"points": [[0.0, np.nan, 0.0]]}, "points: nan"),
    ],
)
def test_wrong_points_are_told(change, message):
    good = {"points": [[0.0, 0.0, 0.0]], "normals": [[0.0, 0.0, 1.0]], "forces": [[0.0, 0.0, 1.0]], "mu": 0.5}
    given = good | change
    with pytest.raises(ValueError, match=message):
        points_slip_gauge(given["points"], given["normals"], given["forces"], mu=given["mu"])


def test_what_points_bear_against_each_other_is_no_load():
    """A box that came to rest on a belt: its corners hold each other, and a round-off of force."""
    points = 0.03 * np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]], float)
    forces = np.tile([0.0, 0.0, 0.7], (4, 1))
    forces[:, 0] = 0.1 * np.array([1, -1, -1, 1])
    forces[0, 1] = 2e-14
    assert points_slip_gauge(points, np.tile([0.0, 0.0, 1.0], (4, 1)), forces, mu=MU) == 0.0
    forces[:, 1] += 0.07
    gauge = points_slip_gauge(points, np.tile([0.0, 0.0, 1.0], (4, 1)), forces, mu=MU)
    assert gauge == pytest.approx(0.1 / MU, rel=1e-3)
