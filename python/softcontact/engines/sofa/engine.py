# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine `sofa`: a scene in motion in a SOFA graph."""

from typing import Any

import numpy as np
import Sofa.Core
import Sofa.Simulation

from softcontact.engines.base import FloatArray, StepProblem, SurfaceInfo
from softcontact.engines.overlap import check_start
from softcontact.engines.sofa.graph import SceneGraph
from softcontact.engines.sofa.hand import HandInGraph
from softcontact.engines.sofa.messages import told_apart
from softcontact.engines.sofa.overlap import OverlapMeter, StartView
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene

_MAX_SPEED = 1e3  # [m/s] or [rad/s]: above, a step counts as diverged, as in the core


class SofaEngine:
    """A scene in motion in SOFA.

    Args:
        scene: the scene, its meshes read.
    Raises:
        SceneError: something that SOFA cannot express, or bodies that overlap at the start.
    """

    name = "sofa"
    residual_unit = "m/s"

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.root = Sofa.Core.Node("root")
        with told_apart():
            self.graph = graph = SceneGraph(self.root, scene)
        self._surfaces = {surface.name: surface for surface in graph.surfaces}
        self.surfaces = tuple(surface.info for surface in graph.surfaces)
        self.tools = tuple(body.name for body in scene.bodies if body.kind == "tool")
        self._hands = {name: body for name, body in graph.bodies.items() if isinstance(body, HandInGraph)}
        self.skins = tuple(
            SurfaceInfo(
                f"{name}.skin", name, "skin", hand.body.color, False, np.int32(hand.model.skin.triangles)
            )
            for name, hand in self._hands.items()
        )
        check_start(
            StartView(graph.surfaces),
            self.surfaces,
            {frozenset((pair.a, pair.b)) for pair in scene.pairs_off},
            {body.name for body in scene.bodies if body.kind == "kinematic"},
            graph.distances["max_penetration"],
            graph.distances["contact_offset"],
        )
        self._overlap = OverlapMeter(graph.surfaces)
        self._count, self._failure, self._penetration = 0, "", 0.0
        with told_apart() as errors:
            Sofa.Simulation.init(self.root)
        if errors:
            raise SceneError(f"SOFA cannot initialise the scene: {errors[0]}")

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._count * self.scene.time_step

    def step(self) -> None:
        """Advance by one time step."""
        if self._failure:
            return
        with told_apart() as errors:
            Sofa.Simulation.animate(self.root, self.scene.time_step)
        self._count += 1
        self._failure = f"SOFA: {errors[0]}" if errors else self._examine()

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's or a skin's vertices in the world [m]."""
        if surface in self._surfaces:
            return self._surfaces[surface].vertices()
        return self._hands[surface.removesuffix(".skin")].skin()

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw) of a body; the mean of its surface vertices for a tetrahedral body."""
        return self.graph.bodies[body].pose()

    def joint_positions(self, body: str) -> FloatArray:
        """Joint positions (nq,) of an articulated body or a hand; empty for others."""
        return self.graph.bodies[body].joint_positions()

    def device_load(self, tool: str) -> dict[str, FloatArray]:
        """What the device of a tool feels after the last step; see engines.base.HoldsTools."""
        return self.graph.bodies[tool].device_load()

    def patches(self) -> list[dict[str, Any]]:
        """Contact patches of the last step."""
        return self.graph.readout.patches()

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step."""
        return self.graph.readout.statistics() | {"penetration_max": self._penetration}

    def energies(self) -> dict[str, float]:
        """Kinetic, elastic and potential energy [J]."""
        parts = [body.energies() for body in self.graph.bodies.values()]
        return dict(zip(("kinetic", "elastic", "potential"), map(float, np.sum(parts, axis=0)), strict=True))

    def state(self) -> FloatArray:
        """All positions and velocities, body after body."""
        parts = [part for body in self.graph.bodies.values() for part in body.state()]
        return np.concatenate(parts).astype(float) if parts else np.zeros(0)

    def keep_problems(self) -> None:
        """Have contact_problem() told from now on.

        Raises:
            SceneError: the scene's contacts are no problem of point contacts in SOFA.
        """
        self.graph.readout.keep_problems()

    def contact_problem(self) -> StepProblem | None:
        """The velocity pass of the last step; None where it had no contacts, or keep_problems() was not called."""
        kept = self.graph.readout.kept
        return None if kept is None else kept.problem()

    def status(self) -> dict[str, Any]:
        """{ok, message}."""
        return {"ok": not self._failure, "message": self._failure}

    def _examine(self) -> str:
        """Why the state cannot be used any more; empty where it can."""
        for name, body in self.graph.bodies.items():
            parts = body.state()
            if not all(np.isfinite(part).all() for part in parts):
                return f"body '{name}': positions or velocities are not finite"
            if any(np.abs(part).max(initial=0.0) > _MAX_SPEED for part in parts[1::2]):
                return f"body '{name}': speed above {_MAX_SPEED:g} m/s: the step diverged"
        limit = self.graph.distances["max_penetration"]
        self._penetration, names = self._overlap.deepest(self.patches())
        if self._penetration > limit:
            depth = f"{1e3 * self._penetration:.3g} mm"
            return f"body '{names[0]}': is {depth} inside '{names[1]}', more than max_penetration"
        return ""
