# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two bodies of vademecums press each other and both give way."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from small_vademecum import NODES, small

from softcontact.haptics import HandScript, HapticSession, SafetySettings, SimulatedDevice, ThreadSettings
from softcontact.vademecum import ContactResponse, PairResponse, PenaltyLaw, Pointshell, VademecumLaw
from softcontact.vademecum.response import ResponseStatus

TURNED = (
    0.0,
    1.0,
    0.0,
    0.0,
)  # half a turn about y: clamped at the other end, below the first, top towards it
PLACE = np.array([0.38, 0.003, -0.025])  # pressed together by 15 mm


def shell(spacing=0.02):
    mesh = small().mesh
    return Pointshell.over(mesh.nodes, mesh.boundary[1], spacing)


def pair(friction=0.0, stiffness=1e8, **options):
    options = {"tolerance": 1e-9, "max_iterations": 60} | options
    return PairResponse(small(), small(), shell(), PenaltyLaw(stiffness, friction), **options)


def pressed(response, to=PLACE, steps=41):
    """Together from 5 mm apart."""
    status = None
    for share in np.linspace(0.0, 1.0, steps):
        status = response.solve(to - [0.0, 0.0, 0.02 * (1.0 - share)], TURNED)
    return status


def test_the_equilibrium_is_the_one_that_another_solver_found():
    """Numbers of a Newton method of its own in Python that this one took the place of."""
    response = pair()
    assert pressed(response).converged
    np.testing.assert_allclose(
        response.wrench()[:3], [14425.8306, 221.081248, -259794.719], rtol=2e-6, atol=0.1
    )
    tips = response.displacements_of(0)[27], response.displacements_of(1)[27]
    np.testing.assert_allclose(tips[0], [-1.12242950e-03, -8.38248111e-05, 1.03456653e-02], atol=2e-8)
    np.testing.assert_allclose(tips[1], [-1.13186425e-03, -1.21350048e-05, 1.03381997e-02], atol=2e-8)


def test_forces_on_both_bodies_are_opposite_and_make_their_loads():
    response = pair(friction=0.2)
    assert pressed(response).converged
    total = response.forces.forces.sum(axis=0)
    np.testing.assert_allclose(total, response.wrench()[:3], rtol=1e-12)
    directions, turn = small().cases.directions, Rotation.from_quat(TURNED)
    for body, force in ((0, -total), (1, turn.inv().apply(total))):
        sizes = np.zeros(len(directions))
        for case, size in response.loads_of(body):
            sizes[case // len(NODES)] += size
        # clamped nodes take none here; of the directions, down and sideways, the third part moves no body
        np.testing.assert_allclose(
            1e6 * sizes, directions @ force, rtol=1e-6, atol=1e-6 * np.linalg.norm(total)
        )


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_neither_body_comes_before_the_other(friction):
    """With shells on both, exchanging them exchanges the answers."""
    first, second = pair(friction, 5e7, first_shell=shell()), pair(friction, 5e7, first_shell=shell())
    place, turn = PLACE + np.array([0.004, 0.0, 0.0]), Rotation.from_quat(TURNED)
    back = turn.inv()
    for share in np.linspace(0.0, 1.0, 21):
        at = place - [0.0, 0.0, 0.02 * (1.0 - share)]
        one = first.solve(at, TURNED)
        two = second.solve(-back.apply(at), back.as_quat())
        assert one.converged and two.converged and one.contacts == two.contacts
    assert one.contacts > 30
    scale = np.abs(first.displacements_of(0)).max()
    for body in (0, 1):
        np.testing.assert_allclose(
            first.displacements_of(body), second.displacements_of(1 - body), atol=1e-7 * scale
        )
    np.testing.assert_allclose(
        back.apply(first.wrench()[:3]), -second.wrench()[:3], atol=1e-6 * np.linalg.norm(first.wrench()[:3])
    )


def test_a_second_body_gives_way_where_a_rigid_one_does_not():
    soft, hard = pair(), ContactResponse(small(), len(shell()), PenaltyLaw(1e8))
    rest = Rotation.from_quat(TURNED).apply(shell().points(small().mesh.nodes))
    for share in np.linspace(0.0, 1.0, 21):
        at = PLACE - [0.0, 0.0, 0.02 * (1.0 - share)]
        soft.solve(at, TURNED)
        assert hard.solve(rest + at).converged
    # two springs in a row are less than half as stiff as one, if that touches at its end as the other does
    assert 0.0 < soft.wrench()[2] / hard.wrench()[2] < 0.5


@pytest.mark.parametrize(
    ("friction", "stiffness", "sticks"),
    [(0.5, 3e6, True), (0.02, 3e6, False), (0.05, 1e7, False), (0.05, 1e8, False)],
)
def test_friction_holds_the_beams_below_its_bound_and_lets_them_slide_above(friction, stiffness, sticks):
    """Drawn aside by 2 mm, which without sliding would take a quarter of the normal force."""
    response = pair(friction, stiffness)
    assert pressed(response).converged
    for way in np.linspace(0.0, 2e-3, 11):
        assert response.solve(PLACE + np.array([0.0, way, 0.0]), TURNED).converged
    forces = response.forces
    along = np.einsum("ci,ci->c", forces.forces, forces.normals)
    across = np.linalg.norm(forces.forces - along[:, None] * forces.normals, axis=1)
    assert (across <= friction * along * (1.0 + 1e-9)).all()
    total = response.wrench()[:3]
    assert total[1] < 0.0  # against the way
    if sticks:
        assert not forces.slides[along > 0.2 * along.max()].any()
    else:
        assert forces.slides.mean() > 0.6
        assert across.sum() == pytest.approx(friction * along.sum(), rel=0.05)


def test_pressed_and_drawn_around_a_loop_the_bodies_give_no_energy():
    """The work that the second body's clamp does over closed ways: nothing where nothing slides, never less."""
    for friction, least in ((0.0, -1e-3), (0.3, 0.0)):
        response, work, stored = pair(friction, 1e7), 0.0, 0.0
        angles = np.linspace(0.0, 4.0 * np.pi, 241)
        way = PLACE + np.column_stack(
            [0.002 * np.sin(angles), 0.002 * np.sin(2.0 * angles), 0.004 * np.cos(angles) - 0.004]
        )
        pressed(response, way[0])
        before = response.wrench()[:3]
        for now, then in zip(way[1:], way[:-1], strict=True):
            assert response.solve(now, TURNED).converged
            after = response.wrench()[:3]
            done = -0.5 * (before + after) @ (now - then)
            work, before = work + done, after
            stored += abs(done)
        assert work > least * stored
        assert friction == 0.0 or work > 0.01 * stored  # what slides takes some


def test_a_device_holds_the_second_body():
    law = VademecumLaw(small(), shell(), PenaltyLaw(2e6, 0.3), second=small(), force_scale=1e-5, damping=2.0)
    turns = [TURNED] * 4
    hand = HandScript([0.0, 0.2, 0.5, 0.7], [(0.38, 0.0, z) for z in (-0.05, -0.025, -0.025, -0.06)], turns)
    device = SimulatedDevice(hand, max_force=50.0, max_torque=5.0)
    steps = ThreadSettings(
        real_time=False,
        safety=SafetySettings(max_force=50.0, max_torque=5.0, max_force_rate=1e6, fade_in=1e-3),
    )
    rows = []
    with HapticSession(device, law, steps, clock="simulated") as held:
        for _ in range(800):
            held.publish(law.data(), 0.05)
            held.tick()
            rows.append(held.readout())
    told = [VademecumLaw.told(row["law"]) for row in rows]
    assert told[0]["contacts"] == told[-1]["contacts"] == 0 and told[450]["contacts"] >= 3
    assert sum(t["converged"] for t in told) > 0.98 * len(told)
    held = told[450]
    assert held["second_loads"] and held["loads"]
    down = 1e6 * sum(size for case, size in held["loads"] if case < len(NODES))
    assert down == pytest.approx(held["wrench"][2], rel=2e-2)
    assert rows[-1]["energy"] > -1e-3  # the hand gets no more than it gives


def test_wrong_numbers_are_refused_by_name():
    response = pair()
    with pytest.raises(ValueError, match="position, orientation"):
        response.solve([0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="position, orientation"):
        response.solve([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="clamped"):
        response.hold([0], body=1)
    with pytest.raises(ValueError, match="shell: there is no such"):
        _ = response.back_forces
    nowhere = Pointshell(np.full((1, 3), 999), np.full((1, 3), 1 / 3), np.ones(1))
    with pytest.raises(ValueError, match="shell: expected nodes of the body"):
        PairResponse(small(), small(), nowhere, PenaltyLaw(1e6))
    with pytest.raises(ValueError, match="expected a Pointshell"):
        VademecumLaw(small(), np.zeros((3, 3)), PenaltyLaw(1e6), second=small()).build()
    assert isinstance(response.solve([1.0, 0.0, 0.0]), ResponseStatus)
