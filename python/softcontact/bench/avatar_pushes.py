# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars pushed with 20 N for half a second at chest, wrist and head: what gives way, and what returns."""

from typing import Any

import numpy as np

from softcontact import _core
from softcontact.avatar import (
    WORLD_OPTIONS,
    AvatarController,
    Balance,
    CompliantChain,
    StandingAvatar,
    human,
    robot,
)
from softcontact.mesh import primitives

TIME_STEP = 1e-3
FORCE, PUSHED, RETURNED = 20.0, 0.5, 3.0  # N, s, s after
DAMPING, STIFFNESS = 30.0, 60.0  # of the chain [N·m·s/rad], [N·m/rad]
MAKERS = {"robot": robot, "human": human}
# Link and point in its axes [m].
PLACES = {
    "robot": {"chest": ("chest", (0.0, 0.0, 0.15)), "wrist": ("right_wrist_pitch", (0.0, 0.0, 0.0))}
    | {"head": ("head", (0.0, 0.0, 0.1))},
    "human": {"chest": ("thorax", (0.0, 0.0, 0.1)), "wrist": ("right_hand", (0.0, 0.0, 0.0))}
    | {"head": ("head", (0.0, 0.0, 0.1))},
}
DIRECTIONS = {"ahead": (1, 0, 0), "back": (-1, 0, 0), "left": (0, 1, 0), "right": (0, -1, 0)} | {
    "up": (0, 0, 1),
    "down": (0, 0, -1),
}
#: What a push has to keep: the joints off the chain and the legs [rad], the whole body after it has returned
#: [rad] and its pelvis [m], the feet [m].
LIMITS = {"elsewhere_rad": 0.01, "returned_rad": 0.01, "returned_m": 2e-3, "slid_m": 5e-3}


def push(name: str, place: str, direction: str, contact: str = "aggregate") -> dict[str, Any]:
    """How an avatar gives way to one push, and how it returns.

    Args:
        name: robot or human.
        place: chest, wrist or head; direction: ahead, back, left, right, up or down.
        contact: point or aggregate.
    Returns:
        Largest motion of the touched chain, and of the joints that are neither on it nor on the legs, at the end of the
        push; of all joints and of the pelvis 3 s after it; of the feet throughout [rad, m]; `passed`: see LIMITS.
    """
    world = _core.World(TIME_STEP, (0.0, 0.0, -9.81), {**WORLD_OPTIONS, "contact": contact})
    ground = primitives.table((4.0, 4.0), 0.1)
    pose = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    world.add_kinematic_body("ground", ground.vertices, ground.triangles, *pose, 0.8)
    body = StandingAvatar(world, MAKERS[name](), patches=("foot",) if contact == "aggregate" else ())
    avatar, model = body.avatar, body.avatar.model
    chain = CompliantChain(avatar, body.posture, damping=DAMPING, stiffness=STIFFNESS)
    control = AvatarController(body, chain=chain, balance=Balance(avatar, body.posture))
    link, point = PLACES[name][place]
    load = (link, np.array(point), FORCE * np.array(DIRECTIONS[direction], dtype=float), np.zeros(3))
    touched = chain.chain(link)
    legs = chain.chain(avatar.feet[0]) | chain.chain(avatar.feet[1])
    elsewhere = ~touched & ~legs
    elsewhere[:6] = False
    slid = 0.0
    moved = np.zeros(model.nv)
    for seconds, loads in ((PUSHED, [load]), (RETURNED, [])):
        for _ in range(round(seconds / 0.1)):
            control.run(0.1, loads)
            slid = max(slid, *(_slid(body, foot) for foot in avatar.feet))
        if loads:
            moved = np.abs(body.displacement())
    after = np.abs(body.displacement())
    found: dict[str, Any] = {
        "avatar": name,
        "place": place,
        "direction": direction,
        "chain_rad": float(moved[touched].max()),
        "elsewhere_rad": float(moved[elsewhere].max()),
        "returned_rad": float(after[6:].max()),
        "returned_m": float(np.linalg.norm(after[:3])),
        "slid_m": slid,
    }
    return found | {"passed": all(found[key] <= limit for key, limit in LIMITS.items())}


def _slid(body: StandingAvatar, foot: str) -> float:
    model = body.avatar.model
    here, there = (model.link_pose(q, foot)[1] for q in (body.configuration, body.posture))
    return float(np.linalg.norm(here - there))
