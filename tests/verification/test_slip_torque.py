# SPDX-License-Identifier: LGPL-2.1-or-later
"""The torque at which a flat disc pad slips, measured at the spring that turns it.

Reference: Coulomb-Contensou friction of a disc by quadrature (data/contensou_disc.json): uniform pressure gives
T = 2/3 mu N R, and less beside a tangential force; Hertz's pressure gives 3 pi/16 mu N R.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from bench_bodies import GRAVITY, add_floor, disc_mesh, new_world

from softcontact.mesh.tetrahedral_primitives import tetrahedral_cylinder
from softcontact.scene.fingertips import FingertipOptions, pinch_limit

DISC = json.loads((Path(__file__).parent / "data" / "contensou_disc.json").read_text())
RADIUS, MASS, STIFFNESS = 0.02, 0.2, 0.5  # m, kg, N m/rad
LOAD = MASS * GRAVITY


def limit(pressure, share):
    """T/(mu N R) beside a tangential force of this share of mu N."""
    _, force, torque = np.array(DISC[pressure]["eps_F_T"]).T
    return float(np.interp(share, [0.0, *force], [DISC[pressure]["T0"], *torque]))


def mounted(friction, law="contensou", pad="rigid"):
    """A disc pad on a mount that slides along x and z, and that springs of x and of the turn about z pull along."""
    world = new_world(0.005, friction_law=law)
    add_floor(world, size=1.0, friction=friction)
    nothing = {"mass": 0.0, "inertia": np.zeros((3, 3))}
    links = [
        {"name": "x", "joint": "prismatic", "axis": [1.0, 0.0, 0.0], "stiffness": [2.0], "damping": [1.0]}
        | nothing,
        {"name": "z", "parent": 0, "joint": "prismatic", "axis": [0.0, 0.0, 1.0]} | nothing,
        {
            "name": "disc",
            "parent": 1,
            "joint": "revolute",
            "axis": [0.0, 0.0, 1.0],
            "mass": MASS,
            "inertia": MASS * RADIUS**2 * np.diag([0.25, 0.25, 0.5]),
            "stiffness": [STIFFNESS],
            "damping": [2.0 * np.sqrt(STIFFNESS * 0.5 * MASS) * RADIUS],
        },
    ]
    body = world.add_articulated_body("mount", links)
    if pad == "rigid":
        vertices, triangles = disc_mesh(RADIUS, 6)
        world.add_link_surface(body, 2, "disc", vertices, triangles, friction=friction, aggregate=True)
    else:
        add_soft_disc(world, body, friction)
    return world, body


def add_soft_disc(world, body, friction, *, thickness=4e-3):
    """A soft cylinder glued to the link by its upper face."""
    mesh = tetrahedral_cylinder(RADIUS, thickness)
    nodes = mesh.nodes - [0.0, 0.0, mesh.nodes[:, 2].min()]
    surface, carriers = type(mesh)(nodes, mesh.tetrahedra).surface()
    weights = np.zeros((len(carriers), 4))
    weights[:, 0] = 1.0
    glued = np.flatnonzero(nodes[:, 2] > thickness - 1e-9)
    world.add_phalanx(
        body,
        2,
        "disc",
        nodes,
        mesh.tetrahedra,
        np.array([2e5]),
        np.array([0.2]),
        np.array([1000.0]),
        rayleigh_mass=1.0,
        rayleigh_stiffness=2e-3,
        bound_nodes=glued.tolist(),
        bound_stiffness=1e5,
        surface_nodes=np.repeat(np.int32(carriers)[:, None], 4, axis=1),
        surface_weights=weights,
        surface_triangles=surface.triangles,
        friction=friction,
    )


def slip_torque(friction, share=0.0, **pad):
    """Torque of the spring while the disc slips, and the tangential force that is left on it [N m, N].

    share: of the tangential force before it slips, over mu N.
    """
    world, body = mounted(friction, **pad)
    push = share * friction * LOAD / 2.0
    start = np.zeros(3)
    world.set_joint_motion(
        body, [0.0, 0.2, 0.5, 2.5], np.array([start, start, [push, 0.0, 0.0], [push, 0.0, 0.6]])
    )
    turns = []
    while world.time < 2.5 - 1e-9:
        assert world.step()
        turns.append(world.joint_positions(body)[2])
    x, _, angle = world.joint_positions(body)
    spin = (turns[-1] - turns[-21]) / 0.1
    assert spin == pytest.approx(0.3, rel=0.05)  # it slips at the speed of the spring's target
    return STIFFNESS * (0.6 - angle), 2.0 * (push - x)


@pytest.mark.parametrize("pad", ["rigid", "soft"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_slip_torque_of_a_flat_disc(pad, share):
    friction = 0.5
    torque, force = slip_torque(friction, share, pad=pad)
    expected = limit("uniform", force / (friction * LOAD)) * friction * LOAD * RADIUS
    assert torque == pytest.approx(expected, rel=0.05)


def test_threshold_rises_with_friction():
    torques = [slip_torque(mu, pad="soft")[0] for mu in np.linspace(0.0, 1.0, 5)]
    assert torques[0] == pytest.approx(0.0, abs=1e-9)
    assert np.all(np.diff(torques) > 0.1 * torques[-1])


def test_without_torsion_nothing_resists_the_turn():
    assert abs(slip_torque(0.5, law="coulomb")[0]) < 1e-4 * 0.5 * LOAD * RADIUS


def test_the_predicted_pinch_is_hertz_and_contensou():
    options = FingertipOptions(friction=0.6)
    force = pinch_limit(0.02, options)
    modulus = 1e5 / (1.0 - 0.42**2)
    radius = np.cbrt(0.75 * force * 9e-3 / modulus)
    assert 2.0 * DISC["hertz"]["T0"] * 0.6 * force * radius == pytest.approx(0.02, rel=1e-9)
    with pytest.raises(ValueError, match="friction"):
        pinch_limit(0.02, FingertipOptions(friction=0.0))
