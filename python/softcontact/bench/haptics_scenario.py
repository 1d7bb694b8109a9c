# SPDX-License-Identifier: LGPL-2.1-or-later
"""The block of scene `block` with its tool at any visual rate, for `softcontact bench haptics`: worlds, paths of the
device, hands, and the force of a world that steps as often as the fast thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.held_tool import HeldTool
from softcontact.haptics import (
    HandAxis,
    HandScript,
    SafetySettings,
    SimulatedDevice,
    ThreadSettings,
    ToolLaw,
)
from softcontact.scene.library import load
from softcontact.scene.model import Scene

FloatArray = NDArray[np.float64]

FAST = 1e-3  # [s], the fast thread of the paper
MOST_FORCE = 30.0  # [N]: the benchmark's device has strong motors, so that no limit cuts what is compared
CAPACITY = 96  # contacts of a model
SETTINGS = ThreadSettings(safety=SafetySettings(max_force=MOST_FORCE, max_torque=2.0))
# A hand that follows its path whatever the force: 10 N move it by a micrometre.
FIRM = HandAxis(mass=0.1, damping=0.0, hand_mass=0.0, hand_damping=2e3, hand_stiffness=1e7)
FIRM_TURN = HandAxis(mass=1e-3, damping=0.0, hand_mass=0.0, hand_damping=20.0, hand_stiffness=1e5)
YIELDING = HandAxis()
YIELDING_TURN = SimulatedDevice().rotation


@dataclass(frozen=True)
class Rig:
    """A block and a tool in a world.

    Attributes:
        scene: they come from.
        visual: the tool in the world.
        law: the fast thread's, contact by the linear model.
    """

    scene: Scene
    visual: HeldTool
    law: ToolLaw


def rig(period: float, shape: dict[str, Any] | None = None, **options: Any) -> Rig:
    """The block and the tool of scene `block`, to be stepped every `period` seconds.

    Args:
        period: time step of the world [s].
        shape: of another round tool, as a scene gives it; it starts as far above the block.
        options: of the scene.
    Raises:
        SceneError: a period or an option that the scene does not take.
    """
    scene = load("block", {"time_step": period, **options})
    if shape is not None:
        x, y, z = scene.body("tool").position
        higher = z + shape["radius"] - scene.body("tool").shape.radius
        scene = scene.with_changes({"bodies.tool.shape": shape, "bodies.tool.position": [x, y, higher]})
    engine = EmbeddedEngine(scene)
    held = engine.held_tool("tool")
    visual = HeldTool(
        engine.world, engine.number("tool"), held.tool, held.coupling, fast_step=FAST, capacity=CAPACITY
    )
    return Rig(scene, visual, ToolLaw(held.tool, held.coupling, FAST, capacity=CAPACITY))


@dataclass(frozen=True)
class Path:
    """Way of the device: down onto the block, a rest, then sideways.

    Attributes:
        script: places at times.
        touch: when the tool comes to the block [s].
        drag: when the sideways motion begins [s].
        end: of the path [s].
    """

    script: HandScript
    touch: float
    drag: float
    end: float


def press_and_drag(scene: Scene, seconds: float = np.inf) -> Path:
    """The scene's own path up to the end of its drag, or `seconds` of it.

    Args:
        scene: scene `block`.
        seconds: of the drag; all of it where there is less.
    """
    motion = scene.motions[0]
    times, positions = np.array(motion.times), np.array(motion.positions)
    sideways = int(np.argmax(np.diff(positions[:, 0])))
    drag, end = times[sideways], min(times[sideways] + seconds, times[sideways + 1])
    here = np.append(times[: sideways + 1], end)
    places = np.array([np.interp(here, times, column) for column in positions.T]).T
    return Path(script(here, places, scene), float(times[2]), float(drag), float(end))


def script(times: FloatArray, places: FloatArray, scene: Scene) -> HandScript:
    """Places (k, 3) [m] at times (k,) [s], turned as the scene's tool is."""
    turn = np.tile(scene.body("tool").orientation, (len(times), 1))
    return HandScript(times, places, turn)


def device(way: HandScript, *, yields: bool = False) -> SimulatedDevice:
    """A device that goes along `way`: exactly, or in a hand that yields, with encoders.

    Args:
        way: what the hand intends.
        yields: to the force.
    """
    if yields:
        return SimulatedDevice(way, YIELDING, YIELDING_TURN, max_force=MOST_FORCE, max_torque=2.0)
    return SimulatedDevice(
        way,
        FIRM,
        FIRM_TURN,
        position_step=0.0,
        rotation_step=0.0,
        velocity_cutoff=0.0,
        max_force=MOST_FORCE,
        max_torque=2.0,
    )


def states(columns: dict[str, Any]) -> FloatArray:
    """Rows (n, 13) of a recorded session: the device's place, turn, velocity and spin at each tick."""
    names = ("position", "orientation", "linear_velocity", "angular_velocity")
    return np.hstack([columns[name] for name in names])


@dataclass(frozen=True)
class TrueForce:
    """What a world tells that steps at the fast rate.

    Attributes:
        device: force on the device (n, 3) [N].
        contact: force of the block on the tool (n, 3) [N].
        tool: place of the tool (n, 3) [m].
    """

    device: FloatArray
    contact: FloatArray
    tool: FloatArray


def true_force(rows: FloatArray, step: float = FAST, **options: Any) -> TrueForce:
    """Force along a path of the device: block and tool in one world, solved together at every tick.

    Args:
        rows: of the device (n, 13), one a tick; see `states`.
        step: of a tick [s].
        options: of the scene.
    Raises:
        RuntimeError: the world stopped.
    """
    made = rig(step, **options)
    found = np.zeros((3, len(rows), 3))
    for tick, row in enumerate(rows):
        made.visual.world.set_device(made.visual.body, row)
        if not made.visual.world.step():
            raise RuntimeError(f"the world stopped: {made.visual.world.status()['message']}")
        told = made.visual.world.tool_state(made.visual.body)
        found[0, tick], found[2, tick] = told["device"][:3], told["position"]
        for patch in made.visual.world.patches():
            found[1, tick] += patch["force"] if patch["body"] == "tool" else -np.asarray(patch["force"])
    return TrueForce(*found)
