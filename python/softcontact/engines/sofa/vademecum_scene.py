# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rigid block pressed on a solid in SOFA: the solid as its vademecum has it, or as elements of SOFA's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.sofa.components import add, registered
from softcontact.engines.sofa.messages import told_apart
from softcontact.engines.sofa.settings import MODULES
from softcontact.engines.sofa.vademecum import add_vademecum, add_vademecum_solid, opposite_nodes
from softcontact.scene.errors import SceneError
from softcontact.vademecum import Vademecum

__all__ = ["SOLIDS", "Press", "create_vademecum_scene"]

FloatArray = NDArray[np.float64]

SOLIDS = ("vademecum", "hyperelastic", "corotational")
HYPERELASTIC = "TetrahedronHyperelasticityFEMForceField"

_MODULES = (*MODULES, "Sofa.Component.LinearSolver.Iterative")
_HYPERELASTIC = "Sofa.Component.SolidMechanics.FEM.HyperElastic"
_STEEL = 7850.0  # density [kg/m³]
# Corners of the six tetrahedra that a hexahedron in VTK's order falls into.
_SIX = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])


@dataclass(frozen=True)
class Press:
    """What is pressed on the solid, and how: lengths in m, times in s.

    Attributes:
        size: of the block along the solid, across it, and along the load.
        spacing: of the block's points.
        place: of its middle along the solid, as a share of that length.
        depth: way past the first touch, along the load.
        drag: way back along the solid, once it is down.
        times: of the touch, and when it is down, dragged, and up again.
        stiffness: of the coupling that moves the block [N/m].
        contact: of a point of the block [N/m].
        friction: coefficient.
    """

    size: tuple[float, float, float] = (0.04, 0.06, 0.03)
    spacing: float = 0.01
    place: float = 0.9
    depth: float = 0.05
    drag: float = 0.05
    times: tuple[float, float, float, float] = (0.02, 0.2, 0.4, 0.5)
    stiffness: float = 5e7
    contact: float = 1e8
    friction: float = 0.3

    @classmethod
    def fitting(cls, vademecum: Vademecum) -> Press:
        """The same for another solid: lengths in its longest side, stiffnesses in its largest force by that."""
        longest = float(np.ptp(vademecum.mesh.nodes, axis=0).max())
        far = longest / 0.4  # the defaults are for the paper's beam, 0.4 m under up to 1 MN
        hard = vademecum.cases.magnitude / 1e6 / far
        size = (cls.size[0] * far, cls.size[1] * far, cls.size[2] * far)
        lengths = {"spacing": cls.spacing * far, "depth": cls.depth * far, "drag": cls.drag * far}
        return cls(size, **lengths, stiffness=cls.stiffness * hard, contact=cls.contact * hard)


def create_vademecum_scene(
    root: Any,
    vademecum: Vademecum | Path | str,
    *,
    solid: str = "vademecum",
    press: Press | None = None,
    step: float = 1e-3,
    density: float = _STEEL,
) -> Any:
    """Fill a SOFA root node with a block that is pressed on a solid, dragged over it, and lifted.

    Args:
        root: SOFA's root node.
        vademecum: of the solid, or its file; its first direction is the one that the block comes along.
        solid: "vademecum", or finite elements of SOFA's own on the same nodes: "hyperelastic", St Venant-Kirchhoff on
            tetrahedra, or "corotational", Hooke on the vademecum's own elements.
        press: the block and its way; None means Press.fitting(vademecum).
        step: time step [s].
        density: of the solid [kg/m³].
    Returns:
        The root node.
    Raises:
        SceneError: no such solid, or one that this SOFA has no component for.
        VademecumFileError: no such file, not whole, or of another version.
    """
    from softcontact.engines.sofa.availability import import_sofa

    import_sofa()
    if solid not in SOLIDS:
        raise SceneError(f"solid: {solid!r}; give one of {', '.join(SOLIDS)}")
    if solid == "hyperelastic" and not _hyperelastic():
        raise SceneError(
            f"solid: 'hyperelastic' needs {HYPERELASTIC}, and SOFA finds no plugin {_HYPERELASTIC}"
        )
    read = vademecum if isinstance(vademecum, Vademecum) else Vademecum.load(vademecum)
    press = press or Press.fitting(read)
    root.dt.value = step
    root.gravity.value = [0.0, 0.0, 0.0]
    for module in _MODULES:
        add(root, "RequiredPlugin", name=module.replace(".", "_"), pluginName=module)
    way = _Way(read, press)
    mass = density * float(read.mesh.volume())
    if solid == "vademecum":
        add(root, "DefaultAnimationLoop", name="loop")
        _add_integration(root)
        add(root, "CGLinearSolver", name="solver", iterations=200, tolerance=1e-9, threshold=1e-14)
        container = add_vademecum(root, read)
        made = add_vademecum_solid(root, container, opposite_nodes(read), mass=mass)
        shell = _add_block(root, way)
        add(
            root,
            "VademecumContactForceField",
            name="contact",
            object1="@" + made.nodes.state.getPathName(),
            object2="@" + shell.state.getPathName(),
            stiffness=press.contact,
            friction=press.friction,
        )
    else:
        _add_pipeline(root, press)
        _add_elements(root, read, solid, mass)
        shell = _add_block(root, way)
        _add_integration(root.block)
        add(root.block, "SparseLDLSolver", name="solver", template="CompressedRowSparseMatrixd")
        add(root.block, "LinearSolverConstraintCorrection", name="correction")
        add(shell, "PointCollisionModel", name="points")
    _drive(root, root.block.coupling, way)
    return root


def _hyperelastic() -> bool:
    """Whether SOFA has its hyperelastic elements; loads their plugin, which some installations lack."""
    import SofaRuntime

    if not registered(HYPERELASTIC):
        with told_apart(shown=False):
            try:
                SofaRuntime.importPlugin(_HYPERELASTIC)
            except (RuntimeError, ValueError):
                return False
    return registered(HYPERELASTIC)


class _Way:
    """The block's frame, points and keyframes, in the solid's coordinates."""

    def __init__(self, read: Vademecum, press: Press) -> None:
        nodes, down = read.mesh.nodes, read.cases.directions[0]
        axis = int(np.ptp(nodes, axis=0).argmax())
        low, high = nodes.min(axis=0), nodes.max(axis=0)
        middle = 0.5 * (low + high)
        clamped = nodes[read.cases.solid.clamped, axis]
        away = -1.0 if clamped.mean() > middle[axis] else 1.0  # from the clamp to the free end
        along = away * np.eye(3)[axis]
        start = middle - (middle @ down) * down + float((nodes @ down).min()) * down
        start[axis] = middle[axis] + away * (press.place - 0.5) * (high[axis] - low[axis])
        over = 0.5 * press.size[2] * -down
        clear = 0.125 * press.size[0] * -down  # above the solid before the touch
        pressed = start + over + press.depth * down
        dragged = pressed - press.drag * along
        self.press = press
        self.times = np.array([0.0, *press.times])
        self.places = np.array(
            [start + over + clear, start + over, pressed, dragged, dragged - press.depth * down + clear]
        )
        across = np.cross(down, along)
        counts = [max(2, round(s / press.spacing) + 1) for s in press.size]
        grid = np.meshgrid(*(np.linspace(-0.5, 0.5, n) for n in counts), indexing="ij")
        local = np.stack(grid, axis=-1).reshape(-1, 3)
        surface = local[(np.abs(local) > 0.5 - 1e-9).any(axis=1)]
        self.points = (surface * press.size) @ np.array([along, across, down])
        self.axes = (along, across, down)

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Place [m] and velocity [m/s] of the device; it starts and stops smoothly at each keyframe."""
        piece = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 2))
        length = self.times[piece + 1] - self.times[piece]
        share = float(np.clip((time - self.times[piece]) / length, 0.0, 1.0))
        smooth, slope = share * share * (3.0 - 2.0 * share), 6.0 * share * (1.0 - share) / length
        way = self.places[piece + 1] - self.places[piece]
        return self.places[piece] + smooth * way, slope * way


def _add_block(parent: Any, way: _Way) -> Any:
    """The block on its coupling; returns the node of its points."""
    size, press = np.array(way.press.size), way.press
    mass = _STEEL * float(size.prod())
    moments = mass / 12.0 * (size @ size - size**2)
    inertia = sum(m * np.outer(a, a) for m, a in zip(moments, way.axes, strict=True)) / mass
    node = parent.addChild("block")
    pose = [*way.places[0].tolist(), 0.0, 0.0, 0.0, 1.0]
    add(node, "MechanicalObject", name="frame", template="Rigid3", position=[pose])
    vertex = " ".join(repr(float(x)) for x in (mass, 1.0, *inertia.ravel()))
    add(node, "UniformMass", name="mass", vertexMass=vertex)
    arm = float(size.max())
    add(
        node,
        "VirtualCouplingForceField",
        name="coupling",
        device=pose,
        stiffness=press.stiffness,
        angularStiffness=press.stiffness * arm**2,
    )
    shell = node.addChild("shell")
    add(shell, "MechanicalObject", name="state", template="Vec3", position=way.points.tolist())
    add(shell, "RigidMapping", name="mapping")
    return shell


def _add_elements(parent: Any, read: Vademecum, kind: str, mass: float) -> None:
    mesh, material = read.mesh, read.cases.solid.material
    young, poisson = material.young_modulus, material.poisson_ratio
    node = parent.addChild("solid")
    _add_integration(node)
    add(node, "SparseLDLSolver", name="solver", template="CompressedRowSparseMatrixMat3x3d")
    cells = mesh.cells
    if kind == "hyperelastic" and mesh.kind == "hex8":
        cells = cells[:, _SIX].reshape(-1, 4)
    name = "tetrahedra" if cells.shape[1] == 4 else "hexahedra"
    topology = {"position": mesh.nodes.tolist(), name: cells.tolist(), "triangles": mesh.boundary[1].tolist()}
    add(node, "MeshTopology", name="mesh", **topology)
    add(node, "MechanicalObject", name="state", template="Vec3")
    add(node, "UniformMass", name="mass", totalMass=mass)
    add(node, "FixedProjectiveConstraint", name="clamp", indices=read.cases.solid.clamped.tolist())
    if kind == "hyperelastic":
        shear = young / (2.0 * (1.0 + poisson))
        lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
        law = {"materialName": "StVenantKirchhoff", "ParameterSet": [shear, lame]}
        add(node, HYPERELASTIC, name="elements", **law)
    else:
        field = "TetrahedronFEMForceField" if name == "tetrahedra" else "HexahedronFEMForceField"
        add(node, field, name="elements", youngModulus=young, poissonRatio=poisson, method="large")
    add(node, "LinearSolverConstraintCorrection", name="correction")
    surface = node.addChild("surface")
    add(
        surface,
        "MeshTopology",
        name="mesh",
        position=mesh.nodes.tolist(),
        triangles=mesh.boundary[1].tolist(),
    )
    add(surface, "MechanicalObject", name="state", template="Vec3")
    add(surface, "IdentityMapping", name="mapping")
    add(surface, "TriangleCollisionModel", name="triangles")


def _add_integration(node: Any) -> None:
    add(node, "EulerImplicitSolver", name="integration", rayleighMass=0.0, rayleighStiffness=1e-4)


def _add_pipeline(root: Any, press: Press) -> None:
    add(root, "FreeMotionAnimationLoop", name="loop")
    add(root, "BlockGaussSeidelConstraintSolver", name="solver", tolerance=1e-6, maxIterations=200)
    add(root, "CollisionPipeline", name="pipeline")
    add(root, "BruteForceBroadPhase", name="broad_phase")
    add(root, "BVHNarrowPhase", name="narrow_phase")
    skin = 0.1 * press.spacing
    add(root, "MinProximityIntersection", name="distances", alarmDistance=5.0 * skin, contactDistance=skin)
    response = {"response": "FrictionContactConstraint", "responseParams": f"mu={press.friction}"}
    add(root, "CollisionResponse", name="response", **response)


def _drive(root: Any, coupling: Any, way: _Way) -> None:
    import Sofa.Core

    class Device(Sofa.Core.Controller):
        """Moves the device along its way."""

        def __init__(self) -> None:
            super().__init__(name="device")
            self.count = 0

        def onAnimateBeginEvent(self, event: Any) -> None:
            self.count += 1
            place, velocity = way.at(self.count * float(root.dt.value))
            coupling.device.value = [*place.tolist(), 0.0, 0.0, 0.0, 1.0]
            coupling.deviceVelocity.value = [*velocity.tolist(), 0.0, 0.0, 0.0]

    root.addObject(Device())
