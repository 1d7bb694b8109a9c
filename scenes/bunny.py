# SPDX-License-Identifier: LGPL-2.1-or-later
"""A soft Stanford bunny comes to another one from the side and stops in three places: apart, touching, deep inside.

González et al. 2015 (Sec. 4.3): two bunnies of about 4285 nodes each (here 4305), E 2·10⁷ MPa, ν 0.3, both answered by
the same vademecum; the red one moves, the blue one carries a pointshell of about 3733 points. Some 36 and some 427 of
these lie inside the red one in the second and third place; how far apart the bunnies are there is found from that.

Both bend under a load on the tip of an ear, and both give way to the contact, to the vertical part of its forces that
their vademecum knows; with answer=load they bend under the loads on their ears alone. At 20 TPa no penalty force would
press a bunny in by the centimetre that so many points take: the two overlap, as they do in the paper. At the default
stiffness the vertical load of contact at a node is within a third of the 2·10⁶ N that the vademecum answers there; the
option's largest stiffness is three times the default.

The vademecum is built on first use, which takes minutes, and kept. How many points touch and how long a detection
takes is recorded at every step.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.scene import (
    ContactCount,
    ContactSettings,
    Finite,
    ForceProbe,
    Keyframes,
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
from softcontact.vademecum.pointshell import Pointshell
from softcontact.vademecum.stock import bunny_file

POINTS = 3733  # of the pointshell
SIZE = (0.083, 0.065, 0.081)  # that the bunny's mesh may have at most [m]
APART = 0.005  # more than where the bunnies first touch [m]
CLOSEST = 0.02  # that the bunnies' origins may come [m]
GROW, COME, STAY = 0.8, 0.8, 0.4  # [s]
BAND = 0.15  # share by which the number of points in contact may differ from the one asked for


class Options(VademecumOptions):
    answer: Literal["contact", "load"] = "contact"
    """The bunnies give way to the contact and to the loads on their ears, or to the latter alone."""
    load: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Load on the tip of an ear of each bunny, as a share of 2·10⁶ N."""
    stiffness: Annotated[float, Field(ge=1e5, le=3e7)] = 1e7
    """Force of a point of the pointshell per depth [N/m]."""
    few: Annotated[int, Field(ge=10, le=100)] = 36
    """Points in contact in the second place."""
    many: Annotated[int, Field(ge=150, le=600)] = 427
    """Points in contact in the third place."""
    time_step: Annotated[float, Field(gt=0, le=0.1)] = 0.04
    """Time step [s]."""


def spacing(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Spacing [m] of the pointshell over a surface that has nearest to POINTS points."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    near = float(np.sqrt(0.5 * np.linalg.norm(normals, axis=1).sum() / POINTS))
    low, high = 0.5 * near, 4.0 * near
    found = {}
    while high - low > 1e-3 * near:
        middle = 0.5 * (low + high)
        found[middle] = len(Pointshell.over(vertices, triangles, middle))
        low, high = (middle, high) if found[middle] > POINTS else (low, middle)
    return min(found, key=lambda trial: abs(found[trial] - POINTS))


def distances(
    vademecum: Vademecum, shell: Pointshell, node: int, load: float, counts: list[int]
) -> list[float]:
    """How far apart the loaded bunnies are along y where so many points of the shell lie inside [m]."""
    bent = vademecum.mesh.nodes + vademecum.displacement(node, load)
    points = shell.points(bent)

    def inside(apart: float) -> int:
        return int((vademecum.distance(points + np.array([0.0, apart, 0.0]), node, load) < 0.0).sum())

    found = []
    for count in counts:
        low, high = CLOSEST, float(np.ptp(bent[:, 1]))
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if inside(middle) >= count else (low, middle)
        found.append(low)
    return found


def scene(**options) -> Scene:
    o = Options(**options)
    file, vademecum = o.vademecum(lambda quick: bunny_file(quick=quick, tell=print))
    rest, (nodes, triangles) = vademecum.mesh.nodes, vademecum.mesh.boundary
    if (np.ptp(rest, axis=0) > SIZE).any():
        raise SceneError("file: a body that is larger than the bunny of 80 mm; give that bunny's vademecum")
    apart = spacing(rest, triangles)
    loaded = vademecum.cases.nodes
    ear = int(loaded[np.argmax(rest[loaded, 2])])
    shell = Pointshell.over(rest, triangles, apart)
    first, few, many = distances(vademecum, shell, ear, o.load, [1, o.few, o.many])
    places = [(0.0, -float(y), 0.0) for y in (first + APART, first + APART, few, few, many, many)]
    times = np.cumsum([0.0, GROW, COME, STAY, COME, STAY])
    tip = int(np.searchsorted(nodes, ear))

    def count(name: str, place: int, least: float, most: float) -> ContactCount:
        return ContactCount(
            name=name, start=times[place], end=times[place + 1], minimum=round(least), maximum=round(most)
        )

    return Scene(
        name="bunny",
        description="A soft Stanford bunny comes to another one and stops apart, touching and deep inside.",
        duration=float(times[-1]),
        time_step=o.time_step,
        contact=ContactSettings(friction=0.0),
        vademecum=VademecumSettings(stiffness=o.stiffness, spacing=apart, yielding=o.answer == "contact"),
        bodies=[
            VademecumBody(name="red", file=file, position=places[0], role="tool", color=(0.78, 0.33, 0.25)),
            VademecumBody(name="blue", file=file, role="object", color=(0.25, 0.47, 0.72)),
        ],
        motions=[
            *(
                LoadMotion(body=body, times=[0.0, GROW], nodes=[ear] * 2, sizes=[0.0, o.load])
                for body in ("red", "blue")
            ),
            Keyframes(body="red", times=times, positions=places),
        ],
        probes=[
            PointProbe(name="ear of the red bunny", body="red", vertex=tip),
            PointProbe(name="ear of the blue bunny", body="blue", vertex=tip),
            PositionProbe(name="place of the red bunny", body="red", axis="y"),
            ForceProbe(name="force on the blue bunny", body="blue", other="red"),
        ],
        checks=[
            Finite(),
            Solved(),
            count("apart", 0, 0, 0),
            count(f"some {o.few} points touch", 2, (1 - BAND) * o.few, (1 + BAND) * o.few),
            count(f"some {o.many} points touch", 4, (1 - BAND) * o.many, (1 + BAND) * o.many),
            ProbeLimit(name="pushed away", probe="force on the blue bunny", reduce="final", minimum=1e3),
        ],
    )
