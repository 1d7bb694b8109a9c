# SPDX-License-Identifier: LGPL-2.1-or-later
"""A body pressed by a pointshell: contact and deformation in equilibrium, far stiffer contact than body too."""

import numpy as np
import pytest
from small_vademecum import NODES, small

from softcontact.vademecum import ContactResponse, FullOrderSolver, OnlineField, PenaltyLaw

TIP = 27  # an upper corner of the free end


def plate(width=0.03):
    """49 points of a rigid plate below which the beam is pressed, about its middle (49, 3) [m]."""
    grid = np.linspace(-0.5 * width, 0.5 * width, 7)
    return np.array([[x, y, 0.0] for x in grid for y in grid])


def pressed(depth, stiffness=1e9, **options):
    """The plate over the free end, pressed in steps; the end's upper face at rest is at z = 0.02."""
    width = options.pop("width", 0.03)
    response = ContactResponse(small(), 49, PenaltyLaw(stiffness, options.pop("friction", 0.0)), **options)
    shell = plate(width) + np.array([0.215, 0.0, 0.02])
    for share in np.linspace(0.1, 1.0, 10):
        status = response.solve(shell - [0.0, 0.0, share * depth])
    return response, status, shell - [0.0, 0.0, depth]


@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
def test_contact_and_deformation_are_in_equilibrium_however_stiff(stiffness):
    response, status, shell = pressed(0.02, stiffness)
    assert status.converged and status.contacts > 5
    forces = response.forces
    # the loads are what the forces make of the nodes, the displacements what the loads predict, and the depths what
    # those leave of the shell
    field = OnlineField(small(), capacity=48)
    cases, sizes = (np.array(x) for x in zip(*response.loads, strict=True))
    positions = cases % len(NODES)
    downward, sideways = sizes[cases < len(NODES)], sizes[cases >= len(NODES)]
    total = forces.forces.sum(axis=0)
    assert downward.sum() * 1e6 == pytest.approx(total[2], rel=1e-3)
    assert sideways.sum() * 1e6 == pytest.approx(-total[1], rel=1e-3, abs=1e-3 * total[2])
    assert set(positions.tolist()) <= set(range(len(NODES)))
    field.native.predict(cases.tolist(), sizes.tolist())
    np.testing.assert_allclose(response.displacements, field.displacements(), atol=1e-12)
    moved = small().mesh.nodes + response.displacements
    corners = moved[small().mesh.boundary[1][forces.triangles]]
    np.testing.assert_allclose(np.einsum("ck,cki->ci", forces.shares, corners), forces.points, atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(shell[forces.numbers] - forces.points, axis=1), forces.depths, atol=1e-12
    )
    if stiffness > 1e9:
        assert forces.depths.max() < 1e-3 * 0.02  # the body yields, not contact


def test_the_body_pushes_back_as_full_finite_elements_do():
    """Forces of contact, put on all nodes of a full-order solution, deflect it as the vademecum is deflected."""
    response, _, _ = pressed(0.03)
    cases = small().cases
    load = sum(size * cases.forces([case])[0] for case, size in response.loads)
    exact = cases.solid.expand(FullOrderSolver(cases.solid).solve(load))
    largest = np.linalg.norm(exact, axis=1).max()
    assert largest > 0.025
    assert np.linalg.norm(response.displacements - exact, axis=1).max() < 0.03 * largest


def test_a_held_load_bends_the_body_before_it_is_touched():
    response = ContactResponse(small(), 49, PenaltyLaw(1e8))
    response.hold([TIP], 0.6)
    far = plate() + np.array([0.215, 0.0, 0.5])
    status = response.solve(far)
    assert status.converged and status.contacts == 0 and not response.loads
    field = OnlineField(small())
    field.load([TIP], 0.6)
    np.testing.assert_allclose(response.displacements, field.displacements(), atol=1e-15)
    tip = small().mesh.nodes[TIP] + response.displacements[TIP]
    assert tip[2] < 0.0
    response.solve(plate() + np.array([0.215, 0.0, tip[2] + 1e-3]))
    before = response.forces
    response.solve(far)
    assert len(before.numbers) < 49 and not response.loads and not response.wrench().any()
    np.testing.assert_allclose(response.displacements, field.displacements(), atol=1e-15)


def test_more_loads_than_room_are_joined_and_none_is_lost():
    many, _, _ = pressed(0.02, 1e7)
    few, status, _ = pressed(0.02, 1e7, capacity=2)
    assert len(few.loads) == 2 < len(many.loads)
    down = [sum(size for case, size in r.loads if case < len(NODES)) for r in (many, few)]
    assert down[1] == pytest.approx(down[0], rel=0.3)
    assert 1e6 * down[1] == pytest.approx(few.forces.forces[:, 2].sum(), rel=1e-3)
    assert status.converged


def test_friction_drags_the_body_along_and_lets_go_at_its_bound():
    response, _, shell = pressed(0.02, 1e8, friction=0.3, width=0.014)
    still = response.displacements[TIP].copy()
    first, converged, sliding = 0.0, 0, []
    for step, way in enumerate(np.linspace(0.0, 0.01, 321)):
        status = response.solve(shell + np.array([0.0, way, 0.0]))
        converged += status.converged
        forces = response.forces
        normal = np.einsum("ci,ci->c", forces.forces, forces.normals)
        along = np.linalg.norm(forces.forces - normal[:, None] * forces.normals, axis=1)
        assert (along <= 0.3 * normal * (1.0 + 1e-9)).all()
        np.testing.assert_allclose(along[forces.slides], 0.3 * normal[forces.slides], rtol=1e-9)
        sliding.append(forces.slides.mean())
        first = response.displacements[TIP, 1] if step == 80 else first
    assert converged >= 310  # not always where points change from sticking to sliding
    assert min(sliding) < 0.5 and sliding[-1] == 1.0
    assert response.displacements[TIP, 1] > first > still[1] + 1e-5  # it goes along


def test_the_deflection_predictor_beats_superposition():
    """Two loads on a bent beam against full finite elements."""
    cases = small().cases
    nodes, scales = [NODES[1], TIP], [0.5, 0.45]
    load = sum(
        scale * cases.forces([NODES.index(node)])[0] for node, scale in zip(nodes, scales, strict=True)
    )
    exact = cases.solid.expand(FullOrderSolver(cases.solid).solve(load))
    field, errors = OnlineField(small()), []
    for predictor in ("superposition", "deflection"):
        field.load(nodes, scales, predictor=predictor)
        wrong = np.linalg.norm(field.displacements() - exact, axis=1).max()
        errors.append(wrong / np.linalg.norm(exact, axis=1).max())
    assert errors[1] < 0.01 and errors[1] < 0.25 * errors[0]
    for predictor in ("superposition", "deflection"):  # one load: the same
        field.load([TIP], 0.7, predictor=predictor)
        expected = small().solution.displacement(NODES.index(TIP), 0.7)
        np.testing.assert_allclose(field.displacements(), expected, atol=1e-14)
    with pytest.raises(ValueError, match="expected superposition or deflection"):
        field.load([TIP], predictor="guess")


def test_wrong_numbers_are_refused_by_name():
    for options, name in (
        ({"capacity": 0}, "capacity"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"modes": 99}, "modes"),
    ):
        with pytest.raises(ValueError, match=name):
            ContactResponse(small(), 3, PenaltyLaw(1e6), **options)
    response = ContactResponse(small(), 3, PenaltyLaw(1e6))
    with pytest.raises(ValueError, match="clamped"):
        response.hold([0])
    with pytest.raises(ValueError, match="finite sizes"):
        response.hold([TIP], np.nan)
    with pytest.raises(ValueError, match="at most 16"):
        response.hold([TIP] * 17)
    with pytest.raises(ValueError, match="points: shape"):
        response.solve(np.zeros((2, 3)))


@pytest.mark.parametrize("body", [9, -1])
def test_a_body_that_is_not_there_is_refused_by_name(body):
    response = ContactResponse(small(), 3, PenaltyLaw(1e6))
    with pytest.raises(ValueError, match=f"body: {body}, expected its number"):
        response.hold([0], body=body)
