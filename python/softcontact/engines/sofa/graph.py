# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene as a SOFA graph: settings of the root, bodies, contact, and what drives them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray, SurfaceInfo
from softcontact.engines.contact_scale import contact_distances
from softcontact.engines.sofa.articulated import ArticulatedInGraph
from softcontact.engines.sofa.bodies import GraphBody, KinematicInGraph, RigidInGraph, TetrahedralInGraph
from softcontact.engines.sofa.contact import add_models, list_pairs
from softcontact.engines.sofa.events import SceneController
from softcontact.engines.sofa.hand import FingertipInGraph, HandInGraph, PhalanxInGraph, SoftLinksInGraph
from softcontact.engines.sofa.motion import GraspDriver, InertiaDriver, JointDriver, PoseDriver
from softcontact.engines.sofa.readout import Readout
from softcontact.engines.sofa.settings import add_settings
from softcontact.engines.sofa.support import check_support
from softcontact.engines.sofa.surface import GraphSurface
from softcontact.engines.sofa.tools import GraphDevice, ToolInGraph
from softcontact.scene import bodies
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.model import Scene
from softcontact.scene.shapes import SURFACES
from softcontact.scene.surfaces import surface_mesh, tetrahedral_mesh


class SceneGraph:
    """A scene in a SOFA root node.

    Args:
        root: SOFA's root node, empty.
        scene: the scene.
        drive_tools: whether the scene's keyframes move the devices of its tools, in simulated time.
    Attributes:
        bodies: by name.
        surfaces: all contact surfaces, in the order of the bodies.
        readout: patches and figures of the last step.
        distances: alarm distance, contact offset and greatest penetration [m].
    Raises:
        SceneError: something that SOFA cannot express; names body and reason.
    """

    def __init__(self, root: Any, scene: Scene, *, drive_tools: bool = True) -> None:
        check_support(scene)
        self.root, self.scene, self._drive_tools = root, scene, drive_tools
        self._meshes: dict[int, Any] = {}
        self.distances = contact_distances(scene, self.mesh)
        self.gravity = np.array(scene.gravity)
        self.bodies: dict[str, GraphBody] = {}
        self.surfaces: list[GraphSurface] = []
        self._drivers: list[Any] = []
        self._joint_drivers: dict[str, JointDriver] = {}
        settings = self._guarded("scene settings", add_settings, root, scene, self.distances)
        self.solver, self.patches, self._ground = settings
        for index, body in enumerate(scene.bodies):
            self._guarded(f"bodies[{index}] ({body.name})", self._add_body, body)
        for index, motion in enumerate(scene.motions):
            self._guarded(f"motions[{index}] ({motion.body})", self._add_motion, motion)
        pairs = list_pairs(self.surfaces, scene.contact, self._pair_friction(), self._pairs_off())
        depth = self.distances["max_penetration"]
        self._guarded("contact", add_models, root, self.surfaces, pairs, scene.contact, depth)
        self.readout = Readout(
            root,
            self.solver,
            self.patches,
            self.surfaces,
            pairs,
            scene.time_step,
            scene.solver.accepted_residual,
        )
        for where, grasp in scene.closings():
            self._guarded(where, self._add_grasp, grasp)
        starters = [p for body in self.bodies.values() for p in getattr(body, "phalanges", ())]
        root.addObject(
            SceneController(
                drivers=[*self._drivers, *self._joint_drivers.values()],  # a grasp offsets the targets
                readout=self.readout,
                starters=starters,
                step=scene.time_step,
                name="controller",
            )
        )

    def mesh(self, shape: Any) -> Any:
        """Mesh of one of the scene's shapes, made or read once."""
        if id(shape) not in self._meshes:
            make = surface_mesh if isinstance(shape, SURFACES) else tetrahedral_mesh
            self._meshes[id(shape)] = make(shape)
        return self._meshes[id(shape)]

    @staticmethod
    def _guarded(where: str, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except SceneError:
            raise
        except ValueError as error:
            raise SceneError(f"{where}: {error}") from None

    def _framed(self, state: Any, index: int = 0) -> dict[str, Any]:
        """Where AggregateGroup finds the frame of a surface."""
        if self._ground is None:
            return {}
        return {"frame": "@" + state.getPathName(), "frame_index": index}

    def _mu(self, body: Any) -> float:
        return self.scene.contact.friction if body.friction is None else body.friction

    def _add_body(self, body: Any) -> None:
        match body:
            case bodies.RigidBody():
                self._add_rigid(body, RigidInGraph, (*body.velocity, *body.angular_velocity))
            case bodies.Tool():
                self._add_rigid(body, ToolInGraph)
            case bodies.KinematicBody():
                made = KinematicInGraph(self.root, body, self.mesh(body.shape))
                self._keep(made)
                carried = self._framed(made.frame)
                self._show(made, body.name, made.surface, rigid=True, moves=False, **carried)
            case bodies.TetrahedralBody():
                soft = TetrahedralInGraph(self.root, body, self.mesh(body.shape), self.gravity)
                self._keep(soft)
                self._show(
                    soft,
                    body.name,
                    soft.surface,
                    aggregate=body.aggregate,
                    soft=True,
                    **self._framed(self._ground),
                )
            case bodies.ArticulatedBody():
                self._add_articulated(body)
            case bodies.Hand():
                self._add_hand(body)
            case bodies.Fingertip():
                self._add_fingertip(body)
            case _:
                raise SceneError(
                    f"bodies.{body.name}: engine 'sofa' has no body of kind '{body.kind}'; use --engine embedded"
                )

    def _add_rigid(self, body: Any, kind: type[RigidInGraph], *motion: Sequence[float]) -> None:
        from softcontact.engines.embedded_bodies import mass_properties

        mesh = self.mesh(body.shape)
        made = kind(self.root, body, mesh, mass_properties(body, mesh), self.gravity, *motion)
        self._keep(made)
        aggregate = getattr(body, "aggregate", False)
        carried = self._framed(made.frame)
        self._show(made, body.name, made.surface, rigid=True, aggregate=aggregate, **carried)
        if made.turns_inertia:
            self._drivers.append(InertiaDriver(made))

    def _add_articulated(self, body: bodies.ArticulatedBody) -> None:
        from softcontact.engines.embedded_bodies import link_arguments

        numbers = {link.name: index for index, link in enumerate(body.links)}
        links = [link_arguments(link, body, numbers) for link in body.links]
        made = ArticulatedInGraph(self.root, body, links, np.array(body.joint_positions), self.gravity)
        self._keep(made)
        for index, link in enumerate(body.links):
            if link.shape is None:
                continue
            mesh = self.mesh(link.shape)
            name = f"{body.name}.{link.name}"
            surface = made.add_link_surface(index, name, mesh.vertices, mesh.triangles)
            carried = self._framed(made.links, made.tree.frames[index].index)
            self._show(made, name, surface, aggregate=link.aggregate, link=index, **carried)
        motion = next((m for m in self.scene.motions if m.body == body.name), None)
        times = np.zeros(1) if motion is None else np.array(motion.times)
        targets = made.joint_positions()[None] if motion is None else np.array(motion.targets)
        self._drive_joints(made, times, targets)

    def _add_hand(self, body: bodies.Hand) -> None:
        from softcontact.engines.hand import _targets as hand_targets
        from softcontact.hand import LINKS, HandModel

        model = HandModel.build(body.sizes, body.tissue, body.compliance)
        motion = next((m for m in self.scene.motions if m.body == body.name), None)
        times, targets = hand_targets(model, body, motion, self.scene.time_step, self.scene.steps)
        made = HandInGraph(self.root, body, model, targets[0], self.gravity)
        self._keep(made)
        friction = model.tissue.friction if body.friction is None else body.friction
        self._show(
            made,
            f"{body.name}.{LINKS[0]}",
            made.palm,
            role="palm",
            aggregate=body.palm_aggregate,
            friction=friction,
            **self._framed(made.links),
        )
        for phalanx in made.phalanges:
            self._show_phalanx(made, phalanx, f"{body.name}.{LINKS[phalanx.link]}", friction)
        self._drive_joints(made, times, targets)

    def _add_fingertip(self, body: bodies.Fingertip) -> None:
        from softcontact.hand import FingertipModel

        model = FingertipModel.build(body.finger, body.sizes, body.tissue, body.coupling)
        start = np.concatenate([body.position, body.orientation])
        made = FingertipInGraph(self.root, body, model, start, self.gravity)
        self._keep(made)
        friction = model.tissue.friction if body.friction is None else body.friction
        self._show_phalanx(made, made.phalanges[0], body.name, friction)
        motion = next((m for m in self.scene.motions if m.body == body.name), None)
        times, targets = np.zeros(1), start[None]
        if motion is not None:
            orientations = motion.orientations or [body.orientation] * len(motion.times)
            times, targets = np.array(motion.times), np.hstack([motion.positions, orientations])
        self._drive_joints(made, times, targets)

    def _show_phalanx(
        self, made: SoftLinksInGraph, phalanx: PhalanxInGraph, name: str, friction: float
    ) -> None:
        self._show(
            made,
            name,
            phalanx.surface,
            aggregate=True,
            soft=True,
            link=phalanx.link,
            friction=friction,
            **self._framed(made.links, phalanx.frame_index),
        )

    def _drive_joints(self, made: ArticulatedInGraph, times: FloatArray, targets: FloatArray) -> None:
        driver = JointDriver(made, times, targets)
        self._joint_drivers[made.body.name] = driver

    def _keep(self, made: GraphBody) -> None:
        self.bodies[made.body.name] = made

    def _show(
        self,
        made: GraphBody,
        name: str,
        surface: tuple[Any, Any],
        *,
        rigid: bool = False,
        role: str | None = None,
        moves: bool = True,
        friction: float | None = None,
        aggregate: bool = False,
        soft: bool = False,
        **carried: Any,
    ) -> None:
        node, state = surface
        triangles = np.array(node.topology.triangles.value, dtype=np.int32)
        body = made.body
        info = SurfaceInfo(name, body.name, role or body.role, body.color, rigid, triangles)
        friction = self._mu(body) if friction is None else friction
        graph_surface = GraphSurface(info, node, state, friction, aggregate, soft, moves, **carried)
        made.surfaces.append(graph_surface)
        self.surfaces.append(graph_surface)

    def _add_motion(self, motion: Any) -> None:
        if motion.kind != "keyframes" or self.scene.body(motion.body).kind == "fingertip":
            return  # pulls its body from the first moment on
        body = self.scene.body(motion.body)
        if body.kind == "tool":
            if self._drive_tools:
                self._drivers.append(GraphDevice(self.bodies[body.name], motion))
            return
        orientations = np.array(motion.orientations or [body.orientation] * len(motion.times))
        self._drivers.append(
            PoseDriver(
                self.bodies[body.name],
                np.array(motion.times),
                np.array(motion.positions),
                orientations,
                self.mesh(body.shape).vertices,
            )
        )

    def _add_grasp(self, grasp: Any) -> None:
        from softcontact.hand import LINKS, closing_fingers

        body = self.scene.body(grasp.body)
        is_hand = isinstance(body, bodies.Hand)
        names = list(LINKS) if is_hand else [link.name for link in body.links]
        fingers = [finger.model_dump() for finger in grasp.fingers]
        for finger in fingers:
            finger["links"] = [_number(names, link) for link in finger["links"]]
        if not fingers and is_hand:
            fingers = closing_fingers(grasp.hand_fingers, grasp.rate, grasp.shares)
        if not fingers:
            raise ValueError("fingers: none given; list the joints of each finger that close")
        driver = self._joint_drivers[body.name]
        tree = driver.body.tree
        first = tree.root_size[1]
        for finger in fingers:
            for dof in finger["dofs"]:
                if not first <= dof < first + tree.count:
                    raise ValueError(
                        f"fingers ({finger['name']}).dofs: {dof} is no joint; give {first} to {first + tree.count - 1}"
                    )
        links = {s.name: s.link for s in self.surfaces if s.info.body == body.name}
        forces = self.readout.link_forces(links, len(names))
        window = (grasp.start, grasp.end)
        self._drivers.append(GraspDriver(driver, fingers, window, grasp.force, forces))

    def _pair_friction(self) -> dict[frozenset[str], float]:
        return {
            frozenset((one.name, two.name)): pair.friction
            for pair in self.scene.pair_friction
            for one in self._surfaces_of(pair.a)
            for two in self._surfaces_of(pair.b)
        }

    def _pairs_off(self) -> set[frozenset[str]]:
        off = {
            frozenset((one.name, two.name))
            for pair in self.scene.pairs_off
            for one in self._surfaces_of(pair.a)
            for two in self._surfaces_of(pair.b)
        }
        for body in self.bodies.values():
            if isinstance(body, HandInGraph):
                off |= {frozenset(pair) for pair in body.disabled_pairs()}
        return off

    def _surfaces_of(self, body: str) -> list[GraphSurface]:
        return [surface for surface in self.surfaces if surface.info.body == body]


def build_graph(root: Any, scene: Scene) -> SceneGraph:
    """Fill a SOFA root node with a scene.

    Raises:
        SceneError: something that SOFA cannot express; names body and reason.
    """
    return SceneGraph(root, scene)


def _number(names: list[str], name: str) -> int:
    if name not in names:
        raise ValueError(f"fingers: no link {name!r}" + nearest(name, names))
    return names.index(name)
