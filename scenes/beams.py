# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two hyperelastic cantilevers, clamped at opposite ends, press on each other, each answered by the same vademecum.

González et al. 2015 (Sec. 4.2). The vademecum is built on first use, which takes minutes, and kept.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.scene import (
    ContactCount,
    ContactSettings,
    Finite,
    ForceProbe,
    Keyframes,
    LoadMotion,
    PenetrationLimit,
    PointProbe,
    ProbeLimit,
    Scene,
    SceneError,
    Solved,
    VademecumBody,
    VademecumSettings,
)
from softcontact.scene.answered import VademecumOptions
from softcontact.vademecum.stock import beam_file

TURNED = (0.0, 1.0, 0.0, 0.0)  # half a turn about y: clamped on the right, its load pushes up
PRESS, SLIDE, LIFT = 1.0, 1.0, 1.0  # [s]


class Options(VademecumOptions):
    upper: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Load on the end of the upper beam, as a share of 10⁶ N."""
    lower: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Load on the end of the lower beam, upwards."""
    friction: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Friction coefficient [-]."""
    stiffness: Annotated[float, Field(ge=1e5, le=1e9)] = 1e7
    """Force of a point of the lower beam's pointshell per depth [N/m]."""
    gap: Annotated[float, Field(ge=0.005, le=0.2)] = 0.06
    """Between the unloaded beams [m]."""
    overlap: Annotated[float, Field(ge=0.05, le=0.35)] = 0.15
    """How far the unloaded beams reach over each other [m]."""
    slide: Annotated[float, Field(ge=0, le=0.2)] = 0.06
    """How far the lower beam is drawn back while they press [m]."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.02
    """Time step [s]."""


def scene(**options) -> Scene:
    o = Options(**options)
    if o.slide > o.overlap - 0.05:
        raise SceneError(
            f"slide: {o.slide:g} m leaves less than 0.05 m of the overlap; give less, or more overlap"
        )
    file, vademecum = o.vademecum(lambda quick: beam_file(quick=quick, tell=print))
    rest = vademecum.mesh.nodes
    low, high = rest.min(axis=0), rest.max(axis=0)
    loaded = vademecum.cases.nodes
    end = int(loaded[np.lexsort((-np.abs(rest[loaded, 1]), rest[loaded, 2], rest[loaded, 0]))[-1]])
    start = np.array([2.0 * high[0] - o.overlap, 0.0, -(high[2] - low[2]) - o.gap])
    drawn = start + np.array([o.slide, 0.0, 0.0])
    times = np.cumsum([0.0, PRESS, SLIDE, LIFT])
    shape = np.array([0.0, 1.0, 1.0, 0.0])
    tip = int(np.searchsorted(vademecum.mesh.boundary[0], end))
    return Scene(
        name="beams",
        description="Two hyperelastic beams press on each other and are drawn apart.",
        duration=float(times[-1]),
        time_step=o.time_step,
        contact=ContactSettings(friction=o.friction),
        vademecum=VademecumSettings(stiffness=o.stiffness, spacing=0.008),
        bodies=[
            VademecumBody(name="upper", file=file, color=(0.78, 0.33, 0.25)),
            VademecumBody(
                name="lower", file=file, position=tuple(start), orientation=TURNED, color=(0.25, 0.47, 0.72)
            ),
        ],
        motions=[
            LoadMotion(body="upper", times=times, nodes=[end] * 4, sizes=o.upper * shape),
            LoadMotion(body="lower", times=times, nodes=[end] * 4, sizes=o.lower * shape),
            Keyframes(body="lower", times=times, positions=[start, start, drawn, drawn]),
        ],
        probes=[
            PointProbe(name="end of the upper beam", body="upper", vertex=tip),
            PointProbe(name="end of the lower beam", body="lower", vertex=tip),
            ForceProbe(name="force on lower", body="lower", other="upper"),
        ],
        checks=[
            Finite(),
            Solved(),
            ContactCount(name="touch when pressed", start=PRESS, end=PRESS + SLIDE, minimum=3),
            ProbeLimit(name="they press", probe="force on lower", reduce="max", minimum=1e3),
            ProbeLimit(name="free again", probe="force on lower", reduce="final", maximum=1e-3),
            PenetrationLimit(limit=0.005),
        ],
    )
