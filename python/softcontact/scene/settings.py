# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of a scene: contact, solver, recording, friction of a pair."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from softcontact.scene.fields import (
    ORIGIN,
    Integer,
    Length,
    Name,
    NonNegative,
    Part,
    Position,
    Positive,
    Vector,
)


class ContactSettings(Part):
    """How contacts are found, gathered and rubbed."""

    model: Literal["aggregate", "point"] = "aggregate"
    """One constraint a patch (aggregate) or one a contact point (point)."""
    aggregation: Literal["single", "adaptive"] = "single"
    """Patches of two surfaces that meet in patches: one (single), or one for each place where they touch, told apart
    by position and normal (adaptive)."""
    friction_law: Literal["contensou", "contensou-decoupled", "coulomb"] = "contensou"
    """Friction of a patch: with torsion (contensou), the paper's literal form, or without torsion."""
    patch: Literal["moments", "mean"] = "moments"
    """The normal force of a patch: bears the moments of its pressure (six rows a patch), or acts as one row without
    moment, as in the paper (four rows)."""
    pressure: Literal["nonuniform", "uniform"] = "nonuniform"
    """Pressure over a patch: in proportion to how deep the undeformed bodies overlap, or the same everywhere."""
    alarm_distance: Annotated[Positive | None, Length()] = None
    """Surfaces nearer than this are watched [m]; by default 1/35 of the largest side of the smallest moving body, and
    at most 2 mm where a hand is in the scene."""
    contact_offset: Annotated[NonNegative | None, Length()] = None
    """Distance at which surfaces come to rest [m], less than alarm_distance; by default a thousandth of it.
    One that is given adds to every depth, and takes from every clearance. Exact shapes (spheres, capsules, cylinders,
    boxes, planes) touch where they are, without one."""
    max_penetration: Annotated[Positive | None, Length()] = None
    """Depth to which a free motion is followed before the contact is lost [m]; by default 5 alarm distances."""
    friction: NonNegative = 0.5
    """Friction coefficient μ of bodies that name none [-]."""


class SolverSettings(Part):
    """When the contact solver stops."""

    tolerance: Positive = 1e-8
    """Largest change of a contact velocity in the last sweep at which a step counts as solved [m/s]."""
    max_iterations: Annotated[Integer, Field(ge=1)] = 10000
    """Most sweeps over all contacts in a step."""
    accepted_residual: Positive = 1e-5
    """What a step that misses the tolerance may still be off in any contact velocity without failing the run [m/s].
    Rigid bodies that touch at more points than hold them have contacts that contradict each other by about this."""


class FlexibilitySettings(Part):
    """How a scene of two elastic blocks is solved: contact solver, displacement solver, clock."""

    displacement: Literal["linear", "corotational"] = "linear"
    """Displacement solver of both blocks."""
    method: str = "block_gauss_seidel"
    """Contact solver: one of softcontact.solver, and on a device block_gauss_seidel, local_uzawa or global_uzawa."""
    tolerance: Positive = 1e-12
    """Natural-map residual at which a step without a device counts as solved [-]."""
    uzawa_error: Annotated[Positive | None, Length()] = None
    """Where given, what stops the contact solver: |Δr| / ρ of a sweep [m]."""
    warm_start: bool = True
    """Whether a step starts from the last forces instead of zero."""
    clock: Literal["simulated", "wall"] = "simulated"
    """Ticks of a device in simulated time, or paced by the clock, as fast as a real device asks for them."""
    tick_tolerance: Annotated[Positive, Length()] = 1e-9
    """What the last sweep of a tick may move [m]."""
    budget: Positive | None = None
    """Time after which a tick takes its forces as they are [s]; by default 0.8 of the time step by the wall clock, and
    none in simulated time."""
    refresh: Annotated[Integer, Field(ge=1)] = 40
    """Ticks of a device between two linearisations of corotational blocks."""


class PairFriction(Part):
    """Friction coefficient of two bodies against each other.

    Where a pair is not named, the geometric mean √(μ_a μ_b) of the bodies' own coefficients counts.
    """

    a: Name
    """One body."""
    b: Name
    """The other body."""
    friction: NonNegative
    """Friction coefficient μ [-]."""


class PairRestitution(Part):
    """Coefficient of restitution of two bodies, Newton's: they part at this share of the speed at which they met.

    Contacts that close more slowly than gravity moves a body in two steps do not bounce. Pairs that are not named
    do not bounce either. Bodies that bounce touch in points, whatever their `aggregate` says, and where Newton's law
    with friction would give energy they part more slowly. Both are rigid: what is soft bounces by its elasticity.
    """

    a: Name
    """One body."""
    b: Name
    """The other body."""
    restitution: Annotated[float, Field(ge=0, le=1)]
    """Coefficient e [-], 0 to 1."""


class SurfaceVelocity(Part):
    """A surface that moves over its body, such as a conveyor belt or the rim of a driven roller.

    The body itself stays where it is. At a point x the surface moves with linear + angular × (x − centre) relative to
    the body, in body axes; only what lies in the plane of a contact counts.
    """

    body: Name
    """The body whose surface moves."""
    linear: Position = ORIGIN
    """Linear velocity, in body axes [m/s]."""
    angular: Vector = ORIGIN
    """Angular velocity, in body axes [rad/s]."""
    centre: Position = ORIGIN
    """Point in body axes that the angular velocity turns about [m]."""


class PairOff(Part):
    """Two bodies that pass through each other."""

    a: Name
    """One body."""
    b: Name
    """The other body."""


class Camera(Part):
    """A view that a body carries, such as the optics of a scope; the replay can look through it."""

    name: Name
    """Name of the view."""
    body: Name
    """The rigid, kinematic or tool body that carries it."""
    position: Position = ORIGIN
    """Place in body axes [m]."""
    direction: Vector = (0.0, 0.0, 1.0)
    """Direction that it looks in, in body axes [-]."""
    up: Vector = (0.0, 1.0, 0.0)
    """Direction in body axes that is upward in the picture [-]."""
    field_of_view: Annotated[float, Field(ge=10, le=150)] = 90.0
    """Angle over the height of the picture [degrees]."""

    @model_validator(mode="after")
    def _looks_somewhere(self) -> "Camera":
        if not any(self.direction):
            raise ValueError("direction: (0, 0, 0) has no direction; give one")
        d, u = self.direction, self.up
        cross = (d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0])
        if not any(abs(c) > 1e-9 for c in cross):
            raise ValueError(f"up: {u} points along the direction {d}; give another one")
        return self


class Cut(Part):
    """A section through a body in the replay's view from outside; views from within show the body whole."""

    body: Name
    """The body that is cut open."""
    point: Position
    """A point of the plane, in the world [m]."""
    normal: Vector
    """Direction of the side that is not drawn [-]."""

    @model_validator(mode="after")
    def _has_a_side(self) -> "Cut":
        if not any(self.normal):
            raise ValueError("normal: (0, 0, 0) has no direction; give one")
        return self


class RecordSettings(Part):
    """What a run keeps."""

    frames_per_second: Annotated[Positive, Field(le=1000)] = 25.0
    """Frames of the replay a simulated second [1/s]."""
    cameras: tuple[Camera, ...] = ()
    """Further views in the replay, carried by bodies."""
    cuts: tuple[Cut, ...] = ()
    """Sections through bodies in the replay's view from outside."""
    tactile: bool = False
    """Whether pressure and traction at the vertices of all touched surfaces are kept, step by step."""
