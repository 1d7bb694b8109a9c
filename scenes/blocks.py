# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two elastic blocks in contact with friction, one pushed and dragged over the other: HapCo's benchmarks."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from softcontact.flexibility.benchmark import CLAMPED, hand_path, jab_path, path
from softcontact.flexibility.trace import read_trace
from softcontact.scene import (
    ContactSettings,
    DeviceMotion,
    ElasticBlock,
    Finite,
    FlexibilitySettings,
    ForceJump,
    ForceProbe,
    FrictionCone,
    Keyframes,
    PenetrationLimit,
    PositionProbe,
    ProbeLimit,
    Scene,
    SceneOptions,
    Solved,
    SolveTime,
)
from softcontact.scene.conditions import only, unless

UNITS = {"N/cm2": 1e4, "Pa": 1.0, "kPa": 1e3, "MPa": 1e6}
TICK = 0.001  # [s], the haptic rate
FRAME = 0.04  # [s], the paper's visual rate of 25 Hz
PACE = 0.4  # [s] a phase, the fastest at which the force must not change by over 5 % of its mean in a tick
START = np.array([0.04, 0.0, 0.02])


class Options(SceneOptions):
    conditions = (
        only("trace", drive="trace"),
        only("phase_time", drive="device"),
        unless("force_scale", drive="script"),
    )

    benchmark: Literal["both", "left"] = "both"
    """Red block clamped at both ends, or at the left one."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.3
    """Friction coefficient [-]."""
    drive: Literal["script", "device", "trace", "jab"] = "script"
    """What moves the green block: the paper's 25 steps; a simulated device along the same path at 1 kHz; a recorded
    trace at 1 kHz; or a jab of 5 mm in 20 ms."""
    trace: str | None = None
    """Recorded trace for drive=trace: a CSV file (time,x,y,z in s and m), or the history.h5 of an earlier run."""
    displacement: Literal["linear", "corotational"] = "linear"
    """Displacement solver of both blocks."""
    method: str = "block_gauss_seidel"
    """Contact solver: block_gauss_seidel, local_uzawa, global_uzawa; without a device also the others of 'solve'."""
    uzawa_error: Annotated[float, Field(ge=1e-16, le=1e-3)] | None = None
    """Stop the contact solver at this Uzawa error [m] instead of at the solver's own tolerance."""
    young_red: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 3000.0
    """Young's modulus of the red block [modulus_unit]."""
    young_green: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 80000.0
    """Young's modulus of the green block [modulus_unit]."""
    modulus_unit: Literal["N/cm2", "Pa", "kPa", "MPa"] = "N/cm2"
    """Unit of the moduli. The paper prints none; its lengths are in cm."""
    poisson: Annotated[float, Field(ge=0, lt=0.5)] = 0.3
    """Poisson's ratio of both blocks [-]."""
    phase_time: Annotated[float, Field(ge=0.05, le=60)] = 0.5
    """Time that the hand on the device takes for each of the five phases [s]."""
    force_scale: Annotated[float, Field(ge=0, le=1)] = 0.01
    """Share of the contact force that the device feeds back [-]."""
    clock: Literal["simulated", "wall"] = "simulated"
    """Ticks of the device in simulated time, the same bits every time, or paced by the clock."""
    budget: Annotated[float, Field(ge=1e-6, le=TICK)] | None = None
    """Time budget of a tick [s], from 1 µs to the 1 ms that a tick has; by default none in simulated time, 0.8 ms by
    the clock. A tick that does not come to its tolerance in this time counts as not solved."""

    @model_validator(mode="after")
    def _fit(self) -> "Options":
        if self.drive == "trace" and self.trace is None:
            raise ValueError("trace: drive=trace moves the block along a recorded trace; give its file")
        if self.drive == "script" and self.clock == "wall":
            raise ValueError(
                "clock: the paper's 25 steps have no rate; use drive=device, trace or jab with clock=wall"
            )
        if self.drive == "script" and self.budget is not None:
            raise ValueError("budget: for ticks at 1 kHz; use drive=device, trace or jab")
        if self.trace is not None and not read_trace(self.trace)[0][-1] >= TICK:
            raise ValueError(f"trace: {self.trace} takes less than a tick, {TICK:g} s; times are seconds")
        return self


def motion_of(o: Options) -> tuple[Keyframes | DeviceMotion, float]:
    """The green block's motion and how long it takes [s]."""
    if o.drive == "script":
        moves = np.vstack([np.zeros(3), path()])
        times = FRAME * np.arange(len(moves))
        return Keyframes(body="green", times=times, positions=START + moves), times[-1]
    if o.drive == "device":
        times, moves = hand_path(o.phase_time)
        hand = DeviceMotion(body="green", times=times, positions=START + moves, force_scale=o.force_scale)
        return hand, times[-1] + 0.1
    times, moves = read_trace(o.trace) if o.drive == "trace" else jab_path()
    prescribed = DeviceMotion(
        body="green", times=times, positions=START + moves, mass=0.0, force_scale=o.force_scale
    )
    return prescribed, float(times[-1])


def checks_of(o: Options) -> list:
    found = [
        Finite(),
        Solved(name="every step solved"),
        PenetrationLimit(limit=1e-6),
        FrictionCone(name="force in the friction cone", body="green", friction=o.friction, excess=1e-4),
    ]
    if o.drive == "device":
        # The 5 % are for stick and slip: no jump where the one becomes the other. What a steady pull changes in a tick
        # goes with its speed, so that they hold for the pace of the default or slower.
        limit = 0.05 * max(1.0, PACE / o.phase_time)
        found.append(ForceJump(name="force continuous through stick and slip", body="green", limit=limit))
    if o.drive == "jab":
        # 5 mm in 20 ticks move the force by a twentieth of its peak a tick, solved as well as can be: a jab has no
        # limit on jumps. It has to press, to let go again, every tick solved, and in time where there is a clock.
        pushed = ProbeLimit(name="jab pressed in", probe="force z", reduce="max", minimum=1e-3)
        released = ProbeLimit(name="jab let go", probe="force z", reduce="final", minimum=0.0, maximum=1e-6)
        found += [pushed, released]
    if o.clock == "wall" or o.budget is not None:
        found.append(SolveTime(name="tick within 1 ms at the 99.9th percentile", limit=TICK))
    return found


def scene(**options) -> Scene:
    o = Options(**options)
    motion, duration = motion_of(o)
    modulus = UNITS[o.modulus_unit]
    return Scene(
        name="blocks",
        description="A stiff block is pressed onto a soft one and dragged over it, to and fro and aside.",
        duration=duration,
        time_step=FRAME if o.drive == "script" else TICK,
        contact=ContactSettings(model="point", friction_law="coulomb", friction=o.friction),
        flexibility=FlexibilitySettings(
            displacement=o.displacement,
            method=o.method,
            uzawa_error=o.uzawa_error,
            clock=o.clock,
            budget=o.budget,
        ),
        bodies=[
            ElasticBlock(
                name="red",
                size=(0.10, 0.02, 0.02),
                divisions=(20, 4, 4),
                young=o.young_red * modulus,
                poisson=o.poisson,
                clamped=CLAMPED[o.benchmark],
                color=(0.78, 0.25, 0.22),
            ),
            ElasticBlock(
                name="green",
                position=START,
                size=(0.02, 0.02, 0.02),
                divisions=(4, 4, 4),
                young=o.young_green * modulus,
                poisson=o.poisson,
                driven="top",
                role="tool",
                color=(0.33, 0.62, 0.35),
            ),
        ],
        motions=[motion],
        probes=[
            *(ForceProbe(name=f"force {axis}", body="green", other="red", axis=axis) for axis in "xyz"),
            *(PositionProbe(name=f"tool {axis}", body="green", axis=axis) for axis in "xyz"),
        ],
        checks=checks_of(o),
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
