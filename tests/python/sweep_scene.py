# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene for the tests of sweeps: a box falls onto a table, and a run misbehaves where it is told to."""

import os
import signal
import time
from typing import Annotated, Literal

from pydantic import Field

from softcontact.scene import Scene
from softcontact.scene.library import SceneOptions


class Options(SceneOptions):
    mass: Annotated[float, Field(gt=0, le=10)] = 0.5
    """Mass of the box [kg]."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient [-]."""
    number: Annotated[int, Field(ge=0)] = 0
    """A number."""
    height: Annotated[float, Field(ge=0)] = 0.0
    """Least height of the box at the end [m]."""
    fault: Literal["none", "hang", "crash", "memory", "killed once", "raise", "refused", "absent"] = "none"
    """How the run misbehaves."""
    wait: float = 0.0
    """Time that building the scene takes [s]."""
    log: str = ""
    """A folder with a file, log, that every run adds a line to as it begins."""
    late: float = 0.0
    """How much longer the run takes for a further check [s]."""
    steps: int = 0
    """A number that is called like a figure of every run."""
    held: int = -1
    """Runs with this number wait until there is a file, go, in the folder."""


def scene(**options):
    o = Options(**options)
    if o.log:
        with open(f"{o.log}/log", "a") as file:
            file.write(f"{o.mass} {o.number}\n")
    time.sleep(o.wait)
    while o.number == o.held and not os.path.exists(f"{o.log}/go"):
        time.sleep(0.02)
    if o.fault == "absent" and not os.path.exists(f"{o.log}/present"):
        raise ValueError("something is absent")
    if o.fault == "hang":
        time.sleep(600)
    if o.fault == "crash":
        print("about to crash", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if o.fault == "memory":
        bytearray(4_000_000_000)
    if o.fault == "killed once" and not os.path.exists(f"{o.log}/killed"):
        with open(f"{o.log}/killed", "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return Scene.from_dict(
        {
            "name": "fall",
            "duration": 0.05 + o.late,
            "time_step": 0.005,
            "contact": {"friction": o.friction},
            "bodies": [
                {
                    "name": "box",
                    "kind": "rigid",
                    "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]},
                    "mass": o.mass,
                    "position": [0, 0, 0.0505],
                },
                {
                    "name": "table",
                    "kind": "kinematic",
                    "shape": {"kind": "box", "size": [1, 1, 0.02]},
                    "position": [0, 0, -0.01],
                },
            ],
            "probes": [{"name": "height", "kind": "position", "body": "box"}],
            "checks": [
                {"kind": "probe_limit", "probe": "height", "minimum": o.height, "maximum": 1.0, "end": 0.05},
                *(
                    [{"kind": "probe_limit", "name": "late", "probe": "height", "minimum": 0}]
                    if o.late
                    else []
                ),
            ],
            **({"solver": {"tolerance": -1}} if o.fault == "refused" else {}),
            **({"bodies": 1 / 0} if o.fault == "raise" else {}),
        }
    )
