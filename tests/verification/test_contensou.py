# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coulomb–Contensou friction: disc curves, and the set-valued law on random patches and compliances."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softcontact import _core
from softcontact.friction import (
    contensou_limit,
    contensou_potential,
    in_limit_surface,
    project_to_cone,
    solve_contensou,
)

DISC = json.loads((Path(__file__).parent / "data" / "contensou_disc.json").read_text())
MU, NORMAL = 0.4, 2.5
BOUND = MU * NORMAL
deterministic = settings(max_examples=60, derandomize=True, deadline=None)


DENSITY = {"uniform": np.ones_like, "hertz": np.sqrt, "parabolic": lambda height: height}


def disc(pressure: str, centre: float = 0.0, radial: int = 40, angular: int = 400):
    """Unit disc with its pressure in the shares: polar quadrature about a spin centre (0, centre) on it.

    About that point the sliding direction depends on the angle alone: nothing is singular; ρ = L (1 - z²)
    along each ray takes the square root out of Hertz's pressure.
    """
    if pressure == "ring":
        theta = 2.0 * np.pi * (np.arange(20000) + 0.5) / 20000
        return np.full(theta.size, 1.0 / theta.size), np.column_stack([np.cos(theta), np.sin(theta)])
    if centre < 1.0:
        theta = 2.0 * np.pi * (np.arange(angular) + 0.5) / angular
        around = np.full(angular, 2.0 * np.pi / angular)
    else:  # on the rim: half a turn of rays
        nodes, around = np.polynomial.legendre.leggauss(angular)
        theta = 0.5 * np.pi * (nodes + 1.0) - np.pi
        around = 0.5 * np.pi * around
    nodes, weights = np.polynomial.legendre.leggauss(radial)
    z, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    drop = centre * np.sin(theta)
    length = -drop + np.sqrt(np.maximum(0.0, drop**2 + 1.0 - centre**2))
    rho = np.outer(length, 1.0 - z**2)
    points = np.stack([rho * np.cos(theta)[:, None], centre + rho * np.sin(theta)[:, None]], axis=-1)
    height = np.maximum(0.0, 1.0 - (points**2).sum(axis=-1))
    shares = around[:, None] * length[:, None] * (2 * z * weights) * rho * DENSITY[pressure](height)
    return shares.ravel() / shares.sum(), points.reshape(-1, 2)


@pytest.mark.parametrize("pressure", ["uniform", "hertz", "parabolic", "ring"])
def test_disc_force_and_torque_follow_the_quadrature(pressure):
    radius = 0.03
    for epsilon, force, torque in DISC[pressure]["eps_F_T"]:
        shares, offsets = disc(pressure, centre=epsilon if epsilon <= 1.0 else 0.0)
        load = contensou_limit(
            (epsilon * radius, 0.0, 1.0), shares=shares, offsets=radius * offsets, mu=MU, normal_force=NORMAL
        )
        assert load[0] / BOUND == pytest.approx(force, abs=1e-6)
        assert load[2] / (BOUND * radius) == pytest.approx(torque, abs=1e-6)
        assert abs(load[1]) <= 1e-12 * BOUND


@pytest.mark.parametrize(
    ("pressure", "torque"), [("uniform", 2 / 3), ("hertz", 3 * np.pi / 16), ("ring", 1.0)]
)
def test_pure_spin_and_pure_slip_of_a_disc(pressure, torque):
    shares, offsets = disc(pressure)
    patch = {"shares": shares, "offsets": offsets, "mu": MU, "normal_force": NORMAL}
    np.testing.assert_allclose(
        contensou_limit((0.0, 0.0, 2.0), **patch), (0.0, 0.0, torque * BOUND), atol=1e-9 * BOUND
    )
    np.testing.assert_allclose(
        contensou_limit((0.0, 3.0, 0.0), **patch), (0.0, BOUND, 0.0), atol=1e-9 * BOUND
    )


def random_patch(rng, centred=True):
    k = int(rng.integers(2, 31))
    size = 10.0 ** rng.uniform(-3, -1)
    shares = rng.uniform(0.0, 1.0, k) ** rng.choice([1, 8]) + 1e-3
    shares /= shares.sum()
    offsets = size * rng.normal(size=(k, 2))
    if rng.uniform() < 0.15:
        offsets[:, 1] = 0.3 * offsets[:, 0]  # on a line
    if centred:
        offsets -= shares @ offsets
    patch = {
        "shares": shares,
        "offsets": offsets,
        "mu": rng.uniform(0.1, 1.5),
        "normal_force": 10 ** rng.uniform(-2, 1),
    }
    return patch, size


def random_block(rng, size):
    a = rng.normal(size=(3, 3))
    scale = np.array([1.0, 1.0, 1.0 / size])
    compliance = (a @ a.T + 1e-3 * np.eye(3)) * np.outer(scale, scale)
    return compliance, rng.normal(size=3) * scale


def law_defects(patch, compliance, free, solution):
    load, velocity, _ = solution
    linear = np.abs(compliance @ load + free - velocity)
    potential = contensou_potential(velocity[:2], velocity[2], **patch)
    reference = contensou_potential(free[:2], free[2], **patch)
    return linear, abs(potential + load @ velocity) / reference, in_limit_surface(load, **patch)


def test_random_blocks_satisfy_the_set_valued_law():
    rng = np.random.default_rng(3)
    states = []
    for _ in range(600):
        patch, size = random_patch(rng, centred=bool(rng.integers(2)))
        compliance, free = random_block(rng, size)
        solution = solve_contensou(compliance, free, **patch)
        linear, identity, gauge = law_defects(patch, compliance, free, solution)
        unit = np.array([1.0, 1.0, 1.0 / size])
        assert (linear <= 1e-9 * np.linalg.norm(free / unit) * unit).all()
        assert identity <= 1e-9
        assert gauge <= 1.0 + 1e-9
        if solution.state == "slip":
            assert gauge == pytest.approx(1.0, abs=1e-8)
        else:
            assert not solution.velocity.any()
        states.append(solution.state)
    assert 50 < states.count("stick") < 550


@deterministic
@given(st.integers(0, 10**6))
def test_no_other_admissible_load_dissipates_more(seed):
    rng = np.random.default_rng(seed)
    patch, size = random_patch(rng)
    compliance, free = random_block(rng, size)
    load, velocity, _ = solve_contensou(compliance, free, **patch)
    shares, bound = patch["shares"], patch["mu"] * patch["normal_force"]
    for _ in range(20):
        angle, radius = rng.uniform(0, 2 * np.pi, shares.size), rng.uniform(0, 1, shares.size)
        f = bound * (shares * radius)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        r = patch["offsets"]
        other = np.array([*f.sum(axis=0), (r[:, 0] * f[:, 1] - r[:, 1] * f[:, 0]).sum()])
        assert in_limit_surface(other, **patch) <= 1.0 + 1e-9
        scale = contensou_potential(velocity[:2], velocity[2], **patch)
        assert load @ velocity <= other @ velocity + 1e-9 * scale


@deterministic
@given(st.integers(0, 10**6))
def test_support_point_is_the_gradient_of_the_potential(seed):
    rng = np.random.default_rng(seed)
    patch, size = random_patch(rng, centred=False)
    x = rng.normal(size=3) * np.array([1.0, 1.0, 1.0 / size])
    load = np.array(contensou_limit(x, **patch))
    value = contensou_potential(x[:2], x[2], **patch)
    assert load @ x == pytest.approx(value, rel=1e-12)
    assert in_limit_surface(load, **patch) == pytest.approx(1.0, abs=1e-8)
    for k, step in enumerate(1e-6 * np.array([1.0, 1.0, 1.0 / size])):
        e = np.zeros(3)
        e[k] = step
        forward, back = x + e, x - e
        slope = (
            contensou_potential(forward[:2], forward[2], **patch)
            - contensou_potential(back[:2], back[2], **patch)
        ) / (2 * step)
        assert slope == pytest.approx(load[k], abs=2e-5 * value / (step * 1e6))


def test_gauge_scales_and_separates_stick_from_slip():
    rng = np.random.default_rng(11)
    for _ in range(100):
        patch, size = random_patch(rng)
        compliance, free = random_block(rng, size)
        needed = -np.linalg.solve(compliance, free)
        gauge = in_limit_surface(needed, **patch)
        assert in_limit_surface(3.0 * needed, **patch) == pytest.approx(3.0 * gauge, rel=1e-8)
        for factor, state in ((0.999, "stick"), (1.001, "slip")):
            assert solve_contensou(compliance, factor / gauge * free, **patch).state == state


def test_spin_about_a_contact_point_is_found_exactly():
    """A share of 0.9 holds its point: the patch spins about it, which is a kink of the potential."""
    shares = np.array([0.9, 0.05, 0.05])
    offsets = np.array([[0.0, 0.0], [0.02, 0.0], [0.0, 0.02]])
    patch = {"shares": shares, "offsets": offsets, "mu": 1.0, "normal_force": 1.0}
    compliance, free = np.diag([1.0, 1.0, 1e4]), np.array([0.1, 0.05, 60.0])
    load, velocity, state = solve_contensou(compliance, free, **patch)
    # Closed form: v = 0; torque and force of the two outer points, the rest from the holding point.
    torque = -2 * 0.05 * 0.02
    np.testing.assert_allclose(velocity, [0.0, 0.0, 60.0 + 1e4 * torque], atol=1e-13)
    np.testing.assert_allclose(load, [-0.1, -0.05, torque], atol=1e-14)
    assert state == "slip"


def test_one_point_is_coulomb_and_resists_no_spin():
    patch = {"shares": [1.0], "offsets": [[0.0, 0.0]], "mu": 0.5, "normal_force": 2.0}
    load, velocity, state = solve_contensou(np.eye(3), [3.0, 4.0, 7.0], **patch)
    np.testing.assert_allclose(load, [-0.6, -0.8, 0.0], atol=1e-14)
    np.testing.assert_allclose(velocity, [2.4, 3.2, 7.0], atol=1e-13)
    assert state == "slip"
    load, velocity, state = solve_contensou(np.eye(3), [0.3, 0.4, 7.0], **patch)
    np.testing.assert_allclose(load, [-0.3, -0.4, 0.0], atol=1e-14)
    np.testing.assert_allclose(velocity, [0.0, 0.0, 7.0], atol=1e-14)
    assert state == "stick"
    assert in_limit_surface([0.0, 0.0, 1e-3], **patch) == np.inf


@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_nearest_load_of_the_limit_surface(count):
    """x = y - load is a velocity that the load resists as much as any of B, whatever the distance from B."""
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(200):
        patch, size = random_patch(rng, centred=count > 1)
        offsets = patch["offsets"][:count] if count < 7 else patch["offsets"]
        shares = patch["shares"][: len(offsets)]
        shares, offsets = shares / shares.sum(), np.ascontiguousarray(offsets)
        bound, far = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-12, 1)
        edge = _core.contensou_limit(rng.normal(size=3) / [1, 1, size], shares, offsets, bound)
        y = edge + far * bound * rng.normal(size=3) * [1, 1, size]
        load, by_load, by_bound, held, length = _core.project_to_limit_surface(y, shares, offsets, bound)
        unit = np.array([1.0, 1.0, length])
        assert _core.contensou_gauge(load, shares, offsets, bound) <= 1.0 + 1e-8
        x = (y - load) / unit**2
        assert abs(
            x @ load - _core.contensou_potential(x, shares, offsets, bound)
        ) <= 1e-13 * bound * np.linalg.norm(y / unit)
        inside += held
        more = 1e-6 * min(far, 1.0)
        step = more * bound * rng.normal(size=3) * unit
        moved = _core.project_to_limit_surface(y + step, shares, offsets, bound)[0] - load
        larger = _core.project_to_limit_surface(y, shares, offsets, bound * (1 + more))[0] - load
        if count == 7 and far > 1e-5 and not held:
            np.testing.assert_allclose(
                moved / unit, by_load @ step / unit, atol=1e-2 * np.linalg.norm(step / unit)
            )
            np.testing.assert_allclose(
                larger / unit, more * bound * by_bound / unit, atol=1e-2 * more * bound
            )
    assert 20 <= inside <= 180


def test_no_normal_force_no_friction():
    load, velocity, _ = solve_contensou(
        np.eye(3), [1.0, 2.0, 3.0], shares=[0.5, 0.5], offsets=[[1, 0], [-1, 0]], mu=0.5, normal_force=0.0
    )
    assert not load.any()
    np.testing.assert_array_equal(velocity, [1.0, 2.0, 3.0])


def test_a_direction_without_compliance_keeps_its_velocity():
    """Bodies that cannot spin against each other: W has a zero row, and ω stays what it is."""
    patch = {"shares": [0.5, 0.5], "offsets": [[0.01, 0.0], [-0.01, 0.0]], "mu": 0.5, "normal_force": 1.0}
    load, velocity, state = solve_contensou(np.diag([1.0, 1.0, 0.0]), [0.2, 0.1, 0.0], **patch)
    np.testing.assert_allclose(load, [-0.2, -0.1, 0.0], atol=1e-12)
    assert state == "stick" and not velocity.any()
    load, velocity, state = solve_contensou(np.diag([1.0, 1.0, 0.0]), [1.0, 0.0, 10.0], **patch)
    assert velocity[2] == 10.0 and state == "slip"
    assert abs(contensou_potential(velocity[:2], velocity[2], **patch) + load @ velocity) <= 1e-10


def test_projection_onto_the_cone_is_the_nearest_point():
    rng = np.random.default_rng(5)
    force, mu = rng.normal(size=(300, 3)), rng.uniform(0, 2, 300)
    projected = project_to_cone(force, mu)
    tangential = np.linalg.norm(projected[:, 1:], axis=1)
    assert (tangential <= mu * projected[:, 0] + 1e-12).all()
    # Moreau: the rest is normal to the projection and in the polar cone.
    rest = force - projected
    np.testing.assert_allclose((rest * projected).sum(axis=1), 0.0, atol=1e-12)
    assert (rest[:, 0] + mu * np.linalg.norm(rest[:, 1:], axis=1) <= 1e-12).all()
    assert {(projected[:, 0] == 0).any(), (rest == 0).all(axis=1).any()} == {True}
    # Without friction the cone is a half-line, which a pull along the normal does not belong to.
    np.testing.assert_array_equal(
        project_to_cone([[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]], 0.0), [[0, 0, 0], [2, 0, 0]]
    )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"shares": [0.5, np.nan]}, "shares"),
        ({"shares": [-0.1, 1.1]}, "shares"),
        ({"shares": []}, "shares"),
        ({"offsets": [[0, 0]]}, "offsets"),
        ({"mu": -0.1}, "mu"),
        ({"mu": np.nan}, "mu"),
        ({"normal_force": np.inf}, "normal_force"),
        ({"compliance": np.full((3, 3), np.nan)}, "compliance"),
        ({"compliance": np.diag([1.0, 1.0, -1.0])}, "compliance"),
        ({"compliance": np.triu(np.ones((3, 3)))}, "compliance"),
        ({"free_velocity": [0.0, 1.0]}, "free_velocity"),
    ],
)
def test_wrong_input_is_refused_by_name(change, named):
    arguments = {
        "compliance": np.eye(3),
        "free_velocity": [1.0, 0.0, 0.0],
        "shares": [0.5, 0.5],
        "offsets": [[1.0, 0.0], [-1.0, 0.0]],
        "mu": 0.5,
        "normal_force": 1.0,
    } | change
    with pytest.raises(ValueError, match=f"^{named}:"):
        solve_contensou(**arguments)
