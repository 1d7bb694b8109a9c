# SPDX-License-Identifier: LGPL-2.1-or-later
"""Articulated bodies against an independent reference, the laws of mechanics, and Pinocchio."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from softcontact.bench.peers.pinocchio import model_of
from softcontact.bodies.articulated import ArticulatedModel

REFERENCE = json.loads((Path(__file__).parent / "data" / "aba_spherical_chain.json").read_text())
JOINTS = ["free", "revolute", "universal", "spherical", "prismatic", "fixed", "free"]
VELOCITY_SIZES = {"free": 6, "revolute": 1, "universal": 2, "spherical": 3, "prismatic": 1, "fixed": 0}
SEEDS = range(4)


def reference_chain():
    return ArticulatedModel.chain(
        [
            {
                "joint": "spherical",
                "mass": body["m"],
                "inertia": body["I"],
                "com": -np.array(body["prox"]),
                "next": np.subtract(body["dist"], body["prox"]),
            }
            for body in REFERENCE["bodies"]
        ],
        base=REFERENCE["base"],
        gravity=REFERENCE["gravity"],
    )


def reference_state(state):
    quaternions = np.array(state["q_rel_wxyz"])[:, [1, 2, 3, 0]]
    return quaternions.ravel(), np.ravel(state["w_rel_child"]), np.ravel(state["tau_child"])


def random_inertia(rng, mass):
    """Inertia of a box, so that the triangle inequality holds, in random axes."""
    a, b, c = rng.uniform(0.05, 0.3, 3)
    axes = Rotation.random(rng=rng).as_matrix()
    return axes @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ axes.T * mass / 12


def random_links(seed, joints=JOINTS):
    """A tree with all joint types, in depth-first order as Pinocchio needs it."""
    rng = np.random.default_rng(seed)
    links, branch = [], [-1]
    for index, joint in enumerate([*rng.permutation(joints), *rng.choice(joints, 5)]):
        branch = branch[: rng.integers(1, len(branch) + 1)] if index % 3 == 0 else branch
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        axis2 = np.cross(axis, rng.normal(size=3))
        mass = rng.uniform(0.2, 2.0)
        links.append(
            {
                "name": f"link{index}",
                "parent": branch[-1],
                "joint": str(joint),
                "axis": axis,
                "axis2": axis2 / np.linalg.norm(axis2),
                "position": rng.uniform(-0.3, 0.3, 3),
                "orientation": Rotation.random(rng=rng).as_quat(),
                "mass": mass,
                "com": rng.uniform(-0.1, 0.1, 3),
                "inertia": random_inertia(rng, mass),
                "armature": rng.uniform(0.0, 0.2, VELOCITY_SIZES[joint]),
            }
        )
        branch = [*branch, index]
    return links


def random_tree(seed):
    """Model, q, v, tau and a wrench a link."""
    model = ArticulatedModel(random_links(seed), gravity=(1.0, -2.0, -9.0))
    rng = np.random.default_rng(100 + seed)
    q = model.integrate(model.neutral(), rng.normal(size=model.nv))
    v, tau = rng.normal(size=(2, model.nv))
    return model, q, v, tau, rng.normal(size=(len(model.links), 6))


@pytest.mark.parametrize("index", range(3))
def test_spherical_chain_matches_the_reference(index):
    model, state = reference_chain(), REFERENCE["states"][index]
    q, v, tau = reference_state(state)
    expected = np.ravel(state["qdd_child_components"])
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.kinetic_energy(q, v), state["T"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.potential_energy(q), state["V"], rtol=0, atol=1e-12)
    for link in range(3):
        np.testing.assert_allclose(model.link_pose(q, link)[0], state["R_world"][link], rtol=0, atol=1e-12)


def total_energy(model, q, v):
    return model.kinetic_energy(q, v) + model.potential_energy(q)


def step_semi_implicit(model, q, v, step):
    v = v + step * model.forward_dynamics(q, v, np.zeros(model.nv))
    return model.integrate(q, step * v), v


def step_runge_kutta(model, q, v, step):
    """Classical fourth order on the quaternions' entries; only for chains of spherical joints."""

    def rate(x):
        quaternions = x[: model.nq].reshape(-1, 4)
        unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
        velocity = x[model.nq :]
        turning = np.hstack([velocity.reshape(-1, 3), np.zeros((len(unit), 1))])
        acceleration = model.forward_dynamics(unit.ravel(), velocity, np.zeros(model.nv))
        return np.concatenate([0.5 * quaternion_product(unit, turning).ravel(), acceleration])

    x = np.concatenate([q, v])
    k1 = rate(x)
    k2 = rate(x + 0.5 * step * k1)
    k3 = rate(x + 0.5 * step * k2)
    k4 = rate(x + step * k3)
    x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return model.integrate(x[: model.nq], np.zeros(model.nv)), x[model.nq :]


def quaternion_product(a, b):
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.hstack([vector, a[:, 3:] * b[:, 3:] - np.sum(a[:, :3] * b[:, :3], axis=1, keepdims=True)])


def energy_drift(stepper, start, step):
    model = reference_chain()
    q, v, _ = reference_state(REFERENCE["states"][0])
    v = v if start == "moving" else np.zeros_like(v)
    before = total_energy(model, q, v)
    np.testing.assert_allclose(before, REFERENCE["energy_drift_J"][f"{start}_E0"], rtol=1e-13)
    for _ in range(round(2.0 / step)):
        q, v = stepper(model, q, v, step)
    return total_energy(model, q, v) - before


@pytest.mark.parametrize("start", ["rest_random", "moving"])
@pytest.mark.parametrize("step", [1e-3, 5e-4])
def test_semi_implicit_energy_drift_is_the_references(start, step):
    # Maps q ⊕ h v that differ in the third order of h differ in the drift by O(h) of it.
    expected = REFERENCE["energy_drift_J"][f"{start}_semi_dt{step}_T2s"]
    assert energy_drift(step_semi_implicit, start, step) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("start", ["rest_random", "moving"])
def test_fourth_order_steps_conserve_energy_as_the_reference(start):
    expected = abs(REFERENCE["energy_drift_J"][f"{start}_rk4_dt0.001_T2s"])
    drift = abs(energy_drift(step_runge_kutta, start, 1e-3))
    assert drift < 3 * expected


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_dynamics_invert_the_mass_matrix(seed):
    model, q, v, tau, wrenches = random_tree(seed)
    applied = tau.copy()
    for link, wrench in enumerate(wrenches):
        applied += model.generalized_force(q, link, np.zeros(3), wrench[:3], wrench[3:])
    expected = np.linalg.solve(model.mass_matrix(q), applied - model.bias_force(q, v))
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau, wrenches), expected, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_factorised_mass_solves_with_an_added_diagonal(seed):
    model, q, v, load, _ = random_tree(seed)
    diagonal = np.abs(v)
    expected = np.linalg.solve(model.mass_matrix(q) + np.diag(diagonal), load)
    np.testing.assert_allclose(model.solve_mass(q, load, diagonal), expected, rtol=1e-10, atol=1e-9)
    bare = np.linalg.solve(model.mass_matrix(q), load)
    np.testing.assert_allclose(model.solve_mass(q, load), bare, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_of_contact_points_is_that_of_jacobians_and_mass(seed):
    model, q, _, diagonal, _ = random_tree(seed)
    diagonal = np.abs(diagonal)
    rng = np.random.default_rng(200 + seed)
    links = [int(link) for link in rng.integers(0, len(model.links), 12)] + [0, 0, 3, 0]
    points = 0.3 * rng.normal(size=(len(links), 3))
    jacobian = np.vstack([model.jacobian(q, link, point) for link, point in zip(links, points, strict=True)])
    for added in (None, diagonal):
        mass = model.mass_matrix(q) + (0.0 if added is None else np.diag(added))
        expected = jacobian @ np.linalg.solve(mass, jacobian.T)
        found = model.contact_inertia(q, links, points, added)
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_power_of_the_joint_forces_is_the_energy_rate(seed):
    model, q, v, tau, _ = random_tree(seed)
    acceleration = model.forward_dynamics(q, v, tau)

    def energy_rate(step):
        before, after = (
            total_energy(model, model.integrate(q, s * v + 0.5 * s * s * acceleration), v + s * acceleration)
            for s in (-step, step)
        )
        return (after - before) / (2 * step)

    # Richardson's extrapolation leaves round-off, 1e-16/step of some 100 J, as the larger error.
    rate = (4 * energy_rate(1e-5) - energy_rate(2e-5)) / 3
    assert rate == pytest.approx(tau @ v, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_gives_the_kinetic_energy(seed):
    model, q, v, _, _ = random_tree(seed)
    mass = model.mass_matrix(q)
    np.testing.assert_array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass)[0] > 0
    assert 0.5 * v @ mass @ v == pytest.approx(model.kinetic_energy(q, v), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_are_derivatives_of_the_pose(seed):
    model, q, v, _, wrenches = random_tree(seed)
    step = 1e-6
    for link, wrench in enumerate(wrenches):
        point, force, torque = 0.2 * wrench[:3], wrench[3:], wrench[:3]
        jacobian = model.jacobian(q, link, point)
        angular = model.angular_jacobian(q, link)
        for dof, direction in enumerate(np.eye(model.nv)):
            (r1, p1), (r0, p0) = (
                model.link_pose(model.integrate(q, s * direction), link) for s in (step, -step)
            )
            np.testing.assert_allclose(
                jacobian[:, dof], (r1 @ point + p1 - r0 @ point - p0) / (2 * step), rtol=0, atol=1e-8
            )
            turn = Rotation.from_matrix(r1 @ r0.T).as_rotvec() / (2 * step)
            np.testing.assert_allclose(angular[:, dof], turn, rtol=0, atol=1e-8)
        np.testing.assert_allclose(model.point_velocity(q, v, link, point), jacobian @ v, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            model.generalized_force(q, link, point, force, torque),
            jacobian.T @ force + angular.T @ torque,
            rtol=0,
            atol=1e-12,
        )


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.99e-4, 1.01e-4, 1.99e-4, 2.01e-4, 0.0999, 0.1001, 1.0, 3.1])
def test_free_joint_integrates_a_constant_twist(angle):
    rng = np.random.default_rng(7)
    model = ArticulatedModel([{"joint": "free", "mass": 1.0, "inertia": np.eye(3)}])
    start = Rotation.random(rng=rng)
    q = np.concatenate([rng.normal(size=3), start.as_quat()])
    axis = rng.normal(size=3)
    twist = np.concatenate([rng.normal(size=3), angle * axis / np.linalg.norm(axis)])
    x, y, z = twist[3:]
    generator = np.zeros((4, 4))
    generator[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    generator[:3, 3] = twist[:3]
    motion = expm(generator)
    reached = model.integrate(q, twist)
    np.testing.assert_allclose(reached[:3], q[:3] + start.apply(motion[:3, 3]), rtol=0, atol=3e-15)
    turned = Rotation.from_quat(reached[3:]).as_matrix()
    np.testing.assert_allclose(turned, start.as_matrix() @ motion[:3, :3], rtol=0, atol=3e-15)
    back = model.difference(q, reached)
    np.testing.assert_allclose(back[3:], twist[3:], rtol=0, atol=3e-15)
    np.testing.assert_allclose(back[:3], twist[:3], rtol=0, atol=2e-14)


def test_quaternions_stay_unit_over_many_large_steps():
    model = ArticulatedModel(random_links(3))
    rng = np.random.default_rng(0)
    q = model.neutral()
    for _ in range(500):
        q = model.integrate(q, 3 * rng.normal(size=model.nv))
    for link in model.links:
        if link["joint"] in ("spherical", "free"):
            start = link["q_offset"] + (3 if link["joint"] == "free" else 0)
            assert np.linalg.norm(q[start : start + 4]) == pytest.approx(1.0, abs=4e-16)


def test_dynamics_do_not_depend_on_the_scale_of_round_off_in_a_quaternion():
    model, q, v, tau, _ = random_tree(1)
    scaled = q.copy()
    for link in model.links:
        if link["joint"] == "spherical":
            scaled[link["q_offset"] : link["q_offset"] + 4] *= -1.0005
    expected = model.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(model.forward_dynamics(scaled, v, tau), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_trees_agree_with_pinocchio(seed):
    pin = pytest.importorskip("pinocchio")
    model, q, v, tau, _ = random_tree(seed)
    peer = model_of(pin, random_links(seed), gravity=(1.0, -2.0, -9.0))
    data = peer.createData()
    mass = np.triu(pin.crba(peer, data, q))
    np.testing.assert_allclose(model.mass_matrix(q), mass + np.triu(mass, 1).T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        model.bias_force(q, v), pin.nonLinearEffects(peer, data, q, v), rtol=1e-11, atol=1e-11
    )
    expected = pin.aba(peer, data, q, v, tau)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.integrate(q, v), pin.integrate(peer, q, v), rtol=0, atol=1e-13)


BODY = {"joint": "revolute", "axis": (0, 0, 1), "mass": 1.0, "inertia": np.eye(3)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint": "hinge"}, "joint 'hinge' is unknown"),
        ({"axis": None}, "needs 'axis'"),
        ({"axis": (0, 0, 0)}, "axis = .* has no direction"),
        ({"axis": (0, np.nan, 1)}, "axis must be finite"),
        ({"joint": "universal"}, "needs both 'axis' and 'axis2'"),
        ({"joint": "universal", "axis2": (0, 0, 2)}, "axis2 = .* parallel"),
        ({"mass": -1.0}, "mass = -1 "),
        ({"mass": np.inf}, "mass must be finite"),
        ({"mass": 0.0}, "massless link must be zero"),
        ({"mass": 0.0, "inertia": np.zeros((3, 3))}, "moves no inertia"),
        ({"inertia": np.zeros((3, 3))}, "moves no inertia"),
        ({"inertia": np.diag([1, 1, 3])}, "triangle inequality"),
        ({"inertia": np.diag([1, 1, -1])}, "principal moments >= 0"),
        ({"inertia": [[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
        ({"inertia": np.eye(2)}, r"inertia must have shape \(3, 3\)"),
        ({"com": (0, 0)}, r"com must have shape \(3,\)"),
        ({"armature": [-1.0]}, "armature = -1 "),
        ({"armature": [1.0, 1.0]}, r"armature must have shape \(1,\)"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ],
)
def test_impossible_bodies_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ArticulatedModel.chain([{**BODY, **change}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parent": 1}, "parent = 1 must be an earlier link"),
        ({"parent": "elsewhere"}, "parent 'elsewhere' is not an earlier link"),
        ({"orientation": (0, 0, 0, 0)}, "unit quaternion"),
        ({"name": "first"}, "name 'first' is taken"),
    ],
)
def test_impossible_trees_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ArticulatedModel([{**BODY, "name": "first"}, {**BODY, **change}])


def test_an_armature_or_a_carried_mass_makes_a_massless_link_regular():
    massless = {"joint": "revolute", "axis": (1, 0, 0), "mass": 0.0, "inertia": np.zeros((3, 3))}
    model = ArticulatedModel.chain([{**massless, "armature": [0.5]}])
    assert model.forward_dynamics([0.0], [0.0], [1.0]) == pytest.approx([2.0])
    carried = ArticulatedModel.chain([massless, BODY])
    np.testing.assert_allclose(
        carried.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 2.0]), [1.0, 2.0], rtol=1e-12
    )


def test_coaxial_joints_with_a_massless_link_between_are_refused():
    massless = {"joint": "revolute", "axis": (0, 0, 1), "mass": 0.0, "inertia": np.zeros((3, 3))}
    with pytest.raises(ValueError, match="moves no inertia"):
        ArticulatedModel.chain([massless, BODY])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3)), r"q must have shape \(4,\)"),
        (lambda m: m.forward_dynamics(m.neutral(), [0, np.nan, 0], np.zeros(3)), "v must be finite"),
        (lambda m: m.forward_dynamics(m.neutral(), np.zeros(3), np.zeros(4)), r"tau must have shape \(3,\)"),
        (
            lambda m: m.forward_dynamics(m.neutral(), np.zeros(3), np.zeros(3), np.zeros(6)),
            r"external must have shape \(1, 6\)",
        ),
        (lambda m: m.mass_matrix([0, 0, 0, 1.01]), "has norm 1.01"),
        (lambda m: m.jacobian(m.neutral(), 1, np.zeros(3)), "link = 1 is outside"),
        (lambda m: m.jacobian(m.neutral(), -1, np.zeros(3)), "link = -1 is outside"),
        (lambda m: m.jacobian(m.neutral(), "arm", np.zeros(3)), "link 'arm' is unknown"),
        (lambda m: m.solve_mass(m.neutral(), np.zeros(3), [-1, 0, 0]), "diagonal must be ≥ 0"),
    ],
)
def test_wrong_states_are_refused(call, message):
    model = ArticulatedModel.chain([{"joint": "spherical", "mass": 1.0, "inertia": np.eye(3)}])
    with pytest.raises(ValueError, match=message):
        call(model)


def test_empty_models_are_refused():
    with pytest.raises(ValueError, match="links is empty"):
        ArticulatedModel.chain([])
