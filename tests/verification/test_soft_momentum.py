# SPDX-License-Identifier: LGPL-2.1-or-later
"""Free soft bodies: momenta, parabola, spin, energy, and what the midpoint rule keeps of a vibration."""

import numpy as np
import pytest
import scipy.linalg
from test_tetrahedral import box

from softcontact.bodies.material import Material
from softcontact.bodies.tetrahedral import TetrahedralModel
from softcontact.engines import make_engine
from softcontact.scene import (
    Box,
    ContactSettings,
    KinematicBody,
    Region,
    Scene,
    TetrahedralBody,
    TetrahedralBox,
)
from softcontact.scene import Material as SceneMaterial

INTEGRATORS = ("implicit-euler", "midpoint")
GRAVITY = np.array([0.0, 0.0, -9.81])


def brick(young=1e5, size=(0.1, 0.06, 0.04)):
    nodes, tetrahedra = box((3, 2, 2), size)
    nodes = nodes - nodes.mean(axis=0)
    return nodes, TetrahedralModel(nodes, tetrahedra, Material(young, 0.4, 900.0))


def own_spin(body):
    """Angular momentum about the centre of mass."""
    return body.angular_momentum - np.cross(body.center_of_mass, body.momentum)


def fly(body, h, steps, gravity=GRAVITY):
    still = np.zeros_like(body.positions)
    for _ in range(steps):
        assert body.begin_step(h, gravity, still), body.status
        assert body.finish(still), body.status
        yield


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("young", [2e4, 1e6])
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("origin", [0.0, 1000.0])
def test_spinning_strained_body_keeps_its_momenta_and_falls_along_the_parabola(
    integrator, young, damping, origin
):
    nodes, model = brick(young)
    body = model.dynamics(rayleigh_stiffness=damping, integrator=integrator)
    start = np.array([0.1, 0.2, 3.0])
    body.set_state(
        nodes * [1.05, 0.96, 1.02] + [origin, 0, 0],
        np.cross([2.0, 15.0, 4.0], nodes) + [0, 0.3, 0] * nodes + start,
    )
    h, steps = 0.005, 400
    centre, momentum, spin = body.center_of_mass, body.momentum, own_spin(body)
    mass = 900.0 * 0.1 * 0.06 * 0.04
    for _ in fly(body, h, steps):
        pass
    t = h * steps
    # At 1 km the positions themselves have 1e-13 m only, 1e-12 of a side of the body, each step anew.
    bound = 1e-10 if origin == 0.0 else 1e-8
    assert np.linalg.norm(own_spin(body) - spin) < bound * np.linalg.norm(spin)
    np.testing.assert_allclose(body.momentum, momentum + mass * t * GRAVITY, rtol=1e-10, atol=1e-10 * mass)
    fallen = centre + t * momentum / mass + 0.5 * t * t * GRAVITY
    np.testing.assert_allclose(body.center_of_mass, fallen, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stiff_body_tumbles_without_gain_of_energy(integrator):
    # About the middle axis, which is unstable: it turns over several times.
    nodes, model = brick(1e7)
    body = model.dynamics(rayleigh_stiffness=0.01, integrator=integrator)
    body.set_state(nodes, np.cross([1.0, 30.0, 0.5], nodes))
    energy = body.kinetic_energy
    least, most = energy, energy
    for _ in fly(body, 0.005, 1000, np.zeros(3)):
        now = body.kinetic_energy + body.elastic_energy
        least, most = min(least, now), max(most, now)
    assert most < 1.01 * energy
    assert least > 0.95 * energy


def test_spin_stretches_a_body_by_the_centrifugal_force_alone():
    # A slender bar that turns about its middle: end to end it grows by rho omega^2 L^3 / (12 E).
    length, young, rate = 0.2, 2e5, 20.0
    nodes, tetrahedra = box((10, 1, 1), (length, 0.01, 0.01))
    nodes = nodes - nodes.mean(axis=0)
    body = TetrahedralModel(nodes, tetrahedra, Material(young, 0.0, 900.0)).dynamics(rayleigh_stiffness=0.01)
    body.set_state(nodes, np.cross([0.0, 0.0, rate], nodes))
    for _ in fly(body, 0.005, 600, np.zeros(3)):
        pass
    ends = [np.isclose(nodes[:, 0], side * length / 2) for side in (-1, 1)]
    grown = np.linalg.norm(np.subtract(*(body.positions[end].mean(axis=0) for end in ends))) - length
    reached = np.linalg.norm(own_spin(body)) / (900.0 * 1e-4 * length * (length + grown) ** 2 / 12)
    assert reached == pytest.approx(rate, rel=0.05)
    assert grown == pytest.approx(900.0 * rate**2 * length**3 / (12 * young), rel=0.1)


def test_answer_to_an_impulse_has_its_momenta_and_is_symmetric():
    nodes, model = brick(1e5)
    body = model.dynamics(rayleigh_stiffness=0.01)
    x = nodes * [1.2, 0.9, 0.9] + [0.3, 0.2, 0.1]
    body.set_state(x, np.zeros_like(x))
    assert body.begin_step(0.005, GRAVITY, np.zeros_like(x))
    impulses = np.random.default_rng(4).normal(size=(x.size, 5))
    answers = body.solve(impulses)
    mass = np.repeat(model.mass, 3)[:, None]
    given, got = impulses.reshape(-1, 3, 5), (mass * answers).reshape(-1, 3, 5)
    scale = np.abs(given).sum()
    np.testing.assert_allclose(got.sum(axis=0), given.sum(axis=0), atol=1e-13 * scale)
    arms = (x - np.average(x, axis=0, weights=model.mass))[:, :, None]
    moments = [np.cross(arms, p, axisa=1, axisb=1, axisc=1).sum(axis=0) for p in (got, given)]
    np.testing.assert_allclose(*moments, atol=1e-14 * scale)
    compliance = impulses.T @ answers
    np.testing.assert_allclose(compliance, compliance.T, rtol=1e-10, atol=1e-12 * np.abs(compliance).max())
    assert np.linalg.eigvalsh(compliance).min() > 0


def soft_cube(side=0.05, divisions=3, **place):
    return TetrahedralBody(
        shape=TetrahedralBox(size=(side,) * 3, divisions=(divisions,) * 3),
        material=SceneMaterial(young=2e5, poisson=0.4),
        **place,
    )


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_default_material_does_not_brake_a_thrown_body(integrator):
    scene = Scene(
        name="thrown",
        duration=2.0,
        gravity=(0, 0, 0),
        integrator=integrator,
        bodies=[soft_cube(name="a", velocity=(1, 0, 0))],
    )
    engine = make_engine(scene)
    start = np.array(engine.vertices("a")).mean(axis=0)
    for _ in range(400):
        engine.step()
    moved = np.array(engine.vertices("a")).mean(axis=0) - start
    np.testing.assert_allclose(moved, [2.0, 0, 0], atol=1e-10)


def test_soft_body_slides_without_friction_as_it_was_thrown():
    table = KinematicBody(name="t", shape=Box(size=(6, 1, 0.1)), position=(0, 0, -0.05), friction=0.0)
    scene = Scene(
        name="slide",
        duration=1.0,
        bodies=[soft_cube(name="a", velocity=(1, 0, 0), position=(0, 0, 0.0252), friction=0.0), table],
        contact=ContactSettings(friction=0.0),
    )
    engine = make_engine(scene)
    places = []
    for _ in range(200):
        engine.step()
        places.append(np.array(engine.vertices("a"))[:, 0].mean())
    assert (places[-1] - places[-2]) / 0.005 == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("steps_a_period", [40, 20])
def test_midpoint_keeps_the_vibration_of_a_bar(steps_a_period):
    length = 0.1
    nodes, tetrahedra = box((8, 1, 1), (length, 0.02, 0.02))
    fixed = np.flatnonzero(nodes[:, 0] < nodes[:, 0].min() + 1e-9)
    model = TetrahedralModel(nodes, tetrahedra, Material(1e5, 0.0, 1000.0), fixed=fixed)
    lower = model.stiffness(nodes, exact=False).toarray()
    free = np.setdiff1d(np.arange(nodes.size), (3 * fixed[:, None] + np.arange(3)).ravel())
    full = (lower + np.tril(lower, -1).T)[np.ix_(free, free)]
    mass = np.repeat(model.mass, 3)[free]
    squares, modes = scipy.linalg.eigh(full, np.diag(mass))
    along = [np.abs(mode[free % 3 == 0]).max() / np.abs(mode).max() for mode in modes.T]
    pick = next(k for k in range(len(squares)) if along[k] > 0.99)  # the first one that stretches
    assert 2 * np.pi / np.sqrt(squares[pick]) == pytest.approx(4 * length / np.sqrt(1e5 / 1000.0), rel=0.02)
    shape = np.zeros(nodes.size)
    shape[free] = modes[:, pick] * 1e-5 / np.abs(modes[:, pick]).max()
    body = model.dynamics(integrator="midpoint")
    body.set_state(nodes + shape.reshape(-1, 3), np.zeros_like(nodes))
    energy, amplitudes = body.elastic_energy, []
    h = 2 * np.pi / np.sqrt(squares[pick]) / steps_a_period
    for _ in fly(body, h, 5 * steps_a_period + 5, np.zeros(3)):
        moved = (body.positions - nodes).ravel()[free]
        amplitudes.append(moved @ (mass * shape[free]) / (shape[free] @ (mass * shape[free])))
        assert body.kinetic_energy + body.elastic_energy == pytest.approx(energy, rel=1e-3)
    assert np.max(np.abs(amplitudes[-steps_a_period:])) > 0.98


@pytest.mark.parametrize("young", [2e4, 1e6, 1e7])
@pytest.mark.parametrize("strain", [0.005, 0.05])
@pytest.mark.parametrize("held", [False, True])
def test_midpoint_never_adds_energy_to_a_strained_body(young, strain, held):
    nodes, tetrahedra = box((3, 2, 2), (0.1, 0.06, 0.04))
    nodes = nodes - nodes.mean(axis=0)
    fixed = np.flatnonzero(nodes[:, 0] < -0.049) if held else ()
    model = TetrahedralModel(nodes, tetrahedra, Material(young, 0.4, 900.0), fixed=fixed)
    body = model.dynamics(integrator="midpoint")
    x = nodes * (1 + strain * np.array([1.0, -0.8, 0.4]))
    if held:
        x[fixed] = nodes[fixed]
    body.set_state(x, np.cross([2.0, 15.0, 4.0], nodes))
    energy, spin = body.kinetic_energy + body.elastic_energy, own_spin(body)
    for _ in fly(body, 0.005, 400, np.zeros(3)):
        assert body.kinetic_energy + body.elastic_energy < 1.002 * energy
    assert body.inverted_count == 0
    if not held:
        assert np.linalg.norm(own_spin(body) - spin) < 1e-10 * np.linalg.norm(spin)


@pytest.mark.parametrize("model", ["point", "aggregate"])
def test_midpoint_gains_no_energy_from_contact(model):
    table = KinematicBody(name="t", shape=Box(size=(1, 1, 0.1)), position=(0, 0, -0.05))
    cube = soft_cube(
        name="a", position=(0, 0, 0.08), orientation=(0.2588, 0, 0, 0.9659), velocity=(0.3, 0, -0.5)
    )
    cube = cube.model_copy(update={"material": SceneMaterial(young=3e4, poisson=0.3, rayleigh_stiffness=0.0)})
    scene = Scene(
        name="drop",
        duration=2.0,
        time_step=0.002,
        integrator="midpoint",
        bodies=[cube, table],
        contact=ContactSettings(model=model),
    )
    engine = make_engine(scene)
    start = sum(engine.energies().values())
    peaks = []
    for _ in range(1000):
        engine.step()
        peaks.append(sum(engine.energies().values()))
    # What the linearised rule may gain in flight is far below what a fall of a millimetre gives.
    assert max(peaks) < start + 1000 * 0.05**3 * 9.81 * 1e-3


def test_cantilever_of_a_scene_keeps_swinging_with_midpoint():
    left = {}
    for integrator in INTEGRATORS:
        bar = TetrahedralBody(
            name="b",
            shape=TetrahedralBox(size=(0.1, 0.02, 0.02), divisions=(8, 1, 1)),
            material=SceneMaterial(young=1e5, poisson=0.0, rayleigh_stiffness=0),
            fixed_region=Region(low=(-0.05 - 1e-9, -1, -1), high=(-0.05 + 1e-9, 1, 1)),
        )
        period = 4 * 0.1 / np.sqrt(1e5 / 1000)
        scene = Scene(
            name="bar",
            duration=1.0,
            time_step=0.001,
            gravity=(5.0, 0, 0),
            bodies=[bar],
            integrator=integrator,
        )
        engine = make_engine(scene)
        kinetic = []
        for _ in range(int(5 * period / 0.001)):
            engine.step()
            kinetic.append(engine.energies()["kinetic"])
        n = int(period / 0.001)
        left[integrator] = np.sqrt(max(kinetic[4 * n :]) / max(kinetic[:n]))
    assert left["midpoint"] > 0.95
    assert left["implicit-euler"] < 0.5


@pytest.mark.parametrize("young", [1e5, 1e7])
@pytest.mark.parametrize("turn", [0.05, 0.3])
def test_a_blow_that_sets_a_body_spinning_does_not_strain_it(young, turn):
    """Its points go along arcs in the step of the blow too; along chords they gain E ω⁴ h⁴ V / 8 and more."""
    h = 0.01
    nodes, model = brick(young)
    body = model.dynamics(rayleigh_stiffness=0.01)
    body.set_state(nodes, np.zeros_like(nodes))
    assert body.begin_step(h, np.zeros(3), np.zeros_like(nodes))
    blow = model.mass[:, None] * np.cross([0.0, 0.3 * turn / h, turn / h], nodes)
    assert body.finish(body.solve(blow.reshape(-1, 1)).reshape(-1, 3))
    np.testing.assert_allclose(own_spin(body), np.cross(nodes, blow).sum(axis=0), rtol=1e-10, atol=1e-14)
    assert body.elastic_energy < 1e-3 * body.kinetic_energy
