# SPDX-License-Identifier: LGPL-2.1-or-later
"""A hand ready for simulation: links, springs, phalanges, contact surfaces and skin.

Source: Talvas et al. 2015, Sec. 4. The coupling of the joints is softer than the tissue under a large force
(their Sec. 5.4), so that a strong grasp bends the joints before it squashes the fingers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from .anatomy import FINGERS, LINKS, SEGMENTS, HandParameters, joint_limits
from .kinematics import MIRROR, HandKinematics, quaternion_from_matrix
from .palm import palm_mesh
from .palm_tissue import PalmTissue, build_palm_tissue
from .phalanx import Phalanx, build_phalanx
from .shape import mass_properties, segment_shape
from .skin import HandSkin, build_skin

__all__ = ["HandCompliance", "HandModel", "HandTissue"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Aimed-at distance between palmar surface vertices of a finger 19 mm broad [m]: proximal, middle, distal.
_SURFACE_SPACING = (0.0048, 0.0039, 0.0037)
_UNIT_BREADTH = 0.019


class HandTissue(BaseModel):
    """Soft tissue of the phalanges, and of the palm's pads.

    Attributes:
        young: Young's modulus [Pa].
        poisson: Poisson's ratio [-].
        density: of the tissue [kg/m³].
        rayleigh_mass: mass-proportional damping [1/s].
        rayleigh_stiffness: stiffness-proportional damping [s].
        bound_stiffness: spring from each bound node to its bone [N/m]; far stiffer than the tissue around a
            node.
        friction: Coulomb coefficient of dry skin [-].
        elasticity: "corotational", or "linear" in the displacements in the link's axes: less time, and right while
            no part of the tissue turns by much against its bone.
        stiffening: b of σ = E ε exp(b ε²), the tissue's answer to uniaxial stress [-]; 0 is linear.
        stiffening_limit: largest factor on Young's modulus [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    young: float = Field(1.0e5, gt=0.0, le=1e12)
    poisson: float = Field(0.42, ge=0.0, lt=0.5)
    density: float = Field(1050.0, ge=500.0, le=2000.0)
    rayleigh_mass: float = Field(2.0, ge=0.0, le=1e4)
    rayleigh_stiffness: float = Field(2.0e-3, ge=0.0, le=1.0)
    bound_stiffness: float = Field(2.0e4, gt=0.0, le=1e9)
    friction: float = Field(0.8, ge=0.0, le=10.0)
    elasticity: Literal["corotational", "linear"] = "corotational"
    stiffening: float = Field(0.0, ge=0.0, le=1e3)
    stiffening_limit: float = Field(100.0, ge=1.0, le=1e6)


class HandCompliance(BaseModel):
    """Springs that pull the hand along its targets; damping is `damping_ratio` of critical in every joint.

    Attributes:
        palm_translation: [N/m].
        palm_rotation: [N·m/rad].
        abduction: finger bases sideways [N·m/rad].
        flexion: base, middle and distal flexion [N·m/rad].
        damping_ratio: 1 is critical [-].
        limit: stiffness beyond a joint's limit [N·m/rad].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    palm_translation: float = Field(3000.0, gt=0.0, le=1e7)
    palm_rotation: float = Field(40.0, gt=0.0, le=1e5)
    abduction: float = Field(3.0, gt=0.0, le=1e4)
    flexion: tuple[float, float, float] = (2.0, 1.5, 1.0)
    damping_ratio: float = Field(1.0, ge=0.0, le=10.0)
    limit: float = Field(50.0, gt=0.0, le=1e5)

    def model_post_init(self, context: Any, /) -> None:
        """Reject flexion stiffnesses that are not positive."""
        for value in self.flexion:
            if not 0.0 < value <= 1e4:
                raise ValueError(f"flexion: {value} N·m/rad is not a stiffness; give 0 < value ≤ 1e4")


@dataclass(frozen=True)
class HandModel:
    """Everything that a simulation needs of one hand. Build it with `HandModel.build`.

    Attributes:
        parameters: sizes and side.
        tissue: material of the phalanges.
        compliance: joint springs.
        kinematics: joint frames and forward kinematics.
        phalanges: the 15 phalanges, in the order of anatomy.LINKS[1:].
        palm_vertices: surface of the whole palm in its frame [m], shape (k, 3).
        palm_triangles: closed and outward, shape (t, 3).
        palm_tissue: pads and rigid core of a soft palm, None for a rigid one.
        skin: the skin for the eye.
        links: one dictionary a link, as World.add_articulated_body takes them.
    """

    parameters: HandParameters
    tissue: HandTissue
    compliance: HandCompliance
    kinematics: HandKinematics
    phalanges: tuple[Phalanx, ...]
    palm_vertices: FloatArray
    palm_triangles: IntArray
    palm_tissue: PalmTissue | None
    skin: HandSkin
    links: tuple[dict[str, Any], ...]

    @classmethod
    def build(
        cls,
        parameters: HandParameters | None = None,
        tissue: HandTissue | None = None,
        compliance: HandCompliance | None = None,
        palm: Literal["rigid", "soft"] = "rigid",
    ) -> HandModel:
        """Build a hand; None means the defaults of each part, a soft palm has pads over its rigid surface. The same
        input gives the same numbers.
        """
        if palm not in ("rigid", "soft"):
            raise ValueError(f"palm: {palm!r} is unknown; give 'rigid' or 'soft'")
        parameters = parameters or HandParameters()
        tissue, compliance = tissue or HandTissue(), compliance or HandCompliance()
        phalanges, palm_tissue, skin = _right_parts(parameters.model_dump_json(), palm)
        palm_vertices, palm_triangles = palm_mesh(parameters)
        if parameters.side == "left":
            palm_tissue = palm_tissue.mirrored() if palm_tissue else None
            phalanges = tuple(p.mirrored() for p in phalanges)
            palm_vertices, palm_triangles = palm_vertices @ MIRROR, palm_triangles[:, [0, 2, 1]]
            skin = replace(skin, local=skin.local @ MIRROR, triangles=skin.triangles[:, [0, 2, 1]])
        kinematics = HandKinematics.build(parameters)
        links = _links(parameters, compliance, kinematics, phalanges, (palm_vertices, palm_triangles))
        return cls(
            parameters,
            tissue,
            compliance,
            kinematics,
            phalanges,
            palm_vertices,
            palm_triangles,
            palm_tissue,
            skin,
            links,
        )

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> HandModel:
        """Build from plain settings: fields of HandParameters, "tissue" and "compliance" with theirs, "palm"."""
        sizes = {k: v for k, v in settings.items() if k not in ("tissue", "compliance", "palm")}
        return cls.build(
            HandParameters(**sizes),
            HandTissue(**settings.get("tissue", {})),
            HandCompliance(**settings.get("compliance", {})),
            settings.get("palm", "rigid"),
        )

    @property
    def mass(self) -> float:
        """Mass of the whole hand [kg]."""
        return float(sum(link["mass"] for link in self.links))

    def phalanx_arguments(self, index: int) -> dict[str, Any]:
        """Arguments of World.add_phalanx for phalanx `index` (0 to 14), without body and name; "link" is its
        link.
        """
        return {"link": index + 1} | phalanx_arguments(self.phalanges[index], self.tissue)

    def pad_arguments(self, index: int) -> dict[str, Any]:
        """Arguments of World.add_phalanx for pad `index` of a soft palm, without body and name."""
        if self.palm_tissue is None:
            raise ValueError("palm: this hand's palm is rigid and has no pads; build it with palm='soft'")
        return {"link": 0} | phalanx_arguments(self.palm_tissue.pads[index], self.tissue)

    def disabled_pairs(self) -> list[tuple[str, str]]:
        """Pairs of links that touch or overlap at rest and must not collide, by name ("palm" included, and its
        pads: "palm_thenar" and so on).
        """
        pairs = []
        for i, finger in enumerate(FINGERS):
            names = [f"{finger}_{segment}" for segment in SEGMENTS]
            pairs += [("palm", names[0]), (names[0], names[1]), (names[1], names[2])]
            if i > 1:  # neighbouring fingers share their web
                pairs.append((f"{FINGERS[i - 1]}_proximal", names[0]))
        pairs += [("palm", "thumb_middle"), ("thumb_proximal", "index_proximal")]
        pads = [f"palm_{name}" for name in self.palm_tissue.names] if self.palm_tissue else []
        pairs += [(pad, link) for pad in pads for palm, link in pairs if palm == "palm"]
        return pairs

    def initial_positions(
        self, angles: FloatArray, palm_position: FloatArray, palm_quaternion: FloatArray
    ) -> FloatArray:
        """Joint positions q (27,): palm position [m], palm quaternion (x, y, z, w), the 20 angles [rad]."""
        return np.concatenate(
            [np.asarray(v, dtype=float).ravel() for v in (palm_position, palm_quaternion, angles)]
        )


@functools.lru_cache(
    maxsize=2
)  # planning a grasp and simulating it take the same hand, and so do a sweep's runs
def _right_parts(sizes: str, palm: str) -> tuple[tuple[Phalanx, ...], PalmTissue | None, HandSkin]:
    """Phalanges, palm tissue and skin of a right hand; `sizes` are its HandParameters as JSON."""
    parameters = HandParameters.model_validate_json(sizes)
    phalanges = tuple(right_phalanx(parameters, finger, i) for finger in FINGERS for i in range(3))
    palm_tissue = build_palm_tissue(parameters) if palm == "soft" else None
    return phalanges, palm_tissue, build_skin(parameters, phalanges, palm_tissue.pads if palm_tissue else ())


def right_phalanx(parameters: HandParameters, finger: str, segment: int) -> Phalanx:
    """Segment 0, 1 or 2 of a finger of a right hand with these sizes."""
    spacing = _SURFACE_SPACING[segment] * parameters.finger(finger).breadths[1]
    return build_phalanx(
        segment_shape(parameters, finger, SEGMENTS[segment]),
        segment,
        spacing / (_UNIT_BREADTH * parameters.resolution),
        parameters.tissue_resolution,
    )


def phalanx_arguments(phalanx: Phalanx, tissue: HandTissue) -> dict[str, Any]:
    """Arguments of World.add_phalanx for a phalanx of this tissue, without body, link and name."""
    count = len(phalanx.tetrahedra)
    return {
        "nodes": phalanx.nodes,
        "tetrahedra": phalanx.tetrahedra,
        "young": np.full(count, tissue.young),
        "poisson": np.full(count, tissue.poisson),
        "density": np.full(count, tissue.density),
        "rayleigh_mass": tissue.rayleigh_mass,
        "rayleigh_stiffness": tissue.rayleigh_stiffness,
        "bound_nodes": phalanx.bound_nodes,
        "bound_stiffness": tissue.bound_stiffness,
        "surface_nodes": phalanx.surface_nodes,
        "surface_weights": phalanx.surface_weights,
        "surface_triangles": phalanx.triangles,
        "friction": tissue.friction,
        "stiffening": tissue.stiffening,
        "stiffening_limit": tissue.stiffening_limit,
        "linear": tissue.elasticity == "linear",
    }


def _composite_inertias(
    kinematics: HandKinematics, bodies: list[tuple[float, FloatArray, FloatArray]]
) -> FloatArray:
    """Inertia of all that each of the 20 joints moves, about its axis, hand open [kg·m²], shape (20,)."""
    positions, rotations = kinematics.poses(np.zeros(20))
    inertias = np.empty(20)
    for joint in range(20):
        finger, k = divmod(joint, 4)
        first = 1 + 3 * finger + max(0, k - 1)
        axis = rotations[first][:, 2 if k == 0 else 1]
        total = 0.0
        for link in range(first, 4 + 3 * finger):
            mass, com, inertia = bodies[link]
            arm = np.cross(axis, positions[link] + rotations[link] @ com - positions[first])
            local = rotations[link].T @ axis
            total += local @ inertia @ local + mass * arm @ arm
        inertias[joint] = total
    return inertias


def _links(
    parameters: HandParameters,
    compliance: HandCompliance,
    kinematics: HandKinematics,
    phalanges: tuple[Phalanx, ...],
    palm: tuple[FloatArray, IntArray],
) -> tuple[dict[str, Any], ...]:
    surfaces = [palm, *((p.vertices, p.triangles) for p in phalanges)]
    bodies = [mass_properties(v, t, parameters.density) for v, t in surfaces]
    inertias = _composite_inertias(kinematics, bodies)
    lower, upper = joint_limits()

    def damping(stiffness: list[float], moved: list[float]) -> list[float]:
        return [
            2.0 * compliance.damping_ratio * np.sqrt(k * m) for k, m in zip(stiffness, moved, strict=True)
        ]

    def link(
        name: str, index: int, joint: str, parent: int, place: FloatArray, turn: FloatArray
    ) -> dict[str, Any]:
        mass, com, inertia = bodies[index]
        return {
            "name": name,
            "parent": parent,
            "joint": joint,
            "position": place,
            "orientation": turn,
            "mass": mass,
            "com": com,
            "inertia": inertia,
        }

    straight = np.array([0.0, 0.0, 0.0, 1.0])
    palm_link = link("palm", 0, "free", -1, np.zeros(3), straight)
    total = sum(b[0] for b in bodies)
    stiffness = [compliance.palm_translation] * 3 + [compliance.palm_rotation] * 3
    moved = [total] * 3 + list(_hand_inertia(kinematics, bodies))
    palm_link |= {
        "axis": np.array([1.0, 0.0, 0.0]),
        "stiffness": stiffness,
        "damping": damping(stiffness, moved),
        "lower": [-np.inf] * 6,
        "upper": [np.inf] * 6,
        "limit_stiffness": compliance.limit,
    }
    links = [palm_link]
    for index, name in enumerate(LINKS[1:], start=1):
        finger, segment = divmod(index - 1, 3)
        if segment == 0:
            turn = quaternion_from_matrix(kinematics.base_rotations[finger])
            entry = link(name, index, "universal", 0, kinematics.base_positions[finger], turn)
            entry |= {"axis": np.array([0.0, 0.0, kinematics.mirror]), "axis2": np.array([0.0, 1.0, 0.0])}
            joints = [4 * finger, 4 * finger + 1]
            stiffness = [compliance.abduction, compliance.flexion[0]]
        else:
            place = np.array([kinematics.lengths[finger, segment - 1], 0.0, 0.0])
            entry = link(name, index, "revolute", index - 1, place, straight)
            entry["axis"] = np.array([0.0, 1.0, 0.0])
            joints = [4 * finger + segment + 1]
            stiffness = [compliance.flexion[segment]]
        entry |= {
            "stiffness": stiffness,
            "damping": damping(stiffness, [inertias[j] for j in joints]),
            "lower": [lower[j] for j in joints],
            "upper": [upper[j] for j in joints],
            "limit_stiffness": compliance.limit,
        }
        links.append(entry)
    return tuple(links)


def _hand_inertia(
    kinematics: HandKinematics, bodies: list[tuple[float, FloatArray, FloatArray]]
) -> FloatArray:
    """Inertia of the open hand about the palm's three axes [kg·m²]."""
    positions, rotations = kinematics.poses(np.zeros(20))
    total = np.zeros(3)
    for (mass, com, inertia), position, rotation in zip(bodies, positions, rotations, strict=True):
        centre = position + rotation @ com
        total += np.diag(rotation @ inertia @ rotation.T) + mass * (centre @ centre - centre**2)
    return total
