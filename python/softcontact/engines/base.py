# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run asks of an engine."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.solver import ContactProblem

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SurfaceInfo:
    """A surface that takes part in contact.

    Attributes:
        name: name of the surface; contact patches refer to it.
        body: name of the scene's body that it belongs to.
        role: what the replay shows it as.
        color: red, green, blue from 0 to 1, or None for the role's.
        rigid: whether the body's pose moves it as a whole.
        triangles: vertex numbers (m, 3), int32.
    """

    name: str
    body: str
    role: str
    color: tuple[float, float, float] | None
    rigid: bool
    triangles: NDArray[np.int32]


@dataclass(frozen=True)
class StepProblem:
    """The contact problem of a step, as it was solved.

    Attributes:
        problem: W, q and μ.
        force: the solution that the step went on with (3n,) in (n, t, s).
        meaning: what u, r and W stand for, with units.
    """

    problem: ContactProblem
    force: FloatArray
    meaning: str


class Engine(Protocol):
    """A scene in motion. Dictionaries have the keys of softcontact._core.World.

    Some engines do more: see KeepsProblems, FeelsVertices and HoldsTools.
    """

    name: str
    surfaces: tuple[SurfaceInfo, ...]
    skins: tuple[SurfaceInfo, ...]  # shown, but without contact
    residual_unit: str  # of statistics()["residual"]: "m/s", "m" or "1"

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def step(self) -> None:
        """Advance by one time step."""

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a surface's or a skin's vertices in the world [m]."""

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw) of a body.

        A tetrahedral body has the mean of its surface vertices and no rotation; a hand has its palm's pose.
        """

    def joint_positions(self, body: str) -> FloatArray:
        """Joint positions (nq,) of an articulated body or a hand."""

    def patches(self) -> list[dict[str, Any]]:
        """Contact patches of the last step."""

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step.

        `converged`: the solver came to its tolerance; `accepted`: it did, or is off by no more than the scene's
        solver.accepted_residual.
        """

    def energies(self) -> dict[str, float]:
        """Kinetic, elastic and potential energy [J]."""

    def state(self) -> FloatArray:
        """All positions and velocities."""

    def status(self) -> dict[str, Any]:
        """{ok, message}: whether the state can be used, and if not which body and why."""


@runtime_checkable
class KeepsProblems(Protocol):
    """An engine that can tell the contact problems that it solves."""

    def keep_problems(self) -> None:
        """Make contact_problem() available; call it before the first step.

        Raises:
            SceneError: it is not for this scene.
        """

    def contact_problem(self) -> StepProblem | None:
        """The contact problem of the last step; None where it had no contacts."""


@runtime_checkable
class FeelsVertices(Protocol):
    """An engine that can tell the contact load vertex by vertex."""

    def vertex_loads(self, surface: str) -> dict[str, FloatArray]:
        """Contact load of the last step on the vertices of a surface.

        Args:
            surface: name of a contact surface.
        Returns:
            areas (k,) [m²], a third of each incident triangle; forces (k, 3) [N], each contact point's force given to
            the corners of its triangle; tractions (k, 3) [Pa], force over area; pressures (k,) [Pa], the part of the
            points' forces along their contact normals over area, > 0 where the surface is pressed. So areas @ tractions
            is the contact force on the surface.
        """


@runtime_checkable
class HoldsTools(Protocol):
    """An engine that can tell what the devices of haptic tools feel."""

    tools: tuple[str, ...]  # names of the scene's tools

    def device_load(self, tool: str) -> dict[str, FloatArray]:
        """Load of a tool's coupling on its device after the last step.

        Args:
            tool: name of the tool.
        Returns:
            force (3,) [N] and torque (3,) [N m] about the device; motion (6,), twist of the tool's centre of mass
            [m/s, rad/s].
        """


@runtime_checkable
class HasLinks(Protocol):
    """An engine that can tell where the links of articulated bodies are."""

    def link_position(self, body: str, link: str) -> FloatArray:
        """Origin of a link (3,) [m].

        Raises:
            SceneError: no such link.
        """


def refuse_integrator(scene: Scene) -> None:
    """Refuse a rule of the time step where bodies are in equilibrium in every step.

    Raises:
        SceneError: another integrator than the default.
    """
    if scene.integrator != "implicit-euler":
        raise SceneError(
            f"integrator: '{scene.integrator}' has no effect on bodies in equilibrium at each step; leave it out"
        )


def link_position(engine: Engine, probe: Any) -> FloatArray:
    """Where a distance probe's body or link is (3,) [m].

    Raises:
        SceneError: the body has no such link, or the engine cannot tell.
    """
    if probe.link is None:
        return np.array(engine.pose(probe.body)[:3])
    if not isinstance(engine, HasLinks):
        raise SceneError(f"probes ({probe.name}).link: engine '{engine.name}' cannot tell; leave it out")
    return engine.link_position(probe.body, probe.link)


class Tracking(Protocol):
    """What an engine with tracked hands has as its attribute `tracking`."""

    def prepare(self) -> None:
        """Call it before each step: waits for the wall clock where a hand is live."""

    def feedback(self, patches: list[dict[str, Any]]) -> dict[str, FloatArray]:
        """Call it once after each step: wrenches to display, by hand; see tracking.feedback.wrenches."""

    def recorded(self) -> dict[str, Any]:
        """What drove the live hands so far: a tracking.Track by hand."""

    def report(self) -> dict[str, dict[str, Any]]:
        """Figures of the live streams, by hand."""

    def close(self) -> None:
        """Free ports and sockets."""
