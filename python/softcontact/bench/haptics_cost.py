# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a visual frame and a tick of the fast thread cost, over the number of contacts."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softcontact.bench import haptics_scenario as scenario
from softcontact.figures import spread
from softcontact.haptics import HapticSession, HapticTool, LinearContactModel, RigidState, VisualLoop

# A frame's stages in their order, and the paper's names for them: Sec. 3, visual thread.
STAGES = ("free motion", "detection", "compliance", "solve", "correction", "model", "publish")
PERIOD = 0.04  # [s]
ABOVE = 2.5e-3  # [m] over first touch, further than contacts are looked for
# Tools, from one that touches with a point to one with twice the paper's contacts, and how deep they go [m]. The
# third one is the scene's.
TOOLS: tuple[tuple[dict[str, Any], float], ...] = (
    ({"kind": "sphere", "radius": 0.008, "frequency": 1}, 0.010),
    ({"kind": "cylinder", "radius": 0.008, "height": 0.02, "segments": 16, "layers": 2, "rings": 1}, 0.010),
    ({"kind": "cylinder", "radius": 0.008, "height": 0.05, "segments": 16, "layers": 4, "rings": 1}, 0.012),
    ({"kind": "cylinder", "radius": 0.02, "height": 0.07, "segments": 16, "layers": 4, "rings": 1}, 0.020),
    ({"kind": "cylinder", "radius": 0.02, "height": 0.07, "segments": 48, "layers": 8, "rings": 1}, 0.012),
)
PAPER = {"solve_ms": 80.0, "contacts": 25, "model_ms": 0.4, "fast_tick_us": 250.0}
TICK = {"median": 50, "p99_9": 99.9}
INTERVAL = ("p0_1", "p50", "p99", "p99_9")


@dataclass
class Frame:
    """A visual frame.

    Attributes:
        contacts: that detection found.
        stages: duration by stage [ms].
        processor: time that the processor spent on all of them [ms]; less than their sum where other programs had it.
        model: for the fast thread.
        device: where it was held.
    """

    contacts: int
    stages: dict[str, float]
    processor: float
    model: LinearContactModel = field(repr=False)
    device: RigidState = field(repr=False)

    @property
    def total(self) -> float:
        """Of all stages [ms]."""
        return sum(self.stages.values())


def frames(shape: dict[str, Any], count: int, depth: float) -> list[Frame]:
    """Frames of a tool that goes down into the block until its device is `depth` below first touch.

    Args:
        shape: of the tool, as a scene gives it.
        count: of frames.
        depth: [m].
    """
    made = scenario.rig(PERIOD, shape)
    world, turn = made.visual.world, made.scene.body("tool").orientation
    top = made.scene.body("block").shape.size[2] + shape["radius"]
    found = []
    way = scenario.script(np.zeros(1), np.array([[0.0, 0.0, top]]), made.scene)
    with HapticSession(scenario.device(way), made.law, scenario.SETTINGS, clock="simulated") as session:
        for height in top - np.linspace(-ABOVE, depth, count):
            speed = (depth + ABOVE) / (count * PERIOD)
            at = RigidState((0.0, 0.0, height), turn, (0.0, 0.0, -speed))
            made.visual.set_device(at)
            begun = time.thread_time()
            if not world.step():
                raise RuntimeError(f"the world stopped: {world.status()['message']}")
            stepped = time.perf_counter()
            data = made.law.publication(made.visual)
            built = time.perf_counter()
            session.publish(data, PERIOD)
            published = time.perf_counter()
            worked = 1e3 * (time.thread_time() - begun)
            told = world.statistics()
            stages = {
                "free motion": told["free_ms"],
                "detection": told["detection_ms"],
                "compliance": told["compliance_ms"],
                "solve": told["solve_ms"] - told["compliance_ms"],
                "correction": told["position_ms"],
                "model": 1e3 * (built - stepped),
                "publish": 1e3 * (published - built),
            }
            found.append(Frame(told["contacts"], stages, worked, made.visual.model(), at))
    return found


def by_contacts(samples: list[Frame]) -> list[dict[str, Any]]:
    """Medians of the stages [ms] for each number of contacts that occurred, but none."""
    rows = []
    for contacts in sorted({frame.contacts for frame in samples} - {0}):
        these = [frame for frame in samples if frame.contacts == contacts]
        rows.append(
            {
                "contacts": contacts,
                "frames": len(these),
                "stages_ms": {
                    stage: float(np.median([frame.stages[stage] for frame in these])) for stage in STAGES
                },
                "total_ms": float(np.median([frame.total for frame in these])),
                "processor_ms": float(np.median([frame.processor for frame in these])),
            }
        )
    return rows


def tick_cost(made: scenario.Rig, frame: Frame, ticks: int) -> dict[str, Any]:
    """Duration of the fast thread's work at one model while the device goes round about its place.

    Args:
        made: gives mass and coupling.
        frame: gives the model and the place.
        ticks: to time.
    Returns:
        contacts of the model; ticks, those of them that failed, as they were not finite any more, changes of
        contact states, largest force [N]; and mean, median, p99_9, max of a tick [us].
    """
    tool = HapticTool(made.law.tool, made.law.coupling, scenario.FAST)
    tool.reset_to_device(frame.device)
    angle = 2.0 * np.pi * 3.0 * scenario.FAST * np.arange(ticks)
    rows = np.tile(RigidState(frame.device.position, frame.device.orientation).row(), (ticks, 1))
    rows[:, 0] += 1e-3 * np.sin(angle)  # far enough that contacts slide and stick by turns
    rows[:, 2] += 5e-4 * np.sin(1.7 * angle)
    trace = tool.run(rows, frame.model.copy())
    return {
        "contacts": len(frame.model.contacts),
        "ticks": ticks,
        "failed": int((~trace.ok).sum()),
        "changes": int(trace.changes.sum()),
        "most_force_n": float(np.linalg.norm(trace.device[:, :3], axis=1).max()),
        "tick_us": spread(1e6 * trace.tick_s, TICK),
    }


def over_contacts(count: int, ticks: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Frames of all TOOLS, and ticks of the haptic tool at one model for each number of contacts.

    Args:
        count: frames of each tool.
        ticks: to time for each number of contacts.
    Returns:
        See by_contacts, and tick_cost.
    """
    samples: list[Frame] = []
    ticked = []
    for shape, depth in TOOLS:
        found = frames(shape, count, depth)
        made = scenario.rig(PERIOD, shape)
        seen = {row["contacts"] for row in ticked}
        last = {len(frame.model.contacts): frame for frame in found}
        ticked += [tick_cost(made, frame, ticks) for size, frame in last.items() if size and size not in seen]
        samples += found
    return by_contacts(samples), sorted(ticked, key=lambda row: row["contacts"])


def wall_clock(seconds: float, rate: float = 1.0 / PERIOD) -> dict[str, Any]:
    """A session by the clock: the fast thread at 1 kHz, the visual loop in a thread of its own, the scene's press and
    drag.

    Args:
        seconds: how long.
        rate: of the visual loop [Hz].
    Returns:
        Percentiles of the ticks' interval and work [us], overruns, frames of the visual loop and their time
        [ms], what the system granted, load of the machine.
    """
    made = scenario.rig(1.0 / rate)
    way = scenario.press_and_drag(made.scene)
    before = os.getloadavg()[0]
    with (
        HapticSession(scenario.device(way.script, yields=True), made.law, scenario.SETTINGS) as session,
        VisualLoop(made.visual, session) as loop,
    ):
        session.start()
        loop.start()
        time.sleep(seconds)
        loop.stop()
        session.stop()
        frame_ms = 1e3 * loop.times["total"]
        times, ticks, scheduling = session.times(), session.ticks, session.scheduling
    after = os.getloadavg()[0]

    def told(name: str) -> dict[str, float]:
        return {key: 1e6 * float(value) for key, value in times[name].items() if key != "count"}

    return {
        "seconds": seconds,
        "visual_rate_hz": rate,
        "ticks": ticks,
        "frames": len(frame_ms),
        "frame_ms": spread(frame_ms, {"median": 50, "p99": 99}),
        "interval_us": told("interval"),
        "work_us": told("work"),
        "lateness_us": told("lateness"),
        "overruns": int(times["overruns"]),
        "scheduling": scheduling,
        "load": {
            "before": before,
            "after": after,
            "processors": os.cpu_count(),
            "text": f"load average {before:.1f} before, {after:.1f} after, on {os.cpu_count()} processors",
        },
    }
