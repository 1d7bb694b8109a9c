# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine `sofa` for bodies that vademecums answer."""

import time
from typing import Any

import numpy as np
import Sofa.Core
import Sofa.Simulation

from softcontact import _core
from softcontact.engines.base import FloatArray, SurfaceInfo
from softcontact.engines.sofa.messages import told_apart
from softcontact.engines.sofa.vademecum_graph import VademecumGraph
from softcontact.engines.vademecum_scene import contact_patch
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

_MOST = 40  # Newton steps


class SofaVademecumEngine:
    """A vademecum's body under its loads, alone or in contact with a kinematic body or a second vademecum's body.

    Each time step is as many steps of SOFA at one time as it takes for the sizes of the loads to change by no more
    than the scene's tolerance.

    Args:
        scene: its bodies; the first vademecum's body carries the distance, the other the pointshell.
    Raises:
        SceneError: other bodies, a file that is no vademecum, or what SOFA cannot initialise.
    """

    name = "sofa"
    residual_unit = "1"
    skins: tuple[SurfaceInfo, ...] = ()

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.root = Sofa.Core.Node("root")
        with told_apart():
            self.graph = VademecumGraph(self.root, scene)
        bodies = [body for body in (self.graph.first, self.graph.second) if body is not None]
        self._names = [body.name for body in bodies]
        self.surfaces = tuple(
            SurfaceInfo(
                body.name,
                body.name,
                body.role,
                body.color,
                body.name not in self.graph.solids,
                self.graph.surface(body.name)[1],
            )
            for body in bodies
        )
        self._steps, self._failure = 0, ""
        self._iterations, self._residual, self._took = 0, 0.0, 0.0
        with told_apart() as errors:
            Sofa.Simulation.init(self.root)
        if errors:
            raise SceneError(f"SOFA cannot initialise the scene: {errors[0]}")
        self._advance()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.scene.time_step

    def step(self) -> None:
        """Advance by one time step."""
        if self._failure:
            return
        self._steps += 1
        self._advance()

    def _advance(self) -> None:
        began = time.perf_counter()
        self.graph.advance(self.time)
        self._iterations, self._residual = 0, np.inf
        with told_apart() as errors:
            # the first step of SOFA still feels the contact of the places before
            while self._iterations < 2 or (not self._converged and self._iterations < _MOST):
                before = self._amounts()
                Sofa.Simulation.animate(self.root, self.scene.time_step)
                self._residual = float(np.abs(self._amounts() - before).max(initial=0.0))
                self._iterations += 1
                if errors or not np.isfinite(self._residual):
                    break
        if errors:
            self._failure = f"SOFA: {errors[0]}"
        elif not np.isfinite(self.state()).all():
            self._failure = f"{self._names[0]}: its displacements are not finite"
        self._took = 1e3 * (time.perf_counter() - began)

    @property
    def _converged(self) -> bool:
        return self._residual <= self.scene.vademecum.tolerance

    def _amounts(self) -> FloatArray:
        return np.concatenate([solid.amounts() for solid in self.graph.solids.values()])

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's vertices in the world [m]."""
        return self.graph.positions(surface)[self.graph.surface(surface)[0]]

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw); of a vademecum's body, of the axes that it is clamped in."""
        placement = self.graph.placement(body)
        return np.concatenate([placement.position, placement.orientation])

    def joint_positions(self, body: str) -> FloatArray:
        """None: these bodies have no joints."""
        return np.zeros(0)

    def patches(self) -> list[dict[str, Any]]:
        """The contact patch, forces on the second body; none while apart."""
        graph = self.graph
        forces = self._forces()
        inside = np.flatnonzero(forces.any(axis=1))
        if not len(inside):
            return []
        first = graph.placement(self._names[0])
        nodes, triangles = graph.surface(self._names[0])
        surface = _core.Surface(graph.solids[self._names[0]].positions()[nodes], triangles)
        points = np.array(graph.points.position.value, dtype=float)[inside]
        distances, places, normals, _ = surface.signed_distance(points)
        slides = int(graph.contact.sliding.value) == len(inside)
        world, turned = first.to_world(places), first.turn(forces[inside])
        areas = graph.shell.areas[inside]
        return [contact_patch(self._names, world, turned, first.turn(normals), -distances, areas, slides)]

    def _forces(self) -> FloatArray:
        """Of contact on the shell's points, in the first body's axes (k, 3) [N]."""
        if self.graph.contact is None:
            return np.zeros((0, 3))
        return np.array(self.graph.points.force.value, dtype=float)

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step."""
        contact = self.graph.contact
        count = 0 if contact is None else int(contact.contacts.value)
        return {
            "contacts": count,
            "rows": len(self._amounts()),
            "patches": int(count > 0),
            "iterations": self._iterations,
            "residual": self._residual,
            "converged": self._converged,
            "accepted": self._converged,
            "penetration_max": 0.0 if contact is None else float(contact.depth.value),
            "step_ms": self._took,
            "solve_ms": self._took,
            "detection_ms": 0.0,
            "free_ms": 0.0,
            "position_ms": 0.0,
        }

    def energies(self) -> dict[str, float]:
        """Elastic energy [J]; the bodies are quasi-static."""
        elastic = 0.0
        for made in self.graph.solids.values():
            solid = made.vademecum.cases.solid
            moved = solid.restrict(made.positions() - made.vademecum.mesh.nodes)
            elastic += float(solid.energy(moved[None])[0])
        return {"kinetic": 0.0, "elastic": elastic, "potential": 0.0}

    def state(self) -> FloatArray:
        """Displacements of all nodes, poses of the rest, and the contact forces."""
        parts = []
        for name in self._names:
            solid = self.graph.solids.get(name)
            moved = None if solid is None else solid.positions() - solid.vademecum.mesh.nodes
            parts.append(self.pose(name) if moved is None else moved.ravel())
        return np.concatenate([*parts, self._forces().ravel()])

    def status(self) -> dict[str, Any]:
        """{ok, message}."""
        return {"ok": not self._failure, "message": self._failure}
