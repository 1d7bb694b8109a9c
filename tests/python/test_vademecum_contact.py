# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact of a pointshell with a deformed body: depths, action and reaction, nodal loads, friction."""

import numpy as np
import pytest
from small_vademecum import small

from softcontact import _core
from softcontact.vademecum import OnlineField, PenaltyContact, PenaltyLaw, Pointshell

K = 1e7  # [N/m] a point
_DAMPING = 400.0  # of the blocks in the first half of their time [1/s]


def bent(scale=0.7):
    field = OnlineField(small())
    field.load([27], scale)
    return field


def surface_of(field):
    """The core's exact surface of the deformed boundary."""
    mesh = small().mesh
    used, triangles = mesh.boundary
    numbers = np.full(len(mesh.nodes), -1, dtype=np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    moved = mesh.nodes + field.displacements()
    return _core.Surface(np.ascontiguousarray(moved[used]), numbers[triangles])


def cloud(field, count=400, seed=3):
    moved = small().mesh.nodes + field.displacements()
    random = np.random.default_rng(seed)
    return random.uniform(moved.min(axis=0) - 0.02, moved.max(axis=0) + 0.02, (count, 3))


@pytest.mark.parametrize("scale", [0.0, 0.4, 1.0])
def test_depths_and_normals_are_those_of_the_deformed_boundary(scale):
    field = bent(scale)
    points = cloud(field)
    exact = surface_of(field).signed_distance(points)[0]
    contact = PenaltyContact(field, len(points), PenaltyLaw(K))
    count = contact.evaluate(points)
    found = contact.forces
    inside = np.flatnonzero(exact < 0.0)
    assert count == len(inside) > 20
    np.testing.assert_array_equal(found.numbers, inside)
    np.testing.assert_allclose(found.depths, -exact[inside], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found.forces, K * found.depths[:, None] * found.normals, rtol=1e-12)
    np.testing.assert_allclose(
        points[inside] + found.depths[:, None] * found.normals, found.points, atol=1e-12
    )


def test_points_followed_along_a_path_are_those_found_anew():
    """Neither the memory of where a point was last, nor that of how far it was, changes an answer."""
    field = bent(0.0)
    points, way = cloud(field, 60), np.random.default_rng(5)
    contact = PenaltyContact(field, len(points), PenaltyLaw(K))
    touched = 0
    for step in range(60):
        field.load([27], 0.5 + 0.5 * np.sin(0.2 * step))
        points = points + way.normal(0.0, 0.002, points.shape)
        touched += contact.evaluate(points)
        fresh = PenaltyContact(field, len(points), PenaltyLaw(K))
        fresh.evaluate(points)
        np.testing.assert_array_equal(contact.forces.numbers, fresh.forces.numbers)
        np.testing.assert_allclose(contact.forces.depths, fresh.forces.depths, atol=1e-12)
    assert touched > 200


def test_what_the_shell_gets_the_body_gets_back():
    field = bent()
    points = cloud(field)
    contact = PenaltyContact(field, len(points), PenaltyLaw(K, friction=0.4))
    contact.evaluate(points)
    contact.commit()
    contact.evaluate(points + np.array([0.0, 1e-3, 2e-4]))  # friction pulls too
    assert np.abs(contact.forces.slips).max() > 1e-4 and contact.forces.slides.any()
    nodal = contact.nodal_forces()
    moved = small().mesh.nodes + field.displacements()
    centre = np.array([0.1, -0.2, 0.3])
    on_body = np.concatenate([nodal.sum(axis=0), np.cross(moved - centre, nodal).sum(axis=0)])
    on_shell = contact.wrench(centre)
    np.testing.assert_allclose(on_body, -on_shell, rtol=0.0, atol=1e-9 * np.abs(on_shell).max())
    inner = np.setdiff1d(np.arange(len(moved)), small().mesh.boundary[0])
    assert not nodal[inner].any()


def test_points_that_are_no_numbers_touch_nothing_and_come_back():
    field = bent()
    inside = np.tile(small().mesh.nodes[0] + [0.05, 0.02, 0.02], (2, 1))
    contact = PenaltyContact(field, 2, PenaltyLaw(K))
    assert contact.evaluate(inside) == 2
    lost = inside.copy()
    lost[0, 1] = np.nan
    assert contact.evaluate(lost) == 1 and contact.forces.numbers.tolist() == [1]
    assert np.isfinite(contact.wrench()).all()
    assert contact.evaluate(inside) == 2


def test_wrong_laws_and_points_are_refused_by_name():
    field = bent()
    for law, name in (
        (PenaltyLaw(0.0), "stiffness"),
        (PenaltyLaw(np.nan), "stiffness"),
        (PenaltyLaw(K, -0.1), "friction"),
        (PenaltyLaw(K, 0.1, -1.0), "tangential_stiffness"),
    ):
        with pytest.raises(ValueError, match=name):
            PenaltyContact(field, 3, law)
    with pytest.raises(ValueError, match="shell of one point"):
        PenaltyContact(field, 0, PenaltyLaw(K))
    with pytest.raises(ValueError, match=r"points: shape \(2, 3\), expected \(3, 3\)"):
        PenaltyContact(field, 3, PenaltyLaw(K)).evaluate(np.zeros((2, 3)))


def top(field):
    """Middle, normal and downhill direction of a triangle of the deformed upper face, where the beam slopes."""
    mesh = small().mesh
    middles = mesh.nodes[mesh.boundary[1]].mean(axis=1)
    wanted = np.abs(middles - [0.185, 0.0, 0.02]).sum(axis=1).argmin()
    a, b, c = (mesh.nodes + field.displacements())[mesh.boundary[1][wanted]]
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    downhill = np.array([0.0, 0.0, -1.0]) + normal * normal[2]
    return (a + b + c) / 3.0, normal, downhill / np.linalg.norm(downhill)


def block(field, friction, seconds, *, pull=None, weight=100.0):
    """A rigid block of 25 points, 8 mm wide, laid on the deformed beam; it may shift but not turn.

    Returns:
        Its way along the face [m] in the second half of the time, and its contact.
    """
    place, normal, downhill = top(field)
    aside = np.cross(normal, downhill)
    grid = np.linspace(-0.004, 0.004, 5)
    shell = np.array([a * downhill + b * aside for a in grid for b in grid])
    contact = PenaltyContact(field, len(shell), PenaltyLaw(1e5, friction))
    gravity = weight * np.array([0.0, 0.0, -1.0]) if pull is None else -weight * normal + pull * downhill
    mass, step = weight / 9.81, 2e-4
    depth = -gravity @ normal / (1e5 * len(shell))
    at, speed = place - depth * normal, np.zeros(3)
    steps = round(seconds / step)
    for n in range(steps):
        if n == steps // 2:
            start = at.copy()
        contact.evaluate(shell + at)
        force = contact.wrench()[:3] + gravity - (_DAMPING * mass * speed if n < steps // 2 else 0.0)
        contact.commit()
        speed = speed + step * force / mass
        at = at + step * speed
    return float((at - start) @ downhill), contact


def threshold(moves, low, high, rounds):
    for _ in range(rounds):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if moves(middle) else (low, middle)
    return 0.5 * (low + high)


def test_a_block_on_the_deformed_beam_sticks_below_mu_and_slides_above():
    """Resting on the slope: it slides where μ is below the tangent of the face's angle."""
    field = bent(0.9)
    _, normal, _ = top(field)
    tangent = np.hypot(normal[0], normal[1]) / normal[2]
    assert tangent > 0.3
    still, contact = block(field, 1.05 * tangent, 0.2)
    assert abs(still) < 1e-7 and not contact.forces.slides.any()
    slid, contact = block(field, 0.95 * tangent, 0.2)
    assert contact.forces.slides.all()
    # what friction leaves of its weight first drives it against the damper, then freely
    acceleration = 9.81 * normal[2] * 0.05 * tangent
    assert slid == pytest.approx(acceleration * (0.1 / _DAMPING + 0.5 * 0.1**2), rel=0.05)
    found = threshold(lambda mu: block(field, mu, 0.1)[0] > 1e-8, 0.95 * tangent, 1.06 * tangent, 9)
    assert found == pytest.approx(tangent, rel=1e-3)


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_a_block_pulled_along_the_deformed_beam_slides_from_mu_times_its_load(mu):
    field = bent(0.9)
    held, _ = block(field, mu, 0.1, pull=0.98 * mu * 100.0)
    assert abs(held) < 1e-7
    drawn, contact = block(field, mu, 0.1, pull=1.05 * mu * 100.0)
    assert drawn > 1e-5
    force = contact.wrench()[:3]
    _, normal, downhill = top(field)
    assert -force @ downhill == pytest.approx(mu * (force @ normal), rel=0.01)


@pytest.mark.parametrize(
    ("corners", "told"),
    [
        ([[0, 1, 2**32]], r"corners: 4294967296, expected vertex numbers"),
        ([[0, 1, -1]], r"corners: -1, expected vertex numbers"),
        ([[0, 1, 1.7]], r"corners: 1\.7, expected vertex numbers"),
        ([[0, 1, np.inf]], r"corners: inf, expected vertex numbers"),
        ([], r"corners: shape \(0,\), expected \(k, 3\)"),
        ([0, 1, 2], r"corners: shape \(3,\), expected \(k, 3\)"),
    ],
)
def test_corners_that_are_no_vertices_are_refused(corners, told):
    with pytest.raises(ValueError, match=told):
        Pointshell(corners, np.full(np.shape(corners), 1 / 3), np.zeros(len(corners)))
    with pytest.raises(ValueError, match=told.replace("corners", "triangles")):
        Pointshell.over(np.eye(3), corners, 1.0)
    with pytest.raises(ValueError, match=r"shares: shape \(1, 2\), expected \(1, 3\)"):
        Pointshell([[0, 1, 2]], [[0.5, 0.5]], [0.0])
