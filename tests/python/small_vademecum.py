# SPDX-License-Identifier: LGPL-2.1-or-later
"""A short beam whose vademecum is built in a second or two."""

from functools import cache

import numpy as np

from softcontact.bodies import Material
from softcontact.vademecum import BuildOptions, PointLoad, SolidMesh, build

OPTIONS = BuildOptions(modes=12, sizes=4)
NODES = (10, 13, 17, 18, 23, 27)
DIRECTIONS = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


def mesh(divisions=(6, 1, 1)):
    return SolidMesh.block((0.24, 0.04, 0.04), divisions)


def make(divisions=(6, 1, 1), **changes):
    solid = mesh(divisions)
    places = mesh().nodes[list(NODES)]
    nodes = np.linalg.norm(solid.nodes[None] - places[:, None], axis=2).argmin(axis=1)
    return build(
        solid,
        Material(209e9, 0.3),
        PointLoad(1e6, DIRECTIONS, tuple(nodes.tolist())),
        clamped=np.flatnonzero(solid.nodes[:, 0] < 1e-9),
        **{"options": OPTIONS, **changes},
    )


@cache
def small():
    return make()
