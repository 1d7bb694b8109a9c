# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which an avatar that is touched stays on its feet: options, world, probes and checks."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from softcontact.scene.avatars import AvatarBody, DistanceProbe
from softcontact.scene.bodies import KinematicBody
from softcontact.scene.library import SceneOptions
from softcontact.scene.measures import (
    Finite,
    NotTurned,
    PenetrationLimit,
    ProbeLimit,
    Solved,
)
from softcontact.scene.model import Scene
from softcontact.scene.settings import Camera, ContactSettings, RecordSettings
from softcontact.scene.shapes import Box

OFFSET = 5e-4  # m, at which surfaces come to rest
FRICTION = 0.8  # of soles, palms and the ground
FEET = ("right_foot", "left_foot")
SLIDE = 0.005  # m, of a foot
LEAN = 0.1  # m, of the pelvis

Contact = Literal["point", "aggregate"]


class AvatarOptions(SceneOptions):
    """Who stands there, on what kind of contact, and how stiff the hand of the person that touches it is."""

    who: Literal["robot", "human"] = "robot"
    """A robot of 32 joints, or a man with spherical joints."""
    feet: Contact | None = None
    """One contact a point of the soles (robot 32, human 108), or one patch a foot; by default points for the robot and
    patches for the human."""
    hands: Contact | None = None
    """One contact a point of the hands, or one patch a hand; by default patches: palms that grip with many points are
    slow to solve."""
    stiffness: Annotated[float, Field(ge=100, le=2000)] = 600.0
    """k_p of the virtual coupling [N/m]; its damping is √(2 m k_p)."""

    def avatar(self, **details: Any) -> AvatarBody:
        """Its body.

        Args:
            details: other fields of AvatarBody, or the same.
        """
        feet = self.feet or ("point" if self.who == "robot" else "aggregate")
        contact = {"feet": feet, "hands": self.hands or "aggregate"}
        return AvatarBody(name=self.who, who=self.who, friction=FRICTION, **(contact | details))


def standing_scene(
    avatar: AvatarBody,
    *,
    bodies: Sequence[Any] = (),
    probes: Sequence[Any],
    checks: Sequence[Any],
    view: dict[str, Any],
    **details: Any,
) -> Scene:
    """A scene of an avatar on the ground, at steps of 1 ms, seen from the side.

    Args:
        avatar: its contact makes that of the scene.
        bodies: besides the ground; the avatar comes last.
        probes, checks: besides `standing_probes` and `standing_checks`, which come after them.
        view: position, direction and field_of_view of the camera.
        details: other fields of Scene.
    """
    ground = KinematicBody(
        name="ground", shape=Box(size=(3.0, 3.0, 0.1)), position=(0.0, 0.0, -0.05), friction=FRICTION
    )
    model = "aggregate" if "aggregate" in (avatar.feet, avatar.hands) else "point"
    return Scene(
        time_step=1e-3,
        contact=ContactSettings(
            model=model,
            friction_law="contensou",
            alarm_distance=2e-3,
            contact_offset=OFFSET,
            friction=FRICTION,
        ),
        bodies=[ground, *bodies, avatar],
        probes=[*probes, *standing_probes(avatar.name)],
        checks=[*checks, *standing_checks(avatar.name)],
        record=RecordSettings(
            cameras=[Camera(name="from the side", body="ground", up=(0.0, 0.0, 1.0), **view)]
        ),
        **details,
    )


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
