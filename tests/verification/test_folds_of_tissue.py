# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contacts of tissue do not depend on which way its mesh is folded at the moment."""

import numpy as np
import pytest

from softcontact import _core
from softcontact.mesh.primitives import cylinder

ALARM = 2e-3


def roof(height):
    """Closed body whose top, 40 mm square, is folded along y in its middle: a ridge, flat, or hollow [m]."""
    x, y = 0.02, 0.02
    top = [(-x, -y, 0), (0, -y, height), (x, -y, 0), (-x, y, 0), (0, y, height), (x, y, 0)]
    bottom = [(-x, -y, -0.02), (x, -y, -0.02), (-x, y, -0.02), (x, y, -0.02)]
    vertices = np.array([*top, *bottom], float)
    quads = [(0, 1, 4, 3), (1, 2, 5, 4), (6, 8, 9, 7), (6, 0, 3, 8), (2, 7, 9, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    triangles += [(6, 7, 2), (6, 2, 1), (6, 1, 0), (8, 3, 4), (8, 4, 5), (8, 5, 9)]
    return vertices, np.array(triangles)


def crossings(height, tool):
    """Contacts of a folded edge with a tool over it, along x."""
    vertices, triangles = roof(0.0)
    tissue = _core.Surface(vertices, triangles)
    tissue.set_folds(True)
    tissue.update(roof(0.003)[0])  # it has been bent before
    tissue.update(roof(height)[0])
    found = _core.detect_contacts(tissue, tool(height), alarm_distance=ALARM, edge_tolerance=0.1 * ALARM)
    at_fold = (found["kind"] == 2) & (np.abs(found["p"][:, 0]) < 1e-6)
    return found["gap"][at_fold], found["normal"][at_fold]


def placed(surface, place):
    surface.set_pose(place, [0.0, 0.0, 0.0, 1.0])
    return surface


def rod(height):
    """A cylinder of 24 facets along x, its lowest edge 1 mm over the fold."""
    mesh = cylinder(0.01, 0.03, 24, layers=1, rings=1)
    along = mesh.vertices[:, [2, 0, 1]]
    lowest = along[:, 2].min()
    return placed(_core.Surface(along, mesh.triangles), [0.0, 0.0, height - lowest + 1e-3])


def block(height):
    """A box with an edge down, along x, 1 mm over the fold."""
    across = ((0, 0), (-0.01, 0.01), (0.01, 0.01), (0, 0.02))
    corners = np.array([[x, y, z] for x in (-0.015, 0.015) for y, z in across])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return placed(_core.Surface(corners, triangles), [0.0, 0.0, height + 1e-3])


@pytest.mark.parametrize("tool", [rod, block])
@pytest.mark.parametrize("degrees", [35.0, 5.0, 0.1, 0.0, -0.1, -5.0, -35.0])
def test_an_edge_across_a_fold_touches_whichever_way_it_is_folded(tool, degrees):
    """A ridge of 35 degrees, flat, or as hollow: the crossing is 1 mm away each time."""
    gap, normal = crossings(0.02 * np.tan(np.radians(0.5 * degrees)), tool)
    nearest = np.argmin(gap)
    assert gap[nearest] == pytest.approx(1e-3, rel=1e-9)
    np.testing.assert_allclose(normal[nearest], [0.0, 0.0, -1.0], atol=1e-9)
