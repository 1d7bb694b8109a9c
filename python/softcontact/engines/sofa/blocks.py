# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two elastic blocks in contact as a SOFA graph: hexahedra, one prescribed face, BipotentialFriction on the node pairs.

Quasi-static: the bodies have next to no mass, so that one implicit Euler step of a linear body is its equilibrium. Then
(M + h²K) is h²K, and an impulse λ moves a node by K⁻¹ λ/h: the forces are λ/h, as in all of SOFA's implicit scenes.
"""

import time
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.engines.block_scene import friction_of, prescribed, upper_and_lower
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.events import SceneController
from softcontact.flexibility.benchmark import pairs
from softcontact.flexibility.hexahedra import BlockGrid, assemble, element_dofs, element_stiffness
from softcontact.scene.bodies import ElasticBlock
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.model import Scene
from softcontact.scene.motions import Keyframes

SCHEMES = {"block_gauss_seidel": "local", "local_uzawa": "local", "global_uzawa": "global"}
MODULES = (
    "Sofa.Component.AnimationLoop",
    "Sofa.Component.Constraint.Lagrangian.Correction",
    "Sofa.Component.Constraint.Lagrangian.Solver",
    "Sofa.Component.Constraint.Projective",
    "Sofa.Component.LinearSolver.Direct",
    "Sofa.Component.Mass",
    "Sofa.Component.ODESolver.Backward",
    "Sofa.Component.SolidMechanics.FEM.Elastic",
    "Sofa.Component.StateContainer",
    "Sofa.Component.Topology.Container.Constant",
    "SoftContact",
)
MASS = 1e-9  # of a node against h²K of an element: what is left of inertia
MAX_SWEEPS = 20000


class BlockInGraph:
    """One block: grid, state and what holds it.

    Args:
        root: SOFA's root node.
        body: the block.
        step: time step [s].
    """

    def __init__(self, root: Any, body: ElasticBlock, step: float) -> None:
        self.body = body
        self.grid = BlockGrid(body.position, body.size, body.divisions)
        grid, node = self.grid, root.addChild(body.name)
        none = np.zeros(0, dtype=np.int64)
        self.driven = grid.face(body.driven) if body.driven else none
        held = np.unique(np.concatenate([none, self.driven, *(grid.face(face) for face in body.clamped)]))
        self._element = element_stiffness(grid.element_size, body.young, body.poisson)
        mass = MASS * step**2 * float(self._element[0, 0]) * len(grid.nodes)
        add(node, "EulerImplicitSolver", name="integration", rayleighMass=0.0, rayleighStiffness=0.0)
        add(node, "SparseLDLSolver", name="factor", template="CompressedRowSparseMatrixMat3x3")
        positions, hexahedra = grid.nodes.tolist(), grid.hexahedra.tolist()
        add(node, "MeshTopology", name="mesh", position=positions, hexahedra=hexahedra)
        self.state = add(node, "MechanicalObject", name="state", template="Vec3", position=positions)
        add(
            node,
            "HexahedronFEMForceField",
            name="elasticity",
            method="small",
            youngModulus=body.young,
            poissonRatio=body.poisson,
        )
        add(node, "UniformMass", name="mass", totalMass=mass)
        add(node, "FixedProjectiveConstraint", name="held", indices=held.tolist())
        add(node, "LinearSolverConstraintCorrection", name="correction")

    def displacement(self) -> FloatArray:
        """Displacement of all nodes (n, 3) [m]."""
        return np.array(self.state.position.value, dtype=float) - self.grid.nodes

    def elastic_energy(self) -> float:
        """Elastic energy [J]."""
        moved = self.displacement().ravel()
        stiffness = assemble(element_dofs(self.grid.hexahedra), self._element, moved.size)
        return 0.5 * float(moved @ (stiffness @ moved))


class FaceDriver:
    """Puts the driven face at the start of a step where it is to be at its end.

    Args:
        block: the driven block.
        motion: its keyframes; None: it stands still.
    """

    def __init__(self, block: BlockInGraph, motion: Keyframes | None) -> None:
        self._block, self._motion = block, motion
        self._start, self.moved = np.array(block.body.position), np.zeros(3)

    def begin(self, time: float, step: float) -> None:
        """Called at the start of each step."""
        self.moved = prescribed(self._motion, self._start, time + step)
        nodes = self._block.driven
        with self._block.state.position.writeable() as position:
            position[nodes] = self._block.grid.nodes[nodes] + self.moved


class BlockContact:
    """Contact forces of the pairs, and figures of the last step; what SceneController calls its readout.

    Args:
        solver: the constraint solver.
        law: the component BipotentialFrictionConstraint.
        rows: constraint rows of a pair, 3 with friction, else 1.
        blocks: the upper and the lower block.
        contact: their nodes that pair.
        step: time step [s].
    """

    def __init__(self, solver: Any, law: Any, rows: int, blocks: Any, contact: Any, step: float) -> None:
        self._solver, self._law, self._rows, self._blocks, self._contact = solver, law, rows, blocks, contact
        self._step, self._clock = step, time.perf_counter()
        self.force = np.zeros((len(contact[0]), 3))
        self.slip = np.zeros(len(contact[0]))
        self._before = self._relative()
        self._times = dict.fromkeys(("free", "detection", "solve", "position"), 0.0)
        self._iterations = 0

    def _relative(self) -> FloatArray:
        upper, lower = (
            np.array(block.state.position.value, dtype=float)[nodes]
            for block, nodes in zip(self._blocks, self._contact, strict=True)
        )
        return upper - lower

    def begin(self) -> None:
        """A step begins."""
        self._clock, self._before = time.perf_counter(), self._relative()
        self._times = dict.fromkeys(self._times, 0.0)

    def mark(self, stage: str) -> None:
        """A stage of the step is done."""
        now = time.perf_counter()
        self._times[stage] += 1e3 * (now - self._clock)
        self._clock = now

    def solved(self) -> None:
        """The impulses are there, and so are the rows that they act along."""
        impulses = np.array(self._solver.lambda_force(), dtype=float)
        rows = self._blocks[0].state.constraint.value
        force = (rows.T @ impulses[: rows.shape[0]]).reshape(-1, 3)[self._contact[0]]
        self.force = np.asarray(force) / self._step
        self._iterations = int(self._solver.currentIterations.value)

    def end(self) -> None:
        """The step is done."""
        self.slip = np.linalg.norm((self._relative() - self._before)[:, :2], axis=1)

    def statistics(self) -> dict[str, Any]:
        """Counts, residual (largest Uzawa error of a pair [m]) and times of the last step."""
        touching = int((self.force[:, 2] > 0.0).sum())
        converged = bool(self._law.converged.value)
        return {
            "contacts": touching,
            "rows": self._rows * len(self.force),
            "patches": int(touching > 0),
            "iterations": self._iterations,
            "residual": float(self._law.residual.value),
            "converged": converged,
            "accepted": converged,
            "penetration_max": max(0.0, -float(self._relative()[:, 2].min())),
            "step_ms": sum(self._times.values()),
            **{f"{stage}_ms": value for stage, value in self._times.items()},
        }


class BlocksGraph:
    """A scene of two elastic blocks in a SOFA root node.

    Args:
        root: SOFA's root node, empty.
        scene: the scene.
    Raises:
        SceneError: what SOFA cannot express of it, or blocks that do not lie on each other.
    """

    def __init__(self, root: Any, scene: Scene) -> None:
        bodies = upper_and_lower(scene)
        motion = _motion(scene)
        scheme, settings = _scheme(scene), scene.flexibility
        step = scene.time_step
        root.dt.value, root.gravity.value = step, [0.0, 0.0, 0.0]
        try:
            for module in MODULES:
                add(root, "RequiredPlugin", name=module.replace(".", "_"), pluginName=module)
            add(root, "FreeMotionAnimationLoop", name="loop", computeBoundingBox=False)
            upper, lower = (BlockInGraph(root, body, step) for body in bodies)
            self.blocks, self.contact = (upper, lower), pairs(upper.grid, lower.grid)
            # `tolerance` is relative to what moves the contact, here to an element; the Uzawa error is a length.
            size = float(min(block.grid.element_size.min() for block in self.blocks))
            self._solver = add(
                root,
                "BlockGaussSeidelConstraintSolver",
                name="solver",
                tolerance=settings.uzawa_error or settings.tolerance * size,
                maxIterations=MAX_SWEEPS,
                scaleTolerance=False,
            )
            friction = friction_of(scene, *bodies)
            law = add(
                root,
                "BipotentialFrictionConstraint",
                name="contact",
                object1="@" + lower.state.getPathName(),
                object2="@" + upper.state.getPathName(),
                indices1=self.contact[1].tolist(),
                indices2=self.contact[0].tolist(),
                normals=[[0.0, 0.0, 1.0]],
                mu=friction,
                scheme=scheme,
            )
        except ValueError as error:
            raise error if isinstance(error, SceneError) else SceneError(f"blocks: {error}") from None
        self.driver = FaceDriver(upper, motion)
        rows = 3 if friction > 0.0 else 1
        self.readout = BlockContact(self._solver, law, rows, self.blocks, self.contact, step)
        root.addObject(
            SceneController(
                drivers=[self.driver], readout=self.readout, starters=[], step=step, name="controller"
            )
        )


def _motion(scene: Scene) -> Keyframes | None:
    for index, motion in enumerate(scene.motions):
        if not isinstance(motion, Keyframes):
            raise SceneError(
                f"motions[{index}]: engine 'sofa' drives blocks by keyframes, not by kind '{motion.kind}'; "
                "use drive=script, or --engine embedded"
            )
    return scene.motions[0] if scene.motions else None


def _scheme(scene: Scene) -> str:
    settings = scene.flexibility
    if settings.displacement != "linear":
        raise SceneError(
            f"flexibility.displacement: engine 'sofa' cannot express '{settings.displacement}' blocks at rest in one "
            "step; use linear, or --engine embedded"
        )
    if settings.method not in SCHEMES:
        raise SceneError(
            f"flexibility.method: engine 'sofa' has no '{settings.method}' for blocks"
            + nearest(settings.method, SCHEMES)
        )
    return SCHEMES[settings.method]
