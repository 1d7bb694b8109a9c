# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which an avatar that is touched stays on its feet: probes and checks."""

from softcontact.scene.avatars import DistanceProbe
from softcontact.scene.measures import (
    Finite,
    NotTurned,
    PenetrationLimit,
    ProbeLimit,
    Solved,
)

FEET = ("right_foot", "left_foot")
SLIDE = 0.005  # m, of a foot
LEAN = 0.1  # m, of the pelvis


def standing_probes(who: str) -> list[DistanceProbe]:
    """How far the feet slid and the pelvis moved [m].

    Args:
        who: name of the avatar.
    """
    feet = [DistanceProbe(name=f"{foot} slid", body=who, link=foot) for foot in FEET]
    return [*feet, DistanceProbe(name="pelvis moved", body=who)]


def standing_checks(who: str) -> list[ProbeLimit | NotTurned | PenetrationLimit | Solved | Finite]:
    """The feet stay, nobody falls, and the run can be trusted; needs `standing_probes`.

    Args:
        who: name of the avatar.
    """
    feet = [
        ProbeLimit(name=f"{foot} does not slide", probe=f"{foot} slid", reduce="max", maximum=SLIDE)
        for foot in FEET
    ]
    return [
        *feet,
        ProbeLimit(name="does not fall", probe="pelvis moved", reduce="max", maximum=LEAN),
        NotTurned(name="stays upright", body=who, limit=0.2),
        PenetrationLimit(limit=2e-3),
        Solved(share=0.99),
        Finite(),
    ]
