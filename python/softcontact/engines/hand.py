# SPDX-License-Identifier: LGPL-2.1-or-later
"""The soft hand in the core's World: links, phalanges, palm, skin, tracked motion and grasp; single fingertips."""

from typing import Any

import numpy as np

from softcontact import hand
from softcontact.engines.base import FloatArray
from softcontact.engines.live import LiveHand, placement, rate_limits
from softcontact.hand import LINKS, FingertipModel, HandModel, closing_fingers
from softcontact.hand.kinematics import matrix_from_quaternion
from softcontact.scene.bodies import Fingertip, Hand
from softcontact.scene.motions import Grasp, HandMotion, TrackMotion
from softcontact.tracking.drive import track_targets
from softcontact.tracking.track import Track


class HandInWorld:
    """One hand and what belongs to it in a World.

    Args:
        world: the World to add it to.
        body: the scene's hand.
        motion: the motion that pulls it, or None for a hand that stays where it starts.
        steps: number of steps that the run was told to end after; None for one that may go on past its duration.
    """

    def __init__(
        self, world: Any, body: Hand, motion: HandMotion | TrackMotion | None, steps: int | None = None
    ) -> None:
        self.world, self.body = world, body
        self.model = model = HandModel.build(
            body.sizes, body.tissue, body.compliance, "soft" if body.palm == "soft" else "rigid"
        )
        self.live: LiveHand | None = None
        if isinstance(motion, TrackMotion) and motion.live:
            self.live = LiveHand(motion, body, world.time_step)
            times, targets = self.live.table()
        else:
            times, targets = _targets(model, body, motion, world.time_step, steps)
        self.id = world.add_articulated_body(
            body.name, list(model.links), targets[0], body.gravity_compensated
        )
        friction = model.tissue.friction if body.friction is None else body.friction
        self.surfaces: list[str] = []
        """Contact surfaces by name: the palm unless it is off, the phalanges in the order of LINKS, the palm's
        pads."""
        if body.palm != "off":
            self._add_palm(friction)
        for index, link in enumerate(LINKS[1:]):
            self._add_field(link, model.phalanx_arguments(index), friction)
        for index, pad in enumerate(model.palm_tissue.names if model.palm_tissue else ()):
            self._add_field(f"palm_{pad}", model.pad_arguments(index), friction)
        self._disable_pairs()
        world.set_joint_motion(self.id, times, targets)
        soft = [name for name in self.surfaces if name != f"{body.name}.palm"]
        self._fields = [world.surface_names.index(name) for name in soft]
        self._rest = [np.array(world.surface_local_vertices(number)) for number in self._fields]

    def grasp(self, grasp: Grasp) -> None:
        """Close the flexions of the named fingers, or the degrees of freedom that the grasp lists."""
        fingers = [
            {
                "name": finger.name,
                "dofs": list(finger.dofs),
                "rates": list(finger.rates),
                "links": [self._link(link) for link in finger.links],
                "share": finger.share,
            }
            for finger in grasp.fingers
        ]
        fingers = fingers or closing_fingers(grasp.hand_fingers, grasp.rate, grasp.shares)
        self.world.add_grasp(self.id, fingers, grasp.start, grasp.end, grasp.force)

    def skin(self) -> FloatArray:
        """Skin vertices in the world (n, 3) [m], following links and deformed phalanges."""
        poses = [self.world.body_pose(self.id, link) for link in range(len(LINKS))]
        rotations = matrix_from_quaternion(np.array([orientation for _, orientation in poses]))
        displacements = [
            self.world.surface_local_vertices(number) - rest
            for number, rest in zip(self._fields, self._rest, strict=True)
        ]
        return self.model.skin.vertices(
            np.array([position for position, _ in poses]), rotations, displacements
        )

    def _add_palm(self, friction: float) -> None:
        model, tissue = self.model, self.model.palm_tissue
        name = f"{self.body.name}.palm"
        self.world.add_link_surface(
            self.id,
            0,
            name,
            tissue.core_vertices if tissue else model.palm_vertices,
            tissue.core_triangles if tissue else model.palm_triangles,
            friction,
            self.body.palm_aggregate,
        )
        self.surfaces.append(name)

    def _add_field(self, name: str, arguments: dict[str, Any], friction: float) -> None:
        surface = f"{self.body.name}.{name}"
        self.world.add_phalanx(self.id, name=surface, **(arguments | {"friction": friction}))
        self.surfaces.append(surface)

    def _link(self, name: str) -> int:
        if name not in LINKS:
            raise ValueError(f"fingers: no link {name!r} in the hand; links: {', '.join(LINKS)}")
        return LINKS.index(name)

    def _disable_pairs(self) -> None:
        if self.body.self_contact:
            pairs = [
                (f"{self.body.name}.{a}", f"{self.body.name}.{b}") for a, b in self.model.disabled_pairs()
            ]
            pairs = [pair for pair in pairs if all(name in self.surfaces for name in pair)]
        else:
            pairs = [(a, b) for i, a in enumerate(self.surfaces) for b in self.surfaces[:i]]
        for a, b in pairs:
            self.world.disable_pair(a, b)


def add_fingertip(world: Any, body: Fingertip) -> int:
    """Add a fingertip, at rest where it starts, and its surface, called like the body.

    Returns:
        The number of the articulated body that is its frame.
    """
    model = FingertipModel.build(body.finger, body.sizes, body.tissue, body.coupling)
    start = np.concatenate([body.position, body.orientation])
    number = world.add_articulated_body(body.name, [model.link], start, body.gravity_compensated)
    friction = model.tissue.friction if body.friction is None else body.friction
    world.add_phalanx(number, name=body.name, **model.phalanx_arguments() | {"friction": friction})
    world.set_joint_motion(number, np.zeros(1), start[None])
    return int(number)


def _targets(
    model: HandModel,
    body: Hand,
    motion: HandMotion | TrackMotion | None,
    time_step: float,
    steps: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Times (n,) [s] and spring targets (n, 27)."""
    if isinstance(motion, TrackMotion):
        if motion.source is not None:
            raise ValueError(
                f"source: this engine follows recordings, not {motion.source}; record the stream first"
            )
        track = Track(np.array(motion.times), np.array(motion.values), model.parameters.side)
        return track_targets(
            track, placement(motion, body), rate_limits(motion), time_step, motion.start, steps
        )
    if motion is not None:
        values = np.array(motion.values)
        return hand.HandMotion(np.array(motion.times), values, motion.interpolation).resampled(time_step)
    angles = np.array(body.angles or np.zeros(20))
    return np.zeros(1), model.initial_positions(angles, np.array(body.position), np.array(body.orientation))[
        None
    ]
