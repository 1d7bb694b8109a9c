# SPDX-License-Identifier: LGPL-2.1-or-later
"""The soft hand and single fingertips: links driven by springs, and fields of tetrahedra in the frames of links."""

from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray
from softcontact.engines.sofa.articulated import ArticulatedInGraph
from softcontact.engines.sofa.bodies import TissueNode
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.surface import node_name, surface_node, transformed
from softcontact.hand import LINKS, FingertipModel, HandModel
from softcontact.hand.kinematics import matrix_from_quaternion


class PhalanxInGraph:
    """One phalanx: its field, mapped to the world through the link's frame, and its surface.

    The field is a system of its own in the axes of the link's frame; the links carry its mass and weight. Contact
    reaches both through DeformableOnRigidFrameMapping. The mapped node lies below neither solver, or each would
    push vectors through the mapping that the other's states do not have; it comes after both in the graph, so that
    positions go down and contact rows come up in the right order.

    Args:
        root: SOFA's root node.
        carrier: the articulated body that carries it.
        given: arguments of World.add_phalanx.
        name: of its node.
    """

    def __init__(self, root: Any, carrier: ArticulatedInGraph, given: dict[str, Any], name: str) -> None:
        self.link = given["link"]
        tree = carrier.tree
        self.frame_index = tree.frames[self.link].index
        self._rotation = tree.frames[self.link].rotation
        nodes = tree.in_frame(self.link, given["nodes"])
        node = root.addChild(name)
        material = {
            "young": given["young"][0],
            "poisson": given["poisson"][0],
            "density": given["density"][0],
            "rayleigh_mass": given["rayleigh_mass"],
            "rayleigh_stiffness": given["rayleigh_stiffness"],
        }
        self.tissue = TissueNode(node, nodes, given["tetrahedra"], material, weightless=True)
        bound = [int(i) for i in given["bound_nodes"]]
        self.bound, self.bound_stiffness, self._rest_nodes = bound, given["bound_stiffness"], nodes
        add(
            node,
            "RestShapeSpringsForceField",
            template="Vec3",
            name="bone",
            stiffness=[float(given["bound_stiffness"])],
            points=bound,
            external_points=bound,
            recompute_indices=False,
        )
        pose = np.array(carrier.links.position.value[self.frame_index], dtype=float)
        world = root.addChild(f"{name}_world")
        add(
            world,
            "MechanicalObject",
            name="nodes",
            template="Vec3",
            position=transformed(pose, nodes).tolist(),
        )
        add(
            world,
            "DeformableOnRigidFrameMapping",
            input1="@" + self.tissue.nodes.getPathName(),
            input2="@" + carrier.links.getPathName(),
            output="@nodes",
            index=self.frame_index,
        )
        self._weights = np.array(given["surface_weights"])
        self._carriers = np.array(given["surface_nodes"])
        local = np.einsum("kj,kjx->kx", self._weights, nodes[self._carriers])
        self._rest = local
        self.surface = surface_node(world, "surface", transformed(pose, local), given["surface_triangles"])
        self._mapping = add(
            self.surface[0],
            "BarycentricMapping",
            input_topology="@" + node.tetrahedra.getPathName(),
        )

    def set_weights(self) -> None:
        """Give the surface its weights. SOFA chooses other tetrahedra for vertices outside the mesh.

        Raises:
            ValueError: the mapping has no table of weights, or the weights do not fit the tetrahedra.
        """
        mapper = self._mapping.findLink("mapper").getLinkedBase()
        table = None if mapper is None else mapper.findData("map")
        if table is None:
            raise ValueError(
                "BarycentricMapping has no table 'map' in this version of SOFA; use v25.12 or later"
            )
        rows = barycentric_rows(self.tissue.tetrahedra, self._carriers, self._weights)
        table.read(" ".join(f"{e} {a!r} {b!r} {c!r}" for e, (a, b, c) in rows))

    def displacement(self) -> FloatArray:
        """Displacement (k, 3) of the surface vertices in the link's axes [m]."""
        nodes = np.array(self.tissue.nodes.position.value, dtype=float)
        local = np.einsum("kj,kjx->kx", self._weights, nodes[self._carriers])
        return self._rotation.inv().apply(local - self._rest)

    def bone_energy(self) -> float:
        """Elastic energy of the springs to the bone [J]."""
        stretch = np.array(self.tissue.nodes.position.value, dtype=float)[self.bound]
        stretch -= self._rest_nodes[self.bound]
        return 0.5 * float(self.bound_stiffness * (stretch**2).sum())


class SoftLinksInGraph(ArticulatedInGraph):
    """An articulated body that carries phalanges.

    Attributes:
        phalanges: those that were added.
    """

    phalanges: list[PhalanxInGraph]

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, elastic and potential energy [J]."""
        kinetic, elastic, potential = super().energies()
        for phalanx in self.phalanges:
            moving, stored = phalanx.tissue.energies()
            kinetic, elastic = kinetic + moving, elastic + stored + phalanx.bone_energy()
        return kinetic, elastic, potential

    def state(self) -> list[FloatArray]:
        """Positions and velocities of root, joints and phalanges."""
        return super().state() + [part for p in self.phalanges for part in p.tissue.state()]


class FingertipInGraph(SoftLinksInGraph):
    """A single fingertip.

    Args:
        root: SOFA's root node.
        body: the scene's fingertip.
        model: its link and its phalanx.
        start: pose of its frame (7,).
        gravity: acceleration of free fall (3,) [m/s²].
    """

    def __init__(
        self, root: Any, body: Any, model: FingertipModel, start: FloatArray, gravity: FloatArray
    ) -> None:
        super().__init__(root, body, [model.link], start, gravity)
        name = f"{node_name(body.name)}_pad"
        self.phalanges = [PhalanxInGraph(root, self, model.phalanx_arguments(), name)]


class HandInGraph(SoftLinksInGraph):
    """A hand.

    Args:
        root: SOFA's root node.
        body: the scene's hand.
        model: its sizes, links and phalanges.
        q0: joint positions at the start (27,).
        gravity: acceleration of free fall (3,) [m/s²].
    """

    def __init__(self, root: Any, body: Any, model: HandModel, q0: FloatArray, gravity: FloatArray) -> None:
        self.model = model
        super().__init__(root, body, model.links, q0, gravity)
        self.palm = self.add_link_surface(0, f"{body.name}_palm", model.palm_vertices, model.palm_triangles)
        name = node_name(body.name)
        self.phalanges = [
            PhalanxInGraph(root, self, model.phalanx_arguments(index), f"{name}_{link}")
            for index, link in enumerate(LINKS[1:])
        ]

    def skin(self) -> FloatArray:
        """Skin vertices in the world (n, 3) [m]."""
        poses = np.array([self.link_pose(link) for link in range(len(LINKS))])
        return self.model.skin.vertices(
            poses[:, :3], matrix_from_quaternion(poses[:, 3:]), [p.displacement() for p in self.phalanges]
        )

    def disabled_pairs(self) -> list[tuple[str, str]]:
        """Pairs of the hand's surfaces that do not collide, by name."""
        name = self.body.name
        if self.body.self_contact:
            return [(f"{name}.{a}", f"{name}.{b}") for a, b in self.model.disabled_pairs()]
        return [(f"{name}.{a}", f"{name}.{b}") for i, a in enumerate(LINKS) for b in LINKS[:i]]


def barycentric_rows(
    tetrahedra: Any, carriers: Any, weights: FloatArray
) -> list[tuple[int, tuple[float, float, float]]]:
    """Tetrahedron and weights of its second to fourth node for each surface vertex.

    Args:
        tetrahedra: node numbers (m, 4).
        carriers: the four nodes that carry each vertex (k, 4), those of one tetrahedron in any order.
        weights: their weights (k, 4), summing to 1.
    Raises:
        ValueError: four nodes that are no tetrahedron.
    """
    by_nodes = {frozenset(int(n) for n in tetrahedron): e for e, tetrahedron in enumerate(tetrahedra)}
    rows = []
    for vertex, (nodes, values) in enumerate(zip(carriers, weights, strict=True)):
        element = by_nodes.get(frozenset(int(n) for n in nodes))
        if element is None:
            raise ValueError(f"surface vertex {vertex}: nodes {[int(n) for n in nodes]} are no tetrahedron")
        of_node = {int(n): float(w) for n, w in zip(nodes, values, strict=True)}
        first, second, third = (of_node[int(n)] for n in tetrahedra[element][1:])
        rows.append((element, (first, second, third)))
    return rows
