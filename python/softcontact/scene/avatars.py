# SPDX-License-Identifier: LGPL-2.1-or-later
"""Avatars in a scene, and the haptic device by which a person holds a tool or one of their links."""

from typing import Annotated, Literal

from pydantic import model_validator

from softcontact.scene.fields import (
    ORIGIN,
    UPRIGHT,
    Length,
    Name,
    NonNegative,
    Part,
    Points,
    Position,
    Positive,
    Times,
)
from softcontact.scene.placed import Placed, Role


class Yielding(Part):
    """How an avatar gives way where it is touched, M q̈_d + B q̇_d + K (q_d − q_0) = J_eᵀ f_e, each in proportion to
    the stiffness k_p of the joint's servo, so that strong joints give way less than weak ones."""

    damping_time: Positive | None = None
    """B / k_p [s]; by default 0.003 s for the robot and 0.01 s for the human."""
    inertia_time: Positive = 0.03
    """M / B [s]: how long it takes to follow a force."""
    stiffness_share: NonNegative = 0.0
    """K / k_p [-]; 0: it stays where it was led, > 0: it returns."""


class AvatarBody(Placed):
    """A humanoid that stands on z = 0, looks along x, and gives way where a device touches or leads it.

    It holds an object between its palms, or offers its right hand, or only stands.
    """

    kind: Literal["avatar"] = "avatar"
    who: Literal["robot", "human"] = "robot"
    """A robot of 32 joints, or a man with spherical joints."""
    feet: Literal["point", "aggregate"] = "point"
    """One contact a point of the soles, or one patch a foot where contact.model is aggregate."""
    hands: Literal["point", "aggregate"] = "point"
    """One contact a point of the hands, or one patch a hand where contact.model is aggregate."""
    role: Role = "avatar"
    """What the replay shows it as."""
    yielding: Yielding = Yielding()
    """How it gives way."""
    holds: Name | None = None
    """Rigid body or tool between its palms at the start, its sides along y."""
    squeeze: Positive = 15.0
    """Force of each palm on what it holds [N]."""
    release: Positive | None = None
    """When it lets go [s]; by default never."""
    offers: Annotated[Position | None, Length()] = None
    """Where it holds out the palm of its right hand [m]; by default its arms hang."""

    @model_validator(mode="after")
    def _stands(self) -> "AvatarBody":
        if self.orientation != UPRIGHT or self.position[2] != 0.0:
            raise ValueError("position, orientation: an avatar stands upright on z = 0 and looks along x")
        if self.holds is not None and self.offers is not None:
            raise ValueError("holds and offers are both given; give one of them")
        if self.release is not None and self.holds is None:
            raise ValueError("release: it holds nothing; name a body in holds, or leave release out")
        return self


class HeldDevice(Part):
    """A haptic device in a person's hand, simulated or recorded, by which a tool or a link of an avatar is held.

    The coupling of a tool is its own; a link hangs on k_p and k_v = √(2 m k_p) with the mass m that is felt there.
    The device feels it in simulated time at the rate of the time step.
    """

    kind: Literal["device_in_hand"] = "device_in_hand"
    body: Name
    """The tool, or the avatar."""
    link: str | None = None
    """Link of the avatar that is held."""
    point: Position = ORIGIN
    """Where the link is held, in its axes [m]."""
    times: Times = ()
    """Times (k,), rising [s]."""
    positions: Points = ()
    """Where the hand intends to be (k, 3) [m], straight lines between; a link's are from where it is held at first."""
    recording: str | None = None
    """File of a haptic session whose device is played in place of times and positions, whatever force comes."""
    law: Literal["couplings", "contact"] = "couplings"
    """How the device feels a tool: through a haptic tool that hangs on the tool in the scene, or through the linear
    contact model of each step, which takes point contacts."""
    end: Positive | None = None
    """When the hand lets go of a link [s]; by default never."""
    stiffness: Positive = 600.0
    """k_p of the coupling to a link [N/m]."""
    tool_mass: Positive = 0.05
    """Mass of the haptic tool between device and world, where the law is that of couplings [kg]."""
    max_force: Positive = 3.3
    """Largest force of the device [N]; by default a PHANTOM Omni's."""
    force_axes: Literal[3, 6] = 3
    """Whether the device feels forces alone, or torques too."""

    @model_validator(mode="after")
    def _rows(self) -> "HeldDevice":
        if (self.recording is None) == (len(self.times) == 0):
            raise ValueError("recording: give times and positions of a hand, or a recording, one of the two")
        if self.law == "contact" and self.link is not None:
            raise ValueError("law: a link has no contact with the device; leave law out, or name a tool")
        if len(self.positions) != len(self.times):
            raise ValueError(
                f"positions has {len(self.positions)} rows for {len(self.times)} times; give one row a time"
            )
        if self.end is not None and self.link is None:
            raise ValueError("end: a tool stays in the hand; leave end out, or name a link")
        return self


class DistanceProbe(Part):
    """How far a body, or a link of an avatar, is from a point or from where it started [m]."""

    kind: Literal["distance"] = "distance"
    name: Name
    """Name of the probe."""
    body: Name
    """The body."""
    link: str | None = None
    """Link of an avatar or an articulated body; by default the body's own origin."""
    point: Position | None = None
    """The point [m]; by default where it started."""
    axis: Literal["x", "y", "z", "up", "norm"] = "norm"
    """Component."""
