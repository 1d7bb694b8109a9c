# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the cases of a JSON file, from an index on, in this process: the test beside it starts it and survives it.

    python smoke_worker.py cases.json first

Before a case it prints `@@start <index>`, after it `@@end <index> <JSON>`; what SOFA says lies between the two.
"""

import json
import math
import sys
from collections import Counter

import Sofa
import Sofa.Simulation
import SofaRuntime

from softcontact.engines.sofa.settings import MODULES

STEPS = 50
DT = 0.005
SIDE = 0.04
CONTACT_DISTANCE = 0.001
RIGID_MODELS = {"RigidSphere": "SphereCollisionModel", "Cylinder": "CylinderCollisionModel"}

CORNERS = [[x, y, z] for z in (0.0, SIDE) for y in (0.0, SIDE) for x in (0.0, SIDE)]
TETRAHEDRA = [[0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 6, 4], [3, 6, 5, 7], [0, 3, 6, 5]]


def surface(tetrahedra):
    """The faces that belong to one tetrahedron, outward where the tetrahedra are positive."""
    faces = [f for a, b, c, d in tetrahedra for f in ((b, c, d), (a, d, c), (a, b, d), (a, c, b))]
    count = Counter(tuple(sorted(f)) for f in faces)
    return [list(f) for f in faces if count[tuple(sorted(f))] == 1]


# Of the same tetrahedra: SOFA's MeshTopology crashes where a triangle has an edge that no tetrahedron has.
TRIANGLES = surface(TETRAHEDRA)


def height(model):
    """Distance of a body's lowest point from its origin [m]; bodies of spheres reach below their nodes."""
    return {"Sphere": 0.005, "RigidSphere": SIDE / 2, "Cylinder": SIDE / 2}.get(model, 0.0)


def add_model(node, model, **more):
    """Adds the collision model that `model` names."""
    if model in ("Sphere", "RigidSphere"):
        more["radius"] = height(model)
    if model == "Cylinder":
        more.update(radii=SIDE / 2, heights=SIDE)
    template = "Rigid3" if model in RIGID_MODELS else "Vec3"
    if model not in ("Tetrahedron", "TriangleOctree"):
        more["template"] = template
    node.addObject(RIGID_MODELS.get(model, f"{model}CollisionModel"), **more)


def add_mesh(node):
    node.addObject("MeshTopology", name="mesh", position=CORNERS, tetrahedra=TETRAHEDRA, triangles=TRIANGLES)


def add_body(root, name, model, origin, velocity, soft):
    """A cube of nodes, soft or rigid, or a rigid sphere or cylinder, with its lower face at origin's z."""
    node = root.addChild(name)
    node.addObject("EulerImplicitSolver", rayleighStiffness=0.01, rayleighMass=0.1)
    node.addObject("SparseLDLSolver")
    if soft and model not in RIGID_MODELS:
        add_mesh(node)
        node.addObject(
            "MechanicalObject",
            template="Vec3",
            name="state",
            position=[[o + c for o, c in zip(origin, corner, strict=True)] for corner in CORNERS],
            velocity=[velocity] * len(CORNERS),
        )
        node.addObject("UniformMass", totalMass=0.1)
        node.addObject("TetrahedronFEMForceField", youngModulus=2e4, poissonRatio=0.3)
        node.addObject("LinearSolverConstraintCorrection")
        add_model(node, model)
        return
    centre = SIDE / 2 if model in RIGID_MODELS else 0.0
    place = [origin[0] + centre, origin[1] + centre, origin[2]]
    node.addObject(
        "MechanicalObject",
        template="Rigid3",
        name="state",
        position=[*place, 0, 0, 0, 1],
        velocity=[*velocity, 0, 0, 0],
    )
    node.addObject("UniformMass", vertexMass=f"0.1 1 [{SIDE**2 / 6} 0 0 0 {SIDE**2 / 6} 0 0 0 {SIDE**2 / 6}]")
    node.addObject("LinearSolverConstraintCorrection")
    if model in RIGID_MODELS:
        add_model(node, model)
        return
    surface = node.addChild("surface")
    add_mesh(surface)
    surface.addObject("MechanicalObject", template="Vec3", position="@mesh.position")
    surface.addObject("RigidMapping")
    add_model(surface, model)


def add_obstacle(root, model, origin):
    """The same shapes, standing still: no degrees of freedom that move."""
    node = root.addChild("lower")
    if model in RIGID_MODELS:
        place = [origin[0] + SIDE / 2, origin[1] + SIDE / 2, origin[2]]
        node.addObject("MechanicalObject", template="Rigid3", name="state", position=[*place, 0, 0, 0, 1])
    else:
        add_mesh(node)
        position = [[o + c for o, c in zip(origin, corner, strict=True)] for corner in CORNERS]
        node.addObject("MechanicalObject", template="Vec3", name="state", position=position)
    add_model(node, model, simulated=False, moving=False)


def build(case):
    """The scene of a case: one body falls on another, overlapping it sideways by three quarters."""
    root = Sofa.Core.Node("root")
    root.gravity.value = [0, 0, -9.81]
    root.dt.value = DT
    root.addObject(case["loop"])
    root.addObject("BlockGaussSeidelConstraintSolver", name="solver", tolerance=1e-6, maxIterations=100)
    root.addObject("CollisionPipeline")
    for component in case["detection"]:
        root.addObject(component)
    options = {"alarmDistance": 0.01, "contactDistance": CONTACT_DISTANCE}
    if case["intersection"] == "DiscreteIntersection":
        options = {}
    if case["intersection"] == "CCDTightInclusionIntersection":
        options = {
            "continuousCollisionType": "FreeMotion",
            "alarmDistance": 0.01,
            "contactDistance": CONTACT_DISTANCE,
        }
    root.addObject(case["intersection"], **options)
    root.addObject("CollisionResponse", response=case["response"], responseParams="mu=0.4")

    upper, lower = case["models"]
    top = SIDE / 2 if lower in RIGID_MODELS else SIDE + height(lower)
    gap = top + height(upper) + CONTACT_DISTANCE + 0.002
    add_body(root, "upper", upper, [0.003, 0.002, gap], [0.05, 0.02, -0.3], soft=True)
    if case["fixed"]:
        add_obstacle(root, lower, [0, 0, 0])
    else:
        add_body(root, "lower", lower, [0, 0, 0], [0, 0, 0], soft=False)
    return root


def run(case):
    """Runs a case; returns what came of it."""
    rows = steps = 0
    finite = True
    try:
        root = build(case)
    except Exception as error:  # SofaPython3 raises what the component's constructor complains about
        return {"raised": f"{type(error).__name__}: {error}", "rows": 0, "steps": 0, "finite": True}
    Sofa.Simulation.initRoot(root)
    for _ in range(STEPS):
        Sofa.Simulation.animate(root, DT)
        steps += 1
        rows = max(rows, root.solver.currentNumConstraints.value)
    for body in (root.upper, root.lower):
        finite = finite and all(math.isfinite(x) for x in body.state.position.value.ravel())
    time = root.time.value
    Sofa.Simulation.unload(root)
    return {"rows": rows, "steps": steps, "finite": finite, "time": time}


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    for module in MODULES:
        SofaRuntime.importPlugin(module)
    SofaRuntime.importPlugin("SoftContact")
    for index in range(int(sys.argv[2]), len(cases)):
        print(f"\n@@start {index}", flush=True)
        result = run(cases[index])
        print(f"\n@@end {index} {json.dumps(result)}", flush=True)


if __name__ == "__main__":
    main()
