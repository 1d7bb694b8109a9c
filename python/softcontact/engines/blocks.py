# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedded engine for two elastic blocks: flexibility method, or the haptic loop where a device drives."""

import time
from typing import Any

import numpy as np

from softcontact.engines.base import FloatArray, StepProblem, SurfaceInfo, refuse_integrator
from softcontact.engines.block_scene import (
    contact_patches,
    friction_of,
    prescribed,
    tributary_areas,
    upper_and_lower,
)
from softcontact.flexibility.benchmark import SOLVERS, pairs
from softcontact.flexibility.haptic import METHODS, Device, HapticSession
from softcontact.flexibility.hexahedra import BlockGrid
from softcontact.flexibility.simulator import FlexibilitySimulator, contact_frame, named_solver, world_frame
from softcontact.scene.bodies import UPRIGHT, ElasticBlock
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.scene.motions import DeviceMotion
from softcontact.solver import ContactProblem

_BUDGET_SHARE = 0.8  # of a tick by the wall clock; the rest is for the device and the log
_PROBLEM = (
    "u_n [m] gaps after the step, u_t, u_s [m] slips over it; r [N] contact forces on the upper block; W [m/N] "
    "flexibility of both blocks at their contact nodes"
)


class BlocksEngine:
    """Two quasi-static blocks in contact, the upper one driven.

    Args:
        scene: a scene whose bodies are two elastic blocks, one of them driven.
    Raises:
        SceneError: other bodies, blocks that do not lie on each other, or settings that do not fit.
    """

    name = "embedded"
    residual_unit: str
    skins: tuple[SurfaceInfo, ...] = ()

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        refuse_integrator(scene)
        upper, lower = upper_and_lower(scene)
        self._blocks = {body.name: body for body in (upper, lower)}
        self._names = (upper.name, lower.name)
        settings = scene.flexibility
        try:
            grids = [BlockGrid(body.position, body.size, body.divisions) for body in (upper, lower)]
            contact = pairs(*grids)
            bodies = [
                self._body(body, grid, nodes)
                for body, grid, nodes in zip((upper, lower), grids, contact, strict=True)
            ]
            stop = {"tolerance": settings.tolerance}
            if settings.uzawa_error is not None:
                stop = {"tolerance": settings.uzawa_error, "stop": "uzawa_error"}
            self._simulator = FlexibilitySimulator(
                *bodies,
                friction_of(scene, upper, lower),
                named_solver(settings.method, **stop),
                warm_start=settings.warm_start,
            )
            self._start = np.array(upper.position)
            self._motion = next((m for m in scene.motions if m.body == upper.name), None)
            self._session = self._new_session() if isinstance(self._motion, DeviceMotion) else None
            if self._session is None:
                self._check_method(scene)
        except ValueError as error:
            raise error if isinstance(error, SceneError) else SceneError(f"blocks: {error}") from None
        self._nodes = dict(zip(self._names, (grid.surface[0] for grid in grids), strict=True))
        self.surfaces = tuple(
            SurfaceInfo(body.name, body.name, body.role, body.color, False, grid.surface[1])
            for body, grid in zip((upper, lower), grids, strict=True)
        )
        self._areas = tributary_areas(grids[0], contact[0])
        self._rest = grids[0].nodes[contact[0]]
        self.residual_unit = "m" if self._session is not None or settings.uzawa_error is not None else "1"
        self._steps, self._drive = 0, np.zeros(3)
        self._force = np.zeros((len(self._rest), 3))
        self._slip = np.zeros(len(self._rest))
        self._statistics: dict[str, Any] = {}
        self._problem: ContactProblem | None = None
        self._before = np.zeros_like(self._force)
        self._synchronised = 0

    def _body(self, body: ElasticBlock, grid: BlockGrid, contact: Any) -> Any:
        clamped = np.concatenate([np.zeros(0, dtype=np.int64), *(grid.face(face) for face in body.clamped)])
        driven = grid.face(body.driven) if body.driven else []
        try:
            make = SOLVERS[self.scene.flexibility.displacement]
            return make(grid, body.young, body.poisson, clamped, driven, contact)
        except ValueError as error:
            raise SceneError(f"bodies.{body.name}: {error}") from None

    def _check_method(self, scene: Scene) -> None:
        """Refuse an unknown contact solver before the first step."""
        from softcontact.solver import ContactProblem, solve

        solve(ContactProblem(np.eye(3), np.ones(3), np.zeros(1)), method=scene.flexibility.method)

    def _new_session(self) -> HapticSession:
        scene, motion, settings = self.scene, self._motion, self.scene.flexibility
        if settings.method not in METHODS:
            raise ValueError(f"flexibility.method: {settings.method!r}; a device takes {', '.join(METHODS)}")
        budget = settings.budget
        if budget is None and settings.clock == "wall":
            budget = _BUDGET_SHARE * scene.time_step
        device = Device(**{name: getattr(motion, name) for name in Device.__dataclass_fields__})
        return HapticSession(
            self._simulator,
            motion.times,
            np.array(motion.positions) - self._start,
            scene.time_step,
            max(scene.steps or 0, scene.step_count),
            device,
            method=settings.method,
            tolerance=settings.uzawa_error or settings.tick_tolerance,
            budget=budget,
            clock=settings.clock,
            refresh=settings.refresh,
        )

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.scene.time_step

    def step(self) -> None:
        """Advance by one time step, or one tick of the device."""
        began = time.perf_counter()
        if self._session is None:
            self._step_simulator()
        else:
            self._step_session()
        self._statistics["step_ms"] = 1e3 * (time.perf_counter() - began)
        self._steps += 1

    def _step_simulator(self) -> None:
        self._drive = self._prescribed((self._steps + 1) * self.scene.time_step)
        result = self._simulator.step(self._drive)
        self._force = result.force
        self._problem = result.problem
        self._slip = np.linalg.norm(result.slip, axis=1)
        self._statistics = {
            "iterations": result.iterations,
            "residual": result.solution.residual
            if self.residual_unit == "1"
            else result.solution.uzawa_error,
            "converged": result.converged,
            "penetration_max": max(0.0, -float(result.gap.min())),
            "solve_ms": 1e3 * result.solve_s,
        }
        self._synchronised = self._steps + 1

    def _step_session(self) -> None:
        row = self._session.row(self._steps)
        self._before = before = self._simulator_slip()
        self._drive = row["position"][0].copy()
        self._force = world_frame(row["forces"][0])
        after = self._simulator_slip()
        self._slip = np.linalg.norm((after - before)[:, :2], axis=1)
        self._statistics = {
            "iterations": int(row["sweeps"][0]),
            "residual": float(row["error"][0]),
            "natural_map": float(row["residual"][0]),
            "converged": bool(row["converged"][0]),
            "penetration_max": float(row["penetration"][0]),
            "solve_ms": 1e3 * float(row["tick_s"][0]),
        }

    def _simulator_slip(self) -> FloatArray:
        """Displacement of the upper contact nodes against the lower ones (n, 3) [m], linear about the present model."""
        model = self._session.model
        flat = contact_frame(self._force)
        relative = model.compliance @ flat + model.drive @ self._drive + model.offset
        return world_frame(relative)

    def _prescribed(self, at: float) -> FloatArray:
        return prescribed(self._motion, self._start, at)

    def _synchronise(self) -> None:
        """Bring all nodes to the present tick; the haptic loop itself knows the contact nodes only."""
        if self._session is not None and self._synchronised != self._steps:
            self._session.synchronise(self._drive, self._force)
            self._synchronised = self._steps

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a block's surface nodes [m]."""
        self._synchronise()
        body = self._simulator.upper if surface == self._names[0] else self._simulator.lower
        nodes = self._nodes[surface]
        return body.grid.nodes[nodes] + body.displacement[nodes]

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw): the block's origin, moved with its driven face."""
        moved = self._drive if body == self._names[0] else 0.0
        return np.concatenate([np.array(self._blocks[body].position) + moved, UPRIGHT])

    def joint_positions(self, body: str) -> FloatArray:
        """None: blocks have no joints."""
        return np.zeros(0)

    def _contact_points(self) -> FloatArray:
        if self._session is not None:
            return self._rest + self._session.model.contact_positions(self._drive, self._force)
        upper = self._simulator.upper
        return self._rest + upper.displacement[upper.contact]

    def patches(self) -> list[dict[str, Any]]:
        """The contact patch, forces on the upper block; none while apart."""
        return contact_patches(self._names, self._force, self._contact_points(), self._areas, self._slip)

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step.

        The residual is what the tolerance is set against: the natural map of a step [-]; where flexibility.uzawa_error
        is given, that error [m]; of a tick, what another sweep would move [m]. (The natural map is a share of q and r;
        where the blocks barely touch it is large with a tick that is off by less than a nanometre.)
        """
        touching = int((self._force[:, 2] > 0.0).sum())
        return {
            "contacts": touching,
            "rows": 3 * len(self._force),
            "patches": int(touching > 0),
            "detection_ms": 0.0,
            "free_ms": self._statistics["step_ms"] - self._statistics["solve_ms"],
            "position_ms": 0.0,
            **self._statistics,
            "accepted": self._statistics["converged"],
        }

    def energies(self) -> dict[str, float]:
        """Elastic energy [J]; a quasi-static body has no other here."""
        if self._session is not None and self._simulator.upper.exact:
            # Clapeyron: half the work of the contact forces and of what holds the driven face.
            relative = self._simulator_slip() - world_frame(self._simulator.rest_gap) - self._drive
            elastic = 0.5 * float((self._force * relative).sum())
        else:
            elastic = self._simulator.upper.elastic_energy() + self._simulator.lower.elastic_energy()
        return {"kinetic": 0.0, "elastic": elastic, "potential": 0.0}

    def state(self) -> FloatArray:
        """Displacements of all nodes of both blocks and the contact forces."""
        self._synchronise()
        moved = [self._simulator.upper.displacement, self._simulator.lower.displacement, self._force]
        return np.concatenate([part.ravel() for part in moved])

    def keep_problems(self) -> None:
        """Refuse what contact_problem() could not tell later on.

        Raises:
            SceneError: corotational blocks on a device, whose model glides from one linearisation to the next.
        """
        if self._session is not None and not (self._simulator.upper.exact and self._simulator.lower.exact):
            raise SceneError(
                "flexibility.displacement: the contact problems of corotational blocks on a device are not kept "
                "tick by tick; drive them by a script, or take linear ones (--set flexibility.displacement=linear)"
            )

    def contact_problem(self) -> StepProblem | None:
        """The problem of the last step, all contact nodes in it; None where none of them carries force."""
        if not (self._force[:, 2] > 0.0).any():
            return None
        problem = self._problem
        if self._session is not None:
            model, tangential = self._session.model, np.arange(self._force.size) % 3 != 0
            q = model.drive @ self._drive + model.offset
            q[tangential] -= contact_frame(self._before)[tangential]
            problem = ContactProblem(model.compliance, q, self._simulator.mu)
        return StepProblem(problem, contact_frame(self._force), _PROBLEM)

    def status(self) -> dict[str, Any]:
        """{ok, message}."""
        ok = bool(np.isfinite(self._force).all() and np.isfinite(self._drive).all())
        return {"ok": ok, "message": "" if ok else f"{self._names[0]}: the contact forces are not finite"}

    def haptics(self) -> dict[str, Any] | None:
        """Rate, jitter and budget of the haptic loop; None without a device."""
        return None if self._session is None else self._session.figures()

    def close(self) -> None:
        """Stop the haptic loop."""
        if self._session is not None:
            self._session.close()
