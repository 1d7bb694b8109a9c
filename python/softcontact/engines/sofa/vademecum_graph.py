# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene of vademecums as a SOFA graph, in the axes of the body that carries the distance.

Quasi-static: the bodies have next to no mass, so that one implicit Euler step is one Newton step to the equilibrium of
loads and contact.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact import _core
from softcontact.engines.base import FloatArray
from softcontact.engines.block_scene import friction_of
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.settings import MODULES
from softcontact.engines.sofa.vademecum import add_vademecum, add_vademecum_solid
from softcontact.engines.vademecum_scene import loads_at, pose_at, rest_vertices, roles
from softcontact.scene.bodies import KinematicBody, VademecumBody
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.scene.motions import Keyframes
from softcontact.scene.surfaces import surface_mesh
from softcontact.scene.vademecums import LoadMotion
from softcontact.vademecum import Vademecum
from softcontact.vademecum.loaded import LoadedBody, Placement
from softcontact.vademecum.pointshell import Pointshell

CONTACT_LOADS = 12  # nodes of each body whose loads answer to contact
_SPACINGS = 6  # of the pointshell across the second body's smallest extent
_NEAR = 0.05  # of a body's largest extent: so near to the other one a node may be touched
_MASS = 1e-6  # of a body, against its largest force over a step


class SolidInGraph:
    """A vademecum's body: the sizes of its loads, and its nodes below, in its own axes.

    Args:
        root: SOFA's root node.
        container: of its vademecum.
        vademecum: its vademecum.
        name: of the node.
        motion: of the load on it; None: it has none of its own.
        touched: nodes whose loads answer to contact.
        yielding: whether contact moves it; if not, its own loads alone do.
        step: time step [s].
    """

    def __init__(
        self,
        root: Any,
        container: Any,
        vademecum: Vademecum,
        *,
        name: str,
        motion: LoadMotion | None,
        touched: list[int],
        yielding: bool,
        step: float,
    ) -> None:
        self.vademecum, self._motion, self._yielding = vademecum, motion, yielding
        cases = vademecum.cases
        own = [] if motion is None else [(int(node), motion.family) for node in motion.nodes]
        independent = _independent(cases.directions)
        contact = [(node, family) for node in touched for family in independent] if yielding else []
        loads = list(dict.fromkeys([*own, *contact])) or [(int(cases.nodes[0]), 0)]
        self._cases = [vademecum.case(*load) for load in loads]
        longest = float(np.ptp(vademecum.mesh.nodes, axis=0).max())
        nodes, families = zip(*loads, strict=True)
        node = add_vademecum_solid(
            root,
            container,
            nodes,
            families=families,
            mass=_MASS * cases.magnitude * step**2 / longest,
            name=name,
        )
        self.node, self.sizes, self.state = node, node.sizes, node.nodes.state
        mesh = vademecum.mesh
        boundary = {"position": mesh.nodes.tolist(), "triangles": mesh.boundary[1].tolist()}
        add(node.nodes, "MeshTopology", name="boundary", **boundary)
        if not yielding:
            add(node, "FixedProjectiveConstraint", name="prescribed", template="Vec1", fixAll=True)
        elif own:
            self._nodes = [node for node, _ in own]
            none = [[0.0, 0.0, 0.0]] * len(own)
            self._force = add(node.nodes, "ConstantForceField", name="load", indices=self._nodes, forces=none)

    def load(self, at: float) -> None:
        """Take the loads of a time [s]."""
        if self._motion is None:
            return
        wanted = loads_at(self._motion, at, self.vademecum)
        if not self._yielding:
            sizes = dict(wanted)
            self.sizes.position.value = [[sizes.get(case, 0.0)] for case in self._cases]
            return
        cases = self.vademecum.cases
        forces = np.zeros((len(self._nodes), 3))
        for case, size in wanted:
            family, position = divmod(case, len(cases.nodes))
            place = self._nodes.index(int(cases.nodes[position]))
            forces[place] += size * cases.magnitude * cases.directions[family]
        self._force.forces.value = forces.tolist()

    def positions(self) -> FloatArray:
        """All nodes in the body's own axes (n, 3) [m]."""
        return np.array(self.state.position.value, dtype=float)

    def amounts(self) -> FloatArray:
        """Sizes of the loads [-]."""
        return np.array(self.sizes.position.value, dtype=float).ravel()


class VademecumGraph:
    """The bodies of a scene of vademecums in SOFA, moved by `advance`.

    Contact works on the bodies through loads at some nodes, spread over where the other body comes near, by the work
    that its forces do.

    Args:
        root: SOFA's root node; its coordinates are the axes of the first vademecum's body.
        scene: the scene.
    Attributes:
        solids: a SolidInGraph by name of body.
        shell: the pointshell; None where there is one body alone.
        contact: VademecumContactForceField; None likewise.
        points: state of the pointshell's points.
    Raises:
        SceneError: bodies that such a scene cannot hold, or a file that is no vademecum.
    """

    def __init__(self, root: Any, scene: Scene) -> None:
        self.root, self.scene = root, scene
        self.first, self.second = roles(scene)
        self._bodies = {body.name: _read(body) for body in (self.first, self.second) if body is not None}
        self._motions: dict[type, dict[str, Any]] = {
            kind: {motion.body: motion for motion in scene.motions if isinstance(motion, kind)}
            for kind in (Keyframes, LoadMotion)
        }
        self.solids: dict[str, SolidInGraph] = {}
        self.shell: Pointshell | None = None
        self.contact = self.points = self._frame = None
        root.dt.value = scene.time_step
        root.gravity.value = [0.0, 0.0, 0.0]
        for module in (*MODULES, "Sofa.Component.LinearSolver.Iterative"):
            add(root, "RequiredPlugin", name=module.replace(".", "_"), pluginName=module)
        add(root, "DefaultAnimationLoop", name="loop")
        add(root, "EulerImplicitSolver", name="integration", rayleighMass=0.0, rayleighStiffness=0.0)
        add(root, "CGLinearSolver", name="solver", iterations=500, tolerance=1e-12, threshold=1e-30)
        self._add_solids()
        if self.second is not None:
            self._add_contact()
        self._place(0.0)

    def _add_solids(self) -> None:
        touched = self._near_nodes()
        containers: dict[str, Any] = {}
        for body in (self.first, self.second):
            made = None if body is None else self._bodies[body.name]
            if not isinstance(made, LoadedBody):
                continue
            key = f"{body.file}, {body.modes}"
            if key not in containers:
                name = f"vademecum{len(containers) or ''}"
                containers[key] = add_vademecum(self.root, made.vademecum, name=name)
            self.solids[body.name] = SolidInGraph(
                self.root,
                containers[key],
                made.vademecum,
                name=body.name,
                motion=self._motions[LoadMotion].get(body.name),
                touched=touched.get(body.name, []),
                yielding=self.scene.vademecum.yielding,
                step=self.scene.time_step,
            )

    def _add_contact(self) -> None:
        settings, body = self.scene.vademecum, self._bodies[self.second.name]
        vertices, triangles = rest_vertices(body), _triangles(self.second, body)
        spacing = settings.spacing or float(np.ptp(vertices, axis=0).min()) / _SPACINGS
        self.shell = Pointshell.over(vertices, triangles, spacing)
        rest = self.shell.points(vertices).tolist()
        frame = self.root.addChild("frame")
        still = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
        self._frame = add(frame, "MechanicalObject", name="state", template="Rigid3", position=still)
        add(frame, "UniformMass", name="mass", totalMass=1.0)
        add(frame, "FixedProjectiveConstraint", name="moved", fixAll=True)
        shell = frame.addChild("shell")
        self.points = add(shell, "MechanicalObject", name="state", template="Vec3", position=rest)
        solid = self.solids.get(self.second.name)
        if solid is None:
            add(shell, "RigidMapping", name="mapping")
        else:
            below = solid.node.nodes
            own = below.addChild("points")
            add(own, "MechanicalObject", name="state", template="Vec3", position=rest)
            add(own, "BarycentricMapping", name="mapping")
            own.addChild(shell)
            links = {"input1": own.state, "input2": self._frame, "output": self.points}
            paths = {key: "@" + state.getPathName() for key, state in links.items()}
            add(shell, "DeformableOnRigidFrameMapping", name="mapping", **paths)
        self.contact = add(
            self.root,
            "VademecumContactForceField",
            name="contact",
            object1="@" + self.solids[self.first.name].state.getPathName(),
            object2="@" + self.points.getPathName(),
            stiffness=settings.stiffness,
            friction=friction_of(self.scene, self.first, self.second),
            tabulated=settings.detection == "grid",
        )

    def advance(self, at: float) -> None:
        """Bring poses and loads to a time [s]; the next step answers to them."""
        self._place(at)
        for solid in self.solids.values():
            solid.load(at)

    def drive(self) -> None:
        """Have SOFA itself advance at the start of each step, for who has no engine to do so."""
        import Sofa.Core

        graph = self

        class Driver(Sofa.Core.Controller):
            """Moves the bodies along their keyframes."""

            def __init__(self) -> None:
                super().__init__(name="driver")
                self.count = 0

            def onAnimateBeginEvent(self, event: Any) -> None:
                self.count += 1
                graph.advance(self.count * float(graph.root.dt.value))

        self.root.addObject(Driver())

    def placement(self, name: str) -> Placement:
        """Where a body is in the world."""
        body = self._bodies[name]
        return body.placement if isinstance(body, LoadedBody) else body

    def positions(self, name: str) -> FloatArray:
        """All nodes, or vertices, of a body in the world (n, 3) [m]."""
        solid = self.solids.get(name)
        here = rest_vertices(self._bodies[name]) if solid is None else solid.positions()
        return self.placement(name).to_world(here)

    def surface(self, name: str) -> tuple[Any, Any]:
        """Numbers of a body's surface nodes (k,), and its triangles by places among them (m, 3)."""
        body = self._bodies[name]
        triangles = _triangles(self.scene.body(name), body)
        nodes = np.unique(triangles)
        return nodes, np.searchsorted(nodes, triangles).astype(np.int32)

    def _place(self, at: float) -> None:
        for name in self._bodies:
            described, motion = self.scene.body(name), self._motions[Keyframes].get(name)
            self.placement(name).move(*pose_at(motion, at, described.position, described.orientation))
        if self._frame is None:
            return
        first, second = self.placement(self.first.name), self.placement(self.second.name)
        turn = Rotation.from_quat(first.orientation).inv() * Rotation.from_quat(second.orientation)
        place = first.to_body(second.position)
        self._frame.position.value = [[*place.tolist(), *turn.as_quat().tolist()]]

    def _near_nodes(self) -> dict[str, list[int]]:
        """Loaded nodes of each body that the other one comes near, spread."""
        if self.second is None or not self.scene.vademecum.yielding:
            return {}
        times = sorted(
            {t for kind in self._motions.values() for motion in kind.values() for t in motion.times}
        )
        near: dict[str, FloatArray] = {}
        for at in times or [0.0]:
            self._place(at)
            for name, body in self._bodies.items():
                motion = self._motions[LoadMotion].get(name)
                if isinstance(body, LoadedBody):
                    body.loads = [] if motion is None else loads_at(motion, at, body.vademecum)
                    body.apply()
            for name, body in self._bodies.items():
                if not isinstance(body, LoadedBody):
                    continue
                other = next(o for o in self._bodies if o != name)
                nodes, triangles = self.surface(other)
                surface = _core.Surface(self._bodies[other].positions()[nodes], triangles)
                apart = surface.signed_distance(body.positions()[body.vademecum.cases.nodes])[0]
                near[name] = np.minimum(near.get(name, np.inf), apart)
        return {name: self._spread(self._bodies[name].vademecum, apart) for name, apart in near.items()}

    @staticmethod
    def _spread(vademecum: Vademecum, apart: FloatArray) -> list[int]:
        """Of the loaded nodes that are near, the nearest, and then each time the one farthest from those chosen."""
        rest = vademecum.mesh.nodes
        close = np.flatnonzero(apart < _NEAR * float(np.ptp(rest, axis=0).max()))
        places = rest[vademecum.cases.nodes[close]]
        chosen: list[int] = []
        far = -apart[close]
        for _ in range(min(CONTACT_LOADS, len(close))):
            best = int(far.argmax())
            reach = np.linalg.norm(places - places[best], axis=1)
            far = reach if not chosen else np.minimum(far, reach)
            chosen.append(int(vademecum.cases.nodes[close[best]]))
        return chosen


def _read(body: VademecumBody | KinematicBody) -> LoadedBody | Placement:
    if isinstance(body, KinematicBody):
        return Placement(surface_mesh(body.shape).vertices)
    try:
        read = Vademecum.load(Path(body.file))
        if body.modes is not None:
            read = dataclasses.replace(read, solution=read.truncated(body.modes))
    except ValueError as error:
        raise SceneError(f"bodies.{body.name}: {error}") from None
    return LoadedBody(read)


def _triangles(described: VademecumBody | KinematicBody, body: LoadedBody | Placement) -> Any:
    if isinstance(body, LoadedBody):
        return body.vademecum.mesh.boundary[1].astype(np.int64)
    return np.array(surface_mesh(described.shape).triangles, dtype=np.int64)


def _independent(directions: FloatArray) -> list[int]:
    """Families along which no earlier one is, nor against."""
    found: list[int] = []
    for family, direction in enumerate(directions):
        if all(abs(direction @ directions[other]) < 1.0 - 1e-9 for other in found):
            found.append(family)
    return found
