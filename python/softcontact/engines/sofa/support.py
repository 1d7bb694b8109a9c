# SPDX-License-Identifier: LGPL-2.1-or-later
"""What of a scene the engine `sofa` expresses; the rest is refused, never left out in silence."""

from typing import Any

from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

_PLACED = "kind name position orientation friction role color"
_EXPRESSED = {
    "Scene": "format name description notes units duration steps time_step gravity contact solver bodies pair_friction "
    "pairs_off motions grasp grasps probes checks record",
    "ContactSettings": "model friction_law pressure patch alarm_distance contact_offset max_penetration friction",
    "SolverSettings": "tolerance max_iterations",
    "RecordSettings": "frames_per_second cameras cuts",
    "RigidBody": f"{_PLACED} shape mass density com inertia velocity angular_velocity aggregate",
    "Tool": f"{_PLACED} shape mass density com inertia coupling",
    "ToolCoupling": "stiffness damping angular_stiffness angular_damping max_force max_torque handle_position "
    "handle_orientation",
    "KinematicBody": f"{_PLACED} shape",
    "TetrahedralBody": f"{_PLACED} shape material fixed_nodes fixed_region velocity aggregate",
    "Material": "young poisson density rayleigh_mass rayleigh_stiffness",
    "ArticulatedBody": f"{_PLACED} links joint_positions gravity_compensated",
    "Link": "name parent joint axis second_axis position orientation mass com inertia stiffness damping lower upper "
    "limit_stiffness shape aggregate",
    "Hand": f"{_PLACED} sizes tissue compliance angles gravity_compensated palm_aggregate self_contact",
    "Fingertip": f"{_PLACED} finger sizes tissue coupling gravity_compensated",
    "HandTissue": "young poisson density rayleigh_mass rayleigh_stiffness bound_stiffness friction",
    "Keyframes": "kind body times positions orientations",
    "JointMotion": "kind body times targets",
    "HandMotion": "kind body times values interpolation",
    "TrackMotion": "kind body times values start frame position orientation joint_rate palm_rate turn_rate",
    "Grasp": "body start end force rate hand_fingers shares fingers",
    "Finger": "name dofs rates links share",
}
EXPRESSED = {name: frozenset(fields.split()) for name, fields in _EXPRESSED.items()}
REMEDY = "leave it out, or use --engine embedded"


def check_support(scene: Scene) -> None:
    """Refuse what the graph would have to leave out.

    Raises:
        SceneError: names the field and its value.
    """
    _check(scene, "")
    _check(scene.contact, "contact")
    _check(scene.solver, "solver")
    _check(scene.record, "record")
    for index, body in enumerate(scene.bodies):
        where = f"bodies[{index}] ({body.name})"
        _check(body, where)
        if getattr(getattr(body, "shape", None), "kind", "") == "plane":
            raise SceneError(
                f"{where}.shape: engine 'sofa' cannot express a plane without end; use a Box, or --engine embedded"
            )
        if hasattr(body, "material"):
            _check(body.material, f"{where}.material")
        if hasattr(body, "coupling") and body.kind == "tool":
            _check(body.coupling, f"{where}.coupling")
        if hasattr(body, "tissue"):
            _check(body.tissue, f"{where}.tissue")
        for number, link in enumerate(getattr(body, "links", ())):
            _check(link, f"{where}.links[{number}] ({link.name})")
    for index, motion in enumerate(scene.motions):
        _check(motion, f"motions[{index}] ({motion.body})")
    for where, grasp in scene.closings():
        _check(grasp, where)
        for finger in grasp.fingers:
            _check(finger, f"{where}.fingers ({finger.name})")


def _check(part: Any, where: str) -> None:
    known = EXPRESSED.get(type(part).__name__)
    if known is None:
        kind = getattr(part, "kind", type(part).__name__)
        raise SceneError(f"{where}: engine 'sofa' cannot express kind '{kind}'; {REMEDY}")
    for name, field in type(part).model_fields.items():
        if name in known:
            continue
        value = getattr(part, name)
        if field.is_required() or value != field.get_default(call_default_factory=True):
            place = f"{where}.{name}" if where else name
            shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
            raise SceneError(f"{place}: engine 'sofa' cannot express {shown}; {REMEDY}")
