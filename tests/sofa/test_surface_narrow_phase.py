# SPDX-License-Identifier: LGPL-2.1-or-later
"""SurfaceNarrowPhase in SOFA's pipeline: the core's contacts, those of points inside the other body too."""

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: the narrow phase is not tested in SOFA")

import Sofa.Core
import Sofa.Simulation
from softcontact._core import Surface, detect_contacts

from softcontact.engines.sofa import add
from softcontact.engines.sofa.availability import import_sofa
from softcontact.mesh import box, sphere

ALARM, OFFSET = 2e-3, 5e-4
MODULES = (
    "AnimationLoop", "Collision.Detection.Algorithm", "Collision.Detection.Intersection", "Collision.Geometry",
    "Collision.Response.Contact", "Constraint.Lagrangian.Correction", "Constraint.Lagrangian.Solver",
    "LinearSolver.Direct", "Mapping.NonLinear", "Mass", "ODESolver.Backward", "StateContainer",
    "Topology.Container.Constant",
)  # fmt: skip


def graph(height, first=None, model="TriangleCollisionModel"):
    """A ball with its centre at a height above a fixed plate whose top is at zero; no gravity.

    first: which of them is of the higher rank; None: neither.
    """
    import_sofa()
    root = Sofa.Core.Node("root")
    root.dt.value, root.gravity.value = 0.005, [0.0, 0.0, 0.0]
    for module in MODULES:
        add(root, "RequiredPlugin", name=module.replace(".", "_"), pluginName=f"Sofa.Component.{module}")
    add(root, "TwoPassAnimationLoop")
    solver = add(root, "BlockGaussSeidelConstraintSolver", tolerance=1e-10, maxIterations=1000)
    add(root, "CollisionPipeline")
    add(root, "BruteForceBroadPhase")
    add(root, "SurfaceNarrowPhase")
    add(root, "MinProximityIntersection", alarmDistance=ALARM, contactDistance=OFFSET)
    add(root, "CollisionResponse", response="AggregateVolume")
    patches = add(root, "AggregatePatches")
    ball, plate = sphere(0.02, 6), box((0.1, 0.1, 0.01), (4, 4, 1))
    body = root.addChild("ball")
    add(body, "EulerImplicitSolver")
    add(body, "SparseLDLSolver", template="CompressedRowSparseMatrixd")
    frame = add(body, "MechanicalObject", template="Rigid3", position=[[0, 0, height, 0, 0, 0, 1]])
    add(body, "UniformMass", vertexMass="0.05 1 1e-4 0 0 0 1e-4 0 0 0 1e-4")
    add(body, "LinearSolverConstraintCorrection")
    for node, name, mesh, shift, simulated in (
        (body.addChild("surface"), "ball", ball, height, True),
        (root.addChild("plate"), "plate", plate, -0.005, False),
    ):
        vertices = mesh.vertices + np.array([0, 0, shift])
        add(node, "MeshTopology", position=vertices.tolist(), triangles=mesh.triangles.tolist())
        add(node, "MechanicalObject", template="Vec3", position=vertices.tolist())
        add(node, model, name="model", simulated=simulated)
        if simulated:
            add(node, "RigidMapping", initialPoints=mesh.vertices.tolist())
        add(node, "AggregateGroup", rank=int(name == first))
    Sofa.Simulation.init(root)
    return root, frame, patches, solver, (ball, plate)


def core_contacts(meshes, height, first):
    surfaces = [
        Surface(mesh.vertices + np.array([0, 0, shift]), mesh.triangles)
        for mesh, shift in zip(meshes, (height, -0.005), strict=True)
    ]
    a, b = surfaces if first == "ball" else surfaces[::-1]
    return detect_contacts(a, b, alarm_distance=ALARM, contact_offset=OFFSET)


@pytest.mark.parametrize(
    ("height", "first"),
    [(0.0212, "ball"), (0.0203, "ball"), (0.0192, "ball"), (0.0212, "plate"), (0.0203, "plate")],
)  # apart, near, 0.8 mm inside
def test_contacts_are_those_of_the_core(height, first):
    root, _, patches, _, meshes = graph(height, first)
    Sofa.Simulation.animate(root, 0.005)
    assert patches.contactCount.value == len(core_contacts(meshes, height, first)["gap"]) > 0


def test_of_two_surfaces_the_one_that_moves_samples_unless_told_otherwise():
    root, _, patches, _, meshes = graph(0.0192)
    Sofa.Simulation.animate(root, 0.005)
    assert patches.contactCount.value == len(core_contacts(meshes, 0.0192, "ball")["gap"])
    assert patches.contactCount.value != len(core_contacts(meshes, 0.0192, "plate")["gap"])


def test_a_body_inside_another_is_pushed_out():
    root, frame, _, _, _ = graph(0.0192)
    for _ in range(20):
        Sofa.Simulation.animate(root, 0.005)
    assert np.isclose(frame.position.value[0][2], 0.02 + OFFSET, atol=5e-5)


def test_other_models_are_told_of_and_left_alone(capfd):
    root, _, _, solver, _ = graph(0.0192, model="PointCollisionModel")
    for _ in range(2):
        Sofa.Simulation.animate(root, 0.005)
    assert solver.currentNumConstraints.value == 0
    printed = capfd.readouterr()
    assert (printed.out + printed.err).count("use BVHNarrowPhase for other models") == 1
