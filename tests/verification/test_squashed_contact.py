# SPDX-License-Identifier: LGPL-2.1-or-later
"""A block pressed onto a solid that gives way to half its height: no chatter, and no energy out of nothing."""

import numpy as np
import pytest

from softcontact import _core
from softcontact.vademecum import SolidMesh

SIDE = 0.04  # of the cube at rest [m]
MASS = 0.5  # of the block [kg]
PENALTY = 1e4  # of a point [N/m]
PRESS = 200.0  # [N]: halves the height
STEP = 1e-4  # [s]

MESH = SolidMesh.block((SIDE, SIDE, SIDE), (4, 4, 4))
NODES, TRIANGLES = MESH.boundary_surface
REST = MESH.nodes[NODES] + np.array([0.0, 0.0, 0.5 * SIDE])  # stands on z = 0
# the bottom of the block, whose points are seldom above those of the cube
SHELL = np.stack(np.meshgrid(*[np.linspace(-0.013, 0.014, 6)] * 2, [0.0]), axis=-1).reshape(-1, 3)
CENTRE = np.array([0.5 * SIDE, 0.0, 0.0])


def squashed(height):
    """The cube at this height, its sides bulged as much as keeps the volume, its faces barrelled a little."""
    wide = np.sqrt(SIDE / height)
    places = REST - CENTRE
    bulge = 1.0 + 0.1 * (wide - 1.0) * np.sin(np.pi * places[:, 2:] / SIDE)
    return CENTRE + places * np.concatenate(
        [wide * bulge, wide * bulge, np.full_like(bulge, height / SIDE)], 1
    )


class Exact:
    """Exact distances; the cube has the height at which its own force holds that of the contacts."""

    load = 0.47 * PRESS  # thrown on, it halves the height

    def __init__(self):
        self.boundary = _core.BoundaryDistance(REST, TRIANGLES)
        self.height = SIDE

    def force(self, place):
        """On the block, energy stored, number of contacts."""
        stiffness = PRESS / (0.5 * SIDE)  # of the cube
        for _ in range(60):
            self.boundary.set(squashed(self.height))
            numbers, depths, normals = self.boundary.contacts(SHELL + place)
            push = PENALTY * (depths @ normals) if len(depths) else np.zeros(3)
            missing = push[2] - stiffness * (SIDE - self.height)
            self.height -= missing / (stiffness + PENALTY * max(len(numbers), 1))
            if abs(missing) < 1e-10 * PRESS:
                break
        energy = 0.5 * PENALTY * depths @ depths + 0.5 * stiffness * (SIDE - self.height) ** 2
        return push, energy, numbers


class Trilinear:
    """The table of the squashed cube, which stays so."""

    load = PRESS

    def __init__(self):
        nodes = squashed(0.5 * SIDE)
        self.height = 0.5 * SIDE
        origin, counts = np.array([-0.02, -0.04, -0.01]), [28, 28, 23]
        spacing = np.array([0.003, 0.003, 0.0017])
        surface = _core.Surface(nodes, TRIANGLES)
        self.values = _core.tabulate_distances(surface, nodes[None], origin, spacing, counts, 1)
        self.field = _core.DistanceField(self.values, origin, spacing)

    def force(self, place):
        numbers, depths, normals = self.field.contacts(SHELL + place, _core.DistanceState(0))
        push = PENALTY * (depths @ normals) if len(depths) else np.zeros(3)
        return push, 0.5 * PENALTY * depths @ depths, numbers


def run(solid, place, velocity, steps, press, damping):
    """Symplectic Euler; press(k) [N] downwards. Rows of kinetic energy, all energy, force; and the contacts."""
    rows, contacts = [], []
    for k in range(steps):
        push, energy, numbers = solid.force(place)
        load = np.array([0.0, 0.0, -press(k)])
        rows.append([0.5 * MASS * velocity @ velocity, energy - load @ place, push[2]])
        rows[-1][1] += rows[-1][0]
        contacts.append(tuple(numbers))
        velocity = velocity + STEP * (push + load - damping * velocity) / MASS
        place = place + STEP * velocity
    return np.array(rows), contacts, place, velocity


def test_pressed_to_half_its_height_it_comes_to_rest_without_chatter():
    solid = Exact()
    start = CENTRE + np.array([0.0, 0.0, SIDE + 1e-5])
    rows, contacts, *_ = run(
        solid, start, np.zeros(3), 4000, lambda k: min(1.0, k / 1500.0) * PRESS, damping=150.0
    )
    assert abs(solid.height - 0.5 * SIDE) < 0.01 * SIDE
    forces = rows[:, 2]
    touched = np.flatnonzero(forces > 0.0)[0]
    assert touched < 200 and (forces[touched:] > 0.0).all()  # never apart again
    # on the way down the force follows the load: no step of it is larger than a small multiple of the load's
    assert np.abs(np.diff(forces[touched + 200 :])).max() < 5.0 * PRESS / 1500.0
    assert len(set(contacts[-700:])) == 1 and len(contacts[-1]) == len(SHELL)
    assert rows[-1, 0] < 1e-9 * rows[:, 0].max()
    np.testing.assert_allclose(forces[-100:], PRESS, rtol=1e-5)


@pytest.mark.parametrize("kind", [Exact, Trilinear])
def test_undamped_on_the_squashed_solid_the_energy_does_not_grow(kind):
    solid = kind()
    place = CENTRE + np.array([1e-4, -2e-4, solid.height + 5e-4])
    rows, contacts, _, _ = run(solid, place, np.zeros(3), 4000, lambda k: solid.load, damping=0.0)
    assert len({len(c) for c in contacts}) > 1  # it leaves and returns
    kinetic, energy = rows[:, 0], rows[:, 1]
    scale = kinetic.max()
    quarters = kinetic.reshape(4, -1).max(axis=1)
    assert (quarters[1:] <= 1.001 * quarters[0]).all()
    assert (
        energy.max() - energy[0] < 0.05 * scale
    )  # of the integrator, which neither gains nor loses for long
    assert np.mean(energy[-600:]) - np.mean(energy[:600]) < 0.005 * scale
