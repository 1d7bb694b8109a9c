# SPDX-License-Identifier: LGPL-2.1-or-later
"""One soft pad on two blocks with a coefficient of friction each: either slides when its own limit is met.

The blocks lie side by side on rails along x under a pad that a spring presses down; a force pulls one of them.
"""

import numpy as np
import pytest
from bench_bodies import new_world
from test_soft_pad import add_pad, slider

from softcontact.mesh.primitives import box

OFFSET, GAP = 5e-4, 0.003  # m
FRICTIONS = {"left": 0.3, "right": 0.6}
MODES = {"point": {"contact": "point"}, "single": {}, "adaptive": {"aggregation": "adaptive"}}


def pad_on_two_blocks(mode):
    world = new_world(0.005, gravity=(0.0, 0.0, 0.0), contact_offset=OFFSET, **MODES[mode])
    size = (0.06, 0.02, 0.01)
    mesh = box(size)
    vertices = mesh.vertices - 0.5 * (mesh.vertices.max(axis=0) + mesh.vertices.min(axis=0))
    rails = {}
    for name, side in (("left", -1.0), ("right", 1.0)):
        place = [0.0, side * 0.5 * (size[1] + GAP), -0.5 * size[2]]
        rail = slider(f"{name}_rail", [1.0, 0.0, 0.0], place, stiffness=0.0, damping=0.0)
        rails[name] = world.add_articulated_body(f"{name}_rail", [rail])
        world.add_link_surface(rails[name], 0, name, vertices, mesh.triangles, friction=1.0)
    press = slider("press", [0.0, 0.0, 1.0], [0.0, 0.0, 0.5 * 0.01 + OFFSET], stiffness=2000.0)
    arm = world.add_articulated_body("press", [press], gravity_compensated=True)
    world.set_joint_motion(arm, [0.0, 0.1], np.array([[0.0], [-0.001]]))
    add_pad(world, arm, 0, "pad", cells=5)
    for name, mu in FRICTIONS.items():
        world.set_pair_friction("pad", name, mu)
    world.disable_pair("left", "right")
    assert world.step(40)
    return world, rails


def touching(world, name):
    """Patches of the pad on a block, and their normal force [N]."""
    patches = [patch for patch in world.patches() if patch["other"] == name]
    return patches, sum(patch["normal_force"] for patch in patches)


def pull(world, rails, name, share, steps):
    """Pulls a block by a share of what friction bears, as it now presses; its speed after so many steps [m/s]."""
    for _ in range(steps):
        limit = FRICTIONS[name] * touching(world, name)[1]
        world.set_applied_force(rails[name], np.array([share * limit]))
        assert world.step(), world.status()
    return abs(float(world.joint_velocities(rails[name])[0]))


@pytest.mark.parametrize(
    ("mode", "name"),
    [("point", "left"), ("single", "left"), ("single", "right"), ("adaptive", "left"), ("adaptive", "right")],
)
def test_a_block_slides_at_its_own_limit(mode, name):
    world, rails = pad_on_two_blocks(mode)
    other = next(key for key in FRICTIONS if key != name)
    assert min(touching(world, key)[1] for key in rails) > 0.5
    assert pull(world, rails, name, 0.95, 60) < 1e-4
    # Not zero without a pull: the pad that bulges drags at the blocks as well.
    assert all(0.5 < patch["slip_gauge"] < 1.0 - 1e-6 for patch in touching(world, name)[0])
    seconds = 0.15
    speed = pull(world, rails, name, 1.05, round(seconds / 0.005))
    patches, load = touching(world, name)
    limit = FRICTIONS[name] * load
    assert speed > 0.3 * 0.05 * limit / 0.05 * seconds  # part of the time goes into the shear of the pad
    for patch in patches:
        assert patch["slip_gauge"] == pytest.approx(1.0, abs=1e-6) and patch["state"] == "slip"
    assert sum(patch["force"] for patch in patches)[0] == pytest.approx(limit, rel=0.01)
    assert abs(float(world.joint_velocities(rails[other])[0])) < 1e-3  # nobody pulls it
    assert all(patch["slip_gauge"] < 1.0 - 1e-6 for patch in touching(world, other)[0])
