# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedded engine: a scene built in the core's World."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact.engines.base import FloatArray, StepProblem, SurfaceInfo
from softcontact.engines.contact_scale import contact_distances
from softcontact.engines.convex import convex_shape, exact_bodies
from softcontact.engines.embedded_bodies import add_articulated, add_rigid, add_tetrahedral
from softcontact.engines.hand import HandInWorld, add_fingertip
from softcontact.engines.overlap import check_start
from softcontact.engines.tools import ScriptedDevice, add_tool, device_load
from softcontact.engines.tracked import TrackedHands
from softcontact.scene import bodies
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.model import Scene
from softcontact.scene.shapes import SURFACES
from softcontact.scene.surfaces import surface_mesh, tetrahedral_mesh
from softcontact.solver import ContactProblem

if TYPE_CHECKING:
    from softcontact.engines.held_tool import HeldTool

_PROBLEM = (
    "u [m/s] relative velocities at the end of the step, max(gap, 0)/h of its start added to the normal ones; "
    "r [N] contact forces; W = h H A^-1 H^T [m/(N s)]"
)


class EmbeddedEngine:
    """A scene in motion in softcontact._core.World.

    Args:
        scene: the scene; files that it names are read.
        turn_tolerance: turn of the elements of tetrahedral bodies up to which a factorisation serves further steps
            [rad]; 0: each step has its own. Equilibria do not depend on it.
    Raises:
        SceneError: the compiled part is missing, or a body is refused; names body and reason.
    """

    name = "embedded"
    residual_unit = "m/s"

    def __init__(self, scene: Scene, *, turn_tolerance: float = 0.0) -> None:
        self.scene = scene
        self._turn_tolerance = turn_tolerance
        self._meshes: dict[int, Any] = {}
        distances = contact_distances(scene, self._mesh)
        self.world = _new_world(scene, distances)
        self._ids: dict[str, int] = {}
        self._surface_ids: dict[str, int] = {}
        self._kinds = {body.name: body.kind for body in scene.bodies}
        self._surfaces: list[SurfaceInfo] = []
        self._hands: dict[str, HandInWorld] = {}
        self._devices: list[ScriptedDevice] = []
        self.tools = tuple(body.name for body in scene.bodies if body.kind == "tool")
        for index, body in enumerate(scene.bodies):
            self._guarded(f"bodies[{index}] ({body.name})", self._add, body)
        for index, motion in enumerate(scene.motions):
            self._guarded(f"motions[{index}] ({motion.body})", self._move, motion)
        for where, grasp in scene.closings():
            self._guarded(where, self._grasp, grasp)
        self._pairs()
        self.surfaces = tuple(self._surfaces)
        check_start(
            self.world,
            self.surfaces,
            {frozenset((pair.a, pair.b)) for pair in scene.pairs_off},
            {name for name, kind in self._kinds.items() if kind == "kinematic"},
            distances["max_penetration"],
            distances["contact_offset"],
            exact_bodies(scene),
            self.world.overlaps(),
        )
        self.skins = tuple(
            SurfaceInfo(
                f"{name}.skin", name, "skin", hand.body.color, False, np.int32(hand.model.skin.triangles)
            )
            for name, hand in self._hands.items()
        )
        moved = {name: (hand, self._motion_of(name)) for name, hand in self._hands.items()}
        self.tracking = TrackedHands(self.world, moved)
        self._of_body = {name: [s.name for s in self.surfaces if s.body == name] for name in self._ids}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.world.time)

    def step(self) -> None:
        """Advance by one time step."""
        for device in self._devices:
            device.prepare()
        self.world.step()

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's or a skin's vertices in the world [m]."""
        if surface not in self._surface_ids:
            return self._hands[surface.removesuffix(".skin")].skin()
        return np.asarray(self.world.surface_vertices(self._surface_ids[surface]))

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw) of a body; the mean of its surface vertices for a tetrahedral body."""
        if self._kinds[body] == "tetrahedral":
            return np.concatenate([self.vertices(self._of_body[body][0]).mean(axis=0), bodies.UPRIGHT])
        position, orientation = self.world.body_pose(self._ids[body])
        return np.concatenate([position, orientation])

    def joint_positions(self, body: str) -> FloatArray:
        """Joint positions (nq,) of an articulated body or a hand; empty for others."""
        if self._kinds[body] not in ("articulated", "hand"):
            return np.zeros(0)
        return np.asarray(self.world.joint_positions(self._ids[body]))

    def link_position(self, body: str, link: str) -> FloatArray:
        """Origin of a link (3,) [m]; see engines.base.HasLinks."""
        if self._kinds[body] not in ("articulated", "avatar"):
            raise SceneError(f"body {body!r} is {self._kinds[body]}, which has no links; leave link out")
        try:
            number = _number(self.world.link_names(self._ids[body]), link, f"probes: body {body!r}")
        except ValueError as error:
            raise SceneError(str(error)) from None
        return np.array(self.world.body_pose(self._ids[body], number)[0])

    def chain_potential(self) -> float:
        """Potential energy of the articulated bodies in gravity [J]."""
        gravity, energy = np.array(self.scene.gravity), 0.0
        for body in self.scene.bodies:
            if body.kind != "articulated" or body.gravity_compensated:
                continue
            names = list(self.world.link_names(self._ids[body.name]))
            for link in body.links:
                position, turn = self.world.body_pose(self._ids[body.name], names.index(link.name))
                energy -= link.mass * float(gravity @ (position + Rotation.from_quat(turn).apply(link.com)))
        return energy

    def patches(self) -> list[dict[str, Any]]:
        """Contact patches of the last step."""
        return self.world.patches()

    def vertex_loads(self, surface: str) -> dict[str, FloatArray]:
        """Contact load of the last step on the vertices of a surface; see engines.base.FeelsVertices."""
        return self.world.vertex_loads(self._surface_ids[surface])

    def device_load(self, tool: str) -> dict[str, FloatArray]:
        """What the device of a tool feels after the last step; see engines.base.HoldsTools."""
        return device_load(self.world, self._ids[tool])

    def held_tool(self, tool: str) -> "HeldTool":
        """A tool as the loops of softcontact.haptics take it."""
        from softcontact.engines.held_tool import HeldTool, parts_of

        body = self.scene.body(tool)
        return HeldTool(self.world, self._ids[tool], *parts_of(body, self._mesh(body.shape)))

    def number(self, body: str) -> int:
        """A body's number in the World."""
        return self._ids[body]

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step."""
        found, limit = self.world.statistics(), self.scene.solver.accepted_residual
        near = found["residual"] <= limit and found["position_residual"] <= limit * self.scene.time_step
        return found | {"accepted": bool(found["converged"] or near)}

    def energies(self) -> dict[str, float]:
        """Kinetic, elastic and potential energy [J]."""
        return self.world.energies()

    def state(self) -> FloatArray:
        """All positions and velocities."""
        return np.asarray(self.world.state())

    def keep_problems(self) -> None:
        """Nothing to do: the World holds the problem of its last step anyway."""

    def contact_problem(self) -> StepProblem | None:
        """The velocity pass of the last step; None where it had no contacts.

        Raises:
            ValueError: contacts gathered in patches, which make no problem of point contacts.
        """
        parts = self.world.velocity_problem()
        if parts is None:
            raise ValueError('contact.model: patches make no problem of point contacts; expected "point"')
        if not len(parts["mu"]):
            return None
        return StepProblem(ContactProblem(parts["W"], parts["q"], parts["mu"]), parts["force"], _PROBLEM)

    def status(self) -> dict[str, Any]:
        """{ok, message, time}."""
        return self.world.status()

    def _mesh(self, shape: Any) -> Any:
        """Mesh of one of the scene's shapes, made or read once."""
        if id(shape) not in self._meshes:
            make = surface_mesh if isinstance(shape, SURFACES) else tetrahedral_mesh
            self._meshes[id(shape)] = make(shape)
        return self._meshes[id(shape)]

    def _guarded(self, where: str, call: Any, *arguments: Any) -> None:
        try:
            call(*arguments)
        except SceneError:
            raise
        except ValueError as error:
            raise SceneError(f"{where}: {error}") from None

    def _show(self, name: str, body: Any, *, rigid: bool, role: str | None = None) -> None:
        number = self._surface_ids[name] = self.world.surface_names.index(name)
        triangles = np.asarray(self.world.surface_triangles(number), dtype=np.int32)
        self._surfaces.append(SurfaceInfo(name, body.name, role or body.role, body.color, rigid, triangles))

    def _mu(self, body: Any) -> float:
        return self.scene.contact.friction if body.friction is None else body.friction

    def _add(self, body: Any) -> None:
        match body:
            case bodies.RigidBody():
                self._ids[body.name] = add_rigid(self.world, body, self._mesh(body.shape), self._mu(body))
                self._show(body.name, body, rigid=True)
            case bodies.Tool():
                self._ids[body.name] = add_tool(self.world, body, self._mesh(body.shape), self._mu(body))
                self._show(body.name, body, rigid=True)
            case bodies.KinematicBody():
                mesh = self._mesh(body.shape)
                self._ids[body.name] = self.world.add_kinematic_body(
                    body.name,
                    mesh.vertices,
                    mesh.triangles,
                    body.position,
                    body.orientation,
                    self._mu(body),
                    convex_shape(body.shape, mesh),
                )
                self._show(body.name, body, rigid=True)
            case bodies.TetrahedralBody():
                self._ids[body.name] = add_tetrahedral(
                    self.world, body, self._mesh(body.shape), self._mu(body), self._turn_tolerance
                )
                self._show(body.name, body, rigid=False)
            case bodies.ArticulatedBody():
                self._ids[body.name], names = add_articulated(self.world, body, self._mesh, self._mu(body))
                for name in names:
                    self._show(name, body, rigid=False)
            case bodies.Fingertip():
                self._ids[body.name] = add_fingertip(self.world, body)
                self._show(body.name, body, rigid=False)
            case bodies.Hand():
                hand = self._hands[body.name] = HandInWorld(
                    self.world, body, self._motion_of(body.name), self.scene.steps
                )
                self._ids[body.name] = hand.id
                for surface in hand.surfaces:
                    palm = surface.removeprefix(f"{body.name}.").startswith("palm")
                    role = "palm" if palm else body.role
                    self._show(surface, body, rigid=False, role=role)

    def _motion_of(self, body: str) -> Any:
        return next((motion for motion in self.scene.motions if motion.body == body), None)

    def _move(self, motion: Any) -> None:
        body = self.scene.body(motion.body)
        if motion.kind in ("hand", "track"):
            return  # pulls the hand from its first moment on: see HandInWorld
        if motion.kind == "joints":
            self.world.set_joint_motion(self._ids[body.name], motion.times, np.array(motion.targets))
            return
        if body.kind == "tool":
            device = ScriptedDevice(self.world, self._ids[body.name], motion, body.orientation)
            self._devices.append(device)
            return
        orientations = np.array(motion.orientations or [body.orientation] * len(motion.times))
        if body.kind == "fingertip":
            targets = np.hstack([np.array(motion.positions), orientations])
            self.world.set_joint_motion(self._ids[body.name], motion.times, targets)
            return
        self.world.set_kinematic_motion(
            self._ids[body.name], motion.times, np.array(motion.positions), orientations
        )

    def _grasp(self, grasp: Any) -> None:
        body = self.scene.body(grasp.body)
        if body.name in self._hands:
            self._hands[body.name].grasp(grasp)
            return
        names = self.world.link_names(self._ids[body.name])
        fingers = [
            {
                "name": finger.name,
                "dofs": list(finger.dofs),
                "rates": list(finger.rates),
                "links": [_number(names, link, f"fingers ({finger.name}).links") for link in finger.links],
                "share": finger.share,
            }
            for finger in grasp.fingers
        ]
        if not fingers:
            raise ValueError("fingers: none given; list the joints of each finger that close")
        self.world.add_grasp(self._ids[body.name], fingers, grasp.start, grasp.end, grasp.force)

    def _pairs(self) -> None:
        surfaces = {name: [s.name for s in self._surfaces if s.body == name] for name in self._ids}
        for pair in self.scene.pair_friction:
            for a in surfaces[pair.a]:
                for b in surfaces[pair.b]:
                    self.world.set_pair_friction(a, b, pair.friction)
        for pair in self.scene.pair_restitution:
            for a in surfaces[pair.a]:
                for b in surfaces[pair.b]:
                    self.world.set_pair_restitution(a, b, pair.restitution)
        for belt in self.scene.surface_velocities:
            for name in surfaces[belt.body]:
                self.world.set_surface_velocity(name, belt.linear, belt.angular, belt.centre)
        for pair in self.scene.pairs_off:
            for a in surfaces[pair.a]:
                for b in surfaces[pair.b]:
                    if a != b:
                        self.world.disable_pair(a, b)


def _new_world(scene: Scene, distances: dict[str, float]) -> Any:
    try:
        from softcontact._core import World
    except ImportError as error:
        text = (
            f"engine 'embedded' needs the compiled part of softcontact ({error}); 'pip install .' builds it"
        )
        raise SceneError(text) from None
    contact, solver = scene.contact, scene.solver
    options = {
        "integrator": scene.integrator,
        "contact": contact.model,
        "aggregation": contact.aggregation,
        "friction_law": contact.friction_law,
        "pressure": contact.pressure,
        "patch_law": contact.patch,
        **distances,
        "solver_tolerance": solver.tolerance,
        "solver_max_iterations": solver.max_iterations,
        "position_max_iterations": solver.max_iterations,
        "accepted_residual": solver.accepted_residual,
    }
    try:
        return World(scene.time_step, scene.gravity, options)
    except ValueError as error:
        raise SceneError(f"scene settings: {error}") from None


def _number(names: list[str], name: str, where: str) -> int:
    if name not in names:
        raise ValueError(f"{where}: no link {name!r}" + nearest(name, names))
    return names.index(name)
