# SPDX-License-Identifier: LGPL-2.1-or-later
"""Free bodies, chains and pendulums in a World, and their momentum."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact import _core
from softcontact.mesh.primitives import box

NO_GRAVITY = (0.0, 0.0, 0.0)
FALL = (0.0, 0.0, -9.81)


def new_world(step, gravity=NO_GRAVITY, integrator="implicit-euler", **options):
    return _core.World(step, gravity, {"integrator": integrator, **options})


class Momentum(NamedTuple):
    """Of all links together; angular momentum about the origin of the world."""

    centre: np.ndarray
    velocity: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


class Body(NamedTuple):
    """A body of a world, and the links it is made of."""

    world: object
    number: int
    links: list

    def momentum(self):
        rates = np.asarray(self.world.joint_velocities(self.number))
        mass, first, linear, angular = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
        motions = []
        for number, link in enumerate(self.links):
            origin, quaternion = self.world.body_pose(self.number, number)
            turn = Rotation.from_quat(quaternion)
            speed, spin = np.zeros(3), np.zeros(3)
            if link.get("parent", -1) >= 0:
                place, above, below = motions[link["parent"]]
                speed, spin = above + np.cross(below, origin - place), below
            size = {"free": 6, "spherical": 3, "revolute": 1}[link["joint"]]
            mine, rates = rates[:size], rates[size:]
            if link["joint"] == "free":
                speed, mine = speed + turn.apply(mine[:3]), mine[3:]
            spin = spin + turn.apply(mine * link["axis"] if link["joint"] == "revolute" else mine)
            motions.append((origin, speed, spin))
            arm = turn.apply(link["com"])
            push = link["mass"] * (speed + np.cross(spin, arm))
            mass += link["mass"]
            first += link["mass"] * (origin + arm)
            linear += push
            angular += np.cross(origin + arm, push) + turn.apply(link["inertia"] @ turn.inv().apply(spin))
        return Momentum(first / mass, linear / mass, linear, angular)


def box_body(
    world,
    inertia,
    com=(0, 0, 0),
    spin=(0, 0, 0),
    velocity=(0, 0, 0),
    mass=0.4,
    size=(0.1, 0.06, 0.03),
    position=(0, 0, 0),
    orientation=(0, 0, 0, 1),
    name="body",
):
    """A box whose mass is as given, wherever its surface is; velocity of the centre of mass."""
    surface = box(size)
    link = {"joint": "free", "mass": mass, "com": np.asarray(com, float), "inertia": np.diag(inertia)}
    number = world.add_rigid_body(
        name,
        surface.vertices,
        surface.triangles,
        mass,
        link["com"],
        link["inertia"],
        np.asarray(position, float),
        np.asarray(orientation, float),
        np.asarray(velocity, float),
        np.asarray(spin, float),
    )
    return Body(world, number, [link])


def floating_chain(world, spin=(1.0, 2.0, 0.5), stiffness=0.0, damping=0.0):
    """A free base with a thin arm on a ball joint and a second arm on a hinge."""
    links = [
        {
            "name": "base",
            "joint": "free",
            "mass": 1.0,
            "com": np.array([0.01, 0.02, 0.0]),
            "inertia": np.diag([2e-3, 3e-3, 4e-3]),
        },
        {
            "name": "arm",
            "parent": 0,
            "joint": "spherical",
            "position": np.array([0.1, 0.0, 0.0]),
            "mass": 0.3,
            "com": np.array([0.1, 0.0, 0.0]),
            "inertia": np.diag([1e-5, 1e-3, 1e-3]),
            "stiffness": [stiffness] * 3,
            "damping": [damping] * 3,
        },
        {
            "name": "fin",
            "parent": 0,
            "joint": "revolute",
            "axis": np.array([0.0, 0.0, 1.0]),
            "position": np.array([-0.1, 0.0, 0.0]),
            "mass": 0.3,
            "com": np.array([-0.08, 0.02, 0.0]),
            "inertia": np.diag([1e-4, 5e-4, 5e-4]),
            "stiffness": [stiffness],
            "damping": [damping],
        },
    ]
    number = world.add_articulated_body("chain", links)
    world.set_velocity(number, [0.3, 0.2, 0.1, *spin, 0.1, 0.2, 0.3, 1.0])
    return Body(world, number, links)


def double_pendulum(world, angles=(0.0, 0.0)):
    """Two thin rods of 0.3 m and 0.3 kg, let go where `angles` says; 0: level."""
    rod = {
        "joint": "revolute",
        "axis": np.array([0.0, 1.0, 0.0]),
        "mass": 0.3,
        "com": np.array([0.15, 0.0, 0.0]),
        "inertia": np.diag([1e-6, 0.3 * 0.3**2 / 12, 0.3 * 0.3**2 / 12]),
    }
    links = [rod | {"name": "upper"}, rod | {"name": "lower", "parent": 0, "position": np.array([0.3, 0, 0])}]
    return Body(world, world.add_articulated_body("pendulum", links, list(angles)), links)


def total_energy(world):
    return sum(world.energies().values())
