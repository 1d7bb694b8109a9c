# SPDX-License-Identifier: LGPL-2.1-or-later
"""The soft hand in the core's World: links, phalanges, palm, skin, tracked motion and grasp."""

from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.hand import FINGERS, LINKS, HandModel
from softcontact.hand.anatomy import SEGMENTS
from softcontact.hand.kinematics import matrix_from_quaternion
from softcontact.scene.bodies import Hand
from softcontact.scene.motions import Grasp, HandMotion

_PALM_DOFS = 6
_FINGER_DOFS = 4  # abduction, then three flexions


class HandInWorld:
    """One hand and what belongs to it in a World.

    Args:
        world: the World to add it to.
        body: the scene's hand.
    """

    def __init__(self, world: Any, body: Hand) -> None:
        self.world, self.body = world, body
        self.model = model = HandModel.build(body.sizes, body.tissue, body.compliance)
        angles = np.array(body.angles or np.zeros(20))
        start = model.initial_positions(angles, np.array(body.position), np.array(body.orientation))
        self.id = world.add_articulated_body(body.name, list(model.links), start, body.gravity_compensated)
        friction = model.tissue.friction if body.friction is None else body.friction
        self.surfaces = [f"{body.name}.{link}" for link in LINKS]
        world.add_link_surface(
            self.id,
            0,
            self.surfaces[0],
            model.palm_vertices,
            model.palm_triangles,
            friction,
            body.palm_aggregate,
        )
        for index in range(len(LINKS) - 1):
            arguments = model.phalanx_arguments(index) | {"friction": friction}
            world.add_phalanx(self.id, name=self.surfaces[index + 1], **arguments)
        self._disable_pairs()
        world.set_joint_motion(self.id, [0.0], start[None, :])
        numbers = [world.surface_names.index(name) for name in self.surfaces]
        self._phalanges = numbers[1:]
        self._rest = [np.array(world.surface_local_vertices(number)) for number in self._phalanges]

    def move(self, motion: HandMotion) -> None:
        """Pull the hand along tracked palm poses and angles."""
        count, body = len(motion.times), self.body
        orientations = motion.orientations or [body.orientation] * count
        angles = motion.angles or [body.angles or (0.0,) * 20] * count
        widths = {len(row) for row in angles}
        if widths != {20}:
            raise ValueError(f"angles: rows of {sorted(widths)} values; give 20 angles a row")
        self.world.set_joint_motion(
            self.id, motion.times, np.hstack([motion.positions, orientations, angles])
        )

    def grasp(self, grasp: Grasp) -> None:
        """Close the flexions of all fingers, or the degrees of freedom that the grasp names."""
        fingers = [
            {
                "name": finger.name,
                "dofs": list(finger.dofs),
                "rates": list(finger.rates),
                "links": [self._link(link) for link in finger.links],
            }
            for finger in grasp.fingers
        ]
        self.world.add_grasp(
            self.id, fingers or all_flexions(grasp.rate), grasp.start, grasp.end, grasp.force
        )

    def skin(self) -> FloatArray:
        """Skin vertices in the world (n, 3) [m], following links and deformed phalanges."""
        poses = [self.world.body_pose(self.id, link) for link in range(len(LINKS))]
        rotations = matrix_from_quaternion(np.array([orientation for _, orientation in poses]))
        displacements = [
            self.world.surface_local_vertices(number) - rest
            for number, rest in zip(self._phalanges, self._rest, strict=True)
        ]
        return self.model.skin.vertices(
            np.array([position for position, _ in poses]), rotations, displacements
        )

    def _link(self, name: str) -> int:
        if name not in LINKS:
            raise ValueError(f"fingers: no link {name!r} in the hand; links: {', '.join(LINKS)}")
        return LINKS.index(name)

    def _disable_pairs(self) -> None:
        if self.body.self_contact:
            pairs = [
                (f"{self.body.name}.{a}", f"{self.body.name}.{b}") for a, b in self.model.disabled_pairs()
            ]
        else:
            pairs = [(a, b) for i, a in enumerate(self.surfaces) for b in self.surfaces[:i]]
        for a, b in pairs:
            self.world.disable_pair(a, b)


def all_flexions(rate: float) -> list[dict[str, Any]]:
    """The three flexions of all five fingers, as World.add_grasp takes them, closing at `rate` [rad/s]."""
    fingers = []
    for number, finger in enumerate(FINGERS):
        first_dof = _PALM_DOFS + _FINGER_DOFS * number + 1
        first_link = 1 + len(SEGMENTS) * number
        fingers.append(
            {
                "name": finger,
                "dofs": [first_dof + k for k in range(3)],
                "rates": [rate] * 3,
                "links": [first_link + k for k in range(3)],
            }
        )
    return fingers
