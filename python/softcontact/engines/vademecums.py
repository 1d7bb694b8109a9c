# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedded engine for bodies that vademecums answer: quasi-static, contact by a pointshell and penalty forces."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray, SurfaceInfo, refuse_integrator
from softcontact.engines.block_scene import friction_of
from softcontact.engines.vademecum_scene import (
    contact_patch,
    loads_at,
    pose_at,
    rest_vertices,
    roles,
)
from softcontact.scene.bodies import KinematicBody, VademecumBody
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.scene.motions import Keyframes
from softcontact.scene.surfaces import surface_mesh
from softcontact.scene.vademecums import LoadMotion
from softcontact.vademecum import PenaltyLaw, Vademecum
from softcontact.vademecum.grid import GridPair
from softcontact.vademecum.loaded import LoadedBody, Placement
from softcontact.vademecum.pair import ContactPair, PairState, RestingPair
from softcontact.vademecum.pointshell import Pointshell

_PART = 0.15  # of the thickness: most that the bodies come together between two solutions
_MOST_PARTS = 60
_SPACINGS = 6  # of the pointshell across the second body's smallest extent


class VademecumEngine:
    """A vademecum's body under its loads, alone or in contact with a kinematic body or a second vademecum's body.

    Args:
        scene: its bodies; the first vademecum's body carries the distance, the other the pointshell.
    Raises:
        SceneError: other bodies, a file that is no vademecum, or a load that it does not know.
    """

    name = "embedded"
    residual_unit = "1"
    skins: tuple[SurfaceInfo, ...] = ()

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        refuse_integrator(scene)
        first, second = roles(scene)
        self._bodies: dict[str, LoadedBody | Placement] = {}
        self.surfaces: tuple[SurfaceInfo, ...] = ()
        self._nodes: dict[str, Any] = {}
        for body in (first, second):
            if body is not None:
                self._add(body)
        self._names = [body.name for body in (first, second) if body is not None]
        self._motions = {
            kind: {motion.body: motion for motion in scene.motions if isinstance(motion, kind)}
            for kind in (Keyframes, LoadMotion)
        }
        for name, motion in self._motions[LoadMotion].items():
            self._check_load(name, motion)
        self._pair = None if second is None else self._make_pair(first, second)
        self._steps = 0
        self._state = PairState(True, 0, 0.0, 0.0, 0, 0)
        self._took = 0.0
        self._at = 0.0
        self._thickness = min(
            float(np.ptp(rest_vertices(body), axis=0).min()) for body in self._bodies.values()
        )
        self._free = self._prescribed(0.0)
        self._advance(0.0)

    def _add(self, body: VademecumBody | KinematicBody) -> None:
        if isinstance(body, KinematicBody):
            mesh = surface_mesh(body.shape)
            made: LoadedBody | Placement = Placement(mesh.vertices)
            nodes, triangles = np.arange(len(mesh.vertices)), np.array(mesh.triangles, dtype=np.int32)
        else:
            try:
                made = LoadedBody(Vademecum.load(Path(body.file)), modes=body.modes)
            except ValueError as error:
                raise SceneError(f"bodies.{body.name}: {error}") from None
            nodes, corners = made.vademecum.mesh.boundary
            triangles = np.searchsorted(nodes, corners).astype(np.int32)
        self._bodies[body.name], self._nodes[body.name] = made, nodes
        rigid = isinstance(body, KinematicBody)
        info = SurfaceInfo(body.name, body.name, body.role, body.color, rigid, triangles)
        self.surfaces = (*self.surfaces, info)

    def _check_load(self, name: str, motion: LoadMotion) -> None:
        for node in motion.nodes:
            try:
                self._bodies[name].vademecum.case(node, motion.family)
            except ValueError as error:
                raise SceneError(f"motions ({name}): {error}") from None

    def _make_pair(self, first: VademecumBody, second: VademecumBody | KinematicBody) -> Any:
        settings = self.scene.vademecum
        bodies = self._bodies[first.name], self._bodies[second.name]
        surface = self.surfaces[1]
        vertices = rest_vertices(bodies[1])
        triangles = self._nodes[second.name][surface.triangles]
        spacing = settings.spacing or float(np.ptp(vertices, axis=0).min()) / _SPACINGS
        shell = Pointshell.over(vertices, triangles, spacing)
        law = PenaltyLaw(settings.stiffness, friction_of(self.scene, first, second))
        try:
            if settings.detection == "grid":
                if settings.yielding or law.friction > 0.0:
                    raise ValueError(
                        "grid is for bodies that do not give way and without friction; set vademecum.yielding to false "
                        "and contact.friction to 0, or take boundary"
                    )
                return GridPair(*bodies, shell, law)
            if not settings.yielding:
                return RestingPair(*bodies, shell, law)
            return ContactPair(*bodies, shell, law, tolerance=settings.tolerance)
        except ValueError as error:
            raise SceneError(f"vademecum.detection: {error}") from None

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.scene.time_step

    def step(self) -> None:
        """Advance by one time step."""
        began = time.perf_counter()
        self._steps += 1
        self._advance(self.time)
        self._took = 1e3 * (time.perf_counter() - began)

    def _prescribe(self, at: float) -> None:
        """Bring poses and loads to a time."""
        for name, body in self._bodies.items():
            placement = body.placement if isinstance(body, LoadedBody) else body
            described = self.scene.body(name)
            motion = self._motions[Keyframes].get(name)
            placement.move(*pose_at(motion, at, described.position, described.orientation))
            load = self._motions[LoadMotion].get(name)
            if load is not None:
                body.loads = loads_at(load, at, body.vademecum)

    def _prescribed(self, at: float) -> list[FloatArray]:
        """Where the bodies would be at a time without each other."""
        self._prescribe(at)
        for body in self._bodies.values():
            if isinstance(body, LoadedBody):
                body.apply()
        return [body.positions() for body in self._bodies.values()]

    def _advance(self, at: float) -> None:
        """Go to a time, in parts so small that no body passes through the other: a point deep inside has forgotten on
        which side it came in."""
        began, before = self._at, self._free
        self._at, self._free = at, self._prescribed(at)
        if self._pair is None:
            return
        way = sum(
            float(np.linalg.norm(now - then, axis=1).max())
            for now, then in zip(self._free, before, strict=True)
        )
        parts = 1
        if not isinstance(self._pair, GridPair):
            parts = min(max(1, int(np.ceil(way / (_PART * self._thickness)))), _MOST_PARTS)
        for part in range(1, parts + 1):
            self._prescribe(began + (at - began) * part / parts)
            state = self._pair.solve()
            self._state = state if part == 1 else state.after(self._state)

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's vertices in the world [m]."""
        return self._bodies[surface].positions()[self._nodes[surface]]

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw); of a vademecum's body, of the axes that it is clamped in."""
        found = self._bodies[body]
        placement = found.placement if isinstance(found, LoadedBody) else found
        return np.concatenate([placement.position, placement.orientation])

    def joint_positions(self, body: str) -> FloatArray:
        """None: these bodies have no joints."""
        return np.zeros(0)

    def patches(self) -> list[dict[str, Any]]:
        """The contact patch, forces on the second body; none while apart."""
        pair = self._pair
        if pair is None or not len(pair.forces.numbers):
            return []
        points, forces = pair.world
        found = pair.forces
        normals = self._bodies[self._names[0]].placement.turn(found.normals)
        slides = bool(found.slides.all())
        areas = pair.shell.areas[found.numbers]
        return [contact_patch(self._names, points, forces, normals, found.depths, areas, slides)]

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step; `detection_ms` is of one detection."""
        state, pair = self._state, self._pair
        depths = np.zeros(0) if pair is None else pair.forces.depths
        return {
            "contacts": len(depths),
            "rows": state.unknowns,
            "patches": int(len(depths) > 0),
            "iterations": state.iterations,
            "residual": state.residual,
            "converged": state.converged,
            "accepted": state.converged,
            "penetration_max": float(depths.max(initial=0.0)),
            "step_ms": self._took,
            "solve_ms": self._took,
            "detection_ms": 1e3 * state.detection_s / max(1, state.detections),
            "free_ms": 0.0,
            "position_ms": 0.0,
        }

    def energies(self) -> dict[str, float]:
        """Elastic energy [J]; the bodies are quasi-static."""
        elastic = sum(body.energy() for body in self._bodies.values() if isinstance(body, LoadedBody))
        return {"kinetic": 0.0, "elastic": elastic, "potential": 0.0}

    def state(self) -> FloatArray:
        """Displacements of all nodes, poses of the rest, and the contact forces."""
        parts = [
            body.displacement.ravel() if isinstance(body, LoadedBody) else self.pose(name)
            for name, body in self._bodies.items()
        ]
        return np.concatenate(
            [*parts, np.zeros(0) if self._pair is None else self._pair.forces.forces.ravel()]
        )

    def status(self) -> dict[str, Any]:
        """{ok, message}."""
        ok = bool(np.isfinite(self.state()).all())
        return {"ok": ok, "message": "" if ok else f"{self._names[0]}: its displacements are not finite"}
