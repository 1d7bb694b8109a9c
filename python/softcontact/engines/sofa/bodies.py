# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rigid, kinematic and tetrahedral bodies as SOFA nodes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.surface import GraphSurface, node_name, rigid_surface, surface_node
from softcontact.scene import bodies

NO_FORCE = [[0.0] * 6]


class GraphBody:
    """A body in the graph: what a run reads from it.

    Attributes:
        body: the scene's body.
        node: its SOFA node.
        surfaces: its contact surfaces.
    """

    def __init__(self, body: Any, node: Any) -> None:
        self.body, self.node = body, node
        self.surfaces: list[GraphSurface] = []

    def pose(self) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw)."""
        raise NotImplementedError

    def joint_positions(self) -> FloatArray:
        """Joint positions (nq,); empty where there are none."""
        return np.zeros(0)

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, elastic and potential energy [J]."""
        return 0.0, 0.0, 0.0

    def state(self) -> list[FloatArray]:
        """Positions and velocities of the independent coordinates, flat."""
        return []


class KinematicInGraph(GraphBody):
    """A body whose pose is prescribed."""

    def __init__(self, root: Any, body: bodies.KinematicBody, mesh: Any) -> None:
        super().__init__(body, root.addChild(node_name(body.name)))
        pose = np.array([*body.position, *body.orientation])
        self.frame = add(
            self.node, "MechanicalObject", name="frame", template="Rigid3", position=[pose.tolist()]
        )
        self.surface = rigid_surface(self.node, "surface", mesh.vertices, mesh.triangles, pose)

    def pose(self) -> FloatArray:
        """Pose of the body."""
        return np.array(self.frame.position.value[0], dtype=float)


class RigidInGraph(GraphBody):
    """A free rigid body; its state has the centre of mass as origin."""

    def __init__(
        self,
        root: Any,
        body: Any,
        mesh: Any,
        properties: tuple[float, FloatArray, FloatArray],
        gravity: FloatArray,
        motion: Sequence[float] = (0.0,) * 6,
    ) -> None:
        super().__init__(body, root.addChild(node_name(body.name)))
        self.mass, self.com, self.inertia = properties
        self._gravity = gravity
        place = Rotation.from_quat(body.orientation)
        pose = np.concatenate([place.apply(self.com) + body.position, body.orientation])
        add(self.node, "EulerImplicitSolver", rayleighMass=0.0, rayleighStiffness=0.0)
        add(self.node, "SparseLDLSolver", template="CompressedRowSparseMatrixd")
        self.frame = add(
            self.node,
            "MechanicalObject",
            name="frame",
            template="Rigid3",
            position=[pose.tolist()],
            velocity=[list(motion)],
        )
        self.mass_component = add(self.node, "UniformMass", vertexMass=self.vertex_mass(place))
        spread = np.linalg.eigvalsh(self.inertia)
        self.turns_inertia = bool(spread[-1] - spread[0] > 1e-6 * spread[-1])
        if self.turns_inertia:
            self.gyroscopic = add(self.node, "ConstantForceField", indices=[0], forces=NO_FORCE)
        add(self.node, "LinearSolverConstraintCorrection")
        self.surface = rigid_surface(self.node, "surface", mesh.vertices - self.com, mesh.triangles, pose)

    def vertex_mass(self, rotation: Rotation) -> str:
        """Mass [kg], volume and inertia over mass in world axes [m²], as SOFA's RigidMass is written."""
        matrix = rotation.as_matrix()
        inertia = matrix @ self.inertia @ matrix.T / self.mass
        return " ".join(repr(float(x)) for x in (self.mass, 1.0, *inertia.ravel()))

    def rotation(self) -> Rotation:
        """Present orientation."""
        return Rotation.from_quat(np.array(self.frame.position.value[0][3:], dtype=float))

    def pose(self) -> FloatArray:
        """Pose of the body's own origin."""
        pose = np.array(self.frame.position.value[0], dtype=float)
        pose[:3] -= Rotation.from_quat(pose[3:]).apply(self.com)
        return pose

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, elastic and potential energy [J]."""
        velocity = np.array(self.frame.velocity.value[0], dtype=float)
        spin = self.rotation().inv().apply(velocity[3:])
        kinetic = 0.5 * self.mass * velocity[:3] @ velocity[:3] + 0.5 * spin @ self.inertia @ spin
        height = np.array(self.frame.position.value[0][:3], dtype=float)
        return float(kinetic), 0.0, float(-self.mass * self._gravity @ height)

    def state(self) -> list[FloatArray]:
        """Pose and velocity."""
        return [np.ravel(self.frame.position.value), np.ravel(self.frame.velocity.value)]


class TissueNode:
    """Corotational tetrahedra with their own implicit system: a soft body, or the field of a phalanx.

    Args:
        node: where the components go.
        nodes: rest positions (n, 3) [m].
        tetrahedra: node numbers (m, 4), any orientation.
        material: {young, poisson, density, rayleigh_mass, rayleigh_stiffness}.
        weightless: whether gravity is left out.
    """

    def __init__(
        self, node: Any, nodes: FloatArray, tetrahedra: Any, material: dict[str, float], *, weightless: bool
    ) -> None:
        from softcontact._core import CorotationalModel

        self.node = node
        self.tetrahedra = oriented(nodes, np.array(tetrahedra))
        ones = np.ones(1)
        self.model = CorotationalModel(
            nodes,
            np.asarray(self.tetrahedra, dtype=np.int32),
            material["young"] * ones,
            material["poisson"] * ones,
            material["density"] * ones,
        )
        self.masses = np.array(self.model.lumped_mass)
        add(
            node,
            "EulerImplicitSolver",
            rayleighMass=material["rayleigh_mass"],
            rayleighStiffness=material["rayleigh_stiffness"],
        )
        add(node, "SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
        if weightless:
            add(node, "Gravity", gravity=[0.0, 0.0, 0.0])
        add(
            node,
            "TetrahedronSetTopologyContainer",
            name="tetrahedra",
            position=nodes.tolist(),
            tetrahedra=self.tetrahedra.tolist(),
        )
        self.nodes = add(node, "MechanicalObject", name="nodes", template="Vec3", position=nodes.tolist())
        add(node, "DiagonalMass", vertexMass=self.masses.tolist())
        add(
            node,
            "FastTetrahedralCorotationalForceField",
            template="Vec3",
            method="polar",
            youngModulus=material["young"],
            poissonRatio=material["poisson"],
        )
        add(node, "LinearSolverConstraintCorrection")

    def energies(self) -> tuple[float, float]:
        """Kinetic and elastic energy [J]."""
        positions = np.array(self.nodes.position.value, dtype=float)
        velocities = np.array(self.nodes.velocity.value, dtype=float)
        self.model.update(positions)
        kinetic = 0.5 * float(self.masses @ (velocities**2).sum(axis=1))
        return kinetic, float(self.model.energy(positions))

    def state(self) -> list[FloatArray]:
        """Positions and velocities of the nodes."""
        return [np.ravel(self.nodes.position.value), np.ravel(self.nodes.velocity.value)]


class TetrahedralInGraph(GraphBody):
    """A soft body."""

    def __init__(self, root: Any, body: bodies.TetrahedralBody, mesh: Any, gravity: FloatArray) -> None:
        super().__init__(body, root.addChild(node_name(body.name)))
        self._gravity = gravity
        turn = Rotation.from_quat(body.orientation)
        nodes = turn.apply(np.array(mesh.nodes)) + body.position
        material = body.material.model_dump()
        self.tissue = TissueNode(self.node, nodes, mesh.tetrahedra, material, weightless=False)
        fixed = fixed_nodes(body, mesh.nodes)
        velocities = np.tile(np.array(body.velocity), (len(nodes), 1))
        velocities[fixed] = 0.0
        self.tissue.nodes.velocity.value = velocities.tolist()
        if fixed:
            add(self.node, "FixedProjectiveConstraint", indices=fixed)
        surface, nodes_of = mesh.surface()
        nodes_of = np.asarray(nodes_of)
        self.surface = surface_node(self.node, "surface", nodes[nodes_of], surface.triangles)
        add(self.surface[0], "SubsetMapping", indices=nodes_of.tolist())

    def pose(self) -> FloatArray:
        """Mean of the surface vertices, without rotation."""
        return np.concatenate([self.surfaces[0].vertices().mean(axis=0), bodies.UPRIGHT])

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, elastic and potential energy [J]."""
        positions = np.array(self.tissue.nodes.position.value, dtype=float)
        potential = -float(self.tissue.masses @ positions @ self._gravity)
        return *self.tissue.energies(), potential

    def state(self) -> list[FloatArray]:
        """Positions and velocities of the nodes."""
        return self.tissue.state()


def oriented(nodes: FloatArray, tetrahedra: Any) -> Any:
    """The tetrahedra (m, 4) with positive volume each."""
    p = nodes[tetrahedra]
    negative = np.linalg.det(p[:, 1:] - p[:, :1]) < 0
    result = tetrahedra.copy()
    result[negative] = result[negative][:, [0, 2, 1, 3]]
    return result


def fixed_nodes(body: bodies.TetrahedralBody, nodes: FloatArray) -> list[int]:
    """Numbers of the nodes that do not move.

    Args:
        body: names nodes, or a region in its own axes.
        nodes: rest positions in the body's axes (n, 3) [m].
    Raises:
        ValueError: a number is too large, or the region holds no node.
    """
    fixed = set(body.fixed_nodes)
    if fixed and max(fixed) >= len(nodes):
        raise ValueError(f"fixed_nodes: {max(fixed)} is too large; the nodes are 0 to {len(nodes) - 1}")
    if body.fixed_region is not None:
        low, high = np.array(body.fixed_region.low), np.array(body.fixed_region.high)
        inside = np.flatnonzero(((nodes >= low) & (nodes <= high)).all(axis=1))
        if not len(inside):
            raise ValueError("fixed_region holds no node; make it larger")
        fixed |= set(inside.tolist())
    return sorted(fixed)
