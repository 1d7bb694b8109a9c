# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies of a scene: rigid, kinematic, tetrahedral, articulated, the hand, single fingertips, tools, vademecums."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from softcontact.hand import FingertipCoupling, HandCompliance, HandParameters, HandTissue
from softcontact.scene.avatars import AvatarBody, Yielding
from softcontact.scene.fields import (
    ORIGIN,
    UPRIGHT,
    Indices,
    Integer,
    Length,
    Matrix3,
    Name,
    NonNegative,
    Part,
    Position,
    Positive,
    Quaternion,
    Ratio,
    Reals,
    Vector,
)
from softcontact.scene.placed import Placed, Role
from softcontact.scene.shapes import KinematicSurface, Solid, Surface
from softcontact.scene.tools import Tool, ToolCoupling
from softcontact.scene.vademecums import VademecumBody


class RigidBody(Placed):
    """A body that moves without changing shape."""

    kind: Literal["rigid"] = "rigid"
    shape: Surface
    """Surface in body axes, closed unless mass, com and inertia are given."""
    mass: Positive | None = None
    """Mass [kg]; give this or density."""
    density: Positive | None = None
    """Density [kg/m³]; 1000 when neither mass nor density is given."""
    com: Annotated[Vector | None, Length()] = None
    """Centre of mass in body axes [m]; by default from the shape."""
    inertia: Matrix3 | None = None
    """Inertia about the centre of mass, body axes [kg m²]; by default from the shape."""
    velocity: Position = ORIGIN
    """Linear velocity of the centre of mass at the start [m/s]."""
    angular_velocity: Vector = ORIGIN
    """Angular velocity at the start, world axes [rad/s]."""
    aggregate: bool = False
    """Whether this body gathers its contacts with another into one patch. On tissue a patch is as fine as the body's
    picture: what is to roll over tissue that it hardly dents belongs in points."""

    @model_validator(mode="after")
    def _one_mass(self) -> "RigidBody":
        if self.mass is not None and self.density is not None:
            raise ValueError("mass and density are both given; give one of them")
        return self


class KinematicBody(Placed):
    """A body that follows its motion, or stands still, whatever touches it."""

    kind: Literal["kinematic"] = "kinematic"
    shape: KinematicSurface
    """Surface in body axes."""
    role: Role = "table"
    """What the replay shows it as."""


class Material(Part):
    """An elastic material, linear or stiffening with strain, with Rayleigh damping."""

    young: Positive
    """Young's modulus E [Pa]."""
    poisson: Ratio = 0.45
    """Poisson's ratio ν [-], 0 ≤ ν < 0.5."""
    density: Positive = 1000.0
    """Density ρ [kg/m³]."""
    rayleigh_mass: NonNegative = 0.0
    """Damping in proportion to mass [1/s]: it brakes the body as a whole too, like a thin fluid around it."""
    rayleigh_stiffness: NonNegative = 0.01
    """Damping in proportion to stiffness [s]: of deformation only."""
    stiffening: Annotated[float, Field(ge=0, le=1e3)] = 0.0
    """b of σ = E ε exp(b ε²), the answer to uniaxial stress [-]; 0 is linear."""
    stiffening_limit: Annotated[float, Field(ge=1, le=1e6)] = 100.0
    """Largest factor of the stiffening on Young's modulus [-]."""


class Region(Part):
    """An axis-aligned box in body axes."""

    low: Position
    """Lowest corner [m]."""
    high: Position
    """Highest corner [m]."""

    @model_validator(mode="after")
    def _ordered(self) -> "Region":
        if any(not a <= b for a, b in zip(self.low, self.high, strict=True)):
            raise ValueError(f"low {self.low} must not exceed high {self.high} in any coordinate")
        return self


class Inclusion(Part):
    """A ball of another stiffness inside a body, such as a nodule."""

    centre: Position
    """Centre at rest, in body axes [m]."""
    radius: Annotated[Positive, Length()]
    """Radius [m]."""
    ratio: Annotated[Positive, Field(ge=1e-3, le=1e3)]
    """Young's modulus as a multiple of the material's [-]; in elements partly inside a mean."""


class TetrahedralBody(Placed):
    """A soft body of linear corotational tetrahedra."""

    kind: Literal["tetrahedral"] = "tetrahedral"
    shape: Solid
    """Tetrahedra in body axes."""
    material: Material
    """Material of every element."""
    inclusions: tuple[Inclusion, ...] = ()
    """Where it is stiffer or softer; where they overlap, the last counts."""
    fixed_nodes: Indices = ()
    """Numbers of the nodes that do not move."""
    fixed_region: Region | None = None
    """Nodes that lie in this box at rest, in body axes, do not move."""
    velocity: Position = ORIGIN
    """Velocity of all nodes at the start [m/s]."""
    aggregate: bool = False
    """Whether this body gathers its contacts with another into one patch."""


class Link(Part):
    """One link of an articulated body, placed in the axes of its parent link."""

    name: Name
    """Name of the link; its surface is called BODY.LINK."""
    parent: str | None = None
    """Name of the parent link, named earlier; None means the body's base."""
    joint: Literal["revolute", "prismatic", "universal", "spherical", "free", "fixed"] = "revolute"
    """Joint to the parent."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Axis of a revolute or prismatic joint, first axis of a universal one, in link axes [-]."""
    second_axis: Vector = (1.0, 0.0, 0.0)
    """Second axis of a universal joint [-]."""
    position: Position = ORIGIN
    """The joint in the parent's axes [m]."""
    orientation: Quaternion = UPRIGHT
    """Link axes in the parent's, at joint position zero, quaternion (x, y, z, w)."""
    mass: Positive
    """Mass [kg]."""
    com: Position = ORIGIN
    """Centre of mass in link axes [m]."""
    inertia: Matrix3
    """Inertia about the centre of mass, link axes [kg m²]."""
    stiffness: tuple[NonNegative, ...] = ()
    """Joint spring, a value a degree of freedom [N·m/rad or N/m]; none by default."""
    damping: tuple[NonNegative, ...] = ()
    """Joint damper, a value a degree of freedom [N·m·s/rad or N·s/m]; none by default."""
    lower: Reals = ()
    """Lower joint limits, a value a degree of freedom [rad or m]; none by default."""
    upper: Reals = ()
    """Upper joint limits, a value a degree of freedom [rad or m]; none by default."""
    limit_stiffness: NonNegative | None = None
    """Spring that acts beyond a limit [N·m/rad or N/m]; by default limits are rigid."""
    shape: Surface | None = None
    """Surface for contact, in link axes."""
    aggregate: bool = False
    """Whether this link gathers its contacts with another body into one patch."""

    @model_validator(mode="after")
    def _sizes(self) -> "Link":
        count = {"universal": 2, "spherical": 3, "free": 6, "fixed": 0}.get(self.joint, 1)
        for field in ("stiffness", "damping", "lower", "upper"):
            given = len(getattr(self, field))
            if given not in (0, count):
                raise ValueError(f"{field} has {given} values; a {self.joint} joint takes {count}, or none")
        if self.joint in ("spherical", "free") and (self.lower or self.upper):
            raise ValueError(f"lower, upper: a {self.joint} joint takes no limits; leave them out")
        return self


class ArticulatedBody(Placed):
    """Links joined by joints with springs, dampers and limits."""

    kind: Literal["articulated"] = "articulated"
    links: Annotated[tuple[Link, ...], Field(min_length=1)]
    """Links, parents first."""
    joint_positions: Reals = ()
    """Joint positions at the start (nq,) [rad or m; spherical: quaternion]; zero by default."""
    gravity_compensated: bool = False
    """Whether gravity is left out for this body."""
    role: Role = "avatar"
    """What the replay shows it as."""

    @model_validator(mode="after")
    def _tree(self) -> "ArticulatedBody":
        seen: set[str] = set()
        for index, link in enumerate(self.links):
            if link.name in seen:
                raise ValueError(f"links[{index}].name: {link.name!r} is taken; give each link its own name")
            if link.parent is not None and link.parent not in seen:
                raise ValueError(
                    f"links[{index}].parent: no link {link.parent!r} before it; list parents first"
                )
            seen.add(link.name)
        return self


class Hand(Placed):
    """A soft hand: stiffly driven joints, tetrahedral phalanges, one contact patch a phalanx."""

    kind: Literal["hand"] = "hand"
    sizes: HandParameters = HandParameters()
    """Side and sizes of the hand [m]."""
    tissue: HandTissue = HandTissue()
    """Material of the phalanges; its friction counts unless `friction` is given."""
    compliance: HandCompliance = HandCompliance()
    """Springs that pull the hand along."""
    angles: Reals = ()
    """Joint angles at the start (20,) [rad]; zero by default."""
    gravity_compensated: bool = True
    """Whether gravity is left out for the hand, as a person holds it up."""
    palm: Literal["rigid", "soft", "off"] = "rigid"
    """The palm in contact: a rigid surface, soft pads over one (ball of the thumb, little finger's side and the row
    under the fingers, each with a patch of its own), or none."""
    palm_aggregate: bool = True
    """Whether the palm's rigid surface gathers its contacts with another body into one patch."""
    self_contact: bool = False
    """Whether the fingers collide with each other."""
    role: Role = "phalanx"
    """What the replay shows it as."""

    @field_validator("angles")
    @classmethod
    def _twenty(cls, angles: tuple[float, ...]) -> tuple[float, ...]:
        if len(angles) not in (0, 20):
            raise ValueError(f"{len(angles)} angles; give 20, four a finger from the thumb on, or none")
        return angles


class Fingertip(Placed):
    """The soft tip of one finger on a frame that springs pull along; one contact patch.

    Its origin is the summit of the pad, x points to the tip of the finger, z out of the nail: it presses along -z.
    """

    kind: Literal["fingertip"] = "fingertip"
    finger: Literal["thumb", "index", "middle", "ring", "little"] = "index"
    """Whose tip it is."""
    sizes: HandParameters = HandParameters()
    """Side and sizes of the hand that the tip belongs to [m]."""
    tissue: HandTissue = HandTissue()
    """Material of the pad; its friction counts unless `friction` is given."""
    coupling: FingertipCoupling = FingertipCoupling()
    """Springs that pull the frame along; how far the motion leads into an object decides the force."""
    gravity_compensated: bool = True
    """Whether gravity is left out for the fingertip, as a person holds it up."""
    role: Role = "phalanx"
    """What the replay shows it as."""


Face = Literal["left", "right", "front", "back", "bottom", "top"]


class ElasticBlock(Placed):
    """A quasi-static elastic block of hexahedra, for the flexibility method; two of them make such a scene.

    Its origin is its lowest corner, its edges lie along the axes of the world.
    """

    kind: Literal["block"] = "block"
    size: Position
    """Edge lengths [m]."""
    divisions: tuple[Integer, Integer, Integer]
    """Number of hexahedra along x, y and z."""
    young: Positive
    """Young's modulus E [Pa]."""
    poisson: Ratio = 0.3
    """Poisson's ratio ν [-], 0 ≤ ν < 0.5."""
    clamped: tuple[Face, ...] = ()
    """Faces that do not move."""
    driven: Face | None = None
    """Face that moves as a whole, along the body's motion."""

    @model_validator(mode="after")
    def _held(self) -> "ElasticBlock":
        if not self.clamped and self.driven is None:
            raise ValueError(
                "clamped and driven are both empty; a quasi-static block needs a face that is held"
            )
        if not all(x > 0 for x in self.size):
            raise ValueError(f"size: {self.size}; give three lengths > 0")
        if not all(n >= 1 for n in self.divisions):
            raise ValueError(f"divisions: {self.divisions}; give three numbers ≥ 1")
        if self.orientation != UPRIGHT:
            raise ValueError("orientation: a block lies along the axes of the world; leave orientation out")
        return self


Body = Annotated[
    RigidBody
    | KinematicBody
    | TetrahedralBody
    | ArticulatedBody
    | Hand
    | Fingertip
    | ElasticBlock
    | VademecumBody
    | Tool
    | AvatarBody,
    Field(discriminator="kind"),
]
__all__ = [
    "ArticulatedBody",
    "AvatarBody",
    "Body",
    "ElasticBlock",
    "Face",
    "Fingertip",
    "Hand",
    "KinematicBody",
    "Link",
    "Material",
    "Region",
    "RigidBody",
    "TetrahedralBody",
    "Tool",
    "ToolCoupling",
    "VademecumBody",
    "Yielding",
]
