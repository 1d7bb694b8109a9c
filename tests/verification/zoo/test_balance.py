# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come to rest is in balance: its weight acts above what it touches the floor with.

Judged by the shapes alone. Bodies of random shapes fall on the floor from random orientations; one that rests on
an edge or a corner rests on a contact that holds where nothing touches.
"""

import heaps
import numpy as np
import pytest
import zoo_runs
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation
from zoo_scenes import MODES, floor, scene

from softcontact.scene import Box
from softcontact.scene.surfaces import surface_mesh

NEAR, NEAR_SOFT = 2e-3, 5e-3  # of its size: how near the floor a body touches it


def fallen(seed, kinds, mode):
    """The run of a random body that stands on the floor with its lowest point, and its size [m]."""
    rng = np.random.default_rng(seed)
    size = 10 ** rng.uniform(-2.2, -0.5)
    body = heaps.body(rng, "b", str(rng.choice(kinds)), size, friction=rng.uniform(0.2, 0.8))
    solid = Box(size=body.shape.size) if body.kind == "tetrahedral" else body.shape
    corners = Rotation.from_quat(body.orientation).apply(np.array(surface_mesh(solid).vertices))
    body = body.model_copy(update={"position": (0, 0, 1e-3 * size - corners[:, 2].min())})
    h = float(rng.choice([0.001, 0.002, 0.005, 0.01]))
    return zoo_runs.run(scene([floor(0.8), body], 4.0, h, mode), every=20), size


def off_balance(run, size, near=NEAR):
    """How far the centre of mass is beside the hull of what touches the floor, over the size."""
    (placed,) = (p for p in run.placed() if p.name == "b")
    points = placed.surface_points()
    touching = points[points[:, 2] < points[:, 2].min() + near * size, :2]
    arms = (touching - run["b"].centre[-1, :2]).T / size
    heavy = 10.0  # on the sum of the shares against their moment
    return nnls(np.vstack([arms, np.full(len(touching), heavy)]), np.array([0, 0, heavy]))[1]


def speed(run, size):
    track = run["b"]
    if track.node_velocities is not None:
        return np.linalg.norm(track.node_velocities[-1], axis=1).max()
    return np.linalg.norm(track.velocity[-1]) + size * np.linalg.norm(track.spin[-1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [0, 14, 15, 51, 68, 141, 147, 157, 161, 208, 210, 222])
def test_rigid_bodies_lie_on_what_bears_them(seed, mode):
    run, size = fallen(seed, ("box", "hull", "cylinder"), mode)
    assert run.exit_code == 0, run.message
    assert speed(run, size) < 1e-4
    assert off_balance(run, size) < 0.03
    assert run.gain() < 1e-6


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 6, 18, 22, 37, 40])
def test_soft_boxes_come_to_lie_still(seed, mode):
    """A patch may overlap by more than asked for in the impact, and says so; at rest it is still."""
    run, size = fallen(seed, ("soft box",), mode)
    assert speed(run, size) < 1e-3
    assert off_balance(run, size, NEAR_SOFT) < 0.03
    assert run.overlap()[0] < 0.01
