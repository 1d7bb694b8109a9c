# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joint limits as a judge: how far joints are beyond the rigid limits that their description gives them."""

import numpy as np
from numpy.typing import NDArray

from softcontact.bodies._links import JOINT_SIZES
from softcontact.engines.base import Engine
from softcontact.scene.bodies import ArticulatedBody, Link
from softcontact.scene.model import Scene

FloatArray = NDArray[np.float64]


def has_rigid_limits(link: Link) -> bool:
    """Whether a joint has limits and no spring that yields beyond them."""
    return bool(link.lower or link.upper) and (link.limit_stiffness is None or np.isinf(link.limit_stiffness))


class LimitWatch:
    """The rigid joint limits of a scene, held against where its joints are.

    Args:
        scene: the scene; bodies without rigid limits are left out.
    """

    def __init__(self, scene: Scene) -> None:
        self._bodies = {
            body.name: _bounds(body)
            for body in scene.bodies
            if body.kind == "articulated" and any(has_rigid_limits(link) for link in body.links)
        }

    def beyond(self, engine: Engine) -> float:
        """The farthest that a joint is beyond a limit now [rad or m], 0 where none is; NaN where one is no number."""
        farthest = 0.0
        for name, (lower, upper) in self._bodies.items():
            q = np.asarray(engine.joint_positions(name))
            farthest = np.maximum(farthest, np.maximum(lower - q, q - upper).max())
        return float(farthest)


def _bounds(body: ArticulatedBody) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of all joint positions (nq,), infinite where there is none."""
    lower, upper = [], []
    for link in body.links:
        rigid = has_rigid_limits(link)
        count = JOINT_SIZES[link.joint][0]
        lower.extend(link.lower if rigid and link.lower else [-np.inf] * count)
        upper.extend(link.upper if rigid and link.upper else [np.inf] * count)
    return np.array(lower), np.array(upper)
