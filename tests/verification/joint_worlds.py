# SPDX-License-Identifier: LGPL-2.1-or-later
"""A world without contact and one link on a joint, for tests of joints."""

import numpy as np

from softcontact import _core

STEP = 1e-3
NO_GRAVITY = (0.0, 0.0, 0.0)


def new_world(gravity=NO_GRAVITY):
    return _core.World(STEP, gravity, {"solver_tolerance": 1e-10})


def one_link(joint, **details):
    """A forearm of 1.2 kg, its centre of mass 0.12 m below the joint."""
    inertia = np.diag([0.006, 0.007, 0.001])
    return {
        "name": "forearm",
        "joint": joint,
        "axis": np.array([0.0, 1.0, 0.0]),
        "axis2": np.array([1.0, 0.0, 0.0]),
        "mass": 1.2,
        "com": np.array([0.0, 0.0, -0.12]),
        "inertia": inertia,
        **details,
    }


ABOUT_JOINT = 0.007 + 1.2 * 0.12**2  # [kg m²] about y
