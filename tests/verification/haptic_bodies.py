# SPDX-License-Identifier: LGPL-2.1-or-later
"""A ball-shaped tool on a coupling, and a soft block, for tests of the haptic laws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from softcontact._core import World

from softcontact.haptics import (
    HandAxis,
    HandScript,
    LinearContactModel,
    RigidState,
    SimulatedDevice,
    Tool,
    VirtualCoupling,
    VisualTool,
)
from softcontact.mesh.primitives import sphere
from softcontact.mesh.tetrahedral_primitives import tetrahedral_box

RADIUS = 0.01
MASS = 0.05
TOOL = Tool(MASS, 0.4 * MASS * RADIUS**2 * np.eye(3))
HANDLE = np.array([0.0, 0.0, 0.03])
COUPLING = VirtualCoupling.dragging(MASS, 0.4 * MASS * RADIUS**2, 800.0, 0.5, handle_position=HANDLE)
SIDE = 0.06
TIGHT = {"contact": "point", "solver_tolerance": 1e-13, "solver_max_iterations": 2000}


def make_world(step: float, gravity: float = 0.0, **options: Any) -> World:
    return World(step, np.array([0.0, 0.0, -gravity]), TIGHT | options)


def add_block(
    world: World, young: float = 2e4, friction: float = 0.5, divisions: int = 4, rayleigh: float = 0.005
) -> None:
    """A soft cube whose top lies in z = 0 and whose bottom is held, damped by its stiffness times `rayleigh` [s]."""
    mesh = tetrahedral_box(SIDE, divisions)
    surface, nodes = mesh.surface()
    weights = np.zeros((len(nodes), 4))
    weights[:, 0] = 1.0
    places = mesh.nodes + np.array([0.0, 0.0, -SIDE / 2])
    world.add_tetrahedral_body(
        "block",
        places,
        mesh.tetrahedra,
        np.array([young]),
        np.array([0.4]),
        np.array([1000.0]),
        surface_nodes=np.repeat(np.asarray(nodes, dtype=np.int32)[:, None], 4, axis=1),
        surface_weights=weights,
        surface_triangles=surface.triangles,
        rayleigh_mass=1.0,
        rayleigh_stiffness=rayleigh,
        fixed_nodes=[int(i) for i in np.flatnonzero(places[:, 2] < 1e-6 - SIDE)],
        friction=friction,
    )


def add_tool(
    world: World,
    position: tuple[float, float, float] = (0.003, 0.002, RADIUS + 0.001),
    friction: float = 0.5,
    coupling: VirtualCoupling = COUPLING,
    body: Tool = TOOL,
    **settings: Any,
) -> VisualTool:
    mesh = sphere(RADIUS, 8)
    return VisualTool(
        world,
        "tool",
        mesh.vertices,
        mesh.triangles,
        body,
        coupling,
        RigidState(np.array(position)),
        friction,
        **settings,
    )


def firm(times: Any, places: Any) -> SimulatedDevice:
    """A device that goes its way whatever the force, 10 N move it by a micrometre, and holds the ball's centre at these
    places (k, 3) at times (k,)."""
    script = HandScript(times, np.asarray(places) + HANDLE)
    return SimulatedDevice(
        script,
        HandAxis(mass=0.1, damping=0.0, hand_mass=0.0, hand_damping=2e3, hand_stiffness=1e7),
        HandAxis(mass=1e-3, damping=0.0, hand_mass=0.0, hand_damping=20.0, hand_stiffness=1e5),
        position_step=0.0,
        rotation_step=0.0,
        velocity_cutoff=0.0,
        max_force=20.0,
    )


def device_at(x: float, y: float, z: float) -> RigidState:
    """The device where it holds the ball's centre at this place."""
    return RigidState(np.array([x, y, z]) + HANDLE)


def pressed(
    depth: float = 0.004, step: float = 0.02, friction: float = 0.5, drag: float = 0.0, **settings: Any
) -> tuple[World, VisualTool, LinearContactModel]:
    """Tool pressed into the block until it rests, then moved sideways by `drag`, and the model of the last step."""
    world = make_world(step)
    add_block(world, friction=friction)
    tool = add_tool(world, friction=friction, **settings)
    steps = 25
    for i in range(steps):
        tool.set_device(device_at(0.003, 0.002, RADIUS + 0.001 - (depth + 0.001) * min(1.0, i / 12)))
        assert world.step(), world.status()
    for i in range(10 if drag else 0):
        tool.set_device(device_at(0.003 + drag * (i + 1) / 10, 0.002, RADIUS - depth))
        assert world.step(), world.status()
    return world, tool, tool.model()


def rows(positions: NDArray[np.float64], step: float = 1e-3) -> NDArray[np.float64]:
    """Device rows (k, 13) along positions of the ball's centre (k, 3), velocities by backward differences."""
    out = np.zeros((len(positions), 13))
    out[:, :3] = positions + HANDLE
    out[:, 6] = 1.0
    out[1:, 7:10] = np.diff(positions, axis=0) / step
    return out
