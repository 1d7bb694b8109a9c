# SPDX-License-Identifier: LGPL-2.1-or-later
"""Articulated bodies: Vec1 joint coordinates and a Rigid3 root, mapped to the Rigid3 frames of the links."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.bodies import GraphBody
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.links import LinkTree
from softcontact.engines.sofa.surface import node_name, rigid_surface


class ArticulatedInGraph(GraphBody):
    """An articulated body.

    All joints and the free root are one implicit system. The springs pull towards the states `targets`, which a
    driver moves; a second set of springs acts on the coordinates that are beyond a limit.

    Args:
        root: SOFA's root node.
        body: the scene's body.
        links: dictionaries as World.add_articulated_body takes them.
        q0: joint positions at the start (nq,).
        gravity: acceleration of free fall (3,) [m/s²].
    Raises:
        ValueError: a joint or a spring that SOFA's components cannot express.
    """

    def __init__(
        self, root: Any, body: Any, links: Sequence[dict[str, Any]], q0: FloatArray, gravity: FloatArray
    ) -> None:
        super().__init__(body, root.addChild(node_name(body.name)))
        self.tree = LinkTree(links)
        self._gravity = gravity
        q0 = np.array(q0, dtype=float) if len(q0) else self._neutral()
        self.stiffness = self.tree.values("stiffness", 0.0)
        self.damping = self.tree.values("damping", 0.0)
        self.lower, self.upper = self.tree.values("lower", -np.inf), self.tree.values("upper", np.inf)
        self.limit_stiffness = np.zeros(self.tree.count)
        for joint in self.tree.joints:
            stiffness = links[joint.link].get("limit_stiffness", 0.0)
            self.limit_stiffness[joint.first : joint.first + len(joint.axes)] = stiffness
        limited = np.isfinite(self.lower) | np.isfinite(self.upper)
        if np.isinf(self.limit_stiffness[limited]).any():
            raise ValueError("limit_stiffness: joint limits are springs in SOFA; give their stiffness")
        self.limit_stiffness[~limited] = 0.0
        self.has_limits = bool(limited.any())
        add(self.node, "EulerImplicitSolver", rayleighMass=0.0, rayleighStiffness=0.0)
        add(self.node, "SparseLDLSolver", template="CompressedRowSparseMatrixd")
        add(self.node, "GenericConstraintCorrection")
        self._add_targets(root, q0)
        # The links come after root and joints in the graph: positions go down and contact rows come up in order.
        if self.tree.free:
            self._add_root(q0)
        self._add_joints(q0)
        poses = self.tree.poses(q0)
        self.links = add(
            self.link_node, "MechanicalObject", name="frames", template="Rigid3", position=poses.tolist()
        )
        inputs = {"input1": "@" + self.joints.getPathName()}
        if self.tree.free:
            inputs["input2"] = "@" + self.root.getPathName()
        add(
            self.link_node,
            "ArticulatedSystemMapping",
            container="@" + self.container.getPathName(),
            output="@frames",
            **inputs,
        )
        self._add_masses(poses)

    def _neutral(self) -> FloatArray:
        root = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if self.tree.free else []
        return np.array([*root, *[0.0] * self.tree.count])

    def _add_targets(self, root: Any, q0: FloatArray) -> None:
        """States that the springs pull to, in nodes without a solver."""
        offset = self.tree.root_size[0]
        node = root.addChild(node_name(self.body.name) + "_targets")
        self.targets = add(
            node.addChild("joints"),
            "MechanicalObject",
            name="target",
            template="Vec1",
            position=[[float(x)] for x in q0[offset:]],
        )
        if self.has_limits:
            self.limit_positions = add(
                node.addChild("limits"),
                "MechanicalObject",
                name="limit",
                template="Vec1",
                position=[[float(x)] for x in q0[offset:]],
            )
        if self.tree.free:
            self.root_target = add(
                node.addChild("root"),
                "MechanicalObject",
                name="target",
                template="Rigid3",
                position=[self.tree.base_pose(q0).tolist()],
            )

    def _add_root(self, q0: FloatArray) -> None:
        link = self.tree.links[0]
        stiffness = np.zeros(6) if not np.size(link.get("stiffness", ())) else np.array(link["stiffness"])
        damping = np.zeros(6) if not np.size(link.get("damping", ())) else np.array(link["damping"])
        for part in (stiffness[:3], stiffness[3:]):
            if not np.allclose(part, part[0]):
                raise ValueError(
                    f"links ({link['name']}).stiffness: {part.tolist()} differ; SOFA's spring of a free joint has one "
                    "stiffness for translation and one for rotation; give equal ones, or use --engine embedded"
                )
        node = self.node.addChild("root")
        self.root = add(
            node,
            "MechanicalObject",
            name="root",
            template="Rigid3",
            position=[self.tree.base_pose(q0).tolist()],
        )
        self.root_stiffness, self.root_damping = stiffness, damping
        add(
            node,
            "RestShapeSpringsForceField",
            template="Rigid3",
            name="spring",
            stiffness=[float(stiffness[0])],
            angularStiffness=[float(stiffness[3])],
            points=[0],
            external_points=[0],
            external_rest_shape="@" + self.root_target.getPathName(),
            recompute_indices=False,
        )
        self.root_damper = add(
            node,
            "DiagonalVelocityDampingForceField",
            template="Rigid3",
            name="damper",
            dampingCoefficient=[damping.tolist()],
        )

    def _add_joints(self, q0: FloatArray) -> None:
        node = self.node.addChild("joints")
        self.link_node = node.addChild("link_frames")
        offset, indices = self.tree.root_size[0], list(range(self.tree.count))
        self.joints = add(
            node,
            "MechanicalObject",
            name="coordinates",
            template="Vec1",
            position=[[float(x)] for x in q0[offset:]],
        )
        add(
            node,
            "RestShapeSpringsForceField",
            template="Vec1",
            name="springs",
            stiffness=self.stiffness.tolist(),
            points=indices,
            external_points=indices,
            external_rest_shape="@" + self.targets.getPathName(),
            recompute_indices=False,
        )
        add(
            node,
            "DiagonalVelocityDampingForceField",
            template="Vec1",
            name="dampers",
            dampingCoefficient=[[float(x)] for x in self.damping],
        )
        if self.has_limits:
            self.limits = add(
                node,
                "RestShapeSpringsForceField",
                template="Vec1",
                name="limits",
                stiffness=[0.0] * self.tree.count,
                points=indices,
                external_points=indices,
                external_rest_shape="@" + self.limit_positions.getPathName(),
                recompute_indices=False,
            )
        self.container = add(node, "ArticulatedHierarchyContainer", name="hierarchy")
        for joint in self.tree.joints:
            centre = node.addChild(node_name(self.tree.links[joint.link]["name"]))
            add(
                centre,
                "ArticulationCenter",
                parentIndex=joint.parent,
                childIndex=joint.child,
                posOnParent=joint.place.tolist(),
                posOnChild=[0.0, 0.0, 0.0],
                articulationProcess=0,
            )
            axes = centre.addChild("axes")
            for k, axis in enumerate(joint.axes):
                add(
                    axes,
                    "Articulation",
                    name=f"axis{k}",
                    axis=axis.tolist(),
                    rotation=not joint.slides,
                    translation=joint.slides,
                    articulationIndex=joint.first + k,
                )

    def _add_masses(self, poses: FloatArray) -> None:
        points, masses, owners = self.tree.point_masses()
        self.masses = masses
        node = self.link_node.addChild("masses")
        turns = Rotation.from_quat(poses[owners, 3:])
        world = poses[owners, :3] + turns.apply(points)
        edges = [[4 * i + a, 4 * i + b] for i in range(len(masses) // 4) for a, b in ((0, 1), (1, 2), (2, 3))]
        if self.body.gravity_compensated:
            add(node, "Gravity", gravity=[0.0, 0.0, 0.0])
        add(node, "EdgeSetTopologyContainer", name="edges", position=world.tolist(), edges=edges)
        self.mass_points = add(
            node, "MechanicalObject", name="points", template="Vec3", position=world.tolist()
        )
        add(node, "DiagonalMass", vertexMass=masses.tolist())
        add(
            node,
            "RigidMapping",
            initialPoints=points.tolist(),
            rigidIndexPerPoint=owners,
            globalToLocalCoords=False,
        )

    def add_link_surface(self, link: int, name: str, vertices: FloatArray, triangles: Any) -> tuple[Any, Any]:
        """A rigid surface on a link, its vertices in the link's axes (k, 3) [m]: node and state."""
        frame = self.tree.frames[link]
        pose = self._frame_poses()[frame.index]
        return rigid_surface(
            self.link_node, node_name(name), self.tree.in_frame(link, vertices), triangles, pose, frame.index
        )

    def _frame_poses(self) -> FloatArray:
        return np.array(self.links.position.value, dtype=float)

    def link_pose(self, link: int) -> FloatArray:
        """Pose (7,) of a link's own frame."""
        return self.tree.link_pose(self._frame_poses(), link)

    def pose(self) -> FloatArray:
        """Pose of the first link."""
        return self.link_pose(0)

    def joint_positions(self) -> FloatArray:
        """Joint positions (nq,)."""
        coordinates = np.ravel(self.joints.position.value).astype(float)
        if not self.tree.free:
            return coordinates
        pose = np.array(self.root.position.value[0], dtype=float)
        return np.concatenate([self.tree.root_positions(pose), coordinates])

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, elastic (of the joint springs) and potential energy [J]."""
        velocities = np.array(self.mass_points.velocity.value, dtype=float)
        kinetic = 0.5 * float(self.masses @ (velocities**2).sum(axis=1))
        stretch = np.ravel(self.joints.position.value) - np.ravel(self.targets.position.value)
        elastic = 0.5 * float(self.stiffness @ stretch**2)
        if self.tree.free:
            pose, target = np.array(self.root.position.value[0]), np.array(self.root_target.position.value[0])
            turn = (Rotation.from_quat(target[3:]) * Rotation.from_quat(pose[3:]).inv()).as_rotvec()
            gap = target[:3] - pose[:3]
            elastic += 0.5 * (self.root_stiffness[0] * gap @ gap + self.root_stiffness[3] * turn @ turn)
        positions = np.array(self.mass_points.position.value, dtype=float)
        return kinetic, float(elastic), -float(self.masses @ positions @ self._gravity)

    def state(self) -> list[FloatArray]:
        """Positions and velocities of root and joints."""
        states = [self.root, self.joints] if self.tree.free else [self.joints]
        return [np.ravel(part) for s in states for part in (s.position.value, s.velocity.value)]
