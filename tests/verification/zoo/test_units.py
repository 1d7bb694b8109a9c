# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lengths a thousand times larger or smaller, with gravity likewise, in the same time: the same motion.

Length, gravity, velocity × k; mass × k³ by density; Young's modulus × k² for the same strain.
"""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, G, scene, soft_box

from softcontact.scene import Box, Cylinder, KinematicBody, Material, RigidBody, Sphere


def run(k, mode, what):
    floor = KinematicBody(
        name="floor", shape=Box(size=(4 * k, 4 * k, 0.2 * k)), position=(0, 0, -0.1 * k), friction=0.4
    )
    place = {"friction": 0.4, "velocity": (0.6 * k, 0.2 * k, 0)}
    match what:
        case "box":
            bodies = [
                RigidBody(
                    name="b",
                    shape=Box(size=(0.1 * k, 0.1 * k, 0.04 * k)),
                    position=(0, 0, 0.021 * k),
                    **place,
                )
            ]
        case "stack":
            bodies = [
                RigidBody(
                    name=n,
                    shape=Box(size=(0.1 * k,) * 3),
                    position=(0.01 * i * k, 0, (0.0501 + 0.1002 * i) * k),
                    friction=0.4,
                )
                for i, n in enumerate("bcd")
            ]
        case "round":
            bodies = [
                RigidBody(name="b", shape=Sphere(radius=0.05 * k), position=(0, 0, 0.051 * k), **place),
                RigidBody(
                    name="c",
                    shape=Cylinder(radius=0.04 * k, height=0.05 * k),
                    position=(0.3 * k, 0, 0.026 * k),
                    **place,
                ),
            ]
        case _:
            soft = soft_box("b", (0.1 * k, 0.1 * k, 0.05 * k), 1e5, position=(0, 0, 0.0255 * k), **place)
            material = Material(young=1e5 * k**2, poisson=0.4, rayleigh_mass=0, rayleigh_stiffness=0.005)
            bodies = [soft.model_copy(update={"material": material})]
    return zoo_runs.run(scene([floor, *bodies], 0.5, 0.005, mode, gravity=(0, 0, -G * k)))


@pytest.mark.parametrize("k", [1e-3, 1e-2, 1e2, 1e3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["box", "stack", "round", "soft"])
def test_scaled(what, mode, k):
    one, other = run(1.0, mode, what), run(k, mode, what)
    assert other.exit_code == one.exit_code == 0, other.message
    for name in one.tracks:
        if name != "floor":
            assert other[name].centre / k == pytest.approx(one[name].centre, abs=1e-4), name
            assert np.abs(other[name].velocity[-1] / k - one[name].velocity[-1]).max() < 1e-3
