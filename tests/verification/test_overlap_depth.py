# SPDX-License-Identifier: LGPL-2.1-or-later
"""How deep surfaces are inside each other, against distances in closed form and against many samples."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact import _core
from softcontact.mesh.primitives import box, cylinder, sphere


def placed(mesh, rotation=None, offset=(0.0, 0.0, 0.0)):
    surface = _core.Surface(mesh.vertices, mesh.triangles)
    surface.set_pose(offset, (rotation or Rotation.identity()).as_quat())
    return surface


def union(*meshes):
    """Several bodies in one mesh, each moved by an offset."""
    count, vertices, triangles = 0, [], []
    for mesh, offset in meshes:
        vertices.append(mesh.vertices + np.asarray(offset))
        triangles.append(mesh.triangles + count)
        count += len(mesh.vertices)
    return np.vstack(vertices), np.vstack(triangles)


def sampled(a, b):
    """Depth of the deepest of 400 points on each edge of a in b."""
    vertices, ends = a.world_vertices(), a.edges
    share = np.linspace(0.0, 1.0, 401)[:, None, None]
    points = (vertices[ends[:, 0]] * (1 - share) + vertices[ends[:, 1]] * share).reshape(-1, 3)
    return max(0.0, -b.signed_distance(points)[0].min())


@pytest.mark.parametrize("seed", range(20))
def test_depth_is_that_of_the_deepest_sample(seed):
    rng = np.random.default_rng(seed)
    meshes = [box((0.1, 0.06, 0.04)), box((0.08,) * 3), cylinder(0.03, 0.1, 16), sphere(0.05, 4)]
    a, b = (
        placed(meshes[i], Rotation.random(rng=rng), offset)
        for i, offset in zip(rng.integers(0, 4, 2), (np.zeros(3), rng.uniform(-0.05, 0.05, 3)), strict=True)
    )
    depth = _core.overlap_depth(a, b)
    wanted = max(sampled(a, b), sampled(b, a))
    assert depth == pytest.approx(wanted, abs=3e-4)  # a sample is up to 0.13 mm off
    assert depth >= wanted - 1e-7
    assert _core.overlap_depth(b, a) == pytest.approx(depth, abs=1e-9)


@pytest.mark.parametrize("depth", [1e-7, 1e-4, 5e-3])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_boxes_on_each_other_with_edges_and_diagonals_in_line(depth, turn):
    about = Rotation.from_rotvec([0.0, 0.0, turn])
    tilt = Rotation.from_rotvec([0.2, 0.5, 0.1])
    low, high = box((0.1, 0.1, 0.1)), box((0.1, 0.1, 0.1))
    up = tilt.apply([0.0, 0.0, 0.1 - depth])
    found = _core.overlap_depth(placed(low, tilt), placed(high, tilt * about, up))
    assert found == pytest.approx(depth, rel=1e-6)


def test_what_is_inside_as_a_whole_counts_and_each_part_of_a_mesh_by_itself():
    large, small = box((0.2,) * 3), box((0.02,) * 3)
    assert _core.overlap_depth(placed(large), placed(small)) == pytest.approx(0.09, rel=1e-9)
    assert _core.overlap_depth(placed(small, offset=(0.3, 0, 0)), placed(large)) == 0.0
    # One part apart, one that sticks out by half, and one that is inside as a whole and deepest.
    vertices, triangles = union((small, (0.3, 0, 0)), (small, (0.1, 0, 0)), (small, (0.05, 0, 0)))
    parts = _core.Surface(vertices, triangles)
    assert _core.overlap_depth(parts, placed(large)) == pytest.approx(0.06, rel=1e-9)
    vertices, triangles = union((small, (0.3, 0, 0)), (small, (0.1, 0, 0)))
    assert _core.overlap_depth(_core.Surface(vertices, triangles), placed(large)) == pytest.approx(
        0.01, rel=1e-9
    )
