# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a scene measures (probes) and what it promises (checks)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from softcontact.scene.avatars import DistanceProbe
from softcontact.scene.fields import Integer, Length, Name, NonNegative, Part, Positive, Real, Vector

Axis = Literal["x", "y", "z", "up", "norm"]


class PositionProbe(Part):
    """Position of a body: a component, the height against gravity (up), or the distance from the origin."""

    kind: Literal["position"] = "position"
    name: Name
    """Name of the probe."""
    body: Name
    """The body."""
    axis: Axis = "up"
    """Component."""


class PointProbe(Part):
    """Displacement of one surface vertex of a body from its place at the start."""

    kind: Literal["point"] = "point"
    name: Name
    """Name of the probe."""
    body: Name
    """The body."""
    vertex: Annotated[Integer, Field(ge=0)]
    """Number of the surface vertex."""
    axis: Axis = "norm"
    """Component."""


class ForceProbe(Part):
    """Contact force on a body, from everything that touches it or from one other body [N]."""

    kind: Literal["contact_force"] = "contact_force"
    name: Name
    """Name of the probe."""
    body: Name
    """The body that the force acts on."""
    other: Name | None = None
    """The body that the force comes from; by default all."""
    axis: Axis = "norm"
    """Component."""


class DeviceForceProbe(Part):
    """Force of a tool's coupling on the device that holds it [N]."""

    kind: Literal["device_force"] = "device_force"
    name: Name
    """Name of the probe."""
    body: Name
    """The tool."""
    axis: Axis = "norm"
    """Component."""


class EnergyProbe(Part):
    """Energy of the scene [J]."""

    kind: Literal["energy"] = "energy"
    name: Name
    """Name of the probe."""
    part: Literal["kinetic", "elastic", "potential", "total"] = "total"
    """Which energy."""


class JointProbe(Part):
    """One joint position of an articulated body or a hand [rad or m]."""

    kind: Literal["joint"] = "joint"
    name: Name
    """Name of the probe."""
    body: Name
    """The body."""
    index: Annotated[Integer, Field(ge=0)]
    """Number of the joint position."""


Probe = Annotated[
    PositionProbe | PointProbe | ForceProbe | DeviceForceProbe | EnergyProbe | JointProbe | DistanceProbe,
    Field(discriminator="kind"),
]


PROBE_UNITS = {
    "position": "m",
    "point": "m",
    "distance": "m",
    "contact_force": "N",
    "device_force": "N",
    "energy": "J",
    "joint": "rad",
}


class _Check(Part):
    name: str | None = None
    """Name in the results; by default the kind and the body."""

    def title(self) -> str:
        """The check's name in the results."""
        parts = [getattr(self, "kind", "check"), getattr(self, "body", None) or getattr(self, "probe", None)]
        return self.name or " ".join(part for part in parts if part)


class _Window(_Check):
    start: NonNegative = 0.0
    """Start of the time that the check looks at [s]."""
    end: Positive | None = None
    """End of that time [s]; by default the end of the scene."""

    @model_validator(mode="after")
    def _ordered(self) -> "_Window":
        if self.end is not None and not self.end > self.start:
            raise ValueError(f"end ({self.end:g} s) must come after start ({self.start:g} s)")
        return self


class Lifted(_Check):
    """The body stands at least `height` above where it started."""

    kind: Literal["lifted"] = "lifted"
    body: Name
    """The body."""
    height: Annotated[Positive, Length()]
    """Least rise against gravity [m]."""
    at: Positive | None = None
    """Time [s]; by default the end of the scene."""


class Held(_Window):
    """The body sinks no more than `drop` and something still touches it at the end."""

    kind: Literal["held"] = "held"
    body: Name
    """The body."""
    by: Name | None = None
    """What must touch it; by default anything."""
    drop: Annotated[Positive, Length()] = 0.005
    """Largest fall below its height at the start of the window [m]."""


class Drift(_Window):
    """The body stays within `limit` of its place at the start of the window."""

    kind: Literal["drift"] = "drift"
    body: Name
    """The body."""
    limit: Annotated[Positive, Length()]
    """Largest distance [m]."""


class Slip(_Window):
    """The body stays within `limit` of its place in the axes of `other`."""

    kind: Literal["slip"] = "slip"
    body: Name
    """The body."""
    other: Name
    """The body whose axes count; a hand's palm."""
    limit: Annotated[Positive, Length()]
    """Largest distance [m]."""


class Turned(_Window):
    """The body turns about an axis of the world by at least `minimum`, all turns added up."""

    kind: Literal["turned"] = "turned"
    body: Name
    """The body."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Axis in the world; a turn counts by its part about it [-]."""
    minimum: Real
    """Least angle [rad], counterclockwise seen against the axis."""
    maximum: Real | None = None
    """Greatest angle [rad]; none by default."""

    @model_validator(mode="after")
    def _sensible(self) -> "Turned":
        if not any(self.axis):
            raise ValueError("axis: (0, 0, 0) has no direction; give one")
        if self.maximum is not None and not self.maximum > self.minimum:
            raise ValueError(
                f"maximum ({self.maximum:g} rad) must be greater than minimum ({self.minimum:g} rad)"
            )
        return self


class NotTurned(_Window):
    """The body keeps its orientation at the start of the window, in the world or in the axes of `other`."""

    kind: Literal["not_turned"] = "not_turned"
    body: Name
    """The body."""
    other: Name | None = None
    """The body whose axes count; by default the world's."""
    limit: Positive
    """Largest angle [rad]."""


class Level(_Window):
    """A direction of the body stays level."""

    kind: Literal["level"] = "level"
    body: Name
    """The body."""
    direction: Vector = (1.0, 0.0, 0.0)
    """Direction in body axes [-]."""
    limit: Positive
    """Largest angle between it and the horizontal [rad]."""

    @model_validator(mode="after")
    def _some_direction(self) -> "Level":
        if not any(self.direction):
            raise ValueError("direction: (0, 0, 0) has no direction; give one")
        return self


class PenetrationLimit(_Window):
    """No point of a body is deeper than `limit` inside another one."""

    kind: Literal["penetration"] = "penetration"
    limit: Annotated[Positive, Length()]
    """Largest penetration [m]."""


class OverlapLimit(_Window):
    """No body is deeper inside another one than a share of the smaller one's largest side.

    Bodies that touch in patches are held apart on average alone; a scene may allow them more by `patches`. One without
    such a check is judged by one all the same.
    """

    kind: Literal["overlap"] = "overlap"
    limit: Positive = 0.01
    """Largest overlap of bodies that touch in points [-]."""
    patches: Positive = 0.01
    """Largest overlap of bodies that touch in patches [-]."""


class NotSelfCrossing(_Window):
    """No soft body goes through itself, which contact does not look for.

    A scene with soft bodies is judged by one even where it has none.
    """

    kind: Literal["not_self_crossing"] = "not_self_crossing"
    most: Annotated[Integer, Field(ge=0)] = 0
    """Pairs of its triangles that may cross."""


class WithinLimits(_Window):
    """No joint goes beyond its rigid limits, as the joint positions tell.

    A scene with such limits is judged by one even where it has none.
    """

    kind: Literal["within_limits"] = "within_limits"
    limit: Positive = 1e-3
    """Farthest beyond a limit [rad or m]."""


class NoEnergyGained(_Window):
    """The energy of what nothing drives never rises: contact and time integration may take some and give none.

    A rise is told as a share of the largest of the energy lost since the start, that ever in motion and strain, and the
    weight of a body times its size: bodies lifted out of as large an overlap as OverlapLimit allows stay below the
    limit. A scene without motions, grasps, belts, hands and tools is judged by one even where it has none. With
    chains by implicit Euler it may rise, on top, by as much as their own potential energy ever changes in a step: so
    far their energy goes up and down by itself. Where something drives a scene,
    nothing is known of the work that comes in, and the check is refused.
    """

    kind: Literal["no_energy_gained"] = "no_energy_gained"
    limit: Positive = 0.01
    """Largest rise above an earlier value [-]."""


class Finite(_Check):
    """Every recorded number is finite."""

    kind: Literal["finite"] = "finite"


class ProbeLimit(_Window):
    """A probe stays between two values."""

    kind: Literal["probe_limit"] = "probe_limit"
    probe: Name
    """Name of the probe."""
    reduce: Literal["final", "min", "max", "mean", "largest"] = "final"
    """What is taken of the probe in the window; largest is the largest absolute value."""
    minimum: Real | None = None
    """Least value, in the probe's unit."""
    maximum: Real | None = None
    """Greatest value, in the probe's unit."""

    @model_validator(mode="after")
    def _bounded(self) -> "ProbeLimit":
        if self.minimum is None and self.maximum is None:
            raise ValueError("neither minimum nor maximum is given; give at least one")
        return self


class Solved(_Window):
    """The contact solver came to its tolerance, or within solver.accepted_residual, in this share of the steps.

    A scene without such a check over its whole time is judged by one all the same, with a share of 1.
    """

    kind: Literal["solved"] = "solved"
    share: Annotated[Positive, Field(le=1)] = 1.0
    """Least share of the steps [-]."""


class ContactCount(_Window):
    """The number of contact points in every step lies between two values."""

    kind: Literal["contact_count"] = "contact_count"
    minimum: Annotated[Integer, Field(ge=0)] = 0
    """Least number [-]."""
    maximum: Annotated[Integer | None, Field(ge=0)] = None
    """Greatest number [-]; none by default."""


class SolveTime(_Window):
    """The contact solver keeps within a time in this share of the steps."""

    kind: Literal["solve_time"] = "solve_time"
    limit: Positive
    """Most time of the solver in a step [s]."""
    share: Annotated[Positive, Field(le=1)] = 0.999
    """Share of the steps that must keep it [-]."""


class ForceJump(_Window):
    """The contact force on a body changes from step to step by no more than a share of its mean."""

    kind: Literal["force_jump"] = "force_jump"
    body: Name
    """The body."""
    limit: Positive
    """Largest change between two steps, as a share of the mean force [-]."""


class FrictionCone(_Window):
    """The contact force on a body stays in the friction cone about an axis."""

    kind: Literal["friction_cone"] = "friction_cone"
    body: Name
    """The body."""
    friction: NonNegative
    """Friction coefficient μ [-]."""
    excess: NonNegative = 1e-6
    """Most that the tangential force may exceed μ times the normal force, as a share of the largest force [-]."""


Check = Annotated[
    Lifted
    | Held
    | Drift
    | Slip
    | Turned
    | NotTurned
    | Level
    | PenetrationLimit
    | OverlapLimit
    | NotSelfCrossing
    | NoEnergyGained
    | WithinLimits
    | Finite
    | ProbeLimit
    | Solved
    | ContactCount
    | SolveTime
    | ForceJump
    | FrictionCone,
    Field(discriminator="kind"),
]
