# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of a scene on SOFA's root node: modules, time step, animation loop, solver, detection."""

from typing import Any

from softcontact.engines.sofa.components import add
from softcontact.scene import bodies
from softcontact.scene.model import Scene

MODULES = (
    "Sofa.Component.AnimationLoop",
    "Sofa.Component.Collision.Detection.Algorithm",
    "Sofa.Component.Collision.Detection.Intersection",
    "Sofa.Component.Collision.Geometry",
    "Sofa.Component.Collision.Response.Contact",
    "Sofa.Component.Constraint.Lagrangian.Correction",
    "Sofa.Component.Constraint.Lagrangian.Solver",
    "Sofa.Component.Constraint.Projective",
    "Sofa.Component.LinearSolver.Direct",
    "Sofa.Component.Mapping.Linear",
    "Sofa.Component.Mapping.NonLinear",
    "Sofa.Component.Mass",
    "Sofa.Component.MechanicalLoad",
    "Sofa.Component.ODESolver.Backward",
    "Sofa.Component.SolidMechanics.FEM.Elastic",
    "Sofa.Component.SolidMechanics.Spring",
    "Sofa.Component.StateContainer",
    "Sofa.Component.Topology.Container.Constant",
    "Sofa.Component.Topology.Container.Dynamic",
    "SoftContact",
)
JOINT_MODULE = "ArticulatedSystemPlugin"


def add_settings(root: Any, scene: Scene, distances: dict[str, float]) -> tuple[Any, Any, Any]:
    """Fill in the root node, all but the bodies, the narrow phase and the contact manager.

    Args:
        root: SOFA's root node.
        scene: the scene.
        distances: alarm distance and contact offset [m].
    Returns:
        The constraint solver, AggregatePatches, and a Rigid3 state that stands still: the frame of soft bodies; None
        where no tissue meets anything in patches.
    """
    root.dt.value = scene.time_step
    root.gravity.value = list(scene.gravity)
    jointed = any(
        isinstance(b, bodies.Hand | bodies.Fingertip | bodies.ArticulatedBody) for b in scene.bodies
    )
    for module in (*MODULES, *((JOINT_MODULE,) if jointed else ())):
        add(root, "RequiredPlugin", name=module.replace(".", "_"), pluginName=module)
    add(root, "TwoPassAnimationLoop", name="loop")
    solver = add(
        root,
        "BlockGaussSeidelConstraintSolver",
        name="solver",
        tolerance=scene.solver.tolerance,
        maxIterations=scene.solver.max_iterations,
        scaleTolerance=False,
    )
    add(root, "CollisionPipeline", name="pipeline")
    add(root, "BruteForceBroadPhase", name="broad_phase")
    add(  # of the method only the distances count: the narrow phase finds the contacts
        root,
        "MinProximityIntersection",
        name="distances",
        alarmDistance=distances["alarm_distance"],
        contactDistance=distances["contact_offset"],
    )
    patches = add(root, "AggregatePatches", name="patches")
    tissue = any(isinstance(b, bodies.Hand | bodies.Fingertip | bodies.TetrahedralBody) for b in scene.bodies)
    if not tissue or scene.contact.model != "aggregate":
        return solver, patches, None
    # Pressure follows the motion of tissue on the frames of both bodies.
    node = root.addChild("ground")
    still = [[0.0] * 6 + [1.0]]
    return solver, patches, add(node, "MechanicalObject", name="frame", template="Rigid3", position=still)
