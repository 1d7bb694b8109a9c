# SPDX-License-Identifier: LGPL-2.1-or-later
"""The dynamics of both humanoids against Pinocchio, and their proportions against what is published."""

import numpy as np
import pytest

from softcontact.avatar import human, robot
from softcontact.bench.peers.pinocchio import model_of
from softcontact.bodies import ArticulatedModel

STATES = 1000
AVATARS = {"robot": robot(), "human": human()}
GRAVITY = (0.0, 0.0, -9.81)


def random_states(model, rng):
    """Poses all over the joints' ranges, speeds of a few rad/s."""
    for _ in range(STATES):
        q = model.integrate(model.neutral(), 2.0 * rng.normal(size=model.nv))
        yield q, 3.0 * rng.normal(size=model.nv), 50.0 * rng.normal(size=model.nv)


def assert_equal(ours, theirs, what):
    """To 1e-9 of the largest entry, absolute where that is under 1."""
    error = np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())
    assert error < 1e-9, f"{what}: {error}"


@pytest.mark.parametrize("name", AVATARS)
def test_a_thousand_states_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    avatar = AVATARS[name]
    model = avatar.model
    peer = model_of(pin, list(avatar.links), GRAVITY)
    data = peer.createData()
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    rng = np.random.default_rng(8)
    for state, (q, v, tau) in enumerate(random_states(model, rng)):
        mass = np.triu(pin.crba(peer, data, q))
        assert_equal(model.mass_matrix(q), mass + np.triu(mass, 1).T, "mass matrix")
        assert_equal(model.forward_dynamics(q, v, tau), pin.aba(peer, data, q, v, tau), "acceleration")
        pin.computeJointJacobians(peer, data, q)
        for link in range(state % 4, len(model.links), 4):  # every link in every fourth state
            jacobian = pin.getJointJacobian(peer, data, link + 1, axes)
            assert_equal(model.jacobian(q, link), jacobian[:3], "jacobian")
            assert_equal(model.angular_jacobian(q, link), jacobian[3:], "angular jacobian")


def test_the_robot_has_the_published_size_and_mass():
    avatar = AVATARS["robot"]
    model = avatar.model
    assert avatar.mass == pytest.approx(58.0, abs=1e-9)
    assert sum(link["joint"] == "revolute" for link in avatar.links) == 32
    q = avatar.standing()
    # Half-sitting: hips −26°, knees 50°, ankles −24°.
    legs = 0.3 * (np.cos(np.radians(26)) + np.cos(np.radians(24))) + 0.105
    assert q[2] == pytest.approx(legs, abs=1e-9)
    straight = q[2] - legs + 0.6 + 0.105
    lowest, highest = extent(avatar, model.neutral())
    assert lowest[2] == pytest.approx(-0.705, abs=1e-9)
    assert straight + highest[2] == pytest.approx(1.539, abs=1e-3)
    assert model.centre_of_mass(q)[2] == pytest.approx(0.81, abs=0.01)


def extent(avatar, q):
    points = []
    for shape in avatar.shapes:
        rotation, origin = avatar.model.link_pose(q, shape.link)
        points.append(shape.vertices @ rotation.T + origin)
    points = np.vstack(points)
    return points.min(axis=0), points.max(axis=0)


def test_the_human_has_the_tables_size_and_mass():
    small = human(stature=1.6, mass=55.0)
    for avatar, stature, mass in ((AVATARS["human"], 1.741, 73.0), (small, 1.6, 55.0)):
        assert avatar.mass == pytest.approx(mass, rel=1e-9)
        lowest, highest = extent(avatar, avatar.model.neutral())
        assert highest[2] - lowest[2] == pytest.approx(stature, abs=1e-3)
        # A standing man's centre of mass is at 55 to 58 % of his stature.
        height = avatar.model.centre_of_mass(avatar.model.neutral())[2] - lowest[2]
        assert 0.55 < height / stature < 0.59
    joints = {link["name"]: link["joint"] for link in AVATARS["human"].links}
    for side in ("right", "left"):
        for part in ("upper_arm", "forearm", "thigh"):
            assert joints[f"{side}_{part}"] == "spherical"


@pytest.mark.parametrize("name", AVATARS)
def test_soles_lie_flat_below_the_centre_of_mass(name):
    avatar = AVATARS[name]
    q = avatar.standing()
    soles = []
    for shape in avatar.shapes:
        if shape.role == "foot":
            rotation, origin = avatar.model.link_pose(q, shape.link)
            points = shape.vertices @ rotation.T + origin
            lowest = points[points[:, 2] < points[:, 2].min() + 1e-9]
            assert abs(lowest[:, 2]).max() < 1e-9
            soles.append(lowest)
    assert sum(map(len, soles)) == {"robot": 32, "human": 108}[name]
    soles = np.vstack(soles)
    centre = avatar.model.centre_of_mass(q)
    margin = 0.04
    assert soles[:, 0].min() + margin < centre[0] < soles[:, 0].max() - margin
    assert abs(centre[1]) < 1e-9


@pytest.mark.parametrize("name", AVATARS)
def test_shapes_are_closed_and_face_outwards(name):
    for shape in AVATARS[name].shapes:
        edges = np.vstack([shape.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        there, back = {tuple(edge) for edge in edges}, {tuple(edge[::-1]) for edge in edges}
        assert len(there) == len(edges) and there == back, shape.link
        a, b, c = (shape.vertices[shape.triangles[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0, shape.link


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stature": 0.9}, "stature = 0.9"),
        ({"stature": np.nan}, "stature = nan"),
        ({"mass": 0.0}, "mass = 0.0"),
        ({"sole_points": (1, 4)}, "sole_points"),
    ],
)
def test_humans_out_of_bounds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        human(**arguments)


def rotations(model):
    """Where the angular velocities of spherical and free joints are in v."""
    firsts = {"spherical": 0, "free": 3}
    owners = [(link["v_offset"], firsts[link["joint"]]) for link in model.links if link["joint"] in firsts]
    return [slice(at + first, at + first + 3) for at, first in owners]


def step_munthe_kaas(model, q, v, step):
    """Fourth order on the rotations themselves: Runge-Kutta for θ in q ⊕ θ, θ̇ = ω + ½ θ × ω + θ × (θ × ω) / 12."""

    def rate(turn, velocity):
        along = velocity.copy()
        for own in rotations(model):
            once = np.cross(turn[own], velocity[own])
            along[own] += 0.5 * once + np.cross(turn[own], once) / 12.0
        acceleration = model.forward_dynamics(model.integrate(q, turn), velocity, np.zeros(model.nv))
        return along, acceleration

    a1, b1 = rate(np.zeros(model.nv), v)
    a2, b2 = rate(0.5 * step * a1, v + 0.5 * step * b1)
    a3, b3 = rate(0.5 * step * a2, v + 0.5 * step * b2)
    a4, b4 = rate(step * a3, v + step * b3)
    along, change = (x1 + 2 * x2 + 2 * x3 + x4 for x1, x2, x3, x4 in ((a1, a2, a3, a4), (b1, b2, b3, b4)))
    return model.integrate(q, step / 6.0 * along), v + step / 6.0 * change


@pytest.mark.parametrize(("name", "seconds"), [("robot", 10.0), ("human", 2.0)])
def test_spinning_freely_it_keeps_its_energy(name, seconds):
    """All joints loose, in no gravity, so that limbs whirl at tens of rad/s."""
    avatar = AVATARS[name]
    links = [{k: v for k, v in link.items() if k not in ("lower", "upper")} for link in avatar.links]
    model = ArticulatedModel(links, gravity=(0.0, 0.0, 0.0))
    q = avatar.standing()
    v = 0.3 * np.random.default_rng(1).normal(size=model.nv)
    v[3:6] = (1.0, 0.5, -2.0)
    energy, fastest = [model.kinetic_energy(q, v)], 0.0
    for _ in range(round(seconds / 0.005)):
        q, v = step_munthe_kaas(model, q, v, 0.005)
        fastest = max(fastest, np.abs(v).max())
        energy.append(model.kinetic_energy(q, v))
    assert fastest > 5.0
    np.testing.assert_allclose(energy, energy[0], rtol=3e-6)
    for link in model.links:
        if link["joint"] in ("spherical", "free"):
            first = link["q_offset"] + (3 if link["joint"] == "free" else 0)
            assert np.linalg.norm(q[first : first + 4]) == pytest.approx(1.0, abs=1e-14)
