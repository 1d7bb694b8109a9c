# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rigid Stanford bunny comes to a soft one from the side and stops in three places: apart, touching, deep inside.

González et al. 2015 (Sec. 4.3): a bunny of about 4285 nodes (here 4305), E 2·10⁷ MPa, ν 0.3, answered by its
vademecum, and another one with a pointshell of about 3733 points (here 3735). Some 36 and some 427 of these lie inside
in the second and third place; how far apart the bunnies are there is found from that. The other one is rigid here. It
presses with penalty forces alone: at 20 TPa no such force would press a bunny in by the centimetre and a half that so
many points take, so that the two overlap. By default the soft bunny bends under the load on its ear alone, as in the
paper; answer=contact lets it give way to the contact as well, to the vertical part that its vademecum knows.

At the default stiffness a point carries 1.7·10⁵ N at most. With answer=contact the vertical load at a node is within a
third of the 2·10⁶ N that the vademecum answers there; the option's largest stiffness is three times the default.

The vademecum is built on first use, which takes minutes, and kept. How many points touch and how long a detection
takes is recorded at every step.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact import mesh
from softcontact.scene import (
    Bunny,
    ContactCount,
    ContactSettings,
    Finite,
    ForceProbe,
    Keyframes,
    KinematicBody,
    LoadMotion,
    PointProbe,
    PositionProbe,
    ProbeLimit,
    Scene,
    SceneError,
    Solved,
    VademecumBody,
    VademecumSettings,
)
from softcontact.scene.answered import VademecumOptions
from softcontact.vademecum import Vademecum
from softcontact.vademecum.models import BUNNY_HEIGHT
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.stock import bunny_file

SPACING = 0.00421  # of the pointshell [m]: 3735 points
APART = 0.005  # more than where the bunnies first touch [m]
CLOSEST = 0.02  # that the bunnies' origins may come [m]
OFF = 0.002  # that a bunny's mesh may be off its surface [m]
GROW, COME, STAY = 0.8, 0.8, 0.4  # [s]
BAND = 0.15  # share by which the number of points in contact may differ from the one asked for


class Options(VademecumOptions):
    answer: Literal["load", "contact"] = "load"
    """The bunny answers to the load on its ear alone, as in the paper; or it gives way to the contact as well."""
    load: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Load on the tip of an ear, as a share of 2·10⁶ N."""
    stiffness: Annotated[float, Field(ge=1e5, le=3e7)] = 1e7
    """Force of a point of the pointshell per depth [N/m]."""
    few: Annotated[int, Field(ge=10, le=100)] = 36
    """Points in contact in the second place."""
    many: Annotated[int, Field(ge=150, le=600)] = 427
    """Points in contact in the third place."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.04
    """Time step [s]."""


def distances(vademecum: Vademecum, node: int, load: float, counts: list[int]) -> list[float]:
    """How far apart the bunnies are along y where so many points of the shell lie inside the loaded one [m]."""
    other = mesh.bunny(BUNNY_HEIGHT)
    points = Pointshell.over(other.vertices, other.triangles, SPACING).points(other.vertices)

    def inside(apart: float) -> int:
        return int((vademecum.distance(points + np.array([0.0, apart, 0.0]), node, load) < 0.0).sum())

    found = []
    for count in counts:
        low, high = CLOSEST, BUNNY_HEIGHT
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if inside(middle) >= count else (low, middle)
        found.append(low)
    return found


def scene(**options) -> Scene:
    o = Options(**options)
    file, vademecum = o.vademecum(lambda quick: bunny_file(quick=quick, tell=print))
    rest, bounds = vademecum.mesh.nodes, mesh.bunny(BUNNY_HEIGHT).bounds
    if (rest < bounds[0] - OFF).any() or (rest > bounds[1] + OFF).any():
        raise SceneError("file: a body that reaches beyond the bunny of 80 mm; give that bunny's vademecum")
    loaded = vademecum.cases.nodes
    ear = int(loaded[np.argmax(rest[loaded, 2])])
    first, few, many = distances(vademecum, ear, o.load, [1, o.few, o.many])
    places = [(0.0, float(y), 0.0) for y in (first + APART, first + APART, few, few, many, many)]
    times = np.cumsum([0.0, GROW, COME, STAY, COME, STAY])
    tip = int(np.searchsorted(vademecum.mesh.boundary[0], ear))

    def count(name: str, place: int, least: float, most: float) -> ContactCount:
        return ContactCount(
            name=name, start=times[place], end=times[place + 1], minimum=round(least), maximum=round(most)
        )

    return Scene(
        name="bunny",
        description="A rigid Stanford bunny comes to a soft one and stops apart, touching and deep inside.",
        duration=float(times[-1]),
        time_step=o.time_step,
        contact=ContactSettings(friction=0.0),
        vademecum=VademecumSettings(stiffness=o.stiffness, spacing=SPACING, yielding=o.answer == "contact"),
        bodies=[
            VademecumBody(name="soft bunny", file=file, role="object", color=(0.78, 0.33, 0.25)),
            KinematicBody(
                name="rigid bunny",
                shape=Bunny(height=BUNNY_HEIGHT),
                position=places[0],
                role="tool",
                color=(0.25, 0.47, 0.72),
            ),
        ],
        motions=[
            LoadMotion(body="soft bunny", times=[0.0, GROW], nodes=[ear] * 2, sizes=[0.0, o.load]),
            Keyframes(body="rigid bunny", times=times, positions=places),
        ],
        probes=[
            PointProbe(name="ear of the soft bunny", body="soft bunny", vertex=tip),
            PositionProbe(name="place of the rigid bunny", body="rigid bunny", axis="y"),
            ForceProbe(name="force on the rigid bunny", body="rigid bunny", other="soft bunny"),
        ],
        checks=[
            Finite(),
            Solved(),
            count("apart", 0, 0, 0),
            count(f"some {o.few} points touch", 2, (1 - BAND) * o.few, (1 + BAND) * o.few),
            count(f"some {o.many} points touch", 4, (1 - BAND) * o.many, (1 + BAND) * o.many),
            ProbeLimit(name="pushed away", probe="force on the rigid bunny", reduce="final", minimum=1e3),
        ],
    )
